"""The outputs of calls, kept as bytes and compared on demand."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from convert.diff.noise import Normaliser, keeping, written_alike
from convert.model.events import Event, Segment, Thinking, ToolCall
from convert.tools.table import NOISE, tool_of
from convert.wording.digests import blake2b


def without(value: Any, path: tuple[str, ...]) -> Any:
    """Return a value without the members that a path leads to.

    `*` in the path matches any member of an object and any place in a list.
    """
    match value:
        case dict():
            return dict(_others(value.items(), path))
        case list():
            return [item for _, item in _others(enumerate(value), path)]
    return value


def _others(
    members: Iterable[tuple[Any, Any]], path: tuple[str, ...]
) -> Iterator[tuple[Any, Any]]:
    name, *rest = path
    for member, value in members:
        if name not in ("*", str(member)):
            yield member, value
        elif rest:
            yield member, without(value, tuple(rest))


_NOISE = frozenset(NOISE.outputs)
# A string of more characters is kept as digests and this much of either end.
_LONGEST = 64_000
# Nested deeper than this, a value is compared as it is recorded: each level takes some
# frames, and a caller may leave few.
MOST_NESTED_VALUES = 16


class ComparedOutput(NamedTuple):
    """The output of a call, ready to be compared."""

    kept: bytes
    """The marshalled output."""

    normaliser: Normaliser
    """The rules for the strings of the call's run."""

    @property
    def value(self) -> Any:
        """The output, with a tuple of digests in place of each long string."""
        return marshal.loads(self.kept)

    def normalised(self) -> Any:
        """Return the output after all rules, to be shown."""
        return _normalised(self.value, self.normaliser)


def kept_output(call: ToolCall, normaliser: Normaliser) -> bytes | None:
    """Return the output of a call as bytes; None if none is recorded."""
    value = call.output
    for path in tool_of(call.kind).noise.outputs:
        value = without(value, tuple(path.split(".")))
    if call.steps is not None:
        # The calls of a subagent are compared as calls.
        texts = [_said(step) for step in call.steps if not isinstance(step, ToolCall)]
        value = {"output": value, "steps": texts}
    if value is None:
        return None
    try:
        kept = marshal.dumps(value, 2)
    except ValueError:
        # Nested deeper than marshal goes, which no Python before 3.12 decodes.
        value = _shallow(value)
        kept = marshal.dumps(value, 2)
    if len(kept) > _LONGEST:
        kept = marshal.dumps(_digested(value, normaliser, 0), 2)
    return kept


def comparable_output(output: ComparedOutput, kind: str) -> ComparedOutput | None:
    """Return the text in an output, without the members that agents have of their own.

    None for a kind whose outputs have no text in common.
    """
    value = output.value
    if kind == "shell":
        text = printed_in(value)
    elif kind == "read" and isinstance(value, dict):
        text = end_of(value.get("content"))
    else:
        return None
    return output._replace(kept=marshal.dumps({"text": text.strip("\n")}, 2))


def same_output(one: ComparedOutput, other: ComparedOutput) -> bool:
    """Return True if two outputs are equal after the rules.

    The hits of the normalisers show which rules changed something.
    """
    one.normaliser.begin()
    other.normaliser.begin()
    return one.kept == other.kept or _same(
        one.value, other.value, one.normaliser, other.normaliser, 0
    )


def strings_in(kept: bytes) -> Iterator[tuple[str, str]]:
    """Yield each string of a marshalled value after the name of its member.

    Only the ends of a long string in an output are known.
    """
    waiting = [("", marshal.loads(kept))] if kept else []
    while waiting:
        name, value = waiting.pop()
        match value:
            case str():
                yield name, value
            case (bytes(), bytes(), int(), str(ends)):
                yield name, ends
            case dict():
                waiting += [(inner, value[inner]) for inner in reversed(value)]
                waiting += [(name, inner) for inner in reversed(value)]
            case list():
                waiting += [
                    (name, inner)
                    for inner in reversed(value)
                    if not isinstance(inner, int | float)
                ]


def processes_in(output: Any) -> Iterator[str]:
    """Yield the numbers of the processes that a call started."""
    for name in ("pid", "shellId") if isinstance(output, dict) else ():
        if isinstance(output.get(name), int) and output[name]:
            yield str(output[name])


def printed_in(output: Any) -> str:
    """Return the text that a command printed; of a long one, its end."""
    if not isinstance(output, dict):
        return ""
    both = end_of(output.get("interleavedOutput"))
    streams = (end_of(output.get(name)) for name in ("stdout", "stderr"))
    return both or "\n".join(streams)


def end_of(text: Any) -> str:
    """Return a text of a kept output; of a long one, its end."""
    match text:
        case str():
            return text
        case (bytes(), bytes(), int(), str(ends)):
            return ends[-_LONGEST:]
    return ""


def digest(value: Any) -> bytes:
    """Return a digest of a value; the order of its members counts."""
    try:
        kept = marshal.dumps(value, 2)
    except ValueError:
        kept = marshal.dumps(_unnested(value), 2)
    return blake2b(kept, digest_size=16).digest()


def _unnested(value: Any) -> list[Any]:
    """Return the parts of a value one after the other, each collection by its size."""
    parts: list[Any] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case dict() as members:
                parts.append(("dict", [*members]))
                waiting += reversed(members.values())
            case list() as items:
                parts.append(("list", len(items)))
                waiting += reversed(items)
            case part:
                parts.append(part)
    return parts


