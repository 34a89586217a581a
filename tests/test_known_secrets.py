"""Secrets that were found once are found elsewhere, however they are written there."""

from __future__ import annotations

import collections
import html
import json
import shlex
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.redact import Known, Literals, Redactor, encoded, lowered
from support.matrix import each
from support.work import calls

SECRET = "b4y&tide/'9\"ü"
PLAIN = "m0le-Hill9"


def hidden(text: str, secret: str) -> str:
    redactor = Redactor()
    redactor.known.add(secret, "password")
    return redactor.text(text)


@each(
    "form",
    [
        *(quote(SECRET, safe=""), quote(SECRET), quote_plus(SECRET)),
        *(html.escape(SECRET), html.escape(SECRET, quote=False)),
        html.escape(SECRET).replace("&#x27;", "&#39;"),
        *(json.dumps(SECRET)[1:-1], json.dumps(SECRET, ensure_ascii=False)[1:-1]),
        shlex.quote("x y" + SECRET)[4:-1].replace("'\"'\"'", "'\\''"),
    ],
)
def test_a_known_secret_is_hidden_as_others_write_it(form: str) -> None:
    assert hidden(f"so: {form}.", SECRET) == "so: [redacted password]."


@pytest.mark.parametrize("before", ["", "b", "bo", "bob", "bob:", "user:"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_known_secret_is_hidden_in_base64(before: str, encode: object) -> None:
    assert callable(encode)
    text = encode(f"{before}{SECRET}\n".encode()).decode()

    shown = hidden(text, SECRET)

    assert "[redacted password]" in shown
    assert len(shown.replace("[redacted password]", "")) <= len(before) * 4 / 3 + 6


def test_all_forms_of_a_secret_have_its_number() -> None:
    redactor = Redactor()
    redactor.known.add("f1rst-one!", "password")
    redactor.known.add("s3cond-one?", "password")

    shown = redactor.text(f"f1rst-one! s3cond-one? {quote('s3cond-one?')}")

    assert shown.split(" ", 2)[2].endswith("password 2] [redacted password 2]")


@each(
    "before", ["%3A", "%20", "\\u0022", "\\x00", "\\033", "\\n", "=3D", "-p", "&nbsp;"]
)
def test_an_escape_before_a_known_secret_is_an_edge(before: str) -> None:
    assert hidden(f"u=a{before}{PLAIN}\\u0022", PLAIN).startswith(f"u=a{before}[redact")


@each("around", ["1{}", "x{}", "{}x", "{}2", "%3{}", "ü{}"])
def test_a_part_of_a_word_is_no_known_secret(around: str) -> None:
    assert hidden(around.format(PLAIN), PLAIN) == around.format(PLAIN)


@given(st.binary(min_size=8, max_size=60), st.binary(max_size=5), st.binary(max_size=5))
def test_base64_of_a_secret_is_found_among_any_bytes(
    secret: bytes, before: bytes, after: bytes
) -> None:
    text = secret.hex()

    whole = b64encode(before + text.encode() + after).decode()

    assert any(form in whole for form in encoded(text))


SHORT = st.text("abcd", min_size=1, max_size=16)


@given(st.lists(SHORT, max_size=12), st.text("abcd", max_size=60), st.booleans())
def test_literals_are_found_together_where_each_is_found_by_itself(
    literals: list[str], text: str, is_compiled: bool
) -> None:
    together = Literals()
    for literal in literals:
        together.add(literal)
    if is_compiled:
        [*together.find("-" * 100_000)]

    found = {*together.find(text)}

    assert found == {
        (at, literal) for literal in literals for at in alone(text, literal)
    }


def alone(text: str, literal: str) -> list[int]:
    """Return where a text begins in another, of those that overlap the first."""
    found = []
    at = text.find(literal)
    while at >= 0:
        found.append(at)
        at = text.find(literal, at + len(literal))
    return found


@given(st.text())
def test_small_letters_are_as_many(text: str) -> None:
    assert len(lowered(text)) == len(text)


@pytest.mark.parametrize("size", [20, 20_000])
def test_work_does_not_grow_with_the_known_secrets(size: int) -> None:
    """Short strings are many, and each would be searched for each secret."""
    few, many = (Known() for _ in range(2))
    for number in range(600):
        for known in (many, few) if number < 30 else (many,):
            known.add(f"w{number * 7919}Kd-x{number}", "password")
    text = "a short string of a log and nothing else "[:size] * (size // 40 + 1)

    works = [work(few, text), work(many, text)]

    assert works[1] <= works[0] + 2


def work(known: Known, text: str) -> int:
    """Return the work to look through a text, once the new are not new."""
    for _ in range(400):
        collections.deque(known.find(text), 0)
    return calls(lambda: [*known.find(text)])
