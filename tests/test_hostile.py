"""A log is untrusted: its content never controls a terminal or a runner, and output
goes only where the user asked."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.edits import edited, log_of
from support.golden import RUN
from support.in_process import Done
from support.logs import SESSION
from support.matrix import part

TARGETS = ["text", "answer", "markdown", "patch", "json", "stream-json"]
PAYLOADS = [
    "\x1b]0;owned\x07",
    "\x1b]52;c;cm0gLXJmIH4=\x1b\\",
    "\x1b]8;;https://x.example\x1b\\here\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H\x1b[?1049h\x1bc",
    '\x1bP$q"p\x1b\\',
    "\x9b2J\x9d0;owned\x9c",
    "safe\b\b\b\bevil\x7f",
    "safe\revil",
    "\u202egnp.exe\u2066\u200f",
    "a\u200bb\ufeffc\u2060d\U000e0041",
    "\n::set-env name=PATH::/tmp\n##[error]x\r::stop-commands::y",
    "</details><script>alert(1)</script>\n```\n![x](https://x.example/y)",
]
# Characters that control a terminal or hide text.
STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200f\u202a-\u202e\u2060-\u206f]"
)


def hostile_log(payload: str) -> bytes:
    """A run with a payload in every field."""
    content = [{"type": "text", "text": payload}]
    arguments = {"command": payload, "path": payload, "description": payload}
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": payload, "model": payload},
        {"type": "user", "message": {"role": "user", "content": content}},
        {"type": payload, "subtype": payload},
        {"type": "thinking", "subtype": "completed", "text": payload},
    ]
    for number, kind in enumerate(["shellToolCall", f"{payload}ToolCall", payload]):
        body: dict[str, Any] = {"args": arguments}
        call = {"type": "tool_call", "call_id": f"{payload}{number}"}
        failure = {"error": payload, "stdout": payload, payload: payload}
        events.append(call | {"subtype": "started", "tool_call": {kind: body}})
        body = body | {"result": {"error": failure}}
        events.append(call | {"subtype": "completed", "tool_call": {kind: body}})
    contents = {"beforeFullFileContent": payload, "afterFullFileContent": payload * 2}
    edit = {"args": arguments, "result": {"success": contents}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": f"{payload}e"}
    events.append(call | {"tool_call": {"editToolCall": edit}})
    events.append({"type": "assistant", "message": {"content": content}})
    events.append({"type": "result", "subtype": payload, "result": payload})
    return b"".join(
        json.dumps(event | {"session_id": SESSION}, ensure_ascii=False).encode() + b"\n"
        for event in events
    )


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of one hostile run for each payload."""
    path = tmp_path / "hostile.ndjson"
    path.write_bytes(b"".join(map(hostile_log, PAYLOADS)))
    return path


def on_terminal(*arguments: str) -> str:
    return in_process.run_on_terminal([*arguments], Path(), {})[1]


def run(*arguments: str | Path) -> Done:
    return in_process.run(list(map(str, arguments)), Path(), {})


def run_in_runner(*arguments: str | Path) -> Done:
    return in_process.run_in_runner(list(map(str, arguments)), Path(), {})


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", part(TARGETS, 2))
def test_nothing_steers_the_terminal(log: Path, target: str) -> None:
    shown = on_terminal(str(log), "-t", target, "--detail", "--answer", "--thinking")

    assert shown
    # The colours of text are our own.
    assert STEERS.search(re.sub(r"\x1b\[(?:0|31|33)m", "", shown)) is None


def test_no_report_steers_the_terminal(log: Path) -> None:
    for report in ("table", "unified", "json", "markdown", "html"):
        shown = on_terminal("diff", str(log), str(RUN), "--format", report, "--full")

        assert shown
        assert STEERS.search(re.sub(r"\x1b\[\d*m", "", shown)) is None


def test_a_line_of_text_is_one_clean_line(log: Path) -> None:
    done = run(log, "--detail")

    shown = done.stdout.decode()
    # The fifth line of each run gives its end.
    assert shown.count("\n") == 5 * len(PAYLOADS)
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown) is None


def test_messages_steer_nothing(log: Path) -> None:
    done = run_in_runner(log, "-t", "text")

    shown = done.stderr.decode()
    assert "unknown event types" in shown
    assert STEERS.search(shown) is None
    assert "##[" not in shown
    assert re.search(r"^\s*::", shown, re.MULTILINE) is None


@pytest.mark.parametrize("target", ["text", "answer", "markdown"])
def test_no_output_commands_the_runner(log: Path, target: str) -> None:
    done = run_in_runner(log, "-t", target, "--detail", "--answer")

    shown = done.stdout.decode()
    assert "##[" not in shown
    assert re.search(r"^\s*::", re.sub("\r", "\n", shown), re.MULTILINE) is None


def test_a_patch_is_for_another_program_and_stays(tmp_path: Path) -> None:
    text = "::debug::a\n##[error]b\n"
    log = tmp_path / "run.ndjson"
    log.write_bytes(log_of(edited("a.py", text, text * 2)))

    done = run_in_runner(log, "-t", "patch")

    assert done.stdout == run(log, "-t", "patch").stdout
    assert b"\n+::debug::a\n+##[error]b\n" in done.stdout


@pytest.mark.parametrize("target", ["json", "stream-json"])
def test_no_json_commands_the_runner_and_its_values_stay(
    log: Path, target: str
) -> None:
    plain = run(log, "-t", target)
    done = run_in_runner(log, "-t", target)

    assert b"##[" in plain.stdout
    assert b"##[" not in done.stdout
    assert [*map(json.loads, done.stdout.splitlines())] == (
        [*map(json.loads, plain.stdout.splitlines())]
    )


NAMES = ["..ndjson", "...ndjson", "-rf.ndjson", "--help", "a\nb.ndjson", "a b;c.ndjson"]
NAMES += ["\x1b[2J.ndjson", "$(id).ndjson", "\udcff.ndjson", "~", ".ndjson", "-"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    folder, logs = tmp_path / "out", tmp_path / "logs"
    logs.mkdir()
    (logs / name).write_bytes(RUN.read_bytes())

    done = run(logs / name, "-o", f"{folder}{os.sep}")

    assert done.status == 0
    assert done.stderr == b""
    assert [path.name for path in logs.iterdir()] == [name]
    assert len([*folder.iterdir()]) == 1
    assert sorted(tmp_path.iterdir()) == [logs, folder]


def test_a_link_in_the_folder_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (folder / "input.txt").symlink_to(secret)

    done = run(RUN, "-o", f"{folder}{os.sep}")

    assert done.status == 0
    assert secret.read_text() == "mine"
    assert not (folder / "input.txt").is_symlink()


def test_a_path_that_climbs_goes_by_its_last_name(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "run.ndjson").write_bytes(RUN.read_bytes())

    done = in_process.run(
        ["../../run.ndjson", "-o", "out/"], tmp_path / "deep" / "er", {}
    )

    assert done.status == 0
    assert (tmp_path / "deep" / "er" / "out" / "run.txt").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "run.ndjson"]
