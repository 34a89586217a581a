"""All members of a line: of a line that msgspec refuses as well, as far as it goes."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.source.lines import WHITE
from convert.source.ndjson import REFUSED


def members_of(raw: bytes) -> dict[str, Any]:
    """Decode a line with all its members; nothing if it is damaged or no object."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except REFUSED:
        pass
    # Few lines need it.
    from convert.source.nesting import EXACT, raw_decode

    text = raw.strip(WHITE).decode(errors="replace")
    try:
        members, end, _ = raw_decode(EXACT, text, 0)
    except ValueError:
        return {}
    is_whole = isinstance(members, dict) and end == len(text)
    return members if is_whole else {}
