"""The tokens of a thread of Codex, whose logs repeat the sum so far."""

from __future__ import annotations

from msgspec import Struct

from convert.model.events import Tokens


class Usage(Struct, gc=False):
    """The tokens of a thread so far; those of the cache are among the input."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None


class TokenCounts:
    """Adds up sums that begin again when a thread is resumed."""

    def __init__(self) -> None:
        self._before = Usage()
        self._last = Usage()
        self._is_known = False

    def add(self, usage: Usage | None) -> None:
        """Take the sum so far; one that is smaller than the last has begun again."""
        if usage is None:
            return
        self._is_known = True
        if _is_less(usage.input_tokens, self._last.input_tokens) or _is_less(
            usage.output_tokens, self._last.output_tokens
        ):
            self._before = self._total
        self._last = usage

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the run; None if its log records none."""
        if not self._is_known:
            return None
        total = self._total
        read, written = total.cached_input_tokens, total.cache_write_input_tokens
        fresh = total.input_tokens
        if fresh is not None:
            fresh = max(fresh - (read or 0) - (written or 0), 0)
        return Tokens(fresh, total.output_tokens, read, written)

    @property
    def _total(self) -> Usage:
        one, other = self._before, self._last
        return Usage(
            _sum(one.input_tokens, other.input_tokens),
            _sum(one.cached_input_tokens, other.cached_input_tokens),
            _sum(one.cache_write_input_tokens, other.cache_write_input_tokens),
            _sum(one.output_tokens, other.output_tokens),
        )


def _is_less(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
