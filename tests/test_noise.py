"""The parts of strings that `diff` ignores: each spelling of each rule, and no more."""

from __future__ import annotations

import itertools
import json
import re

import pytest

import convert
from convert.diff import Normaliser, Value, noise_values, places_of
from convert.options import Settings
from support.matrix import each


def rules(directory: str = "/w/app") -> Normaliser:
    return Normaliser(Settings(), directory)


UNITS = "ns µs us ms s m h sec secs second seconds min mins minute minutes hour hours"


@each("unit", [*UNITS.split(), "millisecond", "milliseconds"])
def test_a_duration_in_output_is_ignored(unit: str) -> None:
    for number in ("3", "0.41"):
        for blank in ("", " "):
            text = f"took {number}{blank}{unit}, all in all"

            assert rules().printed(text) == "took <duration>, all in all"


@each("text", ["5 days", "v1.2s", "x3s", "3st", "3 passed", "12"])
def test_other_numbers_stay(text: str) -> None:
    assert rules().printed(text) == text


def test_a_duration_stays_in_prose() -> None:
    assert rules().text("sleep 5s") == "sleep 5s"
    assert rules().prose("It took 5 s.") == "It took 5 s."


@each(
    ("text", "printed"),
    [
        ("http://localhost:8080/x", "http://localhost:<port>/x"),
        ("127.0.0.1:51234", "127.0.0.1:<port>"),
        ("0.0.0.0:51234", "0.0.0.0:<port>"),
        ("[::1]:443", "[::1]:<port>"),
        (
            "db:5432 localhost:5 localhost:123456",
            "db:5432 localhost:5 localhost:123456",
        ),
        ("0F8fad5b-d9cb-469f-a165-70867728950e", "<id>"),
        ("call 0f8fad5b-d9cb-469f-a165-70867728950e-2-k0x7.", "call <id>."),
        ("at 2026-11-02T10:00:00.123Z", "at <time>"),
        ("at 2026-11-02 10:00:00,123", "at <time>"),
        ("at 2026-11-02 10:00:00+01", "at <time>"),
        ("at 20261102T100000.5+0200!", "at <time>!"),
        ("on 2026-11-02 at 10:00:00", "on 2026-11-02 at 10:00:00"),
        ("commit " + "0123456789abcdef" * 4, "commit <hash>"),
        ("commit " + "0123456789" * 4, "commit <hash>"),
        ("commit 0123456", "commit 0123456"),
        ("0123456789ABCDEF" * 4, "0123456789ABCDEF" * 4),
        ("cat /x/terminals/12.txt", "cat /x/terminals/<terminal>.txt"),
        ("/tmp/tmpab12cd_3/x", "<tmp>/x"),
    ],
)
def test_values_in_output_are_known_by_their_shape(text: str, printed: str) -> None:
    assert rules().printed(text) == printed


@pytest.mark.parametrize(
    "text",
    [
        "git show 0123456789abcdef0123456789abcdef01234567",
        "delete 0f8fad5b-d9cb-469f-a165-70867728950e",
        "curl localhost:8080",
        "at 2026-11-02T10:00:00Z",
        "rm -rf /tmp/build-aB3dE9",
    ],
)
def test_values_in_arguments_stay(text: str) -> None:
    assert rules().text(text) == text


@each(
    "sequence",
    [
        *("\x1b[31m", "\x1b[0K", "\x9b2J", "\x1b[?25l", "\x1b[38;5;214m"),
        *("\x1b]0;title\x07", "\x1b]8;;https://x.example\x1b\\"),
    ],
)
def test_a_sequence_of_a_terminal_is_ignored(sequence: str) -> None:
    assert rules().printed(f"a{sequence}b") == "ab"
    assert rules().text(f"a{sequence}b") == "ab"


@each(
    ("text", "spelled"),
    [
        ("/w/app/src/x.py", "src/x.py"),
        ("/w/app//./src", "src"),
        ("/w/app", "."),
        ("/w/app/", "."),
        ('cd "/w/app" && ls', 'cd "." && ls'),
        ("It is in /w/app.", "It is in .."),
        ("/w/app/.", "."),
        ("cd /w/app/./ && ls", "cd . && ls"),
        ("/w/app/../x", "../x"),
        ("/w/app/.env", ".env"),
        ("/w/app-old/x", "/w/app-old/x"),
        ("/w/app.bak", "/w/app.bak"),
        ("/w/application", "/w/application"),
        ("/srv/w/app/x", "/srv/w/app/x"),
        ("${X}/w/app/x", "${X}/w/app/x"),
        ("--root=/w/app/x", "--root=x"),
        ("PATH=/w/app/a:/w/app/b", "PATH=a:b"),
        ("[x](/w/app/a.md)", "[x](a.md)"),
        ("file:///w/app/a.md", "file://a.md"),
        ("vscode://file/w/app/a.md", "vscode://filea.md"),
        ("a\r\nb", "a\nb"),
        ("cafe\u0301 \ufb01", "caf\u00e9 \ufb01"),
    ],
)
def test_a_string_has_one_spelling(text: str, spelled: str) -> None:
    assert rules("/w/app/").text(text) == spelled


