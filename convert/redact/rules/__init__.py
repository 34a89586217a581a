"""The rules, by what gives a secret away.

tokens     keys and tokens by their own shape, one line for each kind
names      values after a name that says what they are, in code and documents
commands   options, arguments and settings of programs
texts      addresses, headers, sessions, sentences and the addresses of people

Facts are those of the issuers' documentation, as of 2026. Every pattern takes time in
proportion to the text: a repetition is of one class of characters, and bounded or
possessive.
"""

from convert.redact.rules.commands import COMMANDS, PROGRAMS, SETTINGS
from convert.redact.rules.names import ASSIGNMENTS, DOCUMENTS
from convert.redact.rules.texts import ADDRESSES, HEADERS, MAIL, PROSE, SESSIONS
from convert.redact.rules.tokens import (
    ACCOUNT_KEY,
    AFTER_ID,
    ENCODED_KEY,
    KEYS,
    PAIRED,
    PARTED,
    WORDS,
)

__all__ = ["MAIL", "PLACES", "RULES", "TOKENS"]

TOKENS = (*WORDS, *PAIRED, ENCODED_KEY, ACCOUNT_KEY)
PLACES = (
    *(PARTED + AFTER_ID + KEYS + ADDRESSES + HEADERS + ASSIGNMENTS + COMMANDS),
    *(PROGRAMS + DOCUMENTS + SESSIONS + SETTINGS + PROSE),
)
RULES = TOKENS + PLACES
