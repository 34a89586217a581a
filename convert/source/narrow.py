"""Structs of lines that declare what a target needs of them and nothing else."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import msgspec


def narrow(struct: Any, unread: AbstractSet[str], types: dict[str, Any]) -> Any:
    """Return a struct that does not decode some members, which keep their defaults."""
    fields = msgspec.structs.fields(struct)
    return msgspec.defstruct(
        struct.__name__,
        [
            (field.name, types.get(field.name, field.type))
            if field.default is msgspec.NODEFAULT
            else (field.name, types.get(field.name, field.type), field.default)
            for field in fields
            if field.name not in unread
        ],
        namespace={
            field.name: field.default for field in fields if field.name in unread
        },
        gc=False,
    )
