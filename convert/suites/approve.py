"""The command `approve`: differences, question, golden, run by run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Literal, get_args

from msgspec.structs import replace

from convert.cli.commands import Given
from convert.cli.destination import (
    identity_of,
    is_ci,
    is_folder,
    refuse_input,
    shown_path,
)
from convert.cli.folders import named_logs, paths_in
from convert.cli.logs import (
    Named,
    NamedLog,
    bytes_of,
    is_of_other_file,
    name_of,
    open_log,
)
from convert.cli.messages import say, use_colours
from convert.cli.output_files import exit_on_signals, write_whole
from convert.cli.progress import left_out_in, say_none
from convert.cli.reports import write_report
from convert.cli.settings import of_comparison
from convert.diff import Comparison, Side, compare_sides, read_side, read_sides
from convert.diff.approved.goldens import (
    first_of,
    goldens_beside,
    nearest,
    numbered_beside,
    settings_with,
)
from convert.diff.approved.writing import document, noise_of
from convert.diff.reports import REPORTS, ReportLine, ReportOptions, report
from convert.diff.reports.verdict import headline, is_same
from convert.errors import (
    ExitStatus,
    InputError,
    NoResultError,
    OutputError,
    UsageError,
    Warn,
    ignore,
)
from convert.options.conversion import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, check_source
from convert.suites.commands import ApproveOptions
from convert.suites.golden_checks import (
    check_replaceable,
    content_of,
    is_trajectory,
    why_anew,
)
from convert.wording.escapes import escape_controls
from convert.wording.numbers import count
from convert.wording.paths import is_url, shown, stem_of

# The fate of a run, in the words of the last line.
Fate = Literal[
    "new", "changed", "unchanged", "not approved", "refused", "failed", "no log"
]
_FATES: tuple[Fate, ...] = get_args(Fate)[:-1]
_WAYS = "the runs and the folder of their goldens, as in runconv approve RUN -o golden/"
_HELP = "y approves this run, n does not, a this and all others, q none of the others\n"
_SUFFIX = ".json"


def main(given: Given) -> int:
    """Run the command with these words; return the worst exit status of a run."""
    command = given.of(ApproveOptions)
    if not given.logs and command.files_from is None:
        raise UsageError(f"approve takes {_WAYS}; see runconv approve --help")
    use_colours(command.color)
    output = command.output or ""
    if not output:
        raise UsageError(f"approve needs -o: name {_WAYS}")
    if is_url(output):
        raise UsageError(
            f"{shown(output)} is a URL, and goldens are written on this machine, where"
            " they are kept with the code; approve into a folder, and copy it there"
        )
    if not command.yes:
        _check_answers(command, given.logs)
    check_source(command.source)
    settings, reading, _ = of_comparison(given.values(Reading), command.config)
    # No golden could be compared by settings that a trajectory cannot hold.
    settings_with(settings, noise_of(settings))
    named = named_logs(given.logs, command, output if is_folder(output) else "")
    named, others = one_per_case(named, command.source)
    goldens = _goldens(named, output, command.source)
    exit_on_signals()
    approval = Approval(command, settings, reading, others)
    for log, golden in zip(named.logs, goldens, strict=True):
        approval.approve(log, golden)
    return _end(approval, named, command.quiet)


def _check_answers(command: ApproveOptions, logs: list[str]) -> None:
    """Raise UsageError if nobody can be asked."""
    if is_ci():
        raise UsageError(
            "approve asks a person, and CI=true: compare with runconv diff, or write"
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


def _goldens(named: Named, output: str, source: str) -> list[str]:
    """Return the path of the golden of each run; raises UsageError for none."""
    if is_folder(output):
        return goldens_in(output, named, source)
    if not output.endswith(_SUFFIX):
        raise UsageError(
            f"{output} is no golden; name a folder for them, as in -o {output}/, or a"
            f" file that ends in {_SUFFIX}"
        )
    if len(named.logs) != 1 or named.is_many:
        raise UsageError(f"{output} holds one run; use -o FOLDER/ for several")
    refuse_input(output, output, named.paths)
    return [output]


def one_per_case(named: Named, source: str) -> tuple[Named, list[str]]:
    """Return runs without the files next to them that are no logs, and those files.

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
    """Return True if a file is a log, or one that is damaged."""
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
    goldens = paths_in(named.logs, folder, _SUFFIX)
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
    """Return the files next to a golden that differ from it in the suffix only."""
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


