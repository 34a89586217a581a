"""The phrases of `text` in the languages of the documentation, each in a file.

A conversion reads one language, and reading a text back needs all of them. `text` is
read back by its phrases, so no two kinds of tools share one.
"""

from __future__ import annotations

import functools
import os

from convert.wording.sections import read_sections

LANGUAGES = ("en", "es", "fr", "de", "ko", "ja", "zh", "tr")

Phrases = dict[str, dict[str, str]]

# The name of a tool that a log does not name.
_UNNAMED = "unnamed"


@functools.cache
def phrases_in(language: str) -> Phrases:
    """Return the sections of a language: `["calls"]["read"]` is `Read file`."""
    return {
        heading: {name: values[0] for name, values in cells.items()}
        for heading, cells in read_sections(
            os.path.dirname(__file__), f"{language}.ini"
        )
    }


def in_all_languages(section: str, name: str) -> list[str]:
    """Return a phrase in each language."""
    return [phrases_in(language)[section][name] for language in LANGUAGES]


def phrase(
    kind: str, name: str = "", language: str = "en", *, is_done: bool = True
) -> str:
    """Return the phrase of a kind; one without a phrase is called by its name.

    The phrase of a call that was not done names the request.
    """
    phrases = phrases_in(language)
    if kind in phrases["calls"]:
        done = phrases["calls"][kind]
        return done if is_done else phrases["requests"].get(kind, done)
    # A function without a name is not called by the name of its kind.
    named = name or (kind if kind != "function" else "")
    unknown = phrases["unknown tools"]["call" if is_done else "request"]
    return unknown.format(named or _UNNAMED)


def read_phrase(text: str, *, is_done: bool = True) -> tuple[str, str] | None:
    """Return the kind and the tool's name of a phrase in any language.

    The phrase of a request is read only for a call that was not done.
    """
    for section in ("calls",) if is_done else ("calls", "requests"):
        if kind := _kinds(section).get(text):
            return kind, ""
    for prefix, suffix in _around_names(is_done):
        name = text.removeprefix(prefix).removesuffix(suffix)
        if prefix + name + suffix == text and name and not set(name) & set(" \t{}"):
            return "function", "" if name == _UNNAMED else name
    return None


@functools.cache
def _kinds(section: str) -> dict[str, str]:
    """Map each phrase of a section, in any language, to its kind."""
    return {
        text: kind
        for language in LANGUAGES
        for kind, text in phrases_in(language)[section].items()
    }


@functools.cache
def _around_names(is_done: bool) -> list[list[str]]:
    """Return the text before and after the name of an unknown tool, by language."""
    return [
        text.split("{}")
        for name in (("call",) if is_done else ("call", "request"))
        for text in in_all_languages("unknown tools", name)
    ]
