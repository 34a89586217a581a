"""How a run ended: in words, as an exit status, and in the step of a workflow.

Its log says how the run ended, and its process how the agent did.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.messages import say
from convert.errors import ExitStatus, RunconvError, ignore
from convert.model import ReasonKind
from convert.options.conversion import Options
from convert.wording.escapes import one_line, runner_command, safe_line, truncate
from convert.wording.numbers import duration

if TYPE_CHECKING:
    from convert.model.events import End
    from convert.runner.log import AgentLog
    from convert.runner.process import AgentProcess, Deadlines, Stop
    from convert.runner.request import Request

STALLED = 124
"""The exit status after a deadline, as that of `timeout`."""

# In characters, of the words of a command.
_LONGEST_TITLE = 100
_BY_SIGNAL = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}


class Ending(Struct):
    """How a try ended."""

    deadlines: Deadlines
    end: End | None = None
    """How its last run ended, as its log says; None without any run."""

    stopped: Stop = ""
    exit_code: int | None = None
    signal: str = ""
    has_output: bool = False
    last_words: list[str] = []
    """The last lines of standard error."""

    last_text: str = ""
    """The last line of standard output, if that is no event."""

    error: str = ""
    """Why the log could not be converted; "" if it was."""

    asked_by: int = 0
    """The number of the signal that asked for the end; 0 for none."""

    def note_process(self, process: AgentProcess) -> None:
        """Note how the process ended."""
        self.stopped, self.signal = process.stopped, process.signal
        self.exit_code = process.exit_code

    @property
    def has_succeeded(self) -> bool:
        """The run succeeded, whatever the process did after its result."""
        return self.end is not None and self.end.state == "success"

    @property
    def kind(self) -> ReasonKind:
        """The kind of the reason why the run did not succeed; "" if it did."""
        if self.has_succeeded:
            return ""
        from convert.facts.run_reasons import kind_of

        if self.end is not None and self.end.reason_kind not in ("", "cut", "agent"):
            return self.end.reason_kind
        return kind_of("error" if self.exit_code else "cut", self.said)

    @property
    def status(self) -> int:
        """The exit status that the run asks for."""
        if self.asked_by:
            return 128 + self.asked_by
        if self.error:
            return ExitStatus.TROUBLE
        if self.has_succeeded:
            return ExitStatus.CONVERTED
        return STALLED if self.stopped in ("stall", "limit") else ExitStatus.RUN_FAILED

    @property
    def said(self) -> str:
        """The line that says most about a failure, of standard error if it has any."""
        from convert.cursor.incidents import message_among_events

        if self.stopped and self._has_failed and self._reason_of_end:
            return self._reason_of_end
        messages = [*filter(None, map(message_among_events, self.last_words))]
        last = self.last_words[-1:] or ([self.last_text] if self.exit_code else [])
        return (messages or last or [""])[-1]

    @property
    def how_the_process_ended(self) -> str:
        """A few words on the end of the process, after a run without a result."""
        match self.stopped:
            case "stall":
                time = time_in_words(self.deadlines.stall or 0)
                return f"nothing came for {time} (--stall), so the agent was ended"
            case "limit":
                time = time_in_words(self.deadlines.limit or 0)
                return f"it took more than {time} (--limit), so the agent was ended"
            case "signal":
                name = signal.Signals(self.asked_by).name if self.asked_by else ""
                return f"it was {_BY_SIGNAL.get(name, 'ended')}"
            case "result":
                return "the agent did not exit after its result, and was ended"
            case "closed":
                return "the agent closed its output without a result, and was ended"
        if self.signal:
            return f"the agent was ended by {self.signal}"
        how = f"the agent exited with status {self.exit_code}"
        return how if self.has_output else f"{how} and printed nothing"

    @property
    def reason(self) -> str:
        """Why a run has no result: the last words of an agent that failed, or more."""
        if self.exit_code and self.said:
            return one_line(self.said)
        last = f"; its last message: {self.said}" if self.said else ""
        return one_line(f"{self.how_the_process_ended}{last}")

    @property
    def words(self) -> tuple[str, str]:
        """How the run ended: in a few words, and the rest of the sentence."""
        if self.asked_by:
            how = _BY_SIGNAL[signal.Signals(self.asked_by).name]
            return f"the run was {how}", ", and the agent was ended"
        if self.error:
            return "the run cannot be judged", ": its log cannot be read"
        if self.has_succeeded:
            return "the run succeeded", self._afterwards
        heads = {"stall": "the run stalled", "limit": "the run took too long"}
        if self.stopped in heads:
            return heads[self.stopped], f": {self.reason}"
        if self._has_failed:
            reason = self._reason_of_end or self.said
            return "the run failed", f": {reason}" if reason else self._afterwards
        return "the run has no result", f": {self.reason}"

    @property
    def _has_failed(self) -> bool:
        return self.end is not None and self.end.state == "error"

    @property
    def _reason_of_end(self) -> str:
        from convert.facts.run_reasons import reason_in_words

        return "" if self.end is None else reason_in_words(self.end)

    @property
    def _afterwards(self) -> str:
        """The end of the process after the result; "" if it exited with 0."""
        if self.stopped == "result":
            time = time_in_words(self.deadlines.grace)
            return f"; the agent did not exit within {time} and was ended"
        if self.signal:
            return f"; the agent was then ended by {self.signal}"
        if self.exit_code:
            return f"; the agent then exited with status {self.exit_code}"
        return ""


def time_in_words(seconds: float) -> str:
    """Return a time as people write it: `500 ms`, `20 s`, `1 min 30 s`, `2 h`."""
    if 1 <= seconds < 60:
        return f"{seconds:g} s"
    return duration(round(seconds * 1000)).removesuffix(" 0 s").removesuffix(" 0 min")


class Step:
    """A step of a workflow of GitHub that runs an agent; `name` is that of the log.

    `redact` replaces secrets in the words of the command.
    """

    def __init__(
        self, name: str, words: list[str], redact: Callable[[str], str]
    ) -> None:
        import shlex

        self._name = name
        title = truncate(safe_line(redact(shlex.join(words))), _LONGEST_TITLE)
        self.begin = _line(runner_command("group", title))
        """The command that begins the group of the agent's lines."""

        self.end = _line(runner_command("endgroup"))

    def annotation(self, words: str) -> bytes:
        """Return the command that shows how the run failed."""
        return _line(runner_command("error", safe_line(words), title=self._name))

    def add_summary(self, log: AgentLog, asked: Request) -> None:
        """Add the summary of the log to that of the step, if there is one to add."""
        # Only CI needs these.
        from convert.cli.reports import add_to_summary, summary_path
        from convert.pipeline import Conversion, convert_log
        from convert.wording.markdown import code

        content = log.content()
        if content is None or not summary_path():
            return
        source = asked.command.source
        conversion = Conversion(source, "summary", None, asked.reading, Options())

        def texts() -> Iterator[str]:
            summary = b"".join(convert_log(content, conversion, ignore)).decode()
            yield f"### {code(safe_line(self._name))}\n\n{summary}"

        try:
            why_not = add_to_summary(texts())
        except RunconvError as error:
            why_not = error.message
        if why_not and not asked.command.quiet:
            say(f"notice: {why_not}", None)


def _line(command: str) -> bytes:
    return f"{command}\n".encode(errors="replace")
