"""Secrets are the same with the library that looks for all literals at once as without.

The search in small letters, in long words and in lines of JSON is held against the same
said in a line.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convert.redact import (
    LONG_WORD,
    Redactor,
    Rule,
    Secret,
    Shape,
    Words,
    _AtOnce,
    _OneByOne,
    find,
    find_tokens,
    folded,
    is_escaped,
    literal_rules,
    lowered,
    read_rules,
    rewrite,
    search_for,
    spellings,
    suspected,
    suspicion,
    words_of_other_languages,
    words_with_starts,
)
from convert.redact import places as layouts
from convert.redact import suspicion as members
from support.matrix import each, part
from support.patterns import least_of_a_name
from support.searches import without_library
from support.secrets import filled, rows
from support.secrets.measure import alarms, missed

TOKENS, PLACES = read_rules()
LITERALS = [each.literal for each in literal_rules()]
SIGNS = [
    re.compile(
        re.escape(literal) + (f"(?i:{follows}|{suspicion._HIDDEN})" if follows else "")
    )
    for literal, follows in [*suspicion._literals(), *members.OTHER_NAMES]
]


def bare(example: str) -> str:
    """Return an example of a secret without its marks."""
    return example.replace("«", "").replace("»", "")


TOKEN_EXAMPLES = [bare(filled(rule.example)) for rule in TOKENS]
# Letters that change their length or script in small letters, and those next to words.
ODD = [
    *"kK?-_.:\"'\\/=@ \n\b\x9b",
    "--",
    "\u0130",
    "\u212a",
    "\u2126",
    "\U0001f600",
    "ö",
    "Ñ",
    "п",
]
odd = st.sampled_from(ODD)
cased = st.sampled_from(LITERALS).flatmap(
    lambda word: st.sampled_from(
        [
            word,
            word.upper(),
            word[1:],
            word.replace("k", "\u212a"),
            f"\U0001f600{word[1:]}",
        ]
    )
)
tokens = st.sampled_from(TOKEN_EXAMPLES).flatmap(
    lambda token: st.integers(0, 9).map(lambda cut: token[: len(token) - cut])
)
texts = st.lists(odd | cased | tokens | st.text("abc019", max_size=30), max_size=8).map(
    "".join
)


@given(
    st.lists(st.text("ab-", min_size=1, max_size=4), max_size=20, unique=True),
    st.data(),
)
def test_all_literals_are_found_at_once_where_each_is_found_by_itself(
    literals: list[str], data: st.DataObject
) -> None:
    text = data.draw(st.lists(st.sampled_from([*literals, "a", "c"])).map("".join))
    raws = [literal.encode() for literal in literals]

    searches = _AtOnce(raws, True), _AtOnce(raws, False), _OneByOne(raws)

    for search in searches:
        assert sorted(search.places(text.encode())) == [
            (number, match.start())
            for number, literal in enumerate(literals)
            for match in re.finditer(f"(?={re.escape(literal)})", text)
        ]
        assert {*search.numbers(text.encode())} == {
            number for number, literal in enumerate(literals) if literal in text
        }


def test_literals_over_the_end_of_a_piece_are_found_once() -> None:
    text = b"x" * 65_533 + b"password"

    search = _AtOnce([b"pass", b"password", b"word"], reads_all=True)

    assert [*search.places(text)] == [(0, 65_533), (1, 65_533), (2, 65_537)]


@given(texts)
def test_a_literal_in_small_letters_is_spelled_in_folded_bytes(text: str) -> None:
    low, raw = lowered(text), folded(text.encode())

    for literal in LITERALS:
        assert literal not in low or any(word in raw for word in spellings(literal))


def test_a_literal_in_capitals_is_spelled_in_folded_bytes() -> None:
    for literal in LITERALS:
        for text in (literal.upper(), literal.replace("ω", "\u2126")):
            if lowered(text) == literal:
                raw = folded(text.encode())
                assert any(word in raw for word in spellings(literal)), text


@pytest.mark.seldom
def test_few_letters_have_small_letters_in_another_script() -> None:
    """These are known to `folded` and `spellings`, as are the capitals of a letter."""
    letters = {letter for word in LITERALS for letter in word}
    capitals = {letter.upper() for letter in letters}

    others = [
        letter
        for letter in map(chr, range(128, sys.maxunicode + 1))
        if letters & {*letter.lower()} and letter not in letters | capitals
    ]

    assert others == ["\u0130", "\u2126", "\u212a"]


@given(texts)
def test_the_same_secrets_are_found_without_the_library(text: str) -> None:
    found = find(text)

    with without_library():
        assert find(text) == found


@given(st.lists(texts.map(lambda text: text.replace("\n", " ").encode()), max_size=9))
def test_a_line_is_suspect_for_an_escape_a_literal_or_a_token(
    lines: list[bytes],
) -> None:
    wanted = bytes(
        is_escaped(text)
        or any(sign.search(lowered(text)) for sign in SIGNS)
        or any(True for _ in find_tokens(text))
        for text in map(bytes.decode, lines)
    )

    assert suspected(lines) == wanted
    with without_library():
        assert suspected(lines) == wanted


@each(
    ("line", "is_suspect"),
    [
        ("classwork", False),
        ("\U0001f600assword", True),
        ("?assword", True),
        ("C:\\\\Users", False),
        ("\\u0061", True),
        ("ПАРОЛЬ", True),
        ("ПАРАД", False),
        ("to\u212aen", True),
        ("@@ -1,3 +1,3 @@\\n--- a/x", False),
        ("bob@x", True),
        ("--x", True),
        ("bob@\\bx", True),
        ("--\u009b1mx", True),
        ('"cookie": "a=b"', True),
        ('\\"set-cookie\\": 1', True),
        ("cookies", False),
        ('"PRIVATE_2":', True),
        ('"private class":', False),
        ('"ConnectionString":', True),
        ('"webhook_url":', True),
    ],
)
def test_a_line_that_only_looks_like_a_literal_is_not_suspect(
    line: str, is_suspect: bool
) -> None:
    assert suspected([b"{}", line.encode()]) == bytes([0, is_suspect])


@given(texts, st.sampled_from(["x", "a cookie", "private_1", "webhookUrl", "token"]))
def test_a_line_with_a_secret_is_suspect(text: str, name: str) -> None:
    line = json.dumps({name: text}, ensure_ascii=False).encode()

    changed = rewrite(line, Redactor(), Shape(), None)

    assert changed == line or suspected([line]) == b"\1"


@given(texts)
def test_a_text_with_a_secret_is_suspect(text: str) -> None:
    assert Redactor().suspected_texts(["", text])[1] or not Redactor().find(text)


@pytest.mark.exhaustive
def test_the_table_is_redacted_without_the_library() -> None:
    with without_library():
        secrets = part(rows(), 12)

        assert [*missed(secrets)] == []
        assert [*alarms(secrets)] == []


@given(st.sampled_from([rule for rule in TOKENS if rule.is_word]), st.data())
def test_next_to_a_token_in_one_word_only_one_character_counts(
    rule: Rule, data: st.DataObject
) -> None:
    token = bare(filled(rule.example))[: -data.draw(st.integers(1, 9)) or None]
    beside = st.sampled_from(
        [mark for mark in ODD if not re.match("[\\w.-]", mark, re.A)]
    )
    before, after = data.draw(beside), data.draw(beside)
    word = f"{before}{token}{after}"
    at = len(before) + max(token.find(literal) for literal in rule.begins)

    for more in (*ODD, "0", "a", "A", "%", "+"):
        assert rule.find_at(word + more, at) == rule.find_at(word, at)


def test_a_short_name_is_a_secret_only_after_a_word_of_another_language() -> None:
    """So `find` looks no further at most names."""
    found = [
        rule
        for rule in PLACES
        if (least_of_a_name(rule.pattern) or LONG_WORD) < LONG_WORD
    ]

    assert [rule.begins for rule in found] == [words_of_other_languages()]
    assert find("senha_Hunter2zz") == [Secret(5, 15, "password", is_weak=True)]


def test_heads_of_tables_hold_literals_of_places() -> None:
    for word in layouts._LITERALS:
        assert any(literal in word for literal in LITERALS)


@pytest.mark.seldom
def test_all_tests_of_redaction_pass_without_the_library() -> None:
    names = ("test_redact.py", "test_secrets.py", "test_known_secrets.py")
    code = (
        "import sys; sys.modules['ahocorasick_rs'] = None; import pytest;"
        " sys.exit(pytest.main(['-q', '-n0', '-p', 'no:cacheprovider', *sys.argv[1:]]))"
    )
    tests = [str(Path(__file__).parent / name) for name in names]

    done = subprocess.run([sys.executable, "-c", code, *tests], capture_output=True)

    assert done.returncode == 0, done.stdout.decode()


@given(st.lists(texts, max_size=9).map(" ".join))
@example("AKIA" + "ABCDEFGH23456723" + " password = hunter2zz9")
def test_a_text_is_looked_through_alike_in_pieces(text: str) -> None:
    octets = text.encode()
    words = Words(LITERALS)
    whole = [*words_with_starts(octets)], words.possible(text)

    with (
        patch("convert.redact.finding._PIECE", 7),
        patch("convert.redact.literals._FOLDED_AT_ONCE", 7),
    ):
        pieces = [*words_with_starts(octets)], words.possible(text)

    assert pieces == whole


def test_without_memory_python_raises_before_the_library_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("convert.redact.literals._TO_BUILD", sys.maxsize)

    with pytest.raises(MemoryError):
        search_for([b"password"])
