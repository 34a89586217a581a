"""Members of an untrusted JSON object, read as the types that are expected.

A common kind of call has its members in structs, which are made at once if all have the
types of `TextMember`, `NumberMember` and so on, and else are read one by one.
There are no annotations from __future__, which msgspec would compile at each start.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar, get_args

from msgspec import Meta, Struct, convert, structs

from convert.source.lines import REFUSED
from convert.wording import compiled
from convert.wording.escapes import strip_controls

S = TypeVar("S", bound=Struct)
_INTEGER = r"-?[0-9]{1,18}"
MOST = 10**18
"""No number of a log is as large as this one, or as its negative."""

TextMember = str | None
"""A member of a struct that is a text; it is not cleaned."""

NumberMember = Annotated[int, Meta(gt=-MOST, lt=MOST)] | None
"""A member of a struct that is a number; 64-bit ones may be strings in JSON."""

FlagMember = bool | None
"""A member of a struct that is true or false."""

TextsMember = list[str] | None
"""A member of a struct that is a list of texts, which are not cleaned."""


class Followed(dict[str, Any]):
    """Members that know which of them have been read."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(members)
        self.names_read: set[str] = set()

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return a member, and remember its name."""
        self.names_read.add(name)
        return super().get(name, default)


class Fields(Struct):
    """An object of unknown shape; a missing member reads as empty.

    A member of another type than expected reads as empty, too.
    """

    _members: dict[str, Any]

    unexpected: dict[str, Any]
    """Members of another type than expected, by name; inner objects share the dict."""

    def __bool__(self) -> bool:
        return bool(self._members)

    def __contains__(self, name: str) -> bool:
        return self._members.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def value(self, name: str) -> Any:
        """Return a member as it is."""
        return self._members.get(name)

    def text(self, *names: str) -> str:
        """Return the first of these members that is a non-empty string, cleaned."""
        for name in names:
            value = self._members.get(name)
            if isinstance(value, str):
                if value:
                    return strip_controls(value)
            elif value is not None:
                self.unexpected[name] = value
        return ""

    def recorded(self, name: str) -> str | None:
        """Return a string as recorded; None if there is none."""
        value = self._members.get(name)
        if value is None or isinstance(value, str):
            return value
        self.unexpected[name] = value
        return ""

    def number(self, name: str) -> int | None:
        """Return a number; 64-bit ones are strings in JSON."""
        value = self._members.get(name)
        if value is None or (type(value) is int and abs(value) < MOST):
            return value
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        if is_whole or (isinstance(value, str) and compiled(_INTEGER).fullmatch(value)):
            return int(value)
        self.unexpected[name] = value
        return None

    def flag(self, name: str) -> bool:
        """Return True if a member is true."""
        return self._members.get(name) is True

    def fields(self, name: str) -> "Fields":
        """Return an object."""
        value = self._members.get(name)
        if value is not None and not isinstance(value, dict):
            self.unexpected[name] = value
        return Fields(value if isinstance(value, dict) else {}, self.unexpected)

    def struct(self, kind: type[S]) -> S | None:
        """Return the object as a struct; None if a member has another type.

        This takes a third of the time of reading many members one by one.
        """
        return _as_struct(kind, self._members)

    def objects(self, name: str) -> "list[Fields]":
        """Return a list of objects."""
        return [Fields(item, self.unexpected) for item in self._items(name, dict)]

    def objects_as(self, kind: type[Struct], name: str) -> list[Any]:
        """Return a list of objects, each as `read_as` does."""
        items = self._items(name, dict)
        return [read_as(kind, item, self.unexpected) for item in items]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings, cleaned."""
        return [strip_controls(item) for item in self._items(name, str)]

    def _items(self, name: str, expected: type) -> list[Any]:
        """Return the items of a list that are of a type."""
        value = self._members.get(name)
        items = value if isinstance(value, list) else []
        found = [item for item in items if isinstance(item, expected)]
        if len(found) < len(items) or (value is not None and value is not items):
            self.unexpected[name] = value
        return found


