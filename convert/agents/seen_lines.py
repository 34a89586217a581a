"""The lines that a log has had, by their ids: resumed sessions repeat their history."""

from __future__ import annotations

# Memory must not grow with the log. 100,000 lines of a session are about 200 MB.
_REMEMBERED = 100_000
# A scrubbed log may have one word in place of all ids.
_LENGTH_OF_ID = 36


class SeenLines:
    """Tells lines that were there before, up to 200,000 lines back."""

    def __init__(self) -> None:
        self._latest: set[str] = set()
        self._before: set[str] = set()

    def has(self, id: str | None) -> bool:
        """Return True if a line with this id was there; remember it if not."""
        if not id or len(id) != _LENGTH_OF_ID:
            return False
        if id in self._latest or id in self._before:
            return True
        if len(self._latest) >= _REMEMBERED:
            self._before, self._latest = self._latest, set()
        self._latest.add(id)
        return False
