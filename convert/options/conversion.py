"""The options of reading a log and of converting it."""

from typing import Any, ClassVar, Literal

from convert.options.option_set import (
    SECRETS,
    OptionSet,
    check_pattern,
    language,
    option,
)

ToolOutput = Literal["none", "preview", "full"]

# The settings of comparisons that a trajectory is made with.
NOISE = ("ignore_arg", "keep_arg", "scrub", "raw")

# A transcript that names the parts it drops needs so many bytes.
_FEWEST_BYTES = 4096


class Reading(OptionSet):
    """How a log is read; patterns to redact imply `redact`."""

    _argument: ClassVar[str] = "reading"

    redact: bool = option(
        default=False,
        is_negatable=True,
        help="replace keys, tokens, passwords, private keys and e-mail addresses by"
        " their kind, in every field and format",
        section=SECRETS,
    )
    redact_patterns: tuple[str, ...] = option(
        default=(),
        help="replace matches of the pattern as well, or of its first group, as in"
        " 'ticket-([0-9]+)'",
        section=SECRETS,
        flags="--redact-pattern",
        metavar="REGEX",
        check=check_pattern,
    )
    known: Any = option(
        default=None,
        help="the secrets that an earlier reading of the log has found",
        is_hidden=True,
    )
    is_found: bool = option(
        default=False,
        help="the log was found in a folder, where other files may lie",
        is_hidden=True,
    )
    path: str = option(
        default="",
        help="the path of the log, next to which other files of its run may lie",
        is_hidden=True,
    )
    max_line: int = option(
        default=200_000_000,
        help="skip lines longer than SIZE (default {default})",
        section=SECRETS,
        metavar="SIZE",
        is_size=True,
        is_rare=True,
    )
    max_input: int = option(
        default=10_000_000_000,
        help="refuse a compressed log that expands to more than SIZE (default"
        " {default})",
        section=SECRETS,
        metavar="SIZE",
        is_size=True,
        is_rare=True,
    )

    def settle(self) -> None:
        """Let patterns imply `redact`."""
        if self.redact_patterns:
            self.__dict__["redact"] = True


class Options(OptionSet):
    """The options of a conversion; every writer reads its own."""

    _argument: ClassVar[str] = "options"

    detail: bool = option(
        default=False,
        is_negatable=True,
        help="add the target of each call, as in `Read file: src/app.py`",
        formats=("text",),
    )
    language: Literal["en", "es", "fr", "de", "ko", "ja", "zh", "tr"] = option(
        default="en",
        help="language of the lines: {choices}",
        formats=("text",),
        flags="--lang",
        metavar="LANGUAGE",
        as_choice=language,
    )
    answer: bool = option(
        default=False,
        is_negatable=True,
        help="add the final message below the lines",
        formats=("text",),
    )
    tool_output: ToolOutput = option(
        default="preview",
        help="how much of each output to show: {choices}; preview is up to 20 lines"
        " and 2 kB",
        formats=("markdown", "html"),
        metavar="HOW",
    )
    thinking: bool = option(
        default=False,
        is_negatable=True,
        help="add the reasoning, folded; to messages as reasoning_content",
        formats=("markdown", "html", "messages"),
    )
    max_bytes: int | None = option(
        default=None,
        help="shorten the transcript to this size, at least 4096, as in 64kB; written"
        " when the log ends",
        formats=("markdown",),
        metavar="SIZE",
        least=_FEWEST_BYTES,
        is_size=True,
    )
    front_matter: bool = option(
        default=False,
        is_negatable=True,
        help="put the facts on top, as YAML; written when the log ends",
        formats=("markdown",),
    )
    partial: bool = option(
        default=False,
        is_negatable=True,
        help="write a run without a result, too; to trajectory, also one that failed",
        formats=("json", "trajectory"),
    )
    arguments_as: Literal["string", "object"] = option(
        default="string",
        help="how to write the arguments of calls: {choices}; a string holds JSON",
        formats=("messages",),
        metavar="HOW",
        is_rare=True,
    )
    only: Literal["complete"] | None = option(
        default=None,
        help="write only conversations that are {choices}: with a request and a final"
        " answer, as trainers ask",
        formats=("messages",),
        metavar="WHICH",
        is_rare=True,
    )
    ignore_arg: tuple[str, ...] = option(
        default=(), help="the setting of comparisons, for a trajectory", is_hidden=True
    )
    keep_arg: tuple[str, ...] = option(default=(), help="the same", is_hidden=True)
    scrub: tuple[str, ...] = option(default=(), help="the same", is_hidden=True)
    raw: bool = option(default=False, help="the same", is_hidden=True)
    log_name: str = option(
        default="", help="the name of the log, for a page", is_hidden=True
    )
    index: str = option(
        default="",
        help="the address of the page of all runs, for a page",
        is_hidden=True,
    )
    index_name: str = option(
        default="All runs", help="the words of the link to it", is_hidden=True
    )
    colours: bool = option(
        default=False,
        help="colour the output, and escape all else that controls a terminal",
        is_hidden=True,
    )
    at_end: bool = option(
        default=False,
        help="nobody reads it before the log has ended: the verdict comes first",
        is_hidden=True,
    )
    follows: bool = option(
        default=False,
        help="other output precedes this one, so that an empty line goes between",
        is_hidden=True,
    )
