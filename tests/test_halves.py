"""Halves of an emoji: in long lines, and in each text of a log of each format."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.errors import ignore
from convert.formats import writers
from convert.scale import OF_LOGS, Wanted
from convert.source import damaged_lines as halves
from support import matrix
from support.conversions import GOLDEN_LOGS, LONG, convert_all
from support.golden import GOLDEN, RUN
from support.in_process import run

_HALVES = (r"\ud83d", r"\ude00", r"\uD83D", r"\uDE00", "ud83d", "ude00")
_OTHERS = (r"\\", r"\"", r"\n", "a", "é", "\U0001f600", r"\u0041", r"\ufffd")
_PIECES = st.sampled_from([*_HALVES, *_OTHERS])


@given(st.lists(st.lists(_PIECES, max_size=6).map("".join), min_size=2, max_size=2))
def test_a_half_in_a_long_line_shows_as_in_a_short_one(texts: list[str]) -> None:
    lines = (
        f'{{"type":"assistant","session_id":"s","message":"{text}"}}\n'
        for text in texts
    )
    log = "".join(lines).encode()

    with pytest.MonkeyPatch.context() as patch:
        short = _answers(log)
        patch.setattr(halves, "SHORTEST", 0)
        assert _answers(log) == short


def _answers(log: bytes) -> list[bytes]:
    return [*convert.convert([log], "answer", format="stream-json", partial=True)]


def test_a_long_line_with_a_half_is_decoded_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "\ud83d " + "a" * halves.SHORTEST
    line = {"type": "assistant", "session_id": "s", "message": text}
    monkeypatch.setattr(halves, "_decode_values", None)

    (shown,) = _answers(json.dumps(line).encode() + b"\n")

    assert shown.decode() == text.replace("\ud83d", "\ufffd") + "\n"


HALF, SIGN = " \ud83d", " \ufffd"


class Place(NamedTuple):
    """A text in the JSON of a golden log: its line, and the names that lead to it."""

    log: Path
    line: int
    names: tuple[str | int, ...]


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", writers())
def test_half_an_emoji_in_any_text_stops_no_conversion(target: str) -> None:
    first = [*writers()].index(target)
    options = {"partial": True, "thinking": True, "detail": True, "answer": True}
    failures = []

    for place in matrix.part(places()[0 if matrix.is_exhaustive else first :], 600, 12):
        try:
            convert_all([with_end(place, HALF)], target, **options)
        except ValueError as error:
            failures.append((place, error))

    assert failures == []


@pytest.mark.exhaustive
def test_half_an_emoji_in_any_text_is_in_no_row_of_a_table() -> None:
    options = frozenset({"--arguments", "--outputs"})
    failures = []

    for place in matrix.part(places(), 60, 12):
        log = with_end(place, HALF)
        for table in OF_LOGS:
            wanted = Wanted(table, options)
            with contextlib.suppress(convert.RunconvError):
                for row in wanted.rows(convert.read([log]), "a", ignore):
                    failures += [(table, place, name) for name in halves_in(row)]

    assert failures == []


def test_half_a_name_of_a_tool_leaves_the_rows_of_other_logs(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(RUN.read_bytes())
    for name, log, old, new in (
        ("b", RUN, b'"readToolCall"', rb'"read\ud83dToolCall"'),
        ("c", GOLDEN / "codex-exec-mcp" / "codex.ndjson", b'"tracker"', rb'"\ud83d"'),
    ):
        content = log.read_bytes()
        assert old in content
        (tmp_path / f"{name}.ndjson").write_bytes(content.replace(old, new))

    done = run(["table", "calls", "."], tmp_path, {})

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.stderr == b"runconv: 3 logs in the table\n"
    tools = {(row["log"], row["tool"]) for row in rows}
    assert tools >= {
        ("./a.ndjson", "read"),
        ("./b.ndjson", "read\ufffd"),
        ("./c.ndjson", "mcp:\ufffd/search_issues"),
    }


def halves_in(row: Any) -> list[str]:
    """Return the columns of a row that no file can hold."""
    found = []
    for name, value in msgspec.structs.asdict(row).items():
        try:
            msgspec.msgpack.encode(value)
        except UnicodeEncodeError:
            found.append(name)
    return found


@pytest.mark.exhaustive
def test_half_an_emoji_in_any_text_takes_no_event() -> None:
    lost = []

    for place in matrix.part(places(), 30, 12):
        # Another type is another event.
        if "type" not in place.names and "state" not in place.names:
            kinds = [kinds_of(with_end(place, end)) for end in (HALF, SIGN)]
            lost += [place] if kinds[0] != kinds[1] else []

    assert lost == []


@functools.cache
def places() -> list[Place]:
    """Return a place for each way in which names and types lead to a text."""
    found: dict[tuple[Any, ...], Place] = {}
    for path in GOLDEN_LOGS:
        for number, line in enumerate(lines_of(path)):
            for names, types in texts_in(line) if path.stat().st_size < LONG else ():
                way = tuple("[]" if isinstance(name, int) else name for name in names)
                found.setdefault((way, types), Place(path, number, names))
    return [*found.values()]


@functools.cache
def lines_of(path: Path) -> list[Any]:
    """Return the JSON of each line, or of the whole; bytes for any other line."""
    log = path.read_bytes()
    try:
        return [json.loads(log)]
    except ValueError:
        return [*map(_value, log.splitlines())]


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def texts_in(value: Any) -> Iterator[tuple[tuple[str | int, ...], tuple[str, ...]]]:
    """Yield the names that lead to each text, and the types of the objects around."""
    if isinstance(value, str):
        yield (), ()
    elif isinstance(value, dict | list):
        is_list = isinstance(value, list)
        kind = () if is_list or "type" not in value else (str(value["type"]),)
        for name in range(len(value)) if is_list else value:
            for names, types in texts_in(value[name]):
                yield (name, *names), (*kind, *types)


def with_end(place: Place, end: str) -> bytes:
    """Return the log of a place with this after the text there."""
    values = [*lines_of(place.log)]
    values[place.line] = extended(values[place.line], place.names, end)
    lines = (it if isinstance(it, bytes) else json.dumps(it).encode() for it in values)
    return b"".join(line + b"\n" for line in lines)


def extended(value: Any, names: tuple[str | int, ...], end: str) -> Any:
    """Return a copy of a value with this after the text where these names lead."""
    if not names:
        return value + end
    name, *others = names
    new = value.copy()
    new[name] = extended(value[name], tuple(others), end)
    return new


def kinds_of(log: bytes) -> list[type]:
    """Return the kinds of the events of a log, until it cannot be read."""
    kinds: list[type] = []
    with contextlib.suppress(convert.RunconvError):
        kinds.extend(map(type, convert.read([log])))
    return kinds
