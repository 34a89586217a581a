"""Secrets in text, found by their shape and place and replaced by their name.

rule       a kind of secret, and how its pattern is written; rules: the tables of them
values     the values that can be one: placeholders, variables and words are none
literals   hundreds of literals that are searched for in a text at once
places     secrets that the text around them reveals
finding    all secrets of a text, with the tokens that are known by their shape
suspicion  the lines and members of JSON that may hold a secret
redactor   replaces the secrets of a log, and finds them again wherever else they are
ndjson     JSON without its secrets, also where a text is spread over many lines
events     events without their secrets, for formats whose lines are not written again
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "events": "redacted",
        "finding": "continued find find_tokens words_of_other_languages "
        "words_with_starts",
        "literals": "GATES Literals Words _AtOnce _OneByOne folded lowered search_for "
        "spellings",
        "ndjson": "Shape rewrite",
        "places": "literal_rules",
        "redactor": "Known Redactor encoded is_telling",
        "rule": "Rule Secret",
        "rules": "LONG_WORD MAIL Rules every_rule read_rules",
        "suspicion": "is_escaped suspected",
    },
)
