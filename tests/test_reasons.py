"""Why calls failed, in words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from convert.model import Outcome
from convert.tools import LANGUAGES, phrases_in, read_reason, reason_of
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


def test_no_two_kinds_of_error_share_a_reason() -> None:
    for language in LANGUAGES:
        reasons = [*phrases_in(language)["reasons"].values()]
        assert len(set(reasons)) == len(reasons)
