"""The name that a mistyped one may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, names: Iterable[str], least: float = 0.6) -> str | None:
    """Return the name that is most similar to a word, whatever the case of letters.

    None if none has a similarity of `least`, from 0 to 1.
    """
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in sorted(names)}
    near = get_close_matches(word.casefold(), folded, 1, least)
    return folded[near[0]] if near else None


def did_you_mean(word: str, names: Iterable[str], otherwise: str) -> str:
    """Return a question with the nearest name; `otherwise` if none is near."""
    near = nearest(word, names)
    return f"did you mean {near}?" if near else otherwise


def with_nearest(word: str, names: Iterable[str], advice: str) -> str:
    """Return an advice, after a question with the nearest name if one is near."""
    near = nearest(word, names)
    return f"did you mean {near}? {advice}" if near else advice
