"""A log that `2>&1` has doubled: each line occurs twice, the second copy is dropped.

The agent may write its stream to standard error as well (a third party reports it), and
each copy keeps its own order. A resumed run begins with the same bytes of `system/init`
too. So a second init before the result is only a reason to watch: copies are dropped
once a line with a clock has come twice, because no two runs share one. Nothing else is
dropped for being repeated, not even a whole run that follows itself.

Hardly any log has such a second init, so `stream_json` keeps the blocks of a run as
they are until it comes or there are too many of them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import repeat

from msgspec import Struct

from convert.cursor.wire import (
    WireEvent,
    is_init,
    one_session,
    sessions_after,
    wire,
)
from convert.errors import Warn, ignore
from convert.model.events import Needs
from convert.source.lines import WHITE, lines_in
from convert.source.ndjson import (
    DOUBLED,
    Decoding,
    EventBlock,
    ends_of_long_lines,
)
from convert.source.reading import read_blocks

# A timestamp or duration other than 0: no two runs have the same line with one.
_UNIQUE = rb'"(?:timestamp_ms|duration_ms)"\s*:\s*[1-9]'
# How many lines of a run one copy may be ahead of the other.
_MOST_AHEAD = 1000
# How many runs are watched at once.
_MOST_RUNS = 64
# How much is held back until it is clear that a run is doubled, or another one.
_MOST_HELD = 256
_MOST_HELD_BYTES = 1 << 20
# Lines of so many bytes are hashed whole, and of longer ones so many at each end.
_WHOLE = 1024
_ENDS = 128


_Block = EventBlock[WireEvent]


class _Held(Struct):
    """A line that may be the copy of one that has been released."""

    event: WireEvent
    number: int
    raw: bytes
    is_copy: bool = False

    @property
    def session(self) -> str:
        return self.event.session_id


class _Run:
    """The lines of a run, from its init on, that have come once and not twice."""

    def __init__(self) -> None:
        self.ahead: deque[int] = deque()
        self.is_doubled = False
        self.has_prompt = False
        self.has_ended = False

    def add(self, event: WireEvent, raw: bytes) -> None:
        """Add a line that is not a copy."""
        self.ahead.append(_digest(raw))
        if event.type == "user":
            self.has_prompt = True
        elif event.type == "result":
            self.has_ended = True

    def takes_copy(self, line: _Held) -> bool:
        """Return True if a line is the copy that is due, or a unique one out of turn.

        One copy may have lost lines, which must not make the rest look new.
        """
        looked_for = _digest(line.raw)
        if looked_for not in self.ahead or (
            looked_for != self.ahead[0] and not re.search(_UNIQUE, line.raw)
        ):
            return False
        while self.ahead.popleft() != looked_for:
            pass
        return True


def _digest(raw: bytes) -> int:
    """Return a hash of a line, without the white space around it and without a copy.

    Two lines of a run that agree in their length, in both ends, which hold the id of a
    call and the time, and in the sampled bytes between, are the same.
    """
    return _digest_within(raw, 0, len(raw))


def _digest_within(block: bytes, begin: int, end: int) -> int:
    """Return the hash of a line of a block likewise."""
    if end - begin <= _WHOLE:
        return hash(block[begin:end].strip(WHITE))
    if block[begin] in WHITE:
        begin += _ENDS - len(block[begin : begin + _ENDS].lstrip(WHITE))
    end += len(block[end - _ENDS : end].rstrip(WHITE)) - _ENDS
    between = block[begin : end : (end - begin) // _ENDS + 1]
    ends = block[begin : begin + _ENDS], block[end - _ENDS : end]
    return hash((end - begin, between, *ends))


def _digests(block: _Block) -> Iterable[int]:
    """Return the hashes of the lines of a block; long lines are not copied for it."""
    if not block.ends:
        return map(_digest, block.lines())
    begins = (0, *block.ends)
    return map(_digest_within, repeat(block.block), begins, block.ends)


def without_copies(
    blocks: Iterable[_Block],
    kept: list[tuple[bytes, str]],
    sessions: set[str],
    warn: Warn,
) -> Iterator[_Block]:
    """Yield each line of a doubled log once, and any other log as it is.

    `kept` are earlier blocks of the runs that are open, and the session in which each
    of them only continues; `sessions` are those of these runs.
    """
    watch = _Watch(warn, kept, sessions)
    last = 0
    for block in blocks:
        last = block.last
        if watch.may_hold_copies(block):
            yield _as_block(watch.read(block), last)
        else:
            watch.keep(block)
            yield block
    yield _as_block(watch.end(), last)


def _as_block(held: Iterable[_Held], last: int) -> _Block:
    held = list(held)
    return EventBlock(
        [line.event for line in held],
        [line.number for line in held],
        last,
        range(len(held)),
        raws=[line.raw for line in held],
    )


class _Watch:
    """Watches the runs of a log by session; holds lines while one is in doubt."""

    def __init__(
        self, warn: Warn, kept: list[tuple[bytes, str]], sessions: set[str]
    ) -> None:
        self._warn = warn
        self._has_warned = False
        self._runs: dict[str, _Run] = {}
        self._in_doubt: set[str] = set()
        self._held: list[_Held] = []
        self._held_bytes = 0
        # The sessions whose runs are watched, or begin in the block that is read.
        self._open = sessions
        self._note_kept(kept)

    def may_hold_copies(self, block: _Block) -> bool:
        """Return True if a run is doubled or in doubt, or may become so in a block.

        If not, `_open` gets the sessions whose runs are open at the end of the block.
        """
        if self._in_doubt or any(run.is_doubled for run in self._runs.values()):
            return True
        still_open = sessions_after(block, self._open)
        if still_open is None:
            return True
        self._open = still_open
        return False

    def keep(self, block: _Block) -> None:
        """Watch the runs of a block that holds no copies."""
        if not self._open:
            # The ones that have begun have ended.
            self._runs.clear()
        elif block.block and (session := one_session(block.events)):
            self._note_all(session, block)
        else:
            self._note(block)
        self._open = set(self._runs)

    def _note_kept(self, kept: list[tuple[bytes, str]]) -> None:
        """Note the lines of earlier blocks."""
        # The events that a target needs would have taken more memory.
        least = wire(Needs())
        decoding = Decoding(least.event, least.decoder)
        for raw, session in kept:
            if session:
                ends = ends_of_long_lines(raw, lines_in(raw))
                block: _Block = EventBlock([], [], 0, [], block=raw, ends=ends)
                self._note_all(session, block)
                continue
            # The stack may be deeper here than where the block was decoded at once.
            for block in read_blocks([raw], decoding, len(raw), ignore):
                self._note(block)
        self._open = set(self._runs)

    def _note_all(self, session: str, block: _Block) -> None:
        """Note lines that only continue one run, if it is watched."""
        run = self._runs.get(session)
        if run is None:
            return
        if len(run.ahead) + (len(block.ends) or len(block.lines())) > _MOST_AHEAD:
            del self._runs[session]
        else:
            run.ahead.extend(_digests(block))

    def _note(self, block: _Block) -> None:
        """Note the lines of the runs that are watched."""
        for index, event in enumerate(block.events):
            if is_init(event):
                self._watch(event.session_id).add(event, block.line(index))
            elif (run := self._runs.get(event.session_id)) is not None:
                self._add(run, event, block.line(index))

    def read(self, block: _Block) -> Iterator[_Held]:
        """Read a block and yield the lines that can be released."""
        for index, event in enumerate(block.events):
            line = _Held(event, block.numbers[index], block.line(index))
            if not self._is_dropped(line):
                self._held.append(line)
                self._held_bytes += len(line.raw)
            is_too_much = (
                len(self._held) > _MOST_HELD or self._held_bytes > _MOST_HELD_BYTES
            )
            if self._in_doubt and is_too_much:
                self._keep_as_other_runs(*self._in_doubt)
            if not self._in_doubt:
                yield from self._released()
        self._open = set(self._runs)

    def end(self) -> Iterator[_Held]:
        """Release the held lines; the log has ended before it proved to be doubled."""
        self._keep_as_other_runs(*self._in_doubt)
        return self._released()

    def _is_dropped(self, line: _Held) -> bool:
        """Read a line; return True if it is known to be a copy."""
        run = self._runs.get(line.session)
        begins = is_init(line.event)
        if run is not None and run.is_doubled:
            return self._is_copy(run, line)
        if line.session in self._in_doubt:
            return self._judge_copy(self._runs[line.session], line)
        if begins and run is not None and run.takes_copy(line):
            line.is_copy = True
            self._in_doubt.add(line.session)
        elif begins:
            self._watch(line.session).add(line.event, line.raw)
        elif run is not None:
            self._add(run, line.event, line.raw)
        return False

    def _add(self, run: _Run, event: WireEvent, raw: bytes) -> None:
        """Add a line to a run that is watched, unless too many lines have no copy."""
        run.add(event, raw)
        if run.has_ended or len(run.ahead) > _MOST_AHEAD:
            del self._runs[event.session_id]

    def _is_copy(self, run: _Run, line: _Held) -> bool:
        """Return True if a line of a doubled run is a copy."""
        if run.takes_copy(line):
            if run.has_ended and not run.ahead:
                del self._runs[line.session]
            return True
        run.add(line.event, line.raw)
        if len(run.ahead) > _MOST_AHEAD:
            run.ahead.popleft()
        return False

    def _judge_copy(self, run: _Run, line: _Held) -> bool:
        """Read a line of a run in doubt; return True if it is dropped."""
        if run.takes_copy(line):
            line.is_copy = True
            if re.search(_UNIQUE, line.raw):
                self._settle(run, line)
            return False
        if run.has_prompt and line.event.type == "user":
            # It belongs to another run.
            self._keep_as_other_runs(line.session)
            return self._is_dropped(line)
        run.add(line.event, line.raw)
        return False

    def _settle(self, run: _Run, line: _Held) -> None:
        """Mark a run as doubled: the copies that are held of it are dropped."""
        run.is_doubled = True
        self._in_doubt.discard(line.session)
        if run.has_ended and not run.ahead:
            del self._runs[line.session]
        if not self._has_warned:
            number = next(held.number for held in self._held if held.is_copy)
            self._warn(number, *DOUBLED)
            self._has_warned = True

    def _keep_as_other_runs(self, *sessions: str) -> None:
        """Keep the held lines of some sessions as other runs, and watch those."""
        for session in sessions:
            self._in_doubt.discard(session)
            lines = [line for line in self._held if line.session == session]
            first = next(at for at, line in enumerate(lines) if line.is_copy)
            for line in lines:
                line.is_copy = False
            run = self._watch(session)
            for line in lines[first:]:
                run.add(line.event, line.raw)

    def _released(self) -> Iterator[_Held]:
        held, self._held, self._held_bytes = self._held, [], 0
        return (line for line in held if not line.is_copy)

    def _watch(self, session: str) -> _Run:
        """Watch a run from its init on; too many runs drop the oldest."""
        self._runs.pop(session, None)
        run = self._runs[session] = _Run()
        for oldest in [*self._runs][:-_MOST_RUNS]:
            if oldest not in self._in_doubt:
                del self._runs[oldest]
        return run
