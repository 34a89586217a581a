"""How answers compare, for every pair of levels."""

from __future__ import annotations

import json

import convert
from convert.diff import TextComparison
from support.matrix import each


def stream(*texts: str, result: str | None = None) -> list[bytes]:
    """Return a run that makes a call after each text but the last."""
    events: list[dict[str, object]] = [{"type": "system", "subtype": "init"}]
    for number, text in enumerate(texts):
        if number:
            call = {"readToolCall": {"args": {"path": "a"}, "result": {"success": {}}}}
            events.append(
                {
                    "type": "tool_call",
                    "subtype": "completed",
                    "call_id": str(number),
                    "tool_call": call,
                }
            )
        events.append({"type": "assistant", "message": {"content": [{"text": text}]}})
    return [*map(_line, events), *summary(*texts, result=result)]


def summary(*texts: str, result: str | None = None) -> list[bytes]:
    """Return the result event of such a run."""
    said = "".join(texts) if result is None else result
    return [_line({"type": "result", "subtype": "success", "result": said})]


def _line(event: dict[str, object]) -> bytes:
    return json.dumps(event).encode() + b"\n"


def text(*texts: str) -> list[bytes]:
    """Return the agent's output as text."""
    return ["".join(texts).encode() + b"\n"]


def compare(a: list[bytes], b: list[bytes], how: str) -> TextComparison | None:
    settings = convert.Settings(text=how)
    return convert.compare(a, b, settings=settings).runs[0].text


SAME, NARRATION, DIFFERENT = "same", "narration", "different"


def verdict(a: list[bytes], b: list[bytes], how: str = "auto") -> str:
    found = compare(a, b, how)
    assert found is not None
    back = compare(b, a, how)
    assert back is not None
    assert (found.a, found.b, found.similarity) == (back.b, back.a, back.similarity)
    assert found.is_narration == back.is_narration
    if found.is_narration:
        return NARRATION
    return SAME if found.is_equal else DIFFERENT


@each(
    ("a", "b", "auto", "full", "last"),
    [
        (stream("One.", "Two."), stream("One.", "Two."), SAME, SAME, SAME),
        (stream("One.", "Two."), stream("1.", "Two."), NARRATION, DIFFERENT, SAME),
        (
            stream("One.", "Two."),
            stream("One.", "2."),
            DIFFERENT,
            DIFFERENT,
            DIFFERENT,
        ),
        # A blank text follows the last call, so all that was said is the answer.
        (stream("One.", "Two.", "\n"), stream("Two."), *3 * [DIFFERENT]),
        (stream("Yes.", ""), stream("No.", ""), DIFFERENT, DIFFERENT, DIFFERENT),
        (stream("", " "), stream(""), SAME, SAME, SAME),
        # The same words, cut elsewhere.
        (stream("One.", "Two."), stream("One.Two."), SAME, SAME, DIFFERENT),
        # A result that was not said differs as a whole.
        (stream("Two.", result="3."), stream("Two."), *3 * [DIFFERENT]),
        # A summary joins all that was said.
        (stream("One.", "Two."), summary("One.Two."), SAME, SAME, SAME),
        (stream("One.", "Two."), summary("1.Two."), NARRATION, DIFFERENT, SAME),
        (stream("One.", "Two."), summary("Two."), NARRATION, DIFFERENT, SAME),
        (stream("One.", "wo."), summary("Two."), DIFFERENT, DIFFERENT, DIFFERENT),
        (
            stream("One.", "Two."),
            summary("Two.2."),
            DIFFERENT,
            DIFFERENT,
            DIFFERENT,
        ),
        (summary("One.Two."), summary("1.Two."), DIFFERENT, DIFFERENT, DIFFERENT),
        # A text is the answer, or all that was said.
        (stream("One.", "Two."), text("Two."), SAME, DIFFERENT, SAME),
        (stream("One.", "Two."), text("One.Two."), SAME, SAME, DIFFERENT),
        (stream("One.", "Two."), text("One."), DIFFERENT, DIFFERENT, DIFFERENT),
        (summary("One.Two."), text("Two."), SAME, DIFFERENT, SAME),
        (summary("One.Two."), text("wo."), DIFFERENT, DIFFERENT, DIFFERENT),
        (text("One."), text("Two."), DIFFERENT, DIFFERENT, DIFFERENT),
    ],
)
def test_answers_compare_as_far_as_both_logs_record_them(
    a: list[bytes], b: list[bytes], auto: str, full: str, last: str
) -> None:
    assert verdict(a, b) == auto
    assert verdict(a, b, "full") == full
    assert verdict(a, b, "last") == last


def test_similarity_is_that_of_the_answers() -> None:
    found = compare(stream("I look.", "One two"), stream("Hm.", "One three"), "auto")

    assert found is not None
    assert (found.a, found.b) == ("One two", "One three")
    assert found.similarity == 0.5


def test_texts_are_kept_with_their_lines() -> None:
    found = compare(stream("One\r\n\r\n  two \n"), stream("One\n\nthree"), "auto")

    assert found is not None
    assert (found.a, found.b) == ("One\n\n  two", "One\n\nthree")
    assert found.recorded == ("One\r\n\r\n  two \n", "One\n\nthree")


def test_answers_that_differ_in_white_space_are_the_same() -> None:
    found = compare(stream("One\n two"), stream("One two\n"), "auto")

    assert found is not None
    assert found.is_equal
