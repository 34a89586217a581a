"""The files that a run read and edited, with when it did."""

from __future__ import annotations

from msgspec import Struct

from convert.facts.figures import FileChange
from convert.pictures.run_picture import RunPicture
from convert.pictures.timeline import Bar, Timeline
from convert.wording.paths import place_of


class TouchedFile(Struct, kw_only=True):
    """A file, and the calls that read or changed it."""

    path: str
    reads: int = 0
    edits: int = 0
    """The edits that ended well."""

    change: FileChange | None = None
    """The net change; None if it is as before."""

    marks: list[Bar] = []
    """The calls, in the order of their starts."""


def touched_files(picture: RunPicture, timeline: Timeline) -> list[TouchedFile]:
    """Return the files of a run, the most edited ones first."""
    directory = picture.start.directory
    files: dict[str, TouchedFile] = {}
    for row, bar in zip(picture.drawn_rows, timeline.bars, strict=True):
        if not row.path:
            continue
        key = place_of(row.path, directory).key
        file = files.setdefault(key, TouchedFile(path=row.path))
        file.marks.append(bar)
        file.reads += row.lane == "look" and row.outcome.status == "ok"
        file.edits += row.lane == "edit" and row.outcome.status == "ok"
    for change in picture.changes:
        # Subagents changed some of these.
        key = place_of(change.path, directory).key
        files.setdefault(key, TouchedFile(path=change.path)).change = change
    return sorted(
        files.values(), key=lambda file: (-file.edits, file.change is None, -file.reads)
    )
