"""The scripts of `sed` and `awk`: whether they write files or run commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from convert.tools.commands.words import UNKNOWN
from convert.wording.compiled import compiled

# A regular expression between delimiters, which sets of characters may not hold: some
# versions of sed end it there.
_PATTERN = r"(?>(?:\\.|\[\^?\]?[^\]{0}\\\n]*+\]|[^\\\n\[{0}])*)"
_REGEX = "/" + _PATTERN.format("/") + "/"
_ADDRESS = rf"(?:[0-9]+(?:~[0-9]+)?|\$|{_REGEX}I?)"
_ADDRESSES = rf"(?:{_ADDRESS}(?:\s*+,\s*+(?:[+~]?[0-9]+|{_ADDRESS}))?\s*+!?\s*+)?"
_SUBSTITUTE = "|".join(
    f"s{mark}{_PATTERN.format(mark)}{mark}(?:{replaced}){mark}[gpiI0-9]*"
    for mark, replaced in (
        (re.escape(mark), rf"(?>(?:\\.|[^\\\n{re.escape(mark)}])*)")
        for mark in "/|#,@:!%"
    )
)
# Neither `w`, `W` and `e`, which write and run, nor what takes the rest of a line.
_COMMAND = rf"(?:[pPdDgGhHxnNlz=]|[qQ][0-9]*|{_SUBSTITUTE})"
_SED = rf"(?>(?:\s|;|\{{|\}}|{_ADDRESSES}(?:{_COMMAND}\s*+(?=[;}}\n]|$)|\{{))*)"

_SED_OPTIONS = {
    *("-n", "-E", "-r", "-u", "-nE", "-nr", "-En", "-rn", "-z", "--quiet", "--silent"),
    *("--regexp-extended", "--unbuffered", "--null-data", "--posix", "--debug"),
}
_SED_SCRIPTS = {"-e", "-ne", "-Ee", "-re", "-nEe", "-nre", "--expression"}
_AWK_OPTIONS = re.compile(r"-[Fv].")


def sed_only_prints(words: Sequence[str]) -> bool:
    """Return True if `sed` with these words writes to nothing but its output."""
    scripts: list[str] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _SED_SCRIPTS:
            scripts.append(next(rest, UNKNOWN))
        elif word in _SED_OPTIONS:
            continue
        elif word.startswith(("-", UNKNOWN)):
            return False
        else:
            operands.append(word)
    scripts = scripts or operands[:1]
    return scripts != [] and all(map(compiled(_SED).fullmatch, scripts))


def awk_only_prints(words: Sequence[str]) -> bool:
    """Return True if `awk` with these words writes to nothing but its output."""
    rest = iter(words)
    for word in rest:
        if word in ("-F", "-v"):
            next(rest, None)
        elif word == "--":
            return _awk_script_only_prints(next(rest, UNKNOWN))
        elif not _AWK_OPTIONS.match(word):
            return _awk_script_only_prints(word)
    return False


def _awk_script_only_prints(script: str) -> bool:
    """Return True if an awk script neither redirects nor runs a command."""
    # `>` redirects only behind `print`; elsewhere it compares.
    _, _, printed = script.partition("print")
    runs = "|" in script.replace("||", "") or "system" in script or "@" in script
    is_known = UNKNOWN not in script and not script.startswith("-")
    return is_known and not runs and ">" not in printed
