"""Contracts of earlier versions, which later ones extend, or say in the changelog.

`goldens/VERSION/contracts.json` has what `contracts()` returned in a version. No later
version changes that file.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import convert
from convert.cli import command_names, option_sets, pages
from convert.options import OptionSet
from convert.scale import ROWS, every_column
from convert.source.marks import EndMark
from support.matrix import each
from test_docs import ROOT

VERSIONS = Path(__file__).parent / "goldens"
KEPT = [path.parent.name for path in VERSIONS.glob("*/contracts.json")]


def contracts() -> dict[str, Any]:
    """Return the contracts that docs/faq.md names, as values of JSON."""
    schemas = [
        json.loads(path.read_text("utf-8"))
        for path in sorted((ROOT / "convert").rglob("*.schema.json"))
    ]
    return {
        "exit statuses": {
            name: re.findall(r"(?m)^  (\d+) ", page.status)
            for name, page in pages().items()
        },
        "options": {name: [*flags_of(name)] for name in command_names()},
        "python": {name: names_in(getattr(convert, name)) for name in convert.__all__},
        "end of a try": [*EndMark.__struct_fields__],
        "tables": {
            table: {row.column: row.type for row in every_column(table)}
            for table in ROWS
        },
        **{schema["$id"]: without_words(schema) for schema in schemas},
    }


def flags_of(command: str) -> Iterator[str]:
    """Yield the options of a command."""
    for kind in option_sets(command):
        for row in kind.options().values():
            yield from row.flags


def names_in(thing: Any) -> list[str]:
    """Return the arguments of a function, or the documented fields of a class."""
    if inspect.isfunction(thing):
        return [*inspect.signature(thing).parameters]
    if isinstance(thing, type) and issubclass(thing, OptionSet):
        return [*thing.options()]
    if isinstance(thing, type) and issubclass(thing, msgspec.Struct):
        page = (ROOT / "docs" / "python.md").read_text("utf-8")
        return [name for name in dir(thing) if f"`{name}`" in page]
    return []


def without_words(schema: Any) -> Any:
    """Return a JSON Schema without its texts for people."""
    match schema:
        case dict():
            return {
                name: without_words(value)
                for name, value in schema.items()
                if not (name in ("title", "description") and isinstance(value, str))
            }
        case list():
            return [*map(without_words, schema)]
    return schema


def broken(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield the places where a contract does not hold any longer.

    Members and words may be added. A value of a report may get no further type, since
    readers do not expect it.
    """
    match old, new:
        case dict(), dict():
            for name, value in old.items():
                if name == "type" and isinstance(value, str | list):
                    types = [{*_listed(each.get(name))} for each in (old, new)]
                    if not types[1] <= types[0]:
                        yield place
                else:
                    yield from broken(value, new.get(name), f"{place}/{name}")
        case [str(), *_], list():
            yield from (f"{place}/{word}" for word in old if word not in new)
        case list(), list() if len(old) <= len(new):
            for at, each_old in enumerate(old):
                yield from broken(each_old, new[at], f"{place}/{at}")
        case _ if old != new:
            yield place


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


SCHEMA_OF_TWO = {
    "$id": "urn:runconv:x:1",
    "properties": {"a": {"type": "string"}, "b": {"enum": ["x", "y"]}},
    "required": ["a", "b"],
}


@each(
    ("change", "places"),
    [
        ({"more": {"type": "null"}}, []),
        ({"properties": {"a": {"type": "string"}}}, ["/properties/b"]),
        (
            {"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x"]}}},
            ["/properties/a", "/properties/b/enum/y"],
        ),
        ({"required": ["c", "a"]}, ["/required/b"]),
        ({"$id": "urn:runconv:x:2"}, ["/$id"]),
    ],
)
def test_a_member_may_be_added_and_none_may_go(
    change: dict[str, Any], places: list[str]
) -> None:
    assert [*broken(SCHEMA_OF_TWO, SCHEMA_OF_TWO | change)] == places


@each("version", KEPT)
def test_the_changelog_names_each_contract_that_is_broken(version: str) -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    announced = "\n".join(re.findall(r"(?ms)^### Contracts\n.*?(?=^##|\Z)", changes))

    kept = json.loads((VERSIONS / version / "contracts.json").read_bytes())
    found = broken(kept, contracts())

    named = (f"`{place.rpartition('/')[2]}`" for place in found)
    assert [name for name in named if name not in announced] == []
