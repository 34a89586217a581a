"""Secrets in options and arguments of programs, and in the files that they read."""

from __future__ import annotations

import re

from convert.redact.rule import Rule
from convert.redact.rules.assignments import JOINED
from convert.redact.values import is_given, is_random, is_typed, is_written

VALUE = (
    r"(?:\\{0,3}\"(?P<secret>[^\"\\\r\n]{3,256})"
    rf"|\\{{0,3}}'(?P<other>(?:{JOINED}|[^'\\\r\n]){{3,256}})"
    r"|(?P<bare>[^\s\"'\\`;|&()<>\[\]]{3,256}))"
)
_NAMES = (
    r"(?:password|passwd|passphrase|passcode|pass|pwd|pw|token|secret|secret-key|pat"
    r"|secret-access-key|api-?key|access-key|account-key|storage-key|auth-?key|auth"
    r"|authtoken|bearer|license-key|private-key|encryption-key|(?<=-)key|credentials?)"
)
# Programs, and the options after which each takes a password.
_PROGRAMS = (
    (
        "mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump",
        "-p",
        False,
    ),
    ("7z 7za 7zz rar unrar", "-hp -p", False),
    ("sshpass cqlsh twine impala-shell", "-p", True),
    ("mongo mongosh mongodump mongorestore mongoexport mongoimport", "-p", True),
    ("redis-cli valkey-cli", "-a", True),
    ("sqlcmd bcp tsql isql", "-P", True),
    ("bcp sqlcmd", "-P", False),
    ("useradd usermod", "-p", True),
    ("pdftk", "user_pw owner_pw input_pw", True),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", "-w", True),
    ("mosquitto_pub mosquitto_sub ipmitool zip unzip", "-P", True),
    # Not `docker run -p`, which publishes a port.
    ("login supabase", "-p", True),
    ("cf ibmcloud argocd influx oc lftp ftp", "-p", True),
    ("snmpwalk snmpget", "-A -X", True),
    ("ssh-keygen", "-N", True),
    ("doctl hcloud influx flyctl", "-t", True),
    ("keytool jarsigner apksigner", "-storepass -keypass -srcstorepass -pass", True),
    ("gh vercel fly wrangler", "--body -b -t", True),
    ("openssl", "-k -K", True),
    ("xfreerdp wlfreerdp", "/p:", False),
)
_SHARE = r" (?:[^\s\\]{1,40} )?(?:\\{2,8}[^\s/]{1,120} )?"
_ARGUMENT = r"(?:'[^'\n]{1,64}'|\"[^\"\n]{1,64}\"|[^\s'\"]{1,64})"
# Subcommands whose last word is a secret, and the last of their own words.
_ARGUMENTS = (
    ("vault login", "login ", "vault login"),
    ("cargo login", "login ", "cargo login"),
    (r"rclone obscure", "obscure ", "rclone obscure"),
    (r"poetry config pypi-token\.[\w-]+", "pypi-token.", "poetry config pypi-token.x"),
    (
        r"poetry config http-basic\.[\w-]+ \S{1,64}",
        "http-basic.",
        "poetry config http-basic.x bob",
    ),
    (
        r"ngrok (?:config )?(?:add-)?authtoken",
        "authtoken ",
        "ngrok config add-authtoken",
    ),
    (
        r"npm config set \S{0,128}_(?:authToken|password)",
        "_authtoken _password",
        "npm config set //x.example/:_authToken",
    ),
    (
        r"aws configure set \S{0,64}",
        "secret_access_key session_token",
        "aws configure set aws_secret_access_key",
    ),
    (
        r"pulumi config set --secret \S{1,64}",
        "--secret ",
        "pulumi config set --secret x",
    ),
    ("net use" + _SHARE + r"/user:\S{1,64}", "/user:", "net use z: /user:bob"),
    (
        r"htpasswd -[a-zA-Z]*b[a-zA-Z]* \S{1,128} \S{1,64}",
        "htpasswd",
        "htpasswd -b f bob",
    ),
    (r"mysqladmin [^\n|;]{0,80}password", "password ", "mysqladmin -u root password"),
    ("snyk auth", "auth ", "snyk auth"),
    ("flyctl auth token", "auth ", "flyctl auth token"),
    (r"wpa_passphrase " + _ARGUMENT, "wpa_passphrase ", "wpa_passphrase guests"),
    (r"qpdf [^\n|;]{0,80}--encrypt", "--encrypt ", "qpdf --encrypt"),
)
# How far before its option a program may be named.
REACH = 200
_SETTERS = (
    r"(?:ENV|ARG|setx|setenv|set -[gUx]{1,3}|env (?:set|add)|secrets? (?:set|put))"
)
_NAMED = ("password ", "passwd ", "_pass ", "_pwd ", "secret ", "token ", "key ")


