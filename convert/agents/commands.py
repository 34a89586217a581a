"""The command inside of another one: agents record `/bin/zsh -lc 'wc -c a.py'`."""

from __future__ import annotations

import shlex

_SHELLS = {"bash", "zsh", "sh", "dash", "fish", "ksh"}
_RUNS = {"-c", "-lc", "-ic", "-lic", "-cl"}


def unwrapped(command: str | list[str]) -> str:
    """Return the command that a shell is told to run; any other as it is.

    Codex records every command so, as a text or as a list of words.
    """
    if isinstance(command, list):
        return _inner(command) or shlex.join(command)
    # Most commands of other agents are not wrapped.
    if " -" not in command:
        return command
    head = command.split(maxsplit=2)
    if len(head) < 3 or not _is_shell(head):
        return command
    if (inner := _in_plain_quotes(head[2].rstrip())) is not None:
        return inner
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    return _inner(words) or command


def _in_plain_quotes(word: str) -> str | None:
    """Return what is in quotes; None if other quotes or backslashes are in it.

    To split a command into words takes ten times as long.
    """
    quote = word[:1]
    is_plain = quote in ("'", '"') and word.count(quote) == 2 and word[-1] == quote
    if not is_plain or (quote == '"' and "\\" in word):
        return None
    return word[1:-1] or None


def _inner(words: list[str]) -> str:
    return words[2] if len(words) == 3 and _is_shell(words) else ""


def _is_shell(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] in _SHELLS and words[1] in _RUNS
