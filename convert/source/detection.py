"""The format of a log whose first line does not show it, by its first objects.

A log of a tool that no format reads is named in the error.
"""

from __future__ import annotations

import re

from convert.errors import EMPTY_LOG, InputError, NotALogError
from convert.source.damaged_lines import EVENT, begin_of_event, wrapped_event
from convert.source.look_alikes import LookAlike, look_alike
from convert.source.nesting import BRACKET, LENIENT, is_json, raw_decode
from convert.source.recognition import Agents, Candidates, Certainty, Record
from convert.wording.numbers import in_words

MOST_RECORDS = 60
# A longer value is not waited for: all that is read of the log would be held.
_LONGEST = 16 << 20
# Values over several lines that are damaged are read again from within. All tries
# together read no more than a few times the log.
_MOST_READ = 4
_PIECE = 1 << 20

# Between values: white space, and the signs of an array.
_BETWEEN = re.compile(r"[\s,\[\]]*")
_TORN = re.compile(r'\{\s*(?:"|\Z)')
# A bracket before another one, or before the end: there may be a million of them.
_LONE = re.compile(r"\{[ \t\r\n]*(\{|\Z)")


class FirstRecords:
    """The first objects of a log, and the text between them."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        # "json" or "noise"; "" if there is nothing.
        self.begins_with = ""
        # How many lines are neither an event nor a damaged one.
        self.noise = 0
        # The text ends within an event.
        self.is_torn = False
        # A value over several lines that has not ended, its size when it was last
        # tried, and how many brackets are open in it.
        self._held: list[str] = []
        self._size = self._tried = self._depth = 0
        self._taken = self._read = 0

    @property
    def is_cut(self) -> bool:
        """More text may complete a value."""
        return bool(self._held)

    def take(self, line: str) -> bool:
        """Read one more line; return True if it completes an object with a type."""
        known = len(self.records)
        self._taken += len(line)
        if line == "{\n" and self._held == [line]:
            # The held line was no value, and this one may be.
            self.noise += 1
        elif self._held:
            self._hold(line)
        elif known < MOST_RECORDS and "{" in line:
            self._find(line)
        elif known < MOST_RECORDS and not line.isspace():
            self._note_noise(line)
        has_more = len(self.records) > known
        return has_more and any("type" in record for record in self.records[known:])

    def end(self) -> None:
        """Try a value that has not ended for the last time."""
        if self._held:
            self._find("".join(self._held))

    def _note_noise(self, line: str) -> None:
        """Read a line without an object; there may be a million of them."""
        self.is_torn = False
        if _skip(line, 0) < len(line):
            self.noise += 1
            self.begins_with = self.begins_with or "noise"

    def _hold(self, line: str) -> None:
        """Read a line of a value that has begun before it.

        The value is tried when its brackets are closed. It may be damaged, so it is
        also tried whenever its size has doubled.
        """
        self._held.append(line)
        self._size += len(line)
        self._depth += _depth(line)
        if self._depth <= 0 or self._size >= 2 * self._tried:
            self._find("".join(self._held))

    def _find(self, text: str) -> None:
        """Find the objects of some lines, the last ones that were read."""
        self._held = []
        length = len(text.rstrip())
        if length:
            self.is_torn = False
        at = _skip(text, 0)
        while at < length and len(self.records) < MOST_RECORDS and not self._held:
            at = _skip(text, self._find_one(text, at, length))

    def _find_one(self, text: str, at: int, length: int) -> int:
        """Find one object; return where to look for the next one."""
        line_end = text.find("\n", at)
        end = line_end if line_end >= 0 else len(text)
        prefix = None if text[at] == "{" else _prefix(text, at, end)
        is_prefixed = prefix is not None
        begin = at + (prefix or 0)
        is_noise = True
        if text[begin] == "{":
            found = self._decode(text, begin, end, length)
            if self._held:
                self.begins_with = self.begins_with or "json"
                return end
            if found is not None:
                end = found
                is_noise = is_prefixed
        # A damaged event is not prose.
        is_prose = is_noise and not (is_prefixed or EVENT.match(text, begin))
        self.noise += is_prose
        begins_with = "noise" if is_prose or is_prefixed else "json"
        self.begins_with = self.begins_with or begins_with
        return end

    def _decode(self, text: str, begin: int, end: int, length: int) -> int | None:
        """Decode an object that begins on the line up to `end`.

        Returns the offset of its end; None if it is damaged, or is held because it may
        continue after the text, which has `length` characters without blanks at the
        end.
        """
        # Only a bracket on a line of its own begins a value of several lines.
        is_spread = not text[begin + 1 : end].strip()
        if is_spread and (lone := _LONE.match(text, begin)):
            self._note_lone(text[begin:], is_last=not lone[1])
            return None
        if is_spread and not self._may_read(len(text) - begin):
            return None
        # A long text is not copied for each of its values, nor a long line.
        is_whole = is_spread or end >= len(text) - 1
        value, offset = (text, 0) if is_whole else (text[begin:end], begin)
        try:
            record, after, _ = raw_decode(LENIENT, value, begin - offset)
        except ValueError as error:
            at = getattr(error, "pos", begin - offset) + offset
            is_last = text.find("\n", at, length) < 0
            self.is_torn = is_last and bool(_TORN.match(value, begin - offset))
            if is_spread and is_last and len(text) - begin < _LONGEST:
                self._wait_for(text[begin:])
            return None
        self.records.append(_inner(record))
        return after + offset

    def _note_lone(self, text: str, is_last: bool) -> None:
        """Read a bracket without a member, as `_decode` would after a try."""
        self.is_torn = is_last
        if not is_last:
            self.begins_with = self.begins_with or "json"
        elif len(text) < _LONGEST:
            self._wait_for(text)

    def _may_read(self, size: int) -> bool:
        """Count a try to decode a value over several lines, if one is left."""
        may_read = self._read + size <= _MOST_READ * self._taken + _PIECE
        self._read += size * may_read
        return may_read

    def _wait_for(self, value: str) -> None:
        """Hold a value that may continue."""
        self._held = [value]
        self._size = self._tried = len(value)
        self._depth = _depth(value)


def _prefix(text: str, at: int, end: int) -> int | None:
    """Return the length of the prefix before the event on a line; None without one."""
    if '{"' not in text[at:end]:
        match = EVENT.search(text, at, end)
        return match.start() - at if match else None
    # The offset in bytes is that of the text up to the event.
    line = text[at:end].encode(errors="surrogatepass")
    begin = begin_of_event(line)
    return None if begin is None else len(line[:begin].decode(errors="surrogatepass"))


def _depth(text: str) -> int:
    """Return the number of brackets that a text opens and does not close."""
    tokens = [token[0] for token in BRACKET.finditer(text)]
    opening = tokens.count("{") + tokens.count("[")
    return opening - tokens.count("}") - tokens.count("]")


def _inner(record: Record) -> Record:
    """Return the record that a recorder has wrapped in this one, else this one."""
    inner = wrapped_event(record)
    try:
        return record if inner is None else raw_decode(LENIENT, inner, 0)[0]
    except ValueError:
        return record


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


# A look-alike is named at once, but not for one stray line before a log.
_SURE_RECORDS = 3
_ENOUGH = 1 << 20

# Archives that cannot be expanded as they arrive, decoded with replacements.
_ARCHIVES = (("PK\x03\x04", "zip"), ("7z\ufffd\ufffd'\x1c", "7z"))
# The first member of an archive of Inspect (`.eval`) has one of these names.
_INSPECT = re.compile(
    "PK\x03\x04.{12,26}(?:_journal/|samples/|summaries|header\\.json)", re.S
)
# The tables in Cursor's own databases: of its agent, and of its editor.
_CURSOR_TABLES = (("CREATE TABLE blobs", "CREATE TABLE meta"), ("cursorDiskKV",))
# JSON that is shown with the codes of colours, or in a string of JSON.
_CODE = re.compile(r"(?:\x1b|\^\[|\\u001b|\\x1b|\\033|\\e)?\[[0-9;]*[mK]")
_OBJECT = re.compile(r'\s*\[?\s*\{\s*"')
_ESCAPED = re.compile(r'\s*\[?\s*"?\{(?:\\[nrt]|\s)*\\+"')
# A text is known for an output of runconv by so many of its first lines.
_MOST_LINES = 1000
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


class Detection:
    """Detects the format of a log from its first lines, as they arrive."""

    may_be_over = False
    """The last record may be the result of a run, in a format that is only likely."""

    def __init__(self, candidates: Candidates, agents: Agents) -> None:
        self._candidates = candidates
        self._agents = agents
        self._found = FirstRecords()
        self._head: list[bytes] = []
        self._size = self._tried_at = 0
        # The tool that the records looked at so far are of, the first that is known.
        self._other: LookAlike | None = None
        self._looked_at = 0

    def take(self, line: bytes) -> str:
        """Read one more line; return the format, "" if more must be seen."""
        self._head.append(line)
        self._size += len(line)
        has_news = self._found.take(line.decode(errors="replace"))
        # Noise changes nothing; a try after each line of it is quadratic.
        if not line.endswith(b"\n") or not (
            has_news or self._size >= 2 * self._tried_at
        ):
            return ""
        self._tried_at = self._size
        return self._detect(is_whole=False)

    def end(self) -> str:
        """Return the format of a complete log."""
        self._found.end()
        return self._detect(is_whole=True)

    def _detect(self, is_whole: bool) -> str:
        found, candidates = self._found, self._candidates
        records = found.records
        is_log = found.begins_with == "json" or len(records) > found.noise
        claims = {
            name: recognise(records, not is_log)
            for name, recognise in candidates.items()
        }
        best = max(claims, key=claims.__getitem__)
        if claims[best] == Certainty.CERTAIN:
            return best
        is_likely = claims[best] == Certainty.LIKELY
        last = records[-1] if is_likely else {}
        self.may_be_over = last.get("type") == "result" and "session_id" in last
        is_enough = len(records) >= MOST_RECORDS or self._size >= _ENOUGH
        if is_whole or len(records) >= _SURE_RECORDS:
            other = self._look_alike(records)
            if other and is_log:
                raise _of_another_tool(other, records, candidates, self._agents)
        if not is_whole and (found.is_cut or not is_enough):
            return ""
        if found.begins_with == "noise":
            _check_ours(b"".join(self._head[:_MOST_LINES]).decode(errors="replace"))
        if is_likely or (records and found.begins_with == "noise"):
            return best
        self._check_text(is_whole)
        return best

    def _look_alike(self, records: list[Record]) -> LookAlike | None:
        """Return the tool whose log this may be; each record is looked at once."""
        if self._other is None:
            self._other = look_alike(records[self._looked_at :])
            self._looked_at = len(records)
        return self._other

    def _check_text(self, is_whole: bool) -> None:
        """Raise InputError unless the log may be text."""
        found = self._found
        text = b"".join(self._head).decode(errors="replace")
        if found.is_torn or text.strip() == "[":
            raise InputError("ends within its first event; get the whole log")
        if found.begins_with == "json":
            raise _other_json(self._agents)
        if not (is_whole or text.strip()):
            raise InputError(
                "only empty lines in the first MB; use -f FORMAT to read it anyway"
            )
        _check_readable(text, self._agents)


def _check_readable(text: str, agents: Agents) -> None:
    """Raise InputError for binary data and for a text of another tool."""
    if not text.strip():
        raise InputError(EMPTY_LOG)
    if text.lstrip().startswith("# aider chat started at"):
        raise _not_read("an Aider chat history", agents, "Aider", is_like_ours=True)
    sample = text[:65536]
    _check_disguised(sample)
    if _INSPECT.match(text):
        raise _not_read("a log of Inspect, in an archive", agents, "Inspect")
    if text.startswith("SQLite format 3\0"):
        # It may be one of Cursor's own.
        if any(all(table in text for table in each) for each in _CURSOR_TABLES):
            log = "the log of agent -p --output-format stream-json"
            raise _not_read("a database of Cursor's chats", log, "Cursor's chats")
        raise NotALogError("an SQLite database, not a log")
    for magic, name in _ARCHIVES:
        if text.startswith(magic):
            raise NotALogError(f"a {name} archive; unpack it first")
    if is_binary(sample) or text.startswith("%PDF-"):
        raise NotALogError("binary data, not a log; use -f text to read it anyway")
    if text.lstrip().startswith("[") and is_json(text):
        raise _other_json(agents)


def is_binary(text: str) -> bool:
    """Return True for text that is decoded binary data."""
    return "\0" in text or len(_UNREADABLE.findall(text)) > len(text) // 3


def _check_ours(text: str) -> None:
    """Raise NotALogError for the beginning of a text that runconv wrote for people."""
    if what := _ours(text):
        raise NotALogError(
            f"{what} that runconv wrote; name a log that it was made of, or use -f"
            " text to read it anyway"
        )


def _ours(text: str) -> str:
    first, second, third, fourth, *_ = [*text.split("\n", 4), "", "", "", ""]
    if first.startswith("# ") and ("\n## Run\n" in text or "\n## Answer\n" in text):
        ours = ("\n- **Session:** `", "\n- **Model:** ")
        is_ours = first.endswith(" run") or any(each in text for each in ours)
        return "a transcript" if is_ours else ""
    if first == "---" and "\ntool_calls_unfinished: " in text:
        return "a transcript"
    if first.startswith("**") and first.endswith("**\\") and " · " in second:
        return "a summary"
    if first.startswith("<!-- runconv-") or second.startswith("first divergence at "):
        return "a comparison"
    if first == "<!doctype html>" and "default-src 'none'" in text[:1000]:
        return "a page"
    has_verdict = " · " in second and not third and fourth.startswith("▌ ")
    return "a view" if has_verdict else ""


def _check_disguised(text: str) -> None:
    """Raise InputError for JSON that has colours or escapes, which is no answer."""
    anyway = "; use -f text to read it anyway"
    if _ESCAPED.match(text):
        advice = "write each event itself, as jq -r does"
        raise NotALogError(f"JSON with escaped quotes; {advice}{anyway}")
    if _OBJECT.match(plain := _CODE.sub("", text[:4096])) and plain != text[:4096]:
        advice = "write it without them, as jq -M does"
        raise NotALogError(f"JSON with the codes of colours; {advice}{anyway}")


def _of_another_tool(
    other: LookAlike, records: list[Record], candidates: Candidates, agents: Agents
) -> NotALogError:
    """Return the error for a log of another tool.

    It names -f only if each record may be one that is read: otherwise the calls would
    be lost.
    """
    is_like_ours = all(
        any(
            recognise([record], False) > Certainty.READABLE
            for recognise in candidates.values()
        )
        for record in records
    )
    return _not_read(other.name, other.instead or agents, other.agent, is_like_ours)


def _not_read(
    name: str, instead: str | Agents, agent: str, is_like_ours: bool = False
) -> NotALogError:
    """Return the error for the log of another tool; it names the logs that are read."""
    words = instead if isinstance(instead, str) else _logs_read(instead, is_like_ours)
    message = f"looks like {name}, which runconv does not read; it reads {words}"
    return NotALogError(message, agent)


def _other_json(agents: Agents) -> NotALogError:
    logs = _logs_read(agents, is_like_ours=True)
    return NotALogError(f"JSON, but not a log of an agent; runconv reads {logs}")


def _logs_read(agents: Agents, is_like_ours: bool) -> str:
    words = f"the logs of {in_words(agents())}; logs of others are read as ATIF"
    advice = " (if it is one of these after all, name its format with -f)"
    return words + advice * is_like_ours
