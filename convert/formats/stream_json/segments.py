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

from convert.display import mended


class OpenSegment:
    """The text since the last boundary."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Take a delta. A recap may look like one: what follows tells (`recap`)."""
        self._parts.append(text)

    def flush(self, text: str) -> list[str]:
        """Take the text of the whole segment and close it.

        The deltas before it are the same text, even if some were lost or damaged. If
        none of them stands in it, they were a segment of their own.
        """
        parts, self._parts = self._parts, []
        said = "".join(parts)
        if not said or mended(said) == mended(text) or _shares(text, parts):
            return [text]
        return [said, text]

    def recap(self) -> str:
        """Close the segment if its last delta repeats all before it; its text then.

        To be asked where a recap would stand: in front of anything but more text.
        """
        *before, last = self._parts or [""]
        if not before or not last or mended("".join(before)) != mended(last):
            return ""
        self._parts = []
        return last

    def close(self) -> str:
        """Close the segment at a boundary: its text."""
        parts, self._parts = self._parts, []
        return "".join(parts)


def _shares(text: str, parts: list[str]) -> bool:
    """Whether one of the parts stands in a text; half an emoji counts for nothing."""
    wholes = (part.encode(errors="ignore").decode() for part in parts)
    return any(whole and whole in text for whole in wholes)
