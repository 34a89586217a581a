"""Values after the name of a secret, in environments, code and documents."""

from __future__ import annotations

import string

from convert.redact.rule import Rule, either
from convert.redact.values import (
    is_argument,
    is_block,
    is_default,
    is_given,
    is_long,
    is_mixed,
    is_random,
    is_set,
    is_very_random,
    is_written,
)

# Values about a secret that are none: `TOKEN_URL`, `passwordHint`, `secretName`.
_OTHERS = (
    r"url|uri|file|path|name|type|expir|ttl|min|max|len|size|count|limit|"
    r"reset|header|ids?(?![a-z])|hash|policy|field|column|param|prompt|hint|"
    r"label|regex|pattern|mode|format|strength|length|usage|version|rotat|"
    r"arn|ref|index|offset|address|preference|scheme|option|interval|"
    r"changed|obtained|issued|created|updated|purge|timeout|template|terminator|kind|status|state|error|"
    r"required|enabled|endpoint|host|port|manager|service|request|response|"
    r"input|output|command|valid|chars?(?![a-z])|class|group|scope|store|"
    r"env|stdin|provider|dir|algorithm|source"
)
_ABOUT = rf"(?![-_]?(?:{either(_OTHERS.split('|'))}))"
_PART = r"(?:[-_][A-Za-z0-9]{1,24}+|(?<=[a-z])[A-Z][a-z0-9]{1,24}+)"
_SUFFIX = rf"(?>(?:{_ABOUT}{_PART}){{0,3}}){_ABOUT}"
_KEYS = (
    *("api", "app", "access", "auth", "account", "private", "secret", "encryption"),
    *("signing", "master", "license", "service", "storage", "subscription", "shared"),
    *("primary", "admin", "client", "session", "webhook", "consumer", "bot", "deploy"),
    *("ssh", "write", "read", "project"),
)
_KEY = rf"(?:{either(_KEYS)})[-_ .]?(?i:key)"
_NAMES = (
    *("passwords?", "passwd", "passwort", "passphrase", "passcode", "secret", "token"),
    *(f"{word}[-_ .]?key" for word in _KEYS),
    "credentials?",
)
_WORDS = f"(?:{either(_NAMES)})"
BEGINS = (
    *("passw", "passphrase", "passcode", "secret", "token", "credential"),
    *(f"{word}{mark}key" for word in _KEYS for mark in ("_", "-", "", " ", ".")),
)
# After a name: the end of its quotes, or the default that a program shows.
CLOSED = r"(?:\\{0,3}[\"'`])?[\])]?(?: \[[^\]\n]{0,32}\])?"
_TYPE = (
    r"(?::\s?(?:&?(?:'static )?str|string|String|Optional\[str\]|str \| None)"
    r"|\s(?:string|str))?"
)
_SEPARATOR = r"(?::=|=>|\?=|={1,3}|:|->|＝|：)"
# A name in any case, and one in capitals. After the number of an account and a colon,
# it is a part of a name in a cloud. A mark follows, or the type of a variable.
NAME = rf"(?<!\d{{6}}:){_WORDS}(?![a-z]){_SUFFIX}(?=\s{{0,24}}[^\sA-Za-z0-9_.]|\sstr)"
_LONGER = rf"{_WORDS}[\w.-]{{0,16}}+"
_CAPITALS = (
    r"(?:PASSWORDS?|PASSWD|PASSPHRASE|PASSCODE|(?<=[A-Z0-9]_)(?:PWD|PASS|PW|AUTH)"
    rf"|SECRET|TOKEN|APIKEY|CREDENTIALS?|{_KEY})(?![a-z]){_SUFFIX}"
)
# How a shell writes a quote inside of quotes.
JOINED = r"'(?:\\{1,3}'|\"'\")'"
# An escaped quote is part of the value. The end of a line closes a quote, too: the text
# may break off.
QUOTED = (
    r"(?:[frbuL@$]{0,2})(?P<open>\\{0,3}[\"'`])"
    rf"(?P<secret>(?>(?:{JOINED}|(?!(?P=open))(?:\\.|[^\r\n])){{4,512}}))"
    r"(?=(?P=open)|[\r\n]|\Z)"
)
_PLAIN = r"(?:[^\s\"'`\\,;&|<>()\[\]{}]|,(?=[^\s\"'`\\,;&|<>()\[\]{}=]{1,64}(?:\s|$)))"
# A bracket inside belongs to it, one at its end does not.
_BARE = rf"(?P<secret>{_PLAIN}{{4,512}}(?:[<>()\[\]|]{_PLAIN}{{2,64}}){{0,4}})"
# In settings a name may be the value of one member and the secret that of the next.
_VALUE_MEMBER = r"(?:\\{0,3}[\"'])?,?(?:\s|\\n){0,24}\\{0,3}[\"']?[Vv]alue\\{0,3}[\"']?"

