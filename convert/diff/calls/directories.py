"""The directories of runs whose logs record none: lent by another run, or inferred."""

from __future__ import annotations

import itertools
import marshal
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.arguments import ArgumentRules, Form
from convert.diff.calls.outputs import printed_in
from convert.diff.calls.recorded_call import RecordedCall, fragment_form
from convert.diff.calls.trajectory import ComparedDirectories, ComparedRun
from convert.diff.noise import Normaliser
from convert.options.settings import Settings
from convert.tools.subjects import led_by_directory
from convert.wording import compiled


def settle_directories(
    one: ComparedRun, other: ComparedRun, settings: Settings, *, is_across: bool
) -> ComparedDirectories:
    """Let two runs be compared in their directories; return how these are known.

    Only logs of two agents are of one directory: the two runs of one agent are often
    in two checkouts.
    """
    if is_across:
        lend_directories([one, other], settings)
    lacking = (lacks_directory(one), lacks_directory(other))
    if any(lacking) and not (one.lent_directory or other.lent_directory):
        _infer(one, other, settings)
    return ComparedDirectories(
        lacking,
        (one.lent_directory, other.lent_directory),
        (one.inferred_directory, other.inferred_directory),
    )


# A path from the root means the same in both logs. So the paths of a run without a
# directory are compared as if it had worked in the directory of the other run.
_ABOUT_FILES = ("read", "edit", "write", "delete", "ls")
_CHANGING = ("edit", "write", "delete")


def lend_directories(runs: Sequence[ComparedRun], settings: Settings) -> None:
    """Let runs without a directory have the most common one of the others."""
    named = [run.recorded.run.directory for run in runs]
    directories = Counter(filter(None, named))
    if not directories:
        return
    best = min(directories, key=lambda each: (-directories[each], each))
    for run, directory in zip(runs, named, strict=True):
        if not directory and lacks_directory(run) and _spell_in(run, best, settings):
            run.lent_directory = best


def lacks_directory(run: ComparedRun) -> bool:
    """Return True for a run with paths from the root and without a directory."""
    recorded = run.recorded
    if recorded.run.directory or recorded.approved or recorded.level != "calls":
        return False
    paths = (
        call.subject if _is_about_file(call) else _entered(call)
        for call in run.all_calls
    )
    is_named = any(path[:1] == "/" or path[1:2] == ":" for path in paths)
    return is_named or _printed_directory(run) != ""


def _is_about_file(call: AlignedCall) -> bool:
    return call.recorded.kind in _ABOUT_FILES


def _entered(call: AlignedCall) -> str:
    """Return the folder into which a command changes first, or in which it runs."""
    if call.recorded.kind != "shell":
        return ""
    place = call.arguments.get("workingDirectory")
    folder, _ = led_by_directory(call.command)
    return posixpath.normpath(
        posixpath.join(place if isinstance(place, str) else "", folder) or "."
    )


def _spell_in(run: ComparedRun, directory: str, settings: Settings) -> bool:
    """Spell the strings of a run as if it had worked in a directory.

    Return False, and leave the run, if none of them holds it.
    """
    rules = Normaliser(settings, directory)
    argument_rules = ArgumentRules(settings, rules)
    for call in run.all_calls:
        forms = call.keys.forms
        effect, fragment = (
            _respelled(call.recorded, form, argument_rules) if form else None
            for form in (forms.effect, forms.fragment)
        )
        usual = effect or _respelled(call.recorded, forms.usual, argument_rules)
        forms = replace(forms, usual=usual, effect=effect, fragment=fragment)
        call.compare_by(usual, forms)
    if "cwd" not in rules.directories.used:
        return False
    run.rules = rules
    return True


def _respelled(call: RecordedCall, form: Form, rules: ArgumentRules) -> Form:
    spelled = fragment_form(call, marshal.loads(form.kept), rules)
    return replace(spelled, hits={**form.hits, **spelled.hits})


# A run names its files from the root and from its directory, or enters this one, or
# asks for it. Two checkouts are known by the files that both runs name in them: two
# runs may also have been sent to other places. It takes several files where none is
# named from the root, or where nothing else is a sign.
_SEVERAL = 2
_MOST_CANDIDATES = 50
_SEPARATORS = r"[\s\"'`;|&<>()=:,\\]+"
_RELATIVE = r"(?:\./)?([\w@+-][\w.@+-]*(?:/[\w.@+-]+)*)"
_PRINTED = r"(?<![\w./~@+-])(?![ab]/)[\w@+-][\w.@+-]*(?:/[\w.@+-]*\w)+"
# No run works here.
_OF_SYSTEM = r"/(?:(?:bin|sbin|lib\w*|etc|proc|sys|dev|boot)(?:/|$)|usr(?:/(?!src/)|$))"
_TOO_HIGH = {"/", "/home", "/Users", "/tmp", "/var", "/opt", "/mnt", "/srv", "/private"}


class _Paths(Struct):
    """The paths of a run, which show its directory."""

    changed: set[str] = set()
    """The files that it changed."""

    named: set[str] = set()
    """The files and folders that it named from the root; with those changed."""

    entered: set[str] = set()
    """The files that it named in commands that first enter a folder."""

    signs: dict[str, set[str]] = {}
    """The directories that it may have worked in, with the signs for each."""

    folders: set[str] = set()
    """The folders around all of its files."""

    @property
    def candidates(self) -> list[str]:
        """The directories that are tried, those with the most signs first."""
        best = sorted(self.signs, key=lambda each: (-len(self.signs[each]), each))
        return (best or sorted(self.folders))[:_MOST_CANDIDATES]


