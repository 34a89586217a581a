"""The settings of a comparison of two logs or two folders, wherever they are given.

They are given on the command line, in a file and in Python.
"""

from typing import ClassVar, Literal, get_args

from convert.options.option_set import (
    DURATION_ADVICE,
    OptionSet,
    check_argument,
    check_command,
    check_scrub,
    milliseconds,
    option,
)

Severity = Literal["none", "info", "minor", "major", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Category = Literal[
    "runs",
    "files",
    "verification",
    "tests",
    "status",
    "outcome",
    "removed",
    "added",
    "tool",
    "args",
    "moved",
    "text",
    "claim",
    "narration",
    "level",
    "output",
    "parallelism",
    "model",
    "prompt",
    "duration",
    "usage",
    "calls",
    "errors",
]
ArgumentsCount = Literal["exact", "subject", "ignore"]
Judged = Literal["calls", "files", "status", "result"]
# The parts that a difference belongs to; those of other categories always count.
PARTS_OF: dict[str, frozenset[Judged]] = {
    **dict.fromkeys(
        ("removed", "added", "tool", "args", "moved", "outcome", "output"),
        frozenset[Judged]({"calls"}),
    ),
    "parallelism": frozenset({"calls"}),
    "files": frozenset({"files"}),
    **dict.fromkeys(("verification", "tests"), frozenset[Judged]({"calls", "files"})),
    "status": frozenset({"status"}),
    **dict.fromkeys(
        ("text", "claim", "narration", "level"), frozenset[Judged]({"result"})
    ),
}
Required = Literal["calls", "result", "status"]
# The changes that each mode waives, and True if it ignores the order of calls.
MATCHES: dict[str, tuple[frozenset[str], bool]] = {
    "exact": (frozenset(), False),
    "in-order": (frozenset({"added"}), False),
    "unordered": (frozenset({"moved"}), True),
    "superset": (frozenset({"added", "moved"}), True),
    "subset": (frozenset({"removed", "moved"}), True),
}

# The headings in the help.
DIFFERENT = "differences"
NOISE = "noise"
GROWTH = "how much the candidate may use"


class Settings(OptionSet):
    """The settings of a comparison, by the names of the command line.

    A ratio is candidate / baseline; the other limits are only for the candidate. None
    is no limit.
    """

    _argument: ClassVar[str] = "settings"

    fail_on: Literal["info", "minor", "major", "critical"] = option(
        default="minor",
        help="exit 1 if a difference has this severity or a higher one: {choices}",
        section=DIFFERENT,
        metavar="SEVERITY",
    )
    judge: tuple[Judged, ...] = option(
        default=(),
        help="let only these decide, separated by commas: {choices} (default all)",
        section=DIFFERENT,
        metavar="PARTS",
        is_split=True,
    )
    order: Literal["strict", "partial", "any"] = option(
        default="partial",
        help="how the order of calls counts: {choices}; with partial, calls made in"
        " parallel have no order",
        section=DIFFERENT,
        metavar="HOW",
    )
    args: Literal["auto", "exact", "subject", "ignore"] = option(
        default="auto",
        help="how arguments count: {choices}; the subject is the path, the command or"
        " the like, and auto is exact, but subject where the agents differ",
        section=DIFFERENT,
        metavar="HOW",
        is_rare=True,
    )
    match: Literal["exact", "in-order", "unordered", "superset", "subset"] = option(
        default="exact",
        help="which calls the candidate may add, move or drop: {choices}",
        section=DIFFERENT,
        metavar="MODE",
    )
    allow_extra: tuple[str, ...] = option(
        default=(),
        help="let added calls of these tools pass, as in read,shell,mcp:jira/*",
        section=DIFFERENT,
        metavar="TOOLS",
        is_split=True,
    )
    allow_better: bool = option(
        default=False,
        help="let calls and runs pass that failed in the baseline only",
        section=DIFFERENT,
        is_negatable=True,
    )
    outputs: bool = option(
        default=False,
        help="compare the outputs of calls as well",
        section=DIFFERENT,
        is_negatable=True,
    )
    text: Literal["auto", "full", "last", "exact", "ignore"] = option(
        default="auto",
        help="how to compare the answer: {choices}",
        section=DIFFERENT,
        metavar="HOW",
    )
    level: Literal["auto", "text"] = option(
        default="auto",
        help="formats to expect: {choices}; with text, a log may be plain text that"
        " differs from the other answer",
        section=DIFFERENT,
        metavar="LEVEL",
        is_rare=True,
    )
    min_similarity: float | None = option(
        default=None,
        help="from 0 to 1: a changed answer is info if its similarity is R or more,"
        " major if less",
        section=DIFFERENT,
        metavar="R",
        most=1,
        is_rare=True,
    )
    answer_cmd: str | None = option(
        default=None,
        help="let a command judge answers that differ, as in 'judge {{a}} {{b}}'; the"
        " files hold the answers, and it exits with 0 for the same, 1 for different",
        section=DIFFERENT,
        metavar="COMMAND",
        check=check_command,
    )
    ignore: tuple[Category, ...] = option(
        default=(),
        help="let these pass, separated by commas: {choices}",
        section=DIFFERENT,
        metavar="CATEGORIES",
        is_split=True,
    )
    require: tuple[Required, ...] = option(
        default=(),
        help="exit 2 if a log lacks one of these, separated by commas: {choices}",
        section=DIFFERENT,
        metavar="PARTS",
        is_split=True,
    )
    ignore_arg: tuple[str, ...] = option(
        default=(),
        help="ignore an argument, as in *.request_id or shell.isBackground",
        section=NOISE,
        metavar="TOOL.PATH",
        is_split=True,
        check=check_argument,
        is_rare=True,
    )
    keep_arg: tuple[str, ...] = option(
        default=(),
        help="compare an argument that is ignored by default, as in shell.timeout",
        section=NOISE,
        metavar="TOOL.PATH",
        is_split=True,
        check=check_argument,
        is_rare=True,
    )
    scrub: tuple[str, ...] = option(
        default=(),
        help="replace in every string, after the rules, as in 'job-[0-9]+=>JOB'",
        section=NOISE,
        metavar="'REGEX=>TEXT'",
        check=check_scrub,
        is_rare=True,
    )
    raw: bool = option(
        default=False,
        help="use no rules: compare strings as they are recorded",
        section=NOISE,
        is_negatable=True,
        is_rare=True,
    )
    rules: int | None = option(
        default=None,
        help="the number of the rules, if a golden was made by older ones",
        is_hidden=True,
    )
    max_duration_ratio: float | None = option(
        default=None,
        help="a duration above R times that of the baseline is a difference, as in 1.5",
        section=GROWTH,
        metavar="R",
        is_rare=True,
    )
    min_duration_ms: int = option(
        default=2000,
        help="with --max-duration-ratio, never report a duration of N ms or less"
        " (default {default})",
        section=GROWTH,
        metavar="N",
        is_rare=True,
    )
    max_tokens_ratio: float | None = option(
        default=None,
        help="more than R times the tokens of the baseline are a difference",
        section=GROWTH,
        metavar="R",
        is_rare=True,
    )
    min_tokens: int = option(
        default=1000,
        help="with --max-tokens-ratio, never report N tokens or fewer (default"
        " {default})",
        section=GROWTH,
        metavar="N",
        is_rare=True,
    )
    max_calls_ratio: float | None = option(
        default=None,
        help="more than R times the tool calls of the baseline are a difference",
        section=GROWTH,
        metavar="R",
        is_rare=True,
    )
    min_calls: int = option(
        default=5,
        help="with --max-calls-ratio, never report N calls or fewer (default"
        " {default})",
        section=GROWTH,
        metavar="N",
        is_rare=True,
    )
    max_duration: str | None = option(
        default=None,
        help="a longer run of the candidate is a difference, as in 90s or 2m30s",
        section=GROWTH,
        metavar="TIME",
        check=milliseconds,
        advice=DURATION_ADVICE,
    )
    max_tokens: int | None = option(
        default=None,
        help="more tokens in a run of the candidate are a difference, as in 50k",
        section=GROWTH,
        metavar="N",
        is_amount=True,
    )
    max_cost: float | None = option(
        default=None,
        help="a run of the candidate that costs more US dollars is a difference, as in"
        " 0.50",
        section=GROWTH,
        metavar="USD",
    )
    max_calls: int | None = option(
        default=None,
        help="more calls in a run of the candidate are a difference",
        section=GROWTH,
        metavar="N",
    )
    max_errors: int | None = option(
        default=None,
        help="more failed calls of the candidate are a difference",
        section=GROWTH,
        metavar="N",
    )

    @property
    def judged(self) -> frozenset[Judged]:
        """The parts that decide."""
        return frozenset(self.judge or get_args(Judged))

    def args_for(self, is_across: bool) -> ArgumentsCount:
        """Return how arguments count between runs of one agent, or across two."""
        if self.args != "auto":
            return self.args
        return "subject" if is_across else "exact"

    @property
    def effective_order(self) -> Literal["strict", "partial", "any"]:
        """The order that counts; some modes ignore it."""
        return "any" if MATCHES[self.match][1] else self.order


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
        is_rare=True,
    )
    repeat: bool | None = option(
        default=None,
        help="treat the logs of a folder that have one prompt as runs of one case,"
        " whatever their names, or each log as a case of its own",
        section=SUITE,
        is_negatable=True,
        is_rare=True,
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
        is_rare=True,
    )
    margin: float = option(
        default=5,
        help="the version is no worse if a loss of more points is ruled out (default"
        " {default})",
        section=SUITE,
        metavar="POINTS",
        most=100,
        is_rare=True,
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


CATEGORIES: dict[Category, str] = {
    "runs": "a run has no partner",
    "files": "a file differs in the end, or only one run changed it",
    "verification": "a check passed after the last change of one run only",
    "tests": "a check passed or failed other numbers of tests",
    "status": "one run succeeded, failed or broke off, and the other did not",
    "outcome": "a call ended in another way, for better or worse",
    "removed": "only the baseline made a call",
    "added": "only the candidate made a call",
    "tool": "a tool has another name, and the arguments are equal",
    "args": "a call has other arguments",
    "moved": "a call has another place in the order",
    "text": "the answer differs",
    "claim": "an answer says that all tests pass, and its run's last tests failed",
    "narration": "only what the agent said before the answer differs",
    "level": "one log is plain text that is not the answer of the other",
    "output": "an equal call returned something else",
    "parallelism": "calls ran in parallel in one run only",
    "model": "another model",
    "prompt": "another prompt: these may be two different tasks",
    "duration": "the candidate exceeds `--max-duration-ratio` or `--max-duration`",
    "usage": "the candidate exceeds `--max-tokens-ratio`, `--max-tokens` or"
    " `--max-cost`",
    "calls": "the candidate exceeds `--max-calls-ratio` or `--max-calls`",
    "errors": "the candidate exceeds `--max-errors`",
}
