"""The shapes of secrets, as their issuers define them.

Facts are those of the issuers' documentation, as of 2026. No library on the index has
them in a form that can be used here: detect-secrets 1.5 finds 25 of 98 shapes whole,
leaves the tail of others, of a private key all but its first line, and some of its
patterns take minutes for 100 kB that are made for it; others are unreadable from
outside, or bring hundreds of megabytes.

Every pattern takes time in proportion to the text: each repetition is of one class of
characters, bounded or possessive, and a literal marks where a match can begin.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

MAIL = "e-mail address"


class Rule(NamedTuple):
    """A kind of secret."""

    name: str
    """The kind, as the output names it."""

    begins: tuple[str, ...]
    """Literals of which one must occur: at the start of a match if `is_anchored`."""

    pattern: str
    """A regular expression. The secret is its group `secret`, else the whole match."""

    example: str = ""
    """A text with a secret of this kind between « and ».

    {hex:32} in it means 32 hexadecimal digits, so that no scanner takes this file for a
    leak.
    """

    is_anchored: bool = True
    """True if every match begins with one of the literals."""

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when a text first needs it."""
        return _compiled(self.pattern)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _word(first: str = "") -> str:
    """That a word begins here, or with the character before: `first` is its pattern.

    No secret begins in the middle of a word, unless that is an escape of some language,
    a sequence of the terminal or a quoted `=`.
    """
    before = (
        *(r"\\[nrtbf]", r"\\x[0-9A-Fa-f]{2}", r"\\u00[0-9A-Fa-f]{2}"),
        *(r"%[0-9A-Fa-f]{2}", r"=3[Dd]"),
        *(r"[0-9;\[]m", r"\[K", r"\[[0-2]K", r"\(B"),
    )
    after = "|".join(f"(?<={what}{first})" for what in before)
    return rf"(?:(?<![A-Za-z0-9_\\]{first})|{after})"


_WORD = _word()
_END = r"(?![A-Za-z0-9])"
_TAIL = r"[A-Za-z0-9_-]"


def _token(name: str, begins: str, rest: str, example: str) -> Rule:
    """A token that begins with one of some words and goes on in a known way."""
    words = begins.split()
    either = "|".join(map(re.escape, words))
    pattern = f"{_WORD}(?:{either}){rest}"
    return Rule(name, tuple(words), pattern, f"«{words[0]}{example}»")


