"""The approval of one run after the other: differences, question, golden."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Literal, get_args

from convert.cli.logs import bytes_of, name_of, open_log
from convert.cli.messages import say
from convert.cli.output_files import named_output
from convert.cli.reports import write_report
from convert.cli.terminal import shown_path
from convert.cli.totals import left_out_in
from convert.diff import compare_sides, read_side, read_sides
from convert.diff.approved import goldens_beside, nearest, numbered_beside
from convert.diff.approved.writing import document
from convert.diff.reports import REPORTS, ReportLine, ReportOptions, report
from convert.diff.reports.verdict import headline, is_same
from convert.errors import (
    ExitStatus,
    InputError,
    NoResultError,
    OutputError,
    Warn,
    ignore,
)
from convert.suites.golden_files import (
    check_replaceable,
    content_of,
    is_trajectory,
    lacking,
    secrets_in,
)
from convert.wording.escapes import escape_controls
from convert.wording.numbers import count

if TYPE_CHECKING:
    from convert.cli.logs import Named, NamedLog
    from convert.diff import Side
    from convert.diff.comparison import Comparison
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.pipeline import Log
    from convert.suites.commands import ApproveOptions

# The fate of a run, in the words of the last line.
Fate = Literal[
    "new", "changed", "unchanged", "not approved", "refused", "failed", "no log"
]
_FATES: tuple[Fate, ...] = get_args(Fate)[:-1]
_HELP = "y approves this run, n does not, a this and all others, q none of the others\n"


class Approval:
    """Approves runs, and counts what became of them."""

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
            warn = opened.messages.warn
            side = self._read(opened.pieces, log, self._settings, warn)
            opened.messages.end(side.lines, side.unknown, "not kept", side.redacted)
            written = document(side.runs, self._settings, is_partial=command.partial)
        if opened.error is not None:
            if not opened.is_log:
                self.others.append(log.path)
                return "no log"
            is_refused = isinstance(opened.error, NoResultError)
            return "refused" if is_refused else "failed"
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
        _write(shown, written)
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
        for path, content in contents.items():
            reasons[path] = self._reason(log, path, content, written)
            if compared := self._compared_or_less(log, path, content, reasons[path]):
                found[path] = compared
                if is_same(compared) and not reasons[path]:
                    return ""
        best = nearest(found) if found else next(iter(contents))
        check_replaceable(best, contents[best])
        self._show_changed(best, reasons[best], found.get(best), log)
        return best

    def _reason(
        self, log: NamedLog, golden: str, content: bytes, written: bytes
    ) -> str:
        """Return why a golden is written anew that may be the same; "" for nothing."""
        if not is_trajectory(content):
            return ""
        secrets = secrets_in(
            golden, bytes_of(log.path), self._command.source, self._reading
        )
        return ", ".join(filter(None, [secrets, lacking(content, written)]))

    def _compared_or_less(
        self, log: NamedLog, golden: str, content: bytes, reason: str
    ) -> Comparison | None:
        """Compare a run with a golden; None for one that lacks what settings need."""
        try:
            return self._compared(log, golden, is_trajectory(content))
        except InputError as error:
            check_replaceable(golden, content)
            if reason:
                return None
            raise OutputError(f"{shown_path(golden)}: {error.message}") from error

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
            words += f"; beside it, a run may match {further}"
        self._show([ReportLine(f"new: {shown_path(golden)}: {words}")])

    def _show(self, lines: list[ReportLine]) -> None:
        if self._is_unseen:
            return
        shown = [line._replace(text=escape_controls(line.text)) for line in lines]
        try:
            write_report(shown, REPORTS["unified"], None, self._command.color)
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


def end(approval: Approval, named: Named, is_quiet: bool) -> int:
    """Say what became of the runs; return the exit status."""
    fates = approval.fates
    out = left_out_in(approval.others, named.links, named.specials, [])
    logs = fates.total() - fates["no log"]
    if not logs:
        say(f"no logs found{out}; check the folder, --glob and the list")
        return ExitStatus.TROUBLE
    words = [f"{fates[fate]:,} {fate}" for fate in _FATES if fates[fate]]
    if not is_quiet:
        say(f"{count(logs, 'run')}: {', '.join(words)}{out}", None)
    if fates["failed"] or named.has_failed:
        return ExitStatus.TROUBLE
    is_left = fates["refused"] or fates["not approved"]
    return ExitStatus.RUN_FAILED if is_left else ExitStatus.CONVERTED


def _write(golden: str, written: bytes) -> None:
    """Write a golden whole or not at all."""
    with named_output(golden, follows_link=False, show_on=lambda _: None) as output:
        output.write(written)
        output.is_wanted = True
