"""The settings of a comparison, on the command line, in a file and in Python."""

from typing import ClassVar, Literal, get_args

from convert.options.option_set import OptionSet, option
from convert.options.values import (
    DURATION_ADVICE,
    check_argument,
    check_command,
    check_duration,
    check_scrub,
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
# The parts of which a difference is one; those of other categories always count.
PARTS_OF: dict[str, frozenset[Judged]] = {
    **dict.fromkeys(
        ("removed", "added", "tool", "args", "moved", "outcome", "output"),
        frozenset[Judged]({"calls"}),
    ),
    "parallelism": frozenset({"calls"}),
    "files": frozenset({"files"}),
    **dict.fromkeys(("verification", "tests"), frozenset[Judged]({"calls", "files"})),
    "status": frozenset({"status"}),
    **dict.fromkeys(("text", "narration", "level"), frozenset[Judged]({"result"})),
}
Required = Literal["calls", "result", "status"]
# The changes each mode waives, and whether it takes the order of calls for nothing.
MATCHES: dict[str, tuple[frozenset[str], bool]] = {
    "exact": (frozenset(), False),
    "in-order": (frozenset({"added"}), False),
    "unordered": (frozenset({"moved"}), True),
    "superset": (frozenset({"added", "moved"}), True),
    "subset": (frozenset({"removed", "moved"}), True),
}

# The headings in the help.
DIFFERENT = "what is different"
NOISE = "what is noise"
GROWTH = "how much the candidate may use"


class Settings(OptionSet):
    """The settings of a comparison, by the names of the command line.

    A ratio is candidate / baseline; the other limits are for the candidate alone. None
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
    )
    match: Literal["exact", "in-order", "unordered", "superset", "subset"] = option(
        default="exact",
        help="which calls the candidate may add, move or leave out: {choices}",
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
        help="count what calls returned as well",
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
    )
    min_similarity: float | None = option(
        default=None,
        help="from 0 to 1: a changed answer is info if its similarity is R or more,"
        " major if less",
        section=DIFFERENT,
        metavar="R",
        most=1,
    )
    answer_cmd: str | None = option(
        default=None,
        help="let a command judge answers that differ, as in 'judge {{a}} {{b}}'; the"
        " files hold the answers, and it exits with 0 for the same, 1 for different",
        section=DIFFERENT,
        metavar="COMMAND",
        check=check_command,
    )
    answer_timeout: str = option(
        default="60s",
        help="the longest that --answer-cmd may take (default {default})",
        section=DIFFERENT,
        metavar="TIME",
        check=check_duration,
        advice=DURATION_ADVICE,
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
        help="leave out an argument, as in *.request_id or shell.isBackground",
        section=NOISE,
        metavar="TOOL.PATH",
        is_split=True,
        check=check_argument,
    )
    keep_arg: tuple[str, ...] = option(
        default=(),
        help="compare an argument that is left out, as in shell.timeout",
        section=NOISE,
        metavar="TOOL.PATH",
        is_split=True,
        check=check_argument,
    )
    scrub: tuple[str, ...] = option(
        default=(),
        help="replace in every string, after the rules, as in 'job-[0-9]+=>JOB'",
        section=NOISE,
        metavar="'REGEX=>TEXT'",
        check=check_scrub,
    )
    raw: bool = option(
        default=False,
        help="use no rules: compare strings as they are recorded",
        section=NOISE,
        is_negatable=True,
    )
    max_duration_ratio: float | None = option(
        default=None,
        help="a duration above R times that of the baseline is a difference, as in 1.5",
        section=GROWTH,
        metavar="R",
    )
    min_duration_ms: int = option(
        default=2000,
        help="with --max-duration-ratio, never report a duration of N ms or less"
        " (default {default})",
        section=GROWTH,
        metavar="N",
    )
    max_tokens_ratio: float | None = option(
        default=None,
        help="more than R times the tokens of the baseline are a difference",
        section=GROWTH,
        metavar="R",
    )
    min_tokens: int = option(
        default=1000,
        help="with --max-tokens-ratio, never report N tokens or fewer (default"
        " {default})",
        section=GROWTH,
        metavar="N",
    )
    max_calls_ratio: float | None = option(
        default=None,
        help="more than R times the tool calls of the baseline are a difference",
        section=GROWTH,
        metavar="R",
    )
    min_calls: int = option(
        default=5,
        help="with --max-calls-ratio, never report N calls or fewer (default"
        " {default})",
        section=GROWTH,
        metavar="N",
    )
    max_duration: str | None = option(
        default=None,
        help="a longer run of the candidate is a difference, as in 90s or 2m30s",
        section=GROWTH,
        metavar="TIME",
        check=check_duration,
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
        """The order that counts: some ways to match ignore it."""
        return "any" if MATCHES[self.match][1] else self.order
