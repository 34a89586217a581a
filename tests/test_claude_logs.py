"""The streams and the session files of Claude Code, and rules for each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.agents import SeenLines, milliseconds_of
from convert.model import (
    EVERYTHING,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Run,
    ToolCall,
    collect,
)
from convert.options import Reading
from convert.pipeline import events_of
from support.conversions import convert_all
from support.golden import GOLDEN, logs
from support.matrix import part

Line = dict[str, Any]
LOGS = sorted(
    path
    for path in logs(".ndjson", ".jsonl")
    if path.parent.name.startswith("claude-")
    and not path.parent.name.endswith("another-agent")
)
STREAM = GOLDEN / "claude-stream-bug-fix" / "claude.ndjson"
SESSION = GOLDEN / "claude-session-bug-fix" / "claude.jsonl"
DENIED = GOLDEN / "claude-stream-denied" / "claude.ndjson"


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def joined(lines: list[Line]) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def runs_of(
    log: bytes, needs: Needs = EVERYTHING, name: str = "claude-stream"
) -> tuple[list[Run], list[str]]:
    """Return the runs of a log, and its warnings."""
    warnings: list[str] = []
    events = events_of(
        [log], name, needs, Reading(), lambda _, what, *__: warnings.append(what)
    )
    return list(collect(events)), warnings


def ended(run: Run) -> list[tuple[str, Outcome | None]]:
    return [(call.kind, call.outcome) for call in run.calls]


def _has_ended(event: Event) -> bool:
    return isinstance(event, ToolCall) and event.outcome is not None


def stream(session: str, number: int, text: str = "Done.") -> list[Line]:
    """Return a run with some calls, whose results come in another order."""
    init = {"type": "system", "subtype": "init", "tools": [], "uuid": f"i{session}"}
    calls = [
        {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": at}}
        for at in map(str, range(number))
    ]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "content": f"Exit code {at + 1}\nno",
            "is_error": True,
        }
        for at, call in enumerate(calls)
    ]
    lines: list[Line] = [init]
    lines += [message("assistant", call) for call in calls]
    lines += [message("user", result) for result in reversed(results)]
    lines.append(message("assistant", {"type": "text", "text": text}))
    lines.append({"type": "result", "is_error": False, "num_turns": 1, "result": text})
    return [{**line, "session_id": session} for line in lines]


def message(role: str, *blocks: Line) -> Line:
    return {"type": role, "message": {"role": role, "content": [*blocks]}}


class TestAllLogs:
    @pytest.mark.exhaustive
    @pytest.mark.parametrize("path", part(LOGS, 2), ids=lambda path: path.parent.name)
    def test_what_is_needed_changes_no_outcome(self, path: Path) -> None:
        log = path.read_bytes()
        name = "claude-session" if path.suffix == ".jsonl" else "claude-stream"

        def told(needs: Needs) -> list[Any]:
            events = events_of([log], name, needs, Reading(), lambda *_: None)
            return [
                (event.run, event.line, event.number, event.kind, event.outcome)
                if isinstance(event, ToolCall)
                else (event.run, event.line, event.state, event.reason)
                for event in events
                if isinstance(event, End) or _has_ended(event)
            ]

        whole, _ = runs_of(log, EVERYTHING, name)

        for detail in (CallDetail.OUTCOMES, CallDetail.ARGUMENTS):
            assert told(Needs(calls=detail)) == told(EVERYTHING)
        texts, _ = runs_of(log, Needs(text=True), name)
        assert [run.texts for run in texts] == [run.texts for run in whole]
        assert [run.prompts for run in texts] == [run.prompts for run in whole]

    @pytest.mark.parametrize("path", [STREAM, SESSION], ids=["stream", "session"])
    @pytest.mark.parametrize("value", [None, 3, "x", [], {}])
    def test_a_member_of_another_type_loses_nothing_else(
        self, path: Path, value: Any
    ) -> None:
        lines = lines_of(path)
        name = "claude-session" if path is SESSION else "claude-stream"
        (whole,), _ = runs_of(joined(lines), name=name)
        beside = {"type", "subtype", "message", "session_id", "sessionId", "uuid"}
        beside |= {"parentUuid", "isSidechain", "isMeta", "parent_tool_use_id"}
        odd = [
            {key: each if key in beside else value for key, each in line.items()}
            for line in lines
        ]

        (run,), _ = runs_of(joined(odd), name=name)

        assert ended(run) == ended(whole)
        assert run.texts == whole.texts

    # Amp gives its lines no ids.
    @pytest.mark.parametrize(
        "path",
        [path for path in LOGS if not path.parent.name.endswith(("amp", "cut"))],
        ids=lambda path: path.parent.name,
    )
    def test_lines_that_come_twice_count_once(self, path: Path) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        name = "claude-session" if path.suffix == ".jsonl" else "claude-stream"
        alone, _ = runs_of(b"".join(lines), name=name)

        doubled, _ = runs_of(b"".join(line * 2 for line in lines), name=name)

        assert [ended(run) for run in doubled] == [ended(run) for run in alone]
        assert [run.texts for run in doubled] == [run.texts for run in alone]
        assert [run.prompts for run in doubled] == [run.prompts for run in alone]


class TestStream:
    @given(st.integers(0, 3), st.integers(0, 3), st.randoms(use_true_random=False))
    def test_processes_that_print_into_one_file_do_not_mix(
        self, one: int, other: int, dice: Any
    ) -> None:
        left = [*stream("a", one, "A"), *stream("a", other, "B")]
        right = stream("b", other, "C")
        alone = [run for log in (left, right) for run in runs_of(joined(log))[0]]
        mixed = []
        rest = [left[:], right[:]]
        while any(rest):
            mixed.append(dice.choice([lines for lines in rest if lines]).pop(0))

        runs, warnings = runs_of(joined(mixed))

        by_text = sorted(runs, key=lambda run: run.texts)
        assert [(run.session, run.texts, ended(run)) for run in by_text] == [
            (run.session, run.texts, ended(run)) for run in alone
        ]
        assert not warnings

    def test_results_find_their_calls(self) -> None:
        (run,), _ = runs_of(joined(stream("a", 3)))

        assert ended(run) == [
            ("shell", Outcome("error", exit_code=code)) for code in (1, 2, 3)
        ]

    def test_the_end_of_a_run_says_which_calls_were_refused(self) -> None:
        (run,), _ = runs_of(DENIED.read_bytes())

        statuses = [call.outcome and call.outcome.status for call in run.calls]
        assert statuses == ["ok", "ok", *["rejected"] * 3, "error", "rejected"]
        assert run.calls[4].outcome == Outcome(
            "rejected", message="The guard of this repository says no."
        )

    @pytest.mark.parametrize(
        ("result", "state", "reason"),
        [
            ({"subtype": "success", "is_error": False}, "success", ""),
            ({"subtype": "success", "is_error": True, "result": "No."}, "error", "No."),
            ({"subtype": "error_max_turns", "is_error": False}, "error", None),
            ({"subtype": "success", "is_error": "true"}, "error", "success"),
            ({"is_error": True, "errors": ["a", "", 3, "b"]}, "error", "a; b"),
            ({"is_error": None, "subtype": None}, "success", ""),
        ],
    )
    def test_state_of_a_run(self, result: Line, state: str, reason: str | None) -> None:
        line = {"type": "result", "num_turns": 1, "session_id": "s", **result}

        (run,), _ = runs_of(joined([line]))

        shown = result["subtype"] if reason is None else reason
        assert (run.state, run.reason, run.level) == (state, shown, "result")

    def test_tokens_of_the_cache_are_no_input(self) -> None:
        usage = {"input_tokens": 100, "cache_read_input_tokens": 90, "output_tokens": 5}
        line = {"type": "result", "num_turns": 1, "session_id": "s"}

        def tokens(**more: int) -> Any:
            (run,), _ = runs_of(joined([{**line, "usage": usage | more}]))
            assert run.result
            assert run.result.tokens
            return run.result.tokens.input

        assert tokens() == 100
        assert tokens(total_tokens=105) == 10

    def test_a_result_of_no_call_is_named(self) -> None:
        result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
        lines = [*stream("a", 0)[:1], {**message("user", result), "session_id": "a"}]

        _, warnings = runs_of(joined(lines))

        assert warnings == ["result of a call that is not in the log"]

    def test_words_of_a_subagent_that_has_ended_are_named_once(self) -> None:
        words = {**message("assistant", {"type": "text", "text": "Still here."})}
        late = {**words, "session_id": "a", "parent_tool_use_id": "t0"}
        lines = stream("a", 1)

        (run,), warnings = runs_of(joined([*lines[:3], late, late, *lines[3:]]))

        assert run.texts == ["Done."]
        assert warnings == ["text of a subagent whose call has ended"]

    def test_more_runs_at_once_than_are_kept(self, monkeypatch) -> None:  # type: ignore[no-untyped-def]
        monkeypatch.setattr("convert.agents.claude.stream_reader._MOST_OPEN", 2)
        lines = [line for name in "abc" for line in stream(name, 1)[:2]]

        runs, warnings = runs_of(joined(lines))

        assert [run.state for run in runs] == ["unfinished"] * 3
        assert warnings == ["more than 2 runs at once"]

    def test_pieces_of_a_message_that_never_comes_whole_are_its_text(self) -> None:
        case = GOLDEN / "claude-stream-partial-messages"
        lines = lines_of(case / "whole.ndjson")
        *_, last = (at for at, line in enumerate(lines) if line["type"] == "assistant")
        del lines[last]
        lines[-1]["result"] = ""

        [run], _ = runs_of(joined(lines))

        assert run.texts == ["Let me look.", "There are two folders: src and tests."]

    def test_a_log_of_lines_that_say_nothing_is_one_run(self) -> None:
        line = {"type": "rate_limit_event", "uuid": "u", "session_id": "s"}

        (run,), _ = runs_of(joined([line]))

        assert (run.state, run.calls, run.texts) == ("cut", [], [])

    def test_types_that_are_not_known_are_counted(self) -> None:
        block = {"type": "dream"}
        lines = [
            {**message("assistant", block), "session_id": "a"},
            {**message("user", block), "session_id": "a"},
            {"type": "telemetry", "session_id": "a"},
            {"type": "system", "subtype": "nap", "session_id": "a"},
            {"type": "system", "subtype": "status", "session_id": "a"},
        ]
        log = [joined(lines)]

        *_, end = events_of(
            log, "claude-stream", EVERYTHING, Reading(), lambda *_: None
        )

        assert isinstance(end, EndOfLog)
        assert end.unknown == {
            "assistant/dream": 1,
            "user/dream": 1,
            "telemetry": 1,
            "system/nap": 1,
        }


class TestSession:
    def runs(self, lines: list[Line]) -> tuple[list[Run], list[str]]:
        return runs_of(joined(lines), name="claude-session")

    @pytest.mark.parametrize(
        "text",
        [
            "<command-name>/model</command-name>",
            "<local-command-stdout>x</local-command-stdout>",
            "<system-reminder>x</system-reminder>",
            "<task-notification>x</task-notification>",
            "[Request interrupted by user]",
        ],
    )
    def test_what_the_user_did_not_ask_is_no_prompt(self, text: str) -> None:
        lines = lines_of(SESSION)
        asked = next(line for line in lines if line["type"] == "user")
        block = {"type": "text", "text": text}
        added = [
            {**asked, "uuid": "", "message": {"role": "user", "content": content}}
            for content in (text, [block])
        ]

        (run,), _ = self.runs([*lines, *added])

        assert run.prompts == [asked["message"]["content"]]

    def test_each_prompt_is_a_turn_of_the_run(self) -> None:
        lines = lines_of(SESSION)
        asked = next(line for line in lines if line["type"] == "user")
        more = {**asked, "uuid": "", "message": {"content": "Again."}}

        (run,), _ = self.runs([*lines, more])

        assert run.prompts[1:] == ["Again."]

    def test_another_session_begins_another_run(self) -> None:
        lines = lines_of(SESSION)
        other = [
            {**line, "sessionId": "other", "uuid": f"{number}"}
            for number, line in enumerate(lines)
        ]

        runs, _ = self.runs([*lines, *other])

        assert [run.session for run in runs] == [lines[0]["sessionId"], "other"]
        assert ended(runs[0]) == ended(runs[1])

    def test_a_line_says_that_a_call_was_refused(self) -> None:
        lines = lines_of(SESSION)
        for line in lines:
            if str(line.get("toolUseResult")).startswith("Error"):
                line["toolDenialKind"] = "user-rejected"

        (run,), _ = self.runs(lines)

        assert run.calls[0].outcome == Outcome("rejected")


class TestSeenLines:
    def test_it_remembers_the_last_ones(self) -> None:
        seen = SeenLines(2)
        ids = [f"{number:036}" for number in range(5)]

        assert not any(seen.is_repeated(id) for id in ids)
        assert seen.is_repeated(ids[4])
        assert seen.is_repeated(ids[2])
        assert not seen.is_repeated(ids[0])

    def test_a_word_in_place_of_all_ids_is_none(self) -> None:
        seen = SeenLines()

        assert not any(
            seen.is_repeated(id) for id in ("redacted", "redacted", "", None)
        )


class TestTimestamps:
    @pytest.mark.parametrize(
        ("text", "milliseconds"),
        [
            ("1970-01-01T00:00:01.500Z", 1500),
            ("1970-01-01T00:00:01", 1000),
            ("1970-01-01T01:00:00+01:00", 0),
            ("yesterday", None),
            ("", None),
            (5, None),
            (None, None),
        ],
    )
    def test_milliseconds(self, text: Any, milliseconds: int | None) -> None:
        assert milliseconds_of(text) == milliseconds


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", [b'{"type":"assistant"}\n', b""])
@pytest.mark.parametrize("path", part(LOGS, 4), ids=lambda path: path.parent.name)
def test_a_log_is_the_same_line_by_line(path: Path, first: bytes) -> None:
    log = first + path.read_bytes()
    lines = log.splitlines(keepends=True)

    for to in ("json", "stream-json", "claude-stream", "atif", "markdown"):
        assert convert_all(lines, to) == convert_all([log], to)


def test_no_secret_is_left() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for path in (STREAM, SESSION):
        log = path.read_bytes().replace(b"item.price", secret.encode())

        for to in ("markdown", "patch", "trajectory", "json", "stream-json"):
            made = convert.convert([log], to, reading=Reading(redact=True))
            assert secret not in b"".join(made).decode()
