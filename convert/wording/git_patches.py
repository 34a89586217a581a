"""Patches as git writes them and `git apply` takes them.

No library fits: those around `difflib` take minutes for long files and quote no names,
and a binding of libgit2 is many times the size of this program.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.wording.compiled import compiled
from convert.wording.hunks import hunks_of

_MODE = "100644"
_NOWHERE = "/dev/null"
# The limits of file systems, in octets.
_LONGEST_NAME = 255
_LONGEST_PATH = 4095
# git refuses these everywhere: `git~1` is another name of `.git` on Windows, where a
# name ends before blanks, dots and a colon, and `\` is a slash.
_OF_GIT = r"(?ai)(?:^|[/\\])(?:\.git|git~1)[. ]*(?:$|[/\\:])"
# On a Mac, names are equal without these.
_IGNORED = "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b"
_IGNORED += "\u206c\u206d\u206e\u206f\ufeff"
# The characters that git writes in another way than as octal numbers.
_ESCAPES = {
    **{ord(char): f"\\{char}" for char in '"\\'},
    **dict(zip(b"\a\b\t\n\v\f\r", map("\\{}".format, "abtnvfr"), strict=True)),
}


def git_patch(name: str, before: str | None, after: str | None) -> Iterator[str]:
    """Yield the pieces of the patch of one file; nothing if it does not change.

    `name` is its path in the folder to which the patch applies, with slashes. A content
    that is None means that there is no file.
    """
    if before == after:
        return
    old, new = f"a/{name}", f"b/{name}"
    yield f"diff --git {_quoted(old)} {_quoted(new)}\n"
    if before is None:
        yield f"new file mode {_MODE}\n"
    elif after is None:
        yield f"deleted file mode {_MODE}\n"
    if before or after:
        yield headers(name, before is None, after is None)
    for hunk in hunks_of(before or "", after or ""):
        yield str(hunk)


def unified_diff(before: str | None, after: str | None, name: str) -> str:
    """Diff two contents for people; empty if they are equal, None for no file.

    `git apply` takes it if `name` is as for `git_patch`.
    """
    diff = "".join(map(str, hunks_of(before or "", after or "")))
    return diff and headers(name, before is None, after is None) + diff


def headers(name: str, is_new: bool = False, is_deleted: bool = False) -> str:
    """Return the two lines that name a file above its hunks."""
    name = name.lstrip("/")
    old, new = _label(f"a/{name}", is_new), _label(f"b/{name}", is_deleted)
    return f"--- {old}\n+++ {new}\n"


def can_be_in_patch(text: str) -> bool:
    """Return False for what is not, or may not be, what a file holds in UTF-8.

    That is half an emoji, and the character that stands for bytes which are no UTF-8.
    """
    if "\ufffd" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_name_for_git(name: str) -> bool:
    """Return True if `git apply` accepts the path of a file."""
    if "\0" in name or not can_be_in_patch(name):
        return False
    octets = name.encode()
    if len(octets) > _LONGEST_PATH:
        return False
    is_too_long = any(len(part) > _LONGEST_NAME for part in octets.split(b"/"))
    return not is_too_long and not _is_of_git(name)


def _is_of_git(name: str) -> bool:
    """Return True if any system takes a part of a path for the folder of git."""
    visible = name.translate(dict.fromkeys(map(ord, _IGNORED)))
    return compiled(_OF_GIT).search(visible) is not None


def _label(name: str, is_absent: bool) -> str:
    """Name a file above its hunks; a tab ends a name with blanks, as git writes it."""
    if is_absent:
        return _NOWHERE
    return _quoted(name) + ("\t" if " " in name else "")


def _quoted(name: str) -> str:
    """Quote a name as git does, if it holds more than printable ASCII characters."""
    if name.isascii() and name.isprintable() and '"' not in name and "\\" not in name:
        return name
    return f'"{"".join(map(_escaped, name.encode()))}"'


def _escaped(octet: int) -> str:
    if octet in _ESCAPES:
        return _ESCAPES[octet]
    return chr(octet) if 32 <= octet < 127 else f"\\{octet:03o}"
