"""A run as it is approved, and the bytes of its document."""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from msgspec import NODEFAULT
from msgspec.structs import asdict

from convert.diff.approved.reading import (
    failure_of,
    has_changed,
    set_orders,
)
from convert.diff.calls.aligned_call import SHORT_KEY
from convert.diff.calls.outputs import strings_in
from convert.diff.calls.recorded_call import (
    RecordedCall,
    command_in,
    numbered,
    with_command,
)
from convert.diff.calls.trajectory import Trajectory, compared_run, digest_of
from convert.diff.checked_settings import check_names
from convert.diff.files import effect_text
from convert.diff.noise import NEWEST_RULES
from convert.diff.noise_values import (
    ANY_MARK,
    LONGEST,
    Value,
    parseable,
)
from convert.diff.seen_values import SeenValues, whole
from convert.diff.texts import has_final_text
from convert.errors import NoResultError
from convert.facts.changed_files import NetChange, acts
from convert.facts.edits import Content, text_of
from convert.facts.failed_calls import FAILED
from convert.facts.run_reasons import kind_of
from convert.model.approved import (
    ApprovedCall,
    ApprovedFile,
    ApprovedMember,
    ApprovedRun,
    ApprovedSettings,
    ApprovedTests,
    MadeValue,
)
from convert.options.settings import Settings
from convert.source.ndjson import fields_of
from convert.tools.table import kind_in, tool_of
from convert.wording.escapes import escape_controls_in_json
from convert.wording.paths import place_of
from convert.write.trajectory import VERSION


def approved(run: Trajectory, settings: Settings) -> ApprovedRun:
    """Return the run of a log as it is approved with these settings."""
    if run.approved is not None:
        return run.approved.approved
    return _Approving(run, settings).approved()


class _Approving:
    """Turns the trajectory of a log into an approved run."""

    def __init__(self, run: Trajectory, settings: Settings) -> None:
        self._run = run
        self._rules = run.normaliser
        self._seen = SeenValues(compared_run(run))
        self._calls = numbered(run.calls)
        self._has_text = has_final_text(run)
        prompt = "\n".join(run.run.prompts)
        said = [run.run.text or "", run.run.answer or ""]
        texts = [self._rules.text(text) for text in [prompt, *said]]
        texts += [change.path for change in run.net_changes]
        self._marks = Marks(run, self._seen, texts, settings.raw)

    def approved(self) -> ApprovedRun:
        """Return the run; the values of its calls are paired first."""
        run = self._run.run
        kept = ApprovedRun(level=self._run.level, agent=run.agent, state=run.state)
        flat = [self._call(call) for _, call, _ in self._calls]
        set_orders(self._calls, flat)
        for (_, _, around), call in zip(self._calls, flat, strict=True):
            calls = kept.calls if around < 0 else flat[around].calls
            calls.append(call)
        files = (each for each in self._run.net_changes if isinstance(each, NetChange))
        changed = (self._file(each) for each in files if each.status != "same")
        kept.files = sorted(changed, key=lambda file: file.path)
        if run.prompts:
            kept.prompt = self._lines("\n".join(run.prompts))
        if self._has_text and run.text is not None:
            self._set_texts(kept)
        if self._run.is_failure_message:
            kept.reason = run.reason
        if run.reason_kind != kind_of(run.state, kept.reason):
            kept.reason_kind = run.reason_kind
        names = {id(call): name for name, call, _ in self._calls}
        kept.made = {
            mark: self._made(value, names) for value, mark in self._marks.known.items()
        }
        return kept

    def _call(self, call: RecordedCall) -> ApprovedCall:
        event = call.event
        said = event.outcome if event and self._run.level == "text" else None
        kept = ApprovedCall(
            tool=call.tool,
            kind="" if kind_in(call.tool) == call.kind else call.kind,
            outcome=call.outcome,
            about=event.about if event and not event.arguments else "",
            message=said.message if said else "",
            new=event.is_new_file if event else False,
        )
        self._set_arguments(kept, call)
        is_change = has_changed(call.kind, call.outcome, kept.arguments)
        if is_change != call.changes_files:
            kept.changes = call.changes_files
        if call.kind == "shell":
            self._set_facts_of_command(kept, call)
        return kept

    def _set_arguments(self, kept: ApprovedCall, call: RecordedCall) -> None:
        kept.arguments = self._marks.in_value(call.arguments)
        fragment = call.forms.fragment
        if fragment is not None and not any(
            self._marks.has_made_in(text) for _, text in strings_in(fragment.kept)
        ):
            kept.fragment = fragment.key[:SHORT_KEY].hex()

    def _set_facts_of_command(self, kept: ApprovedCall, call: RecordedCall) -> None:
        """Set the facts that the command or its output shows, but no mark."""
        command = parseable(command_in(kept.arguments), {*self._marks.known.values()})
        if command != call.recorded_command:
            may_act = acts("shell", with_command(command))
            kept.acts = None if may_act == call.acts else call.acts
        has_failed = call.failure in FAILED
        if has_failed != (failure_of("shell", command, call.outcome) in FAILED):
            kept.failed = has_failed
        if tests := call.counted_tests:
            kept.tests = ApprovedTests(**asdict(tests))

    def _file(self, change: NetChange) -> ApprovedFile:
        path = self._rules.path(change.name or change.path)
        file = ApprovedFile(
            path=place_of(self._marks.in_text(path), "").key,
            status="changed" if change.status == "same" else change.status,
            before=self._digest(change.before),
            after=self._digest(change.after),
        )
        if change.status == "changed":
            effect = effect_text(change, self._run.normaliser) or ""
            file.effect = digest_of(self._marks.known_in(effect)).text
        return file

    def _digest(self, content: Content) -> str:
        if not isinstance(content, str):
            return ""
        text = self._rules.content(text_of(content) or "")
        return digest_of(self._marks.known_in(text)).text

    def _set_texts(self, kept: ApprovedRun) -> None:
        """Set the final text: as narration and answer, if it consists of these."""
        run = self._run.run
        whole, answer = run.text or "", run.answer or ""
        if self._run.level == "text":
            whole = answer = answer.removesuffix("\n")
        elif not run.segments:
            kept.text = self._lines(whole)
            return
        if run.ends_in_call and run.state is None:
            kept.narration = self._lines(whole)
            return
        before, found, after = whole.rpartition(answer) if answer else (whole, "", "")
        is_joined = whole in ("".join(run.texts), answer)
        if whole != answer and (not found or after.strip() or not is_joined):
            kept.text, kept.answer = self._lines(whole), self._lines(answer)
            return
        kept.answer = self._lines(answer)
        if before:
            kept.narration = self._lines(before)
        parts = "\n".join(kept.narration) + "\n".join(kept.answer)
        if _spaced(parts) != _spaced("\n".join(self._lines(whole))):
            # A rule reads across the two.
            kept.narration, kept.text = [], self._lines(whole)

    def _lines(self, text: str) -> list[str]:
        """Return the lines of a text after all rules.

        White space stays if that makes no difference, since lines are easier to read.
        """
        ruled = self._marks.in_text(self._rules.text(text))
        plain = self._marks.in_text(self._rules.prose(text))
        return (ruled if _spaced(ruled) == _spaced(plain) else plain).split("\n")

    def _made(self, value: Value, names: dict[int, str]) -> MadeValue:
        """Return where a value was seen first, by the names of calls."""
        place = self._seen.place(value)
        if place is None:
            return MadeValue()
        return MadeValue(
            call=names[id(place.call)], around=place.context, ordinal=place.ordinal
        )


