"""The command `run`: it starts the agent, shows its run, and says how it ended."""

from __future__ import annotations

import _thread
import contextlib
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import Literal

from convert.cli.commands import Given
from convert.cli.destination import STANDARD, output_error, shown_path
from convert.cli.messages import print_messages, say, use_colours
from convert.errors import ExitStatus, NoResultError, RunconvError, UsageError, ignore
from convert.model.events import (
    EVERYTHING,
    End,
    Event,
    Needs,
    Outcome,
    Start,
    ToolCall,
    Turn,
)
from convert.options.conversion import Reading
from convert.pipeline import check_source, events_of
from convert.runner.endings import STALLED, Ending, Step, time_in_words
from convert.runner.log import AgentLog, Redaction, agent_log
from convert.runner.process import AgentProcess
from convert.runner.request import Request
from convert.runner.signals import Signals, wait_for
from convert.runner.views import view_of
from convert.wording.escapes import truncate

# In seconds: how often a run that prints nothing until its end is mentioned; the wait
# before the first retry, which doubles with each one, and the longest.
_HEARTBEAT = 30
_FIRST_WAIT, _LONGEST_WAIT = 1, 60
# In seconds: how often it is looked if the command is stuck.
_GUARDED = 0.5
# In characters, of a call that was open at the end.
_LONGEST_CALL = 200


def main(given: Given) -> int:
    """Run an agent and show its run; return the exit status."""
    if sys.platform == "win32":
        raise UsageError(
            "run needs process groups, which Windows lacks; start it in WSL, or use"
            " a pipe: COMMAND | runconv --exit-status"
        )
    asked = Request(given)
    if not asked.words:
        raise UsageError(
            "run needs a command, as in runconv run -- agent -p --output-format"
            " stream-json 'Fix the test'"
        )
    check_source(asked.command.source)
    if asked.command.retries and asked.is_document:
        raise UsageError(
            f"-t {asked.command.target} makes a document of each try; keep the log with"
            " --log, and convert it afterwards"
        )
    use_colours(asked.command.color)
    runner = _Runner(asked)
    with (
        contextlib.closing(runner),
        agent_log(asked.command.log, runner.forward, is_kept=asked.is_in_runner) as log,
    ):
        return runner.run(log)


