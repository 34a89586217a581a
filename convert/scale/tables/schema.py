"""The rows of the tables, a struct each, and the schema read from them.

The names, types, units and words of the columns are stated here and nowhere else. No
cell is an empty text or a made-up number: a fact that a log does not record is None.
"""

from __future__ import annotations

import datetime
import functools
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args, get_type_hints

from msgspec import Meta, Struct

Text = str | None
Whole = int | None
Flag = bool | None
Real = float | None
Moment = datetime.datetime | None


def _holds(words: str, unit: str = "", option: str = "") -> Meta:
    """State the meaning and the unit of a column, and the option that adds it."""
    return Meta(description=words, extra={"unit": unit, "option": option})


class RowOfRun(Struct, kw_only=True, frozen=True):
    """The columns that the rows of a run share, whatever the table."""

    log: Annotated[str, _holds("the path of the log, as it was named")]
    run: Annotated[int, _holds("the number of the run in its log, from 1")]
    run_id: Annotated[str, _holds("the log and the run in one text, to join tables")]
    agent: Annotated[Text, _holds("the agent that wrote the log, such as `Cursor`")]
    agent_version: Annotated[Text, _holds("the version of the agent")]
    model: Annotated[Text, _holds("the model, as the log names it")]
    session: Annotated[Text, _holds("the id of the session; resumed runs share one")]


class RunRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `runs`: one execution of the agent."""

    title: Annotated[Text, _holds("the first line of the prompt")]
    directory: Annotated[Text, _holds("the directory in which the agent worked")]
    started: Annotated[Moment, _holds("when the run began", "UTC")]
    duration_ms: Annotated[Whole, _holds("how long it took", "ms")]
    state: Annotated[
        Text, _holds("how it ended: `success`, `error`, `cut` or `unfinished`")
    ]
    outcome: Annotated[
        str,
        _holds(
            "how it turned out: `success`, `unresolved`, `error`, `cut`, `stopped` or"
            " `unknown`, as in `stats`"
        ),
    ]
    reason: Annotated[
        Text, _holds("why it ended without success, as `text` says it in its last line")
    ]
    reason_kind: Annotated[
        Text,
        _holds(
            "the kind of that reason: `quota`, `network`, `authentication`, `cut`,"
            " `agent` or `tool`"
        ),
    ]
    is_clean: Annotated[
        Flag, _holds("the agent reports success, and nothing stays unresolved")
    ]
    verdict: Annotated[Text, _holds("how it ended, in a sentence")]
    calls: Annotated[Whole, _holds("tool calls, those of subagents included")]
    calls_failed: Annotated[
        Whole,
        _holds(
            "failed calls: those that ended with an error whose status is no answer,"
            " and those that hide failed tests"
        ),
    ]
    calls_hidden: Annotated[
        Whole,
        _holds("those of `calls_failed` that ended well although their tests failed"),
    ]
    calls_rejected: Annotated[
        Whole, _holds("refused calls, by a person, a rule or a hook")
    ]
    calls_unfinished: Annotated[Whole, _holds("calls that never ended")]
    unresolved: Annotated[
        Whole, _holds("calls that went wrong, and that no later call recovered")
    ]
    retries: Annotated[Whole, _holds("calls made again after they failed")]
    repeats: Annotated[Whole, _holds("calls that were made before in the same way")]
    agent_ms: Annotated[Whole, _holds("the time in which no call was open", "ms")]
    commands_ms: Annotated[
        Whole, _holds("the times of the terminal commands, added up", "ms")
    ]
    longest_pause_ms: Annotated[
        Whole,
        _holds(
            "the longest stretch in which no call was open; where a log records only"
            " when calls ended, in which none ended",
            "ms",
        ),
    ]
    parallel_ms: Annotated[
        Whole, _holds("the time in which two calls or more were open", "ms")
    ]
    calls_at_once: Annotated[
        Whole, _holds("the most calls that were open at the same time")
    ]
    tokens_input: Annotated[
        Whole,
        _holds("input tokens, neither read from a cache nor written to one", "tokens"),
    ]
    tokens_output: Annotated[Whole, _holds("output tokens", "tokens")]
    tokens_output_is_final: Annotated[
        Flag,
        _holds("false if `tokens_output` is a lower bound: some responses lack it"),
    ]
    tokens_cache_read: Annotated[
        Whole, _holds("further input tokens, read from a cache", "tokens")
    ]
    tokens_cache_write: Annotated[
        Whole,
        _holds("further input tokens, written to a cache", "tokens"),
    ]
    cost_usd: Annotated[Real, _holds("the cost, as the agent reports it", "USD")]
    files_changed: Annotated[Whole, _holds("files that differ in the end")]
    lines_added: Annotated[Whole, _holds("lines that were added to them", "lines")]
    lines_removed: Annotated[
        Whole, _holds("lines that were removed from them", "lines")
    ]


class CallRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `calls`: one use of a tool, in the order in which they ended."""

    call_id: Annotated[
        str, _holds("the run and the call in one text, unlike that of any other row")
    ]
    call: Annotated[
        int,
        _holds(
            "the number of the call in its run, in the order of their starts; for a"
            " step of a subagent, that of the call which started the subagent"
        ),
    ]
    step: Annotated[
        Whole,
        _holds(
            "the number of a step among those of its subagent; null for a call of the"
            " run itself"
        ),
    ]
    parent_call_id: Annotated[Text, _holds("the `call_id` of the call that made this")]
    line: Annotated[Whole, _holds("the line of the log where the call starts")]
    ended_line: Annotated[Whole, _holds("the line of the log where it ends")]
    id: Annotated[Text, _holds("the id that the agent gave the call")]
    parent_id: Annotated[Text, _holds("the `id` of the call that made this")]
    response_id: Annotated[
        Text, _holds("the id of the model's response, which parallel calls share")
    ]
    tool: Annotated[str, _holds("the kind of tool, the same for all agents")]
    native: Annotated[Text, _holds("the agent's own name for the tool")]
    activity: Annotated[
        str, _holds("what such a call does: `look`, `edit`, `run` or `other`")
    ]
    subject: Annotated[
        Text, _holds("the command, file, pattern or query that it is about")
    ]
    path: Annotated[
        Text,
        _holds(
            "the one file that it reads or changes, relative to the directory of the"
            " run if inside"
        ),
    ]
    outcome: Annotated[
        str, _holds("how it ended: `ok`, `error`, `rejected` or `unfinished`")
    ]
    is_failure: Annotated[
        bool,
        _holds(
            "it is one of the failed calls: it ended with an error, and its status is"
            " no answer such as that of `grep`; or it hides failed tests"
        ),
    ]
    exit_code: Annotated[Whole, _holds("the exit code of a command")]
    signal: Annotated[Text, _holds("the signal that ended a command")]
    error: Annotated[
        Text, _holds("the kind of error, as the log names it, such as `timeout`")
    ]
    message: Annotated[Text, _holds("the reason of an error or a rejection")]
    started: Annotated[Moment, _holds("when it started", "UTC")]
    since_start_ms: Annotated[
        Whole, _holds("how long after the beginning of the run that was", "ms")
    ]
    duration_ms: Annotated[Whole, _holds("how long it took", "ms")]
    ended: Annotated[Moment, _holds("when it ended", "UTC")]
    longest_ms: Annotated[
        Whole, _holds("how long it took at most, if `duration_ms` is null", "ms")
    ]
    arguments: Annotated[
        Text, _holds("its arguments, as JSON text", option="--arguments")
    ] = None
    output: Annotated[
        Text, _holds("everything that it returned, as JSON text", option="--outputs")
    ] = None


class FileRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `files`: one file that a run read or changed."""

    path: Annotated[
        str,
        _holds("the path, relative to the directory of the run if inside"),
    ]
    reads: Annotated[int, _holds("calls that read it and ended well")]
    edits: Annotated[int, _holds("calls that changed it and ended well")]
    failed_edits: Annotated[
        int, _holds("calls that were to change it and did not end well")
    ]
    first_call: Annotated[
        Whole, _holds("the number of the first call about it; null in a subagent")
    ]
    last_call: Annotated[Whole, _holds("the number of the last one")]
    change: Annotated[
        Text,
        _holds(
            "what became of it: `new`, `deleted` or `edited`; null if it is as before"
        ),
    ]
    lines_added: Annotated[Whole, _holds("lines that were added in the end", "lines")]
    lines_removed: Annotated[
        Whole, _holds("lines that were removed in the end", "lines")
    ]


class FindingRow(Struct, kw_only=True, frozen=True):
    """A row of `findings`: one difference between a baseline and a candidate."""

    case: Annotated[str, _holds("the name of the case: the path of its logs in both")]
    log_a: Annotated[Text, _holds("the log of the baseline, as it was named")]
    log_b: Annotated[Text, _holds("the log of the candidate")]
    run_a: Annotated[
        Whole, _holds("the number of the run in the baseline; null for a whole case")
    ]
    run_b: Annotated[Whole, _holds("the number of the run in the candidate")]
    run_id_a: Annotated[Text, _holds("the `run_id` of the baseline")]
    run_id_b: Annotated[Text, _holds("the `run_id` of the candidate")]
    category: Annotated[
        str,
        _holds(
            "the kind of difference, one of `diff --list categories`; or `missing`,"
            " `new` or `trouble` for a case that was not compared"
        ),
    ]
    severity: Annotated[
        Text, _holds("how much it matters: `critical`, `major`, `minor` or `info`")
    ]
    finding: Annotated[
        str, _holds("the call, file or text, and what differs in it, on one line")
    ]
    call_a: Annotated[
        Whole,
        _holds(
            "the number of the call in the baseline; for a step of a subagent, that of"
            " the call which started the subagent"
        ),
    ]
    call_b: Annotated[Whole, _holds("the number of the call in the candidate")]
    call_id_a: Annotated[Text, _holds("the `call_id` of the call in the baseline")]
    call_id_b: Annotated[Text, _holds("the `call_id` of the call in the candidate")]
    path: Annotated[Text, _holds("the file that differs in the end")]
    line_a: Annotated[Whole, _holds("the line of the baseline that shows it")]
    line_b: Annotated[Whole, _holds("the line of the candidate that shows it")]
    is_better: Annotated[
        bool, _holds("the baseline failed where the candidate did not")
    ]
    waived: Annotated[Text, _holds("the option that lets it pass; null if it counts")]
    runs_a: Annotated[
        Whole,
        _holds("how many of the baseline's repeated runs do it; null for one run"),
    ]
    runs_b: Annotated[Whole, _holds("the same for the candidate")]


Row = RunRow | CallRow | FileRow | FindingRow
# It goes up with each change of a column, which the changelog then names.
SCHEMA = 2

Kind = Literal["text", "integer", "number", "boolean", "timestamp"]
ROWS: dict[str, type[Row]] = {
    "runs": RunRow,
    "calls": CallRow,
    "files": FileRow,
    "findings": FindingRow,
}
"""The struct of each table, by the name of the table."""

_KINDS: dict[type, Kind] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime.datetime: "timestamp",
}


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table; as a row of the schema, it is written in each format."""

    table: str
    column: str
    type: Kind
    unit: str | None
    """The unit of its values; None for a plain number or no number."""

    is_nullable: bool
    """A cell is null where the log does not record the value."""

    option: str | None
    """The option that adds it; None if it is there always."""

    meaning: str


def columns(table: str, options: Iterable[str] = ()) -> list[Column]:
    """Return the columns of a table, with those that options add."""
    wanted = {None, *options}
    return [column for column in every_column(table) if column.option in wanted]


@functools.cache
def every_column(table: str) -> tuple[Column, ...]:
    """Return all columns of a table, those included that options add."""
    row = ROWS[table]
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column(table, name, hints[name]) for name in row.__struct_fields__)


def _column(table: str, name: str, hint: Any) -> Column:
    kind, meta = get_args(hint)
    kinds = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    [plain] = [each for each in kinds if each is not type(None)]
    return Column(
        table=table,
        column=name,
        type=_KINDS[plain],
        unit=meta.extra["unit"] or None,
        is_nullable=len(kinds) > 1,
        option=meta.extra["option"] or None,
        meaning=meta.description,
    )
