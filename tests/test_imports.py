"""The modules that the command imports, so that it starts fast."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.logs import PROFILES, write
from support.golden import GOLDEN, RUN
from support.matrix import part
from support.processes import environment, imported

CHANGED = GOLDEN / "diff-pair-only-the-test-was-changed"
# All that a common command needs besides our own modules. Whoever adds a name here has
# measured its cost at the start.
OUTSIDE = ("msgspec", "array", "errno", "gc", "_blake2")
OF_COMPARISONS = ("bisect", "heapq", "marshal", "signal", "unicodedata")
# msgspec imports typing_extensions where that is installed, which these come from.
NOT_NEEDED = {"typing_extensions", "inspect", "ast", "dis", "tokenize"}


def outside(*names: str) -> set[str]:
    """The modules that are imported with these."""
    code = f"import sys, importlib, {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment()
    )
    return set(done.stdout.decode().split())


def not_ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] != "convert"}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_do_not_wait_for_imports(argument: str) -> None:
    assert not imported(argument) & {"msgspec", "json", "convert.formats"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "arguments", part([["--help"], [RUN], [RUN, "-t", "markdown"]], 2)
)
def test_no_annotation_is_compiled_at_the_start(
    arguments: list[str | Path], tmp_path: Path
) -> None:
    # As for the fields of a named tuple in a module with annotations from __future__.
    code = (
        "import typing; typing.compile = None;"
        " from convert.__main__ import main; raise SystemExit(main())"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_conversion_imports_nothing_slow() -> None:
    slow = {"dataclasses", "logging", "pathlib", "tempfile", "importlib.metadata"}
    slow |= {"argparse", "signal", *NOT_NEEDED}
    slow |= {"convert.transcript.run", "convert.pages", "jinja2"}
    slow |= {"markdown_it", "tabulate"}
    slow |= {"tree_sitter", "convert.tools.shell"}
    slow |= {
        "convert.redact.redactor",
        "ahocorasick_rs",
        "bz2",
        "lzma",
        "hashlib",
        "json",
        "concurrent.futures",
    }
    # A log as the agent writes it needs none of the modules that read other logs.
    slow |= {
        "convert.source.detection",
        "convert.source.unwrap",
        "convert.source.nesting",
    }
    slow |= {"convert.source.compressed", "convert.source.detection"}
    slow |= {"convert.source.damaged_lines"}

    assert not imported(str(RUN)) & slow


def test_a_transcript_imports_nothing_for_damaged_logs(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"
    write(log, PROFILES[0], 200_000)

    assert b"editToolCall" in log.read_bytes()
    assert not imported(str(log), "-t", "markdown") & {
        "convert.source.damaged_lines",
        "json",
    }


def test_a_view_imports_a_parser_and_a_table_only_for_text_that_needs_them(
    tmp_path: Path,
) -> None:
    log = tmp_path / "run.ndjson"
    log.write_bytes(
        b'{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}\n'
    )

    assert not imported("show", str(log)) & {"markdown_it", "unicodedata"}


def test_a_comparison_imports_nothing_for_pages() -> None:
    modules = imported("diff", str(RUN), str(RUN), "--verbose")

    assert not modules & {"jinja2", "markdown_it", "convert.pages"}


@pytest.mark.parametrize("target", ["markdown", "html"])
def test_a_parser_is_imported_only_for_text_that_needs_one(target: str) -> None:
    modules = imported(str(RUN), "-t", target)

    assert "markdown_it" not in modules


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "target", part(["markdown", "text", "json", "stream-json", "patch"], 3)
)
def test_a_conversion_imports_nothing_from_outside_that_is_not_named(
    target: str, tmp_path: Path
) -> None:
    modules = imported(str(RUN), "-t", target, "-q", folder=tmp_path)

    assert not_ours(modules) <= outside(*OUTSIDE)
    assert not modules & {*NOT_NEEDED, "argparse"}


def test_a_comparison_with_findings_imports_nothing_that_is_not_named(
    tmp_path: Path,
) -> None:
    logs = [str(CHANGED / name) for name in ("a.ndjson", "b.ndjson")]

    modules = imported("diff", *logs, folder=tmp_path, status=1)

    assert "convert.diff.reports.table" in modules
    assert not_ours(modules) <= outside(*OUTSIDE, *OF_COMPARISONS)


def test_equal_logs_load_no_report() -> None:
    modules = imported("diff", str(RUN), str(RUN))

    assert not {
        name for name in modules if name.startswith("convert.diff.reports.")
    } - {
        "convert.diff.reports.marks_and_labels",
        "convert.diff.reports.verdict",
    }
