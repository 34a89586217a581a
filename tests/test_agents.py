"""Parts that readers of other agents' logs share: tools, arguments, runs, redaction."""

from __future__ import annotations

from typing import Any

import pytest

from convert.agents import AgentRun, call_of, known_names, renamed, unwrapped
from convert.errors import ignore
from convert.model import (
    EVERYTHING,
    OK,
    UNFINISHED,
    CallDetail,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Run,
    Segment,
    Start,
    State,
    ToolCall,
    collect,
)
from convert.options import Options, Reading
from convert.redact.events import redacted
from convert.tools import tools
from convert.write import markdown

BASH = call_of("Bash", {"command": "ls"})


def a_run(
    needs: Needs = EVERYTHING, agent: str = "Claude Code", **facts: bool
) -> tuple[AgentRun, list[Event]]:
    events: list[Event] = []
    return AgentRun(1, needs, events.append, agent, **facts), events


def folded(events: list[Event]) -> Run:
    (run,) = collect(events)
    return run


class TestAnswers:
    @pytest.mark.parametrize(
        ("state", "texts", "answer"),
        [
            (None, ["Looking.", None], None),
            (None, ["Looking.", None, " \n"], None),
            (None, ["Looking.", None, "Done."], "Done."),
            ("cut", ["Looking.", None], "Looking."),
            ("success", ["Looking.", None], "Looking."),
        ],
    )
    def test_what_is_said_before_the_last_call_is_none_unless_a_result_follows(
        self, state: State | None, texts: list[str | None], answer: str | None
    ) -> None:
        run, events = a_run()
        for line, text in enumerate(texts, 1):
            if text is None:
                run.end_call(line, run.begin_call(line, "1", BASH))
            else:
                run.text(line, text)
        run.finish(9, state)

        assert folded(events).answer == answer