def _spaced(text: str) -> str:
    return " ".join(text.split())


# A number is skipped if a text of the run literally holds a mark with it, so that no
# mark needs to be escaped.
class Marks:
    """The marks of one run of a log; with `is_raw`, no value is noise."""

    def __init__(
        self, run: Trajectory, seen: SeenValues, texts: Iterable[str], is_raw: bool
    ) -> None:
        self._is_raw = is_raw
        self._seen = seen
        self.known: dict[Value, str] = {}
        kept = [call.forms.usual.kept for call in run.all_calls]
        own = [text for each in kept for _, text in strings_in(each)]
        every = [*own, *texts]
        self._literal = {
            found[0] for text in every for found in ANY_MARK.finditer(text)
        }
        # Texts in which nothing is replaced.
        self._long = [text for text in every if len(text) > LONGEST]
        # The numbers that are free, by the shape of the mark.
        self._numbers: defaultdict[str, Iterator[int]] = defaultdict(
            partial(itertools.count, 1)
        )

    def in_text(self, text: str) -> str:
        """Return a text with marks for the values that the run made."""
        return self._seen.replaced(text, self._made)

    def known_in(self, text: str) -> str:
        """Return a text with the marks that are known already."""
        return self._seen.replaced(text, self.known.get)

    def in_value(self, value: Any) -> Any:
        """Return a value of JSON with marks in its strings.

        Names of members stay, if marks without their numbers would make two equal.
        """
        match value:
            case str():
                return self.in_text(value)
            case list():
                return [self.in_value(inner) for inner in value]
            case dict():
                names = [*map(self.in_text, value)]
                bare = {ANY_MARK.sub(r"<\1>", name) for name in names}
                if len(bare) < len(names):
                    names = [*value]
                members = zip(names, map(self.in_value, value.values()), strict=True)
                return dict(sorted(members, key=lambda member: member[0]))
        return value

    def has_made_in(self, text: str) -> bool:
        """Return True if a text holds a value that the run made."""
        return any(self._made(value) for value in self._seen.values_in(text))

    def _made(self, value: Value) -> str | None:
        if value in self.known:
            return self.known[value]
        if (
            self._is_raw
            or not self._seen.has_made(value)
            or any(whole(value).search(text) for text in self._long)
        ):
            return None
        return self._mark(value)

    def _mark(self, value: Value) -> str:
        if value not in self.known:
            numbers = self._numbers[value.shape]
            marks = (f"<{value.shape} {number}>" for number in numbers)
            self.known[value] = next(m for m in marks if m not in self._literal)
        return self.known[value]


