"""Passwords in settings, in what code prints, and in what a test of a page types."""

from __future__ import annotations

import re

from convert.redact.rule import Rule
from convert.redact.rules.assignments import QUOTED
from convert.redact.rules.commands import REACH
from convert.redact.values import is_cased, is_filled, is_given, is_sent

_NAMES = tuple(
    f"{mark}{name}{sign}"
    for mark in "._"
    for name in ("password", "passwd", "pass", "pwd")
    for sign in "=:"
)
_LOOKUPS = (
    *("getByLabel", "getByPlaceholder", "getByTestId", "cy.get", "locator"),
    *("find_element", "findElement"),
)

SETTINGS = (
    Rule(
        "password",
        _NAMES,
        # A line of its own, since code has such names as well.
        r"(?<=[a-z0-9])[._](?:password|passwd|pass|pwd)(?:=|:[^\S\n])"
        r"(?P<secret>[A-Za-z0-9]{6,64})(?=\r?\n|\Z)",
        "smtp_pass: «hunterTwo2»\n",
        is_cased,
    ),
    Rule(
        "password",
        ("password:", "passwd:"),
        # A record as Go prints it: a blank parts its members, and none is inside.
        r"(?<= )(?:Password|Passwd):(?P<secret>[^\s{}\"'():,]{6,64})"
        r"(?=\}| [A-Z]\w{0,40}:\S)",
        "{User:bob Password:«hunterTwo2» TLS:true}",
        is_cased,
    ),
    Rule(
        "password",
        ("password: some(", "passphrase: some(", "password: string::from("),
        rf"(?:password|passphrase): (?:Some|String::from)\({QUOTED}",
        'password: Some("«hunterTwo2»")',
        is_cased,
    ),
    Rule(
        "password",
        (".fill(", ".type(", "send_keys(", "sendkeys(", "sequentially("),
        # A value that is typed into a field that a test of a page looks for.
        rf"(?:{'|'.join(map(re.escape, _LOOKUPS))})\([^()\n]{{0,80}}?"
        r"(?i:passw(?:or)?d|passphrase)[^()\n]{0,48}\)\s{0,4}\."
        rf"(?:fill|type|send_?[kK]eys|pressSequentially)\({QUOTED}",
        "getByLabel('Password').fill('«hunterTwo2»')",
        is_filled,
        reach=REACH,
        starts=_LOOKUPS,
    ),
    Rule(
        "password",
        ("securestring",),
        r"(?i:securestring)\\{0,3}\",\s{0,24}\\{0,3}\"Value\\{0,3}\"\s?:\s?"
        rf"{QUOTED}",
        '"Type": "SecureString", "Value": "«hunter2zz9»"',
        is_given,
    ),
    Rule(
        "Azure key",
        ("sas-key:", "functions-key:"),
        r"(?i:sas|functions)-key:\s?(?P<secret>[A-Za-z0-9+/_-]{32,128}={0,2})",
        "aeg-sas-key: «{b43}=»",
        is_sent,
    ),
)
