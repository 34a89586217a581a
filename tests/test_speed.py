"""Conversions stay fast: lines are decoded once, and most of them are skipped.

These tests count work and instructions, and never measure time; scripts/bench does.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

import convert
from benchmarks import counts, logs
from convert.cli import NamedLog, kept_messages, say
from convert.cursor import (
    Arms,
    WireEvent,
    is_delta,
    open_calls,
    significant,
    stream_json,
    tool_calls,
)
from convert.cursor.wire import wire
from convert.errors import ignore
from convert.formats import writers
from convert.model import (
    EVERYTHING,
    CallDetail,
    EndOfLog,
    Event,
    Needs,
    Recorded,
    ToolCall,
)
from convert.options import Options, Reading
from convert.pipeline import events_of
from convert.scale.engines import Local, local, results_of
from convert.scale.engines import local as worker
from convert.source import (
    BLOCK,
    REFUSED,
    blocks,
    chunks,
    coerce,
    lines_in,
    ndjson,
    reading,
)
from support.conversions import (
    FEW_LOGS,
    GOLDEN_LOGS,
    convert_all,
    is_clean,
    is_of_cursor,
)
from support.matrix import each, matrix, part
from support.systems import needs_system

TARGETS = ["text", "json", "stream-json", "answer", "markdown", "patch"]
NEEDS = {
    "everything": EVERYTHING,
    "calls": Needs(calls=CallDetail.OUTCOMES),
    "arguments": Needs(calls=CallDetail.ARGUMENTS),
    "texts": Needs(text=True),
    "texts and calls": Needs(text=True, calls=CallDetail.OUTCOMES),
    "results": Needs(result=True, text=True),
    "results alone": Needs(result=True, unrecorded_text=True),
    "lines": Needs(raw=True),
}


@functools.cache
def is_plain(path: Path) -> bool:
    """Return True if msgspec decodes each line as an event of the expected type."""
    log = path.read_bytes()
    if not is_of_cursor(log):
        # A document is no line, and the decoder refuses half an emoji.
        is_whole = path.suffix != ".json" and b"\\ud83d" not in log
        return is_whole and reads_without_warning(log)
    try:
        for needs in (EVERYTHING, Needs(calls=CallDetail.OUTCOMES)):
            wire(needs).decoder.decode_lines(log)
    except REFUSED:
        return False
    return is_clean(log)


def reads_without_warning(log: bytes) -> bool:
    warnings: list[str] = []
    try:
        for _ in convert.read(
            [log], warn=lambda _, reason, __: warnings.append(reason)
        ):
            pass
    except convert.RunconvError:
        return False
    return not warnings


def plain_logs() -> list[Path]:
    return [path for path in part(FEW_LOGS, 2) if is_plain(path)]


def test_there_are_plain_logs_among_the_golden_ones() -> None:
    assert len(plain_logs()) > len(FEW_LOGS) / 8


def refuse(*_: object) -> None:
    raise AssertionError("read line by line")


@matrix(path=plain_logs(), to=TARGETS, times=2)
def test_a_plain_log_is_never_read_line_by_line(
    path: Path, to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_line_by_line", refuse)

    convert_all([path.read_bytes()], to, partial=True)


@matrix(path=part(FEW_LOGS, 4), to=TARGETS, times=1)
def test_a_log_leaves_memory_as_soon_as_it_is_read(path: Path, to: str) -> None:
    log = [path.read_bytes()]
    convert_all(log, to, partial=True)
    # Ignores the objects of other tests, which take long to look through.
    gc.freeze()

    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        convert_all(log, to, partial=True)
        gc.collect()
        # Other threads, and json of Python, leave circles of their own.
        kinds = {type(each) for each in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()

    assert not [kind for kind in kinds if kind.__module__.startswith("convert.")]


class Counting:
    """A decoder that counts its calls."""

    def __init__(self, decoder: msgspec.json.Decoder[WireEvent]) -> None:
        self.decoder = decoder
        self.blocks = self.lines = 0

    def decode_lines(self, block: bytes) -> list[WireEvent]:
        self.blocks += 1
        return self.decoder.decode_lines(block)

    def decode(self, line: bytes) -> WireEvent:
        self.lines += 1
        return self.decoder.decode(line)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "profile", part(logs.PROFILES, 2), ids=lambda profile: profile.name
)
@pytest.mark.parametrize("needs", NEEDS.values(), ids=NEEDS)
def test_a_block_is_decoded_once(profile: logs.Profile, needs: Needs) -> None:
    log = b"".join(logs.lines(profile, 5 * BLOCK))
    pieces = [*in_blocks(log)]
    decoding = stream_json.decoding_for(needs)
    decoder = Counting((decoding.usual or decoding).decoder)
    if decoding.usual is None:
        decoding = replace(decoding, decoder=decoder)
    else:
        usual = replace(decoding.usual, decoder=decoder)
        decoding = replace(decoding, usual=usual)

    read = [*reading.read_blocks(pieces, decoding, len(log), warn)]

    assert sum(len(lines.events) for lines in read) == log.count(b"\n")
    assert (decoder.blocks, decoder.lines) == (len(pieces), 0)


def in_blocks(log: bytes) -> Iterator[bytes]:
    pieces = (log[at : at + BLOCK] for at in range(0, len(log), BLOCK))
    return blocks(pieces, len(log) + 1)


def warn(line: int | None, reason: str, action: str) -> None:
    raise AssertionError(f"{line}: {reason}, {action}")


@pytest.mark.parametrize("profile", logs.PROFILES, ids=lambda profile: profile.name)
def test_most_lines_of_a_log_are_skipped(profile: logs.Profile) -> None:
    log = b"".join(logs.lines(profile, 20 * BLOCK))
    calls = log.count(b'"type":"tool_call"')

    for target, most in (("text", calls), ("stream-json", 0), ("json", 0)):
        decoding = stream_json.decoding_for(writers()[target].needs(Options()))
        read = reading.read_blocks(in_blocks(log), decoding, len(log), warn)

        # The first and last lines of the log are always significant.
        assert sum(len(block.significant) for block in read) <= most + 5


def events_and_warnings(
    log: bytes, needs: Needs, source: str = "auto"
) -> tuple[list[Event], list[tuple[int | None, str]]]:
    """Read a log; return its events, with raw lines joined, and the warnings."""
    warnings: list[tuple[int | None, str]] = []
    events: list[Event] = []
    try:
        for event in events_of(
            [log], source, needs, Reading(), lambda *warning: warnings.append(warning)
        ):
            last = events[-1] if events else None
            if (
                isinstance(event, Recorded)
                and isinstance(last, Recorded)
                and last.run == event.run
            ):
                event = replace(last, raw=last.raw + event.raw)
                events.pop()
            events.append(event)
    except convert.RunconvError as error:
        warnings.append((error.line, error.message))
    return events, warnings


# Replacements that decode line by line and skip no line.
CAREFUL = {
    "decode_block": (ndjson, lambda *_: None),
    "significant": (
        stream_json,
        lambda events, unread, has_texts: range(len(events)),
    ),
    "is_plain_success": (tool_calls, lambda result: False),
    "wire": (stream_json, lambda needs: replace(wire(needs), usual=None)),
    "arms_in": (
        tool_calls,
        lambda result, number, warn: coerce(result, Arms, number, warn),
    ),
}


@matrix(path=part(FEW_LOGS, 4), needs=NEEDS, name=CAREFUL, times=2)
def test_fast_paths_change_nothing(path: Path, needs: str, name: str) -> None:
    log = path.read_bytes()
    expected = events_and_warnings(log, NEEDS[needs])

    module, careful = CAREFUL[name]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, name, careful)

        assert events_and_warnings(log, NEEDS[needs]) == expected


@given(
    st.lists(
        st.builds(
            WireEvent,
            st.sampled_from(["assistant", "thinking", "tool_call", "user"]),
            session_id=st.sampled_from("sssst"),
            model_call_id=st.sampled_from(["", "", "m"]),
            timestamp_ms=st.sampled_from([None, 5, 5]),
        )
    ),
    st.sets(st.sampled_from(["thinking", "tool_call"])),
)
def test_a_delta_is_decided_in_one_way(
    events: list[WireEvent], unread: set[str]
) -> None:
    expected = [
        index
        for index, line in enumerate(events)
        if line.session_id != events[0].session_id
        or (
            line.type not in unread
            and not (line.type == "assistant" and is_delta(line, is_stamped=True))
        )
    ]

    assert significant(events, frozenset(unread), has_texts=True) == expected


SESSIONS = st.sampled_from([*"sssssss", "t", ""])
STAMPS = st.sampled_from([{"timestamp_ms": 5}, {}])
SPOKEN = st.builds(
    lambda texts, of_call: {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": text} for text in texts],
        },
        **of_call,
    },
    st.sampled_from([["a"], ["b"], ["ab"], [""], ["a", "b"], []]),
    st.sampled_from([{}, {}, {"model_call_id": "m"}]),
)
CALLS = st.builds(
    lambda subtype, call_id, key, result: {
        "type": "tool_call",
        "subtype": subtype,
        "call_id": call_id,
        "tool_call": {key: {"args": {"path": "p"}} | result},
    },
    st.sampled_from(["started", "started", "completed", "completed", "failed", ""]),
    st.sampled_from(["1", "1", "2", ""]),
    st.sampled_from(["readToolCall", "editToolCall", "function", "odd"]),
    st.sampled_from(
        [
            {},
            {"result": {"success": {}}},
            {"result": {"success": {"exitCode": 1}}},
            {"result": {"success": {"isError": True}}},
            {"result": {"success": {"exitCode": False}}},
            {"result": {"success": {"case": 5}}},
            {"result": {"error": {}}},
        ]
    ),
)
OTHERS = st.sampled_from(
    [
        {"type": "system", "subtype": "init", "cwd": "/"},
        {"type": "user", "message": {"role": "user", "content": []}},
        {"type": "thinking", "subtype": "delta", "text": "hm"},
        {"type": "thinking", "subtype": "delta", "text": "hm"},
        {"type": "thinking", "subtype": "completed"},
        {"type": "interaction_query", "subtype": "request"},
        {"type": "connection", "subtype": "lost"},
        {"type": "result", "subtype": "success", "result": None},
        {"type": "novelty"},
    ]
)
LOGS = st.lists(
    st.builds(
        lambda line, session, stamp: line | {"session_id": session} | stamp,
        st.one_of(SPOKEN, CALLS, CALLS, OTHERS),
        SESSIONS,
        STAMPS,
    ),
    min_size=1,
    max_size=25,
)


def assistant(*texts: str, **members: object) -> dict[str, object]:
    content = [{"type": "text", "text": text} for text in texts]
    message = {"role": "assistant", "content": content}
    return {"type": "assistant", "message": message, "session_id": "s", **members}


ASKED: dict[str, object] = {"type": "user", "message": "do", "session_id": "s"}
STAMPED_CALL: dict[str, object] = {
    "type": "tool_call",
    "subtype": "started",
    "call_id": "1",
    "tool_call": {"readToolCall": {}},
    "session_id": "s",
    "timestamp_ms": 5,
}


# The first timestamp is on a line that may be skipped, but decides how to read on.
@example([ASKED, assistant("a", timestamp_ms=5), assistant("b"), assistant("c")])
@example([ASKED, STAMPED_CALL, assistant("b"), assistant("c")])
# Messages of several parts, and of none.
@example(
    [ASKED, *(assistant(*texts, timestamp_ms=5) for texts in ("a", "bc", "", "d"))]
)
@given(LOGS)
def test_lines_in_any_order_are_read_alike(lines: list[dict[str, object]]) -> None:
    log = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    fast = [events_and_warnings(log, needs, "stream-json") for needs in NEEDS.values()]

    with pytest.MonkeyPatch.context() as patched:
        for what, (module, careful) in CAREFUL.items():
            patched.setattr(module, what, careful)

        for needs, found in zip(NEEDS.values(), fast, strict=True):
            assert events_and_warnings(log, needs, "stream-json") == found


@pytest.mark.parametrize("needs", NEEDS.values(), ids=NEEDS)
def test_a_call_of_many_lines_combines_them_all(
    needs: Needs, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        STAMPED_CALL
        | ({"subtype": "progress"} if n else {})
        | {"tool_call": {"readToolCall": {"args": {f"a{n % 9}": n, "path": "p"}}}}
        | ({"model_call_id": "m"} if n == 50 else {})
        for n in range(200)
    ]
    last = STAMPED_CALL | {"subtype": "completed", "timestamp_ms": 9}
    log = b"".join(map(msgspec.json.Encoder().encode_lines, [[ASKED, *lines, last]]))
    folded = events_and_warnings(log, needs)

    monkeypatch.setattr(open_calls, "_MOST_LINES", 1000)

    events, warnings = events_and_warnings(log, needs)
    assert (events, warnings) == folded
    if needs.calls == CallDetail.EVERYTHING:
        [call] = [event for event in events if isinstance(event, ToolCall)][-1:]
        assert (call.response_id, (call.arguments or {}).get("a8")) == ("m", 197)


def test_a_long_name_of_a_tool_is_not_remembered() -> None:
    name = "x" * 200
    call = STAMPED_CALL | {
        "subtype": "completed",
        "tool_call": {f"{name}ToolCall": {"result": {"success": {}}}},
    }
    log = msgspec.json.Encoder().encode_lines([ASKED, STAMPED_CALL, call])
    known = tool_calls._plain.cache_info().currsize

    assert f"Used tool {name}\n".encode() in (convert_all([log], "text") or b"")
    assert tool_calls._plain.cache_info().currsize == known


def test_an_event_keeps_its_bytes_where_lines_do_not_fit_events() -> None:
    init = b'{"type":"system","subtype":"init","session_id":"s"}\n'
    two = b'{"type":"thinking","session_id":"s"} {"type":"thinking","session_id":"s"}\n'
    spread = (
        b'{"type":"result","subtype":"success",\n"result":"Done.","session_id":"s"}\n'
    )

    written = convert_all([init + two + spread], "json")
    lines = convert_all([init + two + spread], "stream-json")

    assert written is not None
    assert msgspec.json.decode(written) == msgspec.json.decode(spread)
    assert lines is not None
    assert all(map(msgspec.json.decode, lines.splitlines()))


@each("block", [b"\n", b"a\n", b"a", b"a\nb", b"a\nb\n", b"\n\n", b"a\r\nb\r\n"])
def test_lines_are_counted_as_they_are_read(block: bytes) -> None:
    assert lines_in(block) == len(ndjson.raws_in(block))


@needs_system("reading at a place")
@pytest.mark.parametrize("length", [100, 3000, 30_000])
def test_a_file_is_read_in_whole_lines(tmp_path: Path, length: int) -> None:
    log = tmp_path / "run.ndjson"
    log.write_bytes((b"x" * length + b"\n") * (300_000 // length))

    with log.open("rb") as file:
        read = [*chunks(file.fileno(), lambda: None)]
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == log.stat().st_size
        again = [*chunks(file.fileno(), lambda: None, 0)]

    assert b"".join(read) == log.read_bytes()
    assert again == read
    assert all(chunk.endswith(b"\n") for chunk in read)
    # A chunk that ends with a line is a block, without a copy.
    assert [*map(id, blocks(read, BLOCK))] == [*map(id, read)]


def test_output_is_flushed_only_before_a_read_that_may_block() -> None:
    waits = []
    with open(__file__, "rb") as file:
        list(chunks(file.fileno(), lambda: waits.append("file")))
    source, sink = os.pipe()
    os.write(sink, b"a line\n")
    os.close(sink)
    with open(source, "rb") as file:
        list(chunks(file.fileno(), lambda: waits.append("pipe")))

    assert waits == ["pipe", "pipe"]


def convert_or_say(log: NamedLog) -> int:
    """Stand in for a conversion: some logs are odd, and one is bad."""
    number = int(log.path)
    if number % 7 == 0:
        say(f"{log.path} is odd")
    return 2 if number == 66 else 0


@pytest.mark.parametrize("processors", [1, 3])
def test_messages_about_many_logs_keep_the_order_of_the_logs(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "processors", lambda: processors)
    logs = [NamedLog(str(number), "") for number in range(200)]

    with kept_messages() as lines:
        statuses = list(results_of(Local(""), convert_or_say, logs, lambda _: 2))

    assert statuses == [2 if number == 66 else 0 for number in range(200)]
    assert lines == [b"runconv: %d is odd\n" % number for number in range(0, 200, 7)]


def test_workers_that_die_before_their_first_log_lose_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "processors", lambda: 3)
    monkeypatch.setattr(worker, "exit_on_signals", lambda: os._exit(9))
    logs = [NamedLog(str(number), "") for number in range(200)]

    with kept_messages() as lines:
        statuses = list(results_of(Local(""), convert_or_say, logs, lambda _: 2))

    assert statuses.count(0) == 199
    assert lines == [b"runconv: %d is odd\n" % number for number in range(0, 200, 7)]


def test_the_end_of_a_log_comes_last() -> None:
    for path in GOLDEN_LOGS[:5]:
        events, _ = events_and_warnings(path.read_bytes(), EVERYTHING)

        assert [type(event) for event in events].index(EndOfLog) == len(events) - 1


@pytest.mark.parametrize("thinking", [False, True])
def test_an_event_whose_type_is_empty_is_counted(thinking: bool) -> None:
    ids = b'"session_id":"s","timestamp_ms":1793180000000'
    init = b'{"type":"system","subtype":"init",%b}\n' % ids
    result = b'{"type":"result","subtype":"success","result":"Done.",%b}\n' % ids
    nameless = b'{"type":"",%b}\n' % ids
    needs = Needs(text=True, thinking=thinking)

    *_, end = events_of(init + nameless + result, "auto", needs, Reading(), ignore)

    assert isinstance(end, EndOfLog)
    assert end.unknown == {"": 1}


@pytest.fixture(scope="session")
def logs_to_count(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that keeps the logs of all rows."""
    return tmp_path_factory.mktemp("counted")


# The other rows take minutes; `scripts/bench count` counts them all. These commands do
# hardly more than a part of another one.
PARTS = {"json", "diff, equal", "--version"}
COUNTED = [
    row for row in counts.rows() if row.table == "start" and row.name not in PARTS
]


@pytest.mark.seldom
@pytest.mark.parametrize("row", COUNTED, ids=lambda row: f"{row.table}, {row.name}")
def test_no_command_takes_more_instructions_than_its_limit(
    row: counts.Row, logs_to_count: Path
) -> None:
    if reason := counts.missing():
        pytest.skip(reason)

    times = counts.times(row, logs_to_count)

    assert not row.exceeded_by(times), f"{times:.2f}, limit {row.limit}"
