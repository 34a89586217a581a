"""The words of `runconv run`: where the agent's begin, and the output they ask for."""

from __future__ import annotations

import pytest

from convert.cli.commands import command_in
from convert.runner.command import asked_for


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
    ],
)
def test_an_agent_that_was_asked_for_no_stream_is_known_by_its_words(
    line: str, words: str | None
) -> None:
    asked = asked_for(line.split())

    expected = "--output-format stream-json" if words is None else words
    assert (asked.stream if asked else "") == expected
