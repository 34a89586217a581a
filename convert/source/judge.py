"""The format of a log by its beginning, or the name of the other tool that wrote it."""

from __future__ import annotations

import re

from convert.errors import EMPTY_LOG, InputError, NotALogError
from convert.source.first_records import MOST_RECORDS, FirstRecords
from convert.source.look_alikes import LookAlike, look_alike
from convert.source.nesting import is_json
from convert.source.sniff import Agents, Candidates, Certainty, Record
from convert.wording.numbers import in_words

# A look-alike is named at once, but not for one stray line before a log.
_SURE_RECORDS = 3
_ENOUGH = 1 << 20

# Archives that cannot be expanded as they arrive, decoded with replacements.
_ARCHIVES = (("PK\x03\x04", "zip"), ("7z\ufffd\ufffd'\x1c", "7z"))
# How the members of an archive of Inspect (`.eval`) are called, of which one is first.
_INSPECT = re.compile(
    "PK\x03\x04.{12,26}(?:_journal/|samples/|summaries|header\\.json)", re.S
)
# The tables in Cursor's own databases: of its agent, and of its editor.
_CURSOR_TABLES = (("CREATE TABLE blobs", "CREATE TABLE meta"), ("cursorDiskKV",))
# JSON that is shown with the codes of colours, or in a string of JSON.
_CODE = re.compile(r"(?:\x1b|\^\[|\\u001b|\\x1b|\\033|\\e)?\[[0-9;]*[mK]")
_OBJECT = re.compile(r'\s*\[?\s*\{\s*"')
_ESCAPED = re.compile(r'\s*\[?\s*"?\{(?:\\[nrt]|\s)*\\+"')
_NO_LOG = "JSON, but not a log of an agent; runconv"
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


class Judgement:
    """Judges a log by its first lines, as they come."""

    def __init__(self, candidates: Candidates, agents: Agents) -> None:
        self._candidates = candidates
        self._agents = agents
        self._found = FirstRecords()
        self._head: list[bytes] = []
        self._size = self._looked_at = 0

    def take(self, line: bytes) -> str:
        """Read one more line; return the format, "" if more must be seen."""
        self._head.append(line)
        self._size += len(line)
        has_news = self._found.take(line.decode(errors="replace"))
        # Noise alone changes nothing; looking after each line of it is quadratic.
        if not line.endswith(b"\n") or not (
            has_news or self._size >= 2 * self._looked_at
        ):
            return ""
        self._looked_at = self._size
        return self._judge(is_whole=False)

    def end(self) -> str:
        """Return the format of a log that is whole."""
        self._found.end()
        return self._judge(is_whole=True)

    def _judge(self, is_whole: bool) -> str:
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
        is_enough = len(records) >= MOST_RECORDS or self._size >= _ENOUGH
        if is_whole or len(records) >= _SURE_RECORDS:
            other = look_alike(records)
            if other and is_log:
                raise _of_another_tool(other, records, candidates, self._agents)
        if not is_whole and (found.is_cut or not is_enough):
            return ""
        is_likely = claims[best] == Certainty.LIKELY
        if is_likely or (records and found.begins_with == "noise"):
            return best
        self._check_text(is_whole)
        return best

    def _check_text(self, is_whole: bool) -> None:
        """Raise InputError unless the log may be text."""
        found = self._found
        text = b"".join(self._head).decode(errors="replace")
        if found.is_torn or text.strip() == "[":
            raise InputError("ends within its first event; get the whole log")
        if found.begins_with == "json":
            raise _not_ours(_NO_LOG, self._agents)
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
        error = _not_ours(_looks_like("an Aider chat history"), agents)
        error.agent = "Aider"
        raise error
    sample = text[:65536]
    _check_disguised(sample)
    if _INSPECT.match(text):
        raise _of_inspect(agents)
    if text.startswith("SQLite format 3\0"):
        raise _of_database(text)
    for magic, name in _ARCHIVES:
        if text.startswith(magic):
            raise NotALogError(f"a {name} archive; unpack it first")
    if "\0" in sample or len(_UNREADABLE.findall(sample)) > len(sample) // 3:
        raise NotALogError("binary data, not a log; use -f text to read it anyway")
    if text.lstrip().startswith("[") and is_json(text):
        raise _not_ours(_NO_LOG, agents)


def _check_disguised(text: str) -> None:
    """Raise InputError for JSON that has colours or escapes, which is no answer."""
    anyway = "; use -f text to read it anyway"
    if _ESCAPED.match(text):
        advice = "write each event itself, as jq -r does"
        raise NotALogError(f"JSON with escaped quotes; {advice}{anyway}")
    if _OBJECT.match(plain := _CODE.sub("", text[:4096])) and plain != text[:4096]:
        advice = "write it without them, as jq -M does"
        raise NotALogError(f"JSON with the codes of colours; {advice}{anyway}")


def _of_inspect(agents: Agents) -> NotALogError:
    error = _refused(_looks_like("a log of Inspect, in an archive"), agents)
    error.agent = "Inspect"
    return error


def _of_database(text: str) -> NotALogError:
    """Return the error for a database, which may be one of Cursor's own."""
    if not any(all(table in text for table in each) for each in _CURSOR_TABLES):
        return NotALogError("an SQLite database, not a log")
    named = _looks_like("a database of Cursor's chats")
    error = NotALogError(
        f"{named} reads the log of agent -p --output-format stream-json"
    )
    error.agent = "Cursor's chats"
    return error


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
    what = _looks_like(other.name)
    if other.instead:
        error = NotALogError(f"{what} reads {other.instead}")
    else:
        error = (_not_ours if is_like_ours else _refused)(what, agents)
    error.agent = other.agent
    return error


def _looks_like(name: str) -> str:
    return f"looks like {name}, which runconv does not read; it"


def _not_ours(what: str, agents: Agents) -> NotALogError:
    error = _refused(what, agents)
    error.message += " (if it is one of these after all, name its format with -f)"
    return error


def _refused(what: str, agents: Agents) -> NotALogError:
    named = f"the logs of {in_words(agents())}"
    return NotALogError(f"{what} reads {named}; logs of others are read as ATIF")
