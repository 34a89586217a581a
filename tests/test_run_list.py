"""The list of runs: true for every log, read no further than it must; their names."""

from __future__ import annotations

import gzip
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from convert.cli.listed_runs import NoRun, Row, named_logs, newest_in, read_row, rows
from convert.cli.run_list import write_table
from convert.errors import InputError, UsageError
from convert.options import Reading
from convert.source import START, end_mark
from convert.source.places import Walk
from convert.source.sessions import STORES, Session, sessions_in, short_id
from support.conversions import FEW_LOGS
from support.golden import GOLDEN, RUN, cases
from support.in_process import Done, run, run_on_terminal
from support.matrix import each, part
from support.shell import ENVIRONMENT
from support.systems import need_system
from test_reference import code, section
from test_reference import rows as rows_of

SCHEMA = json.loads(
    resources.files("convert.cli").joinpath("list.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
SESSIONS = GOLDEN / "claude-session-folder-with-subagents" / "sessions"
ID = "2137e964-f906-411f-8284-66b73913c0e1"


def listed(folder: Path) -> list[Row | NoRun]:
    return [*rows(sessions_in(Walk(), [str(folder)]), Reading())]


def row_of(folder: Path) -> Row:
    (row,) = listed(folder)
    assert isinstance(row, Row)
    return row


def in_home(home: Path, *arguments: str) -> Done:
    return run([*arguments], home, {**ENVIRONMENT, "HOME": str(home)})


def age(path: Path, seconds: float) -> None:
    """Let a file have changed some time ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def session_of(home: Path, content: bytes, id: str = ID, seconds: float = 0) -> Path:
    """Write a session of Claude Code into its folder."""
    path = home / ".claude" / "projects" / "-home-ada-shop" / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    age(path, seconds)
    return path


@pytest.mark.exhaustive
def test_each_golden_log_has_the_facts_of_stats(tmp_path: Path) -> None:
    paths = part(FEW_LOGS, 3)
    for number, path in enumerate(paths):
        log = tmp_path / "logs" / f"{number}{path.suffix}"
        log.parent.mkdir(exist_ok=True)
        log.write_bytes(path.read_bytes())
        age(log, 100 + number)

    made = in_home(tmp_path, "list", "logs", "--format", "json")
    counted = in_home(tmp_path, "stats", "logs", "--format", "json")

    assert made.status == 0
    found = json.loads(made.stdout)
    VALIDATOR.validate(found)
    runs: dict[str, list[Any]] = defaultdict(list)
    for each_run in json.loads(counted.stdout)["runs"]:
        runs[each_run["log"]].append(each_run)
    assert len(found["runs"]) > len(paths) / 2
    broken = {each_log["log"] for each_log in json.loads(counted.stdout)["broken"]}
    for row in found["runs"]:
        if row["log"] not in broken:
            assert facts(row) == facts_of_stats(runs[row["log"]]), row["log"]


def facts(row: dict[str, Any]) -> list[Any]:
    tokens = row["tokens"] or {"output": None}
    names = ("runs", "agent", "model", "title", "state", "calls", "duration_ms")
    return [*(row[name] for name in names), tokens["output"]]


def facts_of_stats(runs: list[dict[str, Any]]) -> list[Any]:
    first, *_, last = sorted([*runs, *runs], key=lambda each_run: each_run["run"])
    return [
        *(len(runs), first["agent"], first["model"], first["title"], last["state"]),
        *(total(runs, name) for name in ("calls", "time_ms", "tokens_out")),
    ]


def total(runs: list[dict[str, Any]], figure: str) -> int | None:
    known = [each_run["figures"][figure] for each_run in runs]
    recorded = [number for number in known if number is not None]
    return sum(recorded) if recorded else None


@pytest.mark.exhaustive
def test_the_ends_of_a_log_tell_nothing_else_than_all_of_it(tmp_path: Path) -> None:
    for number, path in enumerate(FEW_LOGS):
        (tmp_path / f"{number}{path.suffix}").write_bytes(path.read_bytes())
    known = 0

    for session in sessions_in(Walk(), [str(tmp_path)]):
        age(Path(session.path), 100)
        whole, ends = (
            read_row(session, Reading(), time.time() + 100, is_whole)
            for is_whole in (True, False)
        )
        if isinstance(ends, Row) and isinstance(whole, Row):
            states = [None, "cut" if whole.state == "unfinished" else whole.state]
            assert ends.state in states, FEW_LOGS[int(Path(session.path).stem)]
            assert ends.title in ("", whole.title)
            assert ends.start.agent == whole.start.agent
            assert ends.start.directory == whole.start.directory
            assert ends.reason in ("", whole.reason)
            known += ends.state is not None

    assert known > len(FEW_LOGS) / 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", part([0.5, 0.1, 0.3, 0.7, 0.9, 0], 6))
def test_logs_that_break_off_anywhere_are_listed(share: float, tmp_path: Path) -> None:
    for number, path in enumerate(FEW_LOGS):
        content = path.read_bytes()
        log = tmp_path / f"{number}{path.suffix}"
        log.write_bytes(content[: int(len(content) * share)])

    assert len(listed(tmp_path)) == len(FEW_LOGS)


def claude(role: str, content: Any, number: int, **more: Any) -> bytes:
    """A line of a session of Claude Code."""
    message = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": f"msg_{number}", "model": "claude-opus-5"}
    line = {
        "parentUuid": None if number == 0 else str(number - 1),
        "uuid": str(number),
        "sessionId": ID,
        "cwd": "/home/ada/shop",
        "type": role,
        "message": message,
        "timestamp": f"2026-11-04T08:{number // 60 % 60:02}:{number % 60:02}.000Z",
        **more,
    }
    return json.dumps(line).encode() + b"\n"


def long_session(lines: int, text: int) -> Iterator[bytes]:
    yield claude("user", "Look around", 0)
    for number in range(1, lines):
        yield claude("assistant", [{"type": "text", "text": "a" * text}], number)
    yield claude(
        "assistant",
        [{"type": "text", "text": "API Error: 500"}],
        lines,
        isApiErrorMessage=True,
    )


def bytes_read() -> int:
    """The bytes that this process has read from files."""
    status = Path("/proc/self/io")
    need_system("/proc")
    found = re.search(r"rchar: (\d+)", status.read_text())
    assert found is not None
    return int(found[1])


def test_only_the_ends_of_a_long_log_are_read(tmp_path: Path) -> None:
    session_of(tmp_path, b"".join(long_session(900, 10_000)), seconds=100)
    whole = tmp_path / "whole"
    session_of(whole, b"".join(long_session(3, 10_000)), seconds=100)
    exact = row_of(whole / ".claude")
    before = bytes_read()

    row = row_of(tmp_path / ".claude")

    assert bytes_read() - before < 100_000
    assert row.session.size > 9_000_000
    assert (row.title, row.state, row.start) == (exact.title, "error", exact.start)
    assert (row.reason, row.started_ms) == (exact.reason, exact.started_ms)
    unknown = (row.figures.tokens, row.figures.calls, row.duration_ms, row.runs)
    assert unknown == (None, None, None, None)


def test_the_last_line_is_found_however_long_it_is(tmp_path: Path) -> None:
    lines = RUN.read_bytes().splitlines(keepends=True)
    result = json.loads(lines[-1])
    result["result"] = "a" * 300_000
    padding = claude("user", "b" * 9_000_000, 1)
    log = [*lines[:-1], padding, json.dumps(result).encode()]
    (tmp_path / "run.ndjson").write_bytes(b"".join(log))

    row = row_of(tmp_path)

    assert (row.state, row.start.agent, row.runs) == ("success", "Cursor", None)


def test_a_long_log_that_has_no_lines_at_its_end_has_no_known_end(
    tmp_path: Path,
) -> None:
    document = json.loads((GOLDEN / "atif-bug-fix" / "run.json").read_bytes())
    document["padding"] = ["a" * 1000] * 9000
    (tmp_path / "run.json").write_text(json.dumps(document, indent=1))

    (row,) = listed(tmp_path)

    assert not isinstance(row, Row) or (row.state, row.runs) == (None, None)


def test_lines_after_the_result_do_not_hide_it(tmp_path: Path) -> None:
    lines = RUN.read_bytes().splitlines(keepends=True)
    call = next(json.loads(line) for line in lines if b'"completed"' in line)
    late = (
        json.dumps({**call, "padding": "b" * (32_600 - len(json.dumps(call)))}).encode()
        + b"\n"
    )
    padding = json.dumps({**call, "padding": "b" * 9_000_000}).encode() + b"\n"
    log = [lines[0], padding, *lines[1:], late]
    (tmp_path / "run.ndjson").write_bytes(b"".join(log))
    age(tmp_path / "run.ndjson", 100)

    assert row_of(tmp_path).state == "success"


def test_the_last_mark_of_a_long_log_says_how_its_run_ended(tmp_path: Path) -> None:
    padding = claude("user", "b" * 9_000_000, 1)
    failed = end_mark(exit_code=1, reason="Error: no key")
    begun = claude("assistant", [{"type": "text", "text": "Hello"}], 2)
    log = START + claude("user", "Hi", 0) + padding + begun + failed
    (tmp_path / "run.ndjson").write_bytes(log)

    row = row_of(tmp_path)

    assert (row.state, row.reason, row.runs) == ("error", "Error: no key", None)


def test_a_run_that_a_mark_ends_is_not_running(tmp_path: Path) -> None:
    stalled = end_mark(stopped="stall", reason="no output for 10 min")
    (tmp_path / "run.ndjson").write_bytes(START + claude("user", "Hi", 0) + stalled)
    (tmp_path / "marks.ndjson").write_bytes(START + stalled)

    rows = [row for row in listed(tmp_path) if isinstance(row, Row)]

    assert [(row.state, row.reason) for row in rows] == [
        ("cut", "no output for 10 min"),
        ("cut", "no output for 10 min"),
    ]


def test_the_end_of_another_agents_run_is_not_the_end(tmp_path: Path) -> None:
    other = (GOLDEN / "codex-exec-bug-fix" / "codex.ndjson").read_bytes()
    padding = claude("user", "b" * 9_000_000, 1)
    (tmp_path / "run.ndjson").write_bytes(RUN.read_bytes() + padding + other)
    age(tmp_path / "run.ndjson", 100)

    row = row_of(tmp_path)

    assert (row.start.agent, row.state) == ("Cursor", None)


def test_a_log_that_cannot_be_read_to_its_end_has_no_known_end(tmp_path: Path) -> None:
    padding = claude("user", "b" * 1_000_000, 1)
    (tmp_path / "run.ndjson.gz").write_bytes(gzip.compress(RUN.read_bytes() + padding))
    age(tmp_path / "run.ndjson.gz", 100)
    reading = Reading(max_input=len(RUN.read_bytes()) + 1000)

    (row,) = rows(sessions_in(Walk(), [str(tmp_path)]), reading)

    assert isinstance(row, Row)
    assert (row.start.agent, row.state, row.runs) == ("Cursor", None, None)


def test_the_newest_logs_are_read_whole_as_long_as_they_are_few(
    tmp_path: Path,
) -> None:
    log = b"".join(long_session(4, 2_000_000))
    for number in range(4):
        id = f"0000000{number}{ID[8:]}"
        session_of(tmp_path, log, id, seconds=100 + number)

    found = listed(tmp_path / ".claude")

    assert [isinstance(row, Row) and row.runs for row in found] == [1, 1, None, None]


def test_the_first_row_is_read_before_the_second_log(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.ndjson" for number in range(2)]
    for number, path in enumerate(paths):
        path.write_bytes(RUN.read_bytes())
        age(path, 100 + number)
    found = rows(sessions_in(Walk(), [str(tmp_path)]), Reading())

    first = next(found)
    paths[1].unlink()
    second = next(found)

    assert isinstance(first, Row)
    assert isinstance(second, NoRun)


def test_a_row_is_printed_before_the_next_log_is_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.ndjson").write_bytes(RUN.read_bytes())
    row = row_of(tmp_path)

    def found() -> Iterator[Row | NoRun]:
        yield row
        assert row.session.name in capfd.readouterr().out
        yield NoRun("notes.txt", "no log")

    write_table(found(), [], [row.session], [], "never")


@pytest.mark.parametrize(
    ("seconds", "lines", "state"),
    [(5, 3, "running"), (100, 3, "cut"), (5, 99, "success"), (100, 99, "success")],
)
def test_a_log_without_an_end_that_has_just_changed_is_running(
    seconds: float, lines: int, state: str, tmp_path: Path
) -> None:
    log = tmp_path / "run.ndjson"
    # A copy of a log from long ago has old times in it, and does not grow.
    content = re.sub(rb',"timestamp_ms":\d+', b"", RUN.read_bytes())
    log.write_bytes(b"".join(content.splitlines(keepends=True)[:lines]))
    age(log, seconds)

    assert row_of(tmp_path).state == state
    for words in ([], ["show"]):
        done = in_home(tmp_path, *words, "run.ndjson")
        assert (b"the run may go on" in done.stderr) == (state == "running")


@pytest.mark.parametrize(
    ("words", "is_said"),
    [("a.jsonl", True), ("a.ndjson", False), ("b.jsonl", False), ("a.jsonl -q", False)],
)
def test_a_session_may_go_on_and_a_copy_of_an_old_log_does_not(
    words: str, is_said: bool, tmp_path: Path
) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    lines = claude("user", "Build it", 1) + claude("assistant", [], 2)
    recent = re.sub(rb'"timestamp": ?"[^"]*"', f'"timestamp":"{now}"'.encode(), lines)
    for name, content in (
        ("a.jsonl", recent),
        ("a.ndjson", recent),
        ("b.jsonl", lines),
    ):
        (tmp_path / name).write_bytes(content)

    done = in_home(tmp_path, "show", *words.split())

    assert (b"so the run may go on: runconv show -F a.jsonl" in done.stderr) == is_said


def test_a_terminal_gets_a_screen_of_rows(tmp_path: Path) -> None:
    for number in range(30):
        log = tmp_path / "logs" / f"{number}.ndjson"
        log.parent.mkdir(exist_ok=True)
        log.write_bytes(RUN.read_bytes())
        age(log, 100 + number)

    status, screen = run_on_terminal(
        ["list", "logs", "--color", "never"], tmp_path, ENVIRONMENT
    )

    assert status == 0
    lines = screen.splitlines()
    assert len(lines) == 1 + 21 + 1
    assert lines[-1] == "… 9 older logs; all of them: runconv list logs | less"
    assert max(map(len, lines)) <= 80
    assert len(in_home(tmp_path, "list", "logs").stdout.splitlines()) == 31


def test_show_without_a_log_at_a_terminal_says_where_they_are(tmp_path: Path) -> None:
    status, screen = run_on_terminal(["show"], tmp_path, ENVIRONMENT)

    assert status == 2
    assert "runconv show @1" in screen
    assert "runconv list" in screen


@pytest.mark.parametrize(
    ("path", "id"),
    [
        (f"-home-ada-shop/{ID}.jsonl", "2137e964"),
        (f"elsewhere/{ID}.jsonl", "2137e964"),
        ("rollout-2026-01-02T03-04-05-019a8c41-5d20-7ab1-9d3c-2f6e81b04c77.jsonl", ""),
        ("archive/rollout-x-019a8c41-5d20-7ab1-9d3c-2f6e81b04c77.jsonl.zst", ""),
        ("week/run.ndjson", "911634ad"),
        ("week/run.ndjson.gz", "911634ad"),
    ],
)
def test_an_id_stays(path: str, id: str) -> None:
    assert short_id(path) == (id or "81b04c77")


def paths_of(words: list[str]) -> list[str]:
    return [path for path, _ in named_logs(words)]


def test_names_are_those_of_the_list(tmp_path: Path) -> None:
    for number in range(3):
        log = tmp_path / f"{number}.ndjson"
        log.write_bytes(b"no log" if number == 1 else RUN.read_bytes())
        age(log, 100 + number)
    found = [row.session for row in listed(tmp_path) if isinstance(row, Row)]

    for number, session in enumerate(found, 1):
        named = named_logs([f"{tmp_path}/@{number}", session.name])
        assert named == [(session.path, session.name)] * 2
    assert newest_in(str(tmp_path)) == found[0].path
    with pytest.raises(InputError, match="there are 2 runs"):
        paths_of([f"{tmp_path}/@3"])


def test_a_file_with_such_a_name_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("@1").write_bytes(RUN.read_bytes())

    assert paths_of(["@1", "run@home.ndjson"]) == ["@1", "run@home.ndjson"]
    for word in ("@0", "@1234567x", "@"):
        with pytest.raises(UsageError, match="names no run"):
            paths_of([word])


def test_an_id_may_be_shorter_if_one_run_has_it(tmp_path: Path) -> None:
    ids = [ID, f"2137e9{ID[6:].replace('64', '71', 1)}", f"12345678{ID[8:]}"]
    for id in ids:
        (tmp_path / f"{id}.jsonl").write_bytes(RUN.read_bytes())
    path = [f"{tmp_path}/{id}.jsonl" for id in ids]

    words = ("2137e964", ids[0].upper(), "123", ids[1][:9])
    found = [paths_of([f"{tmp_path}/@{word}"])[0] for word in words]
    assert found == [path[0], path[0], path[2], path[1]]
    with pytest.raises(
        InputError, match=r"begins the ids of 2 runs; name one: .* and "
    ):
        paths_of([f"{tmp_path}/@2137e"])
    for word in ("12", "99"):
        with pytest.raises(InputError, match="there is no run"):
            paths_of([f"{tmp_path}/@{word}"])


def test_an_id_of_two_logs_is_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{ID}.jsonl").write_bytes(RUN.read_bytes())

    with pytest.raises(InputError, match=f"two logs.*{ID}.jsonl"):
        paths_of([f"{tmp_path}/@2137e964"])


def test_one_file_is_listed_once(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "run.ndjson").write_bytes(RUN.read_bytes())
    (tmp_path / "link").symlink_to("logs")
    folders = [str(tmp_path / name) for name in ("logs", "link", "")]

    (session,) = sessions_in(Walk(), folders)

    assert session.name == f"{folders[0]}/@{session.id}"


def test_the_file_of_a_session_that_codex_compresses_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "sessions" / "2026" / "01" / "02"
    folder.mkdir(parents=True)
    for name in ("rollout-a.jsonl", "rollout-a.jsonl.zst", "rollout-b.jsonl.zst"):
        (folder / name).write_bytes(b"{}\n")

    found: list[Session] = sessions_in(Walk(), [])

    names = {Path(session.path).name for session in found}
    assert names == {"rollout-a.jsonl", "rollout-b.jsonl.zst"}


def test_a_folder_of_a_session_is_the_run_of_that_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert newest_in(f"{SESSIONS}/{ID}/") == f"{SESSIONS}/{ID}.jsonl"
    monkeypatch.chdir(SESSIONS / ID)
    assert newest_in(".") == f"{SESSIONS}/{ID}.jsonl"
    assert newest_in(str(SESSIONS)) == f"{SESSIONS}/{ID}.jsonl"
    assert row_of(SESSIONS).figures.calls == 11


@each(
    "path",
    [
        path
        for case in cases()
        for path in sorted(case.folder.glob("*.json"))
        if path.name in case.written and b'"changed_ms"' in path.read_bytes()
    ],
)
def test_golden_reports_match_the_schema(path: Path) -> None:
    jsonschema_rs.meta.validate(SCHEMA)
    VALIDATOR.validate(json.loads(path.read_bytes()))


def test_the_places_are_those_of_the_page() -> None:
    tables = rows_of(section("command-line", "Listing"))
    table = [row for row in tables if len(row) == 6]
    cells = " ".join(name for row in table for cell in row for name in code(cell))

    for store in STORES:
        of_agent = [row[5] for row in table if row[0].startswith(store.agent)]
        assert any(
            read.startswith("yes" if store.format else "no") for read in of_agent
        )
        assert any(store.why in read for read in of_agent)
        for word in (store.variable, store.usual, store.below.split("/")[0]):
            assert word in cells, word
