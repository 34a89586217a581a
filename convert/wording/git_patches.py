"""Patches as git writes them and `git apply` takes them.

No library fits: those around `difflib` take minutes for long files and quote no names,
and a binding of libgit2 is many times the size of this program.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.wording.hunks import hunks_of

_MODE = "100644"
_NOWHERE = "/dev/null"
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
    old, new = (
        _label(f"{side}/{name.lstrip('/')}", is_absent)
        for side, is_absent in (("a", is_new), ("b", is_deleted))
    )
    return f"--- {old}\n+++ {new}\n"


def can_be_in_patch(text: str) -> bool:
    """Return False for what no file holds in UTF-8, such as half an emoji."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_name_for_git(name: str) -> bool:
    """Return True if `git apply` accepts the path of a file."""
    is_of_git = any(part.lower() == ".git" for part in name.split("/"))
    return not is_of_git and "\0" not in name and can_be_in_patch(name)


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
