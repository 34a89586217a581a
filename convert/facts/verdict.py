"""How a run ended, in one sentence."""

from __future__ import annotations

import itertools
from typing import Literal

from msgspec import Struct

from convert.facts.figures import RunFigures
from convert.model.events import State
from convert.wording.numbers import count, numbered
from convert.wording.sanitise import harmless_line, truncate

# From the worst to the best; `unknown` is a run whose end is not recorded.
Tone = Literal["bad", "warning", "good", "unknown"]

_MOST_NUMBERS = 10
_LONGEST_REASON = 200


class Verdict(Struct, frozen=True):
    """A sentence on how a run ended, and how much it should worry."""

    sentence: str
    tone: Tone


def verdict(
    state: State | None,
    run: RunFigures,
    reason: str | None = None,
    *,
    ends_in_call: bool = False,
) -> Verdict:
    """Return the verdict on a run that ended in a state.

    `reason` is why it failed: empty if the log does not say, None if it is not asked.
    `ends_in_call` if that is not recorded, and no text follows the last call.
    """
    match state:
        case "cut":
            return Verdict(_where_cut(run), "bad")
        case "unfinished":
            return Verdict(_while_open(run), "bad")
        case "error":
            return Verdict(_error(reason), "bad")
        case "success":
            return _success(run)
        case None:
            after = _without_answer(run) if ends_in_call else ""
            sentence = f"The log does not record how the run ended{after}."
            return Verdict(sentence, "unknown")


def _without_answer(run: RunFigures) -> str:
    return f", and has no message after call {run.last_number:,}"


def _error(reason: str | None) -> str:
    if reason is None:
        return "The agent reports an error."
    words = truncate(harmless_line(reason), _LONGEST_REASON)
    if not words:
        return "The agent reports an error; the log records no reason."
    return f"The agent reports an error: {words}"


def _where_cut(run: RunFigures) -> str:
    last = run.last_number
    where = f"after call {last:,}" if last else "before the first call"
    return f"The log breaks off {where}; the run has no result."


def _while_open(run: RunFigures) -> str:
    total = run.figures.unfinished or 0
    if not total:
        return "The log breaks off while a call was open; the run has no result."
    numbers = [*itertools.islice(run.numbers("unfinished"), _MOST_NUMBERS)]
    calls = numbered("call", numbers, total)
    verb = "was" if total == 1 else "were"
    return f"The log breaks off while {calls} {verb} open; the run has no result."


def _success(run: RunFigures) -> Verdict:
    """Return the verdict on a success, as the agent reports it."""
    figures = run.figures
    failures, unresolved = figures.failures, figures.unresolved
    if figures.calls is None or failures is None:
        return Verdict("Success. The log records no calls.", "good")
    if unresolved:
        return Verdict(_unresolved(unresolved, failures), "warning")
    calls = count(figures.calls, "call")
    answers = _answers(figures.answers or 0)
    if not failures:
        sentence = "No call failed" if figures.calls else "The run made no call"
        return Verdict(f"Success. {sentence}{answers}.", "good")
    if unresolved is None:
        return Verdict(f"Success. {failures:,} of {calls} failed.", "warning")
    each = "it was" if failures == 1 else "each was"
    return Verdict(
        f"Success. {failures:,} of {calls} failed, and {each} resolved{answers}.",
        "good",
    )


def _answers(answers: int) -> str:
    """Say how many calls only seem to have failed; empty for none."""
    if not answers:
        return ""
    which = "the error status of one call is an answer"
    if answers > 1:
        which = f"the error statuses of {answers:,} calls are answers"
    return f"; {which}"


def _unresolved(unresolved: int, failures: int) -> str:
    if failures == 1:
        which = "its one failure stays"
    elif unresolved == failures:
        which = f"its {failures:,} failures stay"
    else:
        verb = "stays" if unresolved == 1 else "stay"
        which = f"{unresolved:,} of {failures:,} failures {verb}"
    return f"The agent reports success; {which} unresolved."
