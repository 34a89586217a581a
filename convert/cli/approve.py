"""The command `approve`: runs to goldens, each after a look at what differs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from convert.cli.arguments import Parser
from convert.cli.commands import option_sets
from convert.cli.report_options import ApproveOptions
from convert.cli.terminal import is_ci
from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.storage import is_url, shown

if TYPE_CHECKING:
    from convert.cli.folders import Named

_WAYS = "the runs and the folder of their goldens, as in runconv approve RUN -o golden/"


class Asked:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = Parser("runconv approve", *option_sets("approve")).given(arguments)
        self.logs = given.logs
        self.command = given.of(ApproveOptions)
        self.reading = given.values(Reading)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Asked(arguments)
    if asked.command.help:
        from convert.cli.destination import print_text
        from convert.cli.help import help_of

        print_text(help_of("approve"))
        return ExitStatus.CONVERTED
    if not asked.logs and asked.command.files_from is None:
        raise UsageError(f"approve takes {_WAYS}; see runconv approve --help")
    return _run(asked)


def _run(asked: Asked) -> int:
    """Approve every run; return the worst exit status."""
    from convert.cli.approval import Approval, end
    from convert.cli.approved_cases import one_per_case
    from convert.cli.folders import named_logs
    from convert.cli.messages import use_colours
    from convert.cli.settings import of_comparison
    from convert.cli.signals import exit_on_signals
    from convert.diff.approved_settings import noise_of, settings_with
    from convert.pipeline import find_reader, is_detected

    command = asked.command
    use_colours(command.color)
    output = command.output or ""
    if not output:
        raise UsageError(f"approve needs -o: name {_WAYS}")
    if is_url(output):
        raise UsageError(
            f"{shown(output)} is a URL, and goldens are written on this machine, where"
            " they are kept with the code; approve into a folder, and copy it there"
        )
    _check_answers(command, asked.logs)
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    settings, reading, _ = of_comparison(asked.reading, command.config)
    # No golden could be compared by settings that a trajectory cannot hold.
    settings_with(settings, noise_of(settings))
    named = named_logs(asked.logs, command, _folder(output))
    named, others = one_per_case(named, command.source)
    goldens = _goldens(named, output, command.source)
    exit_on_signals()
    approval = Approval(command, settings, reading, others)
    for log, golden in zip(named.logs, goldens, strict=True):
        approval.approve(log, golden)
    return end(approval, named, command.quiet)


def _check_answers(command: ApproveOptions, logs: list[str]) -> None:
    """Raise UsageError if nobody can be asked."""
    if command.yes:
        return
    if is_ci():
        raise UsageError(
            "approve is for the desk, and CI=true: compare with runconv diff, or write"
            " the goldens with --yes"
        )
    if "-" in logs or command.files_from == "-":
        raise UsageError(
            "approve asks on standard input, which is a log here; name a file, or"
            " approve with --yes"
        )
    if not os.isatty(0):
        raise UsageError(
            "approve asks for each run, and standard input is no terminal; look at the"
            " runs with runconv diff, and approve them with --yes"
        )


def _folder(output: str) -> str:
    from convert.cli.paths import is_folder

    return output if is_folder(output) else ""


def _goldens(named: Named, output: str, source: str) -> list[str]:
    """Return the path of the golden of each run; raises UsageError for none."""
    from convert.cli.approved_cases import SUFFIX, goldens_in
    from convert.cli.paths import refuse_input

    if _folder(output):
        return goldens_in(output, named, source)
    if not output.endswith(SUFFIX):
        raise UsageError(
            f"{output} is no golden; name a folder for them, as in -o {output}/, or a"
            f" file that ends in {SUFFIX}"
        )
    if len(named.logs) != 1 or named.is_many:
        raise UsageError(f"{output} holds one run; use -o FOLDER/ for several")
    refuse_input(output, output, named.paths)
    return [output]
