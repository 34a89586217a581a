"""The text of a run is read only where its result does not record it."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import convert
from benchmarks import logs
from convert.cursor import messages as segments
from convert.model import EndOfLog, Event, Result
from convert.options import Options, Reading
from convert.pipeline import Conversion, Log, convert_log, with_unrecorded
from convert.source import File, OpenFile, lines
from support.conversions import FEW_LOGS
from support.matrix import each, matrix, part
from support.processes import RUNCONV, environment


def line(kind: str, session: str = "s", **members: Any) -> bytes:
    return msgspec.json.encode({"type": kind, "session_id": session} | members) + b"\n"


def said(text: str, **members: Any) -> bytes:
    content = [{"type": "text", "text": text}]
    message = {"content": content}
    return line("assistant", **({"message": message, "timestamp_ms": 5} | members))


# Without it, a few lines may be those of another agent.
FACTS = {"apiKeySource": "login", "cwd": "/", "model": "m", "permissionMode": "default"}
INIT = line("system", subtype="init", **FACTS)
CALL = line("tool_call", subtype="started", call_id="1", tool_call={"readToolCall": {}})
RECORDED = line("result", subtype="success", result="kept")
MISSING = line("result", subtype="success")
ODD = [
    said("").replace(b'"text":""', b'"text":"\xff"'),
    said("").replace(b'"text":""', b'"text":"\\ud83d"'),
    said("").replace(b'"text":""', b'"text":5'),
    said("").replace(b'"type":"text"', b'"type":"tool_use"'),
    said("a", timestamp_ms="noon"),
    line("assistant", message="whole"),
    line("assistant", message={"content": [{"text": "a"}, {"type": "image"}]}),
    line("user", message={"content": []}),
    line("novelty"),
    b'{"type":"assistant","message":{"cont\n',
    said("a") * 2,
    said("a").rstrip() + said("b"),
    b"a word\n",
    b"\n",
]
PARTS = [
    *(said("one "), said("two "), said("one two "), said("")),
    said("one two ", model_call_id="m"),
    *(INIT, CALL, RECORDED, MISSING, line("result", result=None)),
    line("system", "t", subtype="init"),
    line("assistant", "t", message={"content": [{"text": "of t"}]}),
    line("result", "t"),
]


class LogNotes(msgspec.Struct):
    """All that a conversion writes and says."""

    output: bytes = b""
    warnings: list[tuple[int | None, str, str]] = []
    unknown: dict[str, int] = {}
    error: str = ""


def told(log: Log, *, redact: bool = False) -> LogNotes:
    found = LogNotes()

    def warn(*warning: Any) -> None:
        found.warnings.append(warning)

    def watch(event: Event) -> None:
        if isinstance(event, EndOfLog):
            found.unknown = event.unknown

    conversion = Conversion("auto", "json", None, Reading(redact=redact), Options())
    try:
        for piece in convert_log(log, conversion, warn, watch):
            found.output += piece
    except convert.RunconvError as error:
        found.error = str(error)
    return found


@example(parts=[said("one "), MISSING])
@example(
    parts=[
        said("one "),
        line("system", "t", subtype="init"),
        MISSING,
        line("result", "t"),
    ]
)
@given(parts=st.lists(st.sampled_from(PARTS + ODD), min_size=1, max_size=12))
def test_a_pipe_a_file_and_bytes_say_the_same(
    parts: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = INIT + b"".join(parts)
    path = tmp_path_factory.getbasetemp() / "log.ndjson"
    path.write_bytes(log)

    through_pipe = told(iter([log]))

    assert told(log) == through_pipe
    assert told(str(path)) == through_pipe
    assert told(bytes([byte]) for byte in log) == through_pipe
    assert told(gzip.compress(log)) == through_pipe


@each(("odd", "result"), itertools.product(ODD, [RECORDED, MISSING]))
def test_an_odd_line_is_told_of_though_no_text_is_kept(
    odd: bytes, result: bytes
) -> None:
    log = INIT + said("a") + odd + said("b") + result

    assert told(log) == told(iter([log]))


@matrix(path=part(FEW_LOGS, 4), result=[b"null", b'""', b"5"], times=1)
def test_golden_logs_lose_their_results_alike(path: Path, result: bytes) -> None:
    log = path.read_bytes().replace(b'"result":"', b'"result":%b,"was":"' % result)

    assert told(log) == told(iter([log]))


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that are opened to be read, in order."""
    opened: list[str] = []
    open_file = lines.open_file

    def noting(path: str, *rest: Any) -> int:
        opened.append(path)
        return open_file(path, *rest)

    monkeypatch.setattr(lines, "open_file", noting)
    return opened


