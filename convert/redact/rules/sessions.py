"""Passwords in what programs and servers say to each other."""

from __future__ import annotations

from convert.redact.rule import Rule
from convert.redact.values import is_given, is_sent, is_written

_LINE_END = r"(?:\r|\\r)?(?:\n|\\n)"
_LAST = rf"(?={_LINE_END}|\Z)"
# A command begins its line, or follows a prompt.
_BEGIN = r"(?:(?<![^\n])|(?<=\\n)|(?<=> ))"
_ARGUMENT = (
    r"(?:\\{0,3}\"(?P<secret>[^\"\\\r\n]{3,128})\\{0,3}\""
    r"|(?P<other>[^\s\"'\\()<>\[\]{}]{4,128}))"
)
_ENCODED = r"(?P<secret>[A-Za-z0-9+/]{8,2048}={0,2})"

SESSIONS = (
    Rule(
        "password",
        (
            *(
                "*assw",
                "]assw",
                "?assw",
                " assword",
                "{assword",
                '"assword',
                "'assword",
            ),
            *('assword:"', 'assword: "', "assword:'", "assword: '"),
        ),
        # A prompt that a script waits for, and the answer that it sends then.
        r".?assw(?:ord)?[^\"'\n;\\]{0,16}(?:\\{0,3}[\"'])?\}?(?:[\s;{]|\\n){1,24}"
        r"send(?:_user|line)?(?: --?)?[ (]{1,2}"
        r"\\{0,3}[\"'](?P<secret>[^\"'\\\r\n]{4,128})(?=\\|[\"'])",
        'expect "*assword:"\nsend "«hunter2zz9»\\r"',
        is_given,
    ),
    Rule(
        "password",
        ("pass ",),
        # Between the two may be an answer.
        rf"USER [^\s\\]{{1,128}}{_LINE_END}(?:[^\n\\]{{0,120}}{_LINE_END}){{0,2}}"
        rf"[^\n\\]{{0,16}}PASS (?P<secret>[^\s\"'\\]{{4,128}}){_LAST}",
        "USER bob\n331 next\nPASS «hunter2zz9»\n",
        is_given,
        reach=200,
        starts=("USER",),
    ),
    Rule(
        "password",
        ("login ",),
        rf"(?<=\w )LOGIN (?:\\{{0,3}}\"[^\"\\\n]{{1,64}}\\{{0,3}}\"|[\w.@+-]{{1,64}}) "
        rf"{_ARGUMENT}{_LAST}",
        'a1 LOGIN bob "«hunter2zz9»"\n',
        is_written,
    ),
    Rule(
        "authorization",
        ("auth plain", "authenticate plain"),
        rf"AUTH(?:ENTICATE)? PLAIN(?: |{_LINE_END}(?:(?:334|\+) ?{_LINE_END})?)"
        rf"{_ENCODED}",
        "AUTH PLAIN «{b28}»",
        is_sent,
    ),
    Rule(
        "password",
        ("auth login",),
        # The server asks for `Password:` in base64.
        rf"AUTH LOGIN[^:]{{0,200}}?UGFzc3dvcmQ6{_LINE_END}(?:[><C] )?{_ENCODED}",
        "AUTH LOGIN\n334 UGFzc3dvcmQ6\n«{b16}»\n",
        is_given,
    ),
    Rule(
        "password",
        ("auth ",),
        rf"{_BEGIN}AUTH (?:[\w.-]{{1,64}} )?{_ARGUMENT}{_LAST}",
        "127.0.0.1:6379> AUTH «hunter2zz9»\n",
        is_written,
    ),
)
