"""The parts of strings that `diff` ignores: each spelling of each rule, and no more."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import convert
from convert.diff import Settings
from convert.diff.normalise import Normaliser


def rules(directory: str = "/w/app") -> Normaliser:
    return Normaliser(Settings(), directory, Counter())


UNITS = "ns µs us ms s m h sec secs second seconds min mins minute minutes hour hours"


@pytest.mark.parametrize("unit", [*UNITS.split(), "millisecond", "milliseconds"])
def test_a_duration_in_output_is_ignored(unit: str) -> None:
    for number in ("3", "0.41"):
        for blank in ("", " "):
            text = f"took {number}{blank}{unit}, all in all"

            assert rules().printed(text) == "took <dur>, all in all"


@pytest.mark.parametrize("text", ["5 days", "v1.2s", "x3s", "3st", "3 passed", "12"])
def test_other_numbers_stay(text: str) -> None:
    assert rules().printed(text) == text


def test_a_duration_stays_in_prose() -> None:
    assert rules().text("sleep 5s") == "sleep 5s"
    assert rules().prose("It took 5 s.") == "It took 5 s."


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"])
def test_the_port_of_this_machine_is_ignored(host: str) -> None:
    assert rules().text(f"GET http://{host}:51234/x") == f"GET http://{host}:<port>/x"


@pytest.mark.parametrize("text", ["db:5432", "xlocalhost:80", "localhost:5", "a:80"])
def test_other_ports_stay(text: str) -> None:
    assert rules().text(text) == text


@pytest.mark.parametrize(
    "sequence",
    [
        *("\x1b[31m", "\x1b[0K", "\x9b2J", "\x1b[?25l", "\x1b[38;5;214m"),
        *("\x1b]0;title\x07", "\x1b]8;;https://x.example\x1b\\"),
    ],
)
def test_a_sequence_of_a_terminal_is_ignored(sequence: str) -> None:
    assert rules().printed(f"a{sequence}b") == "ab"


@pytest.mark.parametrize("name", ["/tmp", "/private/tmp", "/var/folders/a1/b2/T"])
def test_a_folder_for_temporary_files_is_ignored(name: str) -> None:
    assert rules().text(f"{name}/run-aB3dE9/x") == "<tmp>/run-<rand>/x"


@pytest.mark.parametrize("piece", ["aB3dE9", "ab12cd34", "X7KQ2P", "aBcDeF"])
def test_a_name_drawn_by_chance_is_ignored(piece: str) -> None:
    assert rules().text(f"/tmp/run-{piece}.log") == "<tmp>/run-<rand>.log"


@pytest.mark.parametrize("piece", ["aB3dE", "report", "REPORT", "Report", "20260101"])
def test_a_name_that_means_something_stays(piece: str) -> None:
    assert rules().text(f"/tmp/run-{piece}.log") == f"/tmp/run-{piece}.log"


@pytest.mark.parametrize(
    "time",
    [
        *("2026-11-02T10:00", "2026-11-02t10:00:00z", "2026-11-02 10:00:00,123"),
        *("20261102T1000", "20261102T100000Z", "20261102T100000.5+0200"),
    ],
)
def test_a_time_is_ignored(time: str) -> None:
    assert rules().text(f"at {time}.") == "at <time>."


@pytest.mark.parametrize("length", [40, 64])
def test_a_hash_is_ignored_if_it_is_as_long_as_one(length: int) -> None:
    digits = "0123456789abcdef" * 5

    assert rules().text(digits[:length]) == "<hash>"
    assert rules().text(digits[: length - 1]) == digits[: length - 1]
    assert rules().text(digits[: length + 1]) == digits[: length + 1]


@pytest.mark.parametrize(
    "path", ["src/x.py", "./src/x.py", "././src//x.py", "/w/app/src/x.py", "src/x.py/"]
)
def test_a_path_has_one_spelling(path: str) -> None:
    assert rules().path(path) == "src/x.py"


@pytest.mark.parametrize("path", ["/", "//", "/./"])
def test_the_root_is_not_the_directory_of_the_run(path: str) -> None:
    assert rules().path(path).startswith("/")
    assert rules().path("/w/app/") == rules().path(".") == "."


def test_a_path_of_windows_has_one_spelling() -> None:
    windows = rules("C:\\w\\app")

    assert windows.path("C:\\w\\app\\src\\x.py") == "src/x.py"
    assert windows.path("src\\x.py") == "src/x.py"
    assert windows.text("type C:\\w\\app\\src\\x.py") == "type src\\x.py"
    assert rules().path("src\\x.py") == "src\\x.py"


def test_the_root_of_a_disk_is_no_directory() -> None:
    assert rules("C:\\").text("C:\\x and C:") == "C:\\x and C:"
    assert rules("/").text("/x and /") == "/x and /"


def test_file_contents_lose_only_line_ends_and_the_directory() -> None:
    text = "/w/app/x\r\nat 2026-11-02T10:00 in /tmp/run-aB3dE9 \x1b[0m"

    assert rules().content(text) == (
        "x\nat 2026-11-02T10:00 in /tmp/run-aB3dE9 \x1b[0m"
    )


def test_white_space_in_prose_is_one_blank() -> None:
    assert rules().prose("a\n\n  b\tc ") == "a b c"


def test_a_rule_that_changes_nothing_is_not_counted() -> None:
    hits: Counter[str] = Counter()
    normaliser = Normaliser(Settings(), "/w/app", hits)

    normaliser.text("/tmp/input.json at /tmp/run-aB3dE9 \r\n \x1b[0m")

    assert hits == {"tmp": 1, "crlf": 1, "ansi": 1}


@pytest.mark.parametrize(("end", "is_same"), [("B", True), ("BB", False)])
def test_a_substitution_of_the_user_may_look_beyond_a_line(
    end: str, is_same: bool
) -> None:
    settings = Settings(outputs=True, scrub=("<dur>\n.$=>D",))
    one, other = printing("took 3 s\nA"), printing(f"took 4 s\n{end}")

    compared = convert.compare([one], [other], settings=settings)

    assert compared.is_different != is_same


def printing(text: str) -> bytes:
    """A log of one command that prints a text."""
    body = {"shellToolCall": {"args": {}, "result": {"success": {"stdout": text}}}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "c"}
    return json.dumps(call | {"tool_call": body}).encode()