_TOKENS = (
    _token("Anthropic key", "sk-ant-", rf"{_TAIL}{{20,}}", "api03-{mixed:86}"),
    _token("OpenRouter key", "sk-or-v1-", rf"[0-9a-f]{{64}}{_END}", "{hex:64}"),
    _token(
        "OpenAI key",
        "sk-",
        rf"(?:(?:proj|svcacct|admin|service|None)-(?=[A-Za-z_-]{{0,64}}\d){_TAIL}{{20,}}|[A-Za-z0-9]{{32,}}{_END})",
        "proj-{mixed:70}_{mixed:60}",
    ),
    _token("Cursor key", "key_ crsr_", rf"[0-9a-f]{{64}}{_END}", "{hex:64}"),
    _token("Google key", "AIza", rf"{_TAIL}{{35}}(?!{_TAIL})", "{mixed:35}"),
    _token("Google token", "ya29.", rf"{_TAIL}{{20,}}", "{mixed:60}"),
    _token("Google token", "GOCSPX-", rf"{_TAIL}{{28}}", "{mixed:28}"),
    _token("Google token", "1//0", rf"{_TAIL}{{40,}}", "{mixed:60}"),
    _token(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        rf"[A-Za-z0-9_]{{36,}}(?:\.{_TAIL}{{10,}}){{0,2}}",
        "{mixed:36}",
    ),
    _token(
        "GitHub token", "github_pat_", r"[A-Za-z0-9_]{36,}", "{mixed:22}_{mixed:59}"
    ),
    _token(
        "GitLab token",
        "glpat- gldt- glft- glffct- glsoat- glrt- glrtr- glcbt- glimt- glptt- glagent-"
        " gloas- glwt- GR1348941",
        rf"{_TAIL}{{20,}}(?:\.{_TAIL}{{2,}}){{0,2}}",
        "{mixed:27}.01.{mixed:9}",
    ),
    _token(
        "Hugging Face token", "hf_ api_org_", rf"[A-Za-z0-9]{{34,}}{_END}", "{mixed:34}"
    ),
    _token("npm token", "npm_", rf"[A-Za-z0-9]{{36}}{_END}", "{mixed:36}"),
    _token("PyPI token", "pypi-AgEI pypi-AgEN", rf"{_TAIL}{{50,}}", "{mixed:80}"),
    _token("Docker token", "dckr_pat_ dckr_oat_", rf"{_TAIL}{{20,}}", "{mixed:27}"),
    _token("RubyGems key", "rubygems_", rf"[0-9a-f]{{48}}{_END}", "{hex:48}"),
    _token(
        "Slack token",
        "xoxa- xoxb- xoxe- xoxe.xox xoxo- xoxp- xoxr- xoxs- xapp-",
        r"[A-Za-z0-9%-]{10,}",
        "123456789012-{mixed:24}",
    ),
    _token(
        "Stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"[A-Za-z0-9]{16,}",
        "{mixed:99}",
    ),
    _token("webhook key", "whsec_", r"[A-Za-z0-9+/]{24,}=*", "{mixed:31}+{mixed:11}="),
    _token("AWS key", "AKIA ASIA ABIA ACCA", rf"[A-Z2-7]{{16}}{_END}", "{upper:16}"),
    _token(
        "DigitalOcean token",
        "dop_v1_ doo_v1_ dor_v1_",
        rf"[0-9a-f]{{64}}{_END}",
        "{hex:64}",
    ),
    _token("Heroku key", "HRKU-", rf"{_TAIL}{{36,}}", "{mixed:60}"),
    _token("Supabase key", "sbp_", r"[0-9a-f]{40,}", "{hex:40}"),
    _token("Supabase key", "sb_secret_", rf"{_TAIL}{{20,}}", "{mixed:22}_{mixed:8}"),
    _token("Databricks token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_END}", "{hex:32}-2"),
    _token(
        "Sentry token",
        "sntrys_ sntryu_",
        r"[A-Za-z0-9+/=_-]{40,}",
        "{mixed:60}_{mixed:43}",
    ),
    _token(
        "Linear key", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{32,}", "{mixed:40}"
    ),
    _token("Notion token", "ntn_", r"[A-Za-z0-9]{40,}", "{mixed:46}"),
    _token("Notion token", "secret_", rf"[A-Za-z0-9]{{43}}{_END}", "{mixed:43}"),
    _token("Twilio key", "SK", rf"[0-9a-f]{{32}}{_END}", "{hex:32}"),
    _token(
        "SendGrid key",
        "SG.",
        rf"{_TAIL}{{16,32}}\.{_TAIL}{{16,64}}",
        "{mixed:22}.{mixed:43}",
    ),
    _token("Mailgun key", "key-", rf"[0-9a-f]{{32}}{_END}", "{hex:32}"),
    _token("Vault token", "hvs. hvb. hvr.", rf"{_TAIL}{{24,}}", "{mixed:90}"),
    _token(
        "Grafana token",
        "glsa_",
        rf"[A-Za-z0-9]{{32}}_[0-9a-f]{{8}}{_END}",
        "{mixed:32}_{hex:8}",
    ),
    _token("Groq key", "gsk_", r"[A-Za-z0-9]{40,}", "{mixed:52}"),
    _token("xAI key", "xai-", r"[A-Za-z0-9]{60,}", "{mixed:80}"),
    _token("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,}", "{mixed:48}"),
    _token("Replicate token", "r8_", rf"[A-Za-z0-9]{{37}}{_END}", "{mixed:37}"),
    _token("NVIDIA key", "nvapi-", rf"{_TAIL}{{50,}}", "{mixed:64}"),
    _token(
        "Atlassian token",
        "ATATT3",
        r"[A-Za-z0-9_=-]{100,}",
        "xFfGF0{mixed:180}={upper:8}",
    ),
    _token(
        "Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}", "{hex:32}"
    ),
    _token("Figma token", "figd_", rf"{_TAIL}{{38,}}", "{mixed:40}"),
    _token(
        "Tailscale key",
        "tskey-",
        rf"[a-z]{{2,12}}-{_TAIL}{{20,}}",
        "auth-{mixed:12}-{mixed:32}",
    ),
    _token(
        "Square token", "sq0atp- sq0csp- sq0idp-", rf"{_TAIL}{{22,43}}", "{mixed:22}"
    ),
    _token(
        "Vercel token", "vcp_ vci_ vca_ vcr_ vck_", r"[A-Za-z0-9]{24,}", "{mixed:24}"
    ),
    _token("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}", "{upper:58}"),
    _token(
        "JWT",
        "eyJ",
        # Only the first of many that follow one another can begin one.
        rf"(?:(?<![_-]eyJ)|(?<=(?m:^)-eyJ)){_TAIL}{{8,}}\.(?:eyJ{_TAIL}{{8,}}\.{_TAIL}*|{_TAIL}*(?:\.{_TAIL}{{8,}}){{3}})",
        "{mixed:20}.eyJ{mixed:40}.{mixed:43}",
    ),
    Rule(
        "private key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<secret>"
        # Its lines end with a line feed, or with the escape that JSON writes for it.
        r"\s{0,8}(?:\\{1,3}[nr]|[\r\n])"
        # Up to its end, if there is one: what a preview cut off is no less secret.
        r"(?:(?:[^-]++|-(?!----))*+(?=-----END )"
        r"|(?:[A-Za-z0-9+/=\s\\:,.\"'|>→]++|-(?!----))*+))",
        "-----BEGIN RSA PRIVATE KEY-----«\n{mixed:64}\n{mixed:40}==\n»"
        "-----END RSA PRIVATE KEY-----",
    ),
    Rule(
        "private key",
        ("Private-Lines:",),
        r"Private-Lines: ?\d{1,3}(?P<secret>[A-Za-z0-9+/=\s\\]{16,}+)",
        "Private-Lines: 2«\n{mixed:64}\n{mixed:40}=\n»…",
    ),
)

