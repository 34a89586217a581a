"""Lines of JSON that writers make of events.

Values of a log may be what JSON cannot hold: half an emoji, or lists in lists as deep
as somebody liked.
"""

from __future__ import annotations

from typing import Any

import msgspec

from convert.wording.sanitise import repair_surrogates

# The levels that are kept, as many as the stack of the caller leaves room for.
_DEEPEST = (200, 50, 12)
_TOO_DEEP = "(nested deeper, left out)"


def json_line(value: Any) -> bytes:
    """Return a value as a line."""
    return json_bytes(value) + b"\n"


def json_text(value: Any) -> str:
    """Return a value as the text of a member that holds JSON."""
    return json_bytes(value).decode()


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON on one line."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, RecursionError):
        pass
    for deepest in _DEEPEST:
        try:
            return msgspec.json.encode(_put_right(value, deepest))
        except RecursionError:
            pass
    return msgspec.json.encode(_TOO_DEEP)


def _put_right(value: Any, levels: int) -> Any:
    """Return a value with whole characters, and so many levels."""
    match value:
        case dict() | list() if levels == 0:
            return _TOO_DEEP
        case dict():
            return {
                repair_surrogates(name): _put_right(item, levels - 1)
                for name, item in value.items()
            }
        case list():
            return [_put_right(item, levels - 1) for item in value]
        case str():
            return repair_surrogates(value)
        case msgspec.Struct():
            return _put_right(_members(value), levels)
    return value


def _members(value: msgspec.Struct) -> dict[str, Any]:
    """Return the members of a struct as they are written."""
    members = {}
    for field in msgspec.structs.fields(value):
        member = getattr(value, field.name)
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if not (value.__struct_config__.omit_defaults and member == default):
            members[field.encode_name] = member
    return members
