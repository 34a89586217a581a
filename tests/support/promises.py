"""Properties of every conversion: no traceback, no hang, no broken output."""

from __future__ import annotations

import importlib
import json
import pkgutil
import random
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import convert
from convert.errors import ignore, warning
from convert.formats import readers, writers
from convert.options import Reading
from convert.pipeline import Log, recognised
from convert.source import BRACKET_BYTES
from convert.tools import LANGUAGES
from support.conversions import lines_of_text
from support.promises_of_diff import comparison
from support.trial import CONTROL, BrokenError, Trial, from_deep_stack, stack

# A caller may have as many frames of its own. They leave no room to load modules, so
# all are loaded before.
_DEEP = 900
for _module in pkgutil.walk_packages(convert.__path__, "convert."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)
# The most frames that a conversion has itself, with room for those of other Pythons.
_OWN_FRAMES = 100
_GLUED = re.compile(rb"\}[ \t\r\0,]*(?:\x1b\[[0-9;]*[mK])*[ \t\r\0,]*\{")
NUMBER = re.compile(r"\d+")
# Where a page gives the line of a call.
_LINE_OF_LOG = re.compile(rb"Line [\d,]+ of the log")


class Outcome(NamedTuple):
    """The output of a conversion, the error that stopped it, and its warnings."""

    written: bytes
    error: str | None
    warnings: list[tuple[int | None, str]]


def trials(dice: random.Random, other: bytes) -> Iterator[Trial]:
    """Yield the trials for one log: each target, and sometimes a comparison."""
    again = dice.choice([*writers()])
    for target in writers():
        yield _conversion(target, target == again, dice)
    if dice.random() < 0.25:
        yield comparison(other, dice)


def _conversion(target: str, is_repeated: bool, dice: random.Random) -> Trial:
    """Convert a log in pieces, and if `is_repeated`, again in other pieces."""
    options = _options(dice)
    sizes = dice.sample([1, 5, 60, 1000, 20_000, 1 << 20], k=2)
    seed = dice.random()
    frames = dice.choice([0] * 9 + [_DEEP])

    def run(log: bytes) -> None:
        from_deep_stack(frames - stack(), lambda: check_all(log))

    def check_all(log: bytes) -> None:
        ways = [_pieces(log, size, random.Random(seed)) for size in sizes]
        outcome = converted(ways[0], target, options)
        if is_repeated:
            again = converted(ways[1], target, options)
            _check_same(ways, outcome, again, options, max(frames, stack()))
        check_conversion(target, ways[0], outcome, options)

    words = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return Trial(
        f"convert to {target}, {words}, pieces of {sizes}, seed {seed}, stack {frames}",
        run,
    )


def check_conversion(
    target: str, log: list[bytes], outcome: Outcome, options: dict[str, Any]
) -> None:
    """Check the promises about the format of an output."""
    if writers()[target].shown_as == "text":
        _check_utf8(target, outcome)
    if check := _CHECKS.get(target):
        check(log, outcome, options)