@each(
    ("directory", "text", "spelled"),
    [
        ("/home/kim/app", "cat /home/kim/.bashrc", "cat ~/.bashrc"),
        ("/Users/kim/app", "ls /Users/kim", "ls ~"),
        ("/root/app", "/root/x /rootfs/x", "~/x /rootfs/x"),
        ("/home/kim/app", "/home/eve/x /srv/home/kim", "/home/eve/x /srv/home/kim"),
        ("/srv/app", "/home/kim/x", "/home/kim/x"),
        ("/private/tmp/app", "/tmp/app/x /private/tmp/app/y", "x y"),
        ("/tmp/app", "/tmp/app/x /private/tmp/app/y", "x y"),
        ("/w", "/private/tmp/x /private/var/y", "/tmp/x /var/y"),
        ("/w", "/privately/tmp /private/etc", "/privately/tmp /private/etc"),
        ("/w", "/var/folders/q1/z9x/T/build/x", "/tmp/build/x"),
        (
            "/w",
            "/home/kim/.cursor/projects/w/a.txt",
            "~/.cursor/projects/<project>/a.txt",
        ),
        ("/Users/kim/My App", "cd /Users/kim/My\\ App && ls", "cd . && ls"),
        ("/Users/kim/My App", "file:///Users/kim/My%20App/x", "file://x"),
        ("/w/cafe\u0301", "/w/cafe\u0301/x", "x"),
    ],
)
def test_directories_have_one_name(directory: str, text: str, spelled: str) -> None:
    assert rules(directory).text(text) == spelled


@each(
    ("text", "spelled"),
    [
        ("type C:\\Users\\kim\\app\\src\\x.py", "type src/x.py"),
        ("type c:/Users/kim/app/src/x.py", "type src/x.py"),
        ('open("C:\\\\Users\\\\kim\\\\app\\\\x.py")', 'open("x.py")'),
        ("file:///C:/Users/kim/app/x.py", "file://x.py"),
        ("C:\\Users\\kim\\.npmrc", "~/.npmrc"),
        ("type c:\\Users\\eve\\x", "type C:/Users/eve/x"),
        ("D:\\Users\\kim\\app", "D:/Users/kim/app"),
        ("d:/ci/lint.toml", "D:/ci/lint.toml"),
        ("http://x grep -n a:b", "http://x grep -n a:b"),
        ("C:\\Users\\kim\\AppData\\Local\\Temp\\tmpab12cd34\\x", "/tmp/tmpab12cd34/x"),
    ],
)
def test_directories_of_windows_have_one_name(text: str, spelled: str) -> None:
    assert rules("C:\\Users\\kim\\app").text(text) == spelled


@each(
    ("name", "is_made"),
    [
        ("tmp.aB3dE6fGhI", True),
        ("tmp.aBcdEfGhIj", True),
        ("tmpab12cd_3", True),
        ("pytest-of-kim/pytest-12", True),
        ("build-MyProject", False),
        ("run-aB3dE9", True),
        ("run-MyProject", False),
        ("input-a.json", False),
        ("tmpfiles", False),
    ],
)
def test_a_name_that_the_system_makes_is_known_by_its_shape(
    name: str, is_made: bool
) -> None:
    found = [value for value, _, _ in places_of(f"/tmp/{name}/x")]

    assert found == ([Value("tmp", name)] if is_made else [])
    assert rules().text(f"/tmp/{name}/x") == f"/tmp/{name}/x"


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
    assert windows.path("c:/w/app/src/x.py") == "src/x.py"
    assert windows.path("src\\x.py") == "src/x.py"
    assert rules().path("src\\x.py") == "src\\x.py"


def test_the_root_of_a_disk_is_no_directory() -> None:
    assert rules("C:\\").text("C:\\x and C:") == "C:/x and C:"
    assert rules("/").text("/x and /") == "/x and /"
    assert rules("").text("/x and /") == "/x and /"


def test_file_contents_lose_only_line_ends_and_own_directories() -> None:
    text = "/w/app/x\r\nat 2026-11-02T10:00 in /tmp/tmp.aB3dE9 \x1b[0m"

    assert rules().content(text) == "x\nat 2026-11-02T10:00 in /tmp/tmp.aB3dE9 \x1b[0m"