def noise_of(settings: Settings) -> ApprovedSettings:
    """Return the settings for noise, which an approved run keeps."""
    return ApprovedSettings(
        ignore_arg=[*settings.ignore_arg],
        keep_arg=[*settings.keep_arg],
        scrub=[*settings.scrub],
        raw=settings.raw,
        rules=settings.rules or NEWEST_RULES,
    )


def document(
    runs: list[Trajectory],
    settings: Settings,
    *,
    is_partial: bool = False,
    advice: str = "; --partial writes it anyway",
) -> bytes:
    """Return the runs of a log as one document.

    Raises NoResultError for a run that did not succeed, with the advice, unless
    `is_partial`.
    """
    check_names(settings, runs)
    made_with = noise_of(settings)
    for run in runs:
        if run.approved is not None:
            made_with = run.approved.settings
    kept = [approved(run, settings) for run in runs]
    if not is_partial:
        _refuse_failures(kept, advice)
    return laid_out(kept, made_with)


def _refuse_failures(runs: list[ApprovedRun], advice: str) -> None:
    """Raise NoResultError for a run that did not succeed."""
    for number, run in enumerate(runs, 1):
        if run.state in (None, "success"):
            continue
        which = "the run" if len(runs) == 1 else f"run {number}"
        ended = {
            "error": "ended in an error",
            "cut": "breaks off before its result",
            "unfinished": "breaks off during a call",
        }[run.state]
        raise NoResultError(f"{which} {ended}, so it cannot be approved{advice}")


_STEP = "  "
# The infinite numbers of Python, and the strings that may hold such words.
_INFINITE = re.compile(r'("(?:[^"\\]|\\.)*")|(-?)Infinity')
_HALF_EMOJI = re.compile("[\ud800-\udfff]")


def laid_out(runs: list[ApprovedRun], settings: ApprovedSettings) -> bytes:
    """Return approved runs, and the settings that they were made with, as JSON."""
    members = [f'"trajectory": {VERSION}']
    if made_with := dict(_members(settings)):
        members.append(f'"settings": {_inline(made_with)}')
    members.append(f'"runs": {_block("[", (_run(run) for run in runs), "]", 1)}')
    text = escape_controls_in_json(f"{_block('{', members, '}', 0)}\n")
    # Half an emoji has no bytes.
    return _HALF_EMOJI.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def _run(run: ApprovedRun) -> str:
    members = (f'"{name}": {_member(name, value)}' for name, value in _members(run))
    return _block("{", members, "}", 2)


def _member(name: str, value: Any) -> str:
    """Return a member of a run."""
    match name, value:
        case "calls", _:
            return _block("[", (_call(call, 4) for call in value), "]", 3)
        case "files", _:
            files = (_inline(dict(_members(file))) for file in value)
            return _block("[", files, "]", 3)
        case "made", _:
            pairs = (
                f"{_inline(mark)}: {_inline(dict(_members(made)))}"
                for mark, made in value.items()
            )
            return _block("{", pairs, "}", 3)
        case _, list():
            return _block("[", map(_inline, value), "]", 3)
    return _inline(value)


def _call(call: ApprovedCall, depth: int) -> str:
    """Return a call on one line; each call inside it has a line of its own."""
    members = dict(_members(call))
    if call.arguments:
        members["arguments"] = _subject_first(call)
    if call.tests is not None:
        members["tests"] = dict(_members(call.tests))
    own = (item for item in members.items() if item[0] != "calls")
    parts = [f'"{name}": {_inline(value)}' for name, value in own]
    if call.calls:
        inside = (_call(each, depth + 1) for each in call.calls)
        parts.append(f'"calls": {_block("[", inside, "]", depth)}')
    return f"{{{', '.join(parts)}}}"


def _members(of: ApprovedMember) -> Iterator[tuple[str, Any]]:
    """Yield the members that do not have their defaults."""
    for field in fields_of(type(of)):
        value = getattr(of, field.name)
        default = field.default
        if field.default_factory is not NODEFAULT:
            default = field.default_factory()
        if value != default or type(value) is not type(default):
            yield field.encode_name, value


def _subject_first(call: ApprovedCall) -> dict[str, Any]:
    """Return the arguments, those of the subject first."""
    subject = tool_of(call.kind or kind_in(call.tool)).subject
    names = subject.words + subject.paths if subject else ()
    first = {name: call.arguments[name] for name in names if name in call.arguments}
    return first | call.arguments


def _inline(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    if "Infinity" in text:
        # JSON has no word for a number that is too large.
        text = _INFINITE.sub(lambda m: m[1] or f"{m[2]}1e999", text)
    return text


def _block(begin: str, parts: Iterable[str], end: str, depth: int) -> str:
    """Return an array or an object with a line for each part."""
    lines = ",\n".join(_STEP * (depth + 1) + part for part in parts)
    return f"{begin}\n{lines}\n{_STEP * depth}{end}" if lines else begin + end