# The beginnings of placeholders, which are no secrets.
PLACEHOLDER = (
    r"\*{3}|[xX]{3}|\.\.\.|<|\$|\{|%|\[redacted"
    r"|(?i:true|false|none|null|undefined|change-?_?me|example|your[_-]|replace|dummy"
    r"|todo|op://)"
)
_NONE = f"(?!{PLACEHOLDER})"
_QUOTE = r"""\\{0,3}["']?"""
_NAME = (
    r"(?:passwo?r?d|passphrase|secret(?:[_-]?(?:access[_-]?)?key)?|token"
    r"|(?:api|access|auth|account|private|encryption|signing|master)[_-]?key)"
    r"(?:_(?:prod|dev|test|live|staging|\d{1,2}))?"
)
_NAMED = tuple(
    written
    for word in (
        *("pass", "secret", "token", "api", "access", "auth", "account"),
        *("private", "encryption", "signing", "master"),
    )
    for written in (word, word.capitalize(), word.upper())
)
_SHOUTED = ("PASSW", "PASSPHRASE", "SECRET", "TOKEN", "KEY", "CREDENTIALS", "_PWD=")
# `TOKEN_URL` is no token.
_ABOUT = "URL|URI|FILE|PATH|NAME|TYPE|EXPIR|TTL|MIN|MAX|LENGTH|COUNT|RESET|HEADER"

