"""The workflows of GitHub are safe, and run only what can be run by hand.

The metadata and the forms for issues name one repository and one version.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import convert
from test_docs import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
SECURITY = ROOT / "docs" / "SECURITY.md"
# Extras for the development of runconv, which no user installs.
OF_DEVELOPERS = ("test", "lint", "dev", "docs", "recipes", "browser")


def jobs(path: Path) -> list[dict[str, Any]]:
    """Return the jobs of a workflow."""
    return [*yaml.safe_load(path.read_text("utf-8"))["jobs"].values()]


def commands(path: Path) -> list[str]:
    """Return the lines of shell of a workflow."""
    steps = [step for job in jobs(path) for step in job.get("steps", [])]
    return [line for step in steps for line in step.get("run", "").splitlines()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_named_by_its_commit_and_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))

    pinned = r"[\w./-]+@[0-9a-f]{40} # v[\d.]+|\./\.github/workflows/\w+\.yml"
    assert used
    assert not [name for name in used if not re.fullmatch(pinned, name)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_job_may_do_no_more_than_it_says(path: Path) -> None:
    whole = yaml.safe_load(path.read_text("utf-8"))

    written = {
        name
        for job in [whole, *jobs(path)]
        for name, right in job.get("permissions", {}).items()
        if right == "write"
    }

    assert whole["permissions"] in ({}, {"contents": "read"})
    expected = {"id-token", "contents"} if path.name == "release.yml" else set()
    assert written == expected
    assert "pull_request_target" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_step_runs_a_script(path: Path) -> None:
    lines = commands(path)

    # An expression would be pasted into the line, and run as a part of it.
    assert not [line for line in lines if "${{" in line]
    scripts = [name for line in lines for name in re.findall(r"scripts/[\w-]+", line)]
    assert [name for name in scripts if os.access(ROOT / name, os.X_OK)] == scripts
    others = [line for line in lines if "scripts/" not in line and line != ".ci/run"]
    assert others in ([], ["git config --global core.autocrlf false"])


def test_the_tests_run_on_every_supported_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [tests] = [path for path in WORKFLOWS if path.name == "tests.yml"]
    [matrix] = [job["strategy"]["matrix"] for job in jobs(tests) if "strategy" in job]

    in_ci = re.search(r"for version in (.*); do", (ROOT / ".ci/run").read_text("utf-8"))

    assert in_ci
    assert matrix["python"] == in_ci[1].split()
    head = "Programming Language :: Python :: 3."
    named = [each for each in project["classifiers"] if each.startswith(head)]
    assert named == [f"{head}{each[2:]}" for each in matrix["python"]]
    assert project["requires-python"] == f">={matrix['python'][0]}"


def test_all_links_to_the_project_name_one_owner() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    home = project["urls"]["Homepage"]
    pages = [*ROOT.glob("*.*"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.*")]

    named = r"(?:github\.com/|uses: )([\w-]+)/runconv\b"
    texts = [page.read_text("utf-8") for page in pages if page.is_file()]
    owners = [owner for text in texts for owner in re.findall(named, text)]

    assert len(owners) > 10
    assert {*owners} == {home.split("/")[-2]}
    assert all(url.startswith(home) for url in project["urls"].values())
    assert cited["repository-code"] == home
    assert cited["version"] == convert.__version__
    assert cited["license"] == project["license"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_has_the_members_that_the_host_demands(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))

    fields = [part for part in form["body"] if part["type"] != "markdown"]

    assert form.keys() == {"name", "description", "labels", "body"}
    assert {part["type"] for part in fields} == {"input", "textarea"}
    assert all(part["attributes"]["label"] for part in fields)
    assert len({part["id"] for part in fields}) == len(fields)


def test_security_names_every_library_of_users() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    required = list(project["dependencies"])
    for extra in extras.keys() - {*OF_DEVELOPERS}:
        if not extra.startswith("test-"):
            required += extras[extra]

    text = SECURITY.read_text("utf-8")

    names = [re.split(r"[^\w.-]", each)[0] for each in required]
    assert not [name for name in names if f"`{name}`" not in text]
    # A release is listed and audited with the same extras.
    released = ",".join(sorted(extras.keys() - {*OF_DEVELOPERS} - _of_tests(extras)))
    for script in ("release-check", "audit"):
        assert released in (ROOT / "scripts" / script).read_text("utf-8")


def _of_tests(extras: dict[str, Any]) -> set[str]:
    return {name for name in extras if name.startswith("test-")}
