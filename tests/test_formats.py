"""A format is a module and a row: the features that a new reader gets for free."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import convert
from convert.errors import NoResultError, RunconvError, UsageError, ignore
from convert.formats import TRAJECTORY, format_named, formats, kept, readers, writers
from convert.model import EVERYTHING, EndOfLog, Start
from convert.options import Reading
from convert.pipeline import events_of
from support import trial_reader
from support.conversions import FEW_LOGS, convert_all, is_of_cursor
from support.matrix import each, matrix, part, reject

REDACT = Reading(redact=True)
SECRET = f"ghp_{'aQ3xR7mK' * 5}"


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats(), "trial", trial_reader.ROW)


def lines(*events: object) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]


def command(text: str, code: int = 0, output: str = "") -> dict[str, object]:
    data = {"id": text, "command": text, "output": output, "exit_code": code}
    return {"type": "command.ended", "data": data}


def message(text: str) -> dict[str, object]:
    return {"type": "agent.said", "data": {"text": text}}


BEGIN = {"type": "session.begin", "data": {"id": "0199-4c1e"}}
END = {"type": "session.end", "data": {"input_tokens": 900, "output_tokens": 40}}
LOG = lines(
    BEGIN, command("pytest -q", 1, "1 failed"), command("ls"), message("Mended."), END
)


def written(log: list[bytes], to: str, **options: object) -> tuple[str, list[str]]:
    """Return the output of a conversion, and its warnings."""
    warnings: list[str] = []
    pieces = convert.convert(
        log, to, warn=lambda line, *what: warnings.append(f"{line}: {what}"), **options
    )
    return b"".join(pieces).decode(), warnings


@pytest.mark.usefixtures("trial")
class TestAReaderOfAnotherAgent:
    def test_is_found_by_the_content_of_a_log(self) -> None:
        text, warnings = written(LOG, "text")

        assert text == "Ran terminal command (exit 1)\nRan terminal command\n"
        assert not warnings

    def test_is_found_after_noise(self) -> None:
        text, warnings = written([b"warning: colours\n", *LOG], "text", answer=True)

        assert text.splitlines()[-1] == "Mended."
        assert warnings == ["1: ('not JSON', 'skipped')"]

    def test_writes_markdown_under_its_own_name(self) -> None:
        text, _ = written(LOG, "markdown")

        assert text.startswith("# Trial run 0199-4c1\n")
        assert "1 failed" in text
        assert "\nMended.\n" in text

    def test_writes_json(self) -> None:
        text, _ = written(LOG, "json")

        assert json.loads(text) == {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "Mended.",
            "session_id": "0199-4c1e",
            "usage": {"inputTokens": 900, "outputTokens": 40},
        }

    def test_is_compared(self) -> None:
        other = lines(BEGIN, command("pytest -q"), message("Mended."), END)

        comparison = convert.compare(LOG, other)

        assert not convert.compare(LOG, LOG).is_different
        assert [finding.category for finding in comparison.findings] == [
            "outcome",
            "removed",
        ]

    def test_survives_damage(self) -> None:
        whole, _ = written(LOG, "text")
        torn = [*LOG[:3], LOG[3][:20] + b"\n", LOG[4][:-1]]

        text, warnings = written(torn, "text")

        assert text == whole
        assert warnings == ["4: ('not JSON', 'skipped')"]

    @pytest.mark.parametrize("indent", [None, 2])
    def test_reads_an_array(self, indent: int | None) -> None:
        events = [json.loads(line) for line in LOG]
        array = json.dumps(events, indent=indent).encode()

        assert written([array], "text") == written(LOG, "text")

    @pytest.mark.parametrize("to", ["text", "markdown", "json"])
    def test_shows_no_secrets(self, to: str) -> None:
        log = lines(
            BEGIN, command(f"echo {SECRET}", 0, SECRET), message(f"It is {SECRET}"), END
        )

        plain, _ = written(log, to, detail=True)
        redacted, _ = written(log, to, detail=True, reading=REDACT)

        assert SECRET in plain
        assert SECRET not in redacted
        assert "[redacted GitHub token]" in redacted

    def test_skips_long_lines(self) -> None:
        text, warnings = written(
            LOG, "text", reading=Reading(max_line=len(LOG[1]) - 10)
        )

        assert text == "Ran terminal command\n"
        assert len(warnings) == 1

    def test_is_a_look_alike_without_its_row(self, monkeypatch) -> None:  # type: ignore[no-untyped-def]
        monkeypatch.delitem(formats(), "trial")

        with pytest.raises(RunconvError, match="looks like a log of GitHub Copilot"):
            written(LOG, "text")

    def test_is_refused_with_redact_unless_it_redacts(self, monkeypatch) -> None:  # type: ignore[no-untyped-def]
        reader = replace(trial_reader.READER, redacts=False)
        careless = replace(trial_reader.ROW, reader=reader)
        monkeypatch.setitem(formats(), "trial", careless)

        with pytest.raises(UsageError, match="trial cannot be read with --redact"):
            written(LOG, "text", reading=REDACT)

    def test_is_not_written(self) -> None:
        with pytest.raises(UsageError, match="trial"):
            written(LOG, "trial")


SAMPLES = {
    "stream-json": b'{"type":"user","message":"%s","session_id":"s"}\n',
    "json": b'{"type":"result","subtype":"success","duration_ms":1,"result":"%s"}\n',
    "text": b"Read file\n\nIt is %s\n",
    "answer": b"It is %s\n",
    "codex-rollout": b'{"type":"event_msg","payload":{"type":"agent_message",'
    b'"message":"It is %s"}}\n',
    "codex-exec": b'{"type":"item.completed","item":{"id":"m","type":"agent_message",'
    b'"text":"%s"}}\n',
    "trajectory": b'{"trajectory": 1, "runs": [{"answer": ["%s"]}]}\n',
    "claude-session": b'{"type":"assistant","message":{"content":"It is %s"},'
    b'"sessionId":"s","uuid":"u"}\n',
    "claude-stream": b'{"type":"assistant","message":{"content":[{"type":"text",'
    b'"text":"It is %s"}]},"session_id":"s"}\n',
    "atif": b'{"schema_version":"ATIF-v1.7","agent":{"name":"cursor-cli"},"steps":'
    b'[{"step_id":1,"source":"agent","message":"It is %s"}]}\n',
    "opencode": b'{"type":"text","sessionID":"s","part":{"text":"It is %s"}}\n',
}


@pytest.mark.exhaustive
@each("name", part(readers(), 3))
def test_a_reader_that_claims_to_redact_does(name: str) -> None:
    log = [SAMPLES[name] % SECRET.encode()]

    for to in writers():
        text, _ = written(log, to, format=name, reading=REDACT, partial=True)

        assert SECRET not in text


@each("to", writers())
def test_every_conversion_is_described(to: str) -> None:
    described = {name for name, reader in readers().items() if reader.keeps}

    assert {*kept(to)} == described
    assert {*readers()} - described == {"answer"}


def test_no_comparison_reads_reasoning() -> None:
    assert [row for row in readers().values() if row.compared.thinking] == []


@each(
    ("name", "format"),
    [("MD", "markdown"), ("Text", "text"), ("htm", "html"), ("odt", "odt")],
)
def test_a_format_has_its_name_and_its_suffixes(name: str, format: str) -> None:
    assert format_named(name) == format


@each("name", readers())
def test_a_run_tells_its_agent_and_level(name: str) -> None:
    events = events_of([SAMPLES[name]], name, EVERYTHING, Reading(), lambda *_: None)

    [start] = [event for event in events if isinstance(event, Start)]

    agent = formats()[name].agent or "Cursor"
    assert (start.agent, start.level) == (agent, readers()[name].level)


@matrix(path=part(FEW_LOGS, 4), to=writers())
def test_to_name_the_format_that_is_detected_changes_no_output(
    path: Path, to: str
) -> None:
    log = [path.read_bytes()]
    shown = convert_all(log, to)

    if shown is None or next(convert.read(log)).level != "calls":
        reject()
    if TRAJECTORY.begins(log[0]) or not is_of_cursor(log[0]):
        reject()
    assert convert_all(log, to, format="stream-json") == shown


@pytest.mark.parametrize("to", [*writers()])
@pytest.mark.parametrize("stamp", [{}, {"timestamp_ms": 5}])
def test_blocks_that_are_not_read_are_counted(to: str, stamp: dict[str, int]) -> None:
    content = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t"}]
    event = {"type": "assistant", "message": {"content": content}, **stamp}
    log = lines(*[event | {"session_id": "s"}] * 3)
    needs = writers()[to].needs(convert.Options())

    *_, end = events_of(log, "stream-json", needs, Reading(), ignore)

    assert isinstance(end, EndOfLog)
    assert end.unknown == {"assistant/tool_use": 3}


def test_an_answer_keeps_the_blanks_at_its_end() -> None:
    """Two of them are a line break in Markdown; line feeds become one."""
    shown, _ = written([b"Done:  \n\n\n"], "answer")

    assert shown == "Done:  \n"


def call_events(*bodies: dict[str, object]) -> list[bytes]:
    """The lines of one call, with these bodies, all but the first completed."""
    return lines(
        *(
            {
                "type": "tool_call",
                "subtype": "completed" if number else "started",
                "call_id": "x",
                "timestamp_ms": 1_793_180_000_000,
                "tool_call": {"shellToolCall": body},
            }
            for number, body in enumerate(bodies)
        )
    )


def test_a_query_does_not_overrule_the_arguments_of_its_call() -> None:
    asked = {"args": {"command": "ls -a", "toolCallId": "x", "timeout": 5}}
    query = {"type": "interaction_query", "subtype": "request", "query": {"q": asked}}
    body = {"args": {"command": "ls"}}
    result = {"success": {}}

    [run] = convert.read_runs(
        [*lines(query), *call_events(body, {**body, "result": result})]
    )

    [call] = run.calls
    assert call.arguments == {"command": "ls", "toolCallId": "x", "timeout": 5}


def test_a_call_may_take_no_time_at_all() -> None:
    result = {"success": {}}

    [run] = convert.read_runs(call_events({}, {"result": result}))
    shown, _ = written(call_events({}, {"result": result}), "markdown")

    assert [call.duration_ms for call in run.calls] == [0]
    assert " 0 ms" in shown


def test_a_call_may_take_no_time_by_the_clock_of_its_tool() -> None:
    body = {"result": {"success": {}}}
    stamps = {"startedAtMs": "1793180000020", "completedAtMs": "1793180000020"}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}

    [run] = convert.read_runs(
        lines({**call, "tool_call": {"readToolCall": body, **stamps}})
    )

    assert [call.duration_ms for call in run.calls] == [0]


def test_a_call_that_ends_again_has_ended_as_it_says_last() -> None:
    good, bad = {"success": {}}, {"failure": {"exitCode": 2}}

    [run] = convert.read_runs(call_events({}, {"result": good}, {"result": bad}))

    [call] = run.calls
    assert call.outcome is not None
    assert (call.outcome.status, call.outcome.exit_code) == ("error", 2)


@each(
    ("response", "again", "calls"),
    [("r1", "r1", 1), ("r1", "", 1), ("", "r1", 1), ("", "", 1), ("r1", "r2", 2)],
)
def test_a_line_that_comes_again_may_lack_its_response(
    response: str, again: str, calls: int
) -> None:
    begin, end = map(json.loads, call_events({}, {"result": {"success": {}}}))
    stamped = [each | {"model_call_id": response} for each in (begin, end)]

    [run] = convert.read_runs(lines(*stamped, end | {"model_call_id": again}))

    assert len(run.calls) == calls


def test_a_short_front_matter_keeps_the_state() -> None:
    init = {"type": "system", "subtype": "init", "cwd": "é" * 300, "model": "é" * 300}
    result = {"type": "result", "subtype": "success", "result": "Yes"}
    log = lines({**init, "session_id": "é" * 300}, result)

    shown, _ = written(log, "markdown", front_matter=True, max_bytes=4096)

    assert shown.startswith('---\nstate: "success"\n')


@pytest.mark.parametrize("count", [9, 5000])
def test_a_recap_of_many_deltas_is_no_text_of_its_own(count: int) -> None:
    words = [f"{n} " for n in range(count)]
    events = [
        {
            "type": "assistant",
            "timestamp_ms": 1,
            "message": {"content": [{"type": "text", "text": text}]},
        }
        for text in [*words, "".join(words)]
    ]
    query = {"type": "interaction_query", "subtype": "request", "timestamp_ms": 2}

    [run] = convert.read_runs(lines(*events, query))

    assert run.text == "".join(words)


@pytest.mark.parametrize(("count", "more"), [(3, ""), (4, " and 1 more")])
def test_at_most_three_runs_without_a_result_are_named(count: int, more: str) -> None:
    log = lines(
        *(
            {"type": "system", "subtype": "init", "session_id": f"s{n}"}
            for n in range(count)
        )
    )

    with pytest.raises(NoResultError) as raised:
        written(log, "json")

    assert f"run 3 (ends at line 3){more};" in raised.value.message.replace(
        f"(ends at line {count})", "(ends at line 3)"
    )
