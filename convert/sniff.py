"""Which format a log is in, by its bytes and never by its name.

Many agents write JSON lines with the types `system`, `user`, `assistant` and `result`.
So keys decide, not types, and a log of another agent is named, not converted wrongly.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator

from convert.errors import InputError
from convert.lines import BOM
from convert.look_alikes import Record, is_decisive, look_alike, speaks_for_cursor

_MOST_RECORDS = 60
# Up to here every new line is looked at, so that a live log starts at once; beyond it
# only each doubling, so that a long one costs no more than its length.
_SMALL = 1 << 20

_JSON = json.JSONDecoder()
_EVENT = re.compile(r'\{\s*"type"\s*:')
# Between values: white space, and what wraps them in an array.
_BETWEEN = re.compile(r"[\s,\[\]]*")
_TORN = re.compile(r'\{\s*(?:"|\Z)')
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


def sniff(chunks: Iterable[bytes]) -> tuple[str, Iterator[bytes]]:
    """Name the format of a log; give its bytes back, with those that were looked at.

    Reads no further than it must. Raises InputError for what is no log of the agent.
    """
    chunks = iter(chunks)
    held: list[bytes] = []
    size = looked_at = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if b"\n" in chunk and (size < _SMALL or size >= 2 * looked_at):
            looked_at = size
            head = held[:] = [b"".join(held)]
            if name := _judge(head[0], is_whole=False):
                return name, itertools.chain(held, chunks)
    whole = b"".join(held)
    name = _judge(whole, is_whole=True)
    assert name
    return name, iter([whole])


def _judge(head: bytes, is_whole: bool) -> str | None:
    """Name the format of what begins with `head`; None if more must be seen."""
    if not is_whole:
        head = head[: head.rfind(b"\n") + 1]
    text = head.removeprefix(BOM).decode(errors="replace")
    is_cursor = False
    records, begins_with, is_cut = _records(text)
    for record in records:
        if is_decisive(record):
            return "stream-json"
        if name := look_alike(record):
            raise _not_ours(f"looks like {name}")
        is_cursor = is_cursor or speaks_for_cursor(record)
    if not is_whole and (is_cut or len(records) < _MOST_RECORDS):
        return None
    if is_cursor:
        is_summary = all(record.get("type") == "result" for record in records)
        return "json" if is_summary else "stream-json"
    if begins_with == "json":
        raise _not_ours("JSON, but no log of the agent")
    if records:
        return "text"
    return _judge_text(text, begins_with)


def _judge_text(text: str, begins_with: str) -> str:
    """Tell text from what only looks readable; raises InputError for the latter."""
    if not text.strip():
        raise InputError("empty; is the output of the agent in another file?")
    if begins_with == "torn":
        raise InputError("breaks off within its first event, so nothing is usable")
    if text.lstrip().startswith("# aider chat started at"):
        raise _not_ours("looks like an Aider chat history")
    if len(_UNREADABLE.findall(text[:65536])) > len(text[:65536]) // 20:
        raise InputError("binary data, not a log")
    try:
        is_json = isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        is_json = False
    if is_json:
        raise _not_ours("JSON, but no log of the agent")
    return "text"


def _not_ours(what: str) -> InputError:
    return InputError(
        f"{what}; runconv reads stream-json, json and text of Cursor's agent"
        " (-f FORMAT if this is one)"
    )


def _records(text: str) -> tuple[list[Record], str, bool]:
    """Find the first objects, what the text begins with, and whether the last is cut.

    It begins with `json`, with `torn` JSON, or with `noise`; "" if there is nothing.
    """
    records: list[Record] = []
    begins_with = ""
    at = _skip(text, 0)
    while at < len(text) and len(records) < _MOST_RECORDS:
        end_of_line = text.find("\n", at) % (len(text) + 1)
        match = None if text[at] == "{" else _EVENT.search(text, at, end_of_line)
        begin = match.start() if match else at
        kind = "noise"
        if text[begin] == "{":
            try:
                record, end_of_line = _JSON.raw_decode(text, begin)
                records.append(record)
                kind = "json"
            except RecursionError:
                pass
            except json.JSONDecodeError as error:
                if error.pos >= len(text.rstrip()):
                    return records, begins_with or "torn", True
                kind = "torn" if _TORN.match(text, begin) else "noise"
        begins_with = begins_with or ("noise" if match else kind)
        at = _skip(text, end_of_line)
    return records, begins_with, False


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
