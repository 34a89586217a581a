"""The facts of a run, each a fold over its events or its calls.

Transcripts, patches and comparisons use them. A fold takes one event at a time, so that
it follows a live log in little memory: of outputs, it keeps up to three contents of
each file that the run changes.

figures          duration, tokens, the number of calls and how they ended
failures         calls that failed, and which of them were recovered later
judged           whether a call failed, was refused, or hides failed tests
refusals         on which of the refused calls something depends
exit_codes       of the commands that calls ran
second_tries     by what a later call is known as one that makes a failed one good
run_length       how long the run took
title            of a run, from what was asked of it
run_reasons      why the run ended, and of which kind that reason is
verdict          how the run ended, in one sentence
unrecorded       what its log does not record of the run as a whole
retries          calls that are made again after they failed, or at all
time_spent       where the time of a run went; spans: stretches of time
edits            what one call changed in files, and its effect
changed_files    both of the following, each step of a subagent once
net_changes      what a run changed in files in the end
unnamed_changes  which calls may have changed files that its log does not name
calls_by_parent  calls of subagents as steps of the calls that started them
patches          the net change of a file as a patch
read_and_edited  the files that a run read and edited, and how often
checks           the commands that passed after its last change
counted_tests    how many tests a command ran, as its output says
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.model.events import End, Event, ToolCall

if TYPE_CHECKING:
    from convert.facts.calls_by_parent import CallsByParent

# Tools that start no others, which nearly all calls are of.
PLAIN = frozenset(
    {"shell", "read", "edit", "write", "delete", "grep", "glob", "ls", "updateTodos"}
)


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
            run = runs.get(event.run)
            if run is None:
                if event.kind in PLAIN and not event.parent:
                    yield event
                    continue
                from convert.facts.calls_by_parent import CallsByParent

                run = runs[event.run] = CallsByParent()
            yield from run.add(event)
        else:
            if isinstance(event, End) and (run := runs.pop(event.run, None)):
                yield from run.rest()
            yield event
