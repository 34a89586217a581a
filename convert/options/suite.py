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

    pair_by: Literal["auto", "path", "prompt"] = option(
        default="auto",
        help="which logs are runs of one case: {choices}; by default, those of one"
        " prompt whose names differ only in numbers, or in a folder of their own",
        section=SUITE,
        metavar="HOW",
    )
    repeat: bool | None = option(
        default=None,
        help="treat the logs of a folder that have one prompt as runs of one case,"
        " whatever their names, or each log as a case of its own",
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
    max_loss: float = option(
        default=0,
        help="a loss of success up to so many points is not worse (default {default})",
        section=SUITE,
        metavar="POINTS",
        most=100,
    )
    margin: float = option(
        default=5,
        help="the version is no worse if a loss of more points is ruled out (default"
        " {default})",
        section=SUITE,
        metavar="POINTS",
        most=100,
    )
    allow_different: bool = option(
        default=False,
        help="exit 0 if the runs only behave in another way, and are not worse",
        section=SUITE,
    )
    require_proof: bool = option(
        default=False,
        help="exit 1 unless a loss is ruled out, also if the runs are too few to tell",
        section=SUITE,
    )
    may_fail: tuple[str, ...] = option(
        default=(),
        help="cases that do not decide, by their names, as in 'search/*'",
        section=SUITE,
        metavar="GLOB",
    )
