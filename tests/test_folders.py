"""Logs that are found in folders, and how far the work on them has come."""

from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wcmatch import glob as wcmatch

from convert.cli import (
    ManyLogs,
    Progress,
    named_logs,
    progress,
    progress_of,
)
from convert.errors import UsageError
from convert.scale.engines import local
from convert.source import Globs
from support.golden import RUN
from support.in_process import run, run_on_terminal
from support.matrix import part
from support.processes import environment
from support.systems import make_pipe


def places(*words: str, output: str = "", **options: object) -> list[str]:
    """The places of the logs that a command line names."""
    named = named_logs([*words], ManyLogs(**options), output)  # type: ignore[arg-type]
    return [log.place for log in named.logs]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b/2.log", "b/1.log", "a.log", "b/c/3.log", "z.log", ".d/4.log"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_a_folder_is_walked_in_the_order_of_names(tree: Path) -> None:
    assert places(str(tree)) == ["a.log", "b/1.log", "b/2.log", "b/c/3.log", "z.log"]


def test_links_pipes_and_hidden_files_are_skipped(tree: Path) -> None:
    make_pipe(tree / "pipe.log")
    (tree / "link.log").symlink_to(tree / "a.log")
    (tree / "around").symlink_to(tree)
    (tree / ".hidden.log").touch()

    assert len(places(str(tree))) == 5
    named = named_logs([str(tree)], ManyLogs())
    assert named.links == [str(tree / "around"), str(tree / "link.log")]
    assert named.specials == [str(tree / "pipe.log")]


def test_a_folder_that_is_a_link_is_walked(tree: Path, tmp_path: Path) -> None:
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tree)

    assert places(str(link)) == places(str(tree))


@pytest.mark.parametrize(
    ("globs", "found"),
    [
        (["*.log"], 5),
        (["b/*"], 2),
        (["b/**"], 3),
        (["**/3.*"], 1),
        (["{a,z}.log"], 2),
        (["!b/**"], 2),
        (["*.log", "!z*"], 4),
        (["[ab].log"], 1),
        (["./b/*"], 2),
        (["/b/*"], 2),
        ([".//b/./c/*"], 0),
        (["/*.log"], 2),
        (["b/"], 3),
        (["c/"], 1),
        (["b/c/"], 1),
        (["/c/"], 0),
        (["./"], 5),
        (["!c/"], 4),
        (["!b"], 2),
        (["!./b/c"], 4),
        (["[!]b].log"], 5),
        (["{a,{y,z}}.log"], 2),
    ],
)
def test_globs_choose_among_the_files_of_a_folder(
    tree: Path, globs: list[str], found: int
) -> None:
    assert len(places(str(tree), globs=globs)) == found


@pytest.mark.parametrize("glob", ["[", "[!]", "a[b", "{a", "{a,[b}", "", "!", "/"])
def test_a_glob_that_can_match_nothing_is_refused(tree: Path, glob: str) -> None:
    with pytest.raises(UsageError):
        places(str(tree), globs=[glob])


@pytest.mark.parametrize("glob", [r"\[.log", r"\{a.log", "[[].log", "[]].log", "}.log"])
def test_a_glob_may_name_any_character(tree: Path, glob: str) -> None:
    for name in ("[.log", "].log", "{a.log", "}.log"):
        (tree / name).touch()

    assert len(places(str(tree), globs=[glob])) == 1


_GLOBS = ["a", "b", "*", "?", "**", "/", ".", "{a,b}", "{,x}", "{a,{b,c}}", "{3..1}"]
_GLOBS += ["[a-c]", "[!b]", "[]a]", "[[:alpha:]]", r"\*", r"\{", "{**/a,c}"]
_GLOBS += ["{01..5..4}"]
_NAMES = ["a", "b", "ac", ".a", "1", "05", "*", "{]"]
_PATHS = [
    "/".join(names)
    for depth in (1, 2, 3)
    for names in itertools.product(_NAMES, repeat=depth)
]


@pytest.mark.seldom
@given(st.lists(st.sampled_from(_GLOBS), min_size=1, max_size=6).map("".join))
def test_globs_choose_as_those_of_wcmatch(glob: str) -> None:
    assume(glob.strip("/") and glob.count("**") <= 4)
    assume(glob[0] != "." and glob[:2] != "//")
    # As in .gitignore, a name matches at any depth, and a folder is all that is in it.
    where = "/" if "/" in glob[:-1] else "/**/"
    whole = where + glob.lstrip("/") + ("**" if glob.endswith("/") else "")
    flags = wcmatch.GLOBSTAR | wcmatch.BRACE | wcmatch.FORCEUNIX
    expected = wcmatch.compile(whole, flags=flags)
    chosen = Globs((glob,))

    found = [path for path in _PATHS if chosen.choose(path)]

    assert found == [path for path in _PATHS if expected.match(f"/{path}")]


