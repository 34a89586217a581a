"""The tokens and the costs of runs, from responses and from sums of a process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from convert.agents.lines import added
from convert.model.events import Tokens
from convert.model.run import recorded_cost, total_cost

# More tokens than any run has.
_BEYOND_BELIEF = 1e15
# The lines of a response follow each other, with results of its calls between them.
_MOST_RESPONSES = 1000


class Usage(Struct, gc=False):
    """The tokens of a run or of a response.

    Qwen Code names a total, and counts the cache as input.
    """

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    cache_read_input_tokens: int | float | None = None
    cache_creation_input_tokens: int | float | None = None
    total_tokens: int | float | None = None


def tokens_of(usage: Any) -> Tokens | None:
    """Return the tokens of a run or a response; None if a line records none."""
    if not isinstance(usage, Usage):
        return None
    read = whole(usage.cache_read_input_tokens)
    input = whole(usage.input_tokens)
    if usage.total_tokens is not None and input is not None and read is not None:
        input = max(input - read, 0)
    written = whole(usage.cache_creation_input_tokens)
    return Tokens(input, whole(usage.output_tokens), read, written)


def whole(value: float | None) -> int | None:
    """Return a count as an integer; None if it is negative or beyond belief."""
    return round(value) if value is not None and 0 <= value < _BEYOND_BELIEF else None


class ResponseTokens:
    """Adds up the tokens of responses, which may have several lines each.

    The last line of a response counts. Its output is final only if it says why the
    response stopped; a placeholder before that is less than the real number.
    """

    def __init__(self) -> None:
        # The tokens in the last line of each response, and True if they are final.
        self._open: dict[str, tuple[Tokens, bool]] = {}
        self._closed: list[int | None] = [None] * 4
        self._finals = 0
        self._count = 0

    def add(self, id: str, usage: Any, *, is_final: bool) -> None:
        """Add a line of the response with an id; "" if it has none of its own."""
        tokens = tokens_of(usage)
        if tokens is None:
            return
        self._open.pop(id, None)
        key = id or f"line {self._count}-{len(self._open)}"
        self._open[key] = tokens, is_final
        if len(self._open) > _MOST_RESPONSES:
            self._close(next(iter(self._open)))

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of all responses; None if none is recorded."""
        for id in list(self._open):
            self._close(id)
        if not self._count:
            return None
        are_final = self._finals == self._count
        return Tokens(
            *self._closed, *(() if are_final else (self._finals, self._count))
        )

    def _close(self, id: str) -> None:
        tokens, is_final = self._open.pop(id)
        self._count += 1
        self._finals += is_final
        pairs = zip(self._closed, astuple(tokens)[:4], strict=True)
        self._closed = [added(known, more) for known, more in pairs]


# The most sessions that are kept: memory must not grow with the log.
_MOST_SESSIONS = 1000


class ModelUsage(Struct, gc=False):
    """The cost of one model since the process began."""

    costUSD: int | float | None = None


class _Sums(Struct, frozen=True):
    """The cost of a process so far, in total and by model."""

    total: Decimal
    by_model: Mapping[str, Decimal]


class ProcessCosts:
    """The costs of single runs, from sums that go on over the runs of a process.

    A new session begins again, and so does a sum that is smaller than the one before.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, _Sums] = OrderedDict()

    def of_run(self, session: str, total: Any, usage: Any) -> Decimal | None:
        """Return the cost of a run that ends with these sums, in total and by model.

        Without a total, it is that of all models. None if neither is recorded.
        """
        by_model = {
            model: cost
            for model, used in (usage.items() if isinstance(usage, dict) else ())
            if isinstance(used, ModelUsage)
            and (cost := recorded_cost(used.costUSD)) is not None
        }
        cost = recorded_cost(total)
        sum_so_far = total_cost(by_model.values()) if cost is None else cost
        if sum_so_far is None:
            return None
        sums = _Sums(sum_so_far, by_model)
        before = self._replace(session, sums)
        if before is None or _begins_again(before, sums):
            return sum_so_far
        return sum_so_far - before.total

    def so_far(self, session: str, cost: Decimal) -> Decimal:
        """Return the sum of a process after a run of this cost."""
        before = self._last.get(session)
        total = cost + before.total if before else cost
        self._replace(session, _Sums(total, {}))
        return total

    def _replace(self, session: str, sums: _Sums) -> _Sums | None:
        """Keep the sums of a session; return those before."""
        before = self._last.pop(session, None)
        self._last[session] = sums
        if len(self._last) > _MOST_SESSIONS:
            self._last.popitem(last=False)
        return before


def _begins_again(before: _Sums, sums: _Sums) -> bool:
    """Return True if sums are of another process than those before them.

    One of them is smaller, or lacks a model.
    """
    if sums.total < before.total:
        return True
    return bool(sums.by_model) and any(
        sums.by_model.get(model, -1) < cost for model, cost in before.by_model.items()
    )
