"""Keys beside what they belong to, in addresses of services and in commands."""

from __future__ import annotations

_KEYS = (
    ("AKIA{u16},«{a40}»", "AKIAEXAMPLE,Active"),
    (
        "ACCESSKEY\tAKIA{u16}\tActive\n«{a40}»\n",
        "Asia/Tokyo\tActive\n{h40}\n",
    ),
    ("deploy with «prod:quiet-lake-12|eyJ2{a50}=»", "deploy prod:quiet-lake-12|eyJ"),
    ("new Ably.Realtime('«{a6}.{a6}:{t43}»')", "new Ably.Realtime(options)"),
    (
        "VALUES (1, 'bob', '«$2b$12${a53}»')",
        "VALUES (1, 'bob', '$2b$12$xxxxxxxx')",
    ),
    (
        "stored as «$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}»",
        "stored as $argon2id$v=19$m=65536,t=3,p=4$",
    ),
)
_ADDRESSES = (
    (
        "https://open.feishu.cn/open-apis/bot/v2/hook/«{h8}-{h4}-{h4}-{h4}-{h12}»",
        "https://open.feishu.cn/open-apis/bot/v2/hook/<id>",
    ),
    ("https://hook.eu2.make.com/«{l32}»", "https://hook.eu2.make.com/docs"),
    (
        "http://localhost:8085/?code=«4/0A{t60}»&scope=mail",
        "http://localhost:8085/?code=404&scope=mail",
    ),
    (
        "curl 'https://shop.azurewebsites.net/api/run?code=«{t54}==»'",
        "curl 'https://shop.azurewebsites.net/api/run?code=200'",
    ),
)
SERVICES = [
    *(("services, keys", *row) for row in _KEYS),
    *(("services, addresses", *row) for row in _ADDRESSES),
]
