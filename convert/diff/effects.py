"""Edits by what they changed in a file, in place of what was passed to the tool.

An effect stands among the arguments of a call as a text, so that rules, run-made
values, settings and reports treat it like any other argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from convert.facts.edits import FileEdit, effect_of
from convert.tools.every_tool import CONTENTS
from convert.wording.compiled import compiled

EFFECT = "effect"
# Tools that change one file in one way; versions of the agent differ in which they use.
EDITS = ("edit", "write")

# Lines of an effect with one mark.
_BLOCK = "(?m)" + "|".join(rf"(?:^[{mark}][^\n]*\n)+" for mark in ("+", "-", " "))


def effect_arguments(kind: str, edits: list[FileEdit]) -> dict[str, Any] | None:
    """Return the path and the effect of an edit, as arguments; None if not recorded.

    `edits` are the changes of a call of a kind.
    """
    for edit in edits if kind in EDITS else ():
        effect = effect_of(edit)
        if effect is not None:
            return {"path": edit.path, EFFECT: effect}
    return None


def without_ignored(
    effect: dict[str, Any], recorded: dict[str, Any], compared: dict[str, Any]
) -> dict[str, Any]:
    """Return an effect as far as it is compared.

    To ignore the text that was passed to an edit is to ignore what that text did.
    """
    if CONTENTS & (recorded.keys() - compared.keys()):
        return {name: value for name, value in effect.items() if name != EFFECT}
    return effect


def respelled(effect: str, spelling: Callable[[str], str]) -> str:
    """Return an effect whose lines are in another spelling, behind the same marks."""

    def respell(match: re.Match[str]) -> str:
        mark = match[0][0]
        text = spelling(match[0][1:].replace(f"\n{mark}", "\n")).removesuffix("\n")
        return "".join(f"{mark}{line}\n" for line in text.split("\n"))

    return compiled(_BLOCK).sub(respell, effect)
