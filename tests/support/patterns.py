"""Facts about all that a regular expression can match, read from its parsed form."""

from __future__ import annotations

import re
import string
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

_OF_NAMES = f"{string.ascii_letters}{string.digits}_"
_REPEATS = (
    *(_constants.MAX_REPEAT, _constants.MIN_REPEAT),
    _constants.POSSESSIVE_REPEAT,
)

_CATEGORIES = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}


def least_of_a_name(pattern: str) -> int | None:
    """Return how long a name in ASCII that a pattern matches is at least.

    None if it can match no name, as it needs a sign or a blank. Parts that forbid
    something are passed by, so the pattern may match none where a number is returned.
    """
    tree = _parser.parse(pattern)
    return int(tree.getwidth()[0]) if _matches(tree) else None


def _matches(tree: Any) -> bool:
    """Return True if a sequence may match only characters of names."""
    return all(_may_match(kind, value) for kind, value in tree)


def _may_match(kind: Any, value: Any) -> bool:
    if kind is _constants.LITERAL:
        return chr(value) in _OF_NAMES
    if kind is _constants.IN:
        return any(_is_in(value, character) for character in _OF_NAMES)
    if kind in _REPEATS:
        return value[0] == 0 or _matches(value[2])
    if kind is _constants.SUBPATTERN:
        return _matches(value[3])
    if kind is _constants.ATOMIC_GROUP:
        return _matches(value)
    if kind is _constants.BRANCH:
        return any(map(_matches, value[1]))
    if kind is _constants.ASSERT:
        return _matches(value[1])
    return True


def _is_in(items: Any, character: str) -> bool:
    """Return True if a class of characters holds one."""
    is_negated = items[0][0] is _constants.NEGATE
    return is_negated != any(_is_item(*item, character) for item in items)


def _is_item(kind: Any, value: Any, character: str) -> bool:
    if kind is _constants.LITERAL:
        return chr(value) == character
    if kind is _constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    if kind is _constants.CATEGORY:
        return bool(re.match(_CATEGORIES[value], character))
    return False
