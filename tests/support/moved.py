"""Logs as another machine would have recorded them: the same run, moved."""

from __future__ import annotations

import functools
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from typing import Any

Rewrite = Callable[[str], str]

# Members that hold an id of the run or of one of its calls.
_IDS = {
    "session_id",
    "call_id",
    "requestId",
    "conversationId",
    "toolCallId",
    "parentToolCallId",
    "agentId",
}
_STAMPS = {"timestamp_ms", "startedAtMs", "completedAtMs", "createdAt", "updatedAt"}
_DURATIONS = {"duration_ms", "duration_api_ms", "executionTime", "localExecutionTimeMs"}
# A terminal of the agent has the number of its shell.
_NEW_SHELLS = 3
_LATER = 40 * 24 * 3600 * 1000

_HOME = re.compile(r"(?:/home|/Users)/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+")
# The end of a path, where a text shows it.
_REST = r"(?P<rest>(?:(?:/|\\(?! ))[\w.+@-]*)*)"
_AROUND = r"(?<![\w.~+@-])", r"(?![\w~+@-]|\.\w)"
_TEMPORARY = re.compile(
    r"(?<=/tmp\.)[A-Za-z0-9]{10}\b|(?<=/tmp)(?=[a-z]*[0-9_])[a-z0-9_]{8}\b"
)
_PREFIX = re.compile(r"(T-|)(.*)", re.DOTALL)
_KINDS = ("abcdef", string.ascii_lowercase, string.ascii_uppercase, string.digits)
# The folder of a project is named for its directory.
_PROJECT = re.compile(r"(?<=\.cursor[/\\]projects[/\\])[\w.-]+")
_TERMINAL = re.compile(r"(?<=[/\\]terminals[/\\])\d+(?=\.txt)")


def _same_home(directory: str) -> str:
    home = _HOME.match(directory)
    if not home and directory[1:2] == ":":
        return f"{directory[:2]}\\moved{directory[2:]}"
    if not home:
        return f"/srv/moved{directory.removeprefix('/private')}"
    return "\\".join((home[0], "moved", "x")) if "\\" in home[0] else f"{home[0]}/moved"


def _other_user(directory: str) -> str:
    home = _HOME.match(directory)
    below = directory[home.end() :] if home else directory
    return "/home/mo" + below.replace("\\", "/")


# A machine, a user or a folder, and the new directory for that of the log.
PLACES: dict[str, Callable[[str], str]] = {
    "another-folder": _same_home,
    "another-user": _other_user,
    "another-machine": lambda _: "/srv/build-7/checkout",
    "windows": lambda _: "C:\\Users\\mo\\checkout",
    "windows-with-a-blank": lambda _: "d:\\Work Space\\checkout",
    "macos": lambda _: "/Users/mo/Code/checkout",
    "macos-temporary": lambda _: "/private/tmp/checkout",
}


def move(log: bytes, place: str, seed: int = 0) -> bytes | None:
    """Return a log as recorded in another place; None if it has no directory.

    Ids, times, durations, the home of the run, terminals and the names of temporary
    files are others as well. Logs with damaged lines are not moved.
    """
    try:
        events = [json.loads(line) for line in log.splitlines()]
    except (ValueError, RecursionError):
        return None
    directory = _directory(events)
    if directory is None:
        return None
    dice = random.Random(seed)
    ids = _new_ids(events, dice)
    rewrites = [*_paths(directory, PLACES[place](directory)), _names(dice), _known(ids)]
    moved = [_encoded(_moved(event, rewrites, ids)) for event in events]
    return b"".join(line + b"\n" for line in moved)


def _encoded(event: Any) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(event, separators=(",", ":")).encode()


def _directory(events: list[Any]) -> str | None:
    """Return the one directory of a log; None if it has none or several."""
    found = {
        event["cwd"]
        for event in events
        if isinstance(event, dict) and isinstance(event.get("cwd"), str)
    }
    directory = found.pop().rstrip("/\\") if len(found) == 1 else ""
    return directory or None


def _paths(directory: str, to: str) -> Iterator[Rewrite]:
    """Yield the moves of paths in a string: those below the directory come first."""
    yield from _moving(directory, to)
    old, new = _HOME.match(directory), _HOME.match(to)
    if old:
        # Outside of its home, nothing in a log says which home is that of the run.
        yield from _moving(old[0], new[0] if new else "~")
    yield lambda text: _TERMINAL.sub(lambda of: f"{int(of[0]) + _NEW_SHELLS}", text)
    yield lambda text: _PROJECT.sub(re.sub(r"\W+", "-", to).strip("-"), text)


