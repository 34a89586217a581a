"""The options of `show` and `diff`, and those of `diff` that contradict each other."""

from collections.abc import Set
from typing import Literal

from convert.cli.commands import (
    HELP,
    INPUT,
    MESSAGES,
    OUTPUT,
    REPORT,
    Common,
    color,
    config,
    config_of_reading,
    engine,
    globs,
    quiet,
    report_file,
    report_format,
    scheduler,
    schema,
    width,
)
from convert.errors import UsageError, with_nearest
from convert.options.option_set import Option, option, report_name
from convert.options.settings import MATCHES, Settings, SuiteSettings


class ShowOptions(Common):
    """The options of `show` itself."""

    follow: bool = option(
        default=False,
        help="show a run while it goes on: each call when it ends, and which are open",
        section=INPUT,
        flags="-F, --follow",
    )
    config: str | None = config_of_reading()
    thinking: bool = option(
        default=False, help="add the reasoning between the calls", section=OUTPUT
    )
    color: Literal["auto", "always", "never"] = color(OUTPUT)
    quiet: bool = quiet()


def check_report(text: str) -> None:
    """Raise ValueError unless a text is the name of a report and a path."""
    name, _, path = text.partition("=")
    choices = DiffOptions.options()["format"].choices
    if name == "summary":
        raise ValueError(
            "a summary shows one run: runconv LOG -t summary; markdown compares two"
        )
    if report_name(name) not in choices:
        raise ValueError(
            with_nearest(
                name, choices, f"write FORMAT=PATH; choose from {', '.join(choices)}"
            )
        )
    if not path:
        raise ValueError(f"write FORMAT=PATH, as in {name}=PATH")
    first, comma, more = path.rpartition(",")
    if comma and report_name(more.partition("=")[0]) in choices and "=" in more:
        raise ValueError(f"an option for each: --report {name}={first} --report {more}")


class DiffOptions(Common):
    """The options of `diff` itself."""

    list: Literal["tools", "categories", "rules"] | None = option(
        default=None,
        help="print the names that settings take: {choices}",
        section=HELP,
        metavar="WHAT",
    )
    schema: bool = schema("--format json; matrix --schema prints that of two folders")
    from_a: str | None = option(
        default=None,
        help="format of A only",
        section=INPUT,
        metavar="FORMAT",
        is_rare=True,
    )
    from_b: str | None = option(
        default=None,
        help="format of B only",
        section=INPUT,
        metavar="FORMAT",
        is_rare=True,
    )
    directory_a: str | None = option(
        default=None,
        help="directory in which the runs of A worked, if their log records none, so"
        " that paths in it become relative",
        section=INPUT,
        metavar="PATH",
        is_rare=True,
    )
    directory_b: str | None = option(
        default=None,
        help="the same for B",
        section=INPUT,
        metavar="PATH",
        is_rare=True,
    )
    goldens: tuple[str, ...] = option(
        default=(),
        help="another golden that B may match in place of A; may be given several"
        " times; A.2.json next to A.json needs no option",
        section=INPUT,
        flags="--or",
        metavar="PATH",
        is_rare=True,
    )
    globs: tuple[str, ...] = globs()
    config: str | None = config("[tool.runconv.diff]")
    format: Literal[
        "table", "unified", "json", "markdown", "html", "junit", "github", "gitlab"
    ] = report_format("print", "table")
    output: str | None = report_file()
    reports: tuple[str, ...] = option(
        default=(),
        help="write one more report, as in junit=out.xml; may be given several times",
        section=REPORT,
        flags="--report",
        metavar="FORMAT=PATH",
        check=check_report,
    )
    name_a: str | None = option(
        default=None,
        help="name of A in the report; by default, its path",
        section=REPORT,
        metavar="NAME",
        is_rare=True,
    )
    name_b: str | None = option(
        default=None,
        help="name of B in the report; by default, its path",
        section=REPORT,
        metavar="NAME",
        is_rare=True,
    )
    brief: bool = option(
        default=False,
        help="print only the verdict, the first divergence, the main causes and the"
        " facts that differ, at most 8 kB",
        section=REPORT,
    )
    full: bool = option(
        default=False,
        help="show every row, finding and change, the changes uncut",
        section=REPORT,
    )
    width: int | None = width()
    name: str = option(
        default="default",
        help="name by which a script finds the comment that --format markdown makes",
        section=REPORT,
        metavar="NAME",
        is_rare=True,
    )
    color: Literal["auto", "always", "never"] = color()
    verbose: bool = option(
        default=False,
        help="print the whole report in any case, and which values the rules for noise"
        " made equal",
        section=REPORT,
        flags="-v, --verbose",
    )
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    exit_zero: bool = option(
        default=False, help="exit 0 even if the runs differ", section=MESSAGES
    )
    quiet: bool = option(
        default=False,
        help="print no warnings or notices, and no report that --format, -o or"
        " --report does not name",
        section=MESSAGES,
        flags="-q, --quiet",
    )


