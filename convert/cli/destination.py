"""Where output goes: standard output and open files, and the places that are refused.

A terminal has a size, colours, and characters that control it. The log of a CI runner
has commands, which the runner obeys. So the escapes for both are here as well.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping

from convert.cli.commands import ALSO_READ, NARROWEST, Given
from convert.errors import OutputError, UsageError, system_reason
from convert.wording.escapes import (
    ShownAs,
    escape_controls,
    escape_controls_in_json,
    escape_runner_commands,
    escape_runner_commands_in_json,
)
from convert.wording.paths import (
    COMPRESSED,
    base_name,
    bytes_spelled,
    identity,
    is_url,
    named,
    shown,
    spelled,
)

# Makes lines harmless to the terminal or the runner that displays them.
Show = Callable[[str], str]

_BUFFER_SIZE = 1 << 16


class Place:
    """The place of output, for messages, and the option that names it, if any."""

    def __init__(self, name: str, option: str = "") -> None:
        self.name = name
        self.option = option


STANDARD = Place("to standard output")


class Destination:
    """A buffer in front of an open file, or of another function that takes bytes.

    The reader of a log calls `flush` before it waits, so output appears as soon as its
    event has arrived, and in large blocks where it does not have to wait.

    `is_empty` is true until something is written. A new file is kept only if
    `is_wanted` has been set. `header` comes before the next lines.
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        show: Show | None = None,
        *,
        is_terminal: bool = False,
    ) -> None:
        self._write = write
        self._show = show
        self.is_terminal = is_terminal
        self._buffer: list[bytes] = []
        self._size = 0
        self.is_empty = True
        self.is_wanted = False
        self.header = b""

    def write(self, lines: bytes) -> None:
        """Add whole lines to the buffer."""
        self.is_empty = False
        if self.header:
            lines, self.header = self.header + lines, b""
        if self._show is not None:
            lines = self._show(lines.decode(errors="replace")).encode()
        self._buffer.append(lines)
        self._size += len(lines)
        if self._size >= _BUFFER_SIZE:
            self.flush()

    def flush(self) -> None:
        """Write out the buffer; raises BrokenPipeError if its reader has gone."""
        if not self._buffer:
            return
        content = b"".join(self._buffer)
        self._buffer.clear()
        self._size = 0
        self._write(content)


def open_destination(file: int, place: Place, show: Show | None = None) -> Destination:
    """Return the destination that is an open file."""
    return Destination(writing_to(file, place), show, is_terminal=os.isatty(file))


def writing_to(
    file: int, place: Place, *, may_be_pipe: bool = True
) -> Callable[[bytes], None]:
    """Return the function that writes to an open file; it raises OutputError.

    Raises BrokenPipeError for a pipe whose reader has gone, which is no trouble.
    """

    def write(content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(file, rest) :]
            except BlockingIOError:
                # Another program has set the pipe to non-blocking.
                import select

                select.select([], [file], [])
            except OSError as error:
                # Windows has no other word for it.
                is_invalid = os.name == "nt" and error.errno == errno.EINVAL
                if may_be_pipe and (is_invalid or isinstance(error, BrokenPipeError)):
                    raise BrokenPipeError from error
                raise output_error(place, error) from error

    return write


@contextlib.contextmanager
def standard_output(show: Show | None) -> Iterator[Destination]:
    """Yield standard output; `show` changes how lines look there."""
    destination = open_destination(1, STANDARD, show)
    yield destination
    destination.flush()


def print_text(text: str) -> None:
    """Write a text of the program to standard output."""
    with standard_output(None) as output:
        output.write(text.encode())


def output_error(place: Place, error: OSError) -> OutputError:
    """Return the error about a place that cannot be written to, with advice."""
    why = system_reason(error)
    return _not_written(place, f"{why}; choose another" if place.option else why)


def _not_written(place: Place, what: str) -> OutputError:
    """Return the error about a place; the advice ends with the option for it."""
    how = f" with {place.option}" if place.option else ""
    return OutputError(f"cannot write {shown_path(place.name)}: {what}{how}")


