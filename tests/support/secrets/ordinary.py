"""Ordinary outputs of tools, which name passwords and tokens and hold none.

Each is short, and of the shape that the tool gives it.
"""

from __future__ import annotations

_PACKAGES = (
    "ii  base-passwd   3.6.1     amd64  Debian base files\n"
    "ii  bzip2-doc     1.0.8-5   all    documentation\n"
    "ii  e2fsprogs     1.47.0-2  amd64  file system utilities\n",
    "base-passwd\t3.6.1\nlibsecret-1-0\t0.20.5-3\nlibc6-dev\t2.36-9\n",
    "password-strength    0.0.3.post2\npasswordless  1.5.0\ntoken-bucket2   0.3.0\n",
    "Package              Version\n-------------------- -------\n"
    "1password-cli2  0.27.1\n"
    "tokenizers           0.20.3\nsecrets3             1.0.0\n",
    "# Name          Version    Build           Channel\n"
    "keyring         25.5.0     pyha804496_0    conda-forge\n"
    "llama3tokenize  0.20.3     py311h182c674_0 conda-forge\n",
    "token (1.3.3)\ntoken_auth (0.3.1)\npassword (1.4)\nsecret (0.1.0)\n",
    "├── js-tokens@4.0.0\n├── passport-jwt@4.0.1\n└── secret-handshake2@1.0.1\n",
    'secret-handshake@^1.0.0:\n  version "1.0.1"\n'
    '  resolved "https://r.example/a.tgz"\n',
    "passwd:\n  Installed: 1:4.13+dfsg1-1+deb12u1\n  Candidate: 1:4.13+dfsg1-1\n",
    " /etc/pam.d/passwd eaf2ad85b5ccd06cceb19a3e75f40c63\n",
    "passwd           4.13+dfsg1-1+deb12u1\nsecret           v2.1.0\n",
)
_CLUSTERS = (
    "NAME                  TYPE      DATA  AGE\n"
    "db-credentials-7f9c4  Opaque    2     41d\n"
    "default-token-x7k2p   kubernetes.io/service-account-token  3  212d\n",
    "NAME                    READY  STATUS   AGE\n"
    "secret-manager          1/1    Running  3d\n"
    "api-6d4cf56db6-2xk9p    1/1    Running  3d\n"
    "web-7f8b9c4d5-x8k2p     1/1    Running  3d\n",
    "Data\n====\npassword:  16 bytes\ntoken:     1176 bytes\n",
    "CONTAINER ID   IMAGE              NAMES\n"
    "3f2a9c1b7d4e   token-api:1.14.2   token-api-1\n",
    "ID           NAME         CREATED\nq1w2e3r4t5   db_password  3 weeks ago\n",
    "NAME           UPDATED\nCODECOV_TOKEN  2026-05-01T10:00:00Z\n"
    "NPM_TOKEN      2 months ago\n",
    "password: {{ .Values.auth.password | b64enc | quote }}\n",
    'auth:\n  existingSecret: "db-credentials-v2"\n'
    "  adminPasswordKey: postgres-admin2\n",
    "data:\n  - secretKey: api-token2\n    remoteRef: {key: prod/api-v2}\n",
    '  + resource "random_password" "db" {\n      + result = (sensitive value)\n'
    "    }\n",
    "DB_PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false\n",
)
_SUBJECTS = (
    "3f2a9c1 token: refresh-on-401\n9b8c7d6 password: hash-with-argon2id\n",
    "1042\ttoken: refresh-on-401\tfix/token-401\tOPEN\n"
    "1040\tsecret: move-to-vault-v2\n",
    "      token: expire-after-15m\n      api key: rename-to-access-key2\n",
    "✓ token: refreshes-on-401 3ms\n✓ secret: is-masked-in-v2-logs 1ms\n",
    "test token::tests::refresh_on_401 ... ok\n"
    "test lexer::token::tests::int64 ... ok\n",
    "test_login[password: too-short2] PASSED\ntest_key[api_key=missing-v2] SKIPPED\n",
    "2026-11-02 app: token: loaded-from-cache2, 12 ms\n"
    "Invalid token: unexpected-eof2\n",
    "- `token`: refresh-on-401 by default.\n| `password` | prompt-on-tty2 |\n",
)
_TRANSLATIONS = (
    '{"password": "Passwort", "token": "Zugriffsschlüssel", "secret": "Geheimnis"}',
    '{"password": "Mot de passe", "api_key": "Clé d’API", "token": "Jeton"}',
    '{"password": "Contraseña", "access_token": "Ficha de acceso"}',
    '{"password": "パスワード", "token": "トークン", "secretKey": "秘密鍵"}',
    '{"password": "Hasło", "newPassword": "Nowe hasło", "forgotPassword": '
    '"Zapomniane?"}',
    '{"password": "Salasana", "token": "Tunniste", "clientSecret": "see README"}',
    'msgid "password"\nmsgstr "Passwort vergessen?"\nmsgstr "Şifre Sıfırlama"\n',
    "login.password=Hasło\nerror.password=Ungültig\ntoken.label=Jeton\n",
    "de:\n  password: Passwort\n  password_confirmation: Passwort-Bestätigung\n",
    "  passwordTooShort: 'Passwort zu kurz',\n  apiKey: 'API-Schlüssel',\n",
)
_CODE = (
    "next(): Token { return { ...token, value=token.value } }",
    "let token: Token = Token::new(kind, span);\nmatch token { Token::LParen1 => {} }",
    "struct Config { password: SecretString, secret_key: ed25519::SecretKey }",
    "auto token = std::move(tokens_[i1]);\nsecret = std::make_unique<Secret2>(x);",
    "enum { TOKEN_EOF = 0x1F, TOKEN_IDENT = 258, TOKEN_KEY = 0x100 };",
    "$password = Hash::make($request->password);\n"
    "'token' => 'nullable|exists:tokens,id2'",
    "def unix_getpass(prompt='Password: ', stream=None):",
    "def add_password(self, realm, uri, user, passwd, is_authenticated=False):",
    "const authKey = hasAuth(regKey, opts)\nthis.authKey = authKey\n",
    "type Method = 'client_secret_basic' | 'client_secret_post' | 'none'\n",
    'TOKEN_COMMENT_END: "end of comment",\nERR_INVALID_PASSWORD = "Invalid password";',
    "// `withCredentials: true` and `withXSRFToken: true`.",
    "atom_to_token: `(batch_size, num_atoms)` the index",
    '{"input_token": "NextToken", "output_token": "Shards[-1].ShardId"}',
    'auth_token = b64encode(f"AWS:{password}")',
    "password: Secret\nuser = User(password=Secret(x))",
    'option(WITH_PASSWORD "enable password support" ON)',
    "osxkeychain-credential: osxkeychain-credential.o2\n\t$(CC) -o $@ $<\n",
)
_DESIGN = (
    '{"token": "color.text.brand2", "$token": "elevation-2"}',
    '{"name": "token-color-bg-100", "value": "gray-100"}',
    ":root {\n  --token-font: 'Inter-Variable2', sans-serif;\n}",
    '<Button key="reset-password2" token="colors.primary500" />',
    "| Token | Value |\n|---|---|\n| color-primary-500 | #1d4ed8 |\n"
    "| space-4 | 16px |\n",
    "token      count   freq\nCOVID-19     321   0.03\nGPT-4        120   0.01\n",
)
_SETTINGS = (
    "user.signingkey=~/.ssh/id_ed25519.pub\ncredential.helper=osxkeychain\n",
    "kubectl create secret generic s --from-file=ssh-privatekey=path/to/id_rsa\n",
    "account:password:UID:GID:GECOS:directory:shell\n",
    "CACHE_KEY: deps-linux-x64-v3\nx-ratelimit-token-bucket: default-v2\n",
    "password_encryption     scram-sha-256\nPasswordAuthentication  yes\n",
    "Password         set\nToken            valid until 2026-12-01\npassword  sha512\n",
    'msgid "The login and/or password you specified are not correct."\n',
    "Field     Type          Key\npassword  varchar(255)  \n"
    "token     char(64)      MUL\n",
    "Use `::add-mask::VALUE`, as in echo ::add-mask::$TOKEN\n::add-mask::***\n",
    "VE9LRU5fVFRMPTkwMApQQVNTV09SRF9NSU49MTIKQVBJX1RPS0VOPQpEQl9QQVNTV09SRD0kUFcK\n",
)
ORDINARY = [
    *(*_PACKAGES, *_CLUSTERS, *_SUBJECTS, *_TRANSLATIONS),
    *(*_CODE, *_DESIGN, *_SETTINGS),
]
