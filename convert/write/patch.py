"""patch: the changes of a run in files, as `git apply` takes them.

The net change of each file is one part of the patch, with paths relative to the
directory of the run. A warning names the changes that cannot be in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.facts import by_parent
from convert.facts.changed_files import ChangedFiles, patch_of, reason_against
from convert.model.events import End, EndOfLog, Event, Start, ToolCall
from convert.options import Options


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
            warn(change.line, reason, "left out")
        else:
            whole.append(change)
    if possible := files.unnamed.possible_changes():
        words = f"{possible.words} may have changed files as well"
        warn(last_line, words, "left out")
    for change in whole:
        yield from map(str.encode, patch_of(change))
