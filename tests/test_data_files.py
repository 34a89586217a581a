"""The files that hold our tables and templates: how they are read and installed."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

import convert
from convert.pages.environment import compiled_name
from convert.pages.timeline_svg import compile_templates
from convert.wording import read_sections, unmarked, words_of
from support.golden import RUN
from support.processes import environment
from support.systems import needs_system

PACKAGE = Path(convert.__file__).parent
COMPILED = PACKAGE / "pages" / compiled_name()
COMPILES_NOTHING = "import jinja2; jinja2.Environment.compile = None;"

Cells = dict[str, list[str]]


def read(folder: Path, text: str, *names: str) -> list[tuple[str, Cells]]:
    (folder / "table.ini").write_text(text, encoding="utf-8")
    return read_sections(str(folder), "table.ini", names or None)


def test_sections_keep_their_order_and_headings_may_repeat(tmp_path: Path) -> None:
    text = "# Why.\n[b]\nx = 1\n\n[a: c d]\n[b]\nx = 2\n"

    assert read(tmp_path, text) == [
        ("b", {"x": ["1"]}),
        ("a: c d", {}),
        ("b", {"x": ["2"]}),
    ]


def test_a_name_may_repeat(tmp_path: Path) -> None:
    text = "[a]\nx = 1\ny = 0\nx = 2\n"

    assert read(tmp_path, text) == [("a", {"x": ["1", "2"], "y": ["0"]})]


@pytest.mark.parametrize(
    "value",
    [
        r"find . \( -name '*.py' -o -name \"a b\" \)",
        r"(?:[^\S\n]{0,2}=|: ) # [x]",
        "a = b",
        "  two blanks at each edge  ",
        "%(name)s ${name} {}",
        "[x",
        "",
    ],
)
def test_a_value_is_the_rest_of_its_line(tmp_path: Path, value: str) -> None:
    assert read(tmp_path, f"[a]\nlooks = {value}\n") == [("a", {"looks": [value]})]


def test_a_cell_may_be_empty(tmp_path: Path) -> None:
    assert read(tmp_path, "[a]\nonly with =\n") == [("a", {"only with": [""]})]


def test_marks_stand_for_blanks_ends_of_lines_and_tabs() -> None:
    assert unmarked("␣a␍⏎⇥b␣") == " a\r\n\tb "


def test_words_are_those_of_all_cells(tmp_path: Path) -> None:
    [(_, cells)] = read(tmp_path, "[a]\nx = b  c\nx = d␣e\n")

    assert words_of(cells, "x") == ("b", "c", "d e")
    assert words_of(cells, "y") == ()


@pytest.mark.parametrize(
    "text",
    ["[a]\nx = 1\nlook = 2\n", "# Why.\nx = 1\n[a]\n", "[a]\nx = 1\nx: 2\n"],
    ids=["a name of no cell", "no heading", "no equals sign"],
)
def test_a_mistyped_line_is_reported_with_its_place(tmp_path: Path, text: str) -> None:
    number = 2 if text.startswith("#") else 3

    with pytest.raises(LookupError, match=rf"table\.ini:{number}: no cell"):
        read(tmp_path, text, "x")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("table", "kinds"),
        ("shell.harmless", "harmless"),
        ("shell.identity", "names"),
        ("shell.attempts", "checks"),
        ("shell.ordered_words", "spelling"),
        ("shell.status", "answers"),
    ],
)
def test_a_table_has_a_use_for_each_cell(module: str, name: str) -> None:
    reader = importlib.import_module(f"convert.tools.{module}")
    folder = Path(reader.__file__ or "").parent

    sections = read_sections(str(folder), f"{name}.ini")

    assert {cell for _, cells in sections for cell in cells} == reader._CELLS


def test_the_wheel_has_every_table() -> None:
    """It has all files of the package, except those that git ignores."""
    root = Path(__file__).parent.parent
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    ignored = (root / ".gitignore").read_text("utf-8").split()

    tables = [path.relative_to(root) for path in (root / "convert").rglob("*.ini")]
    parts = {part for path in tables for part in path.parts}

    assert wheel["packages"] == ["convert"]
    assert {*wheel} == {"packages", "sources", "shared-data", "hooks"}
    assert len(tables) > 15
    assert not [
        part for part in parts for each in ignored if fnmatch(part, each.rstrip("/"))
    ]


def page(code: str = "", **variables: str) -> bytes:
    """Return the page that a new process writes, which begins with some code."""
    main = "import sys; from convert.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code + main, str(RUN), "-t", "html"],
        env=environment(**variables),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def expected_page() -> bytes:
    return b"".join(convert.convert(str(RUN), "html", log_name=RUN.name))


def test_a_page_compiles_no_template_that_a_wheel_has(tmp_path: Path) -> None:
    compile_templates(str(tmp_path / COMPILED.name))
    in_wheel = (
        "from convert.pages import environment;"
        f" environment.FOLDER = {str(tmp_path)!r};"
    )

    assert page(in_wheel + COMPILES_NOTHING) == expected_page()


def test_a_second_page_compiles_no_template(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        page(COMPILES_NOTHING, TMPDIR=str(tmp_path))
    page(TMPDIR=str(tmp_path))

    assert page(COMPILES_NOTHING, TMPDIR=str(tmp_path)) == expected_page()


@pytest.mark.seldom
@needs_system("users")
def test_a_page_needs_no_place_for_compiled_templates(tmp_path: Path) -> None:
    in_the_way = tmp_path / f"_jinja2-cache-{os.getuid()}"
    in_the_way.write_bytes(b"")

    assert page(TMPDIR=str(tmp_path)) == expected_page()


@pytest.mark.skipif(not COMPILED.exists(), reason="runs where a wheel is installed")
def test_a_wheel_has_the_templates_as_code(tmp_path: Path) -> None:
    compile_templates(str(tmp_path))

    assert code_in(COMPILED) == code_in(tmp_path)


@pytest.mark.seldom
def test_templates_compile_to_the_same_code_everywhere(tmp_path: Path) -> None:
    code = (
        "import sys; from convert.pages.timeline_svg import compile_templates;"
        " compile_templates(sys.argv[1])"
    )

    for seed in ("1", "4"):
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            env=environment(PYTHONHASHSEED=seed),
            check=True,
        )

    assert code_in(tmp_path / "1") == code_in(tmp_path / "4")
    assert len(code_in(tmp_path / "1")) == len([*PACKAGE.rglob("*.j2")])


def code_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.py")}
