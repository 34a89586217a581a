"""Several calls as one line: `12 calls: 7 reads, 5 searches`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from convert.transcript.pieces import CallSection, FoldedCalls
from convert.wording.numbers import count

# The noun for a call of a kind, and for several of them.
_NOUNS = {
    **dict.fromkeys(["read", "readMcpResource"], ("read", "reads")),
    **dict.fromkeys(["ls", "listMcpResources", "getMcpTools"], ("listing", "listings")),
    **dict.fromkeys(["grep", "glob", "semSearch", "webSearch"], ("search", "searches")),
    **dict.fromkeys(["webFetch", "fetch"], ("fetch", "fetches")),
    **dict.fromkeys(["edit", "write", "delete"], ("edit", "edits")),
    "shell": ("command", "commands"),
    "task": ("subagent", "subagents"),
    "mcp": ("MCP call", "MCP calls"),
    **dict.fromkeys(
        ["updateTodos", "readTodos"], ("to-do list update", "to-do list updates")
    ),
}
_OTHER = ("other call", "other calls")


def can_be_folded(piece: object) -> bool:
    """Return True for a call without parts that succeeded and changed no file."""
    match piece:
        case FoldedCalls():
            return True
        case CallSection(parts=[], has_changed_files=False, prefix=""):
            return piece.is_ok
    return False


def fold(pieces: Iterable[CallSection | FoldedCalls]) -> FoldedCalls:
    """Fold calls that follow one another into one."""
    kinds: Counter[str] = Counter()
    numbers: list[int] = []
    bare = 0
    contents: frozenset[str] = frozenset()
    for piece in pieces:
        if isinstance(piece, FoldedCalls):
            kinds.update(piece.kinds)
            numbers += [piece.first, piece.last]
            bare += piece.bare
            contents |= piece.contents
        else:
            kinds[piece.kind] += 1
            numbers.append(piece.number)
            if piece.left_out is not None:
                bare += 1
                contents |= piece.left_out.contents
    return FoldedCalls(numbers[0], numbers[-1], dict(kinds), bare, contents)


def in_words(folded: FoldedCalls) -> str:
    """Count calls and their kinds, the commonest first."""
    nouns: Counter[tuple[str, str]] = Counter()
    for kind, calls in folded.kinds.items():
        nouns[_NOUNS.get(kind, _OTHER)] += calls
    counted = [count(calls, *noun) for noun, calls in nouns.most_common()]
    return f"{count(folded.calls, 'call')}: {', '.join(counted)}"
