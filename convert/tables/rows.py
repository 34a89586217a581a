"""The rows of the tables: one struct each, from which all else is made.

The names, types, units and words of the columns are stated here and nowhere else. No
cell is an empty text or a made-up number: what a log does not record is None.
"""

from __future__ import annotations

import datetime
from typing import Annotated

from msgspec import Meta, Struct

Text = str | None
Whole = int | None
Flag = bool | None
Real = float | None
Moment = datetime.datetime | None


def _told(words: str, unit: str = "", option: str = "") -> Meta:
    """State what a column holds, in which unit, and the option that adds it."""
    return Meta(description=words, extra={"unit": unit, "option": option})


class RowOfRun(Struct, kw_only=True, frozen=True):
    """The columns that the rows of a run share, whatever the table."""

    log: Annotated[str, _told("the path of the log, as it was named")]
    run: Annotated[int, _told("the number of the run in its log, from 1")]
    run_id: Annotated[str, _told("the log and the run in one text, to join tables")]
    agent: Annotated[Text, _told("the agent that wrote the log, such as `Cursor`")]
    agent_version: Annotated[Text, _told("the version of the agent")]
    model: Annotated[Text, _told("the model, as the log names it")]
    session: Annotated[Text, _told("the id of the session; resumed runs share one")]


class RunRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `runs`: one execution of the agent."""

    title: Annotated[Text, _told("the first line of the prompt")]
    directory: Annotated[Text, _told("the directory in which the agent worked")]
    started: Annotated[Moment, _told("when the run began", "UTC")]
    duration_ms: Annotated[Whole, _told("how long it took", "ms")]
    state: Annotated[
        Text, _told("how it ended: `success`, `error`, `cut` or `unfinished`")
    ]
    outcome: Annotated[
        str,
        _told(
            "how it turned out: `success`, `unresolved`, `error`, `cut`, `stopped` or"
            " `unknown`, as in `stats`"
        ),
    ]
    reason: Annotated[
        Text, _told("why it ended without success, as `text` says it in its last line")
    ]
    reason_kind: Annotated[
        Text,
        _told(
            "the kind of that reason: `quota`, `network`, `authentication`, `cut`,"
            " `agent` or `tool`"
        ),
    ]
    is_clean: Annotated[
        Flag, _told("the agent reports success, and nothing stays unresolved")
    ]
    verdict: Annotated[Text, _told("how it ended, in a sentence")]
    calls: Annotated[Whole, _told("tool calls, those of subagents included")]
    calls_failed: Annotated[
        Whole,
        _told(
            "failed calls: those that ended with an error whose status is no answer,"
            " and those that hide failed tests"
        ),
    ]
    calls_hidden: Annotated[
        Whole,
        _told("those of `calls_failed` that ended well although their tests failed"),
    ]
    calls_rejected: Annotated[
        Whole, _told("refused calls, by a person, a rule or a hook")
    ]
    calls_unfinished: Annotated[Whole, _told("calls that never ended")]
    unresolved: Annotated[
        Whole, _told("calls that went wrong, and that no later call recovered")
    ]
    retries: Annotated[Whole, _told("calls made again after they failed")]
    repeats: Annotated[Whole, _told("calls that were made before in the same way")]
    agent_ms: Annotated[Whole, _told("the time in which no call was open", "ms")]
    commands_ms: Annotated[
        Whole, _told("the times of the terminal commands, added up", "ms")
    ]
    longest_pause_ms: Annotated[
        Whole,
        _told(
            "the longest stretch in which no call was open; where a log records only"
            " when calls ended, in which none ended",
            "ms",
        ),
    ]
    parallel_ms: Annotated[
        Whole, _told("the time in which two calls or more were open", "ms")
    ]
    calls_at_once: Annotated[
        Whole, _told("the most calls that were open at the same time")
    ]
    tokens_input: Annotated[
        Whole,
        _told("input tokens, neither read from a cache nor written to one", "tokens"),
    ]
    tokens_output: Annotated[Whole, _told("output tokens", "tokens")]
    tokens_output_is_final: Annotated[
        Flag, _told("false if `tokens_output` is a lower bound: some responses lack it")
    ]
    tokens_cache_read: Annotated[
        Whole, _told("further input tokens, read from a cache", "tokens")
    ]
    tokens_cache_write: Annotated[
        Whole,
        _told("further input tokens, written to a cache", "tokens"),
    ]
    cost_usd: Annotated[Real, _told("the cost, as the agent reports it", "USD")]
    files_changed: Annotated[Whole, _told("files that differ in the end")]
    lines_added: Annotated[Whole, _told("lines that were added to them", "lines")]
    lines_removed: Annotated[Whole, _told("lines that were removed from them", "lines")]


class CallRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `calls`: one use of a tool, in the order in which they ended."""

    call_id: Annotated[
        str, _told("the run and the call in one text, unlike that of any other row")
    ]
    call: Annotated[
        int,
        _told(
            "the number of the call in its run, in the order of their starts; for a"
            " step of a subagent, that of the call which started the subagent"
        ),
    ]
    step: Annotated[
        Whole,
        _told(
            "the number of a step among those of its subagent; null for a call of the"
            " run itself"
        ),
    ]
    parent_call_id: Annotated[Text, _told("the `call_id` of the call that made this")]
    line: Annotated[Whole, _told("the line of the log where the call starts")]
    ended_line: Annotated[Whole, _told("the line of the log where it ends")]
    id: Annotated[Text, _told("the id that the agent gave the call")]
    parent_id: Annotated[Text, _told("the `id` of the call that made this")]
    response_id: Annotated[
        Text, _told("the id of the model's response, which parallel calls share")
    ]
    tool: Annotated[str, _told("the kind of tool, the same for all agents")]
    native: Annotated[Text, _told("the agent's own name for the tool")]
    activity: Annotated[
        str, _told("what such a call does: `look`, `edit`, `run` or `other`")
    ]
    subject: Annotated[
        Text, _told("the command, file, pattern or query that it is about")
    ]
    path: Annotated[
        Text,
        _told(
            "the one file that it reads or changes, relative to the directory of the"
            " run if inside"
        ),
    ]
    outcome: Annotated[
        str, _told("how it ended: `ok`, `error`, `rejected` or `unfinished`")
    ]
    is_failure: Annotated[
        bool,
        _told(
            "it is one of the failed calls: it ended with an error, and its status is"
            " no answer such as that of `grep`; or it hides failed tests"
        ),
    ]
    exit_code: Annotated[Whole, _told("the exit code of a command")]
    signal: Annotated[Text, _told("the signal that ended a command")]
    error: Annotated[
        Text, _told("the kind of error, as the log names it, such as `timeout`")
    ]
    message: Annotated[Text, _told("the reason of an error or a rejection")]
    started: Annotated[Moment, _told("when it started", "UTC")]
    since_start_ms: Annotated[
        Whole, _told("how long after the beginning of the run that was", "ms")
    ]
    duration_ms: Annotated[Whole, _told("how long it took", "ms")]
    ended: Annotated[Moment, _told("when it ended", "UTC")]
    longest_ms: Annotated[
        Whole, _told("how long it took at most, if `duration_ms` is null", "ms")
    ]
    arguments: Annotated[
        Text, _told("its arguments, as JSON text", option="--arguments")
    ] = None
    output: Annotated[
        Text, _told("everything that it returned, as JSON text", option="--outputs")
    ] = None