# The value in a block or an object that has the name of a secret.
_INNER = r"[^{}]{0,300}?(?<![A-Za-z])(?:default|value)\\{0,3}[\"']?\s{0,8}[=:]\s{0,4}"

ASSIGNMENTS = (
    Rule(
        "password",
        ("pass", "secret", "token", "key", "credential", "pw", "auth"),
        rf"{CLOSED}[^\S\n]{{0,2}}(?:=>|[?:]?=|:[^\S\n]|＝|：)[^\S\n]{{0,2}}"
        rf"(?:{QUOTED}|(?>{_BARE.replace('secret', 'bare')})(?![(\[]))",
        "export DB_PASSWORD=«correcthorse» && make",
        is_set,
        head=_CAPITALS,
    ),
    Rule(
        "password",
        ("_key", "_pat=", "_pat:"),
        rf"(?<=[A-Z0-9])_(?:KEY|PAT)(?:_[A-Z0-9]{{1,16}})?{CLOSED}[^\S\n]{{0,2}}(?:=|:\s)"
        rf"[^\S\n]{{0,2}}[\"']?(?P<secret>{_PLAIN}{{16,512}})",
        "DATADOG_KEY=«{h32}»",
        is_mixed,
    ),
    Rule(
        "password",
        BEGINS,
        rf"{CLOSED}{_TYPE}[^\S\n]{{0,24}}+{_SEPARATOR}[^\S\n]{{0,4}}(?:\[\]byte\()?{QUOTED}",
        'password = "«hunter2zz9»"',
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        rf"\\{{0,3}}[\"'],\s{{0,4}}{QUOTED}"
        r"\\{0,3}[\"'][,)\s]",
        'setenv("API_TOKEN", "«hunter2zz9»", 1);',
        is_mixed,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        rf"\\{{0,3}}[\"']\s?:?(?:\s|\\n)?\{{{_INNER}{QUOTED}",
        'variable "db_password" {\n  default = "«hunter2zz9»"\n}',
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        # The new value in the plan of a change.
        rf"{CLOSED}[^\S\n]{{0,24}}+=\s(?:\\{{0,3}}\"[^\"\n]{{0,128}}\"|null|\([^)\n]{{1,40}}\))"
        rf"\s->\s{QUOTED}",
        'admin_password = "" -> "«hunter2zz9»"',
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        (
            *("login(", "authenticate(", "credential(", "getconnection("),
            *("auth=(", "auth = (", "basicauth("),
        ),
        # The last argument of a call that logs in.
        r"(?i:login|authenticate|credential|getconnection|basicauth|auth ?= ?)"
        r"\([^()\n]{0,120}?[\"'][^\"'\n]{1,80}"
        rf"\\{{0,3}}[\"'],\s?{QUOTED}\\{{0,3}}[\"']\s?[),]",
        'server.login("bob", "«hunter2zz9»")',
        is_argument,
    ),
    Rule(
        "Azure key",
        ("key1 ", "key2 "),
        r"(?i:key)[12]\s{1,24}(?i:full|read)\s{1,24}(?P<secret>[A-Za-z0-9+/]{86}==)",
        "key1  FULL  «{b86}==»",
        is_random,
    ),
    Rule(
        "password",
        ("define(",),
        r"define\(\s{0,2}[\"'][A-Z_]{0,32}(?:PASSWORD|SECRET|TOKEN|KEY|SALT)[\"'],\s{0,24}"
        rf"{QUOTED}",
        "define('DB_PASSWORD', '«hunter2zz9»');",
        is_given,
    ),
    Rule(
        "password",
        BEGINS,
        rf"\s{{0,4}}(?:\|\||\?\?)\s{{0,4}}{QUOTED}",
        "process.env.JWT_SECRET || '«hunter2zz9»'",
        is_default,
        head=NAME,
    ),
    Rule(
        "password",
        ('"auth',),
        r"\"auth\\{0,3}\"\s?:\s?\\{0,3}\""
        r"(?P<secret>[A-Za-z0-9+/]{16,512}={0,2})(?=\\{0,3}\")",
        '"auth": "«{b40}»"',
        is_random,
    ),
    Rule(
        "password",
        BEGINS,
        rf"{CLOSED}\s{{1,4}}\|\s{{1,4}}`?(?P<bare>[^\s|`]{{4,256}})`?\s{{1,4}}\|",
        "| admin password | «hunter2zz9» |",
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        BEGINS,
        rf"{CLOSED}[^\S\n]{{0,24}}+(?::=|=>|\?=|=|:|->|＝|：)[ \t]{{0,4}}(?![=!*])"
        rf"{_BARE}"
        # A dot may end a sentence; before a letter, it makes a name such as `config.x`.
        r"(?<![.:])(?![A-Za-z0-9_(\[])",
        "db_password: «hunter2zz9»",
        is_long,
        head=NAME,
    ),
    Rule(
        "password",
        ("passw", "passphrase"),
        rf"{CLOSED}[^\S\n]{{0,2}}(?:=|:[^\S\n]|＝|：){_BARE}(?<![.:])(?![A-Za-z0-9_(\[])",
        "ansible_password=«an5ible»",
        is_written,
        head=NAME,
    ),
    Rule(
        "password",
        ("pass", "pwd", "pw=", "_auth", "psk=", "psk:"),
        r"(?<![A-Za-z0-9])(?:(?:db|user|smtp|redis|root|admin|pg|my|ftp|mail)[-_]?)?"
        rf"(?:[Pp]ass|pwd|pw|_auth|psk){CLOSED}[^\S\n]{{0,24}}+[=:][^\S\n]{{0,2}}(?:{QUOTED}"
        rf"|{_BARE.replace('secret', 'bare')})(?<![.:])",
        "smtp_pass: «hunter2zz9»",
        is_long,
    ),
    Rule(
        "password",
        ("password", "passwd", "token", "secret", "apikey", "api_key", "api-key"),
        r">\s{0,4}(?P<secret>[^<>\r\n]{4,256}?)\s{0,4}</",
        "<password>«hunter2zz9»</password>",
        is_written,
        head=_LONGER,
    ),
    Rule(
        "password",
        BEGINS,
        rf"{_VALUE_MEMBER}(?:\s?[:=]\s?{QUOTED}"
        # In code, `token, value = …` has blanks there.
        rf"|(?:\s?:\s?|=){_BARE.replace('secret', 'bare')})",
        '<add key="ApiKey" value="«hunter2zz9»"/>',
        is_given,
        head=_LONGER,
    ),
    Rule(
        "AWS key",
        ("secret",),
        r"(?i:secret_?(?:access_?)?key)\\{0,3}[\"']?\s{0,4}[:=][ \t]{0,4}\\{0,3}[\"']?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "aws_secret_access_key = «{a40}»",
        is_given,
    ),
)
_LINE_END = r"(?:\\{0,3}r)?\r?(?:\n|\\{1,3}n)"
_FIELD_NAMES = (
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
_FORMS = tuple(f'name={mark}"{name}' for name in _FIELD_NAMES for mark in ("", "\\"))
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
