"""The command `run`: its options and its help."""

from typing import Literal

from convert.cli.commands import (
    OUTPUT,
    READING,
    Command,
    Page,
    color,
    config,
    help_,
    quiet,
    source,
    strict,
    target,
)
from convert.options.option_set import OptionSet, milliseconds, option

# A heading in the help.
END = "when the agent is ended"


def check_some_time(text: str) -> None:
    """Raise ValueError for anything but a duration of more than 0."""
    if not milliseconds(text):
        raise ValueError("choose more than 0")


class RunOptions(OptionSet):
    """The options of `run` itself."""

    log: str | None = option(
        default=None,
        help="keep the log in FILE: both streams of the agent, as they arrive",
        section=OUTPUT,
        metavar="FILE",
    )
    source: str = source()
    target: str | None = target(
        "on a terminal, a view of the run as it goes on; else text"
    )
    config: str | None = config("[tool.runconv]")
    color: Literal["auto", "always", "never"] = color(OUTPUT)
    stall: str | None = option(
        default=None,
        help="end an agent that prints nothing for TIME, as in 10m",
        section=END,
        metavar="TIME",
        check=check_some_time,
    )
    limit: str | None = option(
        default=None,
        help="end an agent TIME after its start, as in 1h30m",
        section=END,
        metavar="TIME",
        check=check_some_time,
    )
    grace: str = option(
        default="2s",
        help="how long an agent may take to exit after its result (default {default})",
        section=END,
        metavar="TIME",
        check=milliseconds,
    )
    retries: int = option(
        default=0,
        help="start again up to N times after a failure that --retry-on names",
        section=END,
        metavar="N",
        most=100,
    )
    retry_on: tuple[
        Literal["quota", "network", "authentication", "tool", "cut", "agent"], ...
    ] = option(
        default=("quota", "network"),
        help="failures after which to start again, separated by commas: {choices}"
        " (default quota,network)",
        section=END,
        metavar="KINDS",
        is_split=True,
    )
    strict: bool = strict()
    quiet: bool = quiet()
    help: bool = help_()


RUN = Command(
    "convert.runner.command.main",
    "run an agent, show its run, and make sure that it ends",
    ("COMMAND",),
    options=(
        "convert.runner.commands.RunOptions",
        "convert.options.Options",
        READING,
    ),
    page="convert.runner.commands.PAGE",
    takes_command=True,
)
PAGE = Page(
    """\
usage: runconv run [OPTION]... [--] COMMAND [WORD]...

Run an agent that prints its log, and show the run while it goes on. An agent
that does not exit after its result is ended, and so is all that it leaves in
its process group. The exit status is that of the run, whatever the process did.

  runconv run --log run.ndjson -- agent -p --output-format stream-json PROMPT
                                         keep the log as well
  runconv run -- claude -p --output-format stream-json --verbose PROMPT
                                         the same of another agent
  runconv run --stall 10m --limit 1h -- codex exec --json PROMPT
                                         end a run that hangs or takes too long
  runconv run --retries 2 -- opencode run --format json PROMPT
                                         start again after a usage limit, or if
                                         the network fails
""",
    ("COMMAND", "the agent, with all of its words; it needs no shell"),
    """\
exit status:
  0    the run succeeded, whatever the process did after its result
  1    the run did not succeed, or has no result
  2    bad usage, a command that cannot be started, or a log that cannot be
       written or read
  124  the agent stalled (--stall), or reached its limit (--limit)
  129  hung up, 130 interrupted, 143 terminated: the agent is ended first
""",
)
