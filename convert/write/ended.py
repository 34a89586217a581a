"""A transcript that nobody reads before its log has ended: the verdict comes first.

Title, verdict, facts and answer of a run are put above the rest of it, which waits in
memory or, if it is long, in a temporary file.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from convert.errors import OutputError, temporary_folder_error
from convert.transcript.pieces import Ending, FactList, Heading, Piece, Title

if TYPE_CHECKING:
    from convert.write.front_matter import FrontMatter

# Bytes of memory for blocks that wait.
_MOST_BUFFERED = 1 << 20
_TITLE, _VERDICT, _FACTS, _ANSWER, _REST = range(5)

Encoded = Callable[[Piece, str], bytes]
"""Writes a piece after a gap."""
AnyPiece = TypeVar("AnyPiece", bound=Piece | str)


def verdict_first(
    pieces: Iterable[Piece],
    encoded: Encoded,
    gap: str,
    front_matter: FrontMatter | None,
) -> Iterator[bytes]:
    """Yield the blocks of each run when it ends; all of them after the front matter."""
    if front_matter is None:
        yield from _runs(pieces, encoded, gap)
        return
    with _Waiting() as body:
        for block in _runs(pieces, encoded, gap):
            body.add(block)
        yield front_matter.write().encode(errors="replace") + b"\n"
        yield from body.taken()


def sorted_pieces(pieces: Iterable[Piece | str]) -> Iterator[Piece | str]:
    """Yield the pieces of each run with the verdict and the answer first."""
    ranked = _ranked(pieces)
    for _, run in itertools.groupby(ranked, lambda each: each[0]):
        yield from (piece for *_, piece in sorted(run, key=lambda each: each[1]))


def _runs(pieces: Iterable[Piece], encoded: Encoded, gap: str) -> Iterator[bytes]:
    ranked = _ranked(pieces)
    with _Waiting() as rest:
        for _, run in itertools.groupby(ranked, lambda each: each[0]):
            above: list[tuple[int, Piece]] = []
            for _, rank, piece in run:
                if rank == _REST:
                    rest.add(encoded(piece, "\n"))
                else:
                    above.append((rank, piece))
            for _, piece in sorted(above, key=lambda each: each[0]):
                yield encoded(piece, gap)
                gap = "\n"
            yield from rest.taken()


def _ranked(pieces: Iterable[AnyPiece]) -> Iterator[tuple[int, int, AnyPiece]]:
    """Yield each piece with the number of its run and its place there."""
    run, heading = 0, ""
    for piece in pieces:
        rank = _ANSWER if heading == "Answer" else _REST
        match piece:
            case Title():
                run, heading, rank = run + 1, "", _TITLE
            case Ending():
                rank = _VERDICT
            case FactList() if not heading:
                rank = _FACTS
            case Heading(name=heading):
                rank = _ANSWER if heading == "Answer" else _REST
        yield run, rank, piece


class _Waiting:
    """Blocks that wait, in a temporary file if they are many."""

    def __enter__(self) -> _Waiting:
        self._file = tempfile.SpooledTemporaryFile(_MOST_BUFFERED)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, block: bytes) -> None:
        """Add a block; to write lines in one go would fill the memory first."""
        try:
            self._file.write(block)
        except OSError as error:
            raise OutputError(temporary_folder_error(error)) from error

    def taken(self) -> Iterator[bytes]:
        """Yield the blocks, and forget them."""
        self._file.seek(0)
        while lines := self._file.readlines(_MOST_BUFFERED):
            yield b"".join(lines)
        self._file.seek(0)
        self._file.truncate()