def read_as(
    kind: type[Struct], members: dict[str, Any], unexpected: dict[str, Any]
) -> Any:
    """Return members as `Fields`, or as a struct or an object that reads like one.

    The members of a call that failed are read one by one, to know which are shown.
    """
    if kind is Fields:
        return Fields(members, unexpected)
    struct = _as_struct(kind, members) if type(members) is dict else None
    return struct or _OneByOne(Fields(members, unexpected), kind)


def _as_struct(kind: type[S], members: dict[str, Any]) -> S | None:
    """Return members as a struct; None if one has another type."""
    try:
        return convert(members, kind)
    except REFUSED:
        return None


class _OneByOne:
    """Reads like a struct of a kind, each member when it is asked for."""

    def __init__(self, fields: Fields, kind: type[Struct]) -> None:
        self._fields = fields
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        recorded, expected = _members_of(self._kind)[name]
        if read := _READERS.get(expected):
            return read(self._fields, recorded)
        inner = self._fields.fields(recorded) if recorded in self._fields else None
        # An object without members is recorded, too.
        return None if inner is None else _OneByOne(inner, get_args(expected)[0])


@functools.cache
def _members_of(kind: type[Struct]) -> dict[str, tuple[str, Any]]:
    """Return the recorded names and the types of the members of a struct."""
    members = structs.fields(kind)
    return {member.name: (member.encode_name, member.type) for member in members}


_READERS: dict[Any, Callable[[Fields, str], Any]] = {
    TextMember: Fields.recorded,
    NumberMember: Fields.number,
    FlagMember: Fields.flag,
    TextsMember: Fields.texts,
    Any: Fields.value,
}


def cleaned(text: str | None) -> str:
    """Return a text of a struct, cleaned; empty for none."""
    return strip_controls(text) if text else ""


# The members of common calls that are shown, not cleaned; other kinds take `Fields`.


class ReadArguments(Struct, gc=False, rename="camel"):
    """The file to read."""

    path: TextMember = None
    file_path: TextMember = None


class LinesRead(Struct, gc=False, rename="camel"):
    """The lines that were read of a file, from 1."""

    start_line: NumberMember = None
    end_line: NumberMember = None


class ReadOutput(Struct, gc=False, rename="camel"):
    """The content that was read of a file."""

    path: TextMember = None
    data: TextMember = None
    data_blob_id: Any = None
    content_blob_id: Any = None
    file_size: NumberMember = None
    content: TextMember = None
    total_lines: NumberMember = None
    read_range: LinesRead | None = None
    exceeded_limit: FlagMember = None


class LineFound(Struct, gc=False, rename="camel"):
    """A line that was found, or one around it."""

    line_number: NumberMember = None
    content: TextMember = None
    is_context_line: FlagMember = None
    content_truncated: FlagMember = None


class LinesFound(Struct, gc=False):
    """The lines that were found in a file."""

    matches: list[LineFound]


class GlobOutput(Struct, gc=False, rename="camel"):
    """The files whose paths match a pattern."""

    files: TextsMember = None
    total_files: NumberMember = None
    client_truncated: FlagMember = None
    ripgrep_truncated: FlagMember = None


class ShellArguments(Struct, gc=False, rename="camel"):
    """The command line."""

    command: TextMember = None
    working_directory: TextMember = None
    description: TextMember = None


class FileOfOutput(Struct, gc=False, rename="camel"):
    """A file that holds the whole of a long output."""

    file_path: TextMember = None
    line_count: NumberMember = None
    size_bytes: NumberMember = None


class ShellOutput(Struct, gc=False, rename="camel"):
    """The output of a command, and how it ended."""

    command: TextMember = None
    working_directory: TextMember = None
    interleaved_output: TextMember = None
    stdout: TextMember = None
    stderr: TextMember = None
    is_background: FlagMember = None
    background_reason: TextMember = None
    exit_code: NumberMember = None
    timeout_ms: NumberMember = None
    signal: TextMember = None
    aborted: FlagMember = None
    abort_reason: TextMember = None
    output_location: FileOfOutput | None = None
    local_execution_time_ms: NumberMember = None
    execution_time: NumberMember = None
