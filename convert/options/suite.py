"""The settings of a comparison of folders, beside those of each pair of logs."""

from typing import ClassVar, Literal

from convert.options.option_set import OptionSet, option

# The heading in the help.
SUITE = "folders of logs"
# The settings of a comparison that are limits of a suite, which has its own values.
GROWTH_LIMITS = (
    "max_duration_ratio",
    "min_duration_ms",
    "max_tokens_ratio",
    "min_tokens",
    "max_calls_ratio",
    "min_calls",
)


class SuiteSettings(OptionSet):
    """The settings of a comparison of folders, by the names of the command line."""

    _argument: ClassVar[str] = "suite"

    pair_by: Literal["path", "prompt"] = option(
        default="path",
        help="which logs belong together: those of one {choices}",
        section=SUITE,
        metavar="HOW",
    )
    repeat: bool | None = option(
        default=None,
        help="take the logs of a folder for repeated runs of one case; by default, if"
        " both sides have several of one prompt whose names differ in numbers",
        section=SUITE,
        is_negatable=True,
    )
    min_success: float | None = option(
        default=None,
        help="the least share of runs that succeed, from 0 to 1: of all cases, and of"
        " each case with repeated runs",
        section=SUITE,
        metavar="R",
        most=1,
    )
    loss_p: float = option(
        default=0.05,
        help="of repeated runs, a loss of successes counts if chance makes one like it"
        " with less than this probability (default {default})",
        section=SUITE,
        metavar="P",
        most=1,
    )
    may_fail: tuple[str, ...] = option(
        default=(),
        help="cases that do not decide, by their names, as in 'search/*'",
        section=SUITE,
        metavar="GLOB",
    )
