"""The pieces of messages that `--include-partial-messages` prints.

Each message follows them whole. Only where a log breaks off, or the user stops the
agent, are they the only trace of what it said last.
"""

from __future__ import annotations

from convert.agents.agent_run import AgentRun
from convert.formats.claude_stream.wire import Delta, Piece


class Pieces:
    """The pieces behind the last whole message of a run."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._is_other_message = False

    def add(self, piece: Piece) -> bool:
        """Add a piece; return True if it holds words."""
        if piece.type == "message_start":
            # A message that is begun anew after an error replaces the one before.
            self.clear()
            self._is_other_message = True
        delta = piece.delta
        if not isinstance(delta, Delta):
            return False
        if delta.text:
            self._texts.append(delta.text)
        if delta.thinking:
            self._thoughts.append(delta.thinking)
        return bool(delta.text or delta.thinking)

    def clear(self) -> None:
        """Forget the pieces: the whole message is there."""
        self._texts.clear()
        self._thoughts.clear()
        self._is_other_message = False

    def release(self, run: AgentRun, line: int) -> None:
        """Add the pieces to their run, which ends."""
        if self._is_other_message and self._texts:
            run.close_text(line)
        if self._thoughts:
            run.thinking(line, "".join(self._thoughts))
        if self._texts:
            run.text(line, "".join(self._texts))
        self.clear()
