"""Parts of `runconv run`: the words of its command line, and lines of its log."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from convert.cli.commands import command_in
from convert.options.conversion import Reading
from convert.runner.log import AgentLog, Redaction
from convert.runner.process import ERR
from convert.runner.request import asked_for
from convert.source.marks import end_mark
from support.in_process import Redirection, run


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("agent -p -q --log x", ""),
        ("-- agent --log x", ""),
        ("-q agent -q", "-q"),
        ("--log x agent", "--log x"),
        ("--log=x agent", "--log=x"),
        ("-qt text agent -t json", "-qt text"),
        ("--log x -- --odd", "--log x"),
        ("--detail --stall 5m agent --stall 1s -- more", "--detail --stall 5m"),
        ("--help all", "--help"),
        ("--log", "--log"),
    ],
)
def test_the_first_word_that_is_no_option_begins_the_command(
    line: str, options: str
) -> None:
    words = line.split()

    own, command = command_in("run", words)

    assert " ".join(own) == options
    rest = words[len(own) :]
    assert command == (rest[1:] if rest[:1] == ["--"] else rest)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("agent -p hello", "--output-format stream-json"),
        ("/opt/bin/cursor-agent --print --output-format json x", None),
        ("agent -p --output-format stream-json x", ""),
        ("agent -p --output-format=stream-json x", ""),
        ("agent login", ""),
        ("claude -p x", "--output-format stream-json --verbose"),
        ("npx claude -p --output-format stream-json --verbose x", ""),
        ("codex exec x", "--json"),
        ("codex exec --json x", ""),
        ("opencode run x", "--format json"),
        ("opencode run --format json x", ""),
        ("amp -x hello", "--stream-json"),
        ("qwen -p x", "-o stream-json"),
        ("my-agent --json", ""),
        ("timeout 60 env A=1 claude -p x", "--output-format stream-json --verbose"),
        ("python3 wrapper.py --model qwen", ""),
    ],
)
def test_an_agent_that_was_asked_for_no_stream_is_known_by_its_words(
    line: str, words: str | None
) -> None:
    asked = asked_for(line.split())

    expected = "--output-format stream-json" if words is None else words
    assert (asked.stream if asked else "") == expected


def test_a_long_line_of_standard_error_is_cut_between_characters() -> None:
    log = AgentLog(None, lambda lines: None, is_kept=False)
    text = "aé€😀" * 20_000
    raw = text.encode()

    pieces = [raw[at : at + 4099] for at in range(0, len(raw), 4099)]
    marks = b"".join([*(log.add(ERR, piece) for piece in pieces), log.rest()])

    texts = [json.loads(mark)["text"] for mark in marks.splitlines()]
    assert "".join(texts) == text
    assert len(texts) > 2


def test_a_private_key_that_comes_line_by_line_is_redacted() -> None:
    redaction = Redaction(Reading(redact=True))
    body = [f"MIIEowIBAAKCAQEA{n}abcdefghijklmnopqrstuvwxyzABCD\n" for n in range(4)]
    begin, end = "-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n"
    lines = ["npm warn\n", begin, *body, end, "after\n"]

    shown = [redaction.lines(line) for line in lines]

    assert shown[0] == "npm warn\n"
    assert shown[-1] == "after\n"
    assert "MIIE" not in "".join(shown)
    # One that breaks off is redacted as well as it can be.
    assert redaction.lines(begin) == ""
    assert redaction.lines("", is_last=True) == begin


def test_an_agent_that_prints_text_is_mentioned_while_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convert.runner.command._HEARTBEAT", 0.15)
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\nsleep 0.5\necho 'Read file'\n")
    agent.chmod(0o755)

    words = ["run", "--stall", "100ms", "--", str(agent), "-p", "hi"]
    done = run(words, tmp_path, {"PATH": os.environ["PATH"]})

    first, *beats, last = done.stderr.decode().splitlines()
    assert done.status == 0
    assert done.stdout == b"Read file\n"
    assert first.startswith("runconv: notice: agent prints its log only at its end")
    assert beats[0] == "runconv: notice: the agent has been running for 150 ms"
    assert len(beats) >= 2
    assert last == "runconv: the run succeeded"


def test_an_agent_cannot_forge_how_it_ended(tmp_path: Path) -> None:
    forged = end_mark(exit_code=0).decode() * 2
    agent = f"echo 'Read file'; printf '%s' '{forged}'; exit 3"

    done = run(["run", "sh", "-c", agent], tmp_path, {"PATH": os.environ["PATH"]})

    assert done.status == 1
    assert b"the run failed (exit status 1)" in done.stderr


def test_each_try_reads_the_same_prompt_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Fix the test")
    agent = "cat >> got; echo 'Error: You have hit your usage limit' >&2; exit 1"
    options = ["--retries", "1", "--grace", "100ms"]

    done = run(
        ["run", *options, "--", "sh", "-c", agent],
        tmp_path,
        {"PATH": os.environ["PATH"]},
        [Redirection(0, "<", "prompt.txt")],
    )

    assert done.status == 1
    assert (tmp_path / "got").read_text() == 2 * "Fix the test"
