"""messages: a run as the messages of a chat, for training and evaluation.

{"messages":[{"role":"user","content":"Fix it."},{"role":"assistant","content":null,
"tool_calls":[…]},{"role":"tool","tool_call_id":"call-1","content":"3 passed"}],
"tools":[{"type":"function","function":{"name":"shell","parameters":{…}}}]}

A line holds a run and is written when the run ends. `messages.schema.json` describes
it. The results of the calls of a message follow it directly, in the order of the calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from convert.agents.writing import CallIds, Turns, passed_arguments, text_of_result
from convert.errors import Notice, Warn
from convert.model.events import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Incident,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.model.json_lines import Losses, json_line, json_text, starts_first
from convert.model.run import restore_halved
from convert.options.conversion import Options
from convert.wording.numbers import count, in_words

# The messages that trainers ask for, by their roles.
_MESSAGES = {"user": "a user message", "assistant": "an assistant message"}


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the conversation of each run when it ends."""
    losses = Losses("messages", warn)
    runs: dict[int, Conversation] = {}
    lacking: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for event in starts_first(events):
        match event:
            case EndOfLog():
                losses.warn_of_all()
            case Start():
                runs[event.run] = Conversation(event, losses, options)
            case End():
                written = runs.pop(event.run).end(event, warn)
                messages = written["messages"]
                is_whole = options.only == "complete"
                if not messages:
                    what = "the run that ends here has no message"
                    warn(event.line, what, "skipped")
                elif is_whole and (lack := _missing_part(messages)):
                    skipped[lack] += 1
                else:
                    roles = {message["role"] for message in messages}
                    lacking.update(_MESSAGES.keys() - roles)
                    yield json_line(written)
            case _:
                runs[event.run].read(event)
    for role, message in _MESSAGES.items():
        if number := lacking[role]:
            what = f"{count(number, 'conversation')} without {message}"
            warn(None, what, "trainers may refuse that")
    if skipped:
        total = count(skipped.total(), "conversation")
        lacks = [
            f"{number:,} without {lack}" for lack, number in sorted(skipped.items())
        ]
        warn(None, Notice(f"{total} skipped: {in_words(lacks)}"), "")


def _missing_part(messages: list[Members]) -> str:
    """Return which part a conversation lacks that trainers ask for; "" for none."""
    if not any(each["role"] == "user" and each["content"].strip() for each in messages):
        return "a request"
    last = messages[-1]
    has_answer = last["role"] == "assistant" and (last["content"] or "").strip()
    return "" if has_answer else "a final answer"


# Tools are named for their kinds, so that the logs of all agents make one data set.
#
# A log shows the arguments of calls and not the parameters of tools. The schema of a
# tool requires the members that all calls have, and allows the types that occur.
Members = dict[str, Any]

# Deeper values may have any form.
_DEEPEST = 20
_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
# Interfaces of models accept no longer ids.
_LONGEST_ID = 40
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


class _Call(Struct):
    """A call and its result, which is None until it has ended."""

    id: str
    name: str
    arguments: Members
    result: str | None = None


class _Message(Struct):
    """A message of the user or the assistant."""

    role: str
    texts: list[Prompt | Segment] = []
    thoughts: list[str] = []
    calls: list[_Call] = []


