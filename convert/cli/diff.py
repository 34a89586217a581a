"""The command `diff`: two logs to a report and an exit status.

Folders of logs are the work of the wing `suites`.
"""

from __future__ import annotations

import functools
from typing import Any

from convert import registry
from convert.cli.commands import Given
from convert.cli.destination import print_text, width
from convert.cli.logs import check_logs, name_of, open_log, with_known_of
from convert.cli.messages import say, use_colours
from convert.cli.progress import progress_of
from convert.cli.report_options import DiffOptions, check_for_logs, check_together
from convert.cli.reports import outputs_of, root_of_repository, write_outputs
from convert.cli.settings import of_comparison
from convert.diff import Side, brings_settings, compare_sides, read_side, read_sides
from convert.diff.approved.goldens import goldens_beside, nearest
from convert.diff.checked_settings import limits
from convert.diff.comparison import Comparison
from convert.diff.noise import RULES
from convert.diff.reports import ReportOptions, report, reports
from convert.errors import ExitStatus, UsageError
from convert.options.conversion import Reading
from convert.options.settings import CATEGORIES, Settings, SuiteSettings
from convert.pipeline import check_source
from convert.source.places import is_folder
from convert.tools.phrases_and_outcomes import phrase
from convert.tools.table import tools
from convert.wording.paths import shown, spelled

# The path of a log, its format and its directory.
_Side = tuple[str, str, str]


class Request:
    """The request that a command line makes.

    `settings` are those that it names, without those of a file.
    """

    def __init__(self, given: Given) -> None:
        self.logs = given.logs
        self.log_names = given.log_names
        self.command = given.of(DiffOptions)
        self.reading = given.of(Reading)
        self.settings = given.values(Settings) | given.values(Reading)
        self.suite = given.values(SuiteSettings)
        self.named = given.values(DiffOptions) | self.settings | self.suite

    @property
    def format(self) -> str | None:
        """The report that the command line names; None if it names none."""
        return self.command.format if "format" in self.named else None


def main(given: Given) -> int:
    """Compare two logs and print the report; return the exit status."""
    asked = Request(given)
    if asked.command.list is not None:
        return _list(asked)
    if len(asked.logs) != 2:
        raise UsageError(
            "diff takes two logs, the baseline and the candidate;"
            " see runconv diff --help"
        )
    if any(map(is_folder, asked.logs)):
        status: int = registry.row("folders", "diff")(asked)
        return status
    command = asked.command
    check_for_logs(asked.named)
    use_colours(command.color)
    check_logs(asked.logs)
    logs = [*_goldens(asked), asked.logs[1]]
    outputs = outputs_of(command, asked.format, reports(), logs)
    found, settings = settings_of(asked)
    check_together(asked.named, settings)
    compared = compare_logs(asked, settings)
    if compared is None:
        return ExitStatus.TROUBLE
    options = ReportOptions(
        a=_name(command.name_a, asked.logs[0], asked),
        b=_name(command.name_b, asked.logs[1], asked),
        is_full=command.full,
        is_brief=command.brief,
        is_verbose=command.verbose,
        width=command.width or width(),
        name=command.name,
        settings_source=found,
        logs=(shown(asked.logs[0]), shown(asked.logs[1])),
        root=root_of_repository(),
    )
    write_outputs(
        outputs,
        lambda name, options: report(name)(compared, options),
        options,
        command,
    )
    is_failure = compared.is_different and not command.exit_zero
    return ExitStatus.DIFFERENT if is_failure else ExitStatus.SAME


def _name(named: str | None, log: str, asked: Request) -> str:
    """Return the name of a log in the report: of a run the short one that stays."""
    return spelled(named or asked.log_names.get(log) or name_of(log))


def _list(asked: Request) -> int:
    """Print the names that settings take."""
    if asked.logs or asked.named.keys() != {"list"}:
        raise UsageError("--list takes no logs and no other option")
    print_text(listing(asked.command.list or ""))
    return ExitStatus.SAME


def compare_logs(asked: Request, settings: Settings) -> Comparison | None:
    """Compare the logs; None if one cannot be read, which has been printed."""
    command = asked.command
    directories = (command.directory_a or "", command.directory_b or "")
    sides = [*zip(asked.logs, sources_of(command), directories, strict=True)]
    times = 2 if asked.reading.redact else 1
    with progress_of(asked.logs, times=times, is_wanted=not command.quiet):
        if asked.reading.redact:
            logs = ((log, source) for log, source, _ in sides)
            asked.reading = with_known_of(logs, asked.reading)
        compared = _compared(_goldens(asked), sides, asked, settings)
    if compared is not None and not command.quiet:
        _warn_of_unknown_figures(compared)
    return compared


