"""patch: the changes of a run in files, as `git apply` takes them.

The net change of each file is one part of the patch, with paths relative to the
directory of the run. A warning names the changes that cannot be in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.facts import by_parent
from convert.facts.changed_files import ChangedFiles, NetChange
from convert.facts.edits import UNRECORDED, Content
from convert.model.events import End, EndOfLog, Event, Start, ToolCall
from convert.options.conversion import Options
from convert.wording.diffs import can_be_in_patch, git_patch, is_name_for_git


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the patch of each run when it ends."""
    runs: dict[int, ChangedFiles] = {}
    for event in by_parent(events):
        if isinstance(event, EndOfLog):
            continue
        if event.run not in runs:
            directory = event.directory if isinstance(event, Start) else ""
            runs[event.run] = ChangedFiles(directory)
        match event:
            case ToolCall(outcome=outcome) if outcome is not None:
                runs[event.run].add(event)
            case End():
                yield from _patch(runs.pop(event.run), event.line, warn)


def _patch(files: ChangedFiles, last_line: int, warn: Warn) -> Iterator[bytes]:
    """Warn of the changes that no part has, then yield the part of each file."""
    whole = []
    for change in files.net:
        if reason := reason_against(change):
            warn(change.line, reason, "skipped")
        else:
            whole.append(change)
    if possible := files.unnamed.possible_changes():
        words = f"{possible.words} may have changed files as well"
        warn(last_line, words, "not in the patch")
    for change in whole:
        yield from map(str.encode, patch_of(change))


def patch_of(change: NetChange) -> Iterator[str]:
    """Yield the patch of a file for which there is no reason against it."""
    before, after = (
        content if isinstance(content, str) else None
        for content in (change.before, change.after)
    )
    return git_patch(change.name or change.path, before, after)


def reason_against(
    change: NetChange, contents: dict[str, Content] | None = None
) -> str:
    """Return the reason why a change cannot be in a patch; "" if it can.

    The patch has these contents; by default, those `before` and `after` the run.
    """
    if change.name is None and not change.may_be_inside:
        return f"{change.path} is outside the directory of the run"
    if change.name is not None and not is_name_for_git(change.name):
        return f"git applies no patch to {change.path}"
    if contents is None:
        contents = {"before": change.before, "after": change.after}
    if reason := _reason_in_contents(change, contents):
        return reason
    if change.name is None:
        where = "the directory of the run, which is not recorded"
        return f"{change.path} may be outside {where}"
    return ""


def _reason_in_contents(change: NetChange, contents: dict[str, Content]) -> str:
    if all(each is UNRECORDED for each in contents.values()) and not change.diffs:
        return f"the log does not record the lines that edits changed in {change.path}"
    for place, content in contents.items():
        where = f"the content of {change.path} {place} the run"
        if content is UNRECORDED:
            return f"{where} is not recorded"
        if isinstance(content, str) and not can_be_in_patch(content):
            return f"{where} is not all text"
    return ""
