"""Private keys, and files and messages that are shown in part."""

from __future__ import annotations

from base64 import b64encode

_KINDS = ("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY")
_BODY = "{b64}\n{b64}\n{b64}\n{b30}=="
_ESCAPED = _BODY.replace("\n", "\\n")
_PUBLIC = "-----BEGIN PUBLIC KEY-----\n{b64}\n{b40}==\n-----END PUBLIC KEY-----"


def _pem(kind: str, body: str) -> str:
    return f"-----BEGIN {kind}-----\n«{body}»\n-----END {kind}-----"


_WHOLE = [(_pem(kind, _BODY), _PUBLIC) for kind in _KINDS]
_PARTS = [
    # The file is cut off, or its head is not shown.
    (
        f"-----BEGIN RSA PRIVATE KEY-----\n«{_BODY}»",
        "-----BEGIN CERTIFICATE-----\n{b64}",
    ),
    (
        f"$ tail -3 key.pem\n«{_BODY}»\n-----END PRIVATE KEY-----",
        "$ tail -3 key.pub\n{b64}",
    ),
    (
        f'"private_key": "-----BEGIN PRIVATE KEY-----\\n«{_ESCAPED}»\\n',
        '"key": "{b64}"',
    ),
    (f"KEY='-----BEGIN EC PRIVATE KEY-----\\n«{_ESCAPED}»'", "KEY=key.pem"),
    (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«{b64}\n{b64}\n={b4}»\n"
        "-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN PGP SIGNATURE-----\n\n{b64}\n-----END PGP SIGNATURE-----",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n«{b64}\n{b64}»\n"
        "-----END RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE REQUEST-----\n{b64}\n-----END CERTIFICATE REQUEST-----",
    ),
    (
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n«{b64}\n{b40}»\n"
        "Private-MAC: 1",
        "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 2\n{b64}\n{b40}",
    ),
    (
        "-----BEGIN OpenVPN Static key V1-----\n«{h32}\n{h32}\n{h32}»\n"
        "-----END OpenVPN Static key V1-----",
        "# 2048 bit OpenVPN static key, see the manual",
    ),
    (
        "client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{a200}»",
        "data: {a200}",
    ),
    ("# age: «AGE-SECRET-KEY-1{u58}»", "# public key: age1{l58}"),
    ("wallet private key 0x: private_key=«0x{h64}»", "transaction 0x{h64}"),
    (
        "sed -n 2p key\n  1→-----BEGIN RSA PRIVATE KEY-----\n«  2→{b64}\n  3→{b64}»",
        "1→{b64}",
    ),
    (
        "+-----BEGIN PRIVATE KEY-----\n«+{b64}\n+{b64}»\n+-----END PRIVATE KEY-----",
        "+{b64}",
    ),
    ("PresharedKey = «{b43}=»", "AllowedIPs = 0.0.0.0/0"),
]
_FILES = [
    (
        "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: «c0mp0se-pw»\n"
        "      POSTGRES_USER: shop",
        "services:\n  db:\n    environment:\n      POSTGRES_USER: shop",
    ),
    (
        "[default]\naws_access_key_id = AKIA{u16}\naws_secret_access_key = «{b40}»",
        "[default]\nregion = eu-central-1",
    ),
    (
        "github.com:\n    user: bob\n    oauth_token: «gho_{a36}»\n"
        "    git_protocol: https",
        "github.com:\n    user: bob\n    git_protocol: https",
    ),
    (
        "apiVersion: v1\nkind: Secret\ndata:\n  password: «{b20}==»",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  colour: blue",
    ),
    (
        "users:\n- name: dev\n  user:\n    token: «{a64}»",
        "users:\n- name: dev\n  user:\n    exec:\n      command: aws",
    ),
    (
        "Run printenv\nHOME=/home/runner\nNODE_AUTH_TOKEN=«{h36}»\nCI=true",
        "Run printenv\nHOME=/home/runner\nNODE_AUTH_TOKEN=***\nCI=true",
    ),
    (
        "+  db_password: '«old walnut 3»'\n-  db_password: ''",
        "+  db_timeout: '30'\n-  db_timeout: ''",
    ),
    (
        "Login attempt: {'user': 'bob', 'password': '«p1ck-me»'} failed",
        "Login attempt: {'user': 'bob'} failed: password is incorrect",
    ),
    (
        "Traceback ...\nOperationalError: dsn=postgres://u:«tr4ceback»@db/x",
        "Traceback ...\nKeyError: 'password'",
    ),
    (
        'resource "x" "y" {\n  master_password = "«m4ster-pw»"\n}',
        'resource "x" "y" {\n  master_password = random_password.p.result\n}',
    ),
    (
        "FROM node\nARG NPM_TOKEN=«{h36}»\nRUN npm ci",
        "FROM node\nARG NPM_TOKEN\nRUN npm ci",
    ),
    (
        "token.txt:1:«npm_{a36}»",
        "token.py:1:from tokens import tokenizer",
    ),
]
_SETTINGS = b64encode(b"DB_HOST=db\nDB_PASSWORD=f0x-Glove77\nAPI_URL=x\n").decode()
_OBJECT = b64encode(b'{"user": "bob", "password": "f0x-Glove77"}').decode()
_FACTS = b64encode(b"DB_HOST=db\nTOKEN_TTL=900\nDB_PASSWORD=$PW\n").decode()
_STATE = (
    '{"type": "random_password", "instances": [{"attributes": {"length": 20, %s}}]}'
)
_SHOWN = [
    (f"base64 -w0 .env\n«{_SETTINGS}»\n", f"base64 -w0 .env\n{_FACTS}\n"),
    (f"echo «{_SETTINGS}» | base64 -d > .env", f"echo {_FACTS} | base64 -d"),
    (f"payload: «{_OBJECT}»", f"payload: {_FACTS}"),
    (
        'resource "random_password" "db" {\n  result = "«f0x-Glove77»"\n}',
        'resource "random_password" "db" {\n  result = (sensitive value)\n}',
    ),
    (_STATE % '"result": "«f0x-Glove77»"', _STATE % '"result": null'),
    (
        '"id": "https://shop.vault.azure.net/secrets/db/1",\n"value": "«f0x-Glove77»"',
        '"id": "https://shop.vault.azure.net/secrets/db/1",\n"value": null',
    ),
    ("::add-mask::«f0x-Glove77»\n", "::add-mask::$TOKEN\n"),
    ("::set-output name=api_token::«{a40}»\n", "::set-output name=token_count::40\n"),
    ("Unseal Key 1: «{b43}=»\n", "Unseal Key (will be hidden):\n"),
]
DOCUMENTS = [
    *(("shown", *row) for row in _SHOWN),
    *(("private keys", *row) for row in (*_WHOLE, *_PARTS)),
    *(("files", *row) for row in _FILES),
]
