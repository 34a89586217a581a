"""Look up phrases: by kind and language, and the kind by a phrase in any language.

The phrases themselves are in the rows of tools/kinds/.
"""

from __future__ import annotations

import functools

from convert.tools.row import LANGUAGES
from convert.tools.table import TOOLS, UNKNOWN, tool_of

# Stands for the name of a tool that a log does not name.
UNNAMED = "unnamed"


def phrase(kind: str, name: str, language: str) -> str:
    """Return the phrase of a kind; one without a row is called by its name."""
    text: str = getattr(tool_of(kind).phrases, language)
    # A function without a name is not called by the name of its kind.
    named = name or (kind if kind != "function" else "")
    return text if kind in TOOLS else text.format(named or UNNAMED)


def read_phrase(text: str) -> tuple[str, str] | None:
    """Return the kind and the tool's name that a phrase stands for, in any language."""
    kind = _kinds().get(text)
    if kind is not None:
        return kind, ""
    for prefix, suffix in _around_names():
        name = text.removeprefix(prefix).removesuffix(suffix)
        if prefix + name + suffix == text and name and not set(name) & set(" \t{}"):
            return "function", "" if name == UNNAMED else name
    return None


@functools.cache
def _kinds() -> dict[str, str]:
    """Map each phrase, in any language, to its kind."""
    return {
        getattr(tool.phrases, language): kind
        for kind, tool in TOOLS.items()
        for language in LANGUAGES
    }


@functools.cache
def _around_names() -> list[list[str]]:
    """Return the text before and after the name of an unknown tool, by language."""
    return [getattr(UNKNOWN.phrases, lang).split("{}") for lang in LANGUAGES]
