"""The format of a log by its beginning, or the name of the other tool that wrote it."""

from __future__ import annotations

import json
import re

from convert.errors import InputError
from convert.source.embedded import EVENT, is_json, wrapped_event
from convert.source.look_alikes import look_alike
from convert.source.sniff import Candidates, Certainty, Record

_MOST_RECORDS = 60
# A look-alike is named at once, but not for one stray line before a log.
_SURE_RECORDS = 3
# The most attempts to decode a value: each costs the length of the head.
_MOST_TRIES = 200
_ENOUGH = 1 << 20

# Python refuses integers of 4,300 digits and more.
_JSON = json.JSONDecoder(parse_int=float)
# Between values: white space, and what wraps them in an array.
_BETWEEN = re.compile(r"[\s,\[\]]*")
_TORN = re.compile(r'\{\s*(?:"|\Z)')
# Archives that cannot be expanded as they arrive, decoded with replacements.
_ARCHIVES = (("PK\x03\x04", "zip"), ("7z\ufffd\ufffd'\x1c", "7z"))
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


def judge(head: bytes, is_whole: bool, candidates: Candidates) -> str:
    """Return the format of a log that begins with `head`; "" if more must be seen."""
    text = head.decode(errors="replace")
    found = _look(text)
    records = found.records
    is_log = found.begins_with == "json" or len(records) > found.noise
    claims = {
        name: recognise(records, not is_log) for name, recognise in candidates.items()
    }
    best = max(claims, key=claims.__getitem__)
    if claims[best] == Certainty.CERTAIN:
        return best
    is_enough = len(records) >= _MOST_RECORDS or len(head) >= _ENOUGH
    if is_whole or len(records) >= _SURE_RECORDS:
        name = next(filter(None, map(look_alike, records)), "")
        if name and is_log:
            raise _of_another_tool(name, records, candidates)
    if not is_whole and (found.is_cut or not is_enough):
        return ""
    if claims[best] == Certainty.LIKELY:
        return best
    if records and found.begins_with == "noise":
        return best
    if found.is_torn or text.strip() == "[":
        raise InputError("ends within its first event; get the whole log")
    if found.begins_with == "json":
        raise _not_ours("JSON, but not a log of the agent", candidates)
    if not (is_whole or text.strip()):
        raise InputError(
            "only empty lines in the first MB; use -f FORMAT to read it anyway"
        )
    _check_readable(text, candidates)
    return best


def _check_readable(text: str, candidates: Candidates) -> None:
    """Raise InputError for binary data and for a text of another tool."""
    if not text.strip():
        raise InputError(
            "the log is empty; check that the agent wrote its output to it"
        )
    if text.lstrip().startswith("# aider chat started at"):
        raise _not_ours("looks like an Aider chat history", candidates)
    sample = text[:65536]
    for magic, name in _ARCHIVES:
        if text.startswith(magic):
            raise InputError(f"a {name} archive; unpack it first")
    if "\0" in sample or len(_UNREADABLE.findall(sample)) > len(sample) // 3:
        raise InputError("binary data, not a log; use -f text to read it anyway")
    if text.lstrip().startswith("[") and is_json(text):
        raise _not_ours("JSON, but not a log of the agent", candidates)


def _of_another_tool(
    name: str, records: list[Record], candidates: Candidates
) -> InputError:
    """Return the error for a log of another tool.

    It names -f only if each record may be Cursor's: otherwise the calls would be lost.
    """
    is_like_ours = all(
        any(
            recognise([record], False) > Certainty.READABLE
            for recognise in candidates.values()
        )
        for record in records
    )
    what = f"looks like {name}"
    return _not_ours(what, candidates) if is_like_ours else _refused(what, candidates)


def _not_ours(what: str, candidates: Candidates) -> InputError:
    error = _refused(what, candidates)
    error.message += " (if this is Cursor's log after all, use -f FORMAT)"
    return error


def _refused(what: str, candidates: Candidates) -> InputError:
    *names, last = candidates
    return InputError(
        f"{what}; runconv reads {', '.join(names)} and {last} of Cursor's agent"
    )


class _Found:
    """The findings of a look at the first lines."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        # "json" or "noise"; "" if there is nothing.
        self.begins_with = ""
        # How many lines are neither an event nor a damaged one.
        self.noise = 0
        # The text ends within an event.
        self.is_torn = False
        # More text may complete a value.
        self.is_cut = False


def _look(text: str) -> _Found:
    """Find the first objects of a text."""
    found = _Found()
    length = len(text.rstrip())
    tries = 0
    at = _skip(text, 0)
    while at < length and len(found.records) < _MOST_RECORDS and tries < _MOST_TRIES:
        line_end = text.find("\n", at)
        end = line_end if line_end >= 0 else len(text)
        prefixed = None if text[at] == "{" else EVENT.search(text, at, end)
        begin = prefixed.start() if prefixed else at
        is_noise = True
        if text[begin] == "{":
            # Only a bracket alone on its line begins a value of several lines.
            is_spread = not text[begin + 1 : end].strip()
            line = text[begin:] if is_spread else text[begin:end]
            try:
                record, length_of_value = _JSON.raw_decode(line)
                found.records.append(_inner(record))
                end = begin + length_of_value
                is_noise = bool(prefixed)
            except (ValueError, RecursionError) as error:
                tries += 1
                is_last = text.find("\n", begin + getattr(error, "pos", 0), length) < 0
                found.is_torn = is_last and bool(_TORN.match(line))
                found.is_cut = is_spread and is_last
                if found.is_cut:
                    found.begins_with = found.begins_with or "json"
                    return found
        # A damaged event is not prose.
        is_prose = is_noise and not EVENT.match(text, begin)
        found.noise += is_prose
        begins_with = "noise" if is_prose or prefixed else "json"
        found.begins_with = found.begins_with or begins_with
        at = _skip(text, end)
    return found


def _inner(record: Record) -> Record:
    """Return the record that a recorder has wrapped in this one, else this one."""
    inner = wrapped_event(record)
    try:
        return record if inner is None else _JSON.raw_decode(inner)[0]
    except (ValueError, RecursionError):
        return record


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
