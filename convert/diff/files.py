"""Comparing the net changes of two runs to files, however many steps they took."""

from __future__ import annotations

import functools
import marshal
import posixpath
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Literal

from msgspec import Struct

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.arguments import EDITS, EFFECT, arguments_in, respelled
from convert.diff.calls.trajectory import ApprovedChange, ComparedRun, Digest, digest_of
from convert.diff.noise import Normaliser, keeping, written_alike
from convert.diff.run_made_values import ValuePairs
from convert.facts.changed_files import NetChange, may_write
from convert.facts.edits import (
    ABSENT,
    UNRECORDED,
    Content,
    FileEdit,
    effect_of,
    requested_replacements,
    text_of,
)
from convert.options.settings import Settings
from convert.tools.shell import rewritten_by
from convert.tools.subjects import subject_of
from convert.tools.table import CONTENTS
from convert.wording import compiled
from convert.wording.diffs import hunks_of
from convert.wording.paths import place_of

# How the net changes of one file compare.
FileStatus = Literal[
    "same",
    "changed in both",
    "differs",
    "only in A",
    "only in B",
    "deleted in A",
    "deleted in B",
    "not recorded",
    "unknown in A",
    "unknown in B",
    "unknown in both",
]
# A file that both runs changed is no difference if its contents are not compared, or if
# commands of both may have changed it again.
NO_DIFFERENCE: tuple[FileStatus, ...] = ("same", "changed in both", "unknown in both")


# The change of a file by a run: by contents or, if the run was approved, by digests.
Change = NetChange | ApprovedChange


class FileComparison(Struct, frozen=True):
    """The comparison of the changes of two runs to one file."""

    path: str
    """The path after the rules for noise."""

    status: FileStatus
    """How the changes compare."""

    a: Change | None
    """The change of the baseline; None if it left the file as it was."""

    b: Change | None
    """The change of the candidate; None if it left the file as it was."""

    @property
    def lines(self) -> tuple[int | None, int | None]:
        """The lines in both logs where the last changes ended."""
        return self.a.line if self.a else None, self.b.line if self.b else None


def compare_files(
    a: ComparedRun, b: ComparedRun, settings: Settings, pairs: ValuePairs
) -> list[FileComparison]:
    """Compare the net changes of two runs, file by file in the order of the paths.

    A file that a run changed and then restored counts as unchanged. Values of `pairs`
    are equal.
    """
    if settings.args == "ignore":
        return []
    return [*_Comparer(a, b, settings, pairs).files()]


def compares_contents(settings: Settings) -> bool:
    """Return True if settings compare the contents of files."""
    return settings.args in ("auto", "exact") and not any(
        argument.tool.fullmatch(tool) and argument.path[0] in {EFFECT, *CONTENTS}
        for argument in arguments_in(settings.ignore_arg)
        for tool in EDITS
    )


def changed_by(call: AlignedCall) -> str:
    """Return the path of the file that a call may have changed; "" for none."""
    if call.recorded.kind not in ("edit", "write", "delete"):
        return ""
    paths = subject_of(call.recorded.kind, call.arguments).paths
    return place_of(paths[0], "").key if paths else ""


def done_to(change: Change | None) -> str:
    """Return the change of a run to a file in one word."""
    if change is None:
        return "unchanged"
    return change.status if change.status in ("new", "deleted") else "changed"


def commands_that_may_have_written(run: ComparedRun) -> list[AlignedCall]:
    """Return the commands that may have changed files; no log records which did."""
    return [
        call
        for call in run.all_calls
        if call.recorded.kind == "shell"
        and call.recorded.event
        and may_write(call.recorded.event)
    ]


def may_be_rewriting(command: str) -> bool:
    """Return True if a command may rewrite files, without parsing it."""
    for word in _NO_FILES:
        command = command.replace(word, "")
    return any(word in command for word in _REWRITING)