class FileRow(RowOfRun, kw_only=True, frozen=True):
    """A row of `files`: one file that a run read or changed."""

    path: Annotated[
        str,
        _told("the path, relative to the directory of the run if inside"),
    ]
    reads: Annotated[int, _told("calls that read it and ended well")]
    edits: Annotated[int, _told("calls that changed it and ended well")]
    failed_edits: Annotated[
        int, _told("calls that were to change it and did not end well")
    ]
    first_call: Annotated[
        Whole, _told("the number of the first call about it; null in a subagent")
    ]
    last_call: Annotated[Whole, _told("the number of the last one")]
    change: Annotated[
        Text,
        _told(
            "what became of it: `new`, `deleted` or `edited`; null if it is as before"
        ),
    ]
    lines_added: Annotated[Whole, _told("lines that were added in the end", "lines")]
    lines_removed: Annotated[
        Whole, _told("lines that were removed in the end", "lines")
    ]


class FindingRow(Struct, kw_only=True, frozen=True):
    """A row of `findings`: one difference between a baseline and a candidate."""

    case: Annotated[str, _told("the name of the case: the path of its logs in both")]
    log_a: Annotated[Text, _told("the log of the baseline, as it was named")]
    log_b: Annotated[Text, _told("the log of the candidate")]
    run_a: Annotated[
        Whole, _told("the number of the run in the baseline; null for a whole case")
    ]
    run_b: Annotated[Whole, _told("the number of the run in the candidate")]
    run_id_a: Annotated[Text, _told("the `run_id` of the baseline")]
    run_id_b: Annotated[Text, _told("the `run_id` of the candidate")]
    category: Annotated[
        str,
        _told(
            "the kind of difference, one of `diff --list categories`; or `missing`,"
            " `new` or `trouble` for a case that was not compared"
        ),
    ]
    severity: Annotated[
        Text, _told("how much it matters: `critical`, `major`, `minor` or `info`")
    ]
    finding: Annotated[
        str, _told("the call, file or text, and what differs in it, on one line")
    ]
    call_a: Annotated[
        Whole,
        _told(
            "the number of the call in the baseline; for a step of a subagent, that of"
            " the call which started the subagent"
        ),
    ]
    call_b: Annotated[Whole, _told("the number of the call in the candidate")]
    call_id_a: Annotated[Text, _told("the `call_id` of the call in the baseline")]
    call_id_b: Annotated[Text, _told("the `call_id` of the call in the candidate")]
    path: Annotated[Text, _told("the file that differs in the end")]
    line_a: Annotated[Whole, _told("the line of the baseline that shows it")]
    line_b: Annotated[Whole, _told("the line of the candidate that shows it")]
    is_better: Annotated[bool, _told("the baseline failed where the candidate did not")]
    waived: Annotated[Text, _told("the option that lets it pass; null if it counts")]
    runs_a: Annotated[
        Whole, _told("how many of the baseline's repeated runs do it; null for one run")
    ]
    runs_b: Annotated[Whole, _told("the same for the candidate")]


Row = RunRow | CallRow | FileRow | FindingRow
