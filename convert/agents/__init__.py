"""Logs of other agents than Cursor, read into events and written from them.

    bytes -> lines -> structs of a format -> AgentRun -> events         readers
    events -> texts, ids and names of a model's interface -> bytes      writers

A reader decodes the lines of its format and calls a method of `AgentRun` for each
thing that happened; nothing else makes events. A writer takes the events of any log.
AGENT_ROWS are the rows that this wing adds to the table of formats.

recognition     which records are of which format; loaded for every log that is not
                Cursor's, so it imports no reader

lines           from the blocks of a log to events: shared by all readers of lines
run             a run while its log is read: facts in, events out
tool_names      the tools of all agents: kinds and arguments by the model's names
outputs         texts that tools return, as members of their kinds
writing         texts of results, ids of calls and turns, for all writers

claude          Claude Code's stream and session files; Amp and Qwen Code
codex           `codex exec --json` and the session files of Codex
opencode        `opencode run --format json`; opencode_lines: its structs and outputs
atif            documents of the Agent Trajectory Interchange Format
messages        a run as the messages of a chat, for training and evaluation

To add a format: a module with `read`, `write` or both, a function in `recognition`, a
row in AGENT_ROWS, and a golden case.
"""

from __future__ import annotations

from msgspec.structs import replace

from convert.formats import AGENT_KEEPS, Format, Reader, Writer, later
from convert.model.events import EVERYTHING
from convert.registry import exports
from convert.source.recognition import Opening

ATIF = Opening(b'"schema_version"', rb'[\s\[]*\{\s*"schema_version"\s*:\s*"ATIF-')
_FIGURES = "the text, the state, the duration, the tokens"
_ACTIONS = "the action lines as calls, the answer"
_ARGUMENTS = "prompt, calls with their arguments, text"
AGENT_ROWS = (
    Format(
        "claude-stream",
        "the stream of Claude Code, Amp and Qwen Code",
        Reader(
            later("convert.agents.claude.stream_reader.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.agents.recognition.recognise_claude_stream"),
            tested={
                "Claude Code": ("2.0.71", "2.1.238"),
                "Amp": (),
                "Qwen Code": ("0.20.0",),
            },
            redacts=True,
        ),
        Writer(
            later("convert.agents.claude.stream_writer.write"),
            lambda options: EVERYTHING,
            (".claude.jsonl",),
            keeps={
                "calls": "prompt, text, calls with output, state, duration, tokens,"
                " cost",
                "result": _FIGURES,
                "text": _ACTIONS,
                "trajectory": _ARGUMENTS,
                "claude-session": "prompt, text, calls with output",
            },
            is_headed=False,
        ),
        agent="Claude Code",
    ),
    Format(
        "claude-session",
        "the session files of Claude Code",
        Reader(
            later("convert.agents.claude.session_reader.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "json": "the text, the duration, the tokens",
                "stream-json": "text and calls with output, as events of Cursor",
            },
            recognise=later("convert.agents.recognition.recognise_claude_session"),
            tested={"Claude Code": ("2.0.28", "2.1.220")},
            has_files_beside=True,
            redacts=True,
        ),
        agent="Claude Code",
    ),
    Format(
        "codex-exec",
        "the stream of Codex with exec --json",
        Reader(
            later("convert.agents.codex.exec_reader.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "json": "the text, the state, the tokens",
                "patch": "nothing: no contents of files",
                "html": "as markdown, without times",
            },
            recognise=later("convert.agents.recognition.recognise_codex_exec"),
            tested={"Codex": ("0.46.0", "0.154.0")},
            redacts=True,
        ),
        agent="Codex",
    ),
    Format(
        "codex-rollout",
        "the session files of Codex",
        Reader(
            later("convert.agents.codex.rollout_reader.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS | {"patch": "new files only: hunks without line numbers"},
            recognise=later("convert.agents.recognition.recognise_codex_rollout"),
            tested={"Codex": ("0.40.0", "0.155.0")},
            redacts=True,
        ),
        agent="Codex",
    ),
    Format(
        "opencode",
        "the events of opencode, one a line",
        Reader(
            later("convert.agents.opencode.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.agents.recognition.recognise_opencode"),
            tested={"opencode": ("December 2025", "July 2026")},
            redacts=True,
        ),
        agent="opencode",
    ),
    Format(
        "atif",
        "one document a run, for trace stores and other programs",
        Reader(
            later("convert.agents.atif.reader.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.agents.recognition.recognise_atif"),
            tested={"": ("ATIF 1.0", "1.8")},
            opening=ATIF,
            redacts=True,
        ),
        Writer(
            later("convert.agents.atif.writer.write"),
            lambda options: replace(EVERYTHING, approved=False),
            (".atif.json",),
            keeps={
                "calls": "prompt, text, calls with outcomes and output, duration,"
                " tokens, cost",
                "result": _FIGURES,
                "text": _ACTIONS,
                "trajectory": _ARGUMENTS,
            },
            is_headed=False,
        ),
    ),
    Format(
        "messages",
        "chat messages with tool calls, one run a line",
        writer=Writer(
            later("convert.agents.messages.write"),
            lambda options: EVERYTHING,
            (".messages.jsonl",),
            keeps={
                "calls": "prompt, text, calls with arguments and output as text",
                "result": "the text",
                "text": _ACTIONS,
                "trajectory": _ARGUMENTS,
            },
            is_headed=False,
            schema="agents/messages.schema.json",
        ),
    ),
)


# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "atif.document": "name_for_people name_in_document",
        "claude.results": "outcome_of_text result_of",
        "claude.written_calls": "claude_call",
        "codex.apply_patch": "calls_of_patch changes_of patch_in",
        "codex.outputs": "TokenCounts Usage tool_output",
        "lines": "SeenLines milliseconds_of",
        "outputs": "content_without_numbers matches_in output_of_text",
        "recognition": "recognise_atif recognise_opencode",
        "run": "AgentRun",
        "tool_names": "call_of known_names mcp_call renamed unwrapped",
        "writing": "text_of_output text_of_result",
    },
)
