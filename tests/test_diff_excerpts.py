"""The part of a long diff that is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from convert.transcript import Clip, Excerpts, diff_excerpts, whole
from convert.wording import unified_diff

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "dd\n"]), max_size=40)


def shown(text: Clip | Excerpts) -> list[str]:
    return "".join(kept for _, kept in text.shown()).splitlines()


def shortened(diff: str, most_lines: int, most_bytes: int = 10_000) -> list[str]:
    return shown(diff_excerpts(whole(diff), most_lines, most_bytes))


def changed(lines: list[str]) -> list[str]:
    return [line for line in lines if line[:1] in "+-" and line[3:4] != " "]


@given(TEXTS, TEXTS, st.integers(0, 30), st.integers(0, 300))
def test_lines_keep_their_order_and_all_are_counted(
    old: list[str], new: list[str], most_lines: int, most_bytes: int
) -> None:
    diff = unified_diff("".join(old), "".join(new), "x")

    cut = diff_excerpts(whole(diff), most_lines, most_bytes)

    rest = iter(diff.splitlines())
    assert all(line in rest for line in shown(cut))
    if isinstance(cut, Excerpts):
        omitted = sum(excerpt.omitted_lines for excerpt in cut.excerpts)
        assert len(shown(cut)) + omitted == diff.count("\n")
        again = diff_excerpts(cut, most_lines, most_bytes)
        assert {*shown(again)} <= {*shown(cut)}


@given(TEXTS, TEXTS)
def test_context_goes_before_any_changed_line(old: list[str], new: list[str]) -> None:
    diff = unified_diff("".join(old), "".join(new), "x")
    lines = diff.splitlines()
    needed = changed(lines) + [line for line in lines if line.startswith("@@")]

    kept = shortened(diff, len(needed))

    assert [line for line in kept if line in needed] == [
        line for line in lines if line in needed
    ]


def test_the_header_of_a_hunk_stays_with_its_lines() -> None:
    old = [f"{number}\n" for number in range(90)]
    new = [line if number % 20 else f"new {line}" for number, line in enumerate(old)]
    lines = shortened(unified_diff("".join(old), "".join(new), "x"), 6)

    assert sum(line.startswith("@@") for line in lines) == 2
    assert changed(lines) == ["-0", "+new 0", "-20", "+new 20"]


def test_the_middle_of_a_long_change_goes() -> None:
    diff = unified_diff("", "".join(f"{number}\n" for number in range(90)), "x")

    lines = shortened(diff, 7)

    assert changed(lines) == ["+0", "+1", "+2", "+87", "+88", "+89"]
