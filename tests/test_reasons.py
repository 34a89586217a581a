"""Why calls failed, in words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from convert.model import OK, UNFINISHED, Outcome
from convert.tools import (
    LANGUAGES,
    outcome_in_words,
    outcome_name,
    outcome_note,
    parse_outcome,
    phrases_in,
    read_reason,
    reason_of,
)
from support.matrix import each


def _reasons() -> Iterator[tuple[str, str, Outcome]]:
    for language in LANGUAGES:
        for arm, reason in phrases_in(language)["reasons"].items():
            yield language, reason, Outcome("error", arm=arm)
        text = phrases_in(language)["ends of commands"]["signal"].format("SIGTERM")
        yield language, text, Outcome("error", signal="SIGTERM")


@each(("language", "text", "outcome"), _reasons())
def test_a_reason_is_written_and_read_back_in_each_language(
    language: str, text: str, outcome: Outcome
) -> None:
    assert reason_of(outcome, language) == text
    assert read_reason(text) == outcome


@pytest.mark.parametrize(
    ("arm", "words"),
    [("tooLarge", "too large"), ("rate_limited", "rate limited"), ("failure", "")],
)
def test_the_name_of_an_error_is_not_shown(arm: str, words: str) -> None:
    assert reason_of(Outcome("error", arm=arm)) == words


def test_a_message_stands_as_recorded() -> None:
    outcome = Outcome("error", arm="timeout", message="took 30 s")

    assert reason_of(outcome, "de") == "took 30 s"


def test_a_signal_counts_more_than_the_status_that_a_shell_gives_it() -> None:
    killed = Outcome("error", exit_code=137, signal="SIGKILL")

    assert outcome_note(killed) == "error: terminated by SIGKILL"
    assert outcome_note(Outcome("error", exit_code=137)) == "exit 137"


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("ok", OK, "ok"),
        (
            "error(3221225477)",
            Outcome("error", exit_code=3_221_225_477),
            "exit 3221225477",
        ),
        ("error(-11)", Outcome("error", exit_code=-11), "exit -11"),
        (
            "error(SIGRTMIN+3)",
            Outcome("error", signal="SIGRTMIN+3"),
            "error: terminated by SIGRTMIN+3",
        ),
        ("error(tooLarge)", Outcome("error", arm="tooLarge"), "error: too large"),
        ("rejected", Outcome("rejected"), "refused"),
        ("unfinished", UNFINISHED, "unfinished"),
    ],
)
def test_an_outcome_is_read_by_its_name(
    name: str, outcome: Outcome, words: str
) -> None:
    assert parse_outcome(name) == outcome
    assert outcome_name(outcome) == name
    assert outcome_in_words(name) == words


def test_other_words_for_an_end_stay() -> None:
    assert outcome_in_words("2 failed") == "2 failed"


def test_no_two_kinds_of_error_share_a_reason() -> None:
    for language in LANGUAGES:
        reasons = [*phrases_in(language)["reasons"].values()]
        assert len(set(reasons)) == len(reasons)
