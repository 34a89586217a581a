"""Secrets in the arguments and settings of single programs."""

from __future__ import annotations

from convert.redact.rule import Rule
from convert.redact.rules.commands import REACH, VALUE
from convert.redact.values import is_given, is_typed, is_written

PROGRAMS = (
    Rule(
        "password",
        ("sqlplus ", "impdp ", "expdp "),
        r"(?<![\w-])(?:sqlplus|impdp|expdp)(?: -\w{1,8}(?: \d[\d.]{0,8})?){0,4}"
        r" (?:userid=)?"
        r"[\"']?[\w.$#]{1,64}/(?:\\{0,3}[\"'](?P<secret>[^\"'\\\r\n]{3,128})"
        r"|(?P<bare>[^\s\"'\\@/;|&()<>]{4,128}))",
        "sqlplus bob/«hunter2zz9»@shop",
        is_given,
    ),
    Rule(
        "password",
        ("--encrypt ",),
        # The second of two: one to read a document, and one to change it.
        r"--encrypt [^\s\\;|&-][^\s\\;|&]{0,128} "
        r"[\"']?(?P<secret>[^\s\"'\\;|&-][^\s\"'\\;|&]{2,128})[\"']? (?:40|128|256) ",
        "--encrypt x «hunter2zz9» 256 -- a.pdf",
        is_given,
    ),
    Rule(
        "password",
        ("secrets set ",),
        r"secrets set (?:-\S{1,24} \S{1,64} ){0,2}[A-Z][A-Z0-9_]{0,64}="
        rf"(?!\S{{0,16}}\$\(){VALUE}",
        "fly secrets set STRIPE=«{a30}»",
        is_given,
    ),
    Rule(
        "password",
        ("requirepass ", "masterauth "),
        rf"(?:requirepass|masterauth) {VALUE}",
        "requirepass «hunter2zz9»",
        is_typed,
    ),
    Rule(
        "password",
        ("psk ", "password "),
        rf"nmcli [^\n|;&]{{0,160}}[ -.](?:psk|password) {VALUE}",
        "nmcli dev wifi connect guests password «hunter2zz9»",
        is_given,
        reach=REACH,
        starts=("nmcli",),
    ),
    Rule(
        "password",
        ("--password-command",),
        r"--password-command[ =]\\{0,3}[\"']?(?:echo|printf)(?: -n)? [\"']?"
        r"(?P<secret>[^\s\"'\\`;|&()<>]{4,256})",
        "restic --password-command 'echo «hunter2zz9»'",
        is_given,
    ),
    Rule(
        "password",
        ("--from-literal", "secret put ", "kv put "),
        # Each is a name with its value.
        r"(?:--from-literal[ =]|(?:secret|kv) put [\w./-]{1,128} )(?:-\S{1,40} ){0,2}"
        rf"[\"']?[\w.-]{{1,64}}=(?!@){VALUE}",
        "vault kv put secret/x value=«hunter2zz9»",
        is_written,
    ),
)
