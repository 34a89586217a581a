"""Secrets in options, arguments and settings of programs, and in their files."""

from __future__ import annotations

import re

from convert.redact.rule import Rule
from convert.redact.rules.names import JOINED, QUOTED
from convert.redact.values import (
    is_cased,
    is_cookie,
    is_filled,
    is_given,
    is_random,
    is_sent,
    is_typed,
    is_written,
)

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
_SETTING_NAMES = tuple(
    f"{mark}{name}{sign}"
    for mark in "._"
    for name in ("password", "passwd", "pass", "pwd")
    for sign in "=:"
)
_LOOKUPS = (
    *("getByLabel", "getByPlaceholder", "getByTestId", "cy.get", "locator"),
    *("find_element", "findElement"),
)

SETTINGS = (
    Rule(
        "password",
        _SETTING_NAMES,
        # A line of its own, since code has such names as well.
        r"(?<=[a-z0-9])[._](?:password|passwd|pass|pwd)(?:=|:[^\S\n])"
        r"(?P<secret>[A-Za-z0-9]{6,64})(?=\r?\n|\Z)",
        "smtp_pass: «hunterTwo2»\n",
        is_cased,
    ),
    Rule(
        "password",
        ("password:", "passwd:"),
        # A record as Go prints it: a blank parts its members, and none is inside.
        r"(?<= )(?:Password|Passwd):(?P<secret>[^\s{}\"'():,]{6,64})"
        r"(?=\}| [A-Z]\w{0,40}:\S)",
        "{User:bob Password:«hunterTwo2» TLS:true}",
        is_cased,
    ),
    Rule(
        "password",
        ("password: some(", "passphrase: some(", "password: string::from("),
        rf"(?:password|passphrase): (?:Some|String::from)\({QUOTED}",
        'password: Some("«hunterTwo2»")',
        is_cased,
    ),
    Rule(
        "password",
        (".fill(", ".type(", "send_keys(", "sendkeys(", "sequentially("),
        # A value that is typed into a field that a test of a page looks for.
        rf"(?:{'|'.join(map(re.escape, _LOOKUPS))})\([^()\n]{{0,80}}?"
        r"(?i:passw(?:or)?d|passphrase)[^()\n]{0,48}\)\s{0,4}\."
        rf"(?:fill|type|send_?[kK]eys|pressSequentially)\({QUOTED}",
        "getByLabel('Password').fill('«hunterTwo2»')",
        is_filled,
        reach=REACH,
        starts=_LOOKUPS,
    ),
    Rule(
        "password",
        ("securestring",),
        r"(?i:securestring)\\{0,3}\",\s{0,24}\\{0,3}\"Value\\{0,3}\"\s?:\s?"
        rf"{QUOTED}",
        '"Type": "SecureString", "Value": "«hunter2zz9»"',
        is_given,
    ),
    Rule(
        "Azure key",
        ("sas-key:", "functions-key:"),
        r"(?i:sas|functions)-key:\s?(?P<secret>[A-Za-z0-9+/_-]{32,128}={0,2})",
        "aeg-sas-key: «{b43}=»",
        is_sent,
    ),
)
