"""Lines of JSON that writers make, of values that JSON cannot hold as well."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from convert.model import json_bytes


class Point(msgspec.Struct, omit_defaults=True, rename={"name": "Name"}):
    name: str = ""
    lines: list[int] = []
    inner: Any = None


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ({"a": "é"}, '{"a":"é"}'),
        ({"a\ud83d": ["\ud83d", 1, None]}, '{"a�":["�",1,null]}'),
        (Point("\ud83d"), '{"Name":"�"}'),
        ([Point("x"), "\ud83d"], '[{"Name":"x"},"�"]'),
        ([Point("x", inner=msgspec.Raw(b"[1]")), "\ud83d"],
         '[{"Name":"x","inner":[1]},"�"]'),
    ],
)  # fmt: skip
def test_values_are_put_right(value: Any, made: str) -> None:
    assert json_bytes(value).decode() == made


def test_values_that_are_nested_too_deeply_are_skipped() -> None:
    value: Any = "x"
    for _ in range(100_000):
        value = [value]

    made = json_bytes({"a": value, "b": 1}).decode()

    assert made.endswith(',"b":1}')
    assert "(nested deeper, omitted)" in made
