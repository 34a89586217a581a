"""Realistic logs made by hypothesis, with the output expected for them."""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

from hypothesis import strategies as st

SESSION = "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"
REQUEST = "5d0c8f1e-2b6a-4c39-8e07-91b4d2a6f3c8"


class Call(NamedTuple):
    kind: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    line: str


class Step(NamedTuple):
    """One response of the model: thinking, text, and calls made at once."""

    thought: str
    text: str
    calls: list[Call]
    order: list[int]
    is_asked: bool


class Story(NamedTuple):
    """The events of a run, independent of how a log writes them."""

    steps: list[Step]
    answer: str

    @property
    def text(self) -> str:
        return "".join(step.text for step in self.steps) + self.answer

    @property
    def lines(self) -> list[str]:
        return [step.calls[i].line for step in self.steps for i in step.order]


class Manner(NamedTuple):
    """The way a log is written: chunks of text, order of members, spaces."""

    seed: int
    is_partial: bool = False
    is_shuffled: bool = False
    is_spaced: bool = False


_words = st.text(
    st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=12
)
# Short alphabets produce deltas that equal all the text before them.
_texts = st.one_of(st.just(""), st.text("ha", min_size=1, max_size=6), _words)
_calls = st.sampled_from(
    [
        ("readToolCall", {"path": "a.md"}, {"success": {}}, "Read file"),
        (
            "shellToolCall",
            {"command": "make"},
            {"failure": {"exitCode": 2}, "isBackground": False},
            "Ran terminal command (exit 2)",
        ),
        ("shellToolCall", {"command": "ls"}, None, "Run terminal command (unfinished)"),
        (
            "webFetchToolCall",
            {"url": "https://example.com"},
            {"rejected": {"reason": ""}},
            "Fetch web page (rejected)",
        ),
        ("mintedToolCall", {}, {"success": {}}, "Used tool minted"),
    ]
).map(lambda parts: Call(*parts))


@st.composite
def steps(draw: st.DrawFn) -> Step:
    calls = draw(st.lists(_calls, max_size=3))
    order = draw(st.permutations(range(len(calls))))
    return Step(draw(_texts), draw(_texts), calls, list(order), draw(st.booleans()))


stories = st.builds(Story, st.lists(steps(), max_size=4), _words)
manners = st.builds(
    Manner, st.integers(0, 2**32), st.booleans(), st.booleans(), st.booleans()
)


def tell(story: Story, manner: Manner, session: str = SESSION) -> list[bytes]:
    """Write a story as the lines of a log.

    Calls without a result stay open; their lines come when the run ends.
    """
    dice = random.Random(manner.seed)
    lines: list[bytes] = []
    clock = iter(range(1793180000000, 1793190000000, 7))

    def line(**event: Any) -> None:
        event["session_id"] = session
        members = list(event.items())
        if manner.is_shuffled:
            dice.shuffle(members)
        separators = (" , ", " : ") if manner.is_spaced else (",", ":")
        text = json.dumps(dict(members), separators=separators, ensure_ascii=False)
        lines.append(text.encode() + b"\n")

    def say(text: str, **flush: Any) -> None:
        def assistant(text: str, **more: Any) -> None:
            content = [{"type": "text", "text": text}]
            message = {"role": "assistant", "content": content}
            line(type="assistant", message=message, **more)

        if manner.is_partial:
            for chunk in _chunks(text, dice):
                assistant(chunk, timestamp_ms=next(clock))
        assistant(text, **flush)

    line(
        type="system",
        subtype="init",
        apiKeySource="login",
        cwd="/home/dev/shop",
        model="Auto",
        permissionMode="default",
    )
    content = [{"type": "text", "text": "Do it"}]
    line(type="user", message={"role": "user", "content": content})
    for number, step in enumerate(story.steps):
        step_id = f"{REQUEST}-{number}-k0x7"
        if step.thought or step.calls:
            stamp = next(clock)
            line(
                type="thinking", subtype="delta", text=step.thought, timestamp_ms=stamp
            )
            line(type="thinking", subtype="completed", timestamp_ms=stamp)
        ids = [f"call_{number}_{i}\nfc_{i}" for i in range(len(step.calls))]
        is_asked = step.is_asked and bool(step.calls)
        if step.text:
            stamp = next(clock)
            if is_asked:
                say(step.text, timestamp_ms=stamp)
            else:
                say(step.text, timestamp_ms=stamp, model_call_id=step_id)
        if is_asked:
            asked = {"args": {**step.calls[0].arguments, "toolCallId": ids[0]}}
            line(
                type="interaction_query",
                subtype="request",
                query_type="someQuery",
                query={"id": 0, "someQuery": asked},
                timestamp_ms=next(clock),
            )
        for call, call_id in zip(step.calls, ids, strict=True):
            body: dict[str, Any] = {call.kind: {"args": call.arguments}}
            line(
                type="tool_call",
                subtype="started",
                call_id=call_id,
                tool_call=body | {"toolCallId": call_id, "hookAdditionalContexts": []},
                model_call_id=step_id,
                timestamp_ms=next(clock),
            )
        for i in step.order:
            call = step.calls[i]
            if call.result is not None:
                line(
                    type="tool_call",
                    subtype="completed",
                    call_id=ids[i],
                    tool_call={
                        "toolCallId": ids[i],
                        call.kind: {"result": call.result},
                    },
                    model_call_id=step_id,
                    timestamp_ms=next(clock),
                )
        if not step.calls and step.text:
            # A segment needs a boundary after it.
            line(
                type="interaction_query",
                subtype="response",
                query_type="someQuery",
                response={"id": 0},
                timestamp_ms=next(clock),
            )
    say(story.answer)
    line(
        type="result",
        subtype="success",
        duration_ms=700,
        duration_api_ms=700,
        is_error=False,
        result=story.text,
        request_id=REQUEST,
        usage={"inputTokens": 22480, "outputTokens": 312},
    )
    return lines


def _chunks(text: str, dice: random.Random) -> list[str]:
    """Cut a text into deltas."""
    cuts = sorted(dice.sample(range(1, len(text)), dice.randrange(len(text))))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
