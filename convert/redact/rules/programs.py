"""Secrets in the arguments and settings of single programs."""

from __future__ import annotations

from convert.redact.rule import Rule
from convert.redact.rules.commands import REACH, VALUE
from convert.redact.values import is_cookie, is_given, is_sent, is_typed, is_written

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
        ("sshpass -p",),
        # Not the -p of ssh, which takes a port.
        rf"sshpass -p{VALUE}",
        "sshpass -p«hunter2zz9» ssh bob@x",
        is_given,
    ),
    Rule(
        "password",
        ("-keychain -p ",),
        rf"-keychain -p {VALUE}",
        "security unlock-keychain -p «hunter2zz9» build.keychain",
        is_given,
    ),
    Rule(
        "password",
        ("--secret-string",),
        rf"--secret-string[ =]{VALUE}",
        "aws secretsmanager create-secret --name x --secret-string «hunter2zz9»",
        is_given,
    ),
    Rule(
        "password",
        (" --value",),
        rf" --value[ =]{VALUE}",
        "az keyvault secret set --vault-name x --value «hunter2zz9»",
        is_given,
        reach=REACH,
        after=("keyvault", "SecureString"),
    ),
    Rule(
        "password",
        ("--type securestring",),
        rf"put-parameter [^\n|;&]{{0,160}}?--value[ =]{VALUE}",
        "aws ssm put-parameter --value «hunter2zz9» --type SecureString",
        is_given,
        reach=REACH,
        starts=("put-parameter",),
    ),
    Rule(
        "cookie",
        (" -b", " --cookie"),
        r" (?:-b|--cookie)[ =]?[\"']?"
        r"(?P<secret>[\w.%-]{1,64}=[^\s\"'\\][^\r\n\"'\\]{3,4096})",
        "curl -b '«session={a26}»' https://x.example",
        is_cookie,
        reach=REACH,
        after=("curl",),
    ),
    Rule(
        "cookie",
        ("sessionid=", "sessid="),
        r"(?i:sessionid|sessid)=(?P<secret>[A-Za-z0-9%._:-]{16,512})",
        "PHPSESSID=«{l26}»",
        is_sent,
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
