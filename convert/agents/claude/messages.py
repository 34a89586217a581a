"""The messages of Claude Code as structs, added to a run block by block."""

from __future__ import annotations

import functools
from typing import Any

from msgspec import Raw, Struct

from convert.agents.claude.results import (
    image_of,
    is_new_file,
    outcome_of_details,
    outcome_of_text,
    result_of,
    text_of_content,
    values_of,
)
from convert.agents.claude.usage import Usage
from convert.agents.run import AgentRun
from convert.agents.tool_names import NativeCall, OpenCall, call_of
from convert.errors import Warn
from convert.model.events import OK, UNFINISHED, CallDetail, Image, Needs, Outcome
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import narrow

# A value of an unexpected type: new members come every month.
Scalar = str | int | float | bool | list[Any] | None


class Block(Struct, gc=False):
    """A part of a message: a text, a thought, a call or the result of one."""

    tool_use_id: str | None = ""
    type: str | None = ""
    id: str | None = ""
    name: str | None = ""
    input: Any = None
    text: str | None = ""
    thinking: str | None = ""
    content: Any = None
    is_error: bool | int | str | None = None
    source: Any = None


class Message(Struct, gc=False):
    """A message of the user or the assistant."""

    model: str | None = ""
    id: str | None = ""
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: Usage | Scalar = None


class Delta(Struct, gc=False):
    """A piece of a text or of a thought."""

    text: str | None = ""
    thinking: str | None = ""


class Piece(Struct, gc=False):
    """An event of the model's interface."""

    type: str | None = ""
    delta: Delta | Scalar = None


class Change(Struct, gc=False, rename="camel"):
    """The object that a tool records of its result, for targets without outputs."""

    type: Any = None
    interrupted: Any = None
    exit_code: Any = None
    status: Any = None
    agent_id: Any = None
    run_id: Any = None


def message_for(needs: Needs, *, has_usage: bool = False) -> Any:
    """Return the struct of a message for some needs.

    `has_usage` asks for the tokens of its response.
    """
    has_all = needs.calls == CallDetail.EVERYTHING
    # The text of a message may be why the run ends, so that it is always read.
    unread = unneeded(
        source=needs.text or has_all,
        thinking=needs.thinking or has_all,
        content=needs.calls > CallDetail.NONE,
        is_error=needs.calls > CallDetail.NONE,
    )
    # Without outputs, the text of a result is read only if the call failed.
    types: dict[str, Any] = {} if has_all else {"content": Raw}
    if needs.calls < CallDetail.ARGUMENTS:
        # The input distinguishes calls with the same id.
        types["input"] = Raw
    block = narrow(Block, unread, types)
    content = list[block] | str | None  # type: ignore[valid-type]
    counted = set() if has_usage else {"stop_reason", "usage"}
    return narrow(Message, counted, {"content": content})


def unneeded(**members: bool) -> set[str]:
    """Return the names of the members that are not needed."""
    return {name for name, is_needed in members.items() if not is_needed}


def details_for(needs: Needs) -> Any:
    """Return the type of the object that a tool records of its result."""
    return Any if needs.calls == CallDetail.EVERYTHING else Change | Scalar


def subagent_in(details: Any) -> tuple[str, str]:
    """Return the ids of the subagent and of the workflow that a call started.

    `details` is the object that a tool records; each id is "" if it has none.
    """
    if isinstance(details, dict):
        ids = details.get("agentId"), details.get("runId")
    elif isinstance(details, Change):
        ids = details.agent_id, details.run_id
    else:
        return "", ""
    agent, workflow = (each if isinstance(each, str) else "" for each in ids)
    return agent, workflow


def as_message(message: Message | str | None) -> Message:
    """Return a message; some lines have only its text."""
    if message is None or isinstance(message, str):
        return Message(content=message)
    return message


def text_of_message(message: Message) -> str:
    """Return the texts of a message, joined."""
    if isinstance(message.content, list):
        return "".join(block.text or "" for block in message.content)
    return message.content or ""


_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULT = "tool_result"
_PICTURES = frozenset({"image", "document"})
# The most failed calls that are kept until the run ends, which lists the refused ones.
_MOST_FAILED = 1000


