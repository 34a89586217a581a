"""The figures of a run, and their sums."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import astuple

from convert.facts.changed_files import FileChange
from convert.model.events import End, Start, State, Tokens
from convert.model.run import Run, total_cost


class Figures(Struct, frozen=True):
    """The figures of a run, or of several; None is a figure that no log records."""

    duration_ms: int | None = None
    """The duration of the run in milliseconds, as its result says."""

    tokens: Tokens | None = None
    """The number of tokens of each kind, as the result of the run says."""

    cost_usd: Decimal | None = None
    """The cost of the run in US dollars, as its log records it."""

    cost_by: str = ""
    """Who reports the cost, such as `Claude Code`; "" if the log does not say."""

    calls: int | None = None
    """The number of tool calls, those of subagents included.

    None for a summary, and for a text without a single action line.
    """

    errors: int | None = None
    """The number of calls that ended with an error; None if `calls` is.

    Some of their statuses may be `answers`.
    """

    rejected: int | None = None
    """The number of calls that were refused; None if `calls` is."""

    unfinished: int | None = None
    """The number of calls that never ended; None if `calls` is."""

    unresolved: int | None = None
    """The number of calls that went wrong and that no later call recovered.

    A refused call counts only if something depends on it. None if `calls` is, and for
    a text, which need not record the subjects of its calls.
    """

    answers: int | None = None
    """The number of errors that are answers, such as the status of `grep`.

    None if `calls` is, and for a text.
    """

    hidden: int | None = None
    """The number of calls that ended well although tests that they ran failed.

    None if `unresolved` is.
    """

    tools: dict[str, int] | None = None
    """The number of calls of each tool, by its name; None if `calls` is."""

    retries: int | None = None
    """The number of calls made again after they failed.

    None unless the caller counts them: only a comparison knows which calls are equal.
    """

    file_changes: list[FileChange] | None = None
    """The changed files, in the order of their first change.

    None unless the caller adds them with `file_changes_in`, which takes time.
    """

    @property
    def used_tokens(self) -> int | None:
        """The number of input and output tokens, without those read from a cache."""
        if self.tokens is None:
            return None
        return _total((self.tokens.fresh, self.tokens.output))

    @property
    def exact_tokens(self) -> int | None:
        """The same number; None as well if it is a lower bound."""
        return None if self.tokens and self.tokens.is_least else self.used_tokens

    @property
    def all_tokens(self) -> int | None:
        """The number of all tokens; None unless those read from a cache are known."""
        if self.tokens is None or self.tokens.cache_read is None:
            return None
        return _total((self.used_tokens, self.tokens.cache_read))

    @property
    def are_all_refused(self) -> bool:
        """The run made calls, and a person, a rule or a hook refused each of them."""
        return bool(self.calls) and self.calls == self.rejected

    @property
    def failed(self) -> int | None:
        """The number of failed calls, which is the same in every output.

        Those that hide failed tests are among them; refused and unfinished ones, and
        those whose status is an answer, are not. None if `calls` is.
        """
        if self.errors is None:
            return None
        return self.errors - (self.answers or 0) + (self.hidden or 0)


def total_figures(figures: Iterable[Figures]) -> Figures:
    """Return the sums over several runs; each is None if no run records it."""
    figures = list(figures)
    tools = [each.tools for each in figures if each.tools is not None]
    reporters = {each.cost_by for each in figures if each.cost_usd is not None}
    changes = [each.file_changes for each in figures if each.file_changes is not None]
    return Figures(
        duration_ms=_total(each.duration_ms for each in figures),
        tokens=_total_tokens(each.tokens for each in figures),
        cost_usd=total_cost(each.cost_usd for each in figures),
        cost_by=reporters.pop() if len(reporters) == 1 else "",
        calls=_total(each.calls for each in figures),
        errors=_total(each.errors for each in figures),
        rejected=_total(each.rejected for each in figures),
        unfinished=_total(each.unfinished for each in figures),
        unresolved=_total(each.unresolved for each in figures),
        answers=_total(each.answers for each in figures),
        hidden=_total(each.hidden for each in figures),
        tools=dict(sorted(sum(map(Counter, tools), Counter()).items()))
        if tools
        else None,
        retries=_total(each.retries for each in figures),
        file_changes=[*itertools.chain.from_iterable(changes)] if changes else None,
    )


def unlike_tokens(one: Figures, other: Figures) -> str:
    """Return a kind of tokens that only one of two runs records; "" for none.

    A log that does not record reads from a cache may count them as input.
    """
    if one.tokens is None or other.tokens is None:
        return ""
    if one.tokens.is_least or other.tokens.is_least:
        return "output"
    for kind in ("input", "output", "cache_read"):
        recorded, others = getattr(one.tokens, kind), getattr(other.tokens, kind)
        if (recorded is None) != (others is None):
            return kind
    return ""


def _total_tokens(used: Iterable[Tokens | None]) -> Tokens | None:
    recorded = [astuple(tokens) for tokens in used if tokens is not None]
    return Tokens(*map(_total, zip(*recorded, strict=True))) if recorded else None


def _total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of the recorded numbers; None if there are none."""
    recorded = [number for number in numbers if number is not None]
    return sum(recorded) if recorded else None


def run_length(end: End | Run, duration_ms: int | None) -> int | None:
    """Return how long a run took: to its last timestamp, or as the agent says.

    In milliseconds; None if the log records neither.
    """
    span = None
    if end.started_ms is not None and end.ended_ms is not None:
        span = max(end.ended_ms - end.started_ms, 0)
    lengths = [each for each in (span, duration_ms) if each is not None]
    return max(lengths) if lengths else None


def unrecorded(
    run: Start | Run,
    figures: Figures,
    *,
    has_prompt: bool,
    state: State | None,
    length: int | None,
) -> list[str]:
    """Name each fact of a run that its log lacks; `length` is the time of the run."""
    is_recorded = {
        "prompt": has_prompt,
        "directory": run.directory,
        "model": run.model,
        "how the run ended": state is not None,
        "times": figures.duration_ms is not None or length is not None,
        "tokens": figures.used_tokens is not None,
    }
    return [name for name, is_there in is_recorded.items() if not is_there]
