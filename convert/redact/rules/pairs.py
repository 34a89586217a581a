"""Keys and tokens of two parts, and those that stand after what they belong to."""

from __future__ import annotations

from convert.redact.rule import Rule
from convert.redact.values import is_random, is_shuffled

_HEXADECIMAL = tuple("0123456789abcdef")
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

PAIRED = (
    # The token of an account stands after its number.
    Rule(
        "Twilio token",
        ("AC",),
        r"AC[0-9a-f]{32}(?![0-9A-Za-z])\\{0,3}[\"']?[\s,:=]{1,3}\\{0,3}[\"']?"
        r"(?P<secret>[0-9a-f]{32})(?![0-9A-Za-z])",
        'Client("AC{h32}", "«{h32}»")',
        is_random,
        follows="[0-9a-f]{8}",
    ),
    Rule(
        "fal key",
        _HEXADECIMAL,
        rf"{_UUID}:[0-9a-f]{{32}}(?![A-Za-z0-9])",
        "«{h8}-{h4}-{h4}-{h4}-{h12}:{h32}»",
        is_random,
        follows="[0-9a-f]{7}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        then=":",
    ),
    Rule(
        "Z.ai key",
        _HEXADECIMAL,
        r"[0-9a-f]{32}\.(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*\d)"
        r"[A-Za-z0-9]{16}(?![A-Za-z0-9_-])",
        "«{h32}.{a16}»",
        is_random,
        follows=r"[0-9a-f]{31}\.[A-Za-z0-9]{16}",
        is_word=True,
    ),
)
AFTER_ID = (
    Rule(
        "AWS key",
        ("akia", "asia"),
        r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])(?:[\"',;:|]|\s|\\[nt]){1,8}"
        r"(?:(?:Active|Inactive)(?:\s|\\[nt]){1,8})?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "AKIA7QWERTYEXAMPLE77,«{a40}»",
        is_shuffled,
    ),
)
