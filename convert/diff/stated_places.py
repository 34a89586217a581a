"""Where commands ran, if the agents of two runs say so in different ways.

One agent writes `cd app && make`, another names the folder of `make` beside it. Most
commands name no folder, and run wherever the shell is. So the folder counts only for
a command that never comes without one in either run; any other is compared as written.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from convert.diff.compared_call import ComparedCall
from convert.tools.commands.directory import led_by_directory


def state_places(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Give the commands of two runs the folders in which both say that they ran."""
    found = [*_places(a), *_places(b)]
    unplaced = {command for _, command, place in found if not place}
    for call, command, place in found:
        call.place_at("" if command in unplaced else place)


def _places(
    calls: Iterable[ComparedCall],
) -> Iterator[tuple[ComparedCall, str, str]]:
    """Yield each command without its `cd`, and its folder; "" if it names none."""
    for call in calls:
        if call.kind != "shell":
            continue
        arguments = call.arguments
        command, named = arguments.get("command"), arguments.get("workingDirectory")
        if isinstance(command, str):
            folder, rest = led_by_directory(command)
            places = [place for place in (named, folder) if isinstance(place, str)]
            joined = posixpath.join("", *places)
            yield call, rest, posixpath.normpath(joined) if joined else ""
