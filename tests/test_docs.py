"""The README and the pages in docs/ are true: every block is run or read.

Each page has a folder of its own, in which its blocks run in order. There is no
repository in it: the commands of a page need only an installed `runconv`. Only the
two commands that set up a clone are left to `.ci/run`.
"""

from __future__ import annotations

import contextlib
import functools
import html
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from convert.cli import settings_in_file
from support.actions import action
from support.golden import GOLDEN
from support.libraries import missing, need
from support.processes import WITHOUT
from support.shell import SCRIPTS, run_line
from support.systems import need_system

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, *DOCS]
BESIDE = [*sorted({*ROOT.glob("*.md")} - {README}), GOLDEN / "README.md"]
LINKED = [*PAGES, *BESIDE, *sorted((ROOT / ".github").glob("*.md"))]
SITE = ROOT / "scripts" / "site" / "conf.py"

_BLOCK = re.compile(r"^(`{3,})([\w-]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
# A command of ours, with or without variables, which others may feed or read.
_OURS = re.compile(
    r"(?:[^|&;()]+\| )*(?:[A-Z]+=\w+ )*runconv [^|&;()]*(?:\|[^|&;()]+)*"
)
# It says how the command before it ended, if not well.
_STATUS = ' || echo "exit status $?"'
_LINK = re.compile(r"\]\(([^)\s]+)\)")
# At the head of a line, an item or a cell, or after the sentence before.
_BACKWARDS = re.compile(
    r"(?:^[ >*-]*|\| |[.:!?][*`)]* )((?:Of|What|That of)\b[^.!?\n]*[.!?]?)",
    re.MULTILINE,
)
# Libraries that only `-m recipes` starts.
RECIPES = ["pyspark", "ray"]
# The libraries that a command or a program needs, by the names in it.
_LIBRARIES = {
    "calls.parquet": ["pyarrow"],
    "table calls nightly -o calls/": ["pyarrow"],
    "find calls": ["pyarrow"],
    "import duckdb": ["pyarrow", "duckdb", "pandas"],
    "--engine dask": ["distributed"],
    "ls transcripts": ["distributed"],
    "memory://": ["fsspec"],
}
# Pages whose commands start a cluster or pytest, or compare many logs.
SLOW = ["docs/goldens.md", "docs/scale.md", "docs/suites.md"]
# Programs that stand in for those of the pages.
_PROGRAMS = {
    "agent": "exec runconv --example",
    "claude": f"exec cat '{GOLDEN}/claude-stream-bug-fix/claude.ndjson'",
    "codex": f"exec cat '{GOLDEN}/codex-exec-bug-fix/codex.ndjson'",
    "pip": "",
}


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str


@functools.cache
def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [Block(match[2], match[3]) for match in _BLOCK.finditer(text)]


def of_language(language: str) -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        yield from ((page, text) for name, text in blocks(page) if name == language)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def environment(folder: Path) -> dict[str, str]:
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name, text in _PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), SCRIPTS, os.environ["PATH"]])
    summary = str(folder / "summary.md")
    return {
        "PATH": path,
        "LC_ALL": "C.UTF-8",
        "GITHUB_STEP_SUMMARY": summary,
        "PYTEST_ADDOPTS": " ".join(["-prunconv_pytest", *WITHOUT]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would, in the folder of a page."""
    if command[0] in ("sh", "bash"):
        need_system("a shell")
    return subprocess.run(
        command,
        cwd=place_in(folder),
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )


def place_in(folder: Path) -> Path:
    place = folder / "page"
    place.mkdir(exist_ok=True)
    return place


def test_every_block_has_a_language_that_is_tested() -> None:
    languages = {block.language for page in PAGES for block in blocks(page)}

    assert languages == {
        *("console", "python", "text", "toml", "yaml", "markdown", "sh", "groovy")
    }


def pages_to_run() -> Iterator[Any]:
    for page in PAGES:
        marks = [pytest.mark.seldom] if named(page) in SLOW else []
        yield pytest.param(page, marks=marks, id=named(page))


@pytest.mark.parametrize("page", [*pages_to_run()])
def test_commands_print_the_output_that_the_page_shows(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    shown, lacking = blocks(page), []
    updated = page if request.config.getoption("update") else None
    for block, after in zip(shown, [*shown[1:], Block("", "")], strict=False):
        if block.language == "console":
            lacking += check_console(block.text, tmp_path, updated)
        elif block.language == "python" and not recipe_of(block):
            expected = after.text if after.language == "text" else ""
            if missed := missing(*libraries_of(block.text)):
                lacking += missed
            else:
                assert printed_by_python(block.text, tmp_path) == expected, block.text
    need(*lacking)


def libraries_of(text: str) -> Iterator[str]:
    """Yield the libraries that a command or a program needs."""
    for word, names in _LIBRARIES.items():
        if word in text:
            yield from names


def recipe_of(block: Block) -> str:
    """Return the library that a program shows at work; "" for none of these."""
    return next(
        (
            name
            for name in RECIPES
            if f"import {name}" in block.text or f"from {name}" in block.text
        ),
        "",
    )


def check_console(text: str, folder: Path, updated: Path | None) -> list[str]:
    """Compare the output of commands; return the libraries that some of them miss.

    On a page that is updated, the new output replaces another one.
    """
    lacking = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        if missed := missing(*libraries_of(command)):
            lacking += missed
        elif "jq" not in command or shutil.which("jq"):
            printed = printed_by(command, folder)
            if updated and printed != expected:
                before, after = (f"$ {command}\n{out}" for out in (expected, printed))
                whole = updated.read_text("utf-8")
                updated.write_text(whole.replace(before, after), "utf-8")
            else:
                assert printed == expected, command
    return lacking


def printed_by(command: str, folder: Path) -> str:
    """Return the output of a command on both streams.

    A command of ours needs no process.
    """
    ours = command.removesuffix(_STATUS)
    if not _OURS.fullmatch(ours):
        return run(["sh", "-c", command], folder).stdout
    place = place_in(folder)
    line = ours if set(ours) & {*">|"} else f"{ours} 2>&1"
    done = run_line(line, place, environment(folder))
    shows_status = done.status and ours != command
    said = f"exit status {done.status}\n" if shows_status else ""
    return (done.stdout + done.stderr).decode() + said


def printed_by_python(text: str, folder: Path) -> str:
    """Return the output of a program; like a command of ours, it needs no process."""
    code = compile(text, "block", "exec")
    with (
        contextlib.chdir(place_in(folder)),
        contextlib.redirect_stdout(io.StringIO()) as printed,
        warnings.catch_warnings(),
    ):
        # A short program leaves it to its end to close a file.
        warnings.simplefilter("ignore", ResourceWarning)
        exec(code, {"__name__": "__main__"})
    return printed.getvalue()


@pytest.mark.seldom
def test_the_scripts_of_ci_work(tmp_path: Path) -> None:
    made = "mkdir golden runs tasks; echo Fix > task.md; cp task.md tasks/slug.md"
    log = "runconv --example > runs/slug.ndjson"
    logs = f"{log}; runconv approve runs -o golden --yes --quiet"
    run(["sh", "-c", f"{made}; {logs}"], tmp_path)

    for script in scripts_of_ci():
        done = run(["bash", "-eo", "pipefail", "-c", script], tmp_path)
        assert done.returncode == 0, done.stdout

    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert summary.startswith("<!-- runconv-diff:default -->\n\n**same: ")
    assert "\n# " in summary
    made = {path.name for path in (tmp_path / "page").iterdir()}
    assert {"junit.xml", "quality.json"} <= made


def scripts_of_ci() -> Iterator[str]:
    """Yield the scripts of all examples for GitHub, GitLab and Jenkins."""
    for step in steps_of_ci():
        if "run" in step:
            yield step["run"]
        yield from step.get("script", ())
        if "run" in step.get("with", {}):
            yield step["with"]["run"]
    for _, text in of_language("groovy"):
        yield from re.findall(r"\bsh '(.*)'", text)


def steps_of_ci() -> Iterator[dict[str, Any]]:
    """Yield the steps of workflows and of parts of them, and the jobs of GitLab."""
    for _, text in of_language("yaml"):
        made = yaml.safe_load(text)
        match made:
            case list():
                yield from made
            case {"jobs": jobs}:
                for job in jobs.values():
                    yield from job["steps"]
            case {"repos": _}:
                pass
            case _:
                yield from made.values()


def test_the_examples_give_the_action_the_inputs_that_it_has() -> None:
    examples = [
        step["with"] for step in steps_of_ci() if "/runconv@" in step.get("uses", "")
    ]

    assert examples
    for inputs in examples:
        assert inputs.keys() <= action()["inputs"].keys()


@pytest.mark.parametrize(("page", "text"), list(of_language("toml")))
def test_the_settings_of_a_file_are_used(page: Path, text: str, tmp_path: Path) -> None:
    printed_by("runconv --example > a.ndjson", tmp_path)
    (tmp_path / "page" / "pyproject.toml").write_text(text)

    printed = printed_by("runconv diff a.ndjson a.ndjson --format json", tmp_path)

    # A notice about redaction may come first.
    used = json.loads(printed[printed.index("{") :])["settings"]
    ours = tomllib.loads(text)["tool"]["runconv"]
    for name, value in ours.pop("diff", {}).items():
        assert used[name.replace("-", "_")] == value
    path = str(tmp_path / "page" / "pyproject.toml")
    assert len(settings_in_file(path, "suite").values) == len(ours.pop("suite", {}))
    file = settings_in_file(path, "convert")
    assert len(file.values) == len(ours)


@pytest.mark.parametrize(("page", "text"), list(of_language("markdown")))
def test_markdown_is_part_of_a_transcript(
    page: Path, text: str, tmp_path: Path
) -> None:
    done = run(["sh", "-c", "runconv --example | runconv -t markdown"], tmp_path)

    assert text in done.stdout


def test_the_picture_is_true(tmp_path: Path) -> None:
    picture = (ROOT / "docs" / "runconv.svg").read_text("utf-8")
    texts = re.findall(r'<text class="(\w+)"[^>]*>(.*?)</text>', picture)
    lines = {name: [] for name, _ in texts}
    for name, text in texts:
        lines[name].append(html.unescape(text))

    log = run(["runconv", "--example"], tmp_path).stdout.splitlines()
    *_, command = lines["cmd"]
    (tmp_path / "page" / "run.ndjson").write_text("\n".join(log), "utf-8")
    done = run(["sh", "-c", command.removeprefix("$ ")], tmp_path)

    cut = [line.removesuffix("…") for line in lines["log"]]
    assert [line[: len(start)] for line, start in zip(log, cut, strict=False)] == cut
    assert lines["more"] == [f"… {len(log) - len(cut)} more lines"]
    assert "".join(lines["out"]) == done.stdout.replace("\n", "")


def test_the_readme_shows_the_pictures_that_the_script_makes() -> None:
    made = {path.name for path in (ROOT / "docs").glob("*.png")}
    script = (ROOT / "scripts" / "pictures").read_text("utf-8")

    assert made == set(re.findall(r"[\w-]+\.png", script))
    assert {f"docs/{name}" for name in made} <= set(
        re.findall(r"!\[[^]]{40,}\]\((.*?)\)", README.read_text("utf-8"))
    )


def test_every_page_is_linked_from_the_readme() -> None:
    links = set(_LINK.findall(README.read_text("utf-8")))

    assert {named(page) for page in (*DOCS, ROOT / "CONTRIBUTING.md")} <= links


def test_the_site_has_a_place_for_each_page_and_names_no_host() -> None:
    navigation = runpy.run_path(str(SITE))["navigation"]()
    listed = sorted(page for pages in navigation.values() for page in pages)

    assert listed == sorted(named(page) for page in (*DOCS, *BESIDE))
    assert "://" not in SITE.read_text("utf-8")


@pytest.mark.parametrize("page", LINKED, ids=named)
def test_sentences_begin_with_their_subject(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text("utf-8"))

    found = [words for words in _BACKWARDS.findall(text) if not words.endswith("?")]

    assert not found


@pytest.mark.parametrize("page", LINKED, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text("utf-8"))
    for link in _LINK.findall(text):
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            # On the site there are no folders, and no other pages.
            assert target.is_file(), link
            assert target.suffix != ".md" or target.resolve() in LINKED, link
            assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """Return the names that a code host gives to the headings of a page."""
    text = _BLOCK.sub("", page.read_text("utf-8"))
    heads = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).lower().replace(" ", "-") for head in heads}


def test_the_changelog_of_the_first_version_has_ten_lines() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    [section] = re.findall(r"(?ms)^## [^\n]*0\.1\.0\b[^\n]*\n(.*?)(?=^## |\Z)", text)

    lines = [line for line in section.splitlines() if line]

    assert lines[0] == "### Added"
    assert len(lines[1:]) == 10
    assert all(line.startswith("- ") for line in lines[1:])


def test_the_readme_is_short_and_sets_up_in_two_lines() -> None:
    setups = [text for language, text in blocks(README) if language == "sh"]
    others = [text for language, text in blocks(README) if language != "sh"]

    assert len(README.read_text("utf-8").splitlines()) <= 180
    assert [text.count("\n") for text in setups] == [1, 1]
    assert not [text for text in others if "pip" in text or "venv" in text]
