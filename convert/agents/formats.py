"""The rows that this wing adds to the table of formats."""

from __future__ import annotations

from msgspec.structs import replace

from convert.formats import AGENT_KEEPS, Format, Reader, Writer, later
from convert.model.events import EVERYTHING
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
        others=("Amp", "Qwen Code"),
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
        ),
    ),
)
