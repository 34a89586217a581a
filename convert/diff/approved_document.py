"""trajectory: approved runs as JSON, with one line for each call, file and mark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import NODEFAULT

from convert.diff.collect import collect
from convert.diff.settings import check_names, noise_of
from convert.errors import NoResultError, Warn
from convert.model.approved import (
    ApprovedCall,
    ApprovedMember,
    ApprovedRun,
    ApprovedSettings,
)
from convert.model.events import Event
from convert.options import Options
from convert.options.settings import Settings
from convert.source.ndjson import fields_of
from convert.tools.table import kind_in, tool_of
from convert.wording.escapes import escape_controls_in_json
from convert.write.trajectory import VERSION

if TYPE_CHECKING:
    from convert.diff.trajectory import Trajectory
    from convert.options.settings import Settings


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write all runs of a log as one document, when it ends.

    Raises NoResultError for a run that did not succeed, unless `partial` asks for it.
    """
    settings = Settings(
        ignore_arg=options.ignore_arg,
        keep_arg=options.keep_arg,
        scrub=options.scrub,
        raw=options.raw,
    )
    runs = sorted(collect(events, settings), key=lambda run: run.run.number)
    yield document(runs, settings, is_partial=options.partial)


def document(
    runs: list[Trajectory], settings: Settings, *, is_partial: bool = False
) -> bytes:
    """Return the runs of a log as one document.

    Raises NoResultError for a run that did not succeed, unless `is_partial`.
    """
    from convert.diff.approving import approved

    check_names(settings, runs)
    made_with = noise_of(settings)
    for run in runs:
        if run.approved is not None:
            made_with = run.approved.settings
    kept = [approved(run, settings) for run in runs]
    if not is_partial:
        _refuse_failures(kept)
    return laid_out(kept, made_with)


def _refuse_failures(runs: list[ApprovedRun]) -> None:
    """Raise NoResultError if a run is no example for others."""
    for number, run in enumerate(runs, 1):
        if run.state in (None, "success"):
            continue
        which = "the run" if len(runs) == 1 else f"run {number}"
        ended = {
            "error": "ended in an error",
            "cut": "breaks off before its result",
            "unfinished": "breaks off during a call",
        }[run.state]
        raise NoResultError(
            f"{which} {ended}, so it is no trajectory to approve;"
            " --partial writes it all the same"
        )


_STEP = "  "
# The infinite numbers of Python, and the strings that may hold such words.
_INFINITE = re.compile(r'("(?:[^"\\]|\\.)*")|(-?)Infinity')
_HALF_EMOJI = re.compile("[\ud800-\udfff]")


def laid_out(runs: list[ApprovedRun], settings: ApprovedSettings) -> bytes:
    """Return approved runs, and the settings that they were made with, as JSON."""
    text = escape_controls_in_json(f"{_document(runs, settings)}\n")
    # Half an emoji has no bytes.
    text = _HALF_EMOJI.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return text.encode()


def _document(runs: list[ApprovedRun], settings: ApprovedSettings) -> str:
    members = [f'"trajectory": {VERSION}']
    if made_with := dict(_members(settings)):
        members.append(f'"settings": {_inline(made_with)}')
    members.append(f'"runs": {_block("[", (_run(run) for run in runs), "]", 1)}')
    return _block("{", members, "}", 0)


def _run(run: ApprovedRun) -> str:
    members = []
    for name, value in _members(run):
        match name, value:
            case "calls", _:
                shown = _block("[", (_call(call, 4) for call in value), "]", 3)
            case "files", _:
                shown = _block("[", (_inline(dict(_members(f))) for f in value), "]", 3)
            case "made", _:
                pairs = (
                    f"{_inline(mark)}: {_inline(dict(_members(of)))}"
                    for mark, of in value.items()
                )
                shown = _block("{", pairs, "}", 3)
            case _, list():
                shown = _block("[", map(_inline, value), "]", 3)
            case _:
                shown = _inline(value)
        members.append(f'"{name}": {shown}')
    return _block("{", members, "}", 2)


def _call(call: ApprovedCall, depth: int) -> str:
    """Return a call on one line; each call inside it has a line of its own."""
    members = []
    for name, value in _members(call):
        match name:
            case "arguments":
                shown = _inline(_subject_first(call))
            case "tests":
                shown = _inline(dict(_members(value)))
            case "calls":
                inside = (_call(each, depth + 1) for each in value)
                shown = _block("[", inside, "]", depth)
            case _:
                shown = _inline(value)
        members.append(f'"{name}": {shown}')
    return f"{{{', '.join(members)}}}"


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
    """Return the arguments, those first that say what the call is about."""
    subject = tool_of(call.kind or kind_in(call.tool)).subject
    names = subject.words + subject.paths if subject else ()
    first = {name: call.arguments[name] for name in names if name in call.arguments}
    return first | {n: v for n, v in call.arguments.items() if n not in first}


def _inline(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    if "Infinity" in text:
        # JSON has no other word for a number that is too large.
        text = _INFINITE.sub(lambda m: m[1] or f"{m[2]}1e999", text)
    return text


def _block(begin: str, parts: Iterable[str], end: str, depth: int) -> str:
    """Return an array or an object with a line for each part."""
    inner = _STEP * (depth + 1)
    lines = ",\n".join(inner + part for part in parts)
    return f"{begin}\n{lines}\n{_STEP * depth}{end}" if lines else begin + end
