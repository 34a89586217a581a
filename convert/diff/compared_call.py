"""A tool call as it is compared: its arguments, its outcome and its keys."""

from __future__ import annotations

import functools
import marshal
from typing import Any

from msgspec import Struct

from convert.diff.arguments import EDITS, Form
from convert.diff.noise import Value
from convert.diff.outputs import digest, printed_in
from convert.facts.changed_files import acts
from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.failed_calls import FailureClass
from convert.model.events import ToolCall
from convert.options.settings import ArgumentsCount
from convert.tools.names import short_name
from convert.tools.shell import program_of
from convert.tools.shell.directory import led_by_directory
from convert.tools.subjects import Subject, subject_of

# The number of bytes of a key that tell two fragments of edits apart.
SHORT_KEY = 8


def command_in(arguments: dict[str, Any]) -> str:
    """Return the command among the arguments of a call; "" if there is none."""
    command = arguments.get("command")
    return command if isinstance(command, str) else ""


def with_command(command: str) -> dict[str, Any]:
    """Return the arguments of a call that runs a command."""
    return {"command": command} if command else {}


class ComparedCall(Struct, dict=True):
    """A tool call as it is compared."""

    line: int
    """The line of the log where the call started, from 1."""

    tool: str
    """The full name of the tool, with that of its server or function."""

    kind: str
    """The kind of the tool in the model."""

    ended_line: int = 0
    """The line of the log where the call ended, which records its effect, from 1."""

    number: int = 0
    """The place among the calls of its run, or of its parent, from 1."""

    outcome: str = "ok"
    """How the call ended, as `ok`, `error(1)`, `rejected` or `unfinished`."""

    starts: float = 0
    """The place of its start among the events of the run."""

    ends: float = 0
    """The place of its end among the events of the run; after all others if open."""

    step: str = ""
    """The step of the agent that made the call; calls of one step ran in parallel."""

    output_kept: bytes | None = None
    """The marshalled output; None where the log records none."""

    arguments_kept: bytes = b""
    """The marshalled, normalised arguments."""

    spelled_key: bytes = b""
    """Equal in two calls whose tools and normalised arguments are equal."""

    exact_key: bytes = b""
    """Equal in two calls that are the same and ended alike."""

    arguments_key: bytes = b""
    """Equal in two calls that are the same, however they ended."""

    hits: dict[str, int] = {}
    """How often each rule changed something in the arguments."""

    recorded_key: bytes = b""
    """Equal in two calls whose arguments are recorded alike; empty without hits."""

    steering_key: bytes | None = b""
    """Equal in two calls with the same arguments among those left out.

    None if these are not known.
    """

    system_values: list[Value] = []
    """The values that the system made, in the order of the arguments."""

    made_values: list[Value] = []
    """The values that the run made, in the order of the arguments."""

    origins: bytes = b""
    """Equal in two calls whose run-made values come from the same places."""

    fragment: Form | None = None
    """The arguments as passed to the tool; None if they have no other form."""

    effect: Form | None = None
    """The change that an edit made; None if it failed or that is not recorded."""

    marked_kept: bytes | None = None
    """The marshalled arguments with marks for what the run made; None without."""

    shown_kept: bytes | None = None
    """The marshalled arguments with numbered marks; None if there are no numbers."""

    changes_files: bool = False
    """The log says that the call changed a file."""

    id: str = ""
    """The id of the call; empty if the log records none."""

    children: list[ComparedCall] = []
    """The calls of the subagent: steps, and calls that name this one as parent."""

    recorded: ToolCall | None = None
    """The call as recorded, with no more than its action line shows and its times."""

    compared_by: ArgumentsCount = "exact"
    """How much of the arguments counts, as `--args` says."""

    is_across: bool = False
    """The partner is a call of another agent, which names errors in another way."""

    place: str = ""
    """The folder of a command, where another agent says it in another way."""

    shown_file: str = ""
    """The file that a command shows, where another agent reads it with a tool."""

    parsed_command: str = ""
    """The command as it is parsed, if marks would hide that; empty otherwise."""

    known_to_act: bool | None = None
    """Whether the call may have changed something; None if its arguments tell."""

    failure: FailureClass | None = None
    """How it went wrong; None if it did not, or if its status is an answer."""

    recorded_tests: CountedTests | None = None
    """The tests that a command ran, if that is recorded in place of its output."""

    action_line: str = ""
    """The action line, where logs are compared by these; empty otherwise."""

    @property
    def values(self) -> list[Value]:
        """The values that the system and the run made, which are marked in the keys."""
        return self.system_values + self.made_values

    def compare_by(self, form: Form) -> None:
        """Compare the call by one form of its arguments."""
        self.arguments_kept, self.spelled_key = form.kept, form.key
        self.hits, self.recorded_key = form.hits, form.recorded_key
        self.system_values = form.system_values
        self.set_values([], None)

    def set_values(
        self, values: list[Value], marked: dict[str, Any] | None, origins: Any = ()
    ) -> None:
        """Set the values that the run made, and the keys that mark them.

        `marked` are the arguments with marks, `origins` tells where the values are
        from.
        """
        self.made_values = values
        self.marked_kept = None if marked is None else marshal.dumps(marked, 2)
        self.__dict__.clear()
        if self.compared_by != "exact":
            self.arguments_key = self.subject_key
        elif marked is None:
            self.arguments_key = self.spelled_key
        else:
            self.arguments_key = digest([self.common_tool, self.marked_kept])
        outcome = self.compared_outcome.encode(errors="replace")
        self.exact_key = self.arguments_key + outcome
        self.origins = digest(origins) if origins else b""

    def compare_with(self, how: ArgumentsCount, is_across: bool) -> None:
        """Set how much counts in the next comparison, which may be another one."""
        if (how, is_across) != (self.compared_by, self.is_across):
            self.compared_by, self.is_across = how, is_across
            self.place = self.shown_file = ""
            self.set_values([], None)

    def place_at(self, place: str) -> None:
        """Set the folder of a command; "" if it is compared as it is written."""
        if place != self.place:
            self.place = place
            self.set_values([], None)

    def read_file(self, path: str) -> None:
        """Set the file that a command shows; "" if it is compared as a command."""
        if path != self.shown_file:
            self.shown_file = path
            self.set_values([], None)

    def mark_program(self, program: str) -> None:
        """Set the program with marks, until there are other marks."""
        self.__dict__["tool_key"] = digest([f"shell {program}"])

    @property
    def compared_outcome(self) -> str:
        """The outcome, as far as the agents of both runs have words for it."""
        return self.outcome.partition("(")[0] if self.is_across else self.outcome

    def show(self, kept: bytes) -> None:
        """Show other arguments, marshalled, than those that are compared."""
        self.shown_kept = kept
        self.__dict__.pop("_shown_subject", None)

    @property
    def origin_key(self) -> bytes:
        """Equal in two calls that are the same, with values from the same places."""
        return self.exact_key + self.origins

    @property
    def arguments(self) -> dict[str, Any]:
        """The normalised arguments."""
        arguments: dict[str, Any] = marshal.loads(self.arguments_kept)
        return arguments

    @property
    def shown_arguments(self) -> dict[str, Any]:
        """The normalised arguments, as reports show them."""
        arguments: dict[str, Any] = marshal.loads(
            self.arguments_kept if self.shown_kept is None else self.shown_kept
        )
        return arguments

    # Most calls equal their partners, so what follows is worked out on demand.

    @property
    def subject(self) -> str:
        """The path, command or the like that the call is about, on one line."""
        return self._shown_subject.line

    @property
    def subject_with_feeds(self) -> str:
        """The subject on one line, with `⏎` for each line feed."""
        return self._shown_subject.line_with_feeds

    @functools.cached_property
    def _shown_subject(self) -> Subject:
        if self.shown_kept is None:
            return self._subject
        return subject_of(self.kind, self.shown_arguments)

    @functools.cached_property
    def subject_key(self) -> bytes:
        """Equal in two calls of one tool that are about the same."""
        if self.compared_by == "ignore":
            return digest([self.common_tool])
        subject = self._marked_subject
        # To search everywhere, one agent names the directory of the run.
        if not self.is_across:
            return digest([self.common_tool, *subject.words, *subject.paths])
        if self.shown_file:
            return digest(["read", self.shown_file, ""])
        paths = [path for path in subject.paths if path != "."]
        words = subject.words
        if self.place:
            words = [led_by_directory(word)[1] for word in words]
        return digest([self.common_tool, *words, *paths, self.place])

    @functools.cached_property
    def tool_key(self) -> bytes:
        """Equal in two calls of one tool, or of one program and subcommand."""
        if self.compared_by != "ignore" and self.kind == "shell":
            # Without the directory of the run, in which its scripts may be.
            arguments = self._recorded_arguments | self.arguments
            command = self.parsed_command or arguments.get("command")
            if isinstance(command, str):
                key = digest([f"shell {program_of(command)}"])
                # Asked now, while the command is parsed: it takes half of the time.
                _ = self.acts
                return key
        return digest([self.common_tool])

    @functools.cached_property
    def acts(self) -> bool:
        """The call may have changed something."""
        if self.known_to_act is not None:
            return self.known_to_act
        # Placeholders would hide what a command does, so the recorded one tells.
        return acts(self.kind, self._recorded_arguments)

    @functools.cached_property
    def _subject(self) -> Subject:
        return subject_of(self.kind, self.arguments)

    @functools.cached_property
    def _marked_subject(self) -> Subject:
        if self.marked_kept is None:
            return self._subject
        return subject_of(self.kind, marshal.loads(self.marked_kept))

    @property
    def _recorded_arguments(self) -> dict[str, Any]:
        if self.recorded is None:
            return {}
        return self.recorded.arguments or {"command": self.recorded.about}

    @property
    def recorded_command(self) -> str:
        """The command as the log records it; empty if there is none."""
        return command_in(self._recorded_arguments)

    @property
    def common_tool(self) -> str:
        """The tool, by one name for those that versions of the agent use alike."""
        return EDITS[0] if self.tool in EDITS else self.tool

    @property
    def retry_key(self) -> bytes:
        """Equal in a call that failed and in the same call made again.

        A call that failed has no effect.
        """
        # As much of it as a trajectory keeps of a fragment.
        if self.fragment is None or self.compared_by != "exact":
            return self.arguments_key[:SHORT_KEY]
        return self.fragment.key[:SHORT_KEY]

    @functools.cached_property
    def counted_tests(self) -> CountedTests | None:
        """The tests that a command ran; None if its output counts none."""
        if self.output_kept is None:
            return self.recorded_tests
        return counted_tests(printed_in(marshal.loads(self.output_kept)))

    @property
    def shown_tool(self) -> str:
        """The tool as people know it."""
        return short_name(self.tool)

    @property
    def label(self) -> str:
        """The tool and what the call is about, on one line."""
        return self.action_line or f"{self.shown_tool} {self.subject}".rstrip()

    @property
    def names(self) -> set[str]:
        """The names by which a setting can mean the tool."""
        return {self.tool, self.tool.removeprefix("function:"), self.kind}
