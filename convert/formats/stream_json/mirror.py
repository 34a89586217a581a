"""A log that `2>&1` has doubled: each line stands twice, the second copy goes.

The agent may write its stream to standard error as well (FORMAT: seen by a third
party), and both come in their own order. A run that is resumed begins with the same
`system/init`, too, byte for byte. So an init that comes again before the result is only
a reason to look: copies are dropped once a line with a clock or a verdict has come
twice, which no two runs have alike. Nothing else is ever dropped for being repeated, a
whole run behind itself neither.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from convert.errors import Warn
from convert.formats.stream_json.decode import Lines
from convert.formats.stream_json.wire import Line

_WHITE = b" \t\r\n\0"
_UNIQUE = re.compile(rb'"(?:timestamp_ms|duration_ms|call_id)"\s*:')
# By how many lines of a run one copy may be ahead of the other.
_MOST_AHEAD = 1000
# How many runs are watched at once.
_MOST_RUNS = 64
# How much is held back until it is clear whether a run is doubled or another one.
_MOST_HELD = 64
_MOST_HELD_BYTES = 1 << 20
_WARNING = "each line comes twice from here on (2>&1?), second copies dropped"


class _Held(NamedTuple):
    """A line with its bytes; it may be the copy of one that has been given."""

    event: Line
    number: int
    raw: bytes
    is_copy: bool = False


class _Run:
    """The lines of a run, from its init on, that have come once and not twice."""

    def __init__(self) -> None:
        self.ahead: deque[int] = deque()
        self.is_doubled = False
        self.has_prompt = False
        self.has_ended = False

    def add(self, line: _Held) -> None:
        """Take a line that is no copy."""
        self.ahead.append(_digest(line.raw))
        self.has_prompt = self.has_prompt or line.event.type == "user"
        self.has_ended = self.has_ended or line.event.type == "result"

    def takes_copy(self, line: _Held) -> bool:
        """Whether a line is the copy that is due; out of turn, if no other is like it.

        What one copy of the log has lost must not make copies of all the rest.
        """
        looked_for = _digest(line.raw)
        if looked_for not in self.ahead:
            return False
        if looked_for != self.ahead[0] and not _UNIQUE.search(line.raw):
            return False
        while self.ahead.popleft() != looked_for:
            pass
        return True

    def ends_before(self, line: _Held) -> bool:
        """Whether a line that is no copy shows that another run has begun."""
        return self.has_prompt and line.event.type == "user"


def _digest(raw: bytes) -> int:
    """What tells lines apart, white space around them aside; a line is not copied."""
    begin, end = 0, len(raw)
    while begin < end and raw[begin] in _WHITE:
        begin += 1
    while begin < end and raw[end - 1] in _WHITE:
        end -= 1
    return hash(memoryview(raw)[begin:end])


def without_copies(blocks: Iterable[Lines], warn: Warn) -> Iterator[Lines]:
    """Give the lines of a log that is doubled once; any other log as it is."""
    mirror = _Mirror(warn)
    last = 0
    for lines in blocks:
        last = lines.last
        if mirror.is_idle and not lines.has_init:
            yield lines
        else:
            yield _as_lines(mirror.read(lines), last)
    yield _as_lines(mirror.end(), last)


def _as_lines(held: Iterable[_Held], last: int) -> Lines:
    held = list(held)
    return Lines(
        [line.event for line in held],
        [line.number for line in held],
        last,
        raws=[line.raw for line in held],
    )


class _Mirror:
    """Watches the runs of a log, by session; while one is in doubt, lines are held."""

    def __init__(self, warn: Warn) -> None:
        self._warn = warn
        self._has_warned = False
        self._runs: dict[str, _Run] = {}
        self._in_doubt = ""
        self._held: list[_Held] = []
        self._held_bytes = 0

    @property
    def is_idle(self) -> bool:
        """Whether no line but an init can matter."""
        return not self._runs

    def read(self, lines: Lines) -> Iterator[_Held]:
        """Read a block; what can be given by now."""
        for index, event in enumerate(lines.events):
            line = _Held(event, lines.numbers[index], lines.raws[index])
            if self._held:
                yield from self._hold(line)
            elif self._is_given(line):
                yield line

    def end(self) -> Iterator[_Held]:
        """Give what is held; the log has ended before anything showed it doubled."""
        return self._give_up() if self._held else iter(())

    def _is_given(self, line: _Held) -> bool:
        """Read a line while nothing is in doubt; whether it is to be given now."""
        session = line.event.session_id
        run = self._runs.get(session)
        is_init = line.event.type == "system" and line.event.subtype == "init"
        if run is not None and run.is_doubled:
            return self._is_first(run, line)
        if is_init and run is not None and run.takes_copy(line):
            self._in_doubt = session
            self._keep(line._replace(is_copy=True))
            return False
        if is_init:
            self._watch(session, [line])
        elif run is not None:
            run.add(line)
            if run.has_ended or len(run.ahead) > _MOST_AHEAD:
                del self._runs[session]
        return True

    def _is_first(self, run: _Run, line: _Held) -> bool:
        """Whether a line of a doubled run is no copy."""
        if not run.takes_copy(line):
            run.add(line)
            if len(run.ahead) > _MOST_AHEAD:
                run.ahead.popleft()
            return True
        self._forget_if_over(run, line.event.session_id)
        return False

    def _forget_if_over(self, run: _Run, session: str) -> None:
        """Stop watching a run of which both copies have ended."""
        if run.has_ended and not run.ahead:
            del self._runs[session]

    def _hold(self, line: _Held) -> Iterator[_Held]:
        """Read a line while a run is in doubt; what it settles is given."""
        run = self._runs[self._in_doubt]
        is_copy = False
        if line.event.session_id == self._in_doubt:
            is_copy = run.takes_copy(line)
            if not is_copy:
                if run.ends_before(line):
                    yield from self._give_up()
                    if self._is_given(line):
                        yield line
                    return
                run.add(line)
        self._keep(line._replace(is_copy=is_copy))
        if is_copy and _UNIQUE.search(line.raw):
            run.is_doubled = True
            self._forget_if_over(run, self._in_doubt)
            if not self._has_warned:
                self._warn(self._held[0].number, _WARNING)
                self._has_warned = True
            yield from (line for line in self._released() if not line.is_copy)
        elif len(self._held) > _MOST_HELD or self._held_bytes > _MOST_HELD_BYTES:
            yield from self._give_up()

    def _keep(self, line: _Held) -> None:
        self._held.append(line)
        self._held_bytes += len(line.raw)

    def _give_up(self) -> Iterator[_Held]:
        """Give what is held: it is another run, to be watched from its init on."""
        held = self._released()
        session = self._in_doubt
        self._watch(
            session, [line for line in held if line.event.session_id == session]
        )
        return iter(held)

    def _released(self) -> list[_Held]:
        held, self._held, self._held_bytes = self._held, [], 0
        return held

    def _watch(self, session: str, lines: list[_Held]) -> None:
        """Watch a run from its init on; the oldest is watched no more."""
        self._runs.pop(session, None)
        run = self._runs[session] = _Run()
        for line in lines:
            run.add(line)
        if len(self._runs) > _MOST_RUNS:
            del self._runs[next(iter(self._runs))]
