"""The rules, by what gives a secret away.

issuers      keys and tokens by their own shape, one line for each kind
services     those of models, agents and their services
pairs        keys of two parts, and keys after what they belong to
keys         private keys
addresses    passwords and signatures in addresses
headers      Authorization and its like
assignments  values after a name that says what they are
commands     options and arguments of programs
programs     arguments and settings of single programs
documents    files of a known form
sessions     what programs and servers say to each other
settings     settings, what code prints, and what a test of a page types
prose        sentences, and addresses of people

Facts are those of the issuers' documentation, as of 2026. Every pattern takes time in
proportion to the text: a repetition is of one class of characters, and bounded or
possessive.
"""

from convert.redact.rules.addresses import ADDRESSES
from convert.redact.rules.assignments import ASSIGNMENTS
from convert.redact.rules.commands import COMMANDS
from convert.redact.rules.documents import DOCUMENTS
from convert.redact.rules.headers import HEADERS
from convert.redact.rules.issuers import PARTED, WORDS
from convert.redact.rules.keys import ACCOUNT_KEY, ENCODED_KEY, KEYS
from convert.redact.rules.pairs import AFTER_ID, PAIRED
from convert.redact.rules.programs import PROGRAMS
from convert.redact.rules.prose import MAIL, PROSE
from convert.redact.rules.sessions import SESSIONS
from convert.redact.rules.settings import SETTINGS

__all__ = ["MAIL", "PLACES", "RULES", "TOKENS"]

TOKENS = (*WORDS, *PAIRED, ENCODED_KEY, ACCOUNT_KEY)
PLACES = (
    *(PARTED + AFTER_ID + KEYS + ADDRESSES + HEADERS + ASSIGNMENTS + COMMANDS),
    *(PROGRAMS + DOCUMENTS + SESSIONS + SETTINGS + PROSE),
)
RULES = TOKENS + PLACES
