"""Which edits of two runs are compared by their effects, and which by what was passed.

The log of a run may lack effects, and an edit that failed has none. The text passed
to the tool is then all that the two edits can have in common.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from convert.diff.compared_call import SHORT_KEY, ComparedCall
from convert.diff.effects import EDITS


def choose_forms(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Compare each edit by its effect, unless the other run has only its fragment."""
    ones, others = ([call for call in calls if call.kind in EDITS] for calls in (a, b))
    _choose(ones, others)
    _choose(others, ones)


def compared_by_fragment(calls: Iterable[ComparedCall]) -> int:
    """Count the edits that ended well, but whose effect is not recorded."""
    return sum(
        call.kind in EDITS and call.outcome == "ok" and call.effect is None
        for call in calls
    )


def _choose(own: list[ComparedCall], other: list[ComparedCall]) -> None:
    effects = {call.effect.key for call in other if call.effect}
    fragments = {
        call.spelled_key[:SHORT_KEY]: call.spelled_key
        for call in other
        if call.effect is None
    }
    for call in other:
        # A fragment that says no more than the path may stand for any edit of a file.
        if call.effect and call.fragment:
            fragments.pop(call.fragment.key[:SHORT_KEY], None)
    for call in own:
        if call.effect is None or call.fragment is None:
            continue
        key = fragments.get(call.fragment.key[:SHORT_KEY])
        if key is None or call.effect.key in effects:
            call.compare_by(call.effect)
        else:
            # A trajectory keeps no more than the beginning of the key.
            call.compare_by(replace(call.fragment, key=key))