@pytest.mark.parametrize("profile", logs.PROFILES, ids=lambda profile: profile.name)
def test_no_text_of_a_usual_log_is_kept(
    profile: logs.Profile,
    tmp_path: Path,
    readings: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "log.ndjson"
    logs.write(path, profile, 300_000)

    def refuse(*_: object) -> None:
        raise AssertionError("a text was kept")

    monkeypatch.setattr(segments.OpenSegment, "add", refuse)
    monkeypatch.setattr(segments.OpenSegment, "flush", refuse)

    assert told(str(path)).output.startswith(b'{"type":"result",')
    assert readings == [str(path)]


def test_a_file_is_read_again_once_however_many_results_lack_a_text(
    tmp_path: Path, readings: list[str]
) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes((said("one ") + MISSING + said("two ") + RECORDED) * 2 + b"{")

    results = [
        msgspec.json.decode(row)["result"]
        for row in told(str(path)).output.splitlines()
    ]

    assert results == ["one ", "kept", "one ", "kept"]
    assert readings == [str(path)] * 2


def test_a_run_without_a_result_does_not_cause_a_second_reading(
    tmp_path: Path, readings: list[str]
) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(said("one "))

    assert "without a result" in told(str(path)).error
    assert readings == [str(path)]


def test_standard_input_that_is_a_file_is_read_again_from_where_it_stood(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(said("another log ") + MISSING + said("one ") * 5000 + MISSING)
    with path.open("rb") as log:
        log.seek(len(said("another log ") + MISSING))
        done = subprocess.run(
            [RUNCONV, "-t", "json"],
            stdin=log,
            capture_output=True,
            env=environment(),
            check=True,
        )

        assert msgspec.json.decode(done.stdout)["result"] == "one " * 5000
        # The log was read to its end for whoever reads on.
        assert log.seek(0, io.SEEK_CUR) == path.stat().st_size


def test_an_open_pipe_cannot_be_read_again() -> None:
    with subprocess.Popen(["true"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert OpenFile(process.stdout.fileno(), lambda: None).reopened() is None


def result(run: int, raw: bytes) -> Result:
    return Result(run=run, line=1, raw=raw, text=None)


@pytest.mark.parametrize(
    "again",
    [[], [result(1, b'{"result":"another"}')], [result(2, b"{}")]],
    ids=["no run", "another result", "another run"],
)
def test_a_log_that_has_changed_meanwhile_is_an_error(again: list[Result]) -> None:
    with pytest.raises(convert.InputError, match="has changed"):
        list(with_unrecorded([result(1, b"{}")], lambda: again))


def test_a_log_that_is_replaced_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path, other = tmp_path / "log.ndjson", tmp_path / "other.ndjson"
    path.write_bytes(INIT + said("one ") + MISSING)
    other.write_bytes(INIT + said("two ") + MISSING.replace(b"success", b"done"))
    log = File(str(path), lambda _: "", on_read=lambda _: os.replace(other, path))

    assert told(log).error == "the log has changed while it was read; convert it again"


def test_the_second_reading_of_a_file_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(said("one ") + MISSING)
    counted: list[int] = []

    told(File(str(path), lambda _: "", on_read=counted.append))

    assert counted == [path.stat().st_size]


def test_an_object_is_not_fetched_again() -> None:
    assert File("https://example.com/log.ndjson", lambda _: "").reopened() is None


def test_redacted_texts_are_found_by_the_same_results() -> None:
    secret = "ghp_" + "Ab1" * 12
    log = INIT + said(f"token {secret} ") + MISSING
    log += said(f"and {secret[::-1]}") + line("result", request_id=secret)

    assert secret not in told(log, redact=True).output.decode()
    assert told(log, redact=True).error == ""
