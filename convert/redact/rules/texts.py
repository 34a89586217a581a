"""Secrets in addresses, headers, sessions of programs and servers, and sentences."""

from __future__ import annotations

import string

from convert.redact.rule import Rule, either
from convert.redact.values import (
    is_cookie,
    is_foreign,
    is_given,
    is_long,
    is_mixed,
    is_phrase,
    is_quoted_in_prose,
    is_random,
    is_sent,
    is_typed,
    is_written,
)

_QUERY = "sig(?:nature)?|token|key|auth(?:token)?|secret|password|passwd|pwd|pass"

# How far before its last word the name in a query may begin.
_REACH = 60
# The marks of a password in front of @.
_MARKS = "-_.:!#$%&*+=?^~,;/"
ADDRESSES = (
    Rule(
        "password in an address",
        ("://",),
        r"://[^\s:/?#@\"'<>`\\]{0,128}:(?P<secret>[^\s/?#@\"'<>`\\]{1,256})"
        r"@(?=[A-Za-z0-9\[$({])(?![^\s/@]{0,256}@)",
        "https://bob:«hunter22»@host.example/x",
        is_given,
    ),
    Rule(
        "token in an address",
        ("://",),
        r"://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=[A-Za-z0-9])",
        "https://«{a40}»@host.example/x.git",
        is_random,
    ),
    Rule(
        "password in an address",
        ("@tcp(", "@unix("),
        r"[\w.+-]{1,64}:(?P<secret>[^\s@\"'`\\]{3,128})@(?:tcp|unix)\(",
        "bob:«hunter22»@tcp(db:3306)/shop",
        is_given,
        reach=_REACH,
        before=f"{string.ascii_letters}{string.digits}{_MARKS}",
    ),
    Rule(
        "webhook address",
        ("://hooks.slack.com/", "://hooks.zapier.com/"),
        r"(?i:://hooks\.(?:slack|zapier)\.com)/"
        r"(?:services|workflows|triggers|hooks/catch)/(?P<secret>[A-Za-z0-9/_-]{12,})",
        "https://hooks.slack.com/services/«T0/B0/{a24}»",
        is_random,
    ),
    Rule(
        "webhook address",
        ("://",),
        r"://[\w.-]{1,80}/api/webhooks/(?P<secret>\d{17,20}/[A-Za-z0-9_-]{40,})",
        "https://discord.example/api/webhooks/«{d18}/{t68}»",
    ),
    Rule(
        "webhook address",
        ("://",),
        r"://(?:[\w-]{1,64}\.webhook\.office\.com/webhookb?2?|chat\.googleapis\.com"
        r"/v1/spaces)/(?P<secret>[A-Za-z0-9/@?&=%._-]{20,})",
        "https://corp.webhook.office.com/webhookb2/«{h36}/IncomingWebhook/{h32}»",
        is_random,
    ),
    Rule(
        "webhook address",
        ("://open.feishu.cn/", "://open.larksuite.com/", "://hook."),
        r"://(?:open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook"
        r"|hook\.(?:[a-z]{2}\d\.)?(?:make|integromat)\.com)/(?P<secret>[a-z0-9-]{20,64})",
        "https://hook.eu1.make.com/«{l32}»",
        is_random,
    ),
    Rule(
        "token in an address",
        ("code=",),
        # The codes of Google begin so; those of a function end as base64 does.
        r"(?<=[?&])code=(?P<secret>4(?:/|%2[Ff])0A[A-Za-z0-9_-]{40,512}"
        r"|[A-Za-z0-9_-]{38,80}(?:==|%3[Dd]%3[Dd]))",
        "http://localhost:8085/?code=«4/0A{t60}»&scope=mail",
        is_random,
    ),
    Rule(
        "Convex key",
        ("|eyj2",),
        r"(?<![\w-])(?:prod|dev|preview|project):[\w:-]{1,64}\|eyJ2[A-Za-z0-9+/=_-]{30,}",
        "deploy with «prod:quiet-lake-12|eyJ2{a50}=»",
        is_random,
        reach=80,
        before=f"{string.ascii_letters}{string.digits}_:-",
    ),
    Rule(
        "Ably key",
        ("ably.re",),
        r"(?i:ably\.re)(?:st|altime)(?:\.Promise)?\((?:\{\s?key:\s?)?\\{0,3}[\"']"
        r"(?P<secret>[\w-]{6}\.[\w-]{6}:[\w-]{40,64})",
        "new Ably.Realtime('«{a6}.{a6}:{t43}»')",
        is_random,
    ),
    Rule(
        "signature in an address",
        (
            "sig=",
            "signature=",
            "token=",
            "key=",
            "auth=",
            "authtoken=",
            "secret=",
            "password=",
            "passwd=",
            "pwd=",
            "pass=",
        ),
        r"(?<=[?&;])(?<![?&;]{2})(?:[A-Za-z0-9]{1,16}[_-]){0,3}"
        rf"(?i:{_QUERY})=(?P<secret>[A-Za-z0-9%+/_.~-][A-Za-z0-9%+/=_.~-]{{7,4096}})",
        "https://x.example/y?sig=«{a43}%3D»",
        is_written,
        reach=_REACH,
        before=f"{string.ascii_letters}{string.digits}_-",
    ),
    Rule(
        "Azure key",
        ("accountkey=", "sharedaccesskey=", "sharedsecret="),
        r"(?i:AccountKey|SharedAccessKey|SharedSecret)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
        "AccountKey=«{a86}==»;",
        is_random,
    ),
    Rule(
        "password",
        ("password=", "pwd=", "passwd="),
        # In a connection string, the value goes up to the next semicolon.
        r"(?<=;)\s?(?i:password|pwd|passwd)=(?P<secret>[^;\"'\r\n\\]{1,128})",
        "Server=db;User=sa;Password=«correct horse»;Encrypt=true",
        is_given,
    ),
)
_QUOTE = r"""\\{0,3}["']?"""
_SCHEME = r"(?:[A-Za-z][A-Za-z0-9-]{1,40}\s{1,4}(?:[a-z]{1,16}=\\{0,3}[\"']?)?)?"

HEADERS = (
    Rule(
        "authorization",
        ("authorization",),
        rf"(?i:authorization){_QUOTE}\]?\s{{0,4}}[:=,][ \t]{{0,4}}"
        rf"\\{{0,3}}[frbu]?{_QUOTE}{_SCHEME}"
        r"(?P<secret>(?!token=)[^\s\"'\\`,;|<>(){}]{6,4096}"
        r"(?:, ?[A-Za-z-]{1,32}=\\{0,3}\"?[^\s\"'\\`,;|<>(){}]{1,512}\\{0,3}\"?)"
        r"{0,16})",
        "Authorization: Basic «Ym9iOmh1bnRlcjI=»",
        is_sent,
    ),
    Rule(
        "authorization",
        ("bearer ",),
        r"(?i:bearer)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        "bearer «{a32}»",
        is_sent,
    ),
    Rule(
        "cookie",
        ("cookie:", "cookie ", "cookie="),
        r"(?i:cookie(?::\s?| |=))[\"']?"
        r"(?P<secret>[\w.%-]{1,64}=[^\r\n\"'\\]{4,4096})",
        "Set-Cookie: «session=abcdef0123»\n",
        is_cookie,
    ),
)
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
        is_quoted_in_prose,
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