_Steps = dict[str, list[AlignedCall]]
# Commands, each with the paths below which it may have rewritten files.
_Rewriting = list[tuple[AlignedCall, list[str]]]
# A parser examines only the commands that hold one of these: programs that rewrite
# files, redirections, and calls in code.
_REWRITING = (
    *("git", "rm", "sed", "mv", "cp", "perl", "ruby", "tee", "truncate", "shred"),
    *("unlink", "patch", "fmt", "format", "black", "isort", "autopep8", "biome"),
    *("eslint", "goimports", "prettier", "rubocop", "ruff", "stylelint", "yapf"),
    *(">", "open(", "write", "shutil", "remove", "rename", "delete"),
)
# Without these, a `>` redirects an output into a file.
_NO_FILES = ("2>&1", ">/dev/null", "> /dev/null", "=>", "->")
# A text after the rules, or its digest; None if it is not recorded.
KnownText = str | Digest | None


class _Comparer:
    """Compares the net changes of two runs."""

    def __init__(
        self, a: ComparedRun, b: ComparedRun, settings: Settings, pairs: ValuePairs
    ) -> None:
        self._a, self._b = a, b
        self._has_contents = compares_contents(settings)
        self._pairs = pairs
        # The names of files in the baseline, by those that either run has for them,
        # and the names in the candidate.
        self._names: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self._own_names: dict[str, str] = {}

    @functools.cached_property
    def _steps(self) -> tuple[_Steps, _Steps]:
        """The calls of both runs that may have changed a file, by its path."""
        return (
            self._steps_of(self._a, is_baseline=True),
            self._steps_of(self._b, is_baseline=False),
        )

    def files(self) -> Iterator[FileComparison]:
        """Compare the changes of each file."""
        ones = dict(self._changed(self._a, is_baseline=True))
        others = dict(self._changed(self._b, is_baseline=False))
        self._name_alike(ones, others)
        for path in sorted({*ones, *others}):
            one, other = ones.get(path), others.get(path)
            status = self._status(path, one, other)
            if status in NO_DIFFERENCE:
                status = self._unless_rewritten(path, status)
            yield FileComparison(path, status, one, other)

    def _name_alike(self, ones: dict[str, Change], others: dict[str, Change]) -> None:
        """Give one name to a file that is inside the directory of one run only."""
        rules, other_rules = self._a.rules, self._b.rules
        if rules.directories.is_like(other_rules.directories):
            return
        places = {
            _full(self._b, others[path]): path for path in others.keys() - ones.keys()
        }
        for path in ones.keys() - others.keys():
            full = _full(self._a, ones[path])
            if full in places:
                others[path] = others.pop(places[full])
                self._own_names[path] = places[full]
                # A call that both logs write alike keeps its path.
                self._names[0][full] = self._names[1][full] = path
                self._names[1][places[full]] = path

    def _unless_rewritten(self, path: str, status: FileStatus) -> FileStatus:
        """Return how a file compares that commands may have changed again."""
        names = path, self._own_names.get(path, path)
        a, b = (
            any(
                command.recorded.ends > self._last_start(steps, path)
                and any(_is_below(name, each) for each in paths)
                for command, paths in rewriting
            )
            for name, steps, rewriting in zip(
                names, self._steps, self._rewriting, strict=True
            )
        )
        if a and b:
            return "unknown in both"
        return "unknown in A" if a else "unknown in B" if b else status

    @staticmethod
    def _last_start(steps: _Steps, path: str) -> float:
        """Return the place where the last change of a file started."""
        # The changes of a call are under one name, although it may change more files.
        calls = steps.get(path) or [call for calls in steps.values() for call in calls]
        last = max(calls, key=lambda call: call.recorded.ends, default=None)
        return last.recorded.starts if last else 0

    @functools.cached_property
    def _rewriting(self) -> tuple[_Rewriting, _Rewriting]:
        """The commands of both runs that may have rewritten files."""
        return (
            [*self._rewriting_of(self._a, is_baseline=True)],
            [*self._rewriting_of(self._b, is_baseline=False)],
        )

    def _rewriting_of(
        self, run: ComparedRun, is_baseline: bool
    ) -> Iterator[tuple[AlignedCall, list[str]]]:
        commands = [
            call
            for call in run.all_calls
            if call.recorded.kind == "shell" and call.recorded.outcome != "rejected"
        ]
        # A stash that is taken back leaves the files as they were.
        restored = [
            any(word in call.command for word in ("stash pop", "stash apply"))
            for call in commands
        ]
        for place, call in enumerate(commands):
            command = call.recorded.command
            if not may_be_rewriting(command) or (
                "stash" in command and any(restored[place:])
            ):
                continue
            if not call.recorded.acts:
                continue
            folder = call.recorded.recorded_arguments.get("workingDirectory")
            folder = folder if isinstance(folder, str) else ""
            keys = []
            for path in rewritten_by(command):
                name = run.rules.path(posixpath.join(folder, path))
                keys.append(self._pairs.named(place_of(name, "").key, is_baseline))
            if keys:
                yield call, keys

    def _status(
        self, path: str, one: Change | None, other: Change | None
    ) -> FileStatus:
        if one and other:
            return self._status_of_both(path, one, other)
        # A call that never ended may have changed the file anyway.
        tried = self._steps[1 if one else 0].get(path, [])
        if any(call.recorded.outcome == "unfinished" for call in tried):
            return "not recorded"
        if done_to(one or other) == "deleted":
            return "deleted in A" if one else "deleted in B"
        return "only in A" if one else "only in B"

    def _status_of_both(self, path: str, one: Change, other: Change) -> FileStatus:
        if (one.after is ABSENT) != (other.after is ABSENT):
            return "deleted in A" if one.after is ABSENT else "deleted in B"
        if not self._has_contents:
            return "changed in both"
        if UNRECORDED in (one.after, other.after):
            one_steps, other_steps = (steps.get(path, []) for steps in self._steps)
            return _status_by_steps(one_steps, other_steps)
        if self._is_same(one.after, other.after):
            return "same"
        if self._is_same(one.before, other.before):
            return "differs"
        with self._as_written([one.before, one.after], [other.before, other.after]):
            is_same = self._is_same_text(_effect(one, self._a), _effect(other, self._b))
        return "same" if is_same else "differs"

    def _is_same(self, one: Content | Digest, other: Content | Digest) -> bool:
        if isinstance(one, str) and one == other:
            return True
        with self._as_written([one], [other]):
            return self._is_same_text(_spelled(one, self._a), _spelled(other, self._b))

    def _as_written(
        self, ones: list[Content | Digest], others: list[Content | Digest]
    ) -> AbstractContextManager[None]:
        """Leave the paths in the contents of both runs as they are written."""
        one, other = (
            "\n".join(each for each in contents if isinstance(each, str))
            for contents in (ones, others)
        )
        rules, other_rules = self._a.rules, self._b.rules
        paths = written_alike(rules, one, other_rules, other)
        return keeping(paths, rules, other_rules)

    def _is_same_text(self, one: KnownText, other: KnownText) -> bool:
        """Return True if two texts are recorded, and equal but for paired values."""
        if one is None or other is None:
            return False
        if one == other:
            return True
        if isinstance(one, str) and isinstance(other, str):
            self._pairs.admit_texts(one, other)
        if isinstance(one, str):
            one = self._pairs.named(one, is_baseline=True)
        if isinstance(other, str):
            other = self._pairs.named(other, is_baseline=False)
        if type(one) is not type(other):
            one, other = (
                digest_of(each) if isinstance(each, str) else each
                for each in (one, other)
            )
        return one == other

    def _changed(
        self, run: ComparedRun, is_baseline: bool
    ) -> Iterator[tuple[str, Change]]:
        for change in run.recorded.net_changes:
            if change.status != "same":
                yield self._named(named_file(run, change), is_baseline), change

    def _steps_of(self, run: ComparedRun, is_baseline: bool) -> _Steps:
        steps: _Steps = {}
        for call in run.all_calls:
            if path := changed_by(call):
                steps.setdefault(self._named(path, is_baseline), []).append(call)
        return steps

    def _named(self, path: str, is_baseline: bool) -> str:
        named = self._pairs.named(path, is_baseline)
        return self._names[not is_baseline].get(named, named)


