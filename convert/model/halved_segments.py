"""Segments of which the log seems to repeat the text, as the result records them."""

from __future__ import annotations

from convert.model.events import Segment

_MOST_OFFSETS = 1000
# How many offsets a segment may add to those that are followed, on average.
_MOST_FOLLOWED = 20
_Reading = tuple[str, "_Reading"] | None


def restore(segments: list[Segment], recorded: str) -> list[str] | None:
    """Return the texts of segments, some of the halved ones doubled, as recorded.

    Follows every offset that the text may have reached. Returns None if no choice makes
    the recorded text, or if there are too many such offsets, at once or in sum.
    """
    if not any(segment.is_halved for segment in segments):
        return None
    reached: dict[int, _Reading] = {0: None}
    followed = -_MOST_OFFSETS
    for segment in segments:
        readings = [segment.text, segment.text * 2][: 1 + segment.is_halved]
        reached = {
            offset + len(text): (text, before)
            for offset, before in reached.items()
            for text in readings
            if recorded.startswith(text, offset)
        }
        followed += len(reached) - _MOST_FOLLOWED
        if len(reached) > _MOST_OFFSETS or followed > 0:
            return None
    reading = reached.get(len(recorded))
    texts = []
    while reading is not None:
        text, reading = reading
        texts.append(text)
    return texts[::-1] or None
