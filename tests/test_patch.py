"""Patches of runs, applied by git itself."""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import convert
from convert.diff import REPORTS
from support.edits import DIRECTORY, Call, changed, deleted, edited, log_of, wrote
from support.matrix import each

# Line ends, their absence, blank lines, and characters that others take for line ends.
_LINES = st.sampled_from(
    [
        *("a\n", "ba\n", "\n", "a\r\n", "\r\n", "no line feed", "é 値 😀\n", "\ta \n"),
        *("-- x\n", "@@ -1 +1 @@\n", "\\ No newline at end of file\n", "\x00\x1b[2J\n"),
        *("one\rtwo\n", "\x0c\n", "\u2028\u0085\n", "diff --git a/x b/x\n", "\ufeff"),
    ]
)
contents = st.lists(_LINES, max_size=12).map("".join)
states = st.none() | contents
names = st.sampled_from(
    [
        *("a.py", "src/a.py", "with blank.txt", " lead", 'quo"te', "back\\slash"),
        *("é値.md", "tab\there", "new\nline", "-rf", "a/b/c d/é.txt", "dev/null"),
        *("~tilde", "$HOME", "..dots", "😀", "bell\x07\x7f", "x'y", "trailing "),
    ]
)
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def patched(before: dict[str, str], log: bytes) -> dict[str, str]:
    """Return the files that git makes of `before` with the patch of a run."""
    warnings: list[str] = []
    patch = b"".join(convert.convert(log, "patch", warn=lambda *w: warnings.append(w)))
    assert not warnings
    return files_after(before, patch)


