"""The change of one file as a patch, and the reasons why there may be none."""

from __future__ import annotations

from collections.abc import Iterator

from convert.facts.edits import UNRECORDED
from convert.facts.net_changes import NetChange
from convert.wording.git_patches import can_be_in_patch, git_patch, is_name_for_git


def patch_of(change: NetChange) -> Iterator[str]:
    """Yield the patch of a file for which there is no reason against it."""
    before, after = (
        content if isinstance(content, str) else None
        for content in (change.before, change.after)
    )
    return git_patch(change.name or change.path, before, after)


def reason_against(change: NetChange) -> str:
    """Return the reason why a change cannot be in a patch; "" if it can."""
    if change.name is None and not change.may_be_inside:
        return f"{change.path} is outside the directory of the run"
    if change.name is not None and not is_name_for_git(change.name):
        return f"git applies no patch to {change.path}"
    if reason := _reason_in_contents(change):
        return reason
    if change.name is None:
        where = "the directory of the run, which is not recorded"
        return f"{change.path} may be outside {where}"
    return ""


def _reason_in_contents(change: NetChange) -> str:
    if change.before is change.after is UNRECORDED and not change.diffs:
        return f"the log does not record what edits changed in {change.path}"
    places = {"before": change.before, "after": change.after}
    for place, content in places.items():
        where = f"the content of {change.path} {place} the run"
        if content is UNRECORDED:
            return f"{where} is not recorded"
        if isinstance(content, str) and not can_be_in_patch(content):
            return f"{where} is not all text"
    return ""