class ClaudeMessages:
    """Adds messages to one run; the outcomes of its last calls can be corrected."""

    def __init__(
        self, run: AgentRun, needs: Needs, unknown: UnknownTypes, warn: Warn
    ) -> None:
        self._run = run
        self._needs = needs
        self._unknown = unknown
        self._warn = warn
        # The words of the last calls that did not succeed, by their ids.
        self._failed: dict[str, Outcome] = {}
        self._has_warned = False
        self._is_refused = False
        # The id of the last message of the agent itself.
        self._message = ""

    def assistant(
        self, line: int, message: Message, parent: str, at: int | None
    ) -> None:
        """Add the texts and the calls of the assistant; `at` is a timestamp.

        A message of a subagent belongs to the call that started it, `parent`. Each
        message is a segment of its own, since a result holds the text of the last one.
        """
        if message.id and not parent and message.id != self._message:
            self._run.close_text(line)
            self._message = message.id
        match message.content:
            case str(text):
                self._say(line, text, parent, thinking=False)
            case [*blocks]:
                for block in blocks:
                    self._read(line, block, message.id or "", parent, at)

    def user(
        self,
        line: int,
        message: Message,
        details: Any,
        at: int | None,
        *,
        is_prompt: bool,
        is_refused: bool = False,
    ) -> bool:
        """Add results of calls, or a request of the user; return True for a request.

        `is_prompt` is False if the log says that the text is not the user's, and
        `is_refused` is True if it says that the calls were refused.
        """
        self._is_refused = is_refused
        match message.content:
            case str(text):
                return self.ask(line, [text], [], is_prompt)
            case [block] if block.type == _RESULT:
                # Nearly all messages of the user have this form.
                self._end(line, block, details, at)
            case [*blocks]:
                texts = [block.text or "" for block in blocks if block.type == "text"]
                pictures = [
                    image_of({"source": block.source})
                    for block in blocks
                    if block.type in _PICTURES
                ]
                is_asked = self.ask(line, texts, pictures, is_prompt)
                results = [block for block in blocks if block.type == _RESULT]
                for block in results:
                    # The object of a message is that of its only result.
                    recorded = details if len(results) == 1 else None
                    self._end(line, block, recorded, at)
                for block in blocks:
                    if block.type not in {"text", _RESULT, *_PICTURES}:
                        self._unknown.add(f"user/{block.type}")
                return is_asked
        return False

    def ask(
        self, line: int, texts: list[str], pictures: list[Image], is_prompt: bool
    ) -> bool:
        """Add a prompt, unless all its texts are the agent's; return True if added."""
        if not (texts or pictures):
            return False
        self._run.close_text(line)
        said = [text for text in texts if not is_own_text(text)]
        if not (is_prompt and (pictures or any(said))):
            return False
        self._run.prompt(line, "\n\n".join(filter(None, said)), pictures)
        return True

    def refuse(self, line: int, id: str, arguments: dict[str, Any] | None) -> None:
        """Mark a call as refused, whatever its result says."""
        outcome = self._failed.get(id, OK)
        refused = Outcome("rejected", arm=outcome.arm, message=outcome.message)
        if (call := self._run.call(id)) is not None:
            self._run.end_call(line, call, refused)
        elif outcome.status != "rejected":
            self._run.amend_call(line, id, refused, arguments)

    def _read(
        self, line: int, block: Block, response: str, parent: str, at: int | None
    ) -> None:
        kind = block.type or ""
        if kind == "text":
            self._say(line, block.text or "", parent, thinking=False)
        elif kind == "thinking":
            self._say(line, block.thinking or "", parent, thinking=True)
        elif kind in _CALLS:
            self._begin(line, block, response, parent, at)
        elif kind.endswith(_RESULT):
            self._end(line, block, None, at)
        # These are encrypted, or say only that another model answered.
        elif kind not in ("redacted_thinking", "fallback", "container_upload"):
            self._unknown.add(f"assistant/{kind}")

    def _say(self, line: int, text: str, parent: str, *, thinking: bool) -> None:
        if not parent:
            add = self._run.thinking if thinking else self._run.text
            add(line, text)
        elif self._run.call(parent) is not None:
            self._run.step(line, parent, text, thinking=thinking)
        elif not self._has_warned and text:
            self._has_warned = True
            self._warn(line, "text of a subagent whose call has ended", "skipped")

    def _begin(
        self, line: int, block: Block, response: str, parent: str, at: int | None
    ) -> None:
        id = block.id or ""
        if self._run.call(id) and self._run.remember_call(id, block.name, block.input):
            self._warn(line, "a call with the id of an open call", "skipped")
            return
        if self._run.repeats_call(id, block.name, block.input):
            # The first one counts.
            return
        if self._needs.calls < CallDetail.ARGUMENTS:
            call = _call_without_arguments(block.name or "")
        else:
            arguments = {} if block.input is None else block.input
            if not isinstance(arguments, dict):
                what = "arguments of a call that are no object"
                self._warn(line, what, "not understood")
                arguments = {"input": arguments}
            call = call_of(block.name or "", arguments)
        self._run.begin_call(
            line, id, call, started_ms=at, parent=parent, response_id=response
        )

    def _end(self, line: int, block: Block, details: Any, at: int | None) -> None:
        id = block.tool_use_id or ""
        call = self._run.call(id)
        if call is None:
            if not self._run.has_ended_call(id):
                self._warn(line, "result of a call that is not in the log", "skipped")
            return
        if block.type != _RESULT:
            self._end_on_server(line, call, block, at)
        elif self._needs.calls == CallDetail.EVERYTHING:
            is_error = bool(block.is_error)
            result = result_of(
                call.call, block.content, is_error, details, self._run.start.directory
            )
            outcome = self._with_refusal(result.outcome)
            self._remember_failure(id, outcome)
            self._run.end_call(
                line,
                call,
                outcome,
                result.output,
                arm=result.arm,
                ended_ms=at,
                duration_ms=result.duration_ms,
                is_new_file=result.is_new_file,
            )
        else:
            self._end_briefly(line, call, block, details)

    def _end_briefly(
        self, line: int, call: OpenCall, block: Block, details: Any
    ) -> None:
        """End a call when only its outcome is needed."""
        outcome, is_new = OK, False
        kind = call.call.kind
        if self._needs.calls and (block.is_error or kind == "edit"):
            text = text_of_content(values_of(block.content))
            outcome = self._with_refusal(
                outcome_of_text(kind, text, bool(block.is_error))
            )
            change = details.type if isinstance(details, Change) else None
            is_new = is_new_file(kind, text, change, bool(block.is_error))
            self._remember_failure(call.id, outcome)
        if outcome == OK and isinstance(details, Change):
            outcome = outcome_of_details(
                kind, details.interrupted, details.exit_code, details.status
            )
        self._run.end_call(line, call, outcome, is_new_file=is_new)

    def _end_on_server(
        self, line: int, call: OpenCall, block: Block, at: int | None
    ) -> None:
        """End a call that the model's own server ran, such as a search."""
        outcome = OK
        output: dict[str, Any] | None = None
        match values_of(block.content):
            case {"error_code": str(code)}:
                outcome = Outcome("error", message=code)
            case [*pages] if call.call.kind == "webSearch":
                output = {
                    "references": [page for page in pages if isinstance(page, dict)]
                }
            case other:
                output = {"content": text_of_content(other)}
        self._run.end_call(line, call, outcome, output, ended_ms=at)

    def _with_refusal(self, outcome: Outcome) -> Outcome:
        """Return an outcome, or a refusal if the line of the result says so."""
        if self._is_refused and outcome.status == "error":
            return Outcome("rejected", message=outcome.message)
        return outcome

    def _remember_failure(self, id: str, outcome: Outcome) -> None:
        if outcome.status == "ok" or outcome == UNFINISHED:
            return
        self._failed[id] = outcome
        if len(self._failed) > _MOST_FAILED:
            del self._failed[next(iter(self._failed))]