def _goldens(asked: Request) -> list[str]:
    """Return the paths of all baselines; the candidate may match any of them."""
    goldens = [asked.logs[0], *asked.command.goldens]
    if goldens[0].endswith(".json"):
        goldens[1:1] = goldens_beside(goldens[0])
    if len(goldens) > 1 and "-" in asked.logs:
        raise UsageError(
            "standard input can be read only once, and there are several goldens; name"
            " a file"
        )
    return goldens


def _compared(
    goldens: list[str],
    sides: list[_Side],
    asked: Request,
    settings: Settings,
) -> Comparison | None:
    """Compare with each baseline, and keep the one that matches or is nearest."""
    found = {}
    for golden in goldens:
        read = _read_sides([(golden, *sides[0][1:]), sides[1]], asked, settings)
        if read is None:
            return None
        found[golden] = compare_sides(*read)
    if len(goldens) == 1:
        return found[golden]

    best = asked.logs[0] = nearest(found)
    if not asked.command.quiet:
        result = "matches none" if found[best].is_different else "matches one"
        say(f"{result} of {len(goldens):,} goldens; compared with {best}", None)
    return found[best]


def _read_sides(
    sides: list[_Side], asked: Request, settings: Settings
) -> tuple[Side, Side, Settings] | None:
    """Read both logs; None if one cannot be read, which has been printed."""
    failed = []

    def read(log: str, source: str, directory: str, settings: Settings) -> Side:
        side = _read(log, source, directory, asked, settings)
        if side is None:
            failed.append(log)
        return side or Side("calls", [])

    _, (b, source, _) = sides
    is_b_first = b != "-" and brings_settings(b, source)
    first, second = (functools.partial(read, *side) for side in sides)
    found = read_sides(first, second, settings, is_b_first)
    return None if failed else found


def sources_of(command: DiffOptions) -> tuple[str, str]:
    """Return the formats of both logs; raises UsageError."""
    for flag, name in (
        ("--from", command.source),
        ("--from-a", command.from_a),
        ("--from-b", command.from_b),
    ):
        if name is not None:
            check_source(name, flag)
    return command.from_a or command.source, command.from_b or command.source


def _read(
    log: str, source: str, directory: str, asked: Request, settings: Settings
) -> Side | None:
    """Read one side; an error in it is printed, so that both sides are looked at."""
    command = asked.command
    with open_log(log, is_quiet=command.quiet, is_strict=command.strict) as opened:
        warn = opened.messages.warn
        side = read_side(
            opened.pieces, source, command.run, asked.reading, settings, warn, directory
        )
        opened.messages.end(side.log, "not compared")
        return side
    return None


def _warn_of_unknown_figures(compared: Comparison) -> None:
    """Print the limits that cannot be checked, since a log lacks the figure."""
    for run in compared.runs:
        for limit in limits(run, compared.settings) if run.a and run.b else ():
            for side in limit.missing:
                option = limit.option.partition(" ")[0]
                say(f"no {limit.what} recorded in the {side}, {option} not checked")


def settings_of(asked: Request) -> tuple[str, Settings]:
    """Return the settings, and the path of the file that was found for them."""
    settings, asked.reading, found = of_comparison(asked.settings, asked.command.config)
    return found, settings


_EFFECTS = {"acts on files": "acts", "command": "as the command does"}


def listing(kind: str) -> str:
    """Return the names of tools, categories or rules, one a line."""
    tables: dict[str, dict[Any, str]] = {"categories": {**CATEGORIES}, "rules": RULES}
    words = tables.get(kind) or _tools()
    widest = max(map(len, words))
    return "".join(
        f"{name:<{widest}}  {text.replace('`', '')}\n" for name, text in words.items()
    )


def _tools() -> dict[str, str]:
    known = {
        name: f"{phrase(name)}; {_EFFECTS.get(tool.effect, tool.effect)}"
        for name, tool in sorted(tools().items())
    }
    return known | {
        "mcp:SERVER/TOOL": "a tool of an MCP server; acts",
        "function:NAME": "a function; acts",
    }
