"""The command `list`: a table of the runs on this machine, or one object of JSON.

A row is printed as soon as it is read; `–` stands for a fact that is not recorded or
not read.
"""

from __future__ import annotations

import itertools
import os
import shlex
import time
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

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
from convert.cli.listed_runs import NoRun, Row, check_folder, rows
from convert.cli.messages import say, use_colours
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus
from convert.options.conversion import Reading
from convert.source.places import Walk
from convert.source.sessions import (
    LONGEST_NAME,
    STORES,
    Session,
    sessions_in,
    unread_sessions,
)
from convert.wording.escapes import repair_surrogates, safe_line
from convert.wording.numbers import count, duration
from convert.wording.styles_and_columns import (
    Colour,
    fit,
    painted,
)
from convert.wording.styles_and_columns import (
    columns as columns_of,
)


def main(given: Given) -> int:
    """Print the runs in folders, or those of this machine; return the exit status."""
    command = given.of(ListOptions)
    use_colours(command.color)
    for folder in given.logs:
        check_folder(folder)
    reading = reading_with_settings(given.values(Reading), "list", command.config)
    walk = Walk()
    sessions = sessions_in(walk, given.logs)
    found = rows(sessions, reading)
    skipped: list[NoRun] = []
    if command.format == "json":
        _write_json(found, skipped)
    else:
        write_table(found, skipped, sessions, given.logs, command.color)
    for path, why in walk.failures.items():
        say(f"cannot read the folder {shown_path(path)}: {why}")
    if not command.quiet:
        has_any = bool(sessions or walk.failures)
        _say_rest(skipped, walk.links, has_any, given.logs)
    return ExitStatus.TROUBLE if walk.failures else ExitStatus.CONVERTED


class _Column(Struct, frozen=True):
    """A column of the table; the last one takes the rest of the line."""

    head: str
    width: int
    is_number: bool = False
    rank: int = 0
    """Columns of a higher rank are the first that a narrow terminal lacks."""


_GAP = "  "
_LEAST_TITLE = 16
_COLUMNS = {
    "name": _Column("name", 9),
    "when": _Column("when", 11),
    "agent": _Column("agent", 11, rank=1),
    "project": _Column("project", 12, rank=2),
    "end": _Column("end", 10),
    "calls": _Column("calls", 5, is_number=True),
    "failed": _Column("failed", 6, is_number=True),
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
    folders: list[str],
    color: str,
) -> None:
    """Print each row as soon as it is read; a terminal gets a screen of them."""
    is_terminal = os.isatty(1)
    most = max(height() - _AROUND, _FEWEST) if is_terminal else None
    names = [len(session.shown_name) for session in sessions]
    widths = _widths(min(max(names, default=0), LONGEST_NAME), columns())
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
                words = shlex.join(["runconv", "list", *map(shown_path, folders)])
                pager = "more" if os.name == "nt" else "less"
                _print(output, f"… {rest}; all of them: {words} | {pager}")
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
    failed = figures.failed
    number = "–" if used is None else _in_short(used)
    directory = row.start.directory.replace("\\", "/").rstrip("/")
    return {
        "name": shown_path(row.session.shown_name),
        "when": _when(row.session.changed_ns // 10**9, year),
        "agent": safe_line(row.start.agent) or "–",
        "project": safe_line(directory.rpartition("/")[2]) or "–",
        "end": row.state or "–",
        "calls": "–" if figures.calls is None else f"{figures.calls:,}",
        "failed": "–" if failed is None else f"{failed:,}",
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
        elif is_painted and key == "failed" and text.strip("–0"):
            part = painted(part, "red")
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
        "failed": row.figures.failed,
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
    skipped: list[NoRun], links: list[str], has_any: bool, folders: list[str]
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
    if folders and not has_any:
        where = ", ".join(map(shown_path, folders))
        say(f"notice: no log is found in {where}; name another folder", None)
    if folders:
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
        stores = dict.fromkeys(
            shown_path(store.folder) for store in STORES if store.format
        )
        say(
            f"notice: no session is found in {', '.join(stores)}; name a folder of"
            " logs, as in runconv list logs",
            None,
        )
