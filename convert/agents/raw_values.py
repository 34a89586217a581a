"""Values that a line keeps as bytes until they are needed."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from convert.source.ndjson import REFUSED


def value_of(member: msgspec.Raw) -> Any:
    """Return the value of a member.

    Half an emoji, in a line that had to be read anew, is what msgspec refuses.
    """
    try:
        return msgspec.json.decode(member)
    except REFUSED:
        return json.loads(bytes(member))
