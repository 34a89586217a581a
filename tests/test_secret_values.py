"""The bounds of redaction: values on each side of them, and texts that meet there."""

from __future__ import annotations

import pytest

from convert.redact import (
    Known,
    Redactor,
    Secret,
    Shape,
    continued,
    find,
    is_telling,
    rewrite,
)
from convert.redact import suspicion as members
from convert.redact import values as judges
from convert.redact.finding import broken_off
from support.matrix import each

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
# Three letters more than the pieces of words in 29 may have.
LETTERS = "abcDefgHijkLmnopQrstUvwXyzaBcd"


@each(
    ("judge", "secret", "harmless"),
    [
        ("varied", "aBc12", "aBc1"),
        ("varied", "aBc12", "aBc12example"),
        ("scrambled", "aBcDeFgHiJkLmNoPqRsT", "aBcDeFgHiJkLmNoPqRs"),
        ("scrambled", LETTERS, LETTERS[:29]),
        ("random", "hellowor1dagain", "helloworldagain"),
        ("shuffled", "abCdefGh1j2", "abCdefgh1j2"),
        ("shuffled", "aB3dE4f", "aB3dE"),
        ("very random", "abcdef1gh2", "abcdef1gh"),
        ("very random", "1234567ab", "1234567a"),
        ("no placeholder", "aaab", "aaaa"),
        ("no placeholder", "hunter2", "${hunter2}"),
        ("block", "Correct Horse battery", "correct horse battery"),
        ("block", "hU7xaQ9\nmQ77xxw", "hU7xaQ9\nnot ok"),
        ("no word", "hU7xaQ", "SomeType"),
        ("no word", "hunter22x", "1.2.3"),
        ("cased", "helloWorld1", "helloworld1"),
        ("default", "correct-horse-battery-staple", "correct-horse-battery"),
        ("phrase", "correct horse", "the horse"),
        ("phrase", " ".join(["horse"] * 12), " ".join(["horse"] * 13)),
        ("foreign", "abc 4def", "abc 4de"),
        ("foreign", "abc 4def", "abc defg"),
        ("quoted in prose", "correct-horse-battery-staple", "correct-horse-battery"),
        ("long", "hU7xaQ99", "hU7xaQ9"),
        ("credential", "hU7xaQ99", "hU7xaQ9"),
        ("typed", "abcdefghijk", "abcdefghij"),
        ("typed", "ABCDEFG", "Abcdefg"),
        ("filled", "correct horse", "the horse"),
        ("argument", "hU7xaQ99", "hU7xaQ9"),
        ("cookie", "theme=dark; sid=x1y2z3", "theme=aB3dE5fG7hI9jK1l"),
        ("cookie", "id=aB3dE5fG7hI9jK1l", "id=aB3dE5fG7hI9jK1"),
        ("key", "A" * 16, "A" * 15),
        ("no type", "hU7xaQ", "SOME_NAME"),
        ("mixed", "hU7xaQ9z", "hU7xaQzz"),
        ("mixed", "a7777777", "77777777"),
    ],
)
def test_a_judge_distinguishes_a_secret_from_its_twin(
    judge: str, secret: str, harmless: str
) -> None:
    is_secret = getattr(judges, f"is_{judge.replace(' ', '_')}")

    assert is_secret(secret)
    assert not is_secret(harmless)


@pytest.mark.parametrize(
    ("name", "secret", "harmless"),
    [
        ("auth", "correctHorseBattery", "correcthorsebattery"),
        ("auth", "correctHorse", "correctHors"),
        ("cookie", "theme=dark", "chocolate"),
        ("token", "hunt3r2", "1.2.3"),
    ],
)
def test_a_member_with_a_secret_may_hold_another_value(
    name: str, secret: str, harmless: str
) -> None:
    assert members.secret_in_member(name, secret)
    assert not members.secret_in_member(name, harmless)
    # It would be a package.
    assert not members.secret_in_member(f"@scope/{name}", secret)


@pytest.mark.parametrize(
    ("field", "is_asked_for"),
    [("#password", True), ("Passphrase", True), ("compass", False), ("#name", False)],
)
def test_text_typed_into_a_field_of_a_page_is_a_secret_if_it_asks_for_one(
    field: str, is_asked_for: bool
) -> None:
    assert bool(members.secret_in_field(field, "hU7x" * 32)) == is_asked_for
    assert not members.secret_in_field(field, "hU7x" * 32 + "a")


@pytest.mark.parametrize("member", ["selector", "element", "label", "field"])
def test_each_name_of_a_field_is_known(member: str) -> None:
    line = f'{{"{member}": "#password", "text": "hU7xaQ9"}}'.encode()

    assert b"hU7xaQ9" not in rewrite(line, Redactor(), Shape(), None)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("| name | password |\n|---|---|\n| bob | {} |\n", "hU7x9q"),
        ("name | password\nbob | {}\n", "hU7x9q"),
        ("name\tpassword\nbob\t{}\n", "hU7x9q"),
        ("passwords:\n  - {}\n", "hU7xaQ"),
        ("tokens:\n  - {}\n", "hU7xaQ99"),
    ],
)
def test_a_value_below_a_head_is_a_secret(text: str, secret: str) -> None:
    shown = text.format(secret)
    at = shown.index(secret)

    assert find(shown) == [Secret(at, at + len(secret), "password", is_weak=True)]
    assert find(text.format(secret[:5])) == []


def test_below_a_head_with_tokens_a_value_needs_two_digits() -> None:
    assert find("tokens:\n  - hU7xaQzz\n") == []


@pytest.mark.parametrize("begins", [TOKEN[:4], "sk-"])
def test_a_token_may_break_off_after_eight_characters(begins: str) -> None:
    text = f"key is {begins}a1B2c3D4"

    assert [secret[:2] for secret in broken_off(text)] == [(7, len(text))]
    assert broken_off(text[:-1]) == []


def test_a_token_goes_on_in_the_next_text_only_if_it_is_not_whole() -> None:
    assert continued(f"x {TOKEN[:-1]}", f"{TOKEN[-1]}\n") == [
        Secret(0, 1, "GitHub token")
    ]
    assert continued(f"x {TOKEN}", "\nmore") == []


def test_a_known_secret_has_four_different_characters() -> None:
    assert is_telling("abc1abc1")
    assert not is_telling("ab1ab1ab")


@pytest.mark.parametrize(("length", "is_found"), [(15, False), (16, True)])
def test_a_long_known_secret_is_found_inside_words(length: int, is_found: bool) -> None:
    secret = "hU7xaQ9zK3mW5tR1b"[:length]
    known = Known()
    known.add(secret, "password")

    assert bool([*known.find(f"x{secret}y")]) == is_found


@pytest.mark.parametrize(("length", "has_forms"), [(512, True), (513, False)])
def test_a_known_secret_of_some_length_is_found_in_other_forms(
    length: int, has_forms: bool
) -> None:
    secret = ("hU7x&Q9 " * 65)[:length]
    known = Known()
    known.add(secret, "password")

    assert bool([*known.find(secret.replace("&", "&amp;"))]) == has_forms


def test_a_token_with_a_short_beginning_needs_two_digits() -> None:
    letters = "abcdefbacdfeabdcfeacbdefabcd"

    assert find(f"SK{letters}ab1c") == []
    assert [secret.name for secret in find(f"SK{letters}a2b1")] != []