_PLACES = (
    Rule(
        "password in an address",
        ("://",),
        r"://[^\s:/?#@\"'<>`\\]{0,128}:(?P<secret>"
        + _NONE
        + r"[^\s/?#@\"'<>`\\]{1,256})@(?=[A-Za-z0-9\[])",
        "https://bob:«hunter22»@host.example/x",
    ),
    Rule(
        "token in an address",
        ("https://", "http://"),
        rf"https?://(?P<secret>{_TAIL}{{20,256}})@(?=[A-Za-z0-9])",
        "https://«{mixed:40}»@host.example/x.git",
    ),
    Rule(
        "webhook address",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,})",
        "https://hooks.slack.com/services/«T0/B0/{mixed:24}»",
    ),
    Rule(
        "webhook address",
        ("/api/webhooks/",),
        rf"/api/webhooks/(?P<secret>\d{{17,20}}/{_TAIL}{{60,}})",
        "https://discord.example/api/webhooks/«{digits:18}/{mixed:68}»",
    ),
    Rule(
        "signature in an address",
        ("?sig=", "&sig=", ";sig="),
        r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/=]{40,120})",
        "https://x.example/y?sig=«{mixed:43}%3D»",
    ),
    Rule(
        "Azure key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
        "AccountKey=«{mixed:86}==»;",
    ),
    Rule(
        "Azure key",
        ("Q~",),
        rf"{_WORD}[A-Za-z0-9_~.]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}(?!{_TAIL})",
        "«abc8Q~{mixed:34}»",
        is_anchored=False,
    ),
    Rule(
        "Azure key",
        ("AZDO",),
        rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{76}}AZDO[A-Za-z0-9]{{4}}{_END}",
        "«{mixed:76}AZDO{mixed:4}»",
        is_anchored=False,
    ),
    Rule(
        "Discord token",
        (".",),
        rf"[MNO]{_word('[MNO]')}{_TAIL}{{23,27}}\.{_TAIL}{{6}}\.{_TAIL}{{27,38}}(?!{_TAIL})",
        "«M{mixed:25}.{mixed:6}.{mixed:38}»",
        is_anchored=False,
    ),
    Rule(
        "Telegram token",
        (":AA",),
        rf"(?<![\d.:])\d{{8,10}}:AA{_TAIL}{{33}}(?!{_TAIL})",
        "«{digits:10}:AA{mixed:33}»",
        is_anchored=False,
    ),
    Rule(
        "AWS key",
        ("ecret", "ECRET"),
        rf"(?i:secret_?(?:access_?)?key){_QUOTE}\s{{0,4}}[:=][ \t]{{0,4}}{_QUOTE}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "aws_secret_access_key = «{mixed:40}»",
        is_anchored=False,
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        rf"(?i:authorization){_QUOTE}\s{{0,4}}[:=][ \t]{{0,4}}{_QUOTE}"
        r"(?i:bearer|basic|token|apikey|bot|digest)\s{1,4}(?P<secret>"
        + _NONE
        + r"[A-Za-z0-9._~+/=-]{8,})",
        "Authorization: Basic «Ym9iOmh1bnRlcjI=»",
        is_anchored=False,
    ),
    Rule(
        "authorization",
        ("earer ", "EARER "),
        r"(?<![A-Za-z])(?i:bearer)\s{1,4}"
        r"(?P<secret>(?=[A-Za-z._~+/-]{0,64}\d)[A-Za-z0-9._~+/-]{16,}={0,2})",
        "bearer «{mixed:32}»",
        is_anchored=False,
    ),
    Rule(
        "password",
        _NAMED,
        rf"(?i:{_NAME})(?:\\{{0,3}}[\"'])?\]?\s{{0,4}}(?::=|=>|[:=])[ \t]{{0,4}}"
        r"\\{0,3}(?P<quote>[\"'])(?P<secret>"
        + _NONE
        + r"(?=[^\s\"'\\]{0,64}\d)(?=[^\s\"'\\]{0,64}[A-Za-z])[^\s\"'\\]{8,512})"
        r"(?=\\{0,3}(?P=quote))",
        'password = "«hunter2zz9»"',
    ),
    Rule(
        "password",
        _NAMED,
        rf"(?i:{_NAME})\s{{0,4}}[:=][ \t]{{0,4}}(?P<secret>"
        + _NONE
        + r"(?=[A-Za-z_+/=!@#%^&*$-]{0,64}\d)(?=[0-9_+/=!@#%^&*$-]{0,64}[A-Za-z])"
        # A dot may end a sentence; before a letter, it makes a name such as `config.x`.
        r"[A-Za-z0-9_+/=!@#%^&*$-]{8,256}+)(?![A-Za-z0-9_(\[]|\.[A-Za-z_(\[])",
        "db_password: «hunter2zz9»",
    ),
    Rule(
        "password",
        _SHOUTED,
        r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|PRIVATE)_KEY"
        rf"|CREDENTIALS|_PWD)(?:_(?!{_ABOUT})[A-Z0-9]{{1,16}}){{0,2}}={_QUOTE}(?P<secret>"
        + _NONE
        + r"[^\s\"'\\`;,&|()\[\]]{6,512}+)(?![(\[])",
        "export DB_PASSWORD=«correcthorse» && make",
        is_anchored=False,
    ),
    Rule(
        "password",
        ("--",),
        r"(?<![\w-])--(?:[a-z]{1,12}-){0,3}"
        r"(?:password|passwd|passphrase|token|secret|secret-key|api-?key|access-key)"
        rf"(?:=|\s{{1,2}}){_QUOTE}(?P<secret>(?![A-Z_]{{2,}}(?![A-Za-z0-9]))(?!-|id=)"
        + _NONE
        + r"(?=[a-z_-]{0,64}[0-9A-Z!@#%^&*+/=])[^\s\"'\\`;|()\[\]<>]{6,256})",
        "mysql --password «hunter2zz9» -h x",
    ),
    Rule(
        "password",
        ("-u ", "--user ", "--user="),
        r"(?:(?<=\s)-u |(?<=\s)--user[ =])[\"']?[\w.@+-]{1,64}:(?P<secret>"
        + _NONE
        + r"[^\s\"'\\`;|:/]{4,256})",
        "curl -u admin:«hunter2» https://x.example",
        is_anchored=False,
    ),
    Rule(
        "cookie",
        ("ookie: ",),
        r"\b(?:[Ss]et-)?[Cc]ookie: (?P<secret>[\w.-]{1,64}=[^\r\n\"'\\]{4,4096})",
        "Set-Cookie: «session=abcdef0123»\n",
        is_anchored=False,
    ),
    Rule(
        MAIL,
        ("@",),
        r"(?:(?<![A-Za-z0-9._%+\\-])|(?<=\\[nrt])|(?<=\\u00[0-9A-Fa-f]{2}))(?!git@)[A-Za-z0-9._%+-]{1,64}+"
        r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}"
        # Not icon@2x.png, nor lodash@4.17.js.
        r"(?!(?:png|jpe?g|gif|svg|webp|service|py|js|ts|css|json|html?|md|txt|git|local)"
        r"(?![A-Za-z]))[A-Za-z]{2,24}(?![A-Za-z0-9_(])",
        "from «bob.b+x@corp.example.com»",
        is_anchored=False,
    ),
)

RULES = _TOKENS + _PLACES