def _is_below(path: str, folder: str) -> bool:
    """Return True if a file is a path, or below it; a pattern ends the path."""
    folder, *pattern = compiled(r"[*?\[{]").split(folder, maxsplit=1)
    if pattern:
        return path.startswith(folder)
    return folder in (".", path) or path.startswith(f"{folder}/")


def _full(run: ComparedRun, change: Change) -> str:
    """Return the path of a change from the root, if that is known.

    One of Windows has small letters, so others do here.
    """
    return place_of(change.path, run.recorded.run.directory).key.lower()


def named_file(run: ComparedRun, change: Change) -> str:
    """Return the path of a change by one spelling, the same in both runs."""
    name = change.path
    if not isinstance(change, ApprovedChange):
        name = run.rules.path(change.name or name)
    return place_of(name, "").key


def effect_text(change: NetChange, rules: Normaliser) -> str | None:
    """Return the net change of a run to a file; None if it is not recorded."""
    effect = effect_of(FileEdit(change.path, change.before, change.after))
    return None if effect is None else respelled(effect, rules.content)


def _spelled(content: Content | Digest, run: ComparedRun) -> KnownText:
    """Return a content after the rules; None for one that is not recorded."""
    if isinstance(content, Digest):
        return content
    text = text_of(content)
    return None if text is None else run.rules.content(text)


