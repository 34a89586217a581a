"""Secrets in the places where agents meet them, each with a harmless twin.

All are made up here. Fields such as {h32} are filled in when the table is read, so that
no scanner takes it for a leak: `_ALPHABETS` lists the characters of each.

tokens     keys and tokens of issuers, put into one place after another
passwords  passwords, keys and cookies that only their place gives away
texts      passwords and keys in source code and in sentences
documents  private keys, files and whole messages
layouts    values under their names: lists, blocks, tables and forms
sessions   further programs, talks with servers, and other languages
services   keys next to the service they belong to, and further commands and files
ordinary   outputs of tools that hold no secret
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

_FIELD = re.compile(r"\{([a-zA-Z])(\d+)(?:\+|-\d+)?\}")
_ALPHABETS = {
    "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "d": "0123456789",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "t": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
    "x": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
}


class Row(NamedTuple):
    """A secret in its place, between « and », and a text like it without one."""

    group: str
    text: str
    twin: str


def rows() -> Iterator[Row]:
    """Yield the table, with its fields filled in."""
    from support.secrets.documents import DOCUMENTS
    from support.secrets.layouts import LAYOUTS
    from support.secrets.passwords import PASSWORDS
    from support.secrets.services import SERVICES
    from support.secrets.sessions import SESSIONS
    from support.secrets.tokens import tokens

    for row in (*tokens(), *PASSWORDS, *DOCUMENTS, *LAYOUTS, *SESSIONS, *SERVICES):
        group, text, twin = row
        yield Row(group, filled(text), filled(twin))


def filled(template: str) -> str:
    """Return a template with characters in its fields, always the same ones."""
    dice = random.Random(template)

    def fill(field: re.Match[str]) -> str:
        characters = dice.choices(_ALPHABETS[field[1]], k=int(field[2]))
        # No token of its length is without a digit and a letter, as a few would be.
        if len(characters) > 3 and field[1] not in "dh":
            characters[1:3] = ["7", "B" if field[1] in "abtuHwx" else "b"]
        # Base64 of text begins with letters and digits.
        for at in range(min(16, len(characters)) if field[1] == "b" else 0):
            characters[at] = characters[at].replace("+", "x").replace("/", "y")
        return "".join(characters)

    return _FIELD.sub(fill, template)
