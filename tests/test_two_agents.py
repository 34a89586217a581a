"""Runs of two agents are compared by their actions, not by how each records them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

import convert
from convert.diff import Comparison, file_shown, limits
from convert.model import OK, Outcome, Run, Tokens
from convert.options import Settings
from support.agent_runs import (
    DIRECTORY,
    FAILED,
    Step,
    claude,
    codex,
    cursor,
    run_of,
    shell,
)
from support.comparisons import assert_mirrored
from support.matrix import part

_ALONE = {"added", "removed"}
REPORTS = ("table", "unified", "json", "markdown", "html", "junit", "github", "gitlab")


def compared(a: Run, b: Run, **knobs: Any) -> Comparison:
    return convert.compare(a, b, settings=Settings(**knobs))


def found(comparison: Comparison) -> dict[str, str]:
    return {each.category: each.severity for each in comparison.findings}


class TestCalls:
    def test_arguments_next_to_the_subject_are_no_difference(self) -> None:
        comparison = compared(cursor(), claude())

        assert found(comparison) == {}
        assert comparison.counts.same == 4

    def test_all_arguments_count_where_the_user_says_so(self) -> None:
        other = claude()
        other.calls[1].arguments = {**(other.calls[1].arguments or {}), "limit": 5}

        assert found(compared(cursor(), other)) == {}
        assert found(compared(cursor(), other, args="exact")) == {"args": "minor"}

    def test_all_arguments_count_within_one_agent(self) -> None:
        other = claude()
        other.calls[1].arguments = {**(other.calls[1].arguments or {}), "limit": 5}

        assert found(compared(claude(), other)) == {"args": "minor"}

    def test_two_kinds_of_logs_of_one_agent_are_as_those_of_two(self) -> None:
        other = claude()
        other.agent, other.agent_version = "Codex", "0.130.0"
        first = codex()
        first.agent_version = ""

        comparison = compared(first, other)

        assert comparison.agents is not None
        assert {*found(comparison)} == {"added", "output"}
        named = convert.compare(first, other, directories=(DIRECTORY, ""))
        assert named.agents is not None
        other.agent_version = ""
        assert compared(first, other).agents is None

    def test_a_log_that_alone_records_an_end_is_of_another_kind(self) -> None:
        session, stream = claude(state=None), claude(answer="No.")
        stream.calls[1].arguments = {**(stream.calls[1].arguments or {}), "limit": 5}

        for a, b in ((session, stream), (stream, session)):
            comparison = compared(a, b)
            assert found(comparison) == {"text": "minor"}
            report = convert.report(comparison)
            assert "two kinds of logs of Claude Code 2.1.205; calls comp" in report
            side = "A" if a is session else "B"
            assert f"how the run ended ({side})" in report

    def test_a_run_is_compared_with_others_of_both_agents(self) -> None:
        from convert.diff import compare_sides, side_of

        settings = Settings()
        ours, same, other = (
            side_of([run], settings) for run in (claude(), claude(), cursor())
        )

        for _ in range(2):
            assert compare_sides(ours, same, settings).runs[0].agents is None
            assert not compare_sides(ours, other, settings).findings

    def test_the_books_of_an_agent_are_information(self) -> None:
        todos = {"todos": [{"content": "fix", "status": "pending"}]}
        books = claude(
            extra=[
                ("TodoWrite", todos, OK, None),
                ("ToolSearch", {"query": "x"}, OK, {}),
            ]
        )

        assert found(compared(cursor(), books)) == {"added": "info"}
        assert found(compared(claude(), books)) == {"added": "major"}

    def test_both_directions_agree(self) -> None:
        assert_mirrored(compared(cursor(), codex()), compared(codex(), cursor()))


class TestPlaces:
    @pytest.mark.parametrize(
        ("commands", "others", "categories"),
        [
            (["cd app && make"], [("make", "app")], set()),
            (["cd 'app'; make"], [("make", f"{DIRECTORY}/app")], set()),
            (["cd app && make"], [("make", "lib")], {"args"}),
            (["cd app && make", "cd lib && make"], [("make", "lib")] * 2, _ALONE),
            # The folder that a shell keeps from the command before is not known.
            (["cd app && make"], [("make", "")], {"args"}),
            (["cd app && make", "make"], [("make", "app"), ("make", "")], _ALONE),
            (["cd - && make"], [("make", "-")], {"args"}),
        ],
    )
    def test_a_folder_is_the_same_however_an_agent_says_it(
        self,
        commands: list[str],
        others: list[tuple[str, str]],
        categories: set[str],
    ) -> None:
        a = run_of("Claude Code", [shell("Bash", each, OK, "") for each in commands])
        calls: list[Step] = [
            ("shell", {"command": command, "workdir": place}, OK, {"stdout": ""})
            for command, place in others
        ]
        b = run_of("Codex", calls)

        assert {*found(compared(a, b))} == categories
        assert {*found(compared(b, a))} == categories

    def test_only_the_subject_is_shown_of_calls_that_differ(self) -> None:
        arguments = {
            "command": "python build.py --all",
            "with_escalated_permissions": True,
        }
        a = run_of("Claude Code", [shell("Bash", "python build.py", OK, "")])
        b = run_of("Codex", [("shell", arguments, OK, {"stdout": ""})])

        assert "with_escalated_permissions" not in convert.report(compared(a, b))
        exact = convert.report(compared(a, b, args="exact"))
        assert "with_escalated_permissions  (absent) -> true" in exact


class TestFilesShown:
    @pytest.mark.parametrize(
        ("command", "path"),
        [
            ("cat src/cart.py", "src/cart.py"),
            ("cat -n 'src/my cart.py'", "src/my cart.py"),
            ("sed -n '1,20p' ./cart.py", "cart.py"),
            ("head -n 20 cart.py", "cart.py"),
            ("tail -5 cart.py", "cart.py"),
            ("nl -ba cart.py", "cart.py"),
            ("cat", ""),
            ("cat -", ""),
            ("cat a.py b.py", ""),
            ("cat $FILE", ""),
            ("cat cart.py > copy.py", ""),
            ("cat cart.py | grep total", ""),
            ("cat cart.py && rm cart.py", ""),
            ("sed -i s/a/b/ cart.py", ""),
            ("sed -n w cart.py", ""),
            ("grep total cart.py", ""),
        ],
    )
    def test_the_file_that_a_command_shows(self, command: str, path: str) -> None:
        assert file_shown(command) == path

    def test_a_read_is_the_same_with_a_tool_and_with_a_command(self) -> None:
        a = run_of("Claude Code", [read("cart.py"), read("tax.py")])
        b = run_of("Codex", [cat("cart.py"), cat("other.py")])

        for comparison in (compared(a, b), compared(b, a)):
            about = found(comparison)
            assert about.pop("tool") == "info"
            assert about == {"removed": "minor", "added": "minor"}
            assert comparison.counts.same == 1
        assert "tool" not in found(compared(a, b, args="exact"))

    def test_a_command_that_both_runs_gave_is_no_read(self) -> None:
        a = run_of("Claude Code", [read("cart.py"), cat("cart.py")])
        b = run_of("Codex", [cat("cart.py")])

        assert found(compared(a, b)) == {"removed": "minor"}

    def test_within_one_agent_a_command_is_a_command(self) -> None:
        a, b = (run_of("Codex", [step("cart.py")]) for step in (read, cat))

        assert {*found(compared(a, b))} == {"added", "removed"}


def read(path: str) -> Step:
    return ("read", {"path": f"{DIRECTORY}/{path}"}, OK, {"content": "x"})


def cat(path: str) -> Step:
    return shell("shell", f"cat {path}", OK, "x")


class TestOutcomes:
    @pytest.mark.parametrize(
        ("error", "categories"),
        [
            (Outcome("error"), set()),
            (Outcome("error", message="it failed"), set()),
            (Outcome("error", arm="toolError"), set()),
            (Outcome("error", exit_code=2), {"outcome"}),
            (OK, {"outcome"}),
        ],
    )
    def test_exit_codes_count_where_both_logs_have_them(
        self, error: Outcome, categories: set[str]
    ) -> None:
        comparison = compared(cursor(), claude(error=error))

        assert {*found(comparison)} == categories

    def test_other_reasons_count_within_one_agent(self) -> None:
        comparison = compared(claude(), claude(error=Outcome("error")))

        assert found(comparison) == {"outcome": "critical"}

    def test_a_state_that_one_log_lacks_is_no_difference(self) -> None:
        comparison = compared(cursor(), claude(state=None))

        assert found(comparison) == {}
        assert comparison.not_compared == ["status"]
        with pytest.raises(convert.InputError, match="the candidate records no state"):
            compared(cursor(), claude(state=None), require=("status",))

    def test_other_numbers_of_tests_are_found(self) -> None:
        comparison = compared(cursor(tests="0 passed"), claude())

        assert found(comparison) == {"tests": "major", "output": "info"}


class TestFiles:
    def test_the_same_lines_make_the_same_file(self) -> None:
        (file,) = compared(cursor(), claude()).runs[0].files

        assert file.status == "same"

    def test_other_lines_make_another_file(self) -> None:
        other = "    return 6\n"

        assert found(compared(cursor(after=other), claude())) == {"files": "major"}

    def test_a_file_without_contents_is_not_compared(self) -> None:
        comparison = compared(claude(), codex(directory=DIRECTORY))
        (file,) = comparison.runs[0].files

        assert file.status == "not recorded"
        assert "files" not in found(comparison)

    def test_paths_of_a_log_without_a_directory_are_in_that_of_the_other(self) -> None:
        for a, b in ((claude(), codex()), (codex(), claude())):
            comparison = compared(a, b)

            assert [file.path for file in comparison.runs[0].files] == ["src/cart.py"]
            assert comparison.counts.same == 3

    def test_an_edit_without_a_directory_has_the_same_effect(self) -> None:
        other = claude()
        other.agent, other.directory = "opencode", ""

        assert found(compared(claude(), other, args="exact")) == {}

    def test_a_directory_can_be_named_for_a_log_without_one(self) -> None:
        elsewhere = claude(directory="/srv/shop")

        def files(directory: str) -> list[str]:
            named = ("", directory)
            comparison = convert.compare(elsewhere, codex(), directories=named)
            return [file.path for file in comparison.runs[0].files]

        assert files("") == [f"{DIRECTORY}/src/cart.py", "src/cart.py"]
        assert files(DIRECTORY) == ["src/cart.py"]

    def test_a_recorded_directory_counts_more_than_a_named_one(self) -> None:
        runs = claude(), codex(directory=DIRECTORY)
        comparison = convert.compare(*runs, directories=("/srv/a", "/srv/b"))

        assert [file.path for file in comparison.runs[0].files] == ["src/cart.py"]


class TestTokens:
    def test_what_is_written_to_a_cache_is_input_and_what_is_read_counts_apart(
        self,
    ) -> None:
        ones = with_tokens(cursor(), Tokens(4000, 100, 9000, 0))
        others = with_tokens(claude(answer="No."), Tokens(16, 84, 48_000, 3900))

        report = convert.report(compared(ones, others))

        assert "tokens 4,100 -> 4,000" not in report
        assert "tokens with the cache 13,100 -> 52,000 (x3.97)" in report
        assert "usage" not in found(compared(ones, others, max_tokens_ratio=1.0))
        assert "usage" in found(compared(others, ones, max_tokens_ratio=1.0))

    @pytest.mark.parametrize("is_growing", [True, False])
    def test_tokens_of_other_kinds_have_no_ratio(self, is_growing: bool) -> None:
        ones = with_tokens(cursor(), Tokens(4000, 100, 9000, 0))
        others = with_tokens(claude(answer="No."), Tokens(52_000, 100))
        sides = (ones, others) if is_growing else (others, ones)

        comparison = compared(*sides, max_tokens_ratio=0.01)
        (limit,) = limits(comparison.runs[0], comparison.settings)

        assert "usage" not in found(comparison)
        assert (limit.what, len(limit.missing)) == ("cached tokens", 1)
        report = convert.report(comparison)
        assert "(not of the same kinds)" in report
        assert "tokens with the cache" not in report
        assert "usage" in found(compared(*sides, max_tokens=100))


def with_tokens(run: Run, tokens: Tokens) -> Run:
    assert run.result is not None
    run.result = replace(run.result, tokens=tokens)
    return run


class TestAnswers:
    def test_the_answer_is_compared_with_the_answer(self) -> None:
        assert compared(cursor(), claude()).runs[0].text.similarity == 1.0

        other = compared(cursor(), claude(answer="It multiplies now."))
        assert found(other) == {"text": "minor"}
        assert other.runs[0].text.a == "It now multiplies, and all 3 tests pass."

    def test_all_that_was_said_counts_where_the_user_says_so(self) -> None:
        whole = compared(cursor(), claude(), text="full").runs[0].text

        assert whole.a.startswith("I'll run the tests first.It now")
        assert whole.b.startswith("I begin with the tests.It now")

    def test_the_last_text_is_the_answer_of_a_log_without_results(self) -> None:
        text = compared(claude(state=None), claude(state=None)).runs[0].text

        assert text is not None
        assert text.is_equal


class TestReports:
    @pytest.mark.exhaustive
    @pytest.mark.parametrize("name", part(REPORTS, 2))
    def test_each_report_names_the_agents(self, name: str) -> None:
        across = convert.report(compared(cursor(), codex()), name)
        within = convert.report(compared(codex(), codex()), name)

        if name == "json":
            names = [agent["name"] for agent in json.loads(across)["agents"]]
            assert names == ["Cursor", "Codex"]
            assert "agents" not in json.loads(within)
        else:
            assert "Cursor against Codex 0.46.0" in across
            assert "against" not in within

    def test_the_report_says_what_either_log_lacks(self) -> None:
        report = convert.report(compared(claude(), codex()))

        assert "not recorded: prompt, model, times, tokens (both);" in report
        assert "directory, the changes of edits (Codex)" in report
        assert "as if it ran in the directory of A; --directory-b" in report

    def test_the_report_says_that_paths_cannot_match(self) -> None:
        elsewhere = claude(directory="/srv/shop")

        report = convert.report(compared(elsewhere, codex()))

        assert "paths   of B compared as they are; --directory-b" in report

    def test_the_report_says_that_subjects_are_compared(self) -> None:
        by_default = convert.report(compared(cursor(), codex()))
        as_said = convert.report(compared(cursor(), codex(), args="subject"))

        assert "calls compared by subject" in by_default
        assert "calls compared by subject" not in as_said

    def test_names_from_logs_do_no_harm(self) -> None:
        run = codex()
        run.agent = "Odd\x1b[31m\nagent"

        report = convert.report(compared(cursor(), run))

        assert "Cursor against Odd\\x1b[31m agent 0.46.0" in report

    def test_the_json_report_tells_which_arguments_count(self) -> None:
        def args(a: Run, b: Run) -> str:
            return json.loads(convert.report(compared(a, b), "json"))["settings"][
                "args"
            ]

        assert args(cursor(), codex()) == "subject"
        assert args(codex(), codex()) == "exact"

    def test_a_success_with_failures_on_one_side_is_what_the_agent_says(self) -> None:
        lost = claude(extra=[shell("Bash", "make", FAILED, "")])

        report = convert.report(compared(cursor(), lost))
        assert "success (both, as they say); B: 1 failure unresolved" in report
        report = convert.report(compared(lost, lost, fail_on="info"))
        assert "as they say" not in report
        lost.state = "error"
        assert "as they say" not in convert.report(compared(cursor(), lost))

    @pytest.mark.parametrize(
        ("outputs", "words"),
        [
            (1, "call 1 returned"),
            (5, "calls 1, 2, 3, 4 and 5 returned"),
            (7, "calls 1, 2, 3, 4, 5 and 2 more returned"),
        ],
    )
    def test_calls_with_other_outputs_are_named(self, outputs: int, words: str) -> None:
        a, b = (
            run_of("Codex", [shell("sh", f"cat {n}", OK, out) for n in range(outputs)])
            for out in ("one", "two")
        )

        assert words in convert.report(compared(a, b, fail_on="info"))
