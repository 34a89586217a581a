"""All formats, a row each; `row` says what the cells mean."""

from __future__ import annotations

from msgspec.structs import replace

from convert.formats.keeping import AGENT_KEEPS
from convert.formats.openings import ATIF, TRAJECTORY
from convert.formats.row import Format, Reader, Writer, later
from convert.model.needs import EVERYTHING, CallDetail, Needs
from convert.source.sniff import Certainty, Record


def _any_text(records: list[Record], in_prose: bool) -> Certainty:
    """Accept any readable text."""
    return Certainty.READABLE


_TEXT_IS_COMPARED = Needs(text=True, calls=CallDetail.OUTCOMES)
ROWS = (
    Format(
        "stream-json",
        "NDJSON, one event a line",
        Reader(
            later("convert.formats.stream_json.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "stream-json": "every event, byte for byte",
                "json": "the result event, byte for byte",
            },
            recognise=later("convert.formats.stream_json.recognition.recognise"),
            leaves_texts=True,
            redacts=True,
        ),
        Writer(
            later("convert.formats.stream_json.write"),
            lambda options: Needs(raw=True),
            (".ndjson", ".jsonl"),
            is_headed=False,
        ),
        agent="Cursor",
    ),
    Format(
        "json",
        "one result object a run",
        Reader(
            later("convert.formats.result_json.read"),
            level="result",
            compared=Needs(result=True, text=True, figures=True),
            keeps={
                "stream-json": "the result event",
                "json": "the object, byte for byte",
                "text": "no tool calls; the answer with --answer",
                "answer": "the whole text",
                "markdown": "the text, the state, the duration, the tokens",
                "html": "as markdown",
                "patch": "nothing: no changes of files",
                "trajectory": "the text, the state",
                "claude-stream": "the text, the state, the duration, the tokens",
                "messages": "the text",
                "atif": "the text, the state, the duration, the tokens",
            },
            recognise=later(
                "convert.formats.stream_json.recognition.recognise_summary"
            ),
            redacts=True,
        ),
        Writer(
            later("convert.formats.result_json.write"),
            lambda options: Needs(
                result=True,
                text=options.partial,
                unrecorded_text=not options.partial,
                figures=True,
            ),
            (".json",),
            is_headed=False,
        ),
        agent="Cursor",
    ),
    Format(
        "text",
        "action lines, one for each tool call",
        Reader(
            later("convert.formats.text.read"),
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={
                "stream-json": "tool calls without arguments, the answer",
                "json": "the answer",
                "text": "the action lines; the answer with --answer",
                "answer": "the lines that are not action lines",
                "markdown": "the action lines as calls, the answer",
                "html": "as markdown, in their order",
                "patch": "nothing: no contents of files",
                "trajectory": "the action lines as calls, the answer",
                "claude-stream": "the action lines as calls, the answer",
                "messages": "the action lines as calls, the answer",
                "atif": "the action lines as calls, the answer",
            },
            recognise=_any_text,
            may_begin=later("convert.formats.text.may_begin"),
            redacts=True,
        ),
        Writer(
            later("convert.formats.text.write"),
            lambda options: Needs(
                calls=CallDetail.ARGUMENTS if options.detail else CallDetail.OUTCOMES,
                text=options.answer,
            ),
            (".txt",),
            shown_as="text",
            is_coloured=True,
            if_empty="no tool calls; -t answer shows the answer",
        ),
        agent="Cursor",
    ),
    Format(
        "answer",
        "the final message alone; read as text",
        Reader(
            later("convert.formats.text.read"),
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={},
            redacts=True,
        ),
        Writer(
            later("convert.formats.answer.write"),
            lambda options: Needs(text=True),
            (".txt",),
            shown_as="text",
        ),
        agent="Cursor",
    ),
    Format(
        "markdown",
        "a transcript for people",
        writer=Writer(
            later("convert.formats.markdown.write"),
            lambda options: replace(EVERYTHING, thinking=options.thinking),
            (".md", ".markdown"),
            shown_as="text",
            options_for_one_log=("max_bytes", "front_matter"),
        ),
    ),
    Format(
        "html",
        "a page to look at, in one file",
        writer=Writer(
            later("convert.formats.html.write"),
            lambda options: EVERYTHING,
            (".html", ".htm"),
            shown_as="text",
            is_document=True,
        ),
    ),
    Format(
        "patch",
        "what the run changed in files, for git apply",
        writer=Writer(
            later("convert.formats.patch.write"),
            lambda options: Needs(calls=CallDetail.EVERYTHING, figures=True),
            (".patch", ".diff"),
            shown_as="bytes",
        ),
    ),
    Format(
        "trajectory",
        "what a run did, approved to compare later runs with",
        Reader(
            later("convert.formats.trajectory.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps={
                "stream-json": "prompt, calls with their arguments, text",
                "json": "the text and the state",
                "text": "every tool call with its outcome",
                "answer": "the last segment that is not empty",
                "markdown": "prompt, text and tool calls without output",
                "html": "as markdown",
                "patch": "nothing: no contents of files",
                "trajectory": "every byte that it holds",
                "claude-stream": "prompt, calls with their arguments, text",
                "messages": "prompt, calls with their arguments, text",
                "atif": "prompt, calls with their arguments, text",
            },
            opening=TRAJECTORY,
            brings_settings=True,
            redacts=True,
        ),
        Writer(
            later("convert.formats.trajectory.write"),
            lambda options: replace(EVERYTHING, thinking=False),
            (".json",),
            is_document=True,
            takes_noise=True,
        ),
    ),
)
AGENT_ROWS = (
    Format(
        "claude-stream",
        "what Claude Code prints, also Amp and Qwen Code",
        Reader(
            later("convert.formats.claude_stream.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.formats.claude_stream.recognition.recognise"),
            redacts=True,
        ),
        Writer(
            later("convert.formats.claude_stream.writing.write"),
            lambda options: EVERYTHING,
            (".claude.jsonl",),
            is_headed=False,
        ),
        agent="Claude Code",
        others=("Amp", "Qwen Code"),
    ),
    Format(
        "claude-session",
        "the session files of Claude Code",
        Reader(
            later("convert.formats.claude_session.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "json": "the text, the duration, the tokens",
                "stream-json": "text and calls with output, as events of Cursor",
                "claude-stream": "prompt, text, calls with output",
            },
            recognise=later("convert.formats.claude_session.recognition.recognise"),
            has_files_beside=True,
            redacts=True,
        ),
        agent="Claude Code",
    ),
    Format(
        "codex-exec",
        "what Codex prints with exec --json",
        Reader(
            later("convert.formats.codex_exec.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "json": "the text, the state, the tokens",
                "patch": "nothing: no contents of files",
                "html": "as markdown, without times",
            },
            recognise=later("convert.formats.codex_exec.recognise"),
            redacts=True,
        ),
        agent="Codex",
    ),
    Format(
        "codex-rollout",
        "the session files of Codex",
        Reader(
            later("convert.formats.codex_rollout.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {"patch": "new files alone: hunks without numbers of lines"},
            recognise=later("convert.formats.codex_rollout.recognise"),
            redacts=True,
        ),
        agent="Codex",
    ),
    Format(
        "opencode",
        "the events of opencode, one a line",
        Reader(
            later("convert.formats.opencode.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.formats.opencode.recognise"),
            redacts=True,
        ),
        agent="opencode",
    ),
    Format(
        "atif",
        "one document a run, for trace stores and other programs",
        Reader(
            later("convert.formats.atif.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS,
            recognise=later("convert.formats.atif.recognise"),
            opening=ATIF,
            redacts=True,
        ),
        Writer(
            later("convert.formats.atif.write"),
            lambda options: replace(EVERYTHING, approved=False),
            (".atif.json",),
            is_headed=False,
        ),
    ),
    Format(
        "messages",
        "chat messages with tool calls, one run a line",
        writer=Writer(
            later("convert.formats.messages.write"),
            lambda options: EVERYTHING,
            (".messages.jsonl",),
            is_headed=False,
        ),
    ),
)
