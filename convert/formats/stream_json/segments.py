"""Which assistant text counts: with partial output the same text comes twice.

The agent writes an assistant line in four forms (FORMAT: seen in real logs of 2025.12
to 2026.09), and logs of 2025.08 in a fifth:

    timestamp  model_call_id
    yes        no             a delta, or the whole segment again before a query
    yes        yes            the whole segment, before a tool call
    no         no             the whole last segment; in 2025 a delta

Looking at the fields alone loses or doubles text, so the text decides as well.
"""

from __future__ import annotations

from convert.wording.sanitise import repair_surrogates

# How many deltas are put together: each takes more memory than its text.
_MOST_DELTAS = 4096


class OpenSegment:
    """The text since the last boundary; `deltas` are its last parts."""

    def __init__(self) -> None:
        self.deltas: list[str] = []
        self._before: list[str] = []

    def add(self, texts: list[str]) -> None:
        """Take deltas. A recap may look like one: what follows tells (`recap`)."""
        self.deltas += texts
        if len(self.deltas) > _MOST_DELTAS:
            self._before.append("".join(self.deltas[:-1]))
            self.deltas = self.deltas[-1:]

    def flush(self, text: str) -> list[str]:
        """Take the text of the whole segment and close it.

        The deltas before it are the same text, even if some were lost or damaged. If
        none of them stands in it, they were a segment of their own.
        """
        parts = self._close()
        said = "".join(parts)
        is_same = said == text or repair_surrogates(said) == repair_surrogates(text)
        if not said or is_same or _shares(text, parts):
            return [text]
        return [said, text]

    def recap(self) -> str:
        """Close the segment if its last delta repeats all before it; its text then.

        To be asked where a recap would stand: in front of anything but more text.
        """
        if not self.deltas:
            return ""
        last = self.deltas[-1]
        length = sum(map(len, self._before)) + sum(map(len, self.deltas)) - len(last)
        # Halves of emoji, cut apart, are two characters for one.
        if not last or not len(last) <= length <= 2 * len(last):
            return ""
        said = "".join([*self._before, *self.deltas[:-1]])
        if said != last and repair_surrogates(said) != repair_surrogates(last):
            return ""
        self._close()
        return last

    def close(self) -> str:
        """Close the segment at a boundary: its text."""
        return "".join(self._close())

    def _close(self) -> list[str]:
        parts = [*self._before, *self.deltas]
        self.deltas, self._before = [], []
        return parts


def _shares(text: str, parts: list[str]) -> bool:
    """Whether one of the parts stands in a text; half an emoji counts for nothing."""
    wholes = (part.encode(errors="ignore").decode() for part in parts)
    return any(whole and whole in text for whole in wholes)
