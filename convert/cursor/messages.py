"""The messages of a log: their parts, and the segments of the assistant's text.

With partial output the agent writes the same text twice. An assistant line has one of
four forms (in logs of builds from 2025.12 to 2026.09), and a fifth in logs of 2025.08:

    timestamp_ms  model_call_id
    yes           no             a delta, or a recap before a query
    yes           yes            a flush, before a tool call
    no            no             a flush, at the end of the answer; in 2025.08 a delta

delta     adds to the open segment (`is_delta`)
recap     looks like a delta, but repeats the whole segment (`is_recap`); it can only be
          the last delta before a boundary or a pause
flush     any other assistant line: holds the whole segment and closes it
boundary  any other line that closes the segment (`BOUNDARIES`, `is_boundary`)
pause     a lost connection: leaves the segment open (`PAUSES`)

By the fields only, text would be lost or doubled, so the text decides as well.

Only the texts of a message are read. All others are counted and named
wherever texts are read, and for every target in a log that may be another agent's
(`-f`) and in a run that begins with a line of another agent, so that none of its calls
disappears without a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from convert.cursor.wire import Message, WireEvent, is_init
from convert.facts import ends_in_open_call
from convert.model.events import Event, Image, Segment, Thinking
from convert.source.ndjson import members_of
from convert.wording.escapes import repair_surrogates

BOUNDARIES = frozenset({"user", "tool_call", "interaction_query", "result"})
PAUSES = frozenset({"connection", "retry"})
# How many deltas are put together: each takes more memory than its text.
_MOST_DELTAS = 4096
# How many deltas at either end of a segment are searched for in a flush: to search for
# each would take longer with each one more.
_MOST_SEARCHED_FOR = 32


def is_delta(line: WireEvent, is_stamped: bool) -> bool:
    """Return True if an assistant line adds to the open segment.

    `is_stamped` is True if a line of the run has had a timestamp, this one included.
    Logs of 2025.08 have none; in a later one a line without a timestamp is a flush.
    """
    if line.model_call_id:
        return False
    return line.timestamp_ms is not None or not is_stamped


def is_boundary(line: WireEvent) -> bool:
    """Return True if a line that is no assistant's closes the open segment."""
    return line.type in BOUNDARIES or is_init(line)


def is_recap(deltas: Sequence[str], last: str) -> bool:
    """Return True if the last delta repeats all before it."""
    length = sum(map(len, deltas))
    return _may_repeat(last, length) and _repeats(last, "".join(deltas))


def significant(
    events: Sequence[WireEvent], unread: frozenset[str], has_texts: bool
) -> list[int]:
    """Return the indices of the events that may do more than add to the open segment.

    Those are the events of another session than the first, of types that are not
    `unread`, and, if texts are read, the assistant's lines that `is_delta` refuses in a
    run with timestamps. To call that for each line takes a tenth of reading deltas.
    """
    if not events:
        return []
    session = events[0].session_id
    # The commonest types are compared before they are looked up: to hash takes longer.
    thinking = "thinking" if "thinking" in unread else None
    if has_texts:
        return [
            index
            for index, line in enumerate(events)
            if (
                line.timestamp_ms is None or line.model_call_id
                if (kind := line.type) == "assistant"
                else kind != thinking and kind not in unread
            )
            or line.session_id != session
        ]
    return [
        index
        for index, line in enumerate(events)
        if (
            (kind := line.type) != "assistant"
            and kind != thinking
            and kind not in unread
        )
        or line.session_id != session
    ]