def _options(dice: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {
        name: True
        for name in ("detail", "answer", "partial", "thinking", "front_matter")
        if dice.random() < 0.4
    }
    rare: dict[str, list[Any]] = {
        "format": [*readers()],
        "language": sorted(LANGUAGES),
        "run": [1, 2, -1, -2, 99],
        "tool_output": ["none", "full"],
        "max_bytes": [4096, 5000, 65536],
        "reading": [
            Reading(max_line=dice.choice([20, 300, 2000])),
            Reading(max_input=dice.choice([100, 3000])),
            Reading(redact=True),
            Reading(
                redact=True, redact_patterns=(r"[a-z]{3}\d+", r"\w{1,20}@", r'"[:,]"')
            ),
        ],
    }
    for name, values in rare.items():
        if dice.random() < 0.2:
            options[name] = dice.choice(values)
    return options


def _pieces(log: bytes, most: int, dice: random.Random) -> list[bytes]:
    """Cut a log into pieces of up to `most` bytes, but not into too many."""
    most = max(most, len(log) // 30)
    pieces = []
    at = 0
    while at < len(log):
        end = at + dice.randint(0, most)
        pieces.append(log[at:end])
        at = end
    return pieces


def converted(log: Log, to: str, options: dict[str, Any]) -> Outcome:
    """Convert a log; return all that a caller sees of it."""
    written = []
    error = None
    warnings: list[tuple[int | None, str]] = []

    def warn(line: int | None, reason: str, action: str) -> None:
        warnings.append((line, warning(reason, action)))

    try:
        written += convert.convert(log, to, warn=warn, **options)
    except convert.RunconvError as stopped:
        error = f"{stopped.line}: {stopped.message}"
    # The pieces decide how far is read ahead, and so the order of the warnings.
    return Outcome(b"".join(written), error, sorted(warnings, key=str))


def has_glued_events(log: bytes) -> bool:
    """Return True if a line may hold two events.

    They may make up for an empty line in a block. Then the block is taken for one event
    a line: its lines have other numbers, and a line that is not read is not looked at.
    """
    return _GLUED.search(log) is not None


def is_nested_to_the_limit(log: bytes, frames: int) -> bool:
    """Return True if a value in a line may be as deep as can just be decoded.

    Each frame of the caller takes a level from that, and the pieces of a log decide how
    many frames the conversion has itself.
    """
    decoded = sys.getrecursionlimit() - frames - _OWN_FRAMES
    return any(_depth(line) > decoded for line in log.splitlines())


def _depth(line: bytes) -> int:
    depth = deepest = 0
    for token in BRACKET_BYTES.finditer(line):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        deepest = max(deepest, depth)
    return deepest


def is_alike(one: Outcome, other: Outcome) -> bool:
    """Return True if outcomes differ only in numbers of lines and in warnings."""
    return without_numbers(one) == without_numbers(other)


def without_numbers(outcome: Outcome) -> tuple[bytes, str]:
    """Return an output and an error in which no lines are numbered."""
    written = _LINE_OF_LOG.sub(b"", outcome.written)
    return written, NUMBER.sub("", outcome.error or "")


def _check_same(
    ways: list[list[bytes]],
    one: Outcome,
    other: Outcome,
    options: dict[str, Any],
    frames: int,
) -> None:
    """Check that the size of the pieces makes no difference."""
    log = b"".join(ways[0])
    if one == other or (has_glued_events(log) and is_alike(one, other)):
        return
    if is_nested_to_the_limit(log, frames):
        return
    what = "warnings"
    if len({_format(pieces, options) for pieces in ways}) > 1:
        what = "format"
    elif (one.written, one.error) != (other.written, other.error):
        what = "output"
    raise BrokenError(f"other pieces of a log change the {what}")


def _format(pieces: list[bytes], options: dict[str, Any]) -> str:
    reading = options.get("reading", Reading())
    try:
        return recognised(pieces, options.get("format", "auto"), reading, ignore)[
            0
        ].read.__module__
    except convert.RunconvError as error:
        return error.message


def _check_utf8(target: str, outcome: Outcome) -> None:
    try:
        outcome.written.decode()
    except UnicodeDecodeError as error:
        raise BrokenError(f"{target}: invalid UTF-8") from error


def _check_text(log: list[bytes], outcome: Outcome, options: dict[str, Any]) -> None:
    """Check that each call has one line, without control characters."""
    if "answer" in options:
        return
    if CONTROL.search(outcome.written.decode()):
        raise BrokenError("text: a control character in a line")
    if "run" not in options and outcome.error is None:
        read = {k: v for k, v in options.items() if k in ("format", "reading")}
        lines = sum(map(lines_of_text, convert.read_runs(log, **read)))
        if outcome.written.count(b"\n") != lines:
            raise BrokenError("text: not one line for each call and failed run")


def _check_stream(log: list[bytes], outcome: Outcome, options: dict[str, Any]) -> None:
    """Check that each line is an event, and that reading them again changes nothing."""
    written = outcome.written
    if not all(map(_is_event, _lines(written))):
        raise BrokenError("stream-json: a line that is no event")
    # After lines of one copy are lost, the next reading may drop another copy.
    is_doubled = any(
        message.startswith("every line appears twice")
        for _, message in outcome.warnings
    )
    if written and not is_doubled:
        again = converted([written], "stream-json", {"format": "stream-json"})
        if again.written != written:
            raise BrokenError("stream-json: changes when it is read again")


def _lines(written: bytes) -> list[bytes]:
    return written.removesuffix(b"\n").split(b"\n") if written else []


def _is_event(line: bytes) -> bool:
    try:
        value = json.loads(line, parse_int=str)
    except RecursionError:
        return True
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _check_json(log: list[bytes], outcome: Outcome, options: dict[str, Any]) -> None:
    if not all(map(_is_event, _lines(outcome.written))):
        raise BrokenError("json: a line that is no result")


def _check_markdown(
    log: list[bytes], outcome: Outcome, options: dict[str, Any]
) -> None:
    if CONTROL.search(outcome.written.decode()):
        raise BrokenError("markdown: a control character")
    most = options.get("max_bytes")
    if most is not None and len(outcome.written) > most:
        raise BrokenError("markdown: longer than max_bytes")


_CHECKS = {
    "text": _check_text,
    "stream-json": _check_stream,
    "json": _check_json,
    "markdown": _check_markdown,
}