DEFAULT_WIDTH = 100
"""The columns of a terminal that does not know them."""
_USUAL_HEIGHT = 24
ERASED = b"\r\x1b[J"
"""The bytes that remove all lines below the cursor, which goes to the beginning."""
# Lines that are too wide are cut, and take one row each.
_NO_WRAP, _WRAP = b"\x1b[?7l", b"\x1b[?7h"


def width() -> int:
    """Return the columns of the terminal, of COLUMNS, or else a fixed number."""
    limit = columns()
    return max(limit, NARROWEST) if limit else DEFAULT_WIDTH


def columns() -> int:
    """Return the columns of the terminal, else those of COLUMNS, 0 if unknown.

    A terminal that does not know its size reports 0 columns.
    """
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        given = os.environ.get("COLUMNS", "")
        return int(given) if given.isdecimal() and len(given) < 6 else 0


def height() -> int:
    """Return the rows of the terminal; a fixed number if it does not know them."""
    return os.get_terminal_size(1).lines or _USUAL_HEIGHT


def shows_blocks() -> bool:
    """Return True if standard output can show blocks, which only UTF-8 has here.

    If it is no terminal, it gets UTF-8 in any case.
    """
    if not os.isatty(1):
        return True
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next(filter(None, map(os.environ.get, names)), "")
    return os.name == "nt" or "utf" in locale.lower()


def is_coloured(choice: str, file: int) -> bool:
    """Return True if colours are wanted on standard output (1) or error (2).

    For `auto`, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR decide in this order; without
    them, a terminal has colours.
    """
    if choice != "auto":
        return choice == "always"
    setting = os.environ.get
    if setting("NO_COLOR"):
        return False
    if any(
        setting(name, "0") not in ("", "0")
        for name in ("CLICOLOR_FORCE", "FORCE_COLOR")
    ):
        return True
    return os.isatty(file) and setting("TERM") != "dumb"


def is_ci() -> bool:
    """Return True if nobody watches: the runners of CI set this variable."""
    return os.environ.get("CI", "").lower() in ("true", "1")


def escape_for_display(shown_as: ShownAs, file: int) -> Show | None:
    """Return the function that escapes the output of an open file; None for none."""
    for_terminal = escape_for_terminal(shown_as) if os.isatty(file) else None
    for_runner = escape_for_runner(shown_as, file)
    if for_terminal is None or for_runner is None:
        return for_terminal or for_runner
    return lambda text: for_runner(for_terminal(text))


def escape_for_terminal(shown_as: ShownAs) -> Show:
    """Return the function that escapes the characters that control a terminal."""
    if shown_as == "json":
        return escape_controls_in_json
    return escape_controls


def escape_for_runner(shown_as: ShownAs, file: int) -> Show | None:
    """Return the function that escapes commands of a runner; None if it reads nothing.

    It reads a pipe. A regular file is for other programs, which need its bytes.
    """
    if not is_in_runner() or shown_as == "bytes" or _is_regular(file):
        return None
    if shown_as == "json":
        return escape_runner_commands_in_json
    return escape_runner_commands


def escape_message(message: str) -> str:
    """Return a message that is harmless wherever it is shown."""
    message = escape_controls(message.translate(bytes_spelled()))
    return escape_runner_commands(message) if is_in_runner() else message


def redrawn(lines: list[bytes]) -> bytes:
    """Return the bytes that write lines below the cursor, which stays where it is."""
    up = len(lines) - 1
    back = b"\x1b[%dA\r" % up if up > 0 else b"\r"
    return b"".join([ERASED, _NO_WRAP, b"\r\n".join(lines), _WRAP, back])


def shown_path(path: str) -> str:
    """Return a path for a message: on one line, and with a sign for each character."""
    name = spelled(path)
    return name if name.strip() else f"'{name}'"


