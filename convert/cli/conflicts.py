"""Options of one command line that cannot be meant together."""

from __future__ import annotations

from collections.abc import Set

from msgspec import Struct

from convert.cli.report_options import DiffOptions
from convert.errors import UsageError
from convert.options.option_set import Option
from convert.options.settings import MATCHES, Settings
from convert.options.suite import SuiteSettings


class _Pair(Struct, frozen=True):
    """Two options, each with the values that exclude the other, and the reason."""

    one: str
    values: Set[str]
    other: str
    other_values: Set[str]
    why: str


_ANY: Set[str] = frozenset()
_ANY_ORDER = {name for name, (_, is_any_order) in MATCHES.items() if is_any_order}
_PAIRS = (
    _Pair("order", {"strict"}, "match", _ANY_ORDER, "takes no account of order"),
    _Pair("match", {"in-order"}, "order", {"any"}, "takes no account of order"),
    _Pair("min_similarity", _ANY, "text", {"ignore"}, "compares no answers"),
    _Pair("min_similarity", _ANY, "text", {"exact"}, "lets no difference pass"),
    _Pair("min_similarity", _ANY, "answer_cmd", _ANY, "judges the answers"),
    _Pair("answer_cmd", _ANY, "text", {"ignore"}, "compares no answers"),
    _Pair("ignore_arg", _ANY, "args", {"ignore"}, "compares no arguments"),
    _Pair("keep_arg", _ANY, "args", {"ignore"}, "compares no arguments"),
    _Pair("from_a", _ANY, "source", _ANY, "is for both logs"),
    _Pair("from_b", _ANY, "source", _ANY, "is for both logs"),
    _Pair("format", _ANY, "quiet", _ANY, "prints no report"),
    _Pair("output", _ANY, "quiet", _ANY, "prints no report"),
    _Pair("full", _ANY, "quiet", _ANY, "prints no report"),
    _Pair("verbose", _ANY, "quiet", _ANY, "prints no report"),
)
# They are for the reports that `--report` writes as well, whatever is printed.
_OF_REPORTS = {"full", "verbose"}
# Options that say more about another one.
_PARTS = {
    "min_duration_ms": "max_duration_ratio",
    "min_tokens": "max_tokens_ratio",
    "min_calls": "max_calls_ratio",
    "answer_timeout": "answer_cmd",
}


def check_together(named: dict[str, object], settings: Settings) -> None:
    """Raise UsageError if options that a command line names contradict each other.

    `settings` are those in effect, with those of a file.
    """
    for pair in _PAIRS:
        if "reports" in named and pair.one in _OF_REPORTS:
            continue
        if _has(named, pair.one, pair.values) and _has(
            named, pair.other, pair.other_values
        ):
            one, other = _shown(named, pair.one), _shown(named, pair.other)
            raise UsageError(f"{one} and {other}: the latter {pair.why}; leave one out")
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
    value = named[name]
    is_choice = value in _options()[name].choices
    return f"{_flag(name)} {value}" if is_choice else _flag(name)


def _flag(name: str) -> str:
    return _options()[name].flags[-1]


def _options() -> dict[str, Option]:
    return DiffOptions.options() | Settings.options() | SuiteSettings.options()