class OpenRun:
    """A run that has not ended, with the pieces after its last whole message.

    Each whole message follows its pieces. If the log breaks off, or the user stops the
    agent, they are the only trace of its last words.
    """

    def __init__(self, run: AgentRun, messages: ClaudeMessages, session: str) -> None:
        self.run = run
        self.messages = messages
        self.session = session
        # The assistant has said or done something.
        self.is_under_way = False
        # The text of a message that is an error, and its name; nothing follows it.
        self.error: tuple[str, str] | None = None
        self.clear_pieces()

    def clear_pieces(self, *, is_other_message: bool = False) -> None:
        """Forget the pieces: the whole message is there, or another one begins."""
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._is_other_message = is_other_message

    def add_piece(self, piece: Piece) -> None:
        """Add a piece."""
        if piece.type == "message_start":
            # A message that is begun anew after an error replaces the one before.
            self.clear_pieces(is_other_message=True)
        delta = piece.delta
        if isinstance(delta, Delta):
            if delta.text:
                self._texts.append(delta.text)
                self.is_under_way = True
            if delta.thinking:
                self._thoughts.append(delta.thinking)
                self.is_under_way = True

    def release_pieces(self, line: int) -> None:
        """Add the pieces to the run, which ends."""
        if self._is_other_message and self._texts:
            self.run.close_text(line)
        if self._thoughts:
            self.run.thinking(line, "".join(self._thoughts))
        if self._texts:
            self.run.text(line, "".join(self._texts))
        self.clear_pieces()


@functools.lru_cache(maxsize=1000)
def _call_without_arguments(name: str) -> NativeCall:
    """Return the call of a tool; a run has thousands of calls of a few tools."""
    return call_of(name)


# The beginnings of texts that Claude Code writes as if the user had said them.
_NO_PROMPTS = (
    *("<command-name>", "<command-message>", "<command-args>"),
    *("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>"),
    *("<system-reminder>", "<task-notification>", "<bash-input>", "<bash-stdout>"),
    *("[Request interrupted", "Caveat: The messages below were generated"),
)


def is_own_text(text: str) -> bool:
    """Return True for a text that Claude Code writes as if the user had said it."""
    return text.lstrip().startswith(_NO_PROMPTS)
