"""The part of a failed call's output that is shown."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

from convert.transcript import Clip, Excerpts, whole
from convert.transcript.shortened_texts import excerpts_of

LINES = st.lists(
    st.sampled_from(["", "x", "error: no", "0 errors", "ü\u2028", "Traceback"]),
    max_size=60,
)


def shown(text: Clip | Excerpts) -> str:
    return "".join(f"{note}{kept}" for note, kept in text.shown())


@given(LINES, st.integers(0, 20), st.integers(100, 400), st.integers(0, 20))
def test_excerpts_are_no_longer_than_asked_and_count_the_rest(
    lines: list[str], most_lines: int, most_bytes: int, fewer: int
) -> None:
    text = "".join(f"{line}\n" for line in lines)

    cut = excerpts_of(
        excerpts_of(whole(text), most_lines, most_bytes), fewer, most_bytes
    )

    if isinstance(cut, Clip):
        reject()
    left = "".join(excerpt.text for excerpt in cut.excerpts)
    assert cut.lines == left.count("\n")
    assert cut.bytes == len(left.encode())
    # A gap of up to three lines is not worth its note.
    gaps = [excerpt.omitted_lines for excerpt in cut.excerpts]
    assert all(gap > 3 for gap in gaps if gap)
    omitted_lines = sum(excerpt.omitted_lines for excerpt in cut.excerpts)
    omitted_bytes = sum(excerpt.omitted_bytes for excerpt in cut.excerpts)
    assert cut.lines + omitted_lines == len(lines)
    assert cut.bytes + omitted_bytes == len(text.encode())


def test_the_reason_and_the_end_are_kept_before_the_beginning() -> None:
    lines = [f"line {number}\n" for number in range(300)]
    lines[150] = "E   AssertionError: 1 != 2\n"

    cut = shown(excerpts_of(whole("".join(lines)), 12, 4000))

    assert "line 148\nline 149\nE   AssertionError: 1 != 2\nline 151\n" in cut
    assert cut.endswith("line 297\nline 298\nline 299\n")
    assert cut.count("omitted from this page …") == 2


def test_a_count_of_no_errors_is_no_reason() -> None:
    lines = [f"line {number}\n" for number in range(300)]
    lines[150] = "0 errors, no failures\n"

    assert "errors" not in shown(excerpts_of(whole("".join(lines)), 12, 4000))


def test_a_text_of_few_lines_is_whole() -> None:
    text = whole("error\n" * 12)

    assert excerpts_of(text, 12, 4000) == text
