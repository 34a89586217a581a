"""A table of secrets in their places, and of places where a known secret is found."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import convert
from convert.options import Reading
from convert.redact import Redactor, continued, every_rule, find, is_telling
from support.matrix import each, part
from support.secrets import Row, filled, rows
from support.secrets.hostile import mixed, repeated
from support.secrets.measure import alarms, missed, plain
from support.secrets.ordinary import ORDINARY
from support.secrets.tokens import bounds
from support.work import calls as count_calls

TABLE = list(rows())
TOKEN = filled("ghp_{a36}")
PASSWORD = "tr4vel-m0use"


def test_the_table_has_350_secrets_and_a_twin_for_each() -> None:
    assert len(TABLE) >= 350
    assert all(row.twin and "«" in row.text for row in TABLE)


@pytest.mark.parametrize(
    ("page", "counts"),
    [
        ("secrets", ["a table of {} secrets", "All {} are replaced, and none of"]),
        ("damaged-logs", ["{} secrets and as many harmless texts"]),
    ],
)
def test_the_documentation_counts_the_rows_of_the_table(
    page: str, counts: list[str], hold: Callable[[Path, str], None]
) -> None:
    path = Path(__file__).parent.parent / "docs" / f"{page}.md"
    text = path.read_text("utf-8")

    for count in counts:
        text, places = re.subn(count.format(r"\d+"), count.format(len(TABLE)), text)
        assert places == 1
    hold(path, text)


@pytest.mark.exhaustive
def test_the_secrets_of_the_table_are_redacted() -> None:
    assert [row.text for _, row in missed(part(TABLE, 3))] == []


@pytest.mark.exhaustive
def test_their_harmless_twins_stay() -> None:
    assert [row.twin for _, row in alarms(part(TABLE, 3))] == []


def test_a_token_is_no_shorter_and_no_longer_than_its_issuer_makes_it() -> None:
    pairs = [(filled(token), filled(word)) for token, word in bounds()]

    tokens = hidden([log(*(says(f"It is {token} now.") for token, _ in pairs))])
    words = hidden([log(*(says(f"It is {word} now.") for _, word in pairs))])

    whole = r"It is \[redacted [^\]]+\] now\."
    assert len(re.findall(whole, tokens)) == len(pairs)
    assert [word for _, word in pairs if word not in words] == []


@each("text", ORDINARY)
def test_ordinary_output_stays(text: str) -> None:
    shown = hidden([log(shell("x", text))])

    assert "[redacted" not in shown


def test_at_least_62_outputs_are_ordinary() -> None:
    assert len({*ORDINARY}) >= 62


def test_a_secret_that_is_shown_counts_as_missed() -> None:
    shown = Row("x", "the word is «swordfish»", "")

    assert [*missed([shown])] == [(0, shown)]


def shell(command: str, output: str) -> dict[str, Any]:
    body = {"args": {"command": command}, "result": {"success": {"stdout": output}}}
    return {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "c1",
        "tool_call": {"shellToolCall": body},
    }


def says(text: str, **members: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    message = {"role": "assistant", "content": content}
    return {"type": "assistant", "message": message, **members}


def log(*events: dict[str, Any]) -> bytes:
    lines = (json.dumps({"session_id": "s", **event}) for event in events)
    return "\n".join(lines).encode()


def hidden(log: Any, to: str = "stream-json") -> str:
    reading = Reading(redact=True)
    shown = convert.convert(log, to, format="stream-json", reading=reading)
    return b"".join(shown).decode()


def test_a_password_of_a_command_is_hidden_in_all_that_follows() -> None:
    events = [
        shell(f"mysql -p{PASSWORD} shop", f"using {PASSWORD}\n"),
        says(f"It was {PASSWORD} all the time.", model_call_id="m"),
        {"type": "novelty", "detail": [f"({PASSWORD})"]},
        {"type": "result", "subtype": "success", "result": f"So: {PASSWORD}"},
    ]

    assert PASSWORD not in hidden([log(*events)])


def test_in_a_file_it_is_hidden_before_as_well(tmp_path: Path) -> None:
    told = {"role": "user", "content": f"Take {PASSWORD} for it."}
    events = log({"type": "user", "message": told}, shell(f"mysql -p{PASSWORD}", ""))
    (tmp_path / "run.ndjson").write_bytes(events)

    assert PASSWORD not in hidden(tmp_path / "run.ndjson")
    assert PASSWORD not in hidden(events)
    # A pipe has shown the prompt before the command comes.
    assert PASSWORD in hidden(iter([events]))


@each(
    "value",
    [
        *("true", "root", "password", "postgres", "12345678", "3.11.4", "localhost"),
        *("python3", "utf-8", "sha256", "test123", "aaaaaaaaaa", "dev", "admin1"),
    ],
)
def test_a_value_that_means_something_else_is_hidden_only_in_its_place(
    value: str,
) -> None:
    shown = hidden([log(shell(f"mysql -p{value} shop", f"so: {value}, {value}s"))])

    assert f"so: {value}, {value}s" in shown
    assert not is_telling(value)


@each(("value", "is_hidden"), [("q7x9z", False), ("q7x9z2", True)])
def test_a_value_of_six_characters_is_hidden_elsewhere(
    value: str, is_hidden: bool
) -> None:
    shown = hidden([log(shell(f"mysql -p{value} shop", f"so: {value}"))])

    assert (f"so: {value}" not in shown) == is_hidden
    assert is_telling(value) == is_hidden


def test_words_are_hidden_elsewhere_only_if_a_command_reveals_them() -> None:
    said = hidden(
        [log(says("The password is Winter-2025."), shell("x", "Winter-2025"))]
    )
    typed = hidden([log(shell("mysql -pWinter-2025 shop", "Winter-2025"))])

    assert said.count("Winter-2025") == 1
    assert "Winter-2025" not in typed


def test_a_row_in_the_middle_of_a_table_is_no_head() -> None:
    table = "name       password\nbob        f1x-Tree77\n"

    assert "f1x-Tree77" not in hidden([log(shell("x", table))])
    assert "f1x-Tree77" in hidden([log(shell("x", f"keys       door\n{table}"))])


def test_a_part_of_a_longer_word_is_no_secret() -> None:
    shown = hidden(
        [log(shell("curl -u bob:hunter22 x", "hunter22 hunter221 xhunter22"))]
    )

    assert "] hunter221 xhunter22" in shown


def test_each_line_of_a_private_key_is_hidden_elsewhere() -> None:
    lines = [filled("{b64}"), filled("{b64} ").strip()[::-1]]
    key = "\n".join(
        ["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"]
    )
    events = [shell("cat key.pem", key), shell("sed -n 2p key.pem", lines[1])]

    shown = hidden([log(*events)])

    assert not any(line in shown for line in lines)


_BETWEEN = {
    "another init": [{"type": "system", "subtype": "init"}],
    "another session": [{"type": "system", "subtype": "init", "session_id": "t"}],
    "a call": [shell("ls", "")],
    "10,000 lines": [{"type": "novelty", "session_id": "t"}] * 10_100,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("between", part(_BETWEEN, 2))
@pytest.mark.parametrize("cut", part([6, 20, 38], 3))
def test_a_token_over_two_deltas_is_hidden(between: str, cut: int) -> None:
    stamp = {"timestamp_ms": 5}
    events = [
        {"type": "system", "subtype": "init"},
        says(f"The key is {TOKEN[:cut]}", **stamp),
        *_BETWEEN[between],
        says(f"{TOKEN[cut:]} and good.", **stamp),
        {"type": "result", "subtype": "success", "result": "."},
    ]

    shown = hidden([log(*events)])

    assert TOKEN[:12] not in shown
    assert TOKEN[cut:] not in shown
    assert "and good." in shown


@each("place", range(0, len(TABLE), 20))
def test_texts_are_suspect_if_they_hold_a_secret_where_they_meet(place: int) -> None:
    text = plain(TABLE[place].text)

    [is_suspect] = Redactor().suspected_texts([text])

    assert is_suspect or find(text) == []
    for at in range(1, len(text)):
        assert is_suspect or continued(text[:at], text[at:]) == []


def test_deltas_with_a_known_secret_each_are_redacted_each() -> None:
    stamp = {"timestamp_ms": 5}
    events = [
        shell("mysql -pm0le-Hill9 shop; mysql -pr4bbit-Hole8 shop", ""),
        says("First r4bbit-Hole8, ", **stamp),
        says("then m0le-Hill9.", **stamp),
        {"type": "tool_call", "subtype": "started", "tool_call": {}},
    ]

    shown = hidden([log(*events)])

    assert '"First [redacted password 2], "' in shown
    assert '"then [redacted password]."' in shown


def test_text_in_front_of_a_call_stays() -> None:
    texts = ["I look for task-force-1", "See sk-learn", "the key_1", "password="]
    stamp = {"timestamp_ms": 5}

    for text in texts:
        events = log(says(text, **stamp), shell("ls", ""), says("done. 1", **stamp))

        assert "[redacted" not in hidden([events])


# Beginnings of secrets, which are no secrets however often they are repeated.
REPEATED_TEXTS = [
    "eyJ-",
    "password='",
    "Authorization: $",
    "mysql -p",
    "sk-ant-",
    "://a:",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END ",
    "AAAA\n",
    "a.b.",
    "x@y.",
    "key,",
    "token = ",
    "login ",
    '"api_key": "',
    "Cookie: a=",
    "echo a | ",
    "--a-",
    "?sig=",
]


@pytest.mark.seldom
@pytest.mark.parametrize("text", part(REPEATED_TEXTS, 9))
def test_time_grows_only_with_the_text(text: str) -> None:
    """Twice the text may take three times as long, or four on a busy machine."""
    small, large = (seconds(text * (size // len(text))) for size in (20_000, 160_000))

    assert large < max(small, 0.01) * 40


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", part(range(8), 4))
def test_work_grows_only_with_the_text(seed: int) -> None:
    """Whatever a text repeats, few functions are called for each character."""
    small, large = (calls(mixed(seed, size)) for size in (2_000, 8_000))

    assert large < small * 5
    assert large < 8_000 * 4


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "unit",
    part(
        [
            *(
                "7z -p",
                "lftp -p ",
                "login  -p",
                "gh -t ",
                "@_",
                "@",
                "s.",
                "AGE-SECRET-",
            ),
            *("secret password ", "password='", "secret : ", "--passwd=", "key=", "Q~"),
            *("vault login ", "echo a | login ", "set secret ", "'", "-----END ", ":*"),
            *(
                "user,password\n",
                "a|token\n",
                "passwords:\n- a1B2c3d4\n",
                "A  SECRET\n",
            ),
            *("--passwd='", "password: |\n x", "'\\''", '"kty":"EC"', "USER a\nPASS "),
            *(
                'name="password"\n',
                "WIFI:",
                "\t/\tTRUE",
                "AUTH LOGIN ",
                "assword: send ",
            ),
        ],
        3,
    ),
)
def test_work_for_repeated_text_is_small(unit: str) -> None:
    assert calls(repeated(unit, 4_000)) < 4_000 * 11


def test_rules_repeat_without_end_only_a_class_of_characters() -> None:
    """A repetition of repetitions could take time that grows with its square."""
    patterns = {
        pattern for rule in every_rule() for pattern in (rule.head, rule.pattern)
    }

    assert [pattern for pattern in patterns if repeats_repetition(pattern)] == []
    assert repeats_repetition("(?:a+b?)+")


def test_what_is_repeated_without_a_way_back_is_a_class_of_characters() -> None:
    """Python before 3.11.5 repeats anything else wrongly; an atomic group is right."""
    patterns = {
        pattern for rule in every_rule() for pattern in (rule.head, rule.pattern)
    }

    assert [pattern for pattern in patterns if is_wrong_in_old_python(pattern)] == []
    assert is_wrong_in_old_python("(?:ab|c)++")
    assert not is_wrong_in_old_python("(?>(?:ab|c)+)[ab]++")


def is_wrong_in_old_python(pattern: str) -> bool:
    # An atomic group is parsed without the repetition in it.
    parsed = re._parser.parse(pattern.replace("(?>", "(?:"))
    return any(
        operator is re._constants.POSSESSIVE_REPEAT
        and (len(inside) > 1 or inside[0][0] not in SINGLE)
        for operator, _, inside in repetitions(parsed)
    )


SINGLE = {
    re._constants.IN,
    re._constants.LITERAL,
    re._constants.NOT_LITERAL,
    re._constants.ANY,
}


def repeats_repetition(pattern: str) -> bool:
    return any(
        operator is not re._constants.POSSESSIVE_REPEAT
        and most is re._constants.MAXREPEAT
        and (len(inside) > 1 or any(True for _ in repetitions(inside)))
        for operator, most, inside in repetitions(re._parser.parse(pattern))
    )


def repetitions(parsed: Any) -> Iterator[tuple[Any, Any, Any]]:
    for operator, argument in parsed:
        if "REPEAT" in str(operator):
            yield operator, *argument[1:]
        if operator is re._constants.ATOMIC_GROUP and len(argument) == 1:
            # A single repetition in such a group is a possessive one.
            [(repeat, parts)] = argument
            if "REPEAT" in str(repeat):
                yield re._constants.POSSESSIVE_REPEAT, *parts[1:]
                yield from repetitions(parts[2])
                continue
        parts = argument if isinstance(argument, (list, tuple)) else [argument]
        for one in flat(parts):
            yield from repetitions(one)


def flat(parts: Any) -> Iterator[Any]:
    for one in parts:
        if isinstance(one, re._parser.SubPattern):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from flat(one)


def calls(text: str) -> int:
    """Return how many functions are called to find the secrets of a text."""
    Redactor().find(text)
    return count_calls(lambda: Redactor().find(text))


def seconds(text: str) -> float:
    start = time.process_time()
    Redactor().find(text)
    return time.process_time() - start


@pytest.mark.parametrize("to", ["stream-json", "markdown", "html", "atif"])
def test_an_atif_log_hides_a_secret_in_a_media_type_and_in_the_id_of_a_call(
    to: str,
) -> None:
    source = {"media_type": f"image/{TOKEN}", "path": "a.png"}
    picture = [{"type": "text", "text": "hi"}, {"type": "image", "source": source}]
    call = {"function_name": "bash", "arguments": {"command": "ls"}}
    results = [{"source_call_id": f"c-{TOKEN}", "content": "out"}]
    calls = {
        "tool_calls": [{"tool_call_id": f"c-{TOKEN}", **call}],
        "observation": {"results": results},
    }
    log = {
        "schema_version": "ATIF-v1.6",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": picture},
            {"step_id": 2, "source": "agent", "message": "x", **calls},
        ],
    }

    shown = convert.convert(json.dumps(log).encode(), to, reading=Reading(redact=True))

    assert TOKEN.encode() not in b"".join(shown)
