"""The numbers of temporary directories and terminals that a run has several of."""

from __future__ import annotations

import convert
from convert.diff import Value, with_marks
from support.edits import Call, edited, log_of

ONE, OTHER = Value("tmp", "/tmp/tmp.aB3dE6fGhI"), Value("tmp", "/tmp/tmp.Kp29LmQ7rS")
MARKS = {ONE: "<tmp 1>", OTHER: "<tmp 2>"}


def made(*names: str) -> list[Call]:
    """Return a run that makes a file in each of these temporary directories."""
    return [
        edited(f"/tmp/{name}/x", None, f"{place}") for place, name in enumerate(names)
    ]


def test_marks_get_their_numbers_in_order() -> None:
    value = {"a": ["<tmp>/x", "<tmp>/y"], "b": "no mark", "c": "<tmp>"}

    shown = with_marks(value, [OTHER, ONE, OTHER], MARKS)

    assert shown == {"a": ["<tmp 2>/x", "<tmp 1>/y"], "b": "no mark", "c": "<tmp 2>"}


def test_what_only_looks_like_a_mark_gets_no_number() -> None:
    value = {"a": "cat < <tmp> and <tmp>/x"}

    assert with_marks(value, [ONE], MARKS) == value


def test_each_temporary_directory_has_files_of_its_own() -> None:
    one = made("tmp.aB3dE6fGhI", "tmp.Kp29LmQ7rS")
    other = made("tmp.Zx81mQ4rTw", "tmp.Vw60cN5yUe")

    (run,) = convert.compare([log_of(*one)], [log_of(*other)]).runs

    files = [(file.path, file.status) for file in run.files]
    assert files == [("<tmp 1>/x", "same"), ("<tmp 2>/x", "same")]


def test_a_single_temporary_directory_has_no_number() -> None:
    one, other = made("tmp.aB3dE6fGhI"), made("tmp.Zx81mQ4rTw")

    (run,) = convert.compare([log_of(*one)], [log_of(*other)]).runs

    assert [file.path for file in run.files] == ["<tmp>/x"]
