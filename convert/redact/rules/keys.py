"""Private keys, whole or as far as they are shown."""

from __future__ import annotations

import string

from convert.redact.rule import Rule
from convert.redact.values import is_key, is_random

KEYS = (
    Rule(
        "private key",
        ("-----begin ",),
        r"(?i:-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}"
        r"(?:PRIVATE KEY(?: BLOCK)?|STATIC KEY V1)-----)(?P<secret>"
        # Its lines end with a line feed, or with the escape that JSON writes for it.
        r"\s{0,8}(?:\\{1,3}[nr]|[\r\n]|(?=[A-Za-z0-9+/]{16}))"
        # Up to its end, if there is one: what a preview cut off is no less secret.
        r"(?:(?>(?:[^-]++|-(?!----))*)(?=-----END )"
        r"|(?>(?:[A-Za-z0-9+/=\s\\:,.\"'|>→]++|-(?!----))*)))",
        "-----BEGIN RSA PRIVATE KEY-----«\n{a64}\n{a40}==\n»"
        "-----END RSA PRIVATE KEY-----",
        is_key,
    ),
    Rule(
        "private key",
        ("-----end ",),
        # The last lines of one whose first are not shown.
        r"(?P<secret>[A-Za-z0-9+/=\r\n\\]{16,4096}+)"
        r"(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY)",
        '"«{a64}\n{a40}=\n»-----END RSA PRIVATE KEY-----',
        reach=4096,
        least=16,
        before=f"{string.ascii_letters}{string.digits}+/=\r\n\\",
    ),
    Rule(
        "private key",
        ("private-lines:",),
        r"(?i:Private-Lines:) ?\d{1,3}(?P<secret>[A-Za-z0-9+/=\s\\]{16,}+)",
        "Private-Lines: 2«\n{a64}\n{a40}=\n»…",
    ),
    Rule(
        "private key",
        ("privatekey", "private_key", "private-key", "presharedkey"),
        r"(?i:(?:private[-_]?|preshared)key)[\"' ]{0,3}[=:] ?[\"']?"
        r"(?P<secret>(?:0x)?[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)(?![A-Za-z0-9])",
        "PrivateKey = «{a43}=»",
        is_random,
    ),
)

# The accounts of a network of a blockchain, where a hash looks the same.
ACCOUNT_KEY = Rule(
    "private key",
    ("0x",),
    r"(?:(?<=accounts: \[[\"'])|(?<=accounts:\[[\"'])|(?<=accounts: \[\\\"))"
    r"0x[0-9a-f]{64}(?![0-9a-f])",
    'accounts: ["«0x{h64}»"]',
    follows="[0-9a-f]{8}",
)
# -----BEGIN in base64, as in the data of a certificate or of a key.
ENCODED_KEY = Rule(
    "private key",
    ("LS0tLS1CRUdJTi",),
    r"LS0tLS1CRUdJTi(?:B[A-Za-z0-9+/]{0,24}(?:QUklWQVRF|UFJJVkFUR|BSSVZBVE))"
    r"[A-Za-z0-9+/=]{16,}+",
    "client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk{a80}»",
)
