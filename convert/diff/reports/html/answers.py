"""The final texts of two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.changes import RunComparison
from convert.diff.reports.appearance import Look, lines_of
from convert.diff.reports.html.rows import lines_in_words
from convert.diff.reports.summary import judgement_lines, result_words
from convert.diff.text_changes import Kind, Span, words_changed
from convert.diff.trajectory import Trajectory
from convert.wording.sanitise import strip_controls


class Answers(Struct, kw_only=True):
    """How the final texts compare."""

    words: str
    where: str = ""
    """The lines that show it in both logs, if the texts differ."""

    judged: list[str]
    """The words of the user's command about them."""

    both: str = ""
    """The text in Markdown if it is the same."""

    a: list[Span] = []
    """The text of A as written, with what B does not say marked as removed."""

    b: list[Span] = []
    """The text of B, with what A does not say marked as added."""


def answers_of(run: RunComparison, look: Look) -> Answers:
    """Return the answers of a pair of runs."""
    words = result_words(run)
    made = Answers(
        words=f"{words[:1].upper()}{words[1:]}.",
        judged=[" ".join(line.split()) for line in judgement_lines(run, look)][1:],
    )
    text = run.text
    if text is None:
        return made
    if text.is_equal:
        made.both = strip_controls(_apart(text.recorded[0], run.a)).strip()
        return made
    about = [finding for finding in run.findings if finding.is_about_text]
    made.where = lines_in_words(*lines_of(about[0], run))
    spans = words_changed("", text.a, text.b).spans
    made.a = list(_side(spans, "added"))
    made.b = list(_side(spans, "removed"))
    return made


def _apart(text: str, run: Trajectory | None) -> str:
    """Return a text with a blank line between the messages that it joins."""
    messages = run.run.texts if run else []
    if "".join(messages) != text:
        return text
    return "\n\n".join(message for message in messages if message.strip())


def _side(spans: list[Span], other: Kind) -> Iterator[Span]:
    """Yield the text of one side; white space before a word is not marked."""
    for span in spans:
        text = span.text.lstrip()
        if span.kind == other:
            continue
        yield Span("same", span.text[: len(span.text) - len(text)])
        if text:
            yield Span(span.kind, text)