def _infer(one: ComparedRun, other: ComparedRun, settings: Settings) -> None:
    """Infer the directories of two runs, of which one may be known."""
    if settings.raw or _are_alike(one, other):
        return
    a, b = _paths_of(one), _paths_of(other)
    pairs = itertools.product(a.candidates, b.candidates)
    found = max(
        ((*_rank(a, b, *pair), pair) for pair in pairs if _may_be(a, b, *pair)),
        default=None,
    )
    for run, directory in zip((one, other), found[-1] if found else (), strict=False):
        if not run.recorded.run.directory and _spell_in(run, directory, settings):
            run.inferred_directory = directory


def _are_alike(one: ComparedRun, other: ComparedRun) -> bool:
    """Return True if both runs make the same calls as their paths are recorded."""
    a, b = (Counter(c.keys.arguments for c in run.all_calls) for run in (one, other))
    return a == b


def _may_be(a: _Paths, b: _Paths, one: str, other: str) -> bool:
    """Return True if two directories may be those of two runs."""
    shared = len(_below(a.named, one) & _below(b.named, other))
    if not (a.signs and b.signs):
        return shared >= _SEVERAL
    entered = _below(a.entered, one) & _below(b.entered, other)
    return shared > 0 or len(entered) >= _SEVERAL


def _rank(a: _Paths, b: _Paths, one: str, other: str) -> tuple[int, int, int, int]:
    """Return a rank: common files, then signs, then a short path."""
    return (
        len(_below(a.changed, one) & _below(b.changed, other)),
        len(_below(a.named, one) & _below(b.named, other)),
        len(a.signs.get(one, ())) + len(b.signs.get(other, ())),
        -one.count("/") - other.count("/"),
    )


def _below(paths: Iterable[str], directory: str) -> set[str]:
    """Return the paths in a directory, relative to it."""
    above = f"{directory}/"
    return {path[len(above) :] for path in paths if path.startswith(above)}


def _paths_of(run: ComparedRun) -> _Paths:
    """Return the paths of a run; of a run with a directory, this one is the sign."""
    found = _Paths()
    relative: set[str] = set()
    entered: list[str] = []
    for call in run.all_calls:
        if _is_about_file(call):
            _add(call.subject, found.named, relative)
            if call.recorded.kind in _CHANGING and call.subject[:1] == "/":
                found.changed.add(call.subject)
        elif call.recorded.kind == "shell":
            folder, words = _entered(call), compiled(_SEPARATORS).split(call.command)
            entered.append(folder)
            in_folder: set[str] = set()
            for word in words:
                _add(word, found.named, in_folder)
            found.entered |= {f"{folder}/{path}" for path in in_folder}
            relative |= in_folder
    if directory := run.recorded.run.directory:
        found.signs = {directory.rstrip("/"): {"recorded"}}
        # Its own paths have lost it.
        found.named = {f"{directory.rstrip('/')}/{path}" for path in relative}
        found.changed &= found.named
        return found
    relative |= _printed_paths(run)
    signs = [*_signs(found.named, relative), *((each, "entered") for each in entered)]
    if printed := _printed_directory(run):
        signs = [(printed, "printed")]
    for directory, sign in signs:
        if _can_be_directory(directory):
            found.signs.setdefault(directory, set()).add(sign)
    folders = [{*_around(path)} for path in found.changed]
    common = set.intersection(*folders) if folders else set()
    found.folders = {*filter(_can_be_directory, common)}
    return found


def _add(path: str, absolute: set[str], relative: set[str]) -> None:
    """Add a word of a run to its absolute or relative paths, if it may be one."""
    if path[:1] == "/":
        absolute.add(path.rstrip("/"))
    elif (match := compiled(_RELATIVE).fullmatch(path)) and {*match[1]} & {*"/."}:
        relative.add(match[1])


def _printed_paths(run: ComparedRun) -> set[str]:
    """Return the paths below a folder that its outputs and its answer name."""
    outputs = (call.recorded.output_kept for call in run.all_calls)
    texts = [printed_in(marshal.loads(kept)) for kept in outputs if kept]
    texts += (segment.text for segment in run.recorded.run.segments)
    words: set[str] = set()
    for text in texts:
        # `git diff` puts a letter before a path.
        words.update(compiled(_PRINTED).findall(text))
    return words


def _signs(named: set[str], relative: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each directory below which a run names a path in both ways."""
    for path in named:
        for directory in _around(path):
            below = path[len(directory) + 1 :]
            if below in relative:
                yield directory, below


def _around(path: str) -> Iterator[str]:
    """Yield the folders around a path, the nearest first."""
    while path := path.rpartition("/")[0]:
        yield path


def _can_be_directory(path: str) -> bool:
    is_usual = path[:1] == "/" and path not in _TOO_HIGH
    return is_usual and compiled(_OF_SYSTEM).match(path) is None


_PRINTS = r"\s*pwd(?:\s*(?:;|&&|\n)|\s*$)"


def _printed_directory(run: ComparedRun) -> str:
    """Return the directory that a first `pwd` printed; empty if there is none."""
    for call in run.all_calls:
        if call.recorded.kind == "shell":
            command = call.command
            if "pwd" in command and compiled(_PRINTS).match(command):
                kept = call.recorded.output_kept
                printed = printed_in(marshal.loads(kept)) if kept else ""
                first = printed.lstrip().partition("\n")[0].strip()
                return first if _can_be_directory(first) else ""
            if compiled(r"\b(?:cd|pushd)\b").search(command):
                break
    return ""