def _moving(old: str, new: str) -> Iterator[Rewrite]:
    """Yield the moves of a directory, also where its blanks are escaped."""
    for blank in {" ", "\\ ", "%20"} if " " in old else {" "}:
        spelled, to = old.replace(" ", blank), new.replace(" ", blank)
        before, after = _AROUND
        pattern = re.compile(f"{before}{_spelled(spelled)}(?:{_REST}{after})")
        slash = "\\" if "\\" in new else "/"
        yield functools.partial(_move_paths, pattern, to, slash)


def _move_paths(pattern: re.Pattern[str], to: str, slash: str, text: str) -> str:
    def path(match: re.Match[str]) -> str:
        return to + re.sub(r"[/\\]", lambda _: slash, match["rest"])

    return pattern.sub(path, text)


def _spelled(directory: str) -> str:
    """Return a pattern for a directory under all of its names."""
    if directory[1:2] == ":":
        drive = f"[{directory[0].lower()}{directory[0].upper()}]"
        return drive + re.sub(r"[/\\]{1,2}", r"[/\\\\]", re.escape(directory[1:]))
    alias = re.fullmatch(r"(?:/private)?(/(?:tmp|var)/.*)", directory)
    return f"(?:/private)?{re.escape(alias[1])}" if alias else re.escape(directory)


def _names(dice: random.Random) -> Rewrite:
    """Give each temporary name another one, of the same kind."""
    renamed: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return renamed.setdefault(match[0], _alike(match[0], dice))

    return lambda text: _TEMPORARY.sub(rename, text)


def _new_ids(events: list[Any], dice: random.Random) -> dict[str, str]:
    found = [
        value for event in events for name, value in _strings(event) if name in _IDS
    ]
    # Arguments of servers may have a member of this name as well.
    found += [event["request_id"] for event in events if "request_id" in event]
    renamed: dict[str, str] = {}
    for value in found:
        if value not in renamed:
            renamed[value] = _other(value, dice, set(renamed.values()))
    return renamed


def _strings(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield name, value
        case dict():
            for key, member in value.items():
                yield from _strings(member, key)
        case list():
            for member in value:
                yield from _strings(member, name)


def _other(text: str, dice: random.Random, taken: set[str]) -> str:
    """Return a text like this one that is not taken; a short one may get longer."""
    while (made := _alike(text, dice)) in taken:
        text += "0"
    return made


def _alike(text: str, dice: random.Random) -> str:
    """Return another text with letters for letters and digits for digits.

    The letters before the id of a thread stay, since they identify its agent.
    """
    prefix, text = _PREFIX.match(text).groups()  # type: ignore[union-attr]
    made = [prefix]
    for character in text:
        for kind in _KINDS:
            if character in kind:
                made.append(dice.choice(kind))
                break
        else:
            made.append(character)
    return "".join(made)


def _known(ids: dict[str, str]) -> Rewrite:
    """Replace the ids that are long enough to be found in a text."""
    long = sorted((known for known in ids if len(known) > 12), key=len, reverse=True)
    if not long:
        return lambda text: text
    pattern = re.compile("|".join(map(re.escape, long)))
    return lambda text: pattern.sub(lambda match: ids[match[0]], text)


def _moved(
    value: Any, rewrites: list[Rewrite], ids: dict[str, str], name: str = ""
) -> Any:
    match value:
        case str() if name in _IDS:
            return ids[value]
        case str() if name in _STAMPS and value.isdigit():
            return str(int(value) + _LATER)
        case str():
            for rewrite in rewrites:
                value = rewrite(value)
            return value
        case int() if name in _STAMPS and not isinstance(value, bool):
            return value + _LATER
        case int() if name in _DURATIONS and not isinstance(value, bool):
            return value * 3 + 1
        case int() if name == "shellId":
            return value + _NEW_SHELLS
        case dict():
            return {
                _moved(key, rewrites, ids): _moved(member, rewrites, ids, key)
                for key, member in value.items()
            }
        case list():
            return [_moved(member, rewrites, ids, name) for member in value]
    return value
