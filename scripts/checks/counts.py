"""Compares the contents of a raw log with those of each conversion of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import convert
from checks import agent_logs, raw_log, shown
from checks.raw_calls import Counted
from checks.raw_log import RawLog

# As `text` writes how a call ended, unless it succeeded.
_FAILED = ")"


def differences(log: bytes) -> list[str]:
    """Return how conversions of a log differ from it; nothing for other logs."""
    other = agent_logs.read(log)
    if other is not None:
        return list(held_against_agent(log, other))
    raw = raw_log.read(log)
    return list(held_against(log, raw)) if raw.has_stream else []


def held_against(log: bytes, raw: RawLog) -> Iterator[str]:
    """Yield how conversions of a log differ from its known contents."""
    calls = len(raw.calls) + raw.asked_alone
    lines = shown.action_lines(_converted(log, "text"))
    yield from _unequal("text", calls, len(lines))
    failed = sum(call.has_failed or not call.is_ended for call in raw.calls)
    notes = sum(line.endswith(_FAILED) for line in lines)
    if not failed <= notes <= failed + raw.asked_alone:
        yield from _unequal("text: failed calls", failed, notes)
    transcript = _converted(log, "markdown")
    yield from _unequal_in_transcript(log, calls, sum(call.steps for call in raw.calls))
    troubles = len(raw.troubles)
    if shown.troubles(transcript) < troubles:
        yield from _unequal(
            "markdown: errors and retries", troubles, shown.troubles(transcript)
        )
    words = "".join(transcript.split()).replace("\\", "")
    for message in raw.errors:
        if "".join(message.split())[:40] not in words:
            yield f"markdown: the error is missing: {message[:60]!r}"
    yield from differences_by_id(
        raw, raw_log.read(_converted(log, "stream-json").encode())
    )
    compared = convert.compare([log], [log])
    report = convert.report(compared, "json")
    steps = sum(call.steps for call in raw.calls)
    yield from _unequal("diff", calls + steps, shown.compared(report))


def _unequal_in_transcript(log: bytes, calls: int, steps: int) -> Iterator[str]:
    """Yield how many calls a transcript lacks, or shows though there are none.

    A call inside another one is one of its steps; a log may hold it in both ways.
    """
    transcript = _converted(log, "markdown", tool_output="full")
    found = len(shown.headings(transcript))
    inside = len(shown.steps(transcript))
    if inside and calls <= found + inside <= calls + steps:
        return
    yield from _unequal("markdown", calls, found)


def held_against_agent(log: bytes, held: Counted) -> Iterator[str]:
    """Yield how conversions of another agent's log differ from its contents."""
    calls = len(held.calls) - held.steps
    lines = shown.action_lines(_converted(log, "text"))
    yield from _unequal("text", calls, len(lines))
    yield from _unequal_in_transcript(log, calls, held.steps)
    compared = convert.compare([log], [log])
    if compared.level == "calls":
        count = shown.compared(convert.report(compared, "json"))
        yield from _unequal("diff", len(held.calls), count)
    answers = [run.answer or "" for run in convert.read_runs([log]) if run.result]
    for result in held.results:
        if result not in answers:
            yield f"answer: not as recorded: {result[:60]!r}"
    for result, text in zip(held.results, held.texts, strict=True):
        if text and text != result:
            yield f"the log's own texts differ from its result: {text[:60]!r}"


def differences_by_id(raw: RawLog, copy: RawLog) -> Iterator[str]:
    """Compare the calls of stream-json by their ids, tools and arguments."""
    ours = Counter(call.identity for call in copy.calls)
    theirs = Counter(call.identity for call in raw.calls)
    for identity in sorted((ours - theirs) + (theirs - ours)):
        counts = f"{theirs[identity]} in the log, {ours[identity]} in the output"
        yield f"stream-json: {identity[0]!r} {identity[1]}: {counts}"


def _unequal(what: str, recorded: int, found: int) -> Iterator[str]:
    if recorded != found:
        yield f"{what}: {recorded} in the log, {found} in the output"


def _converted(log: bytes, target: str, **options: str) -> str:
    return b"".join(convert.convert([log], target, **options)).decode()
