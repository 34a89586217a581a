"""The request that a command line of `run` makes, and the output that it asks for."""

from __future__ import annotations

import os
from typing import NamedTuple

from convert.cli.commands import Given
from convert.cli.destination import is_in_runner
from convert.cli.settings import settings_in_file, with_settings
from convert.options.conversion import Options, Reading
from convert.options.option_set import milliseconds
from convert.pipeline import find_writer
from convert.runner.commands import RunOptions
from convert.runner.process import Deadlines


class Request:
    """The request that a command line makes."""

    def __init__(self, given: Given) -> None:
        self.words = given.logs
        self.command = given.of(RunOptions)
        file = settings_in_file(self.command.config, "convert")
        values = with_settings(given.values(Options) | given.values(Reading), file)
        self.asked_for = asked_for(self.words)
        if self.asked_for is not None:
            # Such a log has nothing to print but the answer.
            values.setdefault("answer", True)
        of_reading = Reading.options().keys() & values.keys()
        self.reading = Reading(**{name: values.pop(name) for name in of_reading})
        self.options = Options(**values)
        self.is_in_runner = is_in_runner()

    @property
    def is_document(self) -> bool:
        """The output is a document, of which there is one for each log."""
        target = self.command.target
        return target is not None and find_writer(target, "--to").is_document

    @property
    def deadlines(self) -> Deadlines:
        """When the agent is ended; one that is silent until its end does not stall."""
        command = self.command
        stall = command.stall if self.asked_for is None else None
        return Deadlines(
            milliseconds(command.grace) / 1000,
            None if stall is None else milliseconds(stall) / 1000,
            None if command.limit is None else milliseconds(command.limit) / 1000,
        )


class Asked(NamedTuple):
    """An agent that was asked for another output than a stream."""

    program: str
    stream: str
    """The words that ask for a stream."""


class _Program(NamedTuple):
    """When an agent prints a log, and when a stream, by the words of its command."""

    prints: frozenset[str]
    """With one of these, or always if there are none."""

    streams: frozenset[str]
    """With one of these."""

    words: str
    """The words that ask for a stream."""


def _program(prints: str, streams: str, words: str) -> _Program:
    return _Program(frozenset(prints.split()), frozenset(streams.split()), words)


_CURSOR = _program("-p --print", "stream-json", "--output-format stream-json")
_CLAUDE = _program("-p --print", "stream-json", "--output-format stream-json --verbose")
_PROGRAMS = {
    "agent": _CURSOR,
    "cursor-agent": _CURSOR,
    "claude": _CLAUDE,
    "claude-code": _CLAUDE,
    "qwen": _program("", "stream-json", "-o stream-json"),
    "amp": _program("-x --execute", "--stream-json", "--stream-json"),
    "codex": _program("exec e", "--json --experimental-json", "--json"),
    "opencode": _program("run", "json", "--format json"),
}


# Programs that start another one, whose name follows.
_LAUNCHERS = frozenset(
    {
        *("env", "npx", "bunx", "pnpx", "uvx", "timeout", "nohup", "nice", "ionice"),
        *("stdbuf", "sudo", "time"),
    }
)


def _is_for_launcher(word: str) -> bool:
    """Return True for an option, a variable or a number before a program."""
    return word.startswith("-") or "=" in word or word[:1].isdigit()


def asked_for(words: list[str]) -> Asked | None:
    """Return the agent that a command starts, if it was asked for no stream.

    None as well for a command that names no agent.
    """
    for at, word in enumerate(words):
        name = os.path.basename(word)
        if (program := _PROGRAMS.get(name)) is None:
            if name in _LAUNCHERS or (at and _is_for_launcher(word)):
                continue
            return None
        # `--output-format=json` as well.
        given = {part for each in words[at + 1 :] for part in each.split("=", 1)}
        prints = not program.prints or bool(program.prints & given)
        if prints and not program.streams & given:
            return Asked(name, program.words)
        return None
    return None
