"""Secrets that the lines of a file, a table or a form arrange under their names."""

from __future__ import annotations

_YAML = (
    ("db:\n  password: |\n    «m1ll-pond»\n  user: bob\n", "password: |\nuser: bob\n"),
    (
        "password: >-\n  «seven Quiet herons»\nhost: db\n",
        "password: >-\n  The password of the account.\nhost: db\n",
    ),
    (
        "secret: |-\n  «{a24}»\nkind: x",
        "secret: |-\n  The secret that the chart creates.\nkind: x",
    ),
    (
        "passwords:\n  - «rye-fi3ld»\n  - «0ak-shade»\nusers: 2",
        "passwords:\n  - length\n  - history\nusers: 2",
    ),
    ("api_keys:\n- '«{a28}»'\n- '«{h32}»'\n", "api_keys:\n- name\n- expires\n"),
    (
        "password:\n  «wh1te-beam22»\nuser: bob",
        "password:\n  description: of the user\nuser: bob",
    ),
    ("  password: &main «l0ck-gate»", "  password: *main"),
    ("password: !env/fixed «l0ck-gate»", "password: !env DB_PASSWORD"),
    ("password: !!str '«nine 9 nets»'", "password: !!str ''"),
    (
        "password: !sealed |\n  «kelp-B3d!»\nuser: bob",
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  {d60}\nuser: bob",
    ),
)
_TABLES = (
    (
        "| user | password |\n|------|----------|\n| bob | «cr4b-apple» |\n"
        "| eve | «w1nd-sock» |\n",
        "| option | password |\n|--------|----------|\n| type | string |\n",
    ),
    (
        " id | secret           | role\n----+------------------+-----\n"
        "  1 | «{a24}» | admin\n",
        " id | secret | role\n----+--------+-----\n  1 | yes    | admin\n",
    ),
    (
        "USER   PASSWORD    ROLE\nbob    «fl1nt-st0ne»  dev\n",
        "USER   PASSWORD\nbob    set\n",
    ),
    ("NAME  TOKEN   AGE\nci    «{t40}»  3d\n", "NAME  TOKEN   AGE\nci    valid   3d\n"),
    (
        "user,password,role\nbob,«c0pper-kettle»,dev\neve,«t1n-whistle»,ops\n",
        "user,password,role\nbob,,dev\neve,none,ops\n",
    ),
    ('"id";"api_key"\n"7";"«{h32}»"\n', '"id";"api_key"\n"7";"expired"\n'),
    ("user\ttoken\nbob\t«{a30}»\n", "line\ttoken\n12\tIDENTIFIER\n"),
    (
        'name,url,username,password\nShop,https://x.example/,bob,«"b1g,sm4ll"»\n',
        "name,url,username\nShop,https://x.example/,bob\n",
    ),
)
_FORMS = (
    (
        'Content-Disposition: form-data; name="password"\r\n\r\n«ferry-M4n»\r\n--x--',
        'Content-Disposition: form-data; name="password"\r\n\r\n\r\n--x--',
    ),
    (
        '--x\nContent-Disposition: form-data; name="client_secret"\n'
        "Content-Type: text/plain\n\n«{a32}»\n--x",
        '--x\nContent-Disposition: form-data; name="comment"\n\nHello\n--x',
    ),
    (
        ".shop.example\tTRUE\t/\tTRUE\t1893456000\tsid\t«{a26}»",
        ".shop.example\tTRUE\t/\tFALSE\t1893456000\ttheme\tdark",
    ),
    (
        "#HttpOnly_shop.example\tFALSE\t/\tTRUE\t0\tsession\t«{t32}»",
        "shop.example\tFALSE\t/\tFALSE\t0\tlang\tde",
    ),
    ("WIFI:T:WPA;S:guests;P:«b4r-stool»;;", "WIFI:T:nopass;S:guests;P:;;"),
    ("WIFI:S:home;T:WPA2;P:«two w0rds»;H:true;;", "WIFI:S:home;T:nopass;;"),
    (
        '{"crv": "P-256", "d": "«{t43}»", "kty": "EC", "x": "{t43}"}',
        '{"crv": "P-256", "x": "{t43}", "kty": "EC"}',
    ),
)
_QUOTES = (
    (
        "https://x.example/in?next=%2Fgo%3Fpassword%3D«wh1te-beam»%26a%3D1",
        "https://x.example/in?next=%2Fgo%3Fpassword%3Dtrue%26a%3D1",
    ),
    ("DB_PASSWORD='it'\\''s «gr4nite»' make", "DB_PASSWORD='$(cat it)' make"),
    ("mysql -p'o'\\''«brien-77»' shop", "mysql -p'' shop"),
    ("export API_SECRET='a'\"'\"'«bram-Ble9»'", 'export API_SECRET="$(cat s)"'),
    (
        "requests.get(u, auth=('bob', '«p1er-head»'))",
        "requests.get(u, auth=(user, pw))",
    ),
    ('auth=HTTPBasicAuth("bob", "«p1er-head»")', "auth=HTTPBasicAuth(user, password)"),
)
_COLUMNS = (
    (
        "user        bob\npassword    «f0x-Glove77»\n",
        "user   bob\npassword   required\n",
    ),
    ("host\tdb\ndb_password\t«{a20}»\n", "host\tdb\ndb_password\t2.4.1-3\n"),
    (
        "Key         Value\n---         -----\napi_key     «{a32}»\nuser        bob\n",
        "Key         Value\n---         -----\napi_key     rotated\n",
    ),
    ("│ token │ «{a30}» │\n", "│ token │ string │\n"),
    (
        "kind: Secret\nmetadata:\n  name: x\ndata:«\n  a: {b40}\n  b: {b28}==»\n",
        "kind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a.cfg: {b40}\n",
    ),
    (
        "apiVersion: v1\ndata:«\n  a.cfg: {b40}»\nkind: Secret\n",
        "apiVersion: v1\ndata:\n  a.cfg: {b40}\nkind: ConfigMap\n",
    ),
    (
        "<key>AuthToken</key>\n<string>«{a40}»</string>",
        "<key>AuthToken</key>\n<string></string>",
    ),
    (
        '["password"]=>\n  string(11) "«f0x-Glove77»"',
        '["password"]=>\n  string(0) ""',
    ),
)
LAYOUTS = [
    *(("columns", *row) for row in _COLUMNS),
    *(("layouts", *row) for row in (*_YAML, *_TABLES, *_FORMS)),
    *(("quotes", *row) for row in _QUOTES),
]
