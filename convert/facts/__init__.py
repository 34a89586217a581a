"""The facts of a run, each a fold over its events or its calls.

Transcripts, patches and comparisons use them. A fold takes one event at a time, so that
it follows a live log in little memory: of outputs, it keeps up to three contents of
each file that the run changes, most of them in a temporary file if they are many.

figures         duration, tokens, cost, the number of calls and how they ended
run_figures     the fold that counts them
rates_and_spreads  rates with intervals, and the spread of a figure over runs
failed_calls    calls that failed, were refused or hide failed tests; checks of changes
recoveries      failed calls, and the later calls that recovered them
counted_tests   how many tests a command ran, as its output says
edits           the changes that one call made to files
changed_files   the changes of a run in the end, and possible changes
subagents       calls of subagents as steps of the calls that started them
run_reasons     why the run ended, and the kind of that reason
verdict         how the run ended, in one sentence, and its title
time_spent      how the time of a run divides into thinking, commands and more
repeats         files that a run read and edited, and calls that it made again
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.model.events import End, Event, State, ToolCall
from convert.registry import exports
from convert.tools import PLAIN


def by_parent(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events, with the calls of subagents as steps of the calls around them.

    Such a call waits until the one around it ends. One that comes later is yielded with
    the numbers `around` it.
    """
    runs: dict[int, CallsByParent] = {}
    for event in events:
        if not runs and (
            not isinstance(event, ToolCall)
            or (event.kind in PLAIN and not event.parent)
        ):
            # Most logs have no other calls.
            yield event
        elif isinstance(event, ToolCall):
            if (run := runs.get(event.run)) is None:
                if event.kind in PLAIN and not event.parent:
                    yield event
                    continue
                from convert.facts.subagents import CallsByParent

                run = runs[event.run] = CallsByParent()
            yield from run.add(event)
        else:
            if isinstance(event, End) and (run := runs.pop(event.run, None)):
                yield from run.rest()
            yield event


# Tools for the bookkeeping of an agent: kinds, and names of functions.
BOOKKEEPING = {
    *("updateTodos", "readTodos", "reflect", "communicateUpdate", "sendFinalSummary"),
    *("getMcpTools", "ToolSearch", "report_intent", "update_topic"),
}


def ends_in_open_call(tools: set[str], state: State | None) -> bool:
    """Return True if a run ends in calls of these tools, which no text follows.

    If its log says how it ended, the message may come before calls for bookkeeping.
    """
    return bool(tools) if state is None else not tools <= BOOKKEEPING


# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "changed_files": "ChangedFiles FileChange NetChange NetChanges PossibleChanges "
        "acts file_changes_in may_write",
        "counted_tests": "CountedTests RUNNERS _BEGINNINGS",
        "edits": "ABSENT FileEdit UNRECORDED edits_of effect_of",
        "failed_calls": "MAY_CHECK",
        "figures": "Figures run_length total_figures",
        "rates_and_spreads": "quantile rate spread_of",
        "recoveries": "Recoveries",
        "repeats": "FileCalls ReadAndEdited SameCalls count_retries",
        "run_figures": "RunFigures figures_of_run",
        "subagents": "CallsByParent",
        "time_spent": "TimeSpent TimedCall gaps joined_spans moments_of span_in "
        "total_length",
        "verdict": "Verdict",
    },
)
