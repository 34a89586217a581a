"""Secrets in files of a known form: YAML, cookies, forms, keys in JSON."""

from __future__ import annotations

import string

from convert.redact.rule import Rule
from convert.redact.rules.assignments import BEGINS, CLOSED, NAME, QUOTED
from convert.redact.values import (
    is_block,
    is_given,
    is_mixed,
    is_random,
    is_very_random,
    is_written,
)

_LINE_END = r"(?:\\{0,3}r)?\r?(?:\n|\\{1,3}n)"
_NAMES = (
    "pass",
    "pw",
    "token",
    "secret",
    "api_key",
    "auth",
    "client_secret",
    "new_p",
    "old_p",
)
_FORMS = tuple(f'name={mark}"{name}' for name in _NAMES for mark in ("", "\\"))
# The private members of a key, of which `k` is that of a shared one.
_PRIVATE = (
    r"\"[dk]\\{0,3}\"\s?:\s?\\{0,3}\""
    r"(?P<secret>[A-Za-z0-9_-]{40,1024}={0,2})(?=\\{0,3}\")"
)
# How far before its kind the private member of a key may be.
_REACH = 1600

DOCUMENTS = (
    Rule(
        "password",
        BEGINS,
        # A text of several lines, which are indented alike.
        rf"{CLOSED}:[ \t]{{1,4}}(?:[&!][\w.!/-]{{1,40}}[ \t]{{1,4}}){{0,2}}"
        r"[|>][-+\d]{0,2}[ \t]{0,4}\r?\n(?P<indent>[ \t]{1,40})(?P<secret>[^\n]{4,512}"
        r"(?>(?:\n(?P=indent)[^\n]{1,512}){0,100}))",
        "password: |\n  «hunter2zz9»\nuser: bob",
        is_block,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        # A value with a mark that is repeated elsewhere, or with its type.
        rf"{CLOSED}:[ \t]{{1,4}}(?:[&!][\w.!/-]{{1,40}}[ \t]{{1,4}}){{1,2}}"
        rf"(?:{QUOTED}|(?P<bare>[^\s\"'|>&!*#{{}}\[\]]\S{{3,512}}))",
        "password: &main «hunter2zz9»",
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        # A value in the line below its name.
        rf"{CLOSED}:[ \t]{{0,4}}\r?\n[ \t]{{1,40}}"
        r"(?P<secret>[^\s\"'`:,;{}()\[\]]{8,256})"
        r"[ \t]{0,4}(?:[\r\n]|\Z)",
        "password:\n  «hunter2zz9»\nuser: bob",
        is_mixed,
        head=NAME,
    ),
    Rule(
        "password",
        ("password%3d", "passwd%3d", "pwd%3d", "token%3d", "secret%3d", "key%3d"),
        # The query of an address in another one.
        r"(?i:password|passwd|pwd|token|secret|key)%3[Dd]"
        r"(?P<secret>(?:[A-Za-z0-9_.~-]|%(?!26|20|23)[0-9A-Fa-f]{2}){8,512})",
        "?next=%2Fx%3Fpassword%3D«hunter2zz9»%26a",
        is_written,
    ),
    Rule(
        "password",
        _FORMS,
        rf"name=\\?\"[\w.-]{{0,32}}?(?i:pass|pw|token|secret|key)[\w.-]{{0,16}}\\?\""
        rf"(?:;[^\r\n\\]{{0,80}})?{_LINE_END}(?:[A-Z][^\r\n\\]{{1,80}}{_LINE_END}){{0,3}}"
        rf"{_LINE_END}(?P<secret>[^\r\n\\]{{4,512}})",
        'form-data; name="password"\r\n\r\n«hunter2zz9»\r\n--x',
        is_given,
    ),
    Rule(
        "cookie",
        ("\t/\t", "\\t/\\t"),
        # The lines of a cookie jar have their fields between tabs.
        r"(?:\t|\\t)/(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,12}(?:\t|\\t)[^\s\\]{1,64}"
        r"(?:\t|\\t)(?P<secret>[^\s\\\"']{12,4096})",
        ".x.example\tTRUE\t/\tTRUE\t0\tsid\t«{a26}»",
        is_random,
    ),
    Rule(
        "password",
        ("wifi:",),
        r"WIFI:(?:[THSR]:(?:[^;\\]|\\.){0,64};){0,4}P:(?P<secret>(?:[^;\\\n]|\\.){4,128});",
        "WIFI:T:WPA;S:guests;P:«hunter2zz9»;;",
        is_given,
    ),
    Rule(
        "private key",
        ('"kty',),
        rf"\"kty(?:[^{{}}k]|k(?!ty)){{0,2000}}?{_PRIVATE}",
        '"kty": "EC", "d": "«{t43}»"',
        is_very_random,
    ),
    Rule(
        "private key",
        ('"kty',),
        rf"(?<={{)[^{{}}]{{0,{_REACH}}}?{_PRIVATE}",
        '{"crv": "P-256", "d": "«{t43}»", "kty": "EC"}',
        is_very_random,
        reach=_REACH,
        least=40,
        before=f'{string.ascii_letters}{string.digits}_-="\\:, \r\n\t',
        head=r"\"kty\\{0,3}\"\s?:\s?\\{0,3}\"(?:RSA|EC|OKP|oct)",
    ),
)