def files_after(before: dict[str, str], patch: bytes) -> dict[str, str]:
    """Return the files that git makes of `before` with a patch, if there is one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, content in before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode())
        if patch:
            for arguments in (["--check"], []):
                applied(patch, folder, *arguments)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {
            path.relative_to(folder).as_posix(): path.read_bytes().decode()
            for path in files
        }


def applied(
    patch: bytes, folder: Path, *arguments: str, setting: str = "core.eol=lf"
) -> None:
    # Without a ceiling, git takes a repository above for the one to change.
    environment = os.environ | GIT | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = subprocess.run(
        ["git", "-c", setting, "apply", "--whitespace=nowarn", *arguments],
        input=patch,
        cwd=folder,
        env=environment,
        capture_output=True,
    )
    assert done.returncode == 0, (done.stderr, patch)


def present(files: dict[str, str | None]) -> dict[str, str]:
    return {name: content for name, content in files.items() if content is not None}


@given(st.dictionaries(names, st.lists(states, min_size=2, max_size=4), max_size=4))
def test_git_makes_the_contents_after_of_those_before(
    files: dict[str, list[str | None]],
) -> None:
    steps = [
        changed(name, before, after)
        for name, states in files.items()
        for before, after in itertools.pairwise(states)
        if (before, after) != (None, None)
    ]

    after = patched(
        present({name: states[0] for name, states in files.items()}), log_of(*steps)
    )

    assert after == present({name: states[-1] for name, states in files.items()})


@given(states, states, states)
def test_two_steps_make_the_patch_of_one(
    before: str | None, between: str | None, after: str | None
) -> None:
    steps = [(before, between), (between, after)]
    two = [changed("a", *step) for step in steps if step != (None, None)]
    one = [changed("a", before, after)] if (before, after) != (None, None) else []

    assert made(*two) == made(*one)


def made(*calls: Call, in_: str = DIRECTORY) -> bytes:
    return b"".join(convert.convert(log_of(*calls, directory=in_), "patch"))


def test_a_long_file_needs_little_context() -> None:
    lines = [f"line {number}\n" for number in range(5000)]
    before = "".join(lines)
    after = before.replace("line 9\n", "").replace("line 4000\n", "x\ny\n")

    log = log_of(edited("a", before, after))

    assert patched({"a": before}, log) == {"a": after}
    assert made(edited("a", before, after)).count(b"\n") == 3 + 1 + 7 + 1 + 9


def test_git_passes_over_the_names_of_several_logs() -> None:
    patches = made(edited("a", "1\n", "2")), made(wrote("b", "new\n"))

    patch = b"==> one.ndjson <==\n%b\n==> two.ndjson <==\n%b" % patches

    assert files_after({"a": "1\n"}, patch) == {"a": "2", "b": "new\n"}


def test_a_file_that_was_written_whole_is_new() -> None:
    assert patched({}, log_of(wrote("a", "one"))) == {"a": "one"}
    assert patched({}, log_of(wrote("a", ""))) == {"a": ""}
    assert patched({"a": ""}, log_of(deleted("a", ""))) == {}


@each(
    ("directory", "path"),
    [
        ("/w/app", "/w/app/src/a.py"),
        ("/w/app/", "/w/app//src/./a.py"),
        ("/w/app", "src/a.py"),
        ("/w/app", "src/x/../a.py"),
        ("/private/tmp/app", "/tmp/app/src/a.py"),
        ("C:\\code\\app", "c:\\Code\\app\\src\\a.py"),
        ("C:\\code\\app", "C:/code/app/src/a.py"),
        ("c:\\code\\app", "src\\a.py"),
        ("", "src/a.py"),
    ],
)
def test_paths_are_relative_to_the_directory(directory: str, path: str) -> None:
    log = log_of(edited(path, "a\n", "b\n"), directory=directory)

    assert patched({"src/a.py": "a\n"}, log) == {"src/a.py": "b\n"}


@each(
    ("path", "reason"),
    [
        ("/w/app-old/a", "/w/app-old/a is outside the directory of the run"),
        ("../a", "../a is outside the directory of the run"),
        ("~/a", "~/a is outside the directory of the run"),
        (".git/config", "git applies no patch to .git/config"),
        (f"x/{'y' * 256}", f"git applies no patch to x/{'y' * 256}"),
        ("no\ufffd", "git applies no patch to no\ufffd"),
        ("x/.GIT/hooks/y", "git applies no patch to x/.GIT/hooks/y"),
        ("nul\0", "git applies no patch to nul\0"),
        ("half\ud83d", "git applies no patch to half\ud83d"),
    ],
)
def test_a_file_that_cannot_be_in_a_patch_is_named(path: str, reason: str) -> None:
    assert warned(edited(path, "a\n", "b\n")) == [(2, reason, "skipped")]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            edited("/w/app/a", "a\n", "b\n"),
            "/w/app/a may be outside the directory of the run, which is not recorded",
        ),
        (
            ("edit", {"path": "/w/app/a"}, {"success": {}}),
            "the log does not record the lines that edits changed in /w/app/a",
        ),
        (
            edited("../a", "a\n", "b\n"),
            "../a is outside the directory of the run",
        ),
    ],
)
def test_a_patch_of_a_log_without_a_directory_says_so(call: Call, reason: str) -> None:
    assert warned(call, in_="") == [(2, reason, "skipped")]


# Pieces of names that git takes for its own folder, on some system, and others.
_PIECES = [
    ".git",
    ".GIT",
    "git~1",
    "GIT~2",
    "x",
    "\\",
    "/",
    ":",
    ".",
    " ",
    "\u200c",
    "é",
]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join))
@example(".git ./x")
@example("GIT~1:x")
@example("a\\.git.\\x")
@example("\ufeff.\u206agi\u202et/x")
def test_no_name_keeps_git_from_the_other_files(name: str) -> None:
    patch = made(wrote(name, "x"), wrote("other", "y"))

    with tempfile.TemporaryDirectory() as folder:
        for system in ("HFS", "NTFS"):
            applied(patch, Path(folder), "--check", setting=f"core.protect{system}=1")


@pytest.mark.parametrize("name", [".gitignore", "a.git/x", "git/x", "git~2", ".git x"])
def test_names_that_only_look_like_those_of_git_are_in_the_patch(name: str) -> None:
    assert patched({}, log_of(wrote(name, "x"))) == {name: "x"}


def test_a_file_that_was_empty_is_not_made() -> None:
    contents = {"beforeFullFileContent": "", "afterFullFileContent": "x\n"}
    edit = "edit", {"path": "a"}, {"success": {**contents, "diffString": "+x"}}

    assert patched({"a": ""}, log_of(edit)) == {"a": "x\n"}


def test_without_a_directory_only_relative_paths_are_inside() -> None:
    patch = made(
        *(edited(path, "a\n", "b\n") for path in ("a", "/w/b", "../c")), in_=""
    )

    assert patch.count(b"diff --git") == patch.count(b"diff --git a/a b/a") == 1


@each(
    ("name", "quoted"),
    [
        ("a b", "a b\t"),
        ("a\\b", '"a\\\\b"'),
        ('a"b', '"a\\"b"'),
        ("a\nb", '"a\\nb"'),
        ("é", '"\\303\\251"'),
        ("\x7f", '"\\177"'),
    ],
)
def test_names_are_quoted_as_git_does(name: str, quoted: str) -> None:
    label = quoted.replace('"', '"b/', 1) if '"' in quoted else f"b/{quoted}"

    assert f"+++ {label}\n".encode() in made(edited(name, "a\n", "b\n"))


def test_an_empty_line_at_the_start_is_context() -> None:
    patch = made(edited("a", "\nx\n", "\ny\n"))

    assert patch.endswith(b"@@ -1,2 +1,2 @@\n \n-x\n+y\n")


def test_a_content_that_cannot_be_in_a_patch_is_named() -> None:
    after = {"success": {"afterFullFileContent": "b", "diffString": "-a\n+b"}}
    assert warned(
        edited("a", "\ud83d", ""),
        deleted("b", None),
        ("edit", {"path": "c"}, after),
        ("edit", {"path": "d", "streamContent": "x"}, {"success": {}}),
        edited("e", "caf\ufffd", "tea"),
    ) == [
        (2, "the content of a before the run is not all text", "skipped"),
        (3, "the content of b before the run is not recorded", "skipped"),
        (4, "the content of c before the run is not recorded", "skipped"),
        (5, "the log does not record the lines that edits changed in d", "skipped"),
        (6, "the content of e before the run is not all text", "skipped"),
    ]


def warned(*calls: Call, in_: str = "/w/app") -> list[tuple[int, str, str]]:
    """Return the warnings of a run none of whose edits can be in a patch."""
    warnings: list[tuple[int, str, str]] = []
    log = log_of(*calls, directory=in_)
    patch = convert.convert(log, "patch", warn=lambda *what: warnings.append(what))
    assert not b"".join(patch)
    return warnings


@given(st.dictionaries(names, st.tuples(states, states), max_size=3))
def test_git_takes_the_patch_out_of_a_unified_report(
    files: dict[str, tuple[str | None, str | None]],
) -> None:
    files = {name: pair for name, pair in files.items() if pair != (None, None)}
    steps = [changed(name, *pair) for name, pair in files.items()]
    read = ("read", {"path": "a"}, {"success": {}})

    compared = convert.compare([log_of(read)], [log_of(*steps)])
    report = convert.report(compared, "unified")

    before = present({name: pair[0] for name, pair in files.items()})
    has_patch = any(was != now for was, now in files.values())
    after = files_after(before, report.encode() if has_patch else b"")
    assert after == present({name: pair[1] for name, pair in files.items()})
    assert ("diff --git " in report) == has_patch


def test_the_patch_of_a_report_names_changes_that_are_not_in_it() -> None:
    calls = [edited("/etc/hosts", "x", "y"), ("write", {"path": "a"}, {"success": {}})]

    report = convert.report(convert.compare([log_of()], [log_of(*calls)]), "unified")

    assert report.endswith(
        "from the files of baseline to those of candidate, as a patch:\n"
        "not in the patch: /etc/hosts is outside the directory of the run\n"
        "changed in candidate, as a patch:\n"
        "not in the patch: the content of a after the run is not recorded\n"
    )


def test_the_patch_of_a_report_is_of_the_files_that_differ() -> None:
    same, other = edited("same", "1\n", "2\n"), edited("other", "1\n", "2\n")

    report = convert.report(
        convert.compare([log_of(same)], [log_of(same, other)]), "unified"
    )

    assert "+++ b/other\n" in report
    assert "+++ b/same\n" not in report


@given(st.dictionaries(names, st.tuples(states, states, states), max_size=3))
def test_the_patch_of_a_report_leads_from_one_end_to_the_other(
    files: dict[str, tuple[str | None, str | None, str | None]],
) -> None:
    (end, log), (other_end, other_log) = (
        (
            present({name: each[side] for name, each in files.items()}),
            log_of(
                *(
                    changed(name, each[0], each[side])
                    for name, each in files.items()
                    if (each[0], each[side]) != (None, None)
                )
            ),
        )
        for side in (1, 2)
    )
    settings = convert.Settings(raw=True)

    compared = convert.compare([log], [other_log], settings=settings)
    report = convert.report(compared, "unified")

    patch = report.encode() if "diff --git " in report else b""
    assert files_after(end, patch) == other_end


@each("report", [*REPORTS, "junit", "github", "gitlab"])
def test_each_report_shows_where_a_file_differs(report: str) -> None:
    one, other = (edited("a.py", "x = 1\n", f"x = {n}\ny = 3\n") for n in (20, 30))

    compared = convert.compare([log_of(one)], [log_of(other)])
    made = convert.report(compared, report)

    signs = {"html": ("-x = 20<", "+x = 30<"), "github": ("[-20-]{+30+}",)}
    signs["gitlab"] = signs["github"]
    assert all(sign in made for sign in signs.get(report, ("-x = 20", "+x = 30")))
