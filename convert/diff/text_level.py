"""Comparing two runs by the lines that text has for their calls.

A log of text records nothing else of a call. The other run's calls are written as text
would show them, and the two lists of lines are aligned by equal lines.
"""

from __future__ import annotations

from convert.diff.align import Pair
from convert.diff.compared_call import ComparedCall
from convert.diff.trajectory import Trajectory, with_inner
from convert.tools.action_lines import action_line
from convert.wording.differences import align


def action_lines(
    a: Trajectory, b: Trajectory
) -> tuple[list[ComparedCall], list[ComparedCall]] | None:
    """Return the action lines of two runs, each as a call that records nothing else.

    None if one of them has none: a text without such lines may be of a version that
    prints none. The lines name targets only if those of both sides do.
    """
    sides = (a, b)
    if any(side.level == "result" for side in sides):
        return None
    if not all(side.level == "calls" or side.ended for side in sides):
        return None
    bare = [_lines(side, has_subject=False) for side in sides]
    detailed = [_lines(side, has_subject=True) for side in sides]
    is_detailed = all(
        side.level == "calls" or bare_lines != detailed_lines
        for side, bare_lines, detailed_lines in zip(sides, bare, detailed, strict=True)
    )
    lines_a, lines_b = detailed if is_detailed else bare
    return _as_calls(a, lines_a), _as_calls(b, lines_b)


def _lines(side: Trajectory, has_subject: bool) -> list[str]:
    """Return the action line of each call, in the order in which text has them."""
    directory = side.run.directory
    recorded = (call.recorded for call in _in_text(side))
    return [
        action_line(call, directory, has_subject=has_subject)
        for call in recorded
        if call
    ]


def _as_calls(side: Trajectory, lines: list[str]) -> list[ComparedCall]:
    return [
        ComparedCall(
            number=number,
            line=call.recorded.line if call.recorded else call.line,
            tool=call.kind,
            kind=call.kind,
            action_line=line,
            recorded=call.recorded,
            failure=call.failure,
        )
        for number, (call, line) in enumerate(
            zip(_in_text(side), lines, strict=True), 1
        )
    ]


def _in_text(side: Trajectory) -> list[ComparedCall]:
    """Return the calls that text has a line for: as they ended, those inside next.

    A step that no log records as a call has none, unless the log is text itself.
    """
    written = {id(call) for call in side.ended}
    own = {id(call) for call in side.calls}
    return [
        call
        for around in side.ended
        if id(around) in own
        for call in with_inner([around])
        if id(call) in written or side.level == "text"
    ]


def equal_lines(ones: list[ComparedCall], others: list[ComparedCall]) -> list[Pair]:
    """Return the pairs of equal lines, the same whichever side is the baseline."""
    one, other = ([call.action_line for call in calls] for calls in (ones, others))
    is_swapped = one > other
    blocks = align(other, one).blocks if is_swapped else align(one, other).blocks
    pairs = [
        Pair(block.old + offset, block.new + offset, False)
        for block in blocks
        for offset in range(block.length)
    ]
    return [Pair(pair.b, pair.a, False) for pair in pairs] if is_swapped else pairs
