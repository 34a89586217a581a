"""Members of a JSON value, named by paths: `todos.*.createdAt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def without(value: Any, path: tuple[str, ...]) -> Any:
    """Return a value without what a path leads to.

    `*` in the path stands for any member of an object and any place in a list.
    """
    match value:
        case dict():
            return dict(_others(value.items(), path))
        case list():
            return [item for _, item in _others(enumerate(value), path)]
    return value


def _others(
    members: Iterable[tuple[Any, Any]], path: tuple[str, ...]
) -> Iterator[tuple[Any, Any]]:
    name, *rest = path
    for member, value in members:
        if name not in ("*", str(member)):
            yield member, value
        elif rest:
            yield member, without(value, tuple(rest))
