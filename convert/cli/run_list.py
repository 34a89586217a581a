"""The command `list`: the runs on this machine, the newest first, and their names.

A row needs the first lines of a log and its last ones: when, which agent, where, the
request, and how it ended. Calls, time and tokens need all of it. Small logs are read
whole, and so are the newest ones, up to so many bytes; the row of another one shows `–`
for them, and nothing is estimated.

A name such as `@1`, `@3f0c6a52` or `logs/@1` becomes a path by `paths_of`, for every
command that takes logs.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.commands import Given, ListOptions
from convert.cli.destination import (
    Destination,
    columns,
    escape_for_display,
    escape_for_runner,
    height,
    is_coloured,
    shown_path,
    standard_output,
)
from convert.cli.logs import open_advice
from convert.cli.messages import say, use_colours
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, InputError, RunconvError, UsageError, ignore
from convert.facts.figures import Figures, run_length, total_figures
from convert.facts.run_figures import RunFigures
from convert.facts.run_reasons import reason_in_words
from convert.facts.verdict import title_of
from convert.model.events import (
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Prompt,
    Start,
    State,
)
from convert.options.conversion import Reading
from convert.pipeline import events_of
from convert.source.lines import File
from convert.source.places import Walk
from convert.source.sessions import (
    ID,
    STORES,
    Session,
    head_of,
    sessions_in,
    tail_of,
    unread_sessions,
)
from convert.wording.escapes import repair_surrogates, safe_line, strip_controls
from convert.wording.numbers import count, duration
from convert.wording.paths import base_name, is_url
from convert.wording.styles_and_columns import (
    Colour,
    fit,
    painted,
)
from convert.wording.styles_and_columns import (
    columns as columns_of,
)

# In bytes: logs that are read whole in any case, the longest that is, and all of them.
_SMALL, _LONGEST, _WHOLE = 1 << 14, 1 << 23, 1 << 24
_OF_TAIL = Needs(result=True)
_OF_ENDS = Needs(result=True, text=True, figures=True)
# The calls of subagents may be in the output of the call that started them.
_OF_ALL = replace(_OF_ENDS, calls=CallDetail.EVERYTHING)
# A log without an end that was changed in the last minute is that of a running run.
_RUNNING = 60
# How many bytes are the last lines, at first and where they show no end.
_TAILS = (1 << 11, 1 << 16)
_WITHOUT_END = (None, "cut", "unfinished")
Ended = State | Literal["running"]


def main(given: Given) -> int:
    """Print the runs in folders, or those of this machine; return the exit status."""
    command = given.of(ListOptions)
    use_colours(command.color)
    for folder in given.logs:
        _check_folder(folder)
    reading = reading_with_settings(given.values(Reading), "list", command.config)
    walk = Walk()
    sessions = sessions_in(walk, given.logs)
    found = rows(sessions, reading)
    skipped: list[NoRun] = []
    if command.format == "json":
        _write_json(found, skipped)
    else:
        write_table(found, skipped, sessions, command.color)
    for path, why in walk.failures.items():
        say(f"cannot read the folder {shown_path(path)}: {why}")
    if not command.quiet:
        _say_rest(skipped, walk.links, bool(sessions), is_named=bool(given.logs))
    return ExitStatus.TROUBLE if walk.failures else ExitStatus.CONVERTED


def _check_folder(folder: str) -> None:
    if is_url(folder):
        raise UsageError("list takes folders of this machine, which have times")
    if not os.path.isdir(folder):
        advice = "to look at a log: runconv show LOG"
        if not os.path.lexists(folder):
            advice = "check the path, or see runconv list --help"
        raise UsageError(f"{shown_path(folder)} is not a folder; {advice}")


class Row(Struct, frozen=True, kw_only=True):
    """A log of one run or several, as its lines show it."""

    session: Session
    start: Start
    """The start of its first run."""

    title: str
    """The first line of its first prompt; "" without one."""

    state: Ended | None
    """How its last run ended, or `running`; None if it is not recorded."""

    reason: str
    runs: int | None
    """How many runs it holds; None, as for all figures, unless it is read whole."""

    figures: Figures
    duration_ms: int | None
    started_ms: int | None


class NoRun(Struct, frozen=True):
    """A file that holds no run."""

    path: str
    why: str


def rows(sessions: Iterable[Session], reading: Reading) -> Iterator[Row | NoRun]:
    """Read the lines that each row needs, session by session."""
    left, now, reading = _WHOLE, time.time(), reading.replace(is_found=True)
    for session in sessions:
        is_whole = session.size <= max(_SMALL, min(_LONGEST, left))
        if is_whole and session.size > _SMALL:
            left -= session.size
        yield read_row(session, reading, now, is_whole)


def read_row(
    session: Session, reading: Reading, now: float, is_whole: bool
) -> Row | NoRun:
    """Read one session, whole or its ends."""
    fold, why = _Fold(), "nothing was asked or done in it"
    try:
        if is_whole:
            pieces = File(session.path, open_advice)
            for event in events_of(pieces, session.format, _OF_ALL, reading, ignore):
                fold.count(event)
        else:
            _read_ends(session, reading, fold)
    except RunconvError as error:
        is_whole, why = False, error.message
        fold.ends.clear()
    if not fold.has_any:
        return NoRun(session.path, why)
    end = fold.last_end
    state: Ended | None = end.state if end else None
    if state in _WITHOUT_END and now - session.changed_ns / 1e9 < _RUNNING:
        state, end = "running", None
    if end and not is_whole and state != "error":
        # The lines before the last ones may name another reason.
        end = None
    figures, duration_ms = fold.sums() if is_whole else (Figures(), None)
    return Row(
        session=session,
        start=fold.start,
        title=fold.title,
        state=state,
        reason=strip_controls(reason_in_words(end)) if end else "",
        runs=len(fold.ends) if is_whole else None,
        figures=figures,
        duration_ms=duration_ms,
        started_ms=fold.ends[0].started_ms if is_whole else fold.start.started_ms,
    )


def _read_ends(session: Session, reading: Reading, fold: _Fold) -> None:
    """Read the first lines of a log up to its first request, and its last ones.

    They are two logs: a turn that ends in the first lines says nothing about the last.
    """
    format = session.format
    # The file of a store begins with a request; any other log may have only calls.
    needs = _OF_ALL if format == "auto" else _OF_ENDS
    for event in events_of(head_of(session.path), format, needs, reading, ignore):
        fold.add(event)
        if fold.has_head:
            break
    # The line after the first may be longer than what is read of it.
    fold.has_any |= format == "auto" and fold.has_started
    for length in _TAILS:
        fold.ends.clear()
        _read_tail(tail_of(session.path, length), format, reading, fold)
        if all(end.state != "cut" for end in fold.ends):
            # An end that is recorded counts, however few lines come after it.
            break


def _read_tail(tail: bytes, format: str, reading: Reading, fold: _Fold) -> None:
    """Add how the runs in the last lines of a log end, unless of another agent."""
    if not tail:
        return
    agent = ""
    with contextlib.suppress(RunconvError):
        for event in events_of([tail], format, _OF_TAIL, reading, ignore):
            if isinstance(event, Start):
                agent = event.agent
            elif isinstance(event, End) and agent == fold.start.agent:
                if event.state == "unfinished":
                    # Its call may have ended, for all that is known.
                    event.state = "cut"
                fold.ends.append(event)


class _Fold:
    """Folds the events of a log into the facts of a row."""

    def __init__(self) -> None:
        self.start = Start(run=1, line=1)
        self.title = ""
        self.ends: list[End] = []
        self.has_any = False
        """Something happened in it."""

        self.has_started = False
        self._runs: dict[int, RunFigures] = {}

    def count(self, event: Event) -> None:
        """Add an event of a log that is read whole."""
        if not isinstance(event, EndOfLog):
            figures = self._runs.get(event.run)
            if figures is None:
                figures = self._runs[event.run] = RunFigures()
            figures.add(event)
        self.add(event)

    def add(self, event: Event) -> None:
        """Add an event, for all but the sums."""
        match event:
            case EndOfLog():
                return
            case Start():
                if not self.has_started:
                    self.start, self.has_started = event, True
                return
            case End():
                self.ends.append(event)
                return
            case Prompt() if not self.title:
                self.title = title_of([strip_controls(event.text).strip()])
        self.has_any = True

    @property
    def has_head(self) -> bool:
        """Everything is known that the first lines of a log tell."""
        return self.has_started and bool(self.title)

    @property
    def last_end(self) -> End | None:
        """The end of the run that began last."""
        return max(self.ends, key=lambda end: end.run, default=None)

    def sums(self) -> tuple[Figures, int | None]:
        """Return the sums over the runs, and how long they took."""
        figures = {run: each.figures for run, each in self._runs.items()}
        lengths = [run_length(end, figures[end.run].duration_ms) for end in self.ends]
        known = [each for each in lengths if each is not None]
        return total_figures(figures.values()), sum(known) if known else None


# A word for a run: its number, or its id, after the folder that it is in.
_NAME = rf"(?:(?P<folder>.*)[/\\])?@(?:(?P<number>[1-9]\d{{0,6}})|(?P<id>{ID}))"


def paths_of(words: list[str]) -> list[str]:
    """Return words with the paths of runs in place of their names.

    A word that is the path of a file stays. Raises InputError for a run that is not
    there.
    """
    listed: dict[str, tuple[list[Session], Iterator[Row | NoRun]]] = {}
    runs: dict[str, list[Row]] = {}
    paths = []
    for word in words:
        if os.path.basename(word)[:1] != "@" or os.path.lexists(word) or is_url(word):
            paths.append(word)
            continue
        found = re.fullmatch(_NAME, word)
        if found is None:
            raise UsageError(
                f"{shown_path(word)} names no run; write @1 for the newest one, or its"
                " id, as runconv list shows it"
            )
        folder = found["folder"] or ("" if found["folder"] is None else "/")
        if folder:
            _check_folder(folder)
        if folder not in listed:
            sessions = sessions_in(Walk(), [folder] if folder else [])
            listed[folder] = sessions, rows(sessions, Reading())
        sessions, rest = listed[folder]
        if found["id"]:
            paths.append(_path_by_id(found["id"].lower(), sessions, folder))
            continue
        known, number = runs.setdefault(folder, []), int(found["number"])
        while len(known) < number and (row := next(rest, None)):
            known += [row] if isinstance(row, Row) else []
        if len(known) < number:
            raise InputError(
                f"there is no run @{number}{_in(folder)};"
                f" {_how_many(len(known))}{_list_of(folder)}"
            )
        paths.append(known[number - 1].session.path)
    return paths


def _path_by_id(id: str, sessions: list[Session], folder: str) -> str:
    paths = [session.path for session in sessions if session.id == id]
    if len(paths) == 1:
        return paths[0]
    if paths:
        names = " and ".join(map(shown_path, paths[:2]))
        raise InputError(f"@{id} is the id of two logs; name one: {names}")
    where = "" if folder else f"; in another folder, a run is named as in logs/@{id}"
    raise InputError(f"there is no run @{id}{_in(folder)}{where}{_list_of(folder)}")


def _in(folder: str) -> str:
    return (
        f" in {shown_path(folder)}" if folder else " where agents keep their sessions"
    )


def _how_many(runs: int) -> str:
    return (
        f"there is only {count(runs, 'run')}"
        if runs == 1
        else f"there are {count(runs, 'run')}"
    )


def _list_of(folder: str) -> str:
    return (
        f"; see runconv list {shown_path(folder)}" if folder else "; see runconv list"
    )


def newest_in(folder: str) -> str:
    """Return the path of the newest run in a folder.

    The folder of a session, next to its file, is the run of that session.
    """
    whole = os.path.abspath(folder)
    if os.path.isdir(os.path.join(whole, "subagents")):
        above = os.path.dirname(whole)
        for name in sorted(os.listdir(above)):
            path = os.path.join(above, name)
            if name.startswith(f"{base_name(whole)}.jsonl") and os.path.isfile(path):
                return path
    for row in rows(sessions_in(Walk(), [folder]), Reading()):
        if isinstance(row, Row):
            return row.session.path
    raise InputError(
        f"{shown_path(folder)} holds no run; name a log, or another folder"
    )


class _Column(Struct, frozen=True):
    """A column of the table; the last one takes the rest of the line."""

    head: str
    width: int
    is_number: bool = False
    rank: int = 0
    """Columns of a higher rank are the first that a narrow terminal lacks."""


_GAP = "  "
_LEAST_TITLE, _LONGEST_NAME = 20, 40
_COLUMNS = {
    "name": _Column("name", 9),
    "when": _Column("when", 11),
    "agent": _Column("agent", 11, rank=1),
    "project": _Column("project", 12, rank=2),
    "end": _Column("end", 10),
    "calls": _Column("calls", 5, is_number=True),
    "time": _Column("time", 11, is_number=True, rank=3),
    "tokens": _Column("tokens", 8, is_number=True, rank=4),
}
_COLOURS: dict[str | None, Colour] = {
    "success": "green",
    "error": "red",
    "cut": "red",
    "unfinished": "red",
    "running": "cyan",
}
# A screen has a line for the heads, one for the others and one for the prompt.
_AROUND, _FEWEST = 3, 5


def write_table(
    found: Iterator[Row | NoRun],
    skipped: list[NoRun],
    sessions: list[Session],
    color: str,
) -> None:
    """Print each row as soon as it is read; a terminal gets a screen of them."""
    is_terminal = os.isatty(1)
    most = max(height() - _AROUND, _FEWEST) if is_terminal else None
    names = [len(session.name) for session in sessions]
    widths = _widths(min(max(names, default=0), _LONGEST_NAME), columns())
    is_painted, year = is_coloured(color, 1), time.localtime().tm_year
    with standard_output(escape_for_runner("text", 1)) as output:
        shown = 0
        for at, row in enumerate(found):
            if isinstance(row, NoRun):
                skipped.append(row)
                continue
            if not shown:
                _print(output, _line(_heads(), widths, is_painted, "dim"))
            if shown == most:
                rest = count(len(sessions) - at, "older log")
                _print(output, f"… {rest}; all of them: runconv list | less")
                return
            shown += 1
            line = _line(_cells(row, year), widths, is_painted, _COLOURS.get(row.state))
            _print(output, line)


def _print(output: Destination, line: str) -> None:
    """Write a line at once: the next row may take a while."""
    output.write(f"{repair_surrogates(line)}\n".encode())
    output.flush()


def _widths(name: int, whole: int) -> dict[str, int]:
    """Return the columns that fit, with their widths; the title's is 0 for any."""
    widths = {key: column.width for key, column in _COLUMNS.items()}
    widths["name"] = max(name, widths["name"])

    def room() -> int:
        return whole - sum(widths.values()) - len(_GAP) * len(widths)

    while whole and room() < _LEAST_TITLE:
        rank = max(_COLUMNS[key].rank for key in widths)
        if not rank:
            break
        widths = {
            key: each for key, each in widths.items() if _COLUMNS[key].rank < rank
        }
    return {**widths, "title": max(room(), 1) if whole else 0}


