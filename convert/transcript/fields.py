"""Read the members of an untrusted JSON object as the types that are expected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from convert.source.ndjson import REFUSED
from convert.wording.sanitise import resolve_overwrites, strip_controls

S = TypeVar("S", bound=Struct)
_INTEGER = re.compile(r"-?[0-9]{1,18}")
MOST = 10**18
"""No number of a log is as large as this one, or as its negative."""


class Followed(dict[str, Any]):
    """Members that know which of them have been read."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(members)
        self.names_read: set[str] = set()

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return a member, and remember its name."""
        self.names_read.add(name)
        return super().get(name, default)


class Fields(Struct):
    """An object of unknown shape; a missing member reads as empty.

    A member of another type than expected reads as empty, too.
    """

    _members: dict[str, Any]

    unexpected: dict[str, Any]
    """Members of another type than expected, by name; inner objects share the dict."""

    def __bool__(self) -> bool:
        return bool(self._members)

    def __contains__(self, name: str) -> bool:
        return self._members.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def value(self, name: str) -> Any:
        """Return a member as it is."""
        return self._members.get(name)

    def text(self, *names: str) -> str:
        """Return the first of these members that is a non-empty string, cleaned."""
        for name in names:
            value = self._members.get(name)
            if isinstance(value, str):
                if value:
                    return strip_controls(value)
            elif value is not None:
                self.unexpected[name] = value
        return ""

    def output(self, name: str) -> str:
        """Return the output of a program as a terminal shows it in the end."""
        value = self._members.get(name)
        if value is None:
            return ""
        return resolve_overwrites(value) if isinstance(value, str) else self.text(name)

    def number(self, name: str) -> int | None:
        """Return a number; 64-bit ones are strings in JSON."""
        value = self._members.get(name)
        if value is None or (type(value) is int and abs(value) < MOST):
            return value
        match value:
            case float() if value.is_integer() and abs(value) < 1e15:
                return int(value)
            case str() if _INTEGER.fullmatch(value):
                return int(value)
        self.unexpected[name] = value
        return None

    def flag(self, name: str) -> bool:
        """Return True if a member is true."""
        return self._members.get(name) is True

    def fields(self, name: str) -> Fields:
        """Return an object."""
        value = self._members.get(name)
        if value is None:
            value = {}
        elif not isinstance(value, dict):
            self.unexpected[name] = value
            value = {}
        return Fields(value, self.unexpected)

    def struct(self, kind: type[S]) -> S | None:
        """Return the object as a struct; None if a member has another type.

        This takes a third of the time of reading many members one by one.
        """
        try:
            return msgspec.convert(self._members, kind)
        except REFUSED:
            return None

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        return [Fields(item, self.unexpected) for item in self._items(name, dict)]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings, cleaned."""
        return [strip_controls(item) for item in self._items(name, str)]

    def _items(self, name: str, expected: type) -> list[Any]:
        """Return the items of a list that are of a type."""
        value = self._members.get(name)
        items = value if isinstance(value, list) else []
        found = [item for item in items if isinstance(item, expected)]
        if len(found) < len(items) or (value is not None and value is not items):
            self.unexpected[name] = value
        return found