def is_in_runner() -> bool:
    """Return True in a step of a GitHub runner."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _is_regular(file: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file).st_mode)
    except OSError:
        return False


# Device and inode of a file, or the name of a URL.
Identity = tuple[int, int] | str


def is_folder(path: str) -> bool:
    """Return True for a path that gets one file per log."""
    # Imported here, so that the help takes less time.
    from convert.source import places

    return path.endswith(("/", os.sep)) or places.is_folder(path)


def file_among_folders(path: str) -> str:
    """Return the part of a path that is a file but should be a folder, else ""."""
    while not is_url(path) and (path := os.path.dirname(path)):
        if os.path.lexists(path):
            return path if os.path.isfile(path) else ""
    return ""


def named_by_suffix(
    path: str, suffixes: Mapping[str, tuple[str, ...]], what: str, flag: str
) -> str | None:
    """Return the name with the suffix of a file; None if the file has no suffix.

    Raises UsageError for a suffix that no name has; `what` is the noun for the names,
    and `flag` is the option that takes one.
    """
    suffix = os.path.splitext(base_name(path))[1].lower()
    if not suffix:
        return None
    if suffix in COMPRESSED:
        raise UsageError(
            "cannot write compressed files; write a plain file, then compress it"
        )
    whole = base_name(path).lower()
    fitting = [
        (len(each), name)
        for name, own in suffixes.items()
        for each in own
        if whole.endswith(each)
    ]
    if fitting:
        # The longest counts, as in `train.messages.jsonl`.
        return max(fitting, key=lambda found: found[0])[1]
    known = dict.fromkeys(each for own in suffixes.values() for each in own)
    raise UsageError(
        f"no {what} has the suffix {suffix}; choose from {', '.join(known)},"
        f" or name a {what} with {flag}: {', '.join(suffixes)}"
    )


def refuse_input(output: str | int, name: str, logs: list[str]) -> None:
    """Raise UsageError if the output is one of the logs, under any name.

    Raises OutputError for a URL that cannot be written to.
    """
    refuse(output, name, identities(logs))
    if isinstance(output, str) and is_url(output):
        from convert.source.places import check_place

        check_place(output)


def refuse_output(path: str | None, logs: list[str]) -> None:
    """Raise UsageError if the output, a file or standard output, is one of the logs."""
    if path is None or path == "-":
        refuse_input(1, "standard output", logs)
    else:
        refuse_input(path, path, logs)


def refuse_same(one: str, other: str) -> None:
    """Raise UsageError for one log that is named twice, perhaps in two ways."""
    name, other_name = shown(one), shown(other)
    if one == other:
        raise UsageError(f"{name} is named twice; name it once")
    if identity_of(one) == identity_of(other):
        raise UsageError(f"{name} and {other_name} are the same log; name it once")


def identities(logs: list[str]) -> set[Identity]:
    """Return device and inode of each log that exists, and the names of URLs."""
    found: set[Identity] = set()
    for log in logs:
        if is_url(log):
            found.add(identity_of(named(log)))
            continue
        with contextlib.suppress(OSError, ValueError):
            state = os.stat(0 if log == "-" else log)
            found.add((state.st_dev, state.st_ino))
    return found


def identity_of(path: str) -> str:
    """Return an identity that all paths of one place share."""
    if is_url(path):
        return identity(path)
    return os.path.realpath(path)


def refuse(
    output: str | int, name: str, inputs: set[Identity], other: str = "file"
) -> None:
    """Raise UsageError if an output is among the inputs; `other` is the alternative."""
    if _is_among(output, inputs):
        raise UsageError(f"{name} is one of the logs to read; write to another {other}")


def refuse_files_of_options(given: Given) -> None:
    """Raise UsageError if an output is a list of logs, or the file with settings."""
    outputs = [*given.paths("output"), *given.paths("reports")]
    for option, flag in ALSO_READ.items():
        inputs = identities(given.paths(option))
        for output in outputs:
            if _is_among(output, inputs):
                raise UsageError(
                    f"{shown(output)} is the file of {flag}; write to another file"
                )


def _is_among(output: str | int, inputs: set[Identity]) -> bool:
    if isinstance(output, str) and is_url(output):
        return identity_of(named(output)) in inputs
    try:
        old = os.stat(output)
    except (OSError, ValueError):
        return False
    is_kept = stat.S_ISREG(old.st_mode) or stat.S_ISFIFO(old.st_mode)
    return is_kept and (old.st_dev, old.st_ino) in inputs
