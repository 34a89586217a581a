"""Secrets in sentences, and the addresses of people."""

from __future__ import annotations

import string

from convert.redact.rule import Rule, either
from convert.redact.values import (
    is_foreign,
    is_long,
    is_mixed,
    is_phrase,
    is_told,
    is_typed,
)

MAIL = "e-mail address"
_QUOTED = r"[\"'`“‘«*]{1,3}(?P<secret>[^\"'`”’»*\r\n]{4,128})[\"'`”’»*]"
_BARE = r"(?P<bare>[^\s\"'`\\,;()<>*\[\]][^\s\"'`\\,;()<>\[\]]{5,255})"
_WORDS = (
    *("password", "passphrase", "passcode", "pass ?word", "pw", "pwd", "passwd"),
    *("api[ -]?key", "access key", "secret(?: key)?", "token", "credentials?"),
    *("client secret", "private key", "license key", "key"),
)
_WHAT = f"(?:{either(_WORDS)})"
# A value may follow these without anything in between.
OTHER_LANGUAGES = (
    *("passwort", "kennwort", "mot de passe", "contraseña", "contrasena", "senha"),
    *("passord", "lösenord", "adgangskode", "wachtwoord", "salasana", "parola"),
    *("hasło", "heslo", "jelszó", "şifre", "пароль", "κωδικός", "kata sandi"),
    *("mật khẩu", "סיסמה", "كلمة المرور", "كلمة السر"),
    *("密码", "密碼", "口令", "パスワード", "비밀번호"),
)
_PREPOSITIONS = (
    "für|fuer|von|vom|zum|zur|des|der|de|du|del|da|do|para|pour|per|di|voor|для"
)
_VERBS = (
    "ist|lautet|war|heißt|est|es|é|è|era|is|este|är|er|on|jest|je|adalah|είναι|là|هي"
    "|是|为|為|は|은|는|—"
)
# Not icon@2x.png, nor lodash@4.17.js.
_HOST = (
    r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}"
    r"(?!(?:png|jpe?g|gif|svg|webp|service|py|js|ts|css|json|html?|md|txt|git|local)"
    r"(?![A-Za-z]))[A-Za-z]{2,24}(?![A-Za-z0-9_(])"
)

PROSE = (
    Rule(
        "password",
        (
            "passw",
            "passphrase",
            "passcode",
            "pw is",
            "pw:",
            "api key",
            "api-key",
            "secret",
        ),
        rf"(?<![\w-])(?<!\d{{6}}:){_WHAT}"
        r"(?: (?:for|of|to|on|from) [^\s:]{1,40}(?: [\w'\"`@.-]{1,40}){0,3}?"
        r"| (?:entered|used|given))?"
        r"(?:,? (?:is|ist|è|est|es|was|are|be|should be|has been|will be)"
        r"(?: now| still| currently)?"
        r"(?: (?:set|changed|reset))?(?: to)?|\s?:| (?:set|changed|reset) to| to) ?:? ?"
        rf"(?:{_QUOTED}|{_BARE})",
        "The password is «hunter2zz9».",
        is_told,
    ),
    Rule(
        "password",
        ("passw", "passphrase", "passcode", "api key", "token", "secret", "access key"),
        rf"(?<![a-z-]){_WHAT}(?: (?:is|was|=))?:? (?:{_QUOTED}|{_BARE})",
        "Log in with password «hunter2zz9».",
        is_mixed,
    ),
    Rule(
        "password",
        ("credential", "login", "log in", "logged in", "sign in"),
        r"(?i:credentials?|log(?:ged)? ?in|sign in)"
        r"(?: (?:for|to|of|on) [\w.-]{1,40}(?: [\w.-]{1,20}){0,3}?)?"
        r"(?: (?:with|as|using|are|is))?"
        r"[:= ]{1,3}[`\"']?[\w.@+-]{1,64}[`\"']?(?:,? ?[/:] ?|,? and |,? with |, )"
        r"(?:(?:the )?(?:password|pass|pw)[:= ]{1,3})?"
        r"(?:[\"'`]{1,2}(?P<secret>[^\"'`\r\n]{4,128})[\"'`]|(?P<bare>[^\s\"'`\\,;()<>/?=\[\]]{6,64})"
        r"(?![/?=]))",
        "Credentials: admin / «hunter2zz9»",
        is_long,
    ),
    Rule(
        "password",
        OTHER_LANGUAGES,
        rf"(?i:{'|'.join(OTHER_LANGUAGES)})(?:et|en|n)?(?![a-zß-ÿ])"
        r"(?: (?:d['’]ordine|πρόσβασης))?"
        rf"(?:(?: (?:{_PREPOSITIONS}) [^\s:]{{1,40}}(?: [^\s:]{{1,40}}){{0,3}}?)?"
        rf"[^\S\n]?(?:(?:{_VERBS})(?![a-z])[^\S\n]?[:：=＝]?|[:：=＝]))?"
        rf"[^\S\n]?(?:{_QUOTED}|{_BARE})",
        "Das Passwort ist «hunter2zz9»",
        is_foreign,
    ),
    Rule(
        "password",
        ("passw", "passphrase"),
        # An answer that is typed at the prompt of a program.
        r"(?i:password|passphrase)(?: for [^\n:]{1,80})?: ?"
        r"(?P<secret>[^\s\\\"'`()<>\[\]{}:;,]{5,64})(?=\s{0,4}(?:\n|\\n|\Z))",
        "Enter password for key 'x.pem': «tree.house.7»\n",
        is_typed,
    ),
    Rule(
        "password",
        ("passw",),
        # As an issuer of mail makes them for one program: four words of four letters.
        r"(?i:passw(?:ords?|ort))[^\n:=]{0,40}[:=]?[ \"'`\xa0]{0,3}"
        r"(?P<secret>[a-z]{4}(?:[ \xa0][a-z]{4}){3})(?![A-Za-z0-9])",
        "app password: «gwxz kfmq tbvn rjhd»",
        is_phrase,
    ),
    Rule(
        MAIL,
        ("@",),
        r"(?:(?<![A-Za-z0-9._%+\\-])|(?<=\\[nrt])|(?<=\\u00[0-9A-Fa-f]{2}))(?!git@)"
        rf"[A-Za-z0-9._%+-]{{1,64}}+{_HOST}",
        "from «bob.b+x@corp.example.com»",
        reach=80,
        least=1,
        # Unlike the `@@` of a diff.
        follows="[A-Za-z0-9-]",
        head=_HOST,
        before=f"{string.ascii_letters}{string.digits}._%+-",
    ),
)
