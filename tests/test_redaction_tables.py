"""The tables of rules hold no part that no rule needs, and no cell is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import convert
from convert.redact import Rules, read_rules
from convert.wording import read_sections

FOLDER = Path(convert.__file__).parent / "redact" / "rules"
TABLES = sorted(FOLDER.glob("*.ini"))
RULE = "[password]\nbegins = abc\npattern = abc {QUOTED}\nexample = abc '«x»'\n"


PARTS = "[parts]\nQUOTED = '(?P<secret>[^']+)'\n"


def read(folder: Path, text: str) -> Rules:
    """Return the rules of a table of prose, which may use the parts of names."""
    for table in TABLES:
        (folder / table.name).write_text("", encoding="utf-8")
    (folder / "names.ini").write_text(PARTS, encoding="utf-8")
    (folder / "prose.ini").write_text(text, encoding="utf-8")
    return read_rules(str(folder))


def test_each_part_and_list_of_words_is_defined_once_and_used() -> None:
    defined = [
        name
        for table in TABLES
        for heading, cells in read_sections(str(FOLDER), table.name)
        if heading == "parts" or heading.startswith("words")
        for name in cells
    ]

    used = "".join(table.read_text("utf-8") for table in TABLES)

    assert len(defined) > 30
    assert sorted(defined) == sorted({*re.findall(r"\{([A-Z_]{3,})\}", used)})


def test_a_rule_is_read_with_the_parts_of_other_tables(tmp_path: Path) -> None:
    rules = read(tmp_path, RULE)

    [rule] = rules.places
    assert rule.pattern == "abc '(?P<secret>[^']+)'"
    assert rule.find_at("abc 'correcthorse'", 0) == (5, 17, 18)


@pytest.mark.parametrize(
    ("begins", "words"),
    [
        ("a␣b c", ("a b", "c")),
        ("{a,b}{_,␣,}c", ("a_c", "a c", "ac", "b_c", "b c", "bc")),
        ("{a ⇥", ("{a", "\t")),
        ("{AGES}{!,?}", ("old!", "old?", "new!", "new?")),
    ],
)
def test_a_word_is_spelled_in_all_ways(
    tmp_path: Path, begins: str, words: tuple[str, ...]
) -> None:
    text = RULE.replace("abc\n", f"{begins}\n", 1)

    rules = read(tmp_path, f"[words]\nAGES = old new\n\n{text}")

    assert rules.places[0].begins == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RULE + "lest = 3\n", r"prose\.ini: \[password\] has no cell lest"),
        (RULE.replace("QUOTED", "QUOTE_D"), "QUOTE_D"),
        (RULE.replace("abc\n", "{BEGIN}\n"), "BEGIN"),
        (RULE.replace("begins", "begin"), "neither a rule nor .*: begin = abc"),
        ("[code]\nAcme key = acme_{a30}\n", "neither .*: Acme key = acme_{a30}"),
    ],
)
def test_a_mistyped_cell_is_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        read(tmp_path, text).places[0].pattern.isascii()


def test_what_tells_a_secret_must_be_known(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="is_randm"):
        read(tmp_path, f"{RULE}accepts = randm\n")
