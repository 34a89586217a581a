"""The agent of a log: recognised by a part as by the whole, and never as another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import convert
from checks import agent_logs
from convert.cli.messages import untested_words
from convert.cursor import AGENT
from convert.formats import agents, candidates, formats
from convert.source import blocks, sniff
from support.golden import GOLDEN, logs
from support.matrix import each, matrix

OF_CURSOR = {name for name, row in formats().items() if row.agent in (AGENT, "")}
OF_OTHERS = {name for name, row in formats().items() if row.reader} - OF_CURSOR
# Logs that are read there are of Cursor, and those written of the other agent.
WRITTEN = "claude-stream-of-another-agent"
WAYS: dict[str, Callable[[bytes], bytes]] = {
    "whole": lambda log: log,
    "first line": lambda log: _first(log, 1),
    "three lines": lambda log: _first(log, 3),
    "ten lines": lambda log: _first(log, 10),
    "behind a warning": lambda log: b"Warning: 256-color support missing\n" + log,
    "with CRLF": lambda log: log.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
}
PIECES = [7, 1 << 20]


def _first(log: bytes, lines: int) -> bytes:
    return b"".join(log.splitlines(keepends=True)[:lines])


def format_named(path: Path) -> str:
    """Return the format for which the folder of a golden log is named; "" for none."""
    case = case_of(path)
    if case == WRITTEN:
        return ""
    found = (name for name in OF_OTHERS if case.startswith(f"{name}-"))
    return max(found, key=len, default="")


def case_of(path: Path) -> str:
    """Return the name of the folder of a case, in which the log may be in another."""
    return path.relative_to(GOLDEN).parts[0]


def recognised(log: bytes, size: int) -> str:
    """Return the format of a log that comes in pieces, or why it is refused."""
    pieces = [log[at : at + size] for at in range(0, len(log), size)]
    try:
        return sniff(blocks(pieces, 1 << 20), candidates(), {}, agents)[0]
    except convert.InputError as error:
        return error.message


LOGS = logs(".ndjson", ".jsonl", ".json")
# Logs of Cursor that other formats are made of are among those of others.
# A session's folder also has files that are no logs.
OTHERS = [
    log
    for log in LOGS
    if format_named(log)
    and not log.stem.startswith("cursor")
    and not log.name.endswith((".meta.json", "journal.jsonl"))
]
CURSORS = [
    log
    for log in LOGS
    if log not in OTHERS and agent_logs.read(log.read_bytes()) is None
]


@matrix(times=12, log=OTHERS, way=list(WAYS), size=PIECES)
def test_the_log_of_an_agent_is_known_by_any_beginning(
    log: Path, way: str, size: int
) -> None:
    expected = format_named(log)
    data = log.read_bytes()
    is_document = data.startswith(b"{\n")

    found = recognised(WAYS[way](data), size)

    if found == expected or (is_document and way == "behind a warning"):
        # A document that takes many lines is a file, in which nobody writes warnings.
        return
    if is_document:
        assert found.startswith("ends within its first event")
        assert way in ("first line", "three lines", "ten lines")
        return
    # One line may not be enough, but then nobody else is named.
    assert way == "first line"
    is_prose = found == "text" and not data.startswith(b"{")
    is_unsure = found not in formats() and "looks like" not in found
    assert is_prose or is_unsure or formats()[expected].agent in found


@matrix(times=12, log=CURSORS, way=list(WAYS), size=PIECES)
def test_a_log_of_cursor_is_never_taken_for_that_of_another(
    log: Path, way: str, size: int
) -> None:
    assert recognised(WAYS[way](log.read_bytes()), size) not in OF_OTHERS


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "docker": lambda line: json.dumps({"log": f"{line}\n", "stream": "stdout"}),
    "recorder": lambda line: json.dumps({"t_ms": 17, "line": line}),
    "timestamp": lambda line: f"2026-09-20T08:00:00Z {line}",
    "data": lambda line: f"data: {line}",
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize(
    "log",
    ["claude-session-bug-fix/claude.jsonl", "claude-stream-bug-fix/claude.ndjson"],
)
def test_lines_that_end_with_their_type_are_found_in_other_lines(
    log: str, wrapping: str
) -> None:
    lines = (GOLDEN / log).read_text().splitlines()
    turned = [
        json.dumps(dict(reversed(json.loads(line).items()))) for line in lines if line
    ]
    wrapped = "".join(f"{WRAPPINGS[wrapping](line)}\n" for line in turned)

    expected = b"".join(
        convert.convert("\n".join(turned).encode() + b"\n", detail=True)
    )

    warnings: list[str] = []
    found = convert.convert(
        wrapped.encode(), warn=lambda *what: warnings.append(str(what)), detail=True
    )
    assert expected.count(b"\n") > 2
    assert b"".join(found) == expected
    assert not [each for each in warnings if "skipped" in each]


def test_a_session_named_like_amps_makes_no_log_amps() -> None:
    data = (GOLDEN / "example-logs" / "baseline.ndjson").read_bytes()
    log = re.sub(rb'("session_id":\s*")[^"]*', rb"\1T-12", data)

    assert b'"T-12"' in log
    for part in (log, log.partition(b"\n")[2]):
        assert recognised(part, 1 << 20) == "stream-json"


def test_what_is_written_of_a_log_of_amp_is_stream_json() -> None:
    log = GOLDEN / "claude-stream-of-amp" / "amp.ndjson"

    written = b"".join(convert.convert(log, "stream-json"))

    assert b'"session_id":"T-' in written
    assert recognised(written, 1 << 20) == "stream-json"


@each(
    ("build", "words"),
    [
        (("Claude Code", "2.1.239"), "2.1.239 is newer than the tested 2.1.238"),
        (("Claude Code", "2.1.238"), ""),
        (("Claude Code", "2.0.9"), "2.0.9 is older than the tested 2.0.71"),
        (("Claude Code", "10.0-beta.1 (x)"), "10.0 is newer than the tested 2.1.238"),
        (("Qwen Code", "0.21.1"), "0.21.1 is newer than the tested 0.20.0"),
        (("Qwen Code", "0.20.0"), ""),
        (("Claude Code", "latest"), ""),
        (("Claude Code", f"{'9' * 10_000}.1"), ""),
        (("Amp", "99.1"), ""),
        (("Elsewhere", "99.1"), ""),
    ],
)
def test_a_build_is_named_that_is_not_tested(
    build: tuple[str, str], words: str
) -> None:
    named = untested_words([None, ("claude-stream", *build)])

    assert words in named
    assert bool(words) == bool(named)


@each(
    "log",
    [log for log in logs(".ndjson", ".jsonl") if "-bug-fix" in log.parent.name],
)
def test_the_lines_of_any_agent_are_kept_if_they_are_asked_for(log: Path) -> None:
    kept = b"".join(convert.convert(log, "stream-json", format="stream-json"))

    assert kept == log.read_bytes()
