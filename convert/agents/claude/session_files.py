"""The files of a session of Claude Code: lines as structs, and subagents' files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from convert.agents.claude.messages import (
    Message,
    Scalar,
    details_for,
    message_for,
    subagent_in,
    unneeded,
)
from convert.errors import InputError, Warn
from convert.model.events import CallDetail, Needs
from convert.source.lines import REFUSED, File
from convert.source.ndjson import Decoding, EventBlock, narrow
from convert.source.places import Walk
from convert.wording.paths import base_name, joined, stem_of

# Lines that say nothing about the agent's work: its titles, its modes, files that it
# keeps to undo edits, and additions for the model.
KNOWN = frozenset(
    {
        *("file-history-snapshot", "file-history-delta", "queue-operation"),
        *("last-prompt", "summary", "mode", "permission-mode"),
        *("ai-title", "custom-title", "tag", "agent-name", "agent-color"),
        *("agent-setting", "pr-link", "frame-link", "progress", "relocated"),
        *("worktree-state", "bridge-session", "atis-latch"),
        # Steps of a workflow.
        *("started", "result"),
    }
)
ATTACHMENT = "attachment"
KNOWN_SYSTEM = frozenset(
    {
        *("session_start", "stop_hook_summary", "turn_duration", "local_command"),
        *("compact_boundary", "microcompact_boundary", "informational"),
        *("api_refusal", "model_refusal_fallback", "away_summary", "memory_saved"),
        *("bridge_status", "scheduled_task_fire", "permission_retry"),
    }
)


class Attachment(msgspec.Struct, gc=False):
    """An addition for the model, such as a prompt while the agent was at work."""

    type: str | None = ""
    prompt: Any = None
    commandMode: str | None = ""


class Line(msgspec.Struct, gc=False):
    """One line, with every member that some target reads."""

    type: str
    subtype: str | None = ""
    parentUuid: str | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    cwd: str | None = ""
    sessionId: str | None = ""
    version: str | None = ""
    message: Message | str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    isApiErrorMessage: bool | None = None
    toolUseResult: Any = None
    toolDenialKind: str | None = None
    permissionMode: str | None = ""
    attachment: Attachment | Scalar = None
    uuid: str | None = ""
    timestamp: str | int | float | None = None
    error: Any = None
    retryAttempt: Any = None
    maxRetries: Any = None
    retryInMs: Any = None


@functools.cache
def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for the needs of a target."""
    has_all = needs.calls == CallDetail.EVERYTHING
    unread = unneeded(
        timestamp=needs.text or needs.figures or has_all,
        toolUseResult=needs.text or needs.calls > CallDetail.NONE,
    )
    # The text of a prompt shows that a session was rewound.
    message = message_for(
        msgspec.structs.replace(needs, text=True), has_usage=needs.figures
    )
    types = {"message": message | str | None, "toolUseResult": details_for(needs)}
    line = narrow(Line, unread, types)
    return Decoding(
        line,
        msgspec.json.Decoder(line),
        _significant,
        own_member="sessionId",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def _significant(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type not in KNOWN
        and (line.type != ATTACHMENT or queued_prompt(line) is not None)
    ]


def queued_prompt(line: Line) -> Any:
    """Return a prompt that came while the agent was at work; None if it is none."""
    match line.attachment:
        case Attachment("queued_command", prompt, "prompt"):
            return prompt
    return None


# SESSION.jsonl
#     SESSION/subagents/agent-a91f3c.jsonl
#     SESSION/subagents/agent-a91f3c.meta.json        the call, in newer builds
#     SESSION/subagents/workflows/wf_7c1e/agent-….jsonl
#     SESSION/subagents/workflows/wf_7c1e/journal.jsonl
#
# The result of a call names the subagent that it started, or the workflow. The journal
# of a workflow has the order of its subagents, and the result of each of them.
_META = ".meta.json"


class SubagentFiles:
    """The files of the subagents of one session; they are listed when one is needed.

    `open_` returns the lines of a file.
    """

    def __init__(
        self,
        log: str,
        open_: Callable[[File, Warn], Iterable[EventBlock[Line]]],
        warn: Warn,
    ) -> None:
        name = base_name(log)
        self._folder = joined(log[: -len(name)] or ".", stem_of(name), "subagents")
        self._open = open_
        self._warn = warn
        self._has_listed = False
        self._paths: dict[str, str] = {}
        self._by_call: dict[str, str] = {}
        self._by_workflow: dict[str, list[str]] = {}
        self._taken: set[str] = set()

    def started_by(self, call: str, details: Any) -> list[str]:
        """Return the subagents that a call started, by its id and its result."""
        if not self._has_listed:
            self._list()
        agent, workflow = subagent_in(details)
        of_workflow = self._by_workflow.get(workflow, ())
        found = [agent, self._by_call.get(call, ""), *of_workflow]
        return [each for each in dict.fromkeys(found) if each in self._paths]

    def lines_of(self, agent: str) -> Iterator[Line]:
        """Yield the lines of a subagent, which are read once."""
        if agent in self._taken:
            return
        self._taken.add(agent)
        path = self._paths[agent]
        name = f"{stem_of(base_name(path))}.jsonl"

        def warn(line: int | None, what: str, done: str = "") -> None:
            self._warn(None, f"{name}:{line}: {what}" if line else what, done)

        try:
            for block in self._open(File(path, lambda _: "", name), warn):
                yield from block.events
        except InputError as error:
            self._warn(None, f"{name}: {error.message}", "the rest is skipped")

    def unread(self) -> list[str]:
        """Return the subagents that no call has started."""
        if not self._has_listed:
            self._list()
        return [agent for agent in self._paths if agent not in self._taken]

    def _list(self) -> None:
        self._has_listed = True
        for parts in sorted(Walk().every_file(self._folder)):
            path = joined(self._folder, *parts)
            name = parts[-1]
            if not name.startswith("agent-"):
                continue
            if name.endswith(_META):
                agent = name.removeprefix("agent-").removesuffix(_META)
                if call := _call_in(path):
                    self._by_call[call] = agent
                continue
            agent = stem_of(name).removeprefix("agent-")
            self._paths[agent] = path
            if len(parts) > 1:
                self._by_workflow.setdefault(parts[-2], []).append(agent)
        for workflow, agents in self._by_workflow.items():
            order = _order_in(
                joined(self._folder, "workflows", workflow, "journal.jsonl")
            )
            agents.sort(key=lambda agent: order.get(agent, len(order)))


class _Ids(msgspec.Struct, rename="camel"):
    """The ids in a line of a journal, or in the file of newer builds on a subagent."""

    agent_id: str = ""
    tool_use_id: str = ""


def _call_in(path: str) -> str:
    """Return the id of the call that started a subagent; "" if it is not recorded."""
    try:
        return msgspec.json.decode(_content(path), type=_Ids).tool_use_id
    except (InputError, *REFUSED):
        return ""


def _order_in(path: str) -> dict[str, int]:
    """Return the places of the subagents of a workflow, by its journal."""
    order: dict[str, int] = {}
    try:
        for line in _content(path).splitlines():
            started = msgspec.json.decode(line, type=_Ids)
            order.setdefault(started.agent_id, len(order))
    except (InputError, *REFUSED):
        # Without a journal they have the order of their names.
        pass
    return order


def _content(path: str) -> bytes:
    return b"".join(File(path, lambda _: ""))