def _effect(change: Change, run: ComparedRun) -> KnownText:
    if isinstance(change, ApprovedChange):
        return change.effect
    return effect_text(change, run.rules)


def _status_by_steps(steps: list[AlignedCall], others: list[AlignedCall]) -> FileStatus:
    """Return how the single changes of a file compare, in order.

    They decide where contents are not recorded. For two agents, only removed and added
    lines count, since each agent shows another context.
    """
    one, other = (
        [call for call in calls if call.recorded.outcome == "ok"]
        for calls in (steps, others)
    )
    if any(call.keys.manner.how != "exact" for call in (*one, *other)):
        return _status_of_lines(one, other)
    keys, other_keys = ([call.keys.arguments for call in of] for of in (one, other))
    return "same" if keys == other_keys else "not recorded"


# Two agents show other lines around a change, or only the text that an edit replaced.
# So only the removed and the added lines can be the same.
class _Lines(Struct, frozen=True):
    """The changed lines of an edit."""

    marked: list[str]
    """The lines with their marks."""

    may_be_parts: bool
    """The text that was replaced may begin and end inside a line."""

    def text(self, mark: str) -> str:
        """Return the lines with a mark, without it."""
        return "\n".join(line[1:] for line in self.marked if line[0] == mark)


def _status_of_lines(a: list[AlignedCall], b: list[AlignedCall]) -> FileStatus:
    """Return how the lines compare that edits of a file changed."""
    ones, others = [*map(_lines_of, a)], [*map(_lines_of, b)]
    if None in (*ones, *others):
        return "not recorded"
    lines, other_lines = ([each.marked for each in of if each] for of in (ones, others))
    if lines == other_lines:
        return "same"
    match ones, others:
        case [_Lines() as one], [_Lines() as other] if not _may_be_same(one, other):
            return "differs"
    return "not recorded"


def _may_be_same(one: _Lines, other: _Lines) -> bool:
    """Return True if the parts of lines that one edit changed are in the other's."""
    return any(
        parts.may_be_parts
        and all(parts.text(mark) in lines.text(mark) for mark in "-+")
        for parts, lines in ((one, other), (other, one))
    )


def _lines_of(call: AlignedCall) -> _Lines | None:
    """Return the lines that an edit removed and added; None if not recorded."""
    form = call.keys.forms.effect
    if form is None:
        pairs = requested_replacements(call.arguments)
        if pairs is None or any(pair.is_everywhere for pair in pairs):
            # Such a text may appear in several places.
            return None
        hunks = (hunk for pair in pairs for hunk in hunks_of(pair.old, pair.new))
        lines = [line for hunk in hunks for line in _marked(hunk.body)]
        return _Lines(lines, may_be_parts=True) if lines else None
    effect = marshal.loads(form.kept).get(EFFECT)
    if not isinstance(effect, str):
        return None
    return _Lines(_marked(effect), may_be_parts=False)


def _marked(body: str) -> list[str]:
    return [line for line in body.split("\n") if line[:1] in ("-", "+") and line]
