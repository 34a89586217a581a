"""Runs that consist of calls, made by hypothesis, and the logs that record them."""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Made(NamedTuple):
    """One call: its tool, its subject, and its outcome."""

    tool: str
    about: str
    ending: str = "ok"
    success: Any = None
    """The object that a call which ends well returns, where it matters."""


class Batch(NamedTuple):
    """Calls made at once, and the order in which they complete."""

    calls: tuple[Made, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, *calls: Made) -> Batch:
        return cls(calls, tuple(range(len(calls))))


class Noise(NamedTuple):
    """Properties of a log that must make no difference."""

    seed: int = 0
    directory: str = "/home/dev/shop"
    is_shuffled: bool = False
    has_steps: bool = True


_QUIET = Noise()
_ARGUMENTS = {"read": "path", "edit": "path", "shell": "command", "mint": "what"}
_RESULTS: dict[str, Any] = {
    "ok": {"success": {}},
    "error": {"error": {"error": "no"}},
    "exit 1": {"failure": {"exitCode": 1}},
    "rejected": {"rejected": {"reason": "no"}},
}
made = st.builds(
    Made,
    st.sampled_from(sorted(_ARGUMENTS)),
    st.sampled_from(["a.py", "b.py", "c.py"]),
    st.sampled_from(["ok", "ok", "ok", *_RESULTS]),
    st.none(),
)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    calls = draw(st.lists(made, min_size=1, max_size=3))
    return Batch(tuple(calls), tuple(draw(st.permutations(range(len(calls))))))


trajectories = st.lists(batches(), max_size=6)
sequences = st.lists(made, max_size=9)
noises = st.builds(
    Noise,
    st.integers(0, 2**32),
    st.sampled_from(["/home/dev/shop", "/srv/job-7/shop", "/w"]),
    st.booleans(),
)


def one_by_one(calls: list[Made]) -> list[Batch]:
    """Make each call start after the previous one has ended."""
    return [Batch.of(call) for call in calls]


def tell(run: list[Batch], noise: Noise = _QUIET, text: str = "Done.") -> bytes:
    """Write a run as a log; ids, clocks and order of members come from the noise."""
    dice = random.Random(noise.seed)
    lines: list[str] = []
    session = f"{dice.getrandbits(128):032x}"

    def line(**members: Any) -> None:
        listed = list({**members, "session_id": session}.items())
        if noise.is_shuffled:
            dice.shuffle(listed)
        lines.append(json.dumps(dict(listed)))

    line(type="system", subtype="init", cwd=noise.directory, model="Auto")
    line(type="user", message={"content": [{"type": "text", "text": "Do it"}]})
    for batch in run:
        step = f"{dice.getrandbits(64):x}-0-k0x7"
        ids = [f"call_{dice.getrandbits(64):x}\nfc" for _ in batch.calls]
        stamp = {"model_call_id": step} if noise.has_steps else {}
        stamp_ms = dice.randrange(10**12)
        for call, call_id in zip(batch.calls, ids, strict=True):
            line(
                type="tool_call",
                subtype="started",
                call_id=call_id,
                tool_call=_body(call, call_id, noise, None),
                timestamp_ms=stamp_ms,
                **stamp,
            )
        for place in batch.order:
            line(
                type="tool_call",
                subtype="completed",
                call_id=ids[place],
                tool_call=_body(
                    batch.calls[place], ids[place], noise, _result(batch.calls[place])
                ),
                **stamp,
            )
    line(type="assistant", message={"content": [{"type": "text", "text": text}]})
    line(
        type="result",
        subtype="success",
        is_error=False,
        result=text,
        duration_ms=dice.randrange(10**6),
        request_id=f"{dice.getrandbits(64):x}",
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _result(call: Made) -> Any:
    return {"success": call.success} if call.success else _RESULTS[call.ending]


def _body(call: Made, call_id: str, noise: Noise, result: Any) -> dict[str, Any]:
    name = _ARGUMENTS[call.tool]
    before = {"path": f"{noise.directory}/", "command": "pytest "}.get(name, "")
    about = before + call.about
    body: dict[str, Any] = {"args": {name: about, "toolCallId": call_id}}
    if result is not None:
        body["result"] = result
    return {"toolCallId": call_id, f"{call.tool}ToolCall": body}
