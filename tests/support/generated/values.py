"""Texts and values for members: usual ones, hostile ones, and those of wrong types."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

# A string that stands for JSON that no value of Python is written as.
_RAW = "\0raw {}\0"
RAW = [
    *("1e400", "-0.0", "NaN", "-Infinity", "9" * 5000, "18446744073709551616"),
    *("1E5", "0.1e-7", "-", "01", "tru", '"\\x"', '{"a":1,"a":2}', '{"type":"x"}'),
    *("[" * 40 + "]" * 40, '{"a":' * 150 + "1" + "}" * 150, "[" * 260 + "]" * 260),
    *('"\\ud83d"', '"\\ude00\\ud83d"', '"\\u0000"', '"\\u202e\\u2066x"', '""}', "]"),
]
PLAIN: list[Any] = [
    *(None, True, False, 0, 1, -1, 17, 2**53, -(2**63), 1.5, 1793180000000, "", "x"),
    *([], {}, [None], [[]], {"": None}, {"a": [{}]}, [1, "a", None], {"text": 1}),
    *([{"type": "text", "text": "x"}], {"success": {}}, {"error": "e"}, "completed"),
    *("tool_call", "result", "NaN", "1793180000000", "[1,2", '{"a":"b"}', {"case": 1}),
]
WORDS = [
    *(
        "ha",
        "haha",
        "a",
        "Done.",
        "The tests pass.",
        " and",
        "\n",
        "\n\n",
        "",
        " ",
        "é",
    ),
    *("src/app.py", "/home/dev/shop/src/app.py", "pytest -q", "cd /tmp && ls | head"),
    *("line 1\nline 2\nline 3\n", "- a\n- b\n", "# head\n\ntext", "```\ncode\n```\n"),
    *(
        "one\r\ntwo\r\n",
        "50%\r100%\r",
        "\r",
        "a\rb\n",
        "\x1b[31mred\x1b[0m",
        "\0",
        "\x9b2J",
    ),
    *(
        "\x1b]52;c;aGk=\x07",
        "\u202egnp.exe",
        "\u200b",
        "\u2028",
        "\ufeff",
        "👩\u200d💻",
        "\x85",
    ),
    *(
        "\ud83d",
        "\ude00",
        "a\ud800b",
        "<img src=x onerror=alert(1)>",
        "a | b",
        "`|`",
        "$$",
    ),
    *("</details>", "::error::x", "\n::set-output name=a::b", "##[group]x", "<!-- -->"),
    *(
        "%PDF",
        "Ran terminal command (exit 1)",
        "Read file",
        "Error: it broke",
        "日本語",
    ),
    *("Error: T: [internal] lost", "https://example.com/a?b=c", "a\tb", "x" * 300),
    *(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "\\",
        '"',
        "'",
        "\\ud800",
        "[redacted]",
    ),
    *("0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21", "2026-09-20T08:00:00Z", "1.2 s", "\x7f"),
]
_NAMES = [
    *("type", "subtype", "call_id", "tool_call", "args", "result", "message", "case"),
    *("content", "text", "session_id", "timestamp_ms", "success", "error", "exitCode"),
    *(
        "shellToolCall",
        "readToolCall",
        "mintedToolCall",
        "function",
        "value",
        "",
        "a b",
    ),
    *("\ud800", "`|<b>", "\x1b[2J", "toolCallId", "usage", "is_error", "request_id"),
]


def word(dice: random.Random) -> str:
    """Return a text, often two in one."""
    if dice.random() < 0.6:
        return dice.choice(WORDS)
    return dice.choice(WORDS) + dice.choice(WORDS)


def raw_of(text: str) -> str:
    """Put raw JSON where its placeholders are."""
    if "\\u0000raw " in text:
        for number, raw in enumerate(RAW):
            text = text.replace(json.dumps(_RAW.format(number)), raw)
    return text


def reworded(value: Any, dice: random.Random, share: float) -> Any:
    """Return a value with some of its texts exchanged."""
    if isinstance(value, str):
        return word(dice) if dice.random() < share else value
    if isinstance(value, dict):
        return {key: reworded(inner, dice, share) for key, inner in value.items()}
    if isinstance(value, list):
        return [reworded(inner, dice, share) for inner in value]
    return value


def _put(value: Any) -> Callable[[Any, Any, random.Random], None]:
    def put(container: Any, key: Any, dice: random.Random) -> None:
        container[key] = value

    return put


def _word(container: Any, key: Any, dice: random.Random) -> None:
    container[key] = word(dice)


def _drop(container: Any, key: Any, dice: random.Random) -> None:
    del container[key]


def _rename(container: Any, key: Any, dice: random.Random) -> None:
    if isinstance(container, dict):
        container[dice.choice(_NAMES)] = container.pop(key)


def _many(container: Any, key: Any, dice: random.Random) -> None:
    """Repeat the items of a list, or make a list of the value."""
    value = container[key]
    times = dice.choice([2, 3, 30])
    container[key] = (value if isinstance(value, list) else [value]) * times


def _more_members(container: Any, key: Any, dice: random.Random) -> None:
    """Put more members next to one, with its value and with texts."""
    if isinstance(container, dict):
        for _ in range(dice.choice([1, 2, 20])):
            name = dice.choice(_NAMES) + dice.choice(["", "", str(dice.random())])
            container.setdefault(name, dice.choice([container[key], word(dice)]))


def _exchange(container: Any, key: Any, dice: random.Random) -> None:
    """Exchange the values of two members."""
    if isinstance(container, dict):
        other = dice.choice([*container])
        container[key], container[other] = container[other], container[key]


def _inside(container: Any, key: Any, dice: random.Random) -> None:
    """Put the value one or more levels down."""
    for _ in range(dice.choice([1, 2, 60])):
        container[key] = dice.choice([[container[key]], {"value": container[key]}])


def _as_text(container: Any, key: Any, dice: random.Random) -> None:
    container[key] = json.dumps(container[key])


WAYS: dict[str, Callable[[Any, Any, random.Random], None]] = {
    "word": _word,
    "drop": _drop,
    "rename": _rename,
    "many": _many,
    "more members": _more_members,
    "exchange": _exchange,
    "inside": _inside,
    "as text": _as_text,
    **{f"plain {at}": _put(value) for at, value in enumerate(PLAIN)},
    **{f"raw {at}": _put(_RAW.format(at)) for at in range(len(RAW))},
}