class Conversation:
    """The messages of a run: events go in, messages come out when it ends."""

    def __init__(self, start: Start, losses: Losses, options: Options) -> None:
        self._losses = losses
        self._options = options
        self._messages: list[_Message] = []
        self._turns = Turns()
        # The messages of the assistant, by the numbers of their turns.
        self._by_turn: dict[int, _Message] = {}
        self._ids = CallIds(_LONGEST_ID)
        self._open: dict[int, _Call] = {}
        self._result: Result | None = None
        for what in ("session", "directory", "model"):
            if getattr(start, what):
                losses.add(f"the {what}")

    def read(self, event: Event) -> None:
        """Add an event of the run."""
        match event:
            case Prompt():
                self._turns.close()
                self._messages.append(_Message("user", [event]))
                if event.images:
                    self._losses.add("pictures")
            case Thinking() if event.text:
                if self._options.thinking:
                    self._message(self._turns.say()).thoughts.append(event.text)
                else:
                    self._losses.add("reasoning without --thinking")
            case Segment() if event.text:
                self._message(self._turns.say()).texts.append(event)
            case ToolCall():
                self._call(event)
            case Result():
                self._result = event
            case Incident():
                self._losses.add("lost connections and other incidents")

    def end(self, end: End, warn: Warn) -> Members:
        """Return the messages and the tools; calls that never ended are skipped."""
        if result := self._result:
            if result.text and not self._by_turn:
                whole = Segment(run=result.run, line=result.line, text=result.text)
                self._message(self._turns.say()).texts.append(whole)
            if result.tokens is not None:
                self._losses.add("tokens")
            if result.cost_usd is not None:
                self._losses.add("the cost")
            self._restore(result.text)
        if end.state is not None:
            self._losses.add("how runs ended")
        if unfinished := len(self._open):
            what = f"{count(unfinished, 'call')} without a result"
            warn(end.line, what, "skipped")
        written = [made for each in self._messages for made in self._written(each)]
        members: Members = {"messages": written}
        calls = [call for each in self._messages for call in each.calls]
        ended = ((c.name, c.arguments) for c in calls if c.result is not None)
        if tools := _tools(ended):
            members["tools"] = tools
        return members

    def _restore(self, recorded: str | None) -> None:
        """Restore texts that the agent wrote twice, if the result has both."""
        texts = (text for each in self._by_turn.values() for text in each.texts)
        segments = [each for each in texts if type(each) is Segment]
        if recorded is not None and any(segment.is_halved for segment in segments):
            restored = restore_halved(segments, recorded) or ()
            for segment, text in zip(segments, restored, strict=False):
                segment.text = text

    def _message(self, turn: int) -> _Message:
        """Return a message of the assistant, which may begin."""
        message = self._by_turn.get(turn)
        if message is None:
            message = self._by_turn[turn] = _Message("assistant")
            self._messages.append(message)
        return message

    def _call(self, call: ToolCall) -> None:
        """Add a call that begins or ends."""
        if call.parent or call.steps:
            self._losses.add("the work of subagents")
        if call.parent or call.is_repeated:
            return
        if not self._ids.has(call):
            made = _Call(
                self._ids.begin(call), _name_of_tool(call), passed_arguments(call)
            )
            self._open[call.number] = made
            self._message(self._turns.call(call.response_id)).calls.append(made)
            if call.started_ms is not None:
                self._losses.add("times")
        if call.outcome is None or call.outcome == UNFINISHED:
            return
        made = self._open.pop(call.number)
        # A later line may say more of the arguments.
        made.arguments = passed_arguments(call)
        made.result = text_of_result(call)
        self._ids.end(call)
        self._turns.close()

    def _written(self, message: _Message) -> list[Members]:
        """Return a message and the results of its calls; nothing if it is empty."""
        text = _joined([each.text for each in message.texts])
        members: Members = {"role": message.role, "content": text}
        if message.thoughts:
            members["reasoning_content"] = "\n\n".join(message.thoughts)
        calls = [call for call in message.calls if call.result is not None]
        if calls:
            members["content"] = text or None
            members["tool_calls"] = [self._tool_call(call) for call in calls]
        elif message.role == "assistant" and not (text or message.thoughts):
            return []
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": call.result}
            for call in calls
        ]
        return [members, *results]

    def _tool_call(self, call: _Call) -> Members:
        is_text = self._options.arguments_as == "string"
        arguments = json_text(call.arguments) if is_text else call.arguments
        function = {"name": call.name, "arguments": arguments}
        return {"id": call.id, "type": "function", "function": function}


def _joined(texts: list[str]) -> str:
    """Return texts with a blank line between each two.

    They are one message: templates of models refuse two of the assistant in a row.
    """
    joined = ""
    for text in texts:
        feeds = joined[-2:].count("\n") + text[:2].count("\n") if joined else 2
        joined += "\n" * (2 - feeds) + text
    return joined


def _name_of_tool(call: ToolCall) -> str:
    """Return the name of a tool, as the interface of a model takes it."""
    name = call.kind
    if call.kind == "function":
        name = call.name
    elif call.kind == "mcp":
        name = f"mcp__{call.name.replace('/', '__', 1)}"
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def _tools(calls: Iterable[tuple[str, Members]]) -> list[Members]:
    """Return the tools of calls, each a name and its arguments, by their names."""
    seen: dict[str, list[Members]] = {}
    for name, arguments in calls:
        seen.setdefault(name, []).append(arguments)
    return [
        {
            "type": "function",
            "function": {"name": name, "parameters": _typed("object", values, 0)},
        }
        for name, values in sorted(seen.items())
    ]


def _schema(values: list[Any], depth: int) -> Members:
    """Return the schema of some values: that of each type, if they are of several."""
    by_type: dict[str, list[Any]] = {}
    for value in values:
        by_type.setdefault(_NAMES.get(type(value), "string"), []).append(value)
    if "number" in by_type:
        by_type.pop("integer", None)
    schemas = [
        _typed(name, of_type, depth) for name, of_type in sorted(by_type.items())
    ]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _typed(name: str, values: list[Any], depth: int) -> Members:
    """Return the schema of values of one type."""
    made: Members = {"type": name}
    if depth < _DEEPEST and name == "array":
        if items := [item for value in values for item in value]:
            made["items"] = _schema(items, depth + 1)
    elif depth < _DEEPEST and name == "object":
        members: dict[str, list[Any]] = {}
        for member, item in (pair for value in values for pair in value.items()):
            members.setdefault(member, []).append(item)
        made["properties"] = {
            member: _schema(items, depth + 1)
            for member, items in sorted(members.items())
        }
        always = [each for each in sorted(members) if len(members[each]) == len(values)]
        if always:
            made["required"] = always
    return made
