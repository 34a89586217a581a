"""The runs in folders or on this machine, the newest first, and the names of runs.

A row needs the first lines of a log and its last ones: when, which agent, where, the
request, and how it ended. Calls, time and tokens need all of it. Small logs are read
whole, and so are the newest ones, up to so many bytes; the row of another one has no
such figure, and nothing is estimated.

A name such as `@1`, `@3f0c6a52` or `logs/@1` becomes a path by `named_logs`, for every
command that takes logs.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.destination import (
    shown_path,
)
from convert.cli.logs import open_advice
from convert.errors import InputError, RunconvError, UsageError, ignore
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
    RUNNING,
    Session,
    head_of,
    sessions_in,
    tail_of,
    with_id,
)
from convert.wording.escapes import strip_controls
from convert.wording.numbers import count, in_words
from convert.wording.paths import base_name, is_url

# In bytes: logs that are read whole in any case, the longest that is, and all of them.
_SMALL, _LONGEST, _WHOLE = 1 << 14, 1 << 23, 1 << 24
_OF_TAIL = Needs(result=True)
_OF_ENDS = Needs(result=True, text=True, figures=True)
# The calls of subagents may be in the output of the call that started them.
_OF_ALL = replace(_OF_ENDS, calls=CallDetail.EVERYTHING)
# How many bytes are the last lines, at first and where they show no end.
_TAILS = (1 << 11, 1 << 16)
_WITHOUT_END = (None, "cut", "unfinished")
Ended = State | Literal["running"]


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
    is_open = state in _WITHOUT_END and not (end and end.reason)
    if is_open and now - session.changed_ns / 1e9 < RUNNING:
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
        if fold.ends and all(end.state != "cut" for end in fold.ends):
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
                # The agent may have failed before it did anything.
                self.has_any = self.has_any or bool(event.reason)
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


_MOST_NAMED = 3
# A word for a run: its number, or its id, after the folder that it is in.
_NAME = rf"(?:(?P<folder>.*)[/\\])?@(?:(?P<number>[1-9]\d{{0,6}})|(?P<id>{ID}))"


def named_logs(words: list[str]) -> list[tuple[str, str]]:
    """Return the path of each log that a word names, and its name in messages.

    The name of a run is the one that stays, and that of a file is the word itself.
    Raises InputError for a run that is not there.
    """
    listed: dict[str, _Folder] = {}
    named = []
    for word in words:
        if os.path.basename(word)[:1] != "@" or os.path.lexists(word) or is_url(word):
            named.append((word, word))
            continue
        found = re.fullmatch(_NAME, word)
        if found is None:
            raise UsageError(
                f"{shown_path(word)} names no run; runconv list shows the names, and"
                " @1 is the newest"
            )
        path = found["folder"] or ("" if found["folder"] is None else "/")
        folder = listed.get(path) or listed.setdefault(path, _Folder(path))
        if found["id"]:
            session = folder.run_by_id(found["id"])
        else:
            session = folder.run_by_number(found["number"])
        named.append((session.path, session.name))
    return named


class _Folder:
    """The runs in a folder, or on this machine; no more rows are read than needed."""

    def __init__(self, folder: str) -> None:
        if folder:
            check_folder(folder)
        self._folder = folder
        self._sessions = sessions_in(Walk(), [folder] if folder else [])
        self._rest = rows(self._sessions, Reading())
        self._known: list[Row] = []

    def run_by_number(self, digits: str) -> Session:
        """Return the run with a number; digits beyond the last run may begin an id."""
        number = int(digits)
        while len(self._known) < number and (row := next(self._rest, None)):
            self._known += [row] if isinstance(row, Row) else []
        if number <= len(self._known):
            return self._known[number - 1].session
        if with_id(self._sessions, digits):
            return self.run_by_id(digits)
        raise InputError(
            f"there is no run @{number}{_in(self._folder)};"
            f" {_how_many(len(self._known))}{_list_of(self._folder)}"
        )

    def run_by_id(self, id: str) -> Session:
        """Return the only run whose id begins so."""
        id = id.lower()
        named = with_id(self._sessions, id)
        if len(named) == 1:
            return named[0]
        if named:
            names = [*dict.fromkeys(session.name for session in named)]
            said = f"begins the ids of {count(len(names), 'run')}"
            if len(names) == 1:
                names = [session.path for session in named]
                said = "is the id of two logs"
            first = in_words([shown_path(name) for name in names[:_MOST_NAMED]])
            raise InputError(f"@{id} {said}; name one: {first}")
        where = (
            f"; in another folder, a run is named as in logs/@{id}"
            if not self._folder
            else ""
        )
        raise InputError(
            f"there is no run @{id}{_in(self._folder)}{where}{_list_of(self._folder)}"
        )


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


def check_folder(folder: str) -> None:
    """Raise UsageError for a word that is no folder of this machine."""
    if is_url(folder):
        raise UsageError("list takes folders of this machine, which have times")
    if not os.path.isdir(folder):
        advice = "to look at a log: runconv show LOG"
        if not os.path.lexists(folder):
            advice = "check the path, or see runconv list --help"
        raise UsageError(f"{shown_path(folder)} is not a folder; {advice}")
