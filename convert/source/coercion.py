"""Values converted to a type, without the members that do not fit."""

from __future__ import annotations

import functools
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from convert.errors import Warn


def coerce(value: Any, kind: Any, number: int, warn: Warn) -> Any:
    """Convert a value to a type, without the members that do not fit; UNSET if none."""
    if kind is Any:
        return value
    if kind is msgspec.Raw:
        return _as_raw(value)
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError):
        pass
    match value, _shape(value, kind):
        case dict(), type() as struct if issubclass(struct, Struct):
            fitting: dict[str, Any] = {}
            lost: list[str] = []
            for field in fields_of(struct):
                if (name := field.encode_name) in value:
                    member = coerce(value[name], field.type, number, warn)
                    if member is msgspec.UNSET:
                        lost.append(name)
                    else:
                        fitting[field.name] = member
            if lost:
                of = ", ".join(sorted(lost))
                warn(number, f"unexpected type of {of}", "ignored")
            return struct(**fitting)
        case dict(), inner if inner is not None:
            members = {k: coerce(v, inner, number, warn) for k, v in value.items()}
            return {k: v for k, v in members.items() if v is not msgspec.UNSET}
        case list(), inner if inner is not None:
            items = (coerce(item, inner, number, warn) for item in value)
            return [item for item in items if item is not msgspec.UNSET]
    return msgspec.UNSET


@functools.cache
def fields_of(struct: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the members of a struct, which take long to look up."""
    return msgspec.structs.fields(struct)


def _as_raw(value: Any) -> msgspec.Raw:
    """Return the JSON of a value; of one that is nested too deeply, an empty object."""
    # msgspec refuses halves of an emoji. Few values get here.
    import json

    try:
        return msgspec.Raw(json.dumps(value).encode())
    except RecursionError:
        return msgspec.Raw(b"{}")


def _shape(value: Any, kind: Any) -> Any:
    """Return the struct that a type has for an object, or the type of its members."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    for option in options:
        if isinstance(value, dict) and isinstance(option, type):
            if issubclass(option, Struct):
                return option
        elif get_origin(option) is type(value):
            return get_args(option)[-1]
    return None