def _heads() -> dict[str, str]:
    return {**{key: each.head for key, each in _COLUMNS.items()}, "title": "prompt"}


def _cells(row: Row, year: int) -> dict[str, str]:
    """Return the cells of a row, which are harmless; `–` is a fact that is unknown."""
    figures, tokens = row.figures, row.figures.tokens
    used = figures.used_tokens
    number = "–" if used is None else _in_short(used)
    directory = row.start.directory.replace("\\", "/").rstrip("/")
    return {
        "name": shown_path(row.session.name),
        "when": _when(row.session.changed_ns // 10**9, year),
        "agent": safe_line(row.start.agent) or "–",
        "project": safe_line(directory.rpartition("/")[2]) or "–",
        "end": row.state or "–",
        "calls": "–" if figures.calls is None else f"{figures.calls:,}",
        "time": "–" if row.duration_ms is None else duration(row.duration_ms),
        "tokens": f"≥{number}" if tokens and tokens.is_least else number,
        "title": safe_line(row.title) or "–",
    }


def _line(
    cells: dict[str, str],
    widths: dict[str, int],
    is_painted: bool,
    colour: Colour | None,
) -> str:
    """Return cells in columns; a colour is that of the end, or that of heads."""
    parts = []
    for key, most in widths.items():
        text = cells[key]
        if key == "name":
            # It is to be copied.
            part = text.ljust(most)
        elif key == "title":
            part = fit(text, most) if most else text
        else:
            text = fit(text, most)
            gap = " " * (most - columns_of(text))
            part = gap + text if _COLUMNS[key].is_number else text + gap
        if is_painted and colour and (key == "end" or colour == "dim"):
            part = painted(part, colour)
        parts.append(part)
    return _GAP.join(parts).rstrip()


def _when(seconds: int, year: int) -> str:
    """Return a local time: `11-27 14:03`, or the day of another year."""
    moment = time.localtime(seconds)
    return time.strftime(
        "%m-%d %H:%M" if moment.tm_year == year else "%Y-%m-%d", moment
    )


def _in_short(number: int) -> str:
    """Return a number of tokens in up to four digits: `9,120`, `38k`, `1.4M`."""
    if number < 10_000:
        return f"{number:,}"
    if number < 999_500:
        return f"{number / 1e3:.0f}k"
    return f"{number / 1e6:.1f}M" if number < 99_950_000 else f"{number / 1e6:,.0f}M"


def _write_json(found: Iterator[Row | NoRun], skipped: list[NoRun]) -> None:
    """Print one object, as `list.schema.json` in this folder describes it.

    Members may be added; the others keep their meanings while `schema` is 1.
    """
    import json

    runs = []
    for row in found:
        if isinstance(row, Row):
            runs.append(_as_object(row))
        else:
            skipped.append(row)
    whole = {
        "schema": 1,
        "runs": runs,
        "skipped": [{"log": each.path, "reason": each.why} for each in skipped],
        "unread": [
            {
                "agent": each.store.agent,
                "folder": each.store.folder,
                "count": each.count,
                "reason": f"{each.store.noun}s {each.store.why}",
            }
            for each in unread_sessions()
        ],
    }
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    with standard_output(escape_for_display("json", 1)) as output:
        output.write(f"{repair_surrogates(text)}\n".encode())


def _as_object(row: Row) -> dict[str, Any]:
    start, tokens = row.start, row.figures.tokens
    return {
        "name": row.session.name,
        "log": row.session.path,
        "bytes": row.session.size,
        "changed_ms": row.session.changed_ns // 10**6,
        "started_ms": row.started_ms,
        "agent": start.agent or None,
        "agent_version": start.agent_version or None,
        "model": start.model or None,
        "session": start.session or None,
        "directory": start.directory or None,
        "title": row.title or None,
        "state": row.state,
        "reason": row.reason or None,
        "runs": row.runs,
        "calls": row.figures.calls,
        "duration_ms": row.duration_ms,
        "tokens": tokens
        and {
            "input": tokens.input,
            "output": tokens.output,
            "cache_read": tokens.cache_read,
            "cache_write": tokens.cache_write,
            "is_least": tokens.is_least,
        },
    }


# How runs of these agents are kept in a format that is read.
_RECORDING = {
    "Cursor": "agent -p --output-format stream-json PROMPT > run.ndjson",
    "opencode": "opencode run --format json PROMPT > run.ndjson",
}


def _say_rest(
    skipped: list[NoRun], links: list[str], has_any: bool, *, is_named: bool
) -> None:
    """Print the files, links and sessions that the table lacks, and if it is empty."""
    if skipped:
        first = skipped[0]
        others = f", and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
        say(
            f"notice: {count(len(skipped), 'file')} without a run:"
            f" {shown_path(first.path)} ({first.why}){others}",
            None,
        )
    if links:
        others = f" and {len(links) - 1:,} more" if len(links) > 1 else ""
        say(f"notice: a link is not followed: {shown_path(links[0])}{others}", None)
    if is_named:
        return
    by_agent = itertools.groupby(unread_sessions(), lambda each: each.store.agent)
    for agent, unread in by_agent:
        kinds = [
            (
                f"{each.store.noun}s"
                if each.count is None
                else count(each.count, each.store.noun)
            )
            + f" {each.store.why} in {shown_path(each.store.folder)}"
            for each in unread
        ]
        say(
            f"notice: {agent}: not read: {', '.join(kinds)}; to keep a run that is:"
            f" {_RECORDING[agent]}",
            None,
        )
    if not has_any:
        folders = dict.fromkeys(
            shown_path(store.folder) for store in STORES if store.format
        )
        say(
            f"notice: no session is found in {', '.join(folders)}; name a folder of"
            " logs, as in runconv list logs",
            None,
        )