def test_each_glob_that_matches_no_file_is_named(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    globs = ["*.log", "b", "!b/*", "!old/", "!3.*"]

    places(str(tree), globs=globs)
    notices = capfd.readouterr().err.splitlines()
    places(str(tree), globs=globs, quiet=True)

    assert [re.findall("--glob '(.*)' matches no", line) for line in notices] == [
        ["b"],
        ["!old/"],
    ]
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    ("listed", "place"),
    [
        ("a/b.log", "a/b.log"),
        ("./a//b.log", "a/b.log"),
        ("../../a/b.log", "a/b.log"),
        ("/a/b.log", "a/b.log"),
    ],
)
def test_listed_logs_keep_their_folders(
    tmp_path: Path, listed: str, place: str
) -> None:
    paths = tmp_path / "list"
    paths.write_text(f"{listed}\n")

    assert places(files_from=str(paths)) == [place]


def test_a_list_may_hold_any_name(tmp_path: Path) -> None:
    paths = tmp_path / "list"
    paths.write_bytes(b"two\nlines.log\0\xff.log\0")

    assert places(files_from=str(paths)) == ["two\nlines.log", os.fsdecode(b"\xff.log")]


@pytest.mark.parametrize("command", [[], ["stats"]])
@pytest.mark.parametrize("words", [["--files-from", "p", "p"], ["p", "p"]])
def test_a_pipe_is_read_once(
    command: list[str], words: list[str], tmp_path: Path
) -> None:
    make_pipe(tmp_path / "p")
    done = run([*command, *words], tmp_path, {})

    assert done.status == 2
    assert done.stderr == b"runconv: p can be read only once; name it once\n"


def test_a_folder_in_the_folder_is_written_to_again(tree: Path) -> None:
    shutil.copy(RUN, tree / "b" / "1.log")
    for _ in range(2):
        done = run([str(tree), "--glob", "1.*", "-o", f"{tree}/out/"], tree, {})
        assert done.status == 0

    assert [path.name for path in (tree / "out").rglob("*.txt")] == ["1.txt"]


def test_logs_that_differ_in_the_suffix_keep_it(tmp_path: Path) -> None:
    for name in ("run.ndjson", "run.jsonl", "other.ndjson"):
        shutil.copy(RUN, tmp_path / name)
    done = run([".", "-t", "markdown", "-o", "out/"], tmp_path, {})

    assert done.status == 0
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["other.md", "run.jsonl.md", "run.ndjson.md"]


