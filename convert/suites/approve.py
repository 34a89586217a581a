"""The command `approve`: the runs that are approved, and the paths of goldens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.cli.commands import parse
from convert.cli.destination import identity_of, is_folder, print_text, refuse_input
from convert.cli.folders import named_logs, paths_in
from convert.cli.logs import bytes_of, is_of_other_file
from convert.cli.messages import use_colours
from convert.cli.output_files import exit_on_signals
from convert.cli.settings import of_comparison
from convert.cli.terminal import is_ci, shown_path
from convert.diff import read_side
from convert.diff.approved import first_of, noise_of, settings_with
from convert.errors import ExitStatus, InputError, UsageError, ignore
from convert.options import Reading
from convert.options.settings import Settings
from convert.pipeline import find_reader, is_detected
from convert.suites.approval import Approval, end
from convert.suites.commands import ApproveOptions
from convert.wording.urls import is_url, shown, stem_of

if TYPE_CHECKING:
    from convert.cli.logs import Named, NamedLog

_WAYS = "the runs and the folder of their goldens, as in runconv approve RUN -o golden/"


class Request:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = parse("approve", arguments)
        self.logs = given.logs
        self.command = given.of(ApproveOptions)
        self.reading = given.values(Reading)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Request(arguments)
    if asked.command.help:
        from convert.cli.help import help_of

        print_text(help_of("approve"))
        return ExitStatus.CONVERTED
    if not asked.logs and asked.command.files_from is None:
        raise UsageError(f"approve takes {_WAYS}; see runconv approve --help")
    return _run(asked)


def _run(asked: Request) -> int:
    """Approve every run; return the worst exit status."""
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
    return output if is_folder(output) else ""


def _goldens(named: Named, output: str, source: str) -> list[str]:
    """Return the path of the golden of each run; raises UsageError for none."""
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


SUFFIX = ".json"


def one_per_case(named: Named, source: str) -> tuple[Named, list[str]]:
    """Return runs without the files beside them that are no logs, and those.

    Raises UsageError for two logs of one case, as `t.ndjson` and `t.jsonl`.
    """
    cases: dict[str, list[NamedLog]] = {}
    for log in named.logs:
        cases.setdefault(stem_of(log.place), []).append(log)
    others = []
    for logs in cases.values():
        if len(logs) < 2:
            continue
        if len({identity_of(log.path) for log in logs}) < len(logs):
            raise UsageError(f"{shown_path(logs[0].path)} is named twice; name it once")
        found = [log for log in logs if not log.is_found or _is_log(log.path, source)]
        if len(found) > 1:
            names = " and ".join(shown_path(log.path) for log in found)
            raise UsageError(
                f"{names} are logs of one case; name all but one otherwise"
            )
        others += [log.path for log in logs if log not in (found or logs)]
    logs = [log for log in named.logs if log.path not in others]
    return replace(named, logs=logs), others


def _is_log(path: str, source: str) -> bool:
    """Tell if a file is a log, or one that is damaged."""
    reading = Reading(is_found=True)
    if not (is_url(path) or os.path.isfile(path)) or os.path.islink(path):
        return False
    try:
        read_side(bytes_of(path), source, None, reading, Settings(), ignore)
    except InputError as error:
        return not is_of_other_file(error, path)
    return True


def goldens_in(folder: str, named: Named, source: str) -> list[str]:
    """Return the path of the golden of each run in a folder.

    Raises UsageError for one that would belong to another case as well, or where a log
    is the golden of the case already.
    """
    goldens = paths_in(named.logs, folder, SUFFIX)
    inputs = {os.path.realpath(path) for path in named.paths}
    for log, golden in zip(named.logs, goldens, strict=True):
        first = first_of(golden)
        if first and (first in goldens or os.path.lexists(first)):
            raise UsageError(
                f"{shown_path(golden)} would be a further golden of"
                f" {shown_path(first)}; rename {shown_path(log.path)}, or approve it"
                f" alone with -o {shown_path(golden)}"
            )
        for path in _beside(golden):
            if os.path.realpath(path) not in inputs and _is_log(path, source):
                raise UsageError(
                    f"{shown_path(path)} is the golden of {shown_path(log.path)}"
                    " already, as a whole log; remove it, or choose another folder"
                )
    return goldens


def _beside(golden: str) -> list[str]:
    """Return the files beside a golden that have its name but for the suffixes."""
    folder, name = os.path.split(golden)
    stem = stem_of(name)
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:
        return []
    return [
        os.path.join(folder, other)
        for other in names
        if other != name and stem_of(other) == stem and not other.startswith(".")
    ]
