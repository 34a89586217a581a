"""Lines that containers or a terminal have split are read as before they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.errors import Notice
from convert.source import whole_lines
from support.golden import GOLDEN
from support.matrix import part

LOGS = [
    GOLDEN / "claude-stream-bug-fix" / "claude.ndjson",
    GOLDEN / "codex-exec-bug-fix" / "codex.ndjson",
    GOLDEN / "claude-session-bug-fix" / "claude.jsonl",
    GOLDEN / "opencode-bug-fix" / "opencode.ndjson",
    GOLDEN / "lines-split-by-docker-and-kubernetes" / "clean.ndjson",
]
_NOISE = b"npm warn deprecated"


def parts(line: bytes, size: int) -> list[bytes]:
    return [line[at : at + size] for at in range(0, len(line), size)]


def by_containers(lines: list[bytes], size: int) -> bytes:
    """Split lines as Kubernetes does, with a line of standard error in each."""
    stamp = b"2026-11-20T11:31:02.1Z"
    log = []
    for line in lines:
        *first, last = parts(line, size)
        log += [b"%s stdout P %s\n" % (stamp, part) for part in first]
        log += [b"%s stderr F %s\n" % (stamp, _NOISE)]
        log += [b"%s stdout F %s\n" % (stamp, last)]
    return b"".join(log)


def by_docker(lines: list[bytes], size: int) -> bytes:
    """Split lines as Docker does, likewise; characters stay whole here."""
    log = []
    for line in lines:
        text = line.decode()
        texts = [text[at : at + size] for at in range(0, len(text), size)]
        texts[-1] += "\n"
        log += [{"log": part, "stream": "stdout"} for part in texts]
        log.insert(-1, {"log": f"{_NOISE.decode()}\n", "stream": "stderr"})
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in log)


def by_terminal(lines: list[bytes], size: int) -> bytes:
    return b"".join(part + b"\n" for line in lines for part in parts(line, size))


def transcript(pieces: list[bytes]) -> bytes:
    return b"".join(convert.convert(pieces, "markdown"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", part(LOGS, 3), ids=lambda path: path.parent.name)
@pytest.mark.parametrize("split", [by_containers, by_docker, by_terminal])
@pytest.mark.parametrize("is_live", [False, True], ids=["whole", "live"])
def test_a_log_of_split_lines_is_read_as_before(
    path: Path, split: Callable[[list[bytes], int], bytes], is_live: bool
) -> None:
    log = path.read_bytes()
    broken = split(log.splitlines(), 97)

    pieces = broken.splitlines(keepends=True) if is_live else [broken]

    assert transcript(pieces) == transcript([log])


def whole(blocks: list[bytes], longest: int = 1000) -> tuple[bytes, list[str]]:
    told: list[str] = []
    found = whole_lines(blocks, longest, lambda _, reason, __: told.append(reason))
    return b"".join(found), told


_lines = st.lists(
    st.sampled_from(
        [
            *(b'{"type":"x"}', b'{"type":"', b'{"type":"x",', b"", b"}", b'"a', b"{"),
            b"2026-11-20T11:31:02Z stdout P {",
            b"2026-11-20T11:31:02Z stderr F }",
            *(b'{"log":"a"}', b'{"log":"a\\n","stream":"stderr"}', b'{"log":7}'),
        ]
    ),
    max_size=12,
)


@given(_lines)
def test_lines_keep_their_numbers_however_they_arrive(lines: list[bytes]) -> None:
    log = b"".join(line + b"\n" for line in lines)

    found, _ = whole([log])

    assert found == whole(log.splitlines(keepends=True))[0]
    # The last line may be incomplete, and has no line feed then.
    assert len(found.splitlines()) == len(lines)


def test_what_is_held_is_bounded() -> None:
    part = b"2026-11-20T11:31:02Z stdout P " + b"x" * 100 + b"\n"

    found, told = whole([part] * 100 + [part.replace(b" P ", b" F ")])

    assert found == b"\n" * 101
    assert told == []


@pytest.mark.parametrize("torn", [b'{"type":"assistant","mess', b'{"type":"x","y":{'])
def test_a_torn_event_holds_back_no_line_after_it(torn: bytes) -> None:
    event = b'{"type":"user","message":{}}\n'

    found = whole_lines(iter([torn + b"\n", event, b"x\n"]), 1000, print)

    assert next(found) == torn + b"\n" + event


def test_text_that_is_broken_between_words_stays_broken() -> None:
    rows = [b'{"type":"user","text":"one two', b"three four", b"five six", b'seven"}']
    log = b"\n".join(rows) + b"\n"

    assert whole([log]) == (log, [])


def test_a_terminal_causes_a_notice_and_no_warning() -> None:
    _, told = whole([by_terminal([b'{"type":"user","text":"one two three four"}'], 20)])

    assert [type(reason) for reason in told] == [Notice]