@pytest.mark.parametrize("command", [[], ["stats"]])
def test_a_folder_that_cannot_be_read_stops_no_other(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(RUN, tmp_path / name / "run.ndjson")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "a":
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done = run([*command, "."], tmp_path, {})

    assert done.status == 2
    assert b"cannot read the folder ./a: permission denied; make" in done.stderr
    assert done.stdout


def test_messages_show_each_character_of_a_name(tmp_path: Path) -> None:
    odd = os.fsdecode(b"two\nlines \xff\x1b[2J")
    for name in (f"{odd}.ndjson", f"{odd}.md"):
        (tmp_path / name).touch()
    (tmp_path / odd).mkdir()
    shutil.copy(RUN, tmp_path / odd / "run.ndjson")

    done = run([".", "-t", "answer"], tmp_path, {})
    alone = run([f"{odd}.txt", ""], tmp_path, {})
    unwritten = run([odd, "-o", f"{odd}.md/"], tmp_path, {})

    shown = r"two\nlines \xff\x1b[2J"
    lines = done.stderr.decode().splitlines()
    assert lines[0].startswith(f"runconv: ./{shown}.ndjson: the log is empty; ")
    assert lines[1].endswith(f"; 1 other file skipped: ./{shown}.md")
    assert done.stdout.startswith(f"==> ./{shown}/run.ndjson <==\n".encode())
    first, second = alone.stderr.decode().splitlines()
    assert first.startswith(f"runconv: {shown}.txt: cannot read it: no such file")
    assert second.startswith("runconv: '': cannot read it: no such file")
    assert unwritten.stderr.decode().startswith(f"runconv: {shown}.md is a file, not")


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_comes_every_ten_seconds(capfd: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    done = Progress(40_000_000, 4, progress._Lines(), clock=clock)
    for second in range(1, 26):
        clock.now = second
        done.add(1_000_000)
        if second == 15:
            done.add_logs(1)

    lines = capfd.readouterr().err.splitlines()
    assert lines == [
        "runconv: 0 of 4 logs, 10.0 of 40.0 MB, 1.0 MB/s, 30.0 s left",
        "runconv: 1 of 4 logs, 20.0 of 40.0 MB, 1.0 MB/s, 20.0 s left",
    ]


@pytest.mark.parametrize("are_counted", [True, False])
def test_no_line_comes_when_nothing_is_left_to_do(
    are_counted: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    done = Progress(40_000_000, 4, progress._Lines(), clock=clock)
    clock.now = 60
    if are_counted:
        done.add_logs(4)
    done.add(40_000_000)

    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_pipe_has_no_progress(tmp_path: Path, is_wanted: bool) -> None:
    pipe = tmp_path / "pipe"
    make_pipe(pipe)
    for paths in [["-"], [str(RUN), "-"], [str(pipe)]]:
        with progress_of(paths, times=1, is_wanted=is_wanted) as shown:
            assert shown is None
    with progress_of([str(RUN)], times=2, is_wanted=is_wanted) as shown:
        assert (shown is not None) == is_wanted
        assert shown is None or shown.size == 2 * RUN.stat().st_size


def on_terminal(folder: Path, *arguments: str, **variables: str) -> str:
    """Return the text of a command on a terminal that is only its standard error.

    It shows a bar at once, and starts workers for few logs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "_WAIT", 0)
        patch.setattr(progress, "_EACH_BAR", 0)
        patch.setattr(local, "_FEW", 1)
        status, shown = run_on_terminal(
            [*arguments], folder, environment(TERM="xterm") | variables, streams=[2]
        )
    assert status == 0
    return shown


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    for name in "abc":
        (tmp_path / f"{name}.ndjson").write_bytes(RUN.read_bytes() + b'{"type":\n')
    return tmp_path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "arguments",
    part(
        [
            [".", "-t", "markdown"],
            [".", "-o", "made/"],
            ["diff", "a.ndjson", "b.ndjson"],
            ["a.ndjson", "--redact"],
            ["diff", ".", ".", "--redact"],
        ],
        3,
    ),
    ids=part(["output", "workers", "diff", "redact", "folders"], 3),
)
def test_a_bar_is_removed_before_messages_and_at_the_end(
    damaged: Path, arguments: list[str]
) -> None:
    shown = on_terminal(damaged, *arguments)

    assert "100 %" in shown
    assert "MB/s" in shown
    assert "\x1b[J" in shown.rpartition("MB/s")[2]
    plain = re.sub(r"\x1b\[\d*m", "", shown)
    left = [line.rpartition("\x1b[J")[2] for line in plain.splitlines()]
    messages = [line for line in left if "runconv: " in line]
    assert messages
    assert all(line.startswith("runconv: ") for line in messages)


def test_a_bar_follows_no_color(damaged: Path) -> None:
    shown = on_terminal(damaged, "a.ndjson", NO_COLOR="1")

    assert "100 %" in shown
    assert "\x1b[34m" not in shown
    assert "\x1b[34m" in on_terminal(damaged, "a.ndjson")


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {}])
def test_quiet_commands_and_dumb_terminals_show_no_bar(
    damaged: Path, variables: dict[str, str]
) -> None:
    arguments = ["a.ndjson"] if variables else ["a.ndjson", "--quiet"]
    assert "%" not in on_terminal(damaged, *arguments, **variables)


@pytest.mark.parametrize("glob", ["{1..1001}", "**/a/**/a/**/a/**/a/**/a"])
def test_a_glob_that_stands_for_too_much_is_refused(tree: Path, glob: str) -> None:
    with pytest.raises(UsageError, match=r"more than 1,000 globs|more than 4 times"):
        named_logs([str(tree)], ManyLogs(globs=(glob,)))


def test_no_output_leaves_the_folder_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.log").write_bytes(b"{}")
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "sub").symlink_to(tmp_path / "elsewhere")

    done = run(["in", "-o", "out/"], tmp_path, environment())

    assert done.status == 2
    assert b"sub/a.txt would be outside of out/" in done.stderr
    assert not [*(tmp_path / "elsewhere").iterdir()]


def test_settings_without_end_or_with_endless_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(".".join(["a"] * 1001) + " = 1")

    for config, message in [("a.toml", b"1,000 parts"), ("/dev/zero", b"too long")]:
        done = run(["x.log", "--config", config], tmp_path, environment())

        assert done.status == 2
        assert message in done.stderr