class OpenSegment:
    """The text since the last boundary; `deltas` are its last parts."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.deltas: list[str] = []
        self._before: list[str] = []
        # The length of the counted part of the text before the last delta,
        # and the number of deltas that have been.
        self._length = self._counted = 0
        # The last delta is known to be no recap.
        self._is_settled = False

    def add(self, texts: list[str]) -> None:
        """Add deltas; the last of them may turn out to be a recap."""
        self.deltas += texts
        self._is_settled = False
        if len(self.deltas) > _MOST_DELTAS:
            self._count()
            self._before.append("".join(self.deltas[:-1]))
            self.deltas = self.deltas[-1:]
            self._counted = 0

    def flush(self, text: str) -> list[str]:
        """Close the segment with a flush and return the texts of one or two segments.

        The deltas before a flush are the same text, even if some were lost or damaged.
        If none of them occurs in it, they were a segment of their own.
        """
        parts = self._close()
        before = "".join(parts)
        if not before or _repeats(text, before) or _has_part_of(text, parts):
            return [text]
        return [before, text]

    def recap(self) -> str:
        """Close the segment and return its text if its last delta is a recap.

        To be called only before a boundary or a pause. A log may hold any number of
        pauses, so that each part of the text is read once.
        """
        if not self.deltas or self._is_settled:
            return ""
        self._is_settled = True
        self._count()
        *deltas, last = self.deltas
        if not (
            _may_repeat(last, self._length)
            and _repeats(last, "".join([*self._before, *deltas]))
        ):
            return ""
        self._close()
        return last

    def close(self) -> str:
        """Close the segment at a boundary and return its text."""
        return "".join(self._close())

    def _count(self) -> None:
        """Count the text of the deltas before the last one."""
        self._length += sum(map(len, self.deltas[self._counted : -1]))
        self._counted = len(self.deltas) - 1

    def _close(self) -> list[str]:
        parts = [*self._before, *self.deltas]
        self._reset()
        return parts


class OpenTexts:
    """The texts of a run that are open: a segment, and a block of reasoning.

    `tools_at_end` are the tools of the calls that no text follows, if texts are read.
    """

    def __init__(self, run: int) -> None:
        self._run = run
        self.segment = OpenSegment()
        self._thoughts: list[str] = []
        # When the block of reasoning began, and its last line.
        self._times: tuple[int, int] | None = None
        self.tools_at_end: set[str] = set()
        # The last segment that is not blank, and the length of all segments.
        self._last = ""
        self._length = 0

    @property
    def are_open(self) -> bool:
        """A boundary closes something."""
        return bool(self.segment.deltas or self._thoughts)

    @property
    def end_in_call(self) -> bool:
        """No text follows the last call."""
        tools = self.tools_at_end
        return bool(tools) and ends_in_open_call(tools, "success")

    def close(self, line: int) -> list[Event]:
        """Close the segment and the block of reasoning at a boundary."""
        events = self.close_thought(line)
        if recap := self.recap(line):
            return [*events, *recap]
        text = self.segment.close()
        return [*events, self._closed(line, text)] if text else events

    def recap(self, line: int) -> list[Event]:
        """Close the segment if its last delta is a recap."""
        text = self.segment.recap()
        return [self._closed(line, text, is_halved=True)] if text else []

    def flush(self, line: int, text: str) -> list[Event]:
        """Close the segment with a flush."""
        texts = self.segment.flush(text)
        return [self._closed(line, closed) for closed in texts if closed]

    def think(
        self, line: int, text: str, since_start_ms: int | None, is_last: bool
    ) -> list[Event]:
        """Add to the block of reasoning; its last line repeats the whole text."""
        if since_start_ms is not None:
            begin = self._times[0] if self._times else since_start_ms
            self._times = begin, since_start_ms
        if not is_last:
            self._thoughts.append(text)
            return []
        self._thoughts = self._thoughts or [text]
        return self.close_thought(line)

    def close_thought(self, line: int) -> list[Event]:
        """Close the block of reasoning that is open, if one is."""
        if not self._thoughts:
            return []
        text = repair_surrogates("".join(self._thoughts))
        begin, end = self._times or (None, None)
        self._thoughts.clear()
        self._times = None
        thought = Thinking(
            run=self._run, line=line, text=text, started_ms=begin, ended_ms=end
        )
        return [thought] if text else []

    def _closed(self, line: int, text: str, is_halved: bool = False) -> Segment:
        repaired = repair_surrogates(text)
        self._length += len(repaired)
        if not text.isspace():
            self.tools_at_end.clear()
            self._last = repaired
        return Segment(run=self._run, line=line, text=repaired, is_halved=is_halved)

    def last_of(self, recorded: str) -> str:
        """Return the last segment if a recorded text is all of them joined, else "".

        The length tells that, so that no text is kept for it.
        """
        last = self._last.strip()
        is_all = len(recorded) == self._length and recorded.rstrip().endswith(last)
        return last if is_all else ""


def _may_repeat(last: str, length: int) -> bool:
    """Return True if a delta can repeat a text of this length.

    A surrogate pair that is split between deltas counts as two characters, so the
    lengths need not be equal.
    """
    return bool(last) and len(last) <= length <= 2 * len(last)


def _repeats(last: str, before: str) -> bool:
    return before == last or repair_surrogates(before) == repair_surrogates(last)


def _has_part_of(text: str, parts: list[str]) -> bool:
    """Return True if a text holds a part at either end; half an emoji is no part."""
    if len(parts) > 2 * _MOST_SEARCHED_FOR:
        parts = parts[:_MOST_SEARCHED_FOR] + parts[-_MOST_SEARCHED_FOR:]
    wholes = (part.encode(errors="ignore").decode() for part in parts)
    return any(whole and whole in text for whole in wholes)


# An image adds nothing to the texts and calls of a run.
_READ = {"text", "image"}
# Members and versions that this agent does not write.
_OF_CLAUDE = (b'"parent_tool_use_id"', b'"claude_code_version"', b'"mcp_servers"')


def has_unread(line: WireEvent) -> bool:
    """Return True if a message may have a block that is not read."""
    content = line.message.content if isinstance(line.message, Message) else ""
    return not isinstance(content, str) and "" in [block.text for block in content]


def unread_blocks(raw: bytes) -> Iterator[str]:
    """Yield the type of each block that is not read, after that of its event."""
    match members_of(raw):
        case {"type": str(kind), "message": {"content": [*blocks]}}:
            for block in blocks:
                name = block.get("type") if isinstance(block, dict) else None
                if name not in _READ:
                    yield f"{kind}/{name if isinstance(name, str) else 'unnamed'}"
        case members if not members:
            # A block that cannot be decoded is not lost without a message.
            yield "unnamed"


def is_foreign(raw: bytes) -> bool:
    """Return True if the first line of a run is one of Claude Code.

    Only the first line of a run is checked, so that a log costs no more to read.
    """
    return any(sign in raw for sign in _OF_CLAUDE)


def with_unread(
    significant: Callable[[list[Any]], Sequence[int]],
) -> Callable[[list[Any]], Sequence[int]]:
    """Return a function that finds such blocks as well as the significant lines."""

    def found(events: list[Any]) -> Sequence[int]:
        unread = {index for index, line in enumerate(events) if has_unread(line)}
        known = significant(events)
        return sorted(unread.union(known)) if unread else known

    return found


def images_in(line: bytes) -> list[Image]:
    """Return the pictures in the message of a line of the log."""
    match members_of(line):
        case {"message": {"content": [*parts]}}:
            objects = (part for part in parts if isinstance(part, dict))
            return [
                _image(part)
                for part in objects
                if part.get("type") == "image" or "image" in part
            ]
    return []


def _image(part: dict[str, Any]) -> Image:
    """Read a picture; agents put its data next to the type, or one level deeper."""
    places = [part, part.get("image"), part.get("source")]
    media_type = data = ""
    for place in places:
        if isinstance(place, dict):
            kind = place.get("mimeType") or place.get("media_type")
            media_type = media_type or (kind if isinstance(kind, str) else "")
            found = place.get("data")
            data = data or (found if isinstance(found, str) else "")
    return Image(media_type, len(data.rstrip("=")) * 3 // 4 if data else None)