class _Runner:
    """Starts the agent, once or several times, and shows each run."""

    def __init__(self, asked: Request) -> None:
        self._asked = asked
        self._command = asked.command
        self._name = shown_path(asked.command.log or os.path.basename(asked.words[0]))
        self.view = view_of(
            self._name, asked.command, asked.options, asked.reading, self._print
        )
        self._signals = Signals()
        self._process: AgentProcess | None = None
        self._is_read = self._is_heard = True
        self._is_done = False
        self._blocked_since: float | None = None
        self._has_lost_output = False
        self._beats = 0
        self._redaction = Redaction(asked.reading)

    def run(self, log: AgentLog) -> int:
        """Run the agent and say how its run ended; return the exit status."""
        _thread.start_new_thread(self._guard, ())
        self._note_format()
        if not self._asked.is_in_runner:
            return self._finish(self._tries(log), log)
        step = Step(self._name, self._asked.words, self._redaction.text)
        try:
            ending = self._grouped(log, step)
        except RunconvError as error:
            self._show_command(step.annotation(error.message))
            raise
        step.add_summary(log, self._asked)
        return self._finish(ending, log, step)

    def close(self) -> None:
        """Handle signals as before."""
        self._is_done = True
        self._signals.close()

    def _guard(self) -> None:
        """End the command if it waits for something while its time is over.

        A terminal may be frozen, and nobody may read a message or the log.
        """
        while not self._is_done:
            time.sleep(_GUARDED)
            process = self._process
            if process is not None and process.is_overdue:
                process.end_from_outside()
            elif not (
                self._signals.is_overdue
                or (process is not None and process.is_stuck(self._blocked_since))
            ):
                continue
            if not self._is_done:
                number = self._signals.ending
                os._exit(128 + number if number else STALLED)

    def _grouped(self, log: AgentLog, step: Step) -> Ending:
        """Put the lines for people into a group."""
        if not self.view.is_for_people:
            return self._tries(log)
        self._print(step.begin)
        try:
            return self._tries(log)
        finally:
            self._print(step.end)

    def _tries(self, log: AgentLog) -> Ending:
        """Start the agent until a try needs no other; return how the last one ended."""
        most = self._command.retries
        is_file = stat.S_ISREG(os.fstat(0).st_mode)
        begin = os.lseek(0, 0, os.SEEK_CUR) if is_file else 0
        for retry in range(most + 1):
            if is_file:
                # Each try reads it from where the first one did.
                os.lseek(0, begin, os.SEEK_SET)
            ending = self._try(log)
            self.view.flush()
            if retry == most or ending.asked_by or not self._is_to_retry(ending):
                break
            wait = min(_FIRST_WAIT << retry, _LONGEST_WAIT)
            words = self._redaction.text("".join(ending.words))
            again = f"retry {retry + 1} of {most} in {wait} s"
            self._say(f"notice: {words}; {again} (--retry-on {ending.kind})", None)
            self._signals.wait(wait)
            if self._signals.ending:
                ending.asked_by = self._signals.ending
                break
        return ending

    def _finish(self, ending: Ending, log: AgentLog, step: Step | None = None) -> int:
        """Say how the run ended; return the exit status."""
        status, (head, rest) = ending.status, ending.words
        if ending.stopped in ("stall", "limit") and (call := self._open_call(log)):
            rest = f"{rest}; a call was open: {call}"
        log.close()
        lost = "log" if log.is_broken else "output" if self._has_lost_output else ""
        if lost and status == ExitStatus.CONVERTED:
            status = ExitStatus.TROUBLE
            rest = f"{rest}, but its {lost} is incomplete"
        rest = self._redaction.text(rest)
        if step and status != ExitStatus.CONVERTED:
            self._show_command(step.annotation(f"{head}{rest}"))
        if status != ExitStatus.CONVERTED:
            self._say(f"{head} (exit status {status}){rest}")
        elif not self._command.quiet:
            self._say(f"{head}{rest}", None)
        return status

    def _open_call(self, log: AgentLog) -> str:
        """Return the last call that never ended, with its target; "" for none."""
        from convert.tools.subjects import target_line

        if (content := log.content()) is None:
            return ""
        found = directory = ""
        source, reading = self._command.source, self._asked.reading
        with contextlib.suppress(RunconvError):
            for event in events_of(content, source, EVERYTHING, reading, ignore):
                match event:
                    case Start():
                        directory, found = event.directory, ""
                    case ToolCall(outcome=Outcome(status="unfinished")):
                        found = f"{event.kind} {target_line(event, directory)}".strip()
        return truncate(found, _LONGEST_CALL)

    def _show_command(self, line: bytes) -> None:
        """Write a command to the runner of CI, which reads both streams."""
        if self.view.is_for_people:
            self._print(line)
        else:
            print_messages([line])

    def forward(self, lines: str) -> None:
        """Write lines of the agent's standard error to that of this command."""
        self._forward(self._redaction.lines(lines))

    def _forward(self, lines: str) -> None:
        if not lines or not self._is_heard:
            return
        try:
            self.view.flush()
            self._is_heard = self._write(2, lines.encode(errors="replace"))
        except (OSError, RunconvError):
            self._is_heard = False

    def _try(self, log: AgentLog) -> Ending:
        """Run the agent once and show its run; return how it ended."""
        ending = Ending(self._asked.deadlines)
        begun = log.begin()
        try:
            self._process = process = AgentProcess(
                self._asked.words, ending.deadlines, self._signals, self._before_wait
            )
        except UsageError as error:
            log.end(None, "", "", error.message)
            raise UsageError(self._redaction.text(error.message)) from error
        self._beats = 0
        pieces = _Pieces(self._log_of(process, log, begun, ending))
        open_runs: set[int] = set()

        def watch(event: Event) -> None:
            match event:
                case Start():
                    open_runs.add(event.run)
                    # The run that begins last counts.
                    ending.end = None
                    process.run_is_over(False)
                case End():
                    ending.end = event
                    open_runs.discard(event.run)
                    if not open_runs:
                        process.run_is_over(True)
                case Turn():
                    is_alone = open_runs <= {event.run}
                    process.run_is_over(event.is_over and is_alone)

        failure: RunconvError | None = None
        try:
            try:
                failure = self.view.show(pieces, watch)
            except (OSError, RunconvError) as unwritten:
                self._lose_output(unwritten)
            # The agent works on, and its log is kept, whatever becomes of the view.
            if failure is not None or self._has_lost_output:
                pieces.watch_rest(watch)
            pieces.drain()
        finally:
            process.close()
        if failure is not None and not isinstance(failure, NoResultError):
            ending.error = failure.message
        return ending

    def _lose_output(self, error: OSError | RunconvError) -> None:
        """Go on without the output, which cannot be written any more."""
        self._is_read, self._has_lost_output = False, True
        if isinstance(error, OSError):
            error = output_error(STANDARD, error)
        self._say(f"{error.message}; the run goes on")

    def _log_of(
        self, process: AgentProcess, log: AgentLog, begun: bytes, ending: Ending
    ) -> Iterator[bytes]:
        """Yield the bytes of the log of a try, while they are written."""
        yield begun
        for stream, piece in process.pieces():
            if lines := log.add(stream, piece) if piece else log.whole_line():
                yield lines
        if lines := log.rest():
            yield lines
        self._forward(self._redaction.lines("", is_last=True))
        ending.note_process(process)
        ending.asked_by = self._signals.ending
        ending.has_output, ending.last_words = log.has_output, log.last_words
        ending.last_text = log.last_text
        reason = "" if ending.has_succeeded else ending.reason
        if reason and process.has_result:
            # A message may say more than the result of a run that failed.
            reason = ending.said if ending.exit_code else ""
        yield log.end(ending.exit_code, ending.signal, ending.stopped, reason)

    def _is_to_retry(self, ending: Ending) -> bool:
        return ending.kind in self._command.retry_on

    def _before_wait(self) -> float | None:
        """Show that the run goes on, before a wait; return the longest one."""
        again = None
        try:
            if self._is_read:
                again = self.view.wait()
        except (OSError, RunconvError) as unwritten:
            self._lose_output(unwritten)
        if self._asked.asked_for is None or self._command.quiet:
            return again
        assert self._process is not None
        age = self._process.age
        if age >= (self._beats + 1) * _HEARTBEAT:
            self._beats = int(age / _HEARTBEAT)
            self.view.flush()
            running = time_in_words(self._beats * _HEARTBEAT)
            self._say(f"notice: the agent has been running for {running}", None)
        beat = (self._beats + 1) * _HEARTBEAT - age
        return beat if again is None else min(again, beat)

    def _note_format(self) -> None:
        """Say that an agent prints nothing before its end, and how that is changed."""
        asked = self._asked.asked_for
        if asked is not None and not self._command.quiet:
            self._say(
                f"notice: {asked.program} prints its log only at its end;"
                f" {asked.stream} shows each call as it ends, and lets --stall work",
                None,
            )

    def _print(self, content: bytes) -> None:
        """Write to standard output, while somebody reads it."""
        if not self._is_read:
            return
        try:
            self._is_read = self._write(1, content)
            if not self._is_read:
                self._say_unread()
        except BrokenPipeError:
            self._is_read = False
            self._say_unread()
        except OSError as error:
            self._lose_output(error)

    def _say(self, message: str, colour: Literal["red"] | None = "red") -> None:
        """Print a message, which nobody may read."""
        self._blocked_since = time.monotonic()
        say(message, colour)
        self._blocked_since = None

    def _say_unread(self) -> None:
        if not self._command.quiet:
            self._say("notice: nobody reads the output any more; the run goes on", None)

    def _write(self, file: int, content: bytes) -> bool:
        """Write to a file that may make this command wait, while the limit holds.

        Return False if nobody reads it though the run has to end.
        """
        rest = memoryview(content)
        while rest:
            if self._process is not None and not self._process.wait_to_write(file):
                return False
            try:
                # So much can be written without a wait.
                rest = rest[os.write(file, rest[: select.PIPE_BUF]) :]
            except BlockingIOError:
                wait_for([], [file], None)
        return True


class _Pieces:
    """The log of a try, which is read to its end whatever the view does."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Leave the rest to be read."""

    def watch_rest(self, watch: Callable[[Event], None]) -> None:
        """Read as many events of the rest as can be read, to know when a run ends."""
        needs, reading = Needs(result=True, turns=True), Reading()
        with contextlib.suppress(RunconvError):
            for event in events_of(self._pieces, "auto", needs, reading, ignore):
                watch(event)

    def drain(self) -> None:
        """Read the rest."""
        for _ in self._pieces:
            pass
