"""The globs of `--glob`, which choose among the files of a folder.

They are about the path inside of the folder, as those of `.gitignore`: without a slash
in it, a glob is about the name at any depth; with one in front, about the top; and one
that ends in a slash stands for everything in a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from convert.errors import UsageError

# How many globs the braces of one may stand for, and how many ** it may have, each of
# which tries all folders of a path.
_MOST_CHOICES = 1000
_MOST_DEPTHS = 4
# An escaped character, or a whole class of characters.
_WHOLE = r"\\.|\[[!^]?+\]?+(?:\\.|[^\]\\])*\]"


class Globs:
    """Chooses files by their paths.

    Raises UsageError for a glob that is none, which names the option that takes it.
    """

    def __init__(self, globs: tuple[str, ...], option: str = "--glob") -> None:
        matchers = [(glob, _matcher(glob, f"{option} '{glob}'")) for glob in globs]
        self._wanted = [each for each in matchers if each[0][:1] != "!"]
        self._left_out = [each for each in matchers if each[0][:1] == "!"]
        self.unused = dict.fromkeys(globs)
        """The globs that have matched no file, in their order."""

    def choose(self, path: str) -> bool:
        """Return True for the path of a file that is wanted."""
        is_left_out = self._match(self._left_out, path)
        is_wanted = self._match(self._wanted, path)
        return not is_left_out and (is_wanted or not self._wanted)

    def _match(self, globs: list[tuple[str, Callable[[str], bool]]], path: str) -> bool:
        """Tell if one of the globs matches; all are tried, for those that never do."""
        found = [glob for glob, matches in globs if matches(path)]
        for glob in found:
            self.unused.pop(glob, None)
        return bool(found)


def _matcher(glob: str, named: str) -> Callable[[str], bool]:
    """Return what tells if a glob matches a path, whether it wants or leaves out."""
    # Imported here: it takes as long as to start the command.
    from wcmatch import glob as wcmatch

    is_left_out = glob.startswith("!")
    whole = _anchored(_checked(glob.removeprefix("!"), named))
    # As git has it, what is in a folder that is left out is left out, too.
    globs = [whole, f"{whole.rstrip('/')}/**"] if is_left_out else [whole]
    flags = wcmatch.GLOBSTAR | wcmatch.BRACE | wcmatch.FORCEUNIX
    try:
        pattern = wcmatch.compile(globs, flags=flags, limit=_MOST_CHOICES)
    except Exception as error:
        if type(error).__name__ != "PatternLimitException":
            raise
        raise UsageError(
            f"{named} stands for more than {_MOST_CHOICES:,} globs; write * for"
            " a part of it"
        ) from error
    return lambda path: bool(pattern.match(f"/{path}"))


def _anchored(glob: str) -> str:
    """Return the glob for a path that begins with a slash."""
    glob = re.sub(r"^(\./+)+", "/", glob)
    is_of_name = "/" not in glob.removesuffix("/")
    if glob.endswith("/"):
        glob += "**"
    if is_of_name:
        return f"/**/{glob}"
    return glob if glob.startswith("/") else f"/{glob}"


def _checked(glob: str, named: str) -> str:
    """Return a glob; raises UsageError for one that is empty or lacks a bracket."""
    rest = re.sub(_WHOLE, "", glob, flags=re.DOTALL)
    while "[" not in rest and (closed := re.sub(r"\{[^{}]*\}", "", rest)) != rest:
        rest = closed
    for bracket, close in ("[", "]"), ("{", "}"):
        if bracket in rest:
            advice = f"add {close}, or write \\{bracket} for the character"
            raise UsageError(f"{named}: no {close} closes {bracket}; {advice}")
    if glob.count("**") > _MOST_DEPTHS:
        raise UsageError(f"{named} has more than {_MOST_DEPTHS} times **")
    if not glob.strip("/"):
        raise UsageError(f"{named} names no file; write one as in '*.ndjson'")
    return glob
