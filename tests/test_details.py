"""The details of two values that differ: complete, and in few changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from convert.diff import (
    LineChange,
    Rewording,
    Span,
    TextComparison,
    ValueChange,
    WordChange,
    describe,
    digest,
    prose_changed,
    similarity,
    text_lines_changed,
    texts_apart,
    words,
    words_changed,
)
from convert.diff.text_changes import split_words
from convert.diff.texts import words_of
from support.matrix import each

names = st.sampled_from(["id", "name", "done", "items"])
phrases = st.text(alphabet="ab \t値", max_size=12)
scalars = st.sampled_from([None, True, 1, 0, "1", "a", "two words", "two\nlines"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)
items = st.lists(
    st.fixed_dictionaries({"name": st.text("abcdef", min_size=3), "done": scalars}),
    min_size=1,
    max_size=8,
    unique_by=lambda item: item["name"],
)
texts = st.lists(st.sampled_from(["", "one two three", "one two", "x"])).map("\n".join)


def in_order(value: Any) -> Any:
    """Sort the members of objects at any depth, as normalised arguments are."""
    if isinstance(value, dict):
        return {name: in_order(value[name]) for name in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


@given(objects, objects)
def test_values_that_differ_have_a_change_and_equal_ones_none(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    one, other = in_order(one), in_order(other)

    assert bool(describe(one, other)) == (digest(one) != digest(other))


@given(objects, objects)
def test_describing_changes_nothing(one: dict[str, Any], other: dict[str, Any]) -> None:
    before = copy.deepcopy((one, other))

    describe(one, other)

    assert (one, other) == before


@given(items, st.data(), st.sampled_from(["none", "own", "numbers"]))
def test_an_item_put_into_a_list_is_one_change(
    objects: list[dict[str, Any]], data: st.DataObject, ids: str
) -> None:
    place = data.draw(st.integers(0, len(objects)))
    new = [*objects[:place], {"name": "zzz", "done": 7}, *objects[place:]]

    old, new = (with_ids(list_, ids) for list_ in (objects, new))
    added, removed = (
        describe({"list": old}, {"list": new}),
        describe({"list": new}, {"list": old}),
    )

    path = f"list[{place}]"
    assert [(change.path, change.old) for change in changes(added)] == [(path, None)]
    assert [(change.path, change.new) for change in changes(removed)] == [(path, None)]


def with_ids(objects: list[dict[str, Any]], ids: str) -> list[dict[str, Any]]:
    if ids == "none":
        return objects
    return [
        {"id": str(place) if ids == "numbers" else item["name"], **item}
        for place, item in enumerate(objects, 1)
    ]


def changes(details: list[Any]) -> list[ValueChange]:
    assert all(isinstance(detail, ValueChange) for detail in details)
    return details


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param([1, 2], [1, 3], [("[1]", "2", "3")], id="another value"),
        pytest.param([1], [True], [("[0]", "1", "true")], id="true is not one"),
        pytest.param(
            [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}],
            [{"id": 2, "n": "a"}, {"id": 3, "n": "b"}],
            [
                ("[0].n", "b", "a"),
                ("[0]", '{"id": 1, "n": "a"}', None),
                ("[1]", None, '{"id": 3, "n": "b"}'),
            ],
            id="ids that number only one of the lists",
        ),
        pytest.param(
            [{"id": "a"}, {"id": "b"}],
            [{"id": "b"}, {"id": "a"}],
            [(" order", '["a", "b"]', '["b", "a"]')],
            id="another order",
        ),
        pytest.param(
            [{"id": "a", "n": 1}, {"id": "a", "n": 2}],
            [{"id": "a", "n": 1}, {"id": "a", "n": 3}],
            [("[1].n", "2", "3")],
            id="an id that two items share",
        ),
        pytest.param(
            [{"id": "0"}, {"id": "1"}],
            [{"id": "0"}, {"id": "1"}, {"id": "2"}],
            [("[2]", None, '{"id": "2"}')],
            id="numbers from zero",
        ),
        pytest.param(
            [{"id": "1"}],
            [{"id": 1}],
            [("[0]", '{"id": "1"}', None), ("[0]", None, '{"id": 1}')],
            id="an id as a number",
        ),
    ],
)
def test_items_are_matched_before_they_are_compared(
    old: list[Any], new: list[Any], told: list[tuple[str, str | None, str | None]]
) -> None:
    found = changes(describe({"x": old}, {"x": new}))

    by_path = [
        (change.path.removeprefix("x"), *astuple(change)[1:]) for change in found
    ]
    assert sorted(by_path, key=str) == sorted(told, key=str)


@given(texts, texts)
def test_the_lines_of_a_change_make_both_texts(old: str, new: str) -> None:
    for change in (text_lines_changed("", old, new), prose_changed("", old, new)):
        if isinstance(change, WordChange):
            continue
        lines = [line for hunk in change.hunks for line in hunk.lines]
        ones, others = (in_text(lines, kind) for kind in ("removed", "added"))
        assert is_subsequence(ones, old.split("\n"))
        assert is_subsequence(others, new.split("\n"))
        assert bool(change.hunks) == (old != new)


@each(
    ("old", "new", "shown"),
    [
        ("npm test", "cd '.' || npm test", "{+cd '.' ||+} npm test"),
        ("a b", "a c", "a [-b-]{+c+}"),
        ("x a", "a", "[-x-] a"),
        ("a", "a x", "a {+x+}"),
        ("a, b", "x a, c", "{+x+} a, [-b-]{+c+}"),
        ("a  b", "a b", "a[-  b-]{+ b+}"),
        ("  make", "make", "[-  make-]{+make+}"),
        ("x y z", "x  q  y z", "x {+q+} y z"),
    ],
)
def test_a_word_stays_the_same_next_to_one_that_differs(
    old: str, new: str, shown: str
) -> None:
    assert words(words_changed("", old, new).spans) == shown


@given(phrases, phrases)
def test_the_words_of_a_change_make_both_texts(old: str, new: str) -> None:
    spans = words_changed("", old, new).spans

    for text, kind in ((old, "removed"), (new, "added")):
        assert "".join(s.text for s in spans if s.kind in ("same", kind)) == text
    assert all(span.kind == "same" for span in spans) == (old == new)


@each(
    ("a", "b", "parts"),
    [
        ("same words here", "same words there", []),
        ("one", "two\n\nthree", [["one"], ["two", "", "three"]]),
        (f"- {'ab ' * 40}", "", [[f"-{' ab' * 31}", " ".join(["ab"] * 9)], []]),
    ],
)
def test_texts_that_are_too_different_are_whole(
    a: str, b: str, parts: list[list[str]]
) -> None:
    compared = TextComparison(a, b, similarity(a, b), is_equal=False)

    shown = texts_apart(compared)
    assert [[line.text for line in text.lines] for text in shown] == parts


def in_text(lines: list[Span | Rewording], kind: str) -> list[str]:
    """Return the lines of one side, without the mark of a last one."""
    found = []
    for line in lines:
        spans = line.spans if isinstance(line, Rewording) else [line]
        if any(span.kind in ("same", kind) for span in spans):
            text = "".join(span.text for span in spans if span.kind in ("same", kind))
            found.append(text.removesuffix(" (no line feed at the end)"))
    return found


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_changed_lines_that_are_near_are_in_one_hunk(between: int, hunks: int) -> None:
    """Each has three lines around it, so six lines between two leave no gap."""
    old, new = (
        "\n".join(["x", word, *map(str, range(between)), word, "x"]) for word in "ab"
    )

    change = text_lines_changed("", old, new)

    assert len(change.hunks) == hunks
    assert sum(len(hunk.lines) for hunk in change.hunks) == 2 + 4 + 6


def test_a_line_that_is_alike_is_compared_by_its_words() -> None:
    old = "# Done\n\nAll 14 tests pass.\nThe rest is as it was."
    new = "# Done\n\nAll 13 tests pass.\nSee the notes."

    change = prose_changed("text", old, new)

    assert isinstance(change, LineChange)
    [hunk] = change.hunks
    assert hunk.line == 3
    assert hunk.lines[2] == Rewording(words_changed("", old[8:26], new[8:26]).spans)
    assert [span.kind for span in hunk.lines[3:] if isinstance(span, Span)] == [
        "removed",
        "added",
    ]


def test_one_line_of_other_words_is_two_lines() -> None:
    change = prose_changed("text", "Done. All tests pass.", "The suite is green")

    assert isinstance(change, LineChange)
    assert [[*hunk.lines] for hunk in change.hunks] == [
        [Span("removed", "Done. All tests pass."), Span("added", "The suite is green")]
    ]


@given(st.text(st.characters(max_codepoint=0x303F)))
def test_a_text_has_the_words_that_it_has_next_to_chinese(text: str) -> None:
    assert [*words_of(text), "値"] == words_of(f"{text} 値")
    assert ["値", *split_words(f" {text}")] == split_words(f"値 {text}")