class TestTools:
    def test_each_kind_is_one_of_the_table(self) -> None:
        assert set(known_names().values()) <= set(tools())

    @pytest.mark.parametrize(
        ("name", "kind", "shown"),
        [
            ("Read", "read", ""),
            ("read_file", "read", ""),
            ("mcp__tracker__list__open", "mcp", "tracker/list__open"),
            ("Skill", "function", "Skill"),
        ],
    )
    def test_kind_and_name(self, name: str, kind: str, shown: str) -> None:
        call = call_of(name)

        assert (call.kind, call.name) == (kind, shown)
        assert call.native == ("" if shown else name)

    @pytest.mark.parametrize(
        ("kind", "native", "ours"),
        [
            ("read", {"file_path": "a.py", "offset": 3}, {"path": "a.py", "offset": 3}),
            (
                "read",
                {"path": "a", "view_range": [5, 9]},
                {"path": "a", "offset": 5, "limit": 5},
            ),
            ("shell", {"cmd": "ls", "env": {"A": "b"}}, {"command": "ls"}),
            ("shell", {"command": ["bash", "-lc", "ls -l"]}, {"command": "ls -l"}),
            (
                "edit",
                {
                    "filePath": "a",
                    "oldString": "x",
                    "newString": "y",
                    "replaceAll": True,
                },
                {
                    "path": "a",
                    "strReplace": {"oldText": "x", "newText": "y", "replaceAll": True},
                },
            ),
            (
                "edit",
                {"file_path": "a", "content": ""},
                {"path": "a", "streamContent": ""},
            ),
            (
                "edit",
                {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
                {
                    "path": "a",
                    "multiStrReplace": {"edits": [{"oldText": "x", "newText": "y"}]},
                },
            ),
            (
                "edit",
                {"input": "*** Begin Patch"},
                {"applyPatch": {"patchContent": "*** Begin Patch"}},
            ),
            (
                "grep",
                {"pattern": "x", "-n": True, "-A": 2},
                {"pattern": "x", "contextAfter": 2},
            ),
            (
                "glob",
                {"pattern": "*.py", "path": "src"},
                {"globPattern": "*.py", "targetDirectory": "src"},
            ),
            (
                "updateTodos",
                {"plan": [{"step": "Fix", "status": "in_progress"}]},
                {"todos": [{"content": "Fix", "status": "TODO_STATUS_IN_PROGRESS"}]},
            ),
            (
                "updateTodos",
                {"taskId": "3", "status": "completed"},
                {"todos": [{"id": "3", "status": "TODO_STATUS_COMPLETED"}]},
            ),
            (
                "askQuestion",
                {
                    "questions": [
                        {
                            "question": "Which?",
                            "options": [{"label": "A", "description": "a"}],
                        }
                    ]
                },
                {
                    "questions": [
                        {
                            "id": "0",
                            "prompt": "Which?",
                            "options": [{"id": "A", "label": "A"}],
                        }
                    ]
                },
            ),
        ],
    )
    def test_arguments_have_the_names_of_the_model(
        self, kind: str, native: dict[str, Any], ours: dict[str, Any]
    ) -> None:
        assert renamed(kind, native) == ours

    def test_two_names_of_an_argument_do_not_hide_each_other(self) -> None:
        arguments = {"path": "a.py", "file_path": "b.py"}

        assert renamed("read", arguments) == arguments

    @pytest.mark.parametrize("kind", sorted(set(known_names().values())))
    def test_no_value_of_another_type_is_refused(self, kind: str) -> None:
        names = [
            "command",
            "view_range",
            "edits",
            "todos",
            "plan",
            "questions",
            "old_string",
            "new_string",
            "input",
            "subject",
        ]
        for value in (None, 3, [None], [[]], {}, ["a", 1]):
            arguments = dict.fromkeys(names, value)

            assert renamed(kind, arguments)

    @pytest.mark.parametrize(
        ("command", "inner"),
        [
            ("/bin/zsh -lc 'wc -c made.txt'", "wc -c made.txt"),
            ('bash -c "echo \\"a b\\""', 'echo "a b"'),
            (["bash", "-lc", "ls"], "ls"),
            (["ls", "-l", "a b"], "ls -l 'a b'"),
            ("bash -lc ls -l", "bash -lc ls -l"),
            ("bash -lc 'ls", "bash -lc 'ls"),
            ("python -c 'print(1)'", "python -c 'print(1)'"),
        ],
    )
    def test_the_command_inside_of_a_shell(
        self, command: str | list[str], inner: str
    ) -> None:
        assert unwrapped(command) == inner


class TestAgentRun:
    def test_text_between_two_calls_is_one_segment(self) -> None:
        run, events = a_run()
        run.set_facts(session="s", directory="/srv/shop")
        run.text(1, "Let me ")
        run.text(2, "look.")
        call = run.begin_call(3, "a", BASH)
        run.end_call(4, call, OK, {"stdout": "a.py"})
        run.text(5, "Done.")
        run.finish(5, "success")

        run_ = folded(events)

        assert [segment.text for segment in run_.segments] == ["Let me look.", "Done."]
        assert (run_.agent, run_.session) == ("Claude Code", "s")
        assert [call.outcome for call in run_.calls] == [OK]

    @pytest.mark.parametrize("thinking", [True, False])
    def test_segments_do_not_depend_on_what_else_is_needed(
        self, thinking: bool
    ) -> None:
        run, events = a_run(Needs(text=True, thinking=thinking))
        run.text(1, "Let me ")
        run.thinking(2, "Where is it?")
        run.text(3, "look.")
        run.finish(4, "success")

        assert [segment.text for segment in folded(events).segments] == ["Let me look."]

    def test_an_open_call_is_unfinished_when_the_run_ends(self) -> None:
        run, events = a_run()
        run.begin_call(1, "a", BASH)
        run.finish(2, "unfinished", has_result=False)

        assert folded(events).calls[0].outcome == UNFINISHED

    def test_the_start_waits_for_the_model_and_then_comes_first(self) -> None:
        run, events = a_run(has_late_model=True)
        run.prompt(1, "Fix it.")
        run.set_facts(model="opus")
        run.text(2, "Yes.")

        start, prompt = events
        assert isinstance(start, Start)
        assert (start.model, start.line, prompt.line) == ("opus", 1, 1)

    def test_a_late_word_on_a_call_amends_it(self) -> None:
        run, events = a_run()
        run.end_call(2, run.begin_call(1, "a", BASH), Outcome("error"))

        assert run.amend_call(3, "a", Outcome("rejected"))
        assert not run.amend_call(3, "b", Outcome("rejected"))
        run.finish(4, "success")
        assert folded(events).calls[0].outcome == Outcome("rejected")

    def test_an_ended_call_is_kept_without_its_arguments(self) -> None:
        run, events = a_run()
        run.end_call(2, run.begin_call(1, "a", BASH))
        run.amend_call(3, "a", OK)

        ended, amended = events[-2:]
        assert isinstance(ended, ToolCall)
        assert isinstance(amended, ToolCall)
        assert (ended.arguments, amended.arguments) == ({"command": "ls"}, None)

    def test_times_count_from_the_first_timestamp(self) -> None:
        run, events = a_run()
        run.stamp(1000)
        run.stamp(1500)
        call = run.begin_call(1, "a", BASH, started_ms=1500)
        run.stamp(1700)
        run.end_call(2, call, ended_ms=1700)

        start, ended = events[0], events[-1]
        assert isinstance(start, Start)
        assert isinstance(ended, ToolCall)
        assert start.started_ms == 1000
        assert (ended.since_start_ms, ended.duration_ms) == (500, 200)

    def test_parts_that_are_not_needed_are_skipped(self) -> None:
        run, events = a_run(Needs(calls=CallDetail.OUTCOMES))
        run.prompt(1, "Fix it.")
        run.text(2, "Yes.")
        run.thinking(2, "Hm.")
        run.end_call(4, run.begin_call(3, "a", BASH))
        run.result(5, text="Yes.")
        run.finish(5, "success")

        assert [type(event).__name__ for event in events] == [
            "Start",
            "ToolCall",
            "End",
        ]


class TestRedaction:
    SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    def events(self) -> list[Event]:
        run, events = a_run(agent=self.SECRET)
        run.set_facts(session=self.SECRET, model=self.SECRET, version=self.SECRET)
        run.prompt(1, f"Use {self.SECRET}.")
        call = run.begin_call(2, "a", call_of("Bash", {"command": f"gh {self.SECRET}"}))
        run.step(3, "a", f"It is {self.SECRET}", thinking=False)
        output = {"stdout": ["x", {"password": "hunter22xyz"}], "half": "\ud83d"}
        run.end_call(4, call, Outcome("error", message=self.SECRET), output)
        run.text(5, self.SECRET)
        run.result(6, text=self.SECRET)
        run.finish(6, "error", f"no: {self.SECRET}")
        return [*events, EndOfLog(run=0, line=6)]

    def test_no_event_holds_a_secret(self) -> None:
        shown = [*redacted(self.events(), EVERYTHING, Reading(redact=True))]

        assert self.SECRET not in repr(shown)
        end = shown[-1]
        assert isinstance(end, EndOfLog)
        assert end.redacted
        assert sum(end.redacted.values()) >= 7

    def test_parts_that_are_not_needed_are_skipped(self) -> None:
        needs = Needs(calls=CallDetail.OUTCOMES)

        shown = [*redacted(self.events(), needs, Reading(redact=True))]

        assert [type(event).__name__ for event in shown] == [
            "Start", "ToolCall", "End", "EndOfLog",
        ]  # fmt: skip

    def test_a_secret_that_goes_on_in_the_next_segment_is_found(self) -> None:
        first, second = self.SECRET[:20], self.SECRET[20:]
        events: list[Event] = [
            Segment(run=1, line=1, text=first),
            Segment(run=1, line=2, text=second),
        ]

        shown = [*redacted(events, EVERYTHING, Reading(redact=True))]

        assert first not in repr(shown)
        assert second not in repr(shown)


class TestTextsOfOutputs:
    """An output for which a log has only a text is shown as that text."""

    def shown(self, name: str, arguments: dict[str, Any], output: Any) -> str:
        run, events = a_run()
        call = run.begin_call(1, "a", call_of(name, arguments))
        run.step(2, "a", "Looking.", thinking=False)
        run.end_call(3, call, OK, output)
        run.finish(4, "success")
        return b"".join(markdown.write(events, Options(), ignore)).decode()

    def test_a_listing_counts_nothing(self) -> None:
        page = self.shown("LS", {"path": "src"}, {"content": "- src/\n  - cart.py\n"})

        assert "  - cart.py" in page
        assert "0 files" not in page

    def test_the_output_of_a_background_command_is_next_to_its_exit_code(
        self,
    ) -> None:
        output = {"content": "Listening on 8080", "exitCode": 3}

        page = self.shown("BashOutput", {"bash_id": "b1"}, output)

        assert "Listening on 8080" in page
        assert "exit 3" in page

    @pytest.mark.parametrize("name", ["Grep", "Glob", "TaskUpdate", "WebSearch"])
    def test_the_text_is_there(self, name: str) -> None:
        assert "found it" in self.shown(name, {}, {"content": "found it"})

    def test_an_answer_of_a_subagent_stands_below_its_steps(self) -> None:
        page = self.shown("Agent", {"prompt": "Look."}, {"content": "There are **3**."})

        assert "There are **3**." in page
        assert page.index("Looking.") < page.index("There are **3**.")

    def test_an_answer_that_is_the_last_step_is_shown_once(self) -> None:
        page = self.shown("Agent", {"prompt": "Look."}, {"content": "Looking."})

        assert page.count("Looking.") == 1
