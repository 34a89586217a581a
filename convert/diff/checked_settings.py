"""Settings checked against logs: names of tools and arguments, and limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from msgspec import Struct

from convert.diff.calls.arguments import EDITS, EFFECT
from convert.diff.calls.trajectory import Trajectory
from convert.diff.comparison import RunComparison
from convert.errors import nearest
from convert.facts.figures import Figures, unlike_tokens
from convert.options.option_set import invalid_value, milliseconds
from convert.options.settings import Category, Settings
from convert.tools.table import FOREIGN, NOISE, known_arguments, noise_members, tools

# A name is known if the table of tools or one of the logs has it. Names with wildcards,
# and names of functions and of tools of servers, cannot be checked.
_OTHER_TOOLS = (
    "no such tool in the logs; see runconv diff --list tools, and write function:NAME"
    " for a function"
)


def check_names(settings: Settings, runs: list[Trajectory]) -> None:
    """Raise UsageError for a name that neither the tables nor the runs have."""
    for tool in settings.allow_extra:
        _check_tool(tool, tool, "--allow-extra", runs)
    found = {name for run in runs for name in run.found_arguments}
    named = {"--ignore-arg": settings.ignore_arg, "--keep-arg": settings.keep_arg}
    for option, names in named.items():
        for name in names:
            _check_tool(name.partition(".")[0], name, option, runs)
            if name not in found:
                _check_argument(name, option)


def _check_tool(tool: str, value: str, option: str, runs: list[Trajectory]) -> None:
    prefix, colon, _ = tool.partition(":")
    is_open = (colon and prefix in FOREIGN) or "*" in tool or "?" in tool
    if is_open or tool in tools() or tool in _made(runs):
        return
    near = tool.removesuffix("ToolCall")
    if near not in tools():
        near = nearest(tool, {*tools(), *_made(runs)}) or ""
    if not near and colon and (server := nearest(prefix, FOREIGN)):
        near = tool.replace(prefix, server, 1)
    advice = f"did you mean {value.replace(tool, near, 1)}?" if near else _OTHER_TOOLS
    raise invalid_value(option, value, advice)


def _check_argument(name: str, option: str) -> None:
    tool, _, path = name.partition(".")
    member = path.partition(".")[0]
    known = known_arguments(tool)
    if known and option == "--keep-arg":
        # It names a member wherever it is.
        known |= noise_members(tool)
    if tool in EDITS:
        known.add(EFFECT)
    if not known or member in known or member == "*":
        return
    if near := nearest(member, known):
        advice = f"did you mean {tool}.{path.replace(member, near, 1)}?"
    else:
        own = sorted(known - {*NOISE.arguments})
        advice = f"no such argument in the logs; {tool} has {', '.join(own)}"
    raise invalid_value(option, name, advice)


def _made(runs: Iterable[Trajectory]) -> set[str]:
    """Return the names of the tools of all calls, whole and up to the first dot."""
    names = {name for run in runs for call in run.all_calls for name in call.names}
    return names | {name.partition(".")[0] for name in names}


class Limit(Struct, frozen=True):
    """A limit that the settings ask for, with the figures to check."""

    category: Category
    """The category of the finding if the limit is exceeded."""

    what: str
    """The name of the figure in messages."""

    option: str
    """The option that sets the limit, with its value."""

    baseline: int | Decimal | None
    """The figure of the baseline; None if its log does not record it."""

    candidate: int | Decimal | None
    """The figure of the candidate; None if its log does not record it."""

    is_exceeded: bool
    """The candidate is above the limit."""

    missing: list[str]
    """The sides that do not record a figure that the limit needs."""


def limits(compared: RunComparison, settings: Settings) -> Iterator[Limit]:
    """Yield the limits that the settings ask for."""
    for row in _ROWS:
        if row.ratio and getattr(settings, row.ratio) is not None:
            yield _of_growth(row, compared, settings)
        if getattr(settings, row.most) is not None:
            yield _of_candidate(row, compared.figures, settings)


def exceeded_alone(figures: Figures, settings: Settings) -> Iterator[Limit]:
    """Yield the limits that a run exceeds which need no baseline."""
    for row in _ROWS:
        if (
            getattr(settings, row.most) is not None
            and (limit := _of_candidate(row, (figures, figures), settings)).is_exceeded
        ):
            yield limit


def without_growth(settings: Settings) -> Settings:
    """Return settings without the limits for how figures grow."""
    return settings.replace(**{row.ratio: None for row in GROWTH})


def without_limits(settings: Settings) -> Settings:
    """Return settings without any limits."""
    return without_growth(settings).replace(**{row.most: None for row in _ROWS})


class FigureLimits(Struct, frozen=True):
    """The limits of one figure, by the names of the settings."""

    category: Category
    """The category of a finding about the figure."""

    what: str
    """The name of the figure in messages."""

    figure: str
    """The member of the figures of a run."""

    most: str
    """How much the candidate may use."""

    ratio: str = ""
    """How many times the figure of the baseline the candidate may have."""

    floor: str = ""
    """The ratio does not count for a candidate up to this figure."""


_ROWS = (
    FigureLimits(
        "duration",
        "duration",
        figure="duration_ms",
        most="max_duration",
        ratio="max_duration_ratio",
        floor="min_duration_ms",
    ),
    FigureLimits(
        "usage",
        "tokens",
        figure="used_tokens",
        most="max_tokens",
        ratio="max_tokens_ratio",
        floor="min_tokens",
    ),
    FigureLimits("usage", "cost", figure="cost_usd", most="max_cost"),
    FigureLimits(
        "calls",
        "calls",
        figure="calls",
        most="max_calls",
        ratio="max_calls_ratio",
        floor="min_calls",
    ),
    FigureLimits("errors", "errors", figure="failed", most="max_errors"),
)


# The rows with a limit for how a figure grows.
GROWTH = tuple(row for row in _ROWS if row.ratio)

_NOT_FINAL = "final count of output tokens"


def _of_growth(row: FigureLimits, compared: RunComparison, settings: Settings) -> Limit:
    """Return the limit for the candidate as a multiple of the baseline."""
    ratio, floor = getattr(settings, row.ratio), getattr(settings, row.floor)
    was, now = (getattr(figures, row.figure) for figures in compared.figures)
    what, missing = _missing(row, compared)
    is_known = was is not None and now is not None and not missing
    growth = now / was if is_known and was else float("inf")
    is_exceeded = is_known and growth > ratio and now > floor
    option = f"--{row.ratio.replace('_', '-')} {ratio:g}"
    return Limit(row.category, what, option, was, now, is_exceeded, missing)


def _missing(row: FigureLimits, compared: RunComparison) -> tuple[str, list[str]]:
    """Return the figure that a ratio lacks, and the sides that do not record it.

    Tokens have no ratio if only one side records those of a cache.
    """
    sides = dict(zip(("baseline", "candidate"), compared.figures, strict=True))
    kind = unlike_tokens(*compared.figures) if row.category == "usage" else ""
    if kind:
        lack = [
            side
            for side, figures in sides.items()
            if figures.tokens is None
            or getattr(figures.tokens, kind) is None
            or (kind == "output" and figures.tokens.is_least)
        ]
        if None in [figures.exact_tokens for figures in compared.figures]:
            return _NOT_FINAL, lack
        return f"{'cached' if kind == 'cache_read' else kind} tokens", lack
    found = {side: getattr(each, row.figure) for side, each in sides.items()}
    return row.what, [side for side, figure in found.items() if figure is None]


def _of_candidate(
    row: FigureLimits, figures: tuple[Figures, Figures], settings: Settings
) -> Limit:
    """Return the limit that needs only the candidate."""
    most = getattr(settings, row.most)
    was, now = (getattr(each, row.figure) for each in figures)
    allowed = milliseconds(most) if isinstance(most, str) else most
    if isinstance(now, Decimal):
        allowed = Decimal(repr(allowed))
    is_exceeded = now is not None and now > allowed
    # A lower bound below the limit leaves it open.
    tokens = figures[1].tokens if row.figure == "used_tokens" else None
    is_open = now is None or bool(tokens and tokens.is_least and not is_exceeded)
    missing = ["candidate"] if is_open else []
    what = row.what if now is None or not is_open else _NOT_FINAL
    option = f"--{row.most.replace('_', '-')} {most}"
    return Limit(row.category, what, option, was, now, is_exceeded, missing)
