"""A run in a few words: how it ended, in one sentence, and its title."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from convert.facts.figures import Figures
from convert.facts.run_figures import RunFigures
from convert.facts.run_reasons import ENDED_BY, plain_reason, reason_in_words
from convert.model.events import End, ReasonKind, Result
from convert.wording.escapes import harmless_line, one_line, truncate
from convert.wording.numbers import count, numbered

# From the worst to the best; `unknown` is a run whose end is not recorded.
Tone = Literal["bad", "warning", "good", "unknown"]

_MOST_NUMBERS = 10
_LONGEST_REASON = 200


class Verdict(Struct, frozen=True):
    """A sentence on how a run ended, from bad to good."""

    sentence: str
    tone: Tone


def verdict(end: End, run: RunFigures, reason: str | None = None) -> Verdict:
    """Return the verdict on a run that has ended.

    `reason` is why it failed: empty if the log does not say, None if it is not asked.
    """
    kind = end.reason_kind
    match end.state:
        case "cut" | "unfinished" if end.reason:
            is_open = end.state == "unfinished"
            when = _while_open(run) if is_open else _place(run)
            said = ENDED_BY.get(kind, f"the run was cut off {when}")
            words = truncate(harmless_line(end.reason), _LONGEST_REASON)
            return Verdict(f"{_sentence(said)}: {words}", "bad")
        case "cut" | "unfinished" if kind in ENDED_BY:
            said, when = _sentence(ENDED_BY[kind]), f" {reason}" if reason else ""
            words = f"{said}: the log breaks off {_place(run)}{when}."
            return Verdict(words, "bad")
        case "cut":
            words = f"The log breaks off {_place(run)}; the run has no result."
            return Verdict(words, "bad")
        case "unfinished":
            words = f"The log breaks off {_while_open(run)}; the run has no result."
            return Verdict(words, "bad")
        case "error":
            return Verdict(_error(kind, reason), "bad")
        case "success":
            return _success(run)
        case None:
            after = f", and has no message after call {run.last_number:,}"
            words = "The log does not record how the run ended"
            return Verdict(f"{words}{after if end.ends_in_call else ''}.", "unknown")


def reason_of(end: End, result: Result | None) -> str | None:
    """Return why a run failed; None if its last words may say it."""
    if reason := plain_reason(end):
        return reason
    if end.state != "error":
        return reason_in_words(end)
    return None if result is not None and result.text else ""


def says_all(end: End, answer: str) -> bool:
    """Return True if the verdict on a failed run says all of its answer."""
    words = harmless_line(answer)
    is_short = end.state == "error" and len(words) <= _LONGEST_REASON
    return is_short and words == harmless_line(plain_reason(end))


def _error(kind: ReasonKind, reason: str | None) -> str:
    """Name the cause that ended a failed run, and the reason."""
    said = _sentence(ENDED_BY.get(kind, "the agent reports an error"))
    if kind == "cut":
        said = "The run was stopped"
    if reason is None:
        return f"{said}."
    words = truncate(harmless_line(reason), _LONGEST_REASON)
    return f"{said}: {words}" if words else f"{said}; the log records no reason."


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def _place(run: RunFigures) -> str:
    last = run.last_number
    return f"after call {last:,}" if last else "before the first call"


def _while_open(run: RunFigures) -> str:
    total = run.figures.unfinished or 0
    if not total:
        return "while a call was open"
    numbers = [*itertools.islice(run.numbers("unfinished"), _MOST_NUMBERS)]
    calls = numbered("call", numbers, total)
    verb = "was" if total == 1 else "were"
    return f"while {calls} {verb} open"


def _success(run: RunFigures) -> Verdict:
    """Return the verdict on a success, as the agent reports it.

    It names the worst class of the calls that stay unresolved; if there is none, it
    says how many calls failed and were refused.
    """
    figures = run.figures
    if figures.calls is None or figures.failed is None:
        return Verdict("Success. The log records no calls.", "good")
    if figures.unresolved:
        sentence = f"The agent reports success; {_unresolved(run, figures)}."
        return Verdict(sentence, "warning")
    is_open = figures.unresolved is None and (figures.failed or figures.rejected)
    return Verdict(_resolved(run, figures), "warning" if is_open else "good")


def _resolved(run: RunFigures, figures: Figures) -> str:
    """Say that a run succeeded, and how many calls failed or were refused."""
    failed, calls = figures.failed or 0, count(figures.calls or 0, "call")
    others = [*_refused(run), *_answers(figures.answers or 0)]
    if failed:
        each = "it was" if failed == 1 else "each was"
        resolved = "" if figures.unresolved is None else f", and {each} resolved"
        words = [f"Success. {failed:,} of {calls} failed{resolved}", *others]
    elif figures.rejected:
        words = ["Success", *others]
    elif figures.calls:
        words = ["Success. No call failed", *others]
    else:
        words = ["Success. The run made no call"]
    return f"{'; '.join(words)}."


def _refused(run: RunFigures) -> Iterator[str]:
    """Say how many calls were refused."""
    if total := run.figures.rejected:
        what = "command" if run.are_commands("rejected") else "call"
        yield f"{count(total, what)} {'was' if total == 1 else 'were'} refused"


def _answers(answers: int) -> Iterator[str]:
    """Say how many calls only seem to have failed."""
    if answers == 1:
        yield "the error status of one call is an answer"
    elif answers:
        yield f"the error statuses of {answers:,} calls are answers"


def _unresolved(run: RunFigures, figures: Figures) -> str:
    """Name the worst class of the calls that stay unresolved."""
    left = run.unresolved_classes
    if left["failed"]:
        return _staying(left["failed"] + left["hidden"], figures.failed or 0, "failure")
    if left["hidden"]:
        verb = "hides" if left["hidden"] == 1 else "hide"
        calls = "one call" if left["hidden"] == 1 else f"{left['hidden']:,} calls"
        return f"{calls} {verb} failed tests"
    if left["rejected"]:
        what = "refused command" if run.are_commands("rejected") else "refused call"
        return _staying(left["rejected"], figures.rejected or 0, what)
    unfinished = left["unfinished"]
    return f"{'one' if unfinished == 1 else f'{unfinished:,}'} of its calls never ended"


def _staying(unresolved: int, total: int, what: str) -> str:
    if total == 1:
        which = f"its one {what} stays"
    elif unresolved == total:
        which = f"its {total:,} {what}s stay"
    else:
        verb = "stays" if unresolved == 1 else "stay"
        which = f"{unresolved:,} of {total:,} {what}s {verb}"
    return f"{which} unresolved"


# In characters.
_LONGEST = 160


# Codex inside of an editor puts the open files in front of the request.
_OF_EDITOR, _REQUEST = "# Context from my IDE setup:\n", "\n## My request for Codex:\n"


def title_of(prompts: Sequence[str]) -> str:
    """Return the first line of the first prompt with something on it."""
    prompt = prompts[0].lstrip() if prompts else ""
    if prompt.startswith(_OF_EDITOR):
        prompt = prompt.partition(_REQUEST)[2] or prompt
    lines = (one_line(line).lstrip("# ") for line in prompt.split("\n"))
    return truncate(next(filter(None, lines), ""), _LONGEST)
