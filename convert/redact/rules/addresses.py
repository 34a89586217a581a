"""Passwords, keys and signatures in addresses and connection strings."""

from __future__ import annotations

import string

from convert.redact.rule import Rule
from convert.redact.values import is_given, is_random, is_written

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