_ANY: Set[str] = frozenset()
_ANY_ORDER = {name for name, (_, is_any_order) in MATCHES.items() if is_any_order}
# Reports that have no brief of their own.
_WHOLE = {"unified", "json", "html", "junit", "github", "gitlab"}
# Two options, each with the values that exclude the other, and the reason.
_PAIRS: tuple[tuple[str, Set[str], str, Set[str], str], ...] = (
    ("order", {"strict"}, "match", _ANY_ORDER, "takes no account of order"),
    ("match", {"in-order"}, "order", {"any"}, "takes no account of order"),
    ("min_similarity", _ANY, "text", {"ignore"}, "compares no answers"),
    ("min_similarity", _ANY, "text", {"exact"}, "lets no difference pass"),
    ("min_similarity", _ANY, "answer_cmd", _ANY, "judges the answers"),
    ("answer_cmd", _ANY, "text", {"ignore"}, "compares no answers"),
    ("ignore_arg", _ANY, "args", {"ignore"}, "compares no arguments"),
    ("keep_arg", _ANY, "args", {"ignore"}, "compares no arguments"),
    ("from_a", _ANY, "source", _ANY, "is for both logs"),
    ("from_b", _ANY, "source", _ANY, "is for both logs"),
    ("format", _WHOLE, "brief", _ANY, "prints a few lines"),
    ("full", _ANY, "brief", _ANY, "prints a few lines"),
    ("verbose", _ANY, "brief", _ANY, "prints a few lines"),
    ("brief", _ANY, "quiet", _ANY, "prints no report"),
    ("full", _ANY, "quiet", _ANY, "prints no report"),
    ("verbose", _ANY, "quiet", _ANY, "prints no report"),
)
# They also apply to a report that is named, which is written in any case.
_OF_REPORTS = {"brief", "full", "verbose"}
_NAMED = {"format", "output", "reports"}
# Options that refine another option.
_PARTS = {
    "min_duration_ms": "max_duration_ratio",
    "min_tokens": "max_tokens_ratio",
    "min_calls": "max_calls_ratio",
}


def check_together(named: dict[str, object], settings: Settings) -> None:
    """Raise UsageError if options that a command line names contradict each other.

    `settings` are those in effect, with those of a file.
    """
    for one, values, other, other_values, why in _PAIRS:
        if one in _OF_REPORTS and _NAMED & named.keys():
            continue
        if _has(named, one, values) and _has(named, other, other_values):
            raise UsageError(
                f"{_shown(named, one)} and {_shown(named, other)}: the latter {why};"
                " leave one out"
            )
    for part, whole in _PARTS.items():
        if part in named and getattr(settings, whole) is None:
            raise UsageError(f"{_flag(part)} has no effect without {_flag(whole)}")


def check_for_logs(named: dict[str, object]) -> None:
    """Raise UsageError for an option that is for folders, where two logs are named."""
    for name in ("globs", "engine", "scheduler", *SuiteSettings.options()):
        if name in named:
            raise UsageError(f"{_flag(name)} is for folders of logs; name two folders")


def _has(named: dict[str, object], name: str, values: Set[str]) -> bool:
    return name in named and (not values or named[name] in values)


def _shown(named: dict[str, object], name: str) -> str:
    """Return an option as the user wrote it, without a value that may be any."""
    is_choice = named[name] in _option(name).choices
    return f"{_flag(name)} {named[name]}" if is_choice else _flag(name)


def _flag(name: str) -> str:
    return _option(name).flags[-1]


def _option(name: str) -> Option:
    kinds = (DiffOptions, Settings, SuiteSettings)
    return next(kind.options()[name] for kind in kinds if name in kind.options())