class Approval:
    """Approves runs, and counts their fates."""

    def __init__(
        self,
        command: ApproveOptions,
        settings: Settings,
        reading: Reading,
        others: list[str],
    ) -> None:
        self._command = command
        self._settings = settings
        self._reading = reading
        self._is_asking = not command.yes
        self._has_quit = False
        self._is_unseen = False
        self.fates: Counter[Fate] = Counter()
        self.others = others
        """The files that were found and are no logs."""

    def approve(self, log: NamedLog, golden: str) -> None:
        """Show how a run differs from its golden, ask, and write the golden."""
        if self._has_quit:
            self.fates["not approved"] += 1
            return
        try:
            self.fates[self._approved(log, golden)] += 1
        except OutputError as error:
            say(error.message)
            self.fates["failed"] += 1

    def _approved(self, log: NamedLog, golden: str) -> Fate:
        command = self._command
        with open_log(
            log.path,
            is_quiet=command.quiet,
            is_strict=command.strict,
            may_be_other=log.is_found,
        ) as opened:
            side = self._read(opened.pieces, log, self._settings, opened.messages.warn)
            opened.messages.end(side.log, "not kept")
            written = document(side.runs, self._settings, is_partial=command.partial)
        if opened.error is not None:
            if not opened.is_log:
                self.others.append(log.path)
                return "no log"
            return "refused" if isinstance(opened.error, NoResultError) else "failed"
        shown = golden
        if (content := content_of(golden)) is None:
            self._show_new(side, golden, name_of(log.path))
        elif not (shown := self._changed(log, golden, written)):
            return "unchanged"
        elif shown != golden:
            content = content_of(shown)
        if not self._is_approved(shown):
            return "not approved"
        if content_of(shown) != content:
            raise OutputError(
                f"{shown_path(shown)} has changed since; approve the run again"
            )
        write_whole(shown, [written])
        return "new" if content is None else "changed"

    def _read(self, pieces: Log, log: NamedLog, settings: Settings, warn: Warn) -> Side:
        command = self._command
        reading = self._reading.replace(is_found=log.is_found)
        return read_side(pieces, command.source, command.run, reading, settings, warn)

    def _changed(self, log: NamedLog, golden: str, written: bytes) -> str:
        """Show how a run differs from its golden; return that, or "" if it does not.

        If there are several goldens, it is the one that the run is nearest to. Raises
        OutputError for a file that must not be overwritten.
        """
        paths = [golden, *goldens_beside(golden)]
        contents = {path: content_of(path) or b"" for path in paths}
        if written in contents.values():
            return ""
        for path, content in contents.items():
            if is_trajectory(content) or log.path == "-":
                check_replaceable(path, content)
        if log.path == "-":
            # It cannot be read a second time.
            self._show_changed(golden, "", None, log)
            return golden
        return self._nearest_changed(log, contents, written)

    def _nearest_changed(
        self, log: NamedLog, contents: dict[str, bytes], written: bytes
    ) -> str:
        found: dict[str, Comparison] = {}
        reasons = {}
        source, reading = self._command.source, self._reading
        for path, content in contents.items():
            pieces = bytes_of(log.path)
            reason = why_anew(path, content, written, pieces, source, reading)
            reasons[path] = reason
            try:
                found[path] = self._compared(log, path, is_trajectory(content))
            except InputError as error:
                # A golden may lack something that settings need.
                check_replaceable(path, content)
                if not reason:
                    raise OutputError(f"{shown_path(path)}: {error.message}") from error
            else:
                if is_same(found[path]) and not reason:
                    return ""
        best = nearest(found) if found else next(iter(contents))
        check_replaceable(best, contents[best])
        self._show_changed(best, reasons[best], found.get(best), log)
        return best

    def _compared(self, log: NamedLog, golden: str, is_trajectory: bool) -> Comparison:
        source = "trajectory" if is_trajectory else "auto"

        def approved(settings: Settings) -> Side:
            return read_side(golden, source, None, self._reading, settings, ignore)

        def run(settings: Settings) -> Side:
            return self._read(bytes_of(log.path), log, settings, ignore)

        return compare_sides(*read_sides(approved, run, self._settings))

    def _show_changed(
        self, golden: str, reason: str, compared: Comparison | None, log: NamedLog
    ) -> None:
        is_other = compared is not None and not is_same(compared)
        words = [headline(compared)] if compared and is_other else []
        why = "; ".join([*words, *filter(None, [reason])])
        name = shown_path(golden)
        head = ReportLine(f"changed: {name}: {why}" if why else f"changed: {name}")
        options = ReportOptions(name, shown_path(name_of(log.path)))
        self._show([head, *(report("unified")(compared, options) if compared else ())])

    def _show_new(self, side: Side, golden: str, name: str) -> None:
        calls = sum(1 for run in side.runs for _ in run.all_calls)
        words = f"{count(calls, 'call')} of {shown_path(name)}"
        if further := ", ".join(map(shown_path, numbered_beside(golden))):
            words += f"; a run may also match {further}"
        self._show([ReportLine(f"new: {shown_path(golden)}: {words}")])

    def _show(self, lines: list[ReportLine]) -> None:
        if self._is_unseen:
            return
        shown = [line._replace(text=escape_controls(line.text)) for line in lines]
        color = self._command.color
        try:
            write_report(shown, REPORTS["unified"], None, color, may_page=False)
        except BrokenPipeError:
            if self._is_asking:
                raise
            # Runs that nobody is asked for are approved all the same.
            self._is_unseen = True

    def _is_approved(self, golden: str) -> bool:
        """Ask whether a run is approved, until there is an answer."""
        while self._is_asking:
            question = f"approve {shown_path(golden)}? [y]es, [n]o, [a]ll, [q]uit: "
            sys.stderr.write(question)
            sys.stderr.flush()
            answer = sys.stdin.readline()
            match answer.strip().lower():
                case "y" | "yes":
                    return True
                case "n" | "no":
                    return False
                case "a" | "all":
                    self._is_asking = False
                case "q" | "quit":
                    self._has_quit = True
                    return False
                case _ if not answer:
                    # The end of standard input.
                    sys.stderr.write("\n")
                    self._has_quit = True
                    return False
                case _:
                    sys.stderr.write(_HELP)
        return True


def _end(approval: Approval, named: Named, is_quiet: bool) -> int:
    """Print the fates of the runs; return the exit status."""
    fates = approval.fates
    out = left_out_in(approval.others, named.links, named.specials, [])
    logs = fates.total() - fates["no log"]
    if not logs:
        say_none(named, out)
        return ExitStatus.TROUBLE
    words = [f"{fates[fate]:,} {fate}" for fate in _FATES if fates[fate]]
    if not is_quiet:
        say(f"{count(logs, 'run')}: {', '.join(words)}{out}", None)
    if fates["failed"] or named.has_failed:
        return ExitStatus.TROUBLE
    is_left = fates["refused"] or fates["not approved"]
    return ExitStatus.RUN_FAILED if is_left else ExitStatus.CONVERTED