def test_white_space_in_prose_is_one_blank() -> None:
    assert rules().prose("a\n\n  b\tc ") == "a b c"


def test_a_substitution_comes_after_all_rules() -> None:
    scrubbing = Normaliser(Settings(scrub=("^src/=>D/", "Took 5=>T")), "")

    assert scrubbing.path("./src/x") == "D/x"
    assert scrubbing.prose("Took\n5") == "T"


def test_a_rule_that_changes_nothing_is_not_counted() -> None:
    normaliser = rules()

    normaliser.text("/tmp/input.json \r\n \x1b[0m")
    normaliser.path("src/x")

    assert normaliser.hits == {"crlf": 1, "ansi": 1}


@each(
    ("text", "shape", "value"),
    [
        ("get 0f8fad5b-d9cb-469f-a165-70867728950e", "id", None),
        ("get 0f8fad5b-d9cb-469f-a165-70867728950e-2-k0x7", "id", None),
        ("get abcdefab-1bcd-abcd-abcd-abcdefabcdef", "id", None),
        ("get SHOP-142", "id", None),
        ("get toolu_94c9c9500925e4749b575bd1", "id", None),
        ("get cus_NffrFeUfNV2Hib", "id", None),
        ("get 01HZXK8Q2M3N4P5R6S7T8V9WXY", "id", None),
        ("show a1b2c3d", "hash", None),
        ("git show 1234567", "hash", None),
        ("report-2026-11-22.md", "time", "2026-11-22"),
        ("at 2026-11-22T10:00:05Z", "time", None),
        ("log-2026.11.24_10.15", "time", "2026.11.24_10.15"),
        ("curl localhost:51234/x", "port", "51234"),
        ("kill -9 4242", "process", "4242"),
        ("cat /proc/4242/status", "process", "4242"),
        ("cat /x/terminals/3.txt", "terminal", "terminals/3.txt"),
    ],
)
def test_a_value_is_known_by_its_shape(
    text: str, shape: str, value: str | None
) -> None:
    [(found, begin, end)] = places_of(text)

    assert found.shape == shape
    assert text[begin:end] == found.text == (value or text.split()[-1])


@each(
    "text",
    [
        "src/price_v2.py",
        "python3 -m pytest test_foo2bar.py -k 12",
        "git log -n 1234567",
        "deadbeef",
        "sleep 30; head -100",
        "x0f8fad5b-d9cb-469f-a165-70867728950ex"[:20],
    ],
)
def test_other_words_are_no_values(text: str) -> None:
    assert [value for value, _, _ in places_of(text) if value.shape != "id"] == []
    assert [value.text for value, _, _ in places_of(text)] in (
        [],
        ["x0f8fad5b-d9cb-469f"],
    )


# Words before the numbers of ports, processes and revisions, and parts of values.
WORDS = (
    "x,A1,aB3dE9,/proc,127.0.0.1,[::1],localhost,host.docker.internal,tcp,-i,--port"
    ",PORT,http.server,fuser -k,kill,kill -9,kill -HUP,kill -s TERM,wait,--pid,/PID"
    ",ps -p,lsof -p,pgrep -P,show,checkout,cherry-pick,revert,--hard"
)
PARTS = (
    "7,42,8080,1234567,1790000000,a1,aB3dE9kLm,a1b2c3d,xyzzyxyz,B-7,B1-7,2026-11-02"
    ",2026.11.02_10.15,20261102,20261102T1015,2026-11-02T10:15,10:15,2\u0663"
    ",abcdefab-1bcd-abcd-abcd-abcdefabcdef,abcdefab-abcd-abcd-abcd-abcdefabcde1"
)


def test_a_text_that_is_passed_over_holds_no_value() -> None:
    pieces = WORDS.split(","), " :/=-", PARTS.split(",")
    for text in map("".join, itertools.product(*pieces)):
        found = [match[0] for match in re.finditer(noise_values._SEEN_PATTERN, text)]

        assert [value.text for value, _, _ in places_of(text)] == found


@pytest.mark.parametrize(("end", "is_same"), [("B", True), ("BB", False)])
def test_a_substitution_of_the_user_may_look_beyond_a_line(
    end: str, is_same: bool
) -> None:
    settings = Settings(outputs=True, scrub=("<duration>\n.$=>D",))
    one, other = printing("took 3 s\nA"), printing(f"took 4 s\n{end}")

    compared = convert.compare([one], [other], settings=settings)

    assert compared.is_different != is_same


def printing(text: str) -> bytes:
    """A log of one command that prints a text."""
    body = {"shellToolCall": {"args": {}, "result": {"success": {"stdout": text}}}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "c"}
    return json.dumps(call | {"tool_call": body}).encode()