def _options(programs: str, options: str, has_blank: bool) -> Rule:
    """Return the rule of some programs; the value follows a blank, or the option."""
    words, flags = programs.split(), options.split()
    blank = r"(?:\s{1,2}|=)" if has_blank else ""
    pattern = rf" (?:{'|'.join(map(re.escape, flags))}){blank}{VALUE}"
    example = f"{words[0]} x {flags[0]}{' ' * has_blank}«hunter2zz9» y"
    literals = tuple(sorted({f" {flag.lower()}" for flag in flags}))
    return Rule(
        *("password", literals, pattern, example, is_given),
        reach=REACH,
        after=tuple(words),
    )


def _last_word(command: str, last: str, example: str) -> Rule:
    """Return the rule of a command that ends in a secret."""
    words = last.split()
    literals = tuple(words if len(words) > 1 else [last])
    pattern = rf"(?:{command})[ =](?!-|/)(?:\w{{1,40}}=)?{VALUE}"
    example = f"{example} «hunter2zz9»"
    rule = Rule("password", literals, pattern, example, is_given)
    if command.startswith(last):
        return rule
    return rule._replace(reach=REACH, starts=(command.split()[0],))


COMMANDS = (
    *(_options(*line) for line in _PROGRAMS),
    *(_last_word(*line) for line in _ARGUMENTS),
    Rule(
        "password",
        ("--",),
        rf"(?<![\w-])--(?:[a-z0-9]{{1,16}}-){{0,4}}{_NAMES}(?:=|\s{{1,2}})"
        rf"(?![A-Z_]{{2,}}(?![A-Za-z0-9]))(?!-|id=|src=){VALUE}",
        "mysql --password «hunter2zz9» -h x",
        is_written,
        # Unlike the `---` of a diff.
        follows="[a-z0-9]",
    ),
    Rule(
        "password",
        ("--password", "--passwd", "--passphrase", "-storepass", "-keypass"),
        r"--?(?:[a-z0-9]{1,16}-){0,2}(?:password|passwd|passphrase|storepass|keypass)"
        rf"(?:=|\s{{1,2}})(?!-)(?![A-Z_]{{2,}}(?![A-Za-z0-9])){VALUE}",
        "gpg --passphrase «correct-horse» x",
        is_typed,
    ),
    Rule(
        "password",
        (" -u", " -a", "--user ", "--user=", "--proxy-user ", "--auth ", "--login "),
        r"\s?(?i:-(?:u(?=[ =]|[\w.@+-]{1,64}:[^\s/]{4})"
        r"|(?:a|-user|-proxy-user|-auth|-login)(?=[ =])))"
        r"[ =]?[\"']?[\w.@+\\-]{0,64}[:%]"
        # Not the names or numbers of a user and a group.
        r"(?!(?:\d{1,6}|users|staff|wheel|web|www-data|adm|root|docker)(?![^\s\"']))"
        r"(?P<secret>[^\s\"'\\`;|/]{3,256})(?![^\s\"'\\]*/)",
        "curl -u admin:«hunter2» https://x.example",
        is_given,
    ),
    Rule(
        "password",
        ("pass:",),
        rf"(?<=[ =\"'])pass:{VALUE}",
        "openssl rsa -passin pass:«hunter2zz9»",
        is_given,
    ),
    Rule(
        "password",
        _NAMED,
        rf"{_SETTERS}\s{{1,2}}(?:[A-Z0-9]{{1,24}}_){{0,6}}"
        r"(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS)(?:_[A-Z0-9]{1,16}){0,2}"
        rf"(?:\s{{1,2}}(?:--body|-b|--value|-v))?[ =]\s?"
        # Vercel names an environment there, and reads the value from its input.
        rf"(?!(?:production|preview|development)(?![\w-])){VALUE}",
        "ENV DB_PASSWORD «hunter2zz9»",
        is_given,
        reach=60,
        starts=("ENV", "ARG", "setx", "setenv", "set", "env", "secret", "secrets"),
    ),
    Rule(
        "password",
        (
            "-stdin",
            "/stdin",
            "chpasswd",
            "with-token",
            "sudo -s",
            "secret set",
            "secret put",
            "env add",
            "--data-file",
            "login ",
        ),
        r"(?:echo(?: -n)?|printf(?: '?%s(?:\\{1,2}n)?'?)?) [\"']?(?:[\w.-]{1,64}:)?"
        r"(?P<secret>[^\s\"'\\`;|&()<>]{4,256})[\"']?\s{0,2}\|\s{0,2}[^\n|]{0,120}?"
        r"(?:[-/]stdin|chpasswd|with-token|sudo -S|secret (?:set|put)|env add|login"
        r"|secrets (?:create|versions add) [^\n|;&]{0,80}--data-file[= ]-)",
        "echo «hunter2zz9» | docker login -u bob --password-stdin",
        is_given,
        reach=REACH,
        starts=("echo", "printf"),
    ),
    Rule(
        "password",
        ("login ", "login\\n"),
        r"login(?:\s|\\n){1,8}[^\s\\]{1,128}(?:\s|\\n){1,8}(?:password|passwd)(?:\s|\\n){1,8}"
        r"[\"']?(?P<secret>[^\s\\\"']{3,256})(?<!:)(?![^\s\\\"'])",
        "machine x.example login bob password «hunter2zz9»\n",
        is_given,
    ),
    Rule(
        "password",
        (":5432:", ":*:"),
        # The days of a shadow file have a colon after each.
        r":(?:\d{4}|\*):(?!\d{1,6}:\d{0,6}:\d{0,6}:)[\w*-]{1,64}:[\w*.@-]{1,64}:(?P<secret>[^\s\"'\\]{4,128})",
        "db.example:5432:shop:bob:«hunter2zz9»",
        is_given,
    ),
    Rule(
        "password",
        ("identified by", "identified with", "password '", 'password "', "password $$"),
        r"(?i:identified (?:with [\w']{1,40} )?by(?: password)?"
        r"|(?:encrypted )?password)\s?=?\s?"
        r"(?:\\{0,3}(?P<open>'|\"|\$\$))(?P<secret>[^'\"\\\r\n]{3,256})"
        r"(?=\\{0,3}(?P=open))",
        "CREATE USER bob IDENTIFIED BY '«hunter2zz9»';",
        is_typed,
    ),
    Rule(
        "password",
        ("<<<",),
        r"<<< ?\$?[\"']?(?:[\w.-]{1,64}:)?(?P<secret>[^\s\"'`\\;|&()<>{}]{4,256})",
        "sudo -S apt update <<< '«hunter2zz9»'",
        is_written,
    ),
    Rule(
        "password",
        (" /user:",),
        # The password may be in front of the user, after what is shared.
        rf"net use{_SHARE}"
        r"[\"']?(?P<secret>[^\s/\"'\\][^\s\"'\\]{2,64})[\"']? /u(?:ser)?:",
        r"net use z: \\srv\share «hunter2zz9» /user:bob",
        is_given,
        reach=REACH,
        starts=("net",),
    ),
    Rule(
        "password",
        (" -asplaintext",),
        r"ConvertTo-SecureString(?:\s-\w{1,16}){0,3}\s"
        r"(?:\"(?P<secret>[^\"\r\n]{3,128})\"|'(?P<other>[^'\r\n]{3,128})')",
        "ConvertTo-SecureString '«hunter2zz9»' -AsPlainText -Force",
        is_given,
        reach=REACH,
        starts=("ConvertTo-SecureString",),
    ),
    Rule(
        "password hash",
        ("$2a$", "$2b$", "$2y$", "$argon2"),
        r"\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}"
        r"|argon2(?:id|i|d)\$v=\d{1,3}\$[a-z0-9=,]{1,64}\$[A-Za-z0-9+/]{8,128}\$"
        r"[A-Za-z0-9+/]{16,256})(?![./A-Za-z0-9])",
        "VALUES ('bob', '«$2b$12${a53}»')",
        is_random,
    ),
    Rule(
        "password hash",
        (":$",),
        r":(?P<secret>\$(?:1|5|6|y|2[aby]|apr1|argon2id)\$[./A-Za-z0-9$,=+]{16,})",
        "root:«$6${a8}${a60}»:19000",
        is_random,
    ),
)
