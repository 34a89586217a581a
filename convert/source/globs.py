"""Globs of `--glob`, which choose files by their paths inside a folder.

A glob matches as one of `.gitignore` does: without a slash, it matches a name at any
depth; with one at the start, a path from the top; and one that ends in a slash matches
everything in a folder. Braces expand as in Bash. No wildcard matches the dot that a
hidden name begins with.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator

from convert.errors import UsageError
from convert.wording import compiled

# How many globs the braces of one may make, and how many ** it may have: each of them
# tries all folders of a path.
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
        return (self._match(self._wanted, path) or not self._wanted) and not is_left_out

    def _match(self, globs: list[tuple[str, Callable[[str], bool]]], path: str) -> bool:
        """Return True if a glob matches; all are tried, to find those that never do."""
        found = [glob for glob, matches in globs if matches(path)]
        for glob in found:
            self.unused.pop(glob, None)
        return bool(found)


def _matcher(glob: str, named: str) -> Callable[[str], bool]:
    """Return a function that returns True if a glob matches a path."""
    is_left_out = glob.startswith("!")
    whole = _anchored(_checked(glob.removeprefix("!"), named))
    globs = [*itertools.islice(_expanded(whole), _MOST_CHOICES + 1)]
    if len(globs) > _MOST_CHOICES:
        raise UsageError(
            f"{named} expands to more than {_MOST_CHOICES:,} globs; write * for"
            " a part of it"
        )
    if is_left_out:
        # As in git, everything in an excluded folder is excluded, too.
        globs += [f"{each.rstrip('/')}/**" for each in globs]
    pattern = re.compile("|".join(map(_pattern, globs)), re.DOTALL)
    return lambda path: pattern.fullmatch(f"/{path}") is not None


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


def _expanded(glob: str) -> Iterator[str]:
    """Yield the globs that a glob with braces stands for."""
    waiting = [glob]
    while waiting:
        glob = waiting.pop()
        signs = compiled(r"\\.|.", re.DOTALL).findall(glob)
        for begin in (at for at, sign in enumerate(signs) if sign == "{"):
            inside = _choices(signs, begin)
            if inside is not None:
                choices, end = inside
                before, after = "".join(signs[:begin]), "".join(signs[end:])
                more = [f"{before}{choice}{after}" for choice in choices]
                waiting += reversed(more)
                break
        else:
            yield glob


def _choices(signs: list[str], begin: int) -> tuple[Iterable[str], int] | None:
    """Return what a brace stands for, and where it ends; None if it is itself."""
    depth = 0
    choices = [""]
    for at in range(begin + 1, len(signs)):
        sign = signs[at]
        if sign == "}" and not depth:
            found = choices if len(choices) > 1 else _series(choices[0])
            return (found, at + 1) if found else None
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            choices.append("")
        else:
            choices[-1] += sign
    return None


def _series(text: str) -> list[str]:
    """Return the numbers or letters of a series such as `01..12`; none for others."""
    match = compiled(
        r"(?:(-?\d+)\.\.(-?\d+)|([a-zA-Z])\.\.([a-zA-Z]))(?:\.\.(-?\d+))?"
    ).fullmatch(text)
    if not match:
        return []
    first, last, letter, last_letter, step = match.groups()
    begin, end = (ord(letter), ord(last_letter)) if letter else (int(first), int(last))
    by = max(abs(int(step or 1)), 1)
    places = range(begin, end + 1, by) if begin <= end else range(begin, end - 1, -by)
    shown = places[: _MOST_CHOICES + 1]
    if letter:
        return [*map(chr, shown)]
    has_zeros = any(compiled(r"-?0\d+").fullmatch(each) for each in (first, last))
    width = max(len(first), len(last)) if has_zeros else 0
    return [f"{place:0{width}}" for place in shown]


_ANY_FOLDER = r"/(?!\.)[^/]+"
_CLASS = r"\[(?P<no>[!^]?)(?P<members>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]"
_KINDS = {
    "alpha": "a-zA-Z",
    "alnum": "a-zA-Z0-9",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
}


def _pattern(glob: str) -> str:
    """Return the pattern of a glob without braces that begins with a slash."""
    if glob.endswith("/"):
        # A folder, which an empty choice of a brace leaves, and no file.
        return "(?!)"
    *folders, name = filter(None, glob.split("/"))
    parts = [
        f"(?:{_ANY_FOLDER})*" if folder == "**" else f"/{_name_pattern(folder)}"
        for folder in folders
    ]
    parts.append(f"(?:{_ANY_FOLDER})+" if name == "**" else f"/{_name_pattern(name)}")
    return "".join(parts)


def _name_pattern(name: str) -> str:
    """Return the pattern of a part of a glob between two slashes."""
    tokens = compiled(rf"(?P<any>\*+)|(?P<one>\?)|{_CLASS}|\\?(?P<sign>.)", re.DOTALL)
    pattern = r"(?!\.)" if name[:1] in ("*", "?", "[") else ""
    for token in tokens.finditer(name):
        if token["any"]:
            pattern += "[^/]*"
        elif token["one"]:
            pattern += "[^/]"
        elif token["members"] is not None:
            pattern += _class_pattern(token["members"], bool(token["no"]))
        else:
            pattern += re.escape(token["sign"])
    return pattern


def _class_pattern(members: str, is_negated: bool) -> str:
    """Return the pattern of a class of characters, of which none is a slash."""
    pattern = ""
    for kind, first, last in compiled(
        r"\[:(\w+):\]|\\?(.)(?:-\\?(.))?", re.DOTALL
    ).findall(members):
        if kind or first <= (last or first):
            ends = f"-{re.escape(last)}" if last else ""
            pattern += _KINDS.get(kind, "") if kind else f"{re.escape(first)}{ends}"
    if not pattern:
        return "[^/]" if is_negated else "(?!)"
    return f"(?!/)[{'^' if is_negated else ''}{pattern}]"
