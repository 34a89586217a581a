"""Logs of other agents than Cursor, read into events and written from them.

    bytes -> lines -> structs of a format -> AgentRun -> events         readers
    events -> texts, ids and names of a model's interface -> bytes      writers

A reader decodes the lines of its format and calls a method of `AgentRun` for each
thing that happened; nothing else makes events. A writer takes the events of any log.

formats         the rows that this wing adds to the table of formats
recognition     which records are of which format; loaded for every log that is not
                Cursor's, so it imports no reader

lines           from the blocks of a log to events: shared by all readers of lines
run             a run while its log is read: facts in, events out
tools           the tools of all agents: kinds and arguments by the model's names
outputs         texts that tools return, as members of their kinds
writing         texts of results, ids of calls and turns, for all writers

claude          Claude Code's stream and session files; Amp and Qwen Code
codex           `codex exec --json` and the session files of Codex
opencode        `opencode run --format json`; opencode_lines: its structs and outputs
atif            documents of the Agent Trajectory Interchange Format
messages        a run as the messages of a chat, for training and evaluation

To add a format: a module with `read`, `write` or both, a function in `recognition`, a
row in `formats`, and a golden case.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "atif.document": "name_for_people name_in_document",
        "claude.results": "outcome_of_text result_of",
        "claude.written_calls": "claude_call",
        "codex.apply_patch": "calls_of_patch changes_of patch_in",
        "codex.outputs": "TokenCounts Usage tool_output",
        "formats": "ATIF",
        "lines": "SeenLines milliseconds_of",
        "outputs": "content_without_numbers matches_in output_of_text",
        "recognition": "recognise_atif recognise_opencode",
        "run": "AgentRun",
        "tools": "call_of known_names mcp_call renamed unwrapped",
        "writing": "text_of_output text_of_result",
    },
)
