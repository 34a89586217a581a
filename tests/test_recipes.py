"""The recipes for Spark and Ray in docs/tables.md work, with `-m recipes`.

They run where Spark and Ray are installed, Spark also needs Java: `scripts/setup
--recipes`. A process for each keeps its libraries out of the other tests.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from convert.cli import example
from test_docs import RECIPES, ROOT, blocks, recipe_of

pytestmark = [pytest.mark.recipes, pytest.mark.timeout(300)]


@pytest.mark.parametrize("library", RECIPES)
def test_a_recipe_counts_the_calls(library: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}; scripts/setup --recipes installs it")
    if library == "pyspark" and not shutil.which("java"):
        pytest.skip("needs Java; scripts/setup --recipes installs it")
    shown = blocks(ROOT / "docs" / "tables.md")
    [recipe] = [block.text for block in shown if recipe_of(block) == library]
    nightly = tmp_path / "nightly"
    nightly.mkdir()
    (nightly / "monday.ndjson").write_text(example([]), "utf-8")
    (nightly / "tuesday.ndjson").write_text(example(["candidate"]), "utf-8")

    done = subprocess.run(
        [sys.executable, "-c", recipe],
        cwd=tmp_path,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )

    found = dict(re.findall(r"(edit|read|shell)\W+(\d+)", done.stdout))
    assert found == {"edit": "3", "read": "2", "shell": "5"}
