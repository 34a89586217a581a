"""The contracts of import-linter in pyproject.toml, which `scripts/lint` checks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.libraries import need
from support.shell import SCRIPTS

need("import-linter")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def complaint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of import-linter on a tree that breaks each contract."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "convert", folder / "convert")
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "late_imports.py", folder / "scripts")
    settings = (ROOT / "pyproject.toml").read_text()
    listed = '    "ahocorasick_rs",\n    "aiohttp",\n'
    assert settings.count(listed) == 1
    settings = settings.replace(listed, f'{listed}    "nothing.imports.this",\n')
    (folder / "pyproject.toml").write_text(settings)
    mistakes = {
        "model/run.py": "from convert.diff.checked_settings import Settings",
        "agents/lines.py": "from convert.suites import matrix",
        "suites/logs.py": "from convert.scale.tables.rows import text",
        "tools/table.py": "import convert",
        "wording/escapes.py": "import convert.wording.paths",
        "wording/digests.py": "def late():\n    from xml.sax import saxutils",
    }
    for name, mistake in mistakes.items():
        with (folder / "convert" / name).open("a") as file:
            file.write(f"\n\n{mistake}\n")
    command = [Path(SCRIPTS) / "lint-imports", "--no-cache", "--no-logo"]

    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)

    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.seldom
@pytest.mark.parametrize(
    "sentence",
    [
        "convert.model is not allowed to import convert.diff",
        "convert.agents is not allowed to import convert.suites",
        "convert.suites is not allowed to import convert.scale.tables",
        "Illegal imports of protected package convert",
        "No cycles are allowed in convert.wording",
        "a function imports xml.sax.saxutils",
        "nothing.imports.this is listed, but no function imports it",
    ],
)
def test_a_broken_contract_fails_the_lint(complaint: str, sentence: str) -> None:
    assert sentence in " ".join(complaint.split())