def deep_digest(value: Any) -> bytes:
    """Return a digest of a value of any depth; the order of members does not count."""
    holder = [value]
    waiting: list[tuple[Any, Any]] = [(holder, 0)]
    while waiting:
        outer, name = waiting.pop()
        match outer[name]:
            case dict() as members:
                outer[name] = dict(sorted(members.items()))
                waiting += [(outer[name], inner) for inner in members]
            case list() as items:
                outer[name] = items.copy()
                waiting += [(outer[name], place) for place in range(len(items))]
    return digest(holder[0])


def _said(event: Event) -> dict[str, Any]:
    """Return a text or thought of a subagent without its place in the log."""
    match event:
        case Segment(text=text):
            return {"text": text}
        case Thinking(text=text):
            return {"thinking": text}
    return {}


def _digested(value: Any, normaliser: Normaliser, depth: int) -> Any:
    """Return a value with two digests in place of each long string, and its ends.

    The first is of the string as recorded, the second is without the directory of its
    run.
    """
    match value:
        case str() if len(value) > _LONGEST:
            content = digest(normaliser.content(value))
            ends = f"{value[:_LONGEST]}\n{value[-_LONGEST:]}"
            return (digest(value), content, len(value), ends)
        case dict() if depth < MOST_NESTED_VALUES:
            return {
                name: _digested(inner, normaliser, depth + 1)
                for name, inner in value.items()
            }
        case list() if depth < MOST_NESTED_VALUES:
            return [_digested(inner, normaliser, depth + 1) for inner in value]
    return value


def _shallow(value: Any, depth: int = 0) -> Any:
    """Return a value with the digests of the values that are nested too deeply."""
    match value:
        case dict() | list() if depth == MOST_NESTED_VALUES:
            return _nested(value)
        case dict():
            return {name: _shallow(inner, depth + 1) for name, inner in value.items()}
        case list():
            return [_shallow(inner, depth + 1) for inner in value]
    return value


def _nested(value: Any) -> str:
    return f"<nested: {deep_digest(value).hex()}>"


def _normalised(value: Any, normaliser: Normaliser, depth: int = 0) -> Any:
    match value:
        case str():
            return normaliser.printed(value)
        case float() if value.is_integer():
            return int(value)
        case (bytes(), bytes(), int(length), str()):
            return f"({length:,} characters)"
        case dict() | list() if depth == MOST_NESTED_VALUES:
            return _nested(value)
        case dict():
            members = _by_name(value, normaliser)
            return {
                name: _normalised(members[name], normaliser, depth + 1)
                for name in sorted(members)
            }
        case list():
            return [_normalised(inner, normaliser, depth + 1) for inner in value]
    return value


def _same(a: Any, b: Any, one: Normaliser, other: Normaliser, depth: int) -> bool:
    match a, b:
        case str(), str():
            return a == b or _same_text(a, b, one, other)
        case (tuple(), tuple()):
            return bool(a[0] == b[0] or a[1] == b[1])
        case str(), tuple():
            return bool(digest(one.content(a)) == b[1])
        case tuple(), str():
            return bool(a[1] == digest(other.content(b)))
        case dict(), dict() if depth < MOST_NESTED_VALUES:
            ones, others = _counted(a), _counted(b)
            if ones.keys() != others.keys():
                ones, others = one.members(ones), other.members(others)
            return ones.keys() == others.keys() and all(
                _same(ones[name], others[name], one, other, depth + 1)
                for name in sorted(ones)
            )
        case list(), list() if depth < MOST_NESTED_VALUES:
            return len(a) == len(b) and all(
                _same(x, y, one, other, depth + 1) for x, y in zip(a, b, strict=True)
            )
        case (bool(), _) | (_, bool()):
            return a is b
        case int() | float(), int() | float():
            return bool(a == b)
    return type(a) is type(b) and deep_digest(a) == deep_digest(b)


def _by_name(members: dict[str, Any], normaliser: Normaliser) -> dict[str, Any]:
    """Return the members of an output that count, by names without directories."""
    return normaliser.members(_counted(members))


def _counted(members: dict[str, Any]) -> dict[str, Any]:
    return {name: inner for name, inner in members.items() if name not in _NOISE}


def _same_text(a: str, b: str, one: Normaliser, other: Normaliser) -> bool:
    """Return True if two strings that differ are equal after the rules."""
    if _same_after_rules(a, b, one, other):
        return True
    paths = written_alike(one, a, other, b)
    if not paths:
        return False
    with keeping(paths, one, other):
        return _same_after_rules(a, b, one, other)


def _same_after_rules(a: str, b: str, one: Normaliser, other: Normaliser) -> bool:
    """Return True if two strings are equal after the rules.

    Applies the rules only to lines that differ, since most are equal. That needs rules
    that remove no line feed; only the rule for terminal sequences may.
    """
    a, b = one.content(a), other.content(b)
    if a == b:
        return True
    if one.works_on_lines and "\x1b" not in a and "\x1b" not in b:
        lines, others = a.split("\n"), b.split("\n")
        return len(lines) == len(others) and all(
            line == with_it or one.printed(line) == other.printed(with_it)
            for line, with_it in zip(lines, others, strict=True)
        )
    return one.printed(a) == other.printed(b)
