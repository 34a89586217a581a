"""The lines in which two texts differ, and patches as git writes them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from msgspec import Struct

from convert.wording import compiled
from convert.wording.alignment import Block, align, common_length, hunks

# Most edits of a file are short and most files long, so the common text at both ends is
# cut off first, a block at a time: 2,000 edits of files of 1,000 lines take 0.3 s.
# Lines of context around a change.
CONTEXT = 3


class Hunk(Struct, frozen=True):
    """Changed lines, with equal ones around them."""

    removed: str
    """Where the lines are in the old text, as the header writes it: `12,3`."""

    added: str
    """Where the lines are in the new text."""

    lines: list[str]
    """The lines, each after its mark: a blank, `-` or `+`.

    They end in a line feed, except for one that ends its text without.
    """

    @property
    def body(self) -> str:
        """The lines as a diff has them below the header."""
        body = "".join(self.lines)
        if body.count("\n") == len(self.lines):
            return body
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in self.lines
        )

    def __str__(self) -> str:
        return f"@@ -{self.removed} +{self.added} @@\n{self.body}"


def hunks_of(old: str, new: str) -> Iterator[Hunk]:
    """Yield the hunks that turn one text into another; none if they are equal."""
    if old == new:
        return
    head, tail = _common_ends(old, new)
    above = _last_lines(old, head)
    below = _first_lines(old, len(old) - tail)
    begin = old.count("\n", 0, head) - len(above)
    removed, added = (_lines(text[head : len(text) - tail]) for text in (old, new))
    if set(removed).isdisjoint(added):
        # Most edits replace some lines by others, and there is nothing to align.
        yield Hunk(
            _range(begin, begin + len(above) + len(removed) + len(below)),
            _range(begin, begin + len(above) + len(added) + len(below)),
            [
                *(" " + line for line in above),
                *("-" + line for line in removed),
                *("+" + line for line in added),
                *(" " + line for line in below),
            ],
        )
        return
    one, other = [*above, *removed, *below], [*above, *added, *below]
    for blocks in hunks(align(one, other).blocks, len(one), len(other), CONTEXT):
        first, last = blocks[0], blocks[-1]
        yield Hunk(
            _range(begin + first.old, begin + last.old_end),
            _range(begin + first.new, begin + last.new_end),
            _marked(blocks, one, other),
        )


def count_changes(old: str, new: str) -> tuple[int, int]:
    """Count the lines that are added and removed."""
    head, tail = _common_ends(old, new)
    removed = _comparable(old[head : len(old) - tail])
    added = _comparable(new[head : len(new) - tail])
    same = 0
    if not set(removed).isdisjoint(added):
        same = common_length(removed, added)
    return len(added) - same, len(removed) - same


def changed_lines(diff: str) -> tuple[int, int]:
    """Count the lines that a recorded diff adds and removes."""
    lines = without_headers(diff)
    added = lines.count("\n+") + lines.startswith("+")
    return added, lines.count("\n-") + lines.startswith("-")


def without_headers(diff: str) -> str:
    """Return a recorded diff from its first hunk on; builds of 2026.01 name none.

    The hunks of a patch of Codex have no numbers.
    """
    if has_headers(diff):
        return diff.split("\n", 2)[2]
    hunk = compiled(r"(?m)^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@").search(diff)
    return diff[hunk.start() :] if hunk else diff


def has_headers(diff: str) -> bool:
    """Return True if a diff names its files; a removed `-- comment` looks similar."""
    return (
        diff.startswith("--- ")
        and compiled(r"--- .*\n\+\+\+ .*\n@@").match(diff) is not None
    )


def _marked(blocks: list[Block], old: list[str], new: list[str]) -> list[str]:
    """Return the lines of a hunk after their marks."""
    lines = [" " + line for line in old[blocks[0].old : blocks[0].old_end]]
    for block, follower in itertools.pairwise(blocks):
        lines += ["-" + line for line in old[block.old_end : follower.old]]
        lines += ["+" + line for line in new[block.new_end : follower.new]]
        lines += [" " + line for line in old[follower.old : follower.old_end]]
    return lines


def _range(begin: int, end: int) -> str:
    """Write a range for the header of a hunk: the first line from 1, and a count."""
    if end - begin == 1:
        return str(begin + 1)
    return f"{begin + (end > begin)},{end - begin}"


def _lines(text: str) -> list[str]:
    """Split a text into lines with their line feeds; nothing else ends a line."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _comparable(text: str) -> list[str]:
    """Split a text into lines that are equal if they are with their line feeds."""
    lines = text.split("\n")
    if last := lines.pop():
        # It has no line feed, so it is like no line that has one.
        lines.append(f"\n{last}")
    return lines


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """Return the lengths of the whole lines that two texts begin and end with."""
    head = old.rfind("\n", 0, common_prefix(old, new)) + 1
    tail = common_suffix(old[head:], new[head:])
    if tail and not _begin_lines(old, new, head, tail):
        line_feed = old.find("\n", len(old) - tail)
        tail = len(old) - line_feed - 1 if line_feed >= 0 else 0
    return head, tail


def _begin_lines(old: str, new: str, head: int, tail: int) -> bool:
    """Return True if the last `tail` characters of both texts begin a line."""
    places = ((text, len(text) - tail) for text in (old, new))
    return all(at == head or text[at - 1] == "\n" for text, at in places)


def common_prefix(old: str, new: str) -> int:
    """Count the equal characters at the start of two texts.

    Ever shorter slices are compared, which is faster than to compare characters.
    """
    least, most = 0, min(len(old), len(new))
    while least < most:
        middle = (least + most + 1) // 2
        if old[least:middle] == new[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def common_suffix(old: str, new: str) -> int:
    """Count the equal characters at the end of two texts."""
    least, most = 0, min(len(old), len(new))
    end, other_end = len(old), len(new)
    while least < most:
        middle = (least + most + 1) // 2
        one = old[end - middle : end - least]
        if one == new[other_end - middle : other_end - least]:
            least = middle
        else:
            most = middle - 1
    return least


def _last_lines(text: str, end: int) -> list[str]:
    """Return the lines of context that end at a place, where a line begins."""
    begin = end
    for _ in range(CONTEXT):
        if begin:
            begin = text.rfind("\n", 0, begin - 1) + 1
    return _lines(text[begin:end])


def _first_lines(text: str, begin: int) -> list[str]:
    """Return the lines of context that begin at a place."""
    end = begin
    for _ in range(CONTEXT):
        line_feed = text.find("\n", end)
        end = line_feed + 1 if line_feed >= 0 else len(text)
    return _lines(text[begin:end])


# No library fits: those around `difflib` take minutes for long files and quote no
# names, and a binding of libgit2 is many times the size of this program.
_MODE = "100644"
NOWHERE = "/dev/null"
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
    """Return False for a text that no file holds, or may not hold, in UTF-8.

    These are half an emoji, and the character that replaces bytes that are no UTF-8.
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
    # The limits of file systems.
    if len(octets) > 4095 or any(len(part) > 255 for part in octets.split(b"/")):
        return False
    # Any system may take a part of the path for the folder of git.
    visible = name.translate(dict.fromkeys(map(ord, _IGNORED)))
    return compiled(_OF_GIT).search(visible) is None


def _label(name: str, is_absent: bool) -> str:
    """Name a file above its hunks; a tab ends a name with blanks, as git writes it."""
    if is_absent:
        return NOWHERE
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
