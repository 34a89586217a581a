"""The fixture `trajectory`: goldens next to tests, `--approve`, and unused goldens."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from convert import compare, convert, read_runs
from convert.suites import UsedGoldens, decoded
from convert.testing import assert_same
from support.golden import GOLDEN, RUN
from support.matrix import part
from support.processes import WITHOUT, environment
from support.shell import SCRIPTS
from support.systems import make_pipe

pytest_plugins = ["pytester"]
# To look for plugins in all installed packages takes half of the time of a run.
PLUGINS = ["-prunconv_pytest", *WITHOUT]
# Modules that a test run in this process imports are forgotten afterwards, and would be
# imported again by the next one.
for _name in (
    "cli.destination",
    "cli.settings",
    "diff.reports.unified",
    "suites.pytest_plugin",
):
    importlib.import_module(f"convert.{_name}")
compare(RUN, RUN)

OTHER = GOLDEN / "diff-more-rounds-of-tests" / "more-rounds.ndjson"
BASELINE = GOLDEN / "diff-more-rounds-of-tests" / "a.ndjson"
CHECK = """
def test_{case}(trajectory):
    trajectory.check("{log}", "{case}")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Make a project with a test that checks a run."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "run.ndjson").write_bytes(BASELINE.read_bytes())
    (pytester.path / "other.ndjson").write_bytes(OTHER.read_bytes())
    return Project(pytester)


class Project:
    """A project of its own, in a folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test(self, *arguments: str) -> tuple[int, str]:
        """Run the tests; return the exit status and the output."""
        ran = self._pytester.runpytest_inprocess(*PLUGINS, *arguments)
        return int(ran.ret), ran.stdout.str() + ran.stderr.str()

    def goldens(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.path).as_posix(): path.read_bytes()
            for path in sorted(self.path.rglob("golden/**/*.json"))
        }


def test_a_run_is_approved_and_checked(project: Project) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    status, output = project.test("--approve")
    approved = project.goldens()

    assert status == 0
    assert "goldens written" in output
    assert [*approved] == ["golden/fix.json"]
    assert project.test()[0] == 0
    assert "goldens" not in project.test()[1]
    assert "goldens written" not in project.test("--approve")[1]
    assert project.goldens() == approved


def test_without_a_golden_a_check_fails_and_names_the_remedy(project: Project) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    status, output = project.test()

    assert status == 1
    assert "no golden golden/fix.json; look at the run" in output
    assert "pytest --approve" in output
    assert not project.goldens()


def test_a_run_that_differs_fails_with_the_unified_report(project: Project) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))
    project.test("--approve")
    approved = project.goldens()
    project.write("test_fix.py", CHECK.format(case="fix", log="other.ndjson"))

    status, output = project.test()

    assert status == 1
    assert "different (major)" in output
    assert "--- golden/fix.json" in output
    assert "+++ other.ndjson" in output
    assert "+edit src/price.py" in output
    assert "if the run is right, approve it with pytest --approve" in output
    assert "Traceback" not in output
    assert "trajectories.py" not in output
    assert project.goldens() == approved
    assert project.test("--approve")[0] == 0
    assert project.goldens() != approved
    assert project.test()[0] == 0


def test_a_run_may_match_any_golden_of_its_case(project: Project) -> None:
    for log in ("run.ndjson", "other.ndjson"):
        project.write("test_fix.py", CHECK.format(case="fix", log=log))
        project.test("--approve")
        (project.path / "golden/fix.json").rename(project.path / "golden/fix.2.json")
        if log == "run.ndjson":
            (project.path / "golden/fix.2.json").rename(project.path / "first.json")
    (project.path / "first.json").rename(project.path / "golden/fix.json")

    status, output = project.test()

    assert [*project.goldens()] == ["golden/fix.2.json", "golden/fix.json"]
    assert status == 0
    assert "goldens" not in output


def test_runs_from_python_and_bytes_are_checked(project: Project) -> None:
    project.write(
        "test_fix.py",
        """
        from pathlib import Path

        import convert

        def test_runs(trajectory):
            [run] = convert.read_runs("run.ndjson")
            trajectory.check(run, "a/run")
            trajectory.check(Path("run.ndjson").read_bytes(), "a/run")
        """.replace("\n        ", "\n"),
    )

    assert project.test("--approve")[0] == 0
    assert [*project.goldens()] == ["golden/a/run.json"]
    assert project.test()[0] == 0


def test_a_run_that_was_cut_is_not_approved(project: Project) -> None:
    lines = BASELINE.read_bytes().splitlines(keepends=True)
    (project.path / "run.ndjson").write_bytes(b"".join(lines[:-2]))
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    status, output = project.test("--approve")

    assert status == 1
    assert "not approved" in output
    assert not project.goldens()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "case", part(["../fix", "/fix", "", "a/../../fix", "fix.json"], 3)
)
def test_a_case_is_named_within_the_folder(project: Project, case: str) -> None:
    project.write(
        "test_fix.py",
        f"def test_fix(trajectory):\n    trajectory.check('run.ndjson', {case!r})\n",
    )

    status, output = project.test("--approve")

    assert status == 1
    assert "is no name of a case" in output
    assert not project.goldens()


def test_what_is_no_log_fails_with_a_message(project: Project) -> None:
    project.write("run.ndjson", "{}\n")
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    assert "run.ndjson" in project.test("--approve")[1]
    assert not project.goldens()


def test_a_golden_that_was_damaged_by_hand_is_named(project: Project) -> None:
    project.write("golden/fix.json", '{"trajectory": 1, "runs": 5}\n')
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    status, output = project.test()

    assert status == 1
    assert "golden/fix.json" in output
    assert "approve" in output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"my": "config"}\n', "golden/fix.json: JSON, but not a log"),
        ('{"trajectory": 2}\n', "golden/fix.json: a trajectory of version 2"),
        (OTHER.read_text(), "golden/fix.json is no trajectory, so it is left"),
        (None, "golden/fix.json is no file; remove it"),
    ],
)
def test_what_is_no_golden_is_left_as_it_is(
    project: Project, content: str | None, message: str
) -> None:
    golden = project.path / "golden/fix.json"
    project.write("golden/other.json", "")
    if content is None:
        make_pipe(golden)
    else:
        golden.write_text(content)
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))

    status, output = project.test("--approve")

    assert status == 1
    assert message in output.replace("\nE   ", "")
    assert content is None or golden.read_text() == content


def test_a_golden_with_less_than_the_run_is_approved_anew(project: Project) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))
    settings = '[tool.runconv.diff]\nignore-arg = ["edit.path"]\n'
    project.write("pyproject.toml", settings)
    project.test("--approve")
    before = project.goldens()
    project.write("pyproject.toml", "")

    assert project.test()[0] == 0
    assert "goldens written" in project.test("--approve")[1]
    assert project.goldens() != before
    assert "goldens written" not in project.test("--approve")[1]


def test_nothing_is_approved_through_a_link_out_of_the_folder(project: Project) -> None:
    check = CHECK.format(case="fix", log="run.ndjson")
    project.write("test_fix.py", check.replace('"fix"', '"login/fix"'))
    elsewhere = project.path / "elsewhere"
    elsewhere.mkdir()
    (project.path / "golden").mkdir()
    (project.path / "golden/login").symlink_to(elsewhere)

    status, output = project.test("--approve")

    assert status == 1
    assert "golden/login/fix.json would be outside of golden" in output
    assert not [*elsewhere.iterdir()]


def test_two_runs_are_not_approved_as_one_case(project: Project) -> None:
    checks = CHECK.format(case="fix", log="run.ndjson")
    other = CHECK.format(case="fix", log="other.ndjson").replace("_fix", "_more")
    project.write("test_fix.py", checks + other)

    status, output = project.test("--approve")

    assert status == 1
    assert "golden/fix.json is the golden of another run" in output
    assert project.test("--approve")[0] == 1


def test_runs_of_two_processes_for_one_case_are_reported() -> None:
    first = UsedGoldens(written={"a": "1", "b": "1"})

    first.add(UsedGoldens(written={"a": "1", "b": "2"}))

    assert first.contested == {"b"}


def test_a_process_sends_paths_that_are_not_utf_8() -> None:
    used = UsedGoldens(used={os.fsdecode(b"golden/\xff.json")}, written={"a": "1"})

    sent = used.encoded()

    assert sent.isascii()
    assert decoded(sent) == used


def test_a_case_is_no_further_golden_of_another(project: Project) -> None:
    check = "def test_a(trajectory):\n    trajectory.check('{}', '{}')\n"
    project.write("test_a.py", check.format("run.ndjson", "py3"))
    project.write("test_b.py", check.format("other.ndjson", "py3.12"))

    status, output = project.test("--approve")

    assert status == 1
    assert "'py3.12' is a further golden of the case 'py3'" in output
    assert "as in py3-12" in output
    assert [*project.goldens()] == ["golden/py3.json"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", part(["outputs = true", 'text = "exact"'], 2))
def test_nothing_is_approved_that_no_check_could_use(
    project: Project, setting: str
) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))
    project.write("pyproject.toml", f"[tool.runconv.diff]\n{setting}\n")

    status, output = project.test("--approve")

    assert status == 1
    assert "a trajectory " in output
    assert not project.goldens()


def test_names_of_goldens_stay_on_one_line(project: Project) -> None:
    project.write(
        "test_fix.py",
        "def test_fix(trajectory):\n"
        "    trajectory.check('run.ndjson', 'x\\n::error::boo\\x1b')\n",
    )

    status, output = project.test("--approve")

    assert status == 0
    assert "golden/x\\n::error::boo\\x1b.json\n" in output


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("'run.ndjson', __import__('pathlib').Path('x')", "is no name of a case"),
        ("'run.ndjson', 'x', {}", "settings takes Settings(…), not dict"),
        ("'run.ndjson', 'a\\0b'", "embedded null"),
        ("'run.ndjson', 'a' * 300", "file name too long"),
    ],
)
def test_what_is_no_case_has_a_message(
    project: Project, check: str, message: str
) -> None:
    project.write(
        "test_fix.py", f"def test_fix(trajectory):\n    trajectory.check({check})\n"
    )

    status, output = project.test("--approve")

    assert status == 1
    assert message in output
    assert "AttributeError" not in output


def test_ci_never_writes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))
    monkeypatch.setenv("CI", "True")

    status, output = project.test("--approve")

    assert status == 4
    assert "CI only compares" in output
    assert not project.goldens()


def test_settings_of_the_project_and_of_the_check_apply(project: Project) -> None:
    project.write("test_fix.py", CHECK.format(case="fix", log="run.ndjson"))
    project.test("--approve")
    project.write("test_fix.py", CHECK.format(case="fix", log="other.ndjson"))

    project.write("pyproject.toml", '[tool.runconv.diff]\nfail-on = "critical"\n')
    assert project.test()[0] == 0

    project.write(
        "test_fix.py",
        "import convert\n\ndef test_fix(trajectory):\n"
        "    trajectory.check('other.ndjson', 'fix', convert.Settings())\n",
    )
    assert project.test()[0] == 1


class TestUnusedGoldens:
    """Goldens that no test uses are named, if all that could use them have run."""

    @pytest.fixture(autouse=True)
    def tests(self, project: Project) -> None:
        for case in ("one", "two"):
            check = CHECK.format(case=case, log="run.ndjson")
            project.write(f"tests/test_{case}.py", check)
        project.test("--approve")
        old = project.path / "tests/golden/old.json"
        old.write_bytes((project.path / "tests/golden/one.json").read_bytes())
        project.write("tests/golden/other.json", '{"name": "no trajectory"}\n')

    def test_they_are_named(self, project: Project) -> None:
        status, output = project.test()

        assert status == 0
        assert "goldens that no test uses" in output
        assert "tests/golden/old.json\n" in output
        assert "one.json" not in output
        assert "other.json" not in output

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(
        "arguments",
        part(
            [
                ("tests/test_one.py",),
                ("-k", "one"),
                ("tests/test_one.py::test_one", "tests/test_two.py"),
                ("--deselect", "tests/test_one.py::test_one"),
            ],
            3,
        ),
    )
    def test_a_part_of_the_tests_says_nothing(
        self, project: Project, arguments: tuple[str, ...]
    ) -> None:
        assert "no test uses" not in project.test(*arguments)[1]

    def test_a_test_that_passes_without_a_check_uses_none(
        self, project: Project
    ) -> None:
        project.write("tests/test_two.py", "def test_two(trajectory):\n    pass\n")

        _, unused = project.test()[1].split("goldens that no test uses")

        assert "tests/golden/old.json\n" in unused
        assert "tests/golden/two.json\n" in unused

    @pytest.mark.parametrize("instead", ["assert 0", "__import__('pytest').skip()"])
    def test_a_test_that_does_not_get_to_its_check_says_nothing(
        self, project: Project, instead: str
    ) -> None:
        project.write(
            "tests/test_two.py", f"def test_two(trajectory):\n    {instead}\n"
        )

        assert "no test uses" not in project.test()[1]

    def test_a_test_that_is_marked_to_be_skipped_says_nothing(
        self, project: Project
    ) -> None:
        check = CHECK.format(case="two", log="run.ndjson")
        mark = "import pytest\npytestmark = pytest.mark.skip\n"
        project.write("tests/test_two.py", mark + check)

        assert "no test uses" not in project.test()[1]

    def test_a_run_that_differs_has_used_its_golden(self, project: Project) -> None:
        check = CHECK.format(case="two", log="other.ndjson")
        project.write("tests/test_two.py", check)

        status, output = project.test()

        _, unused = output.split("goldens that no test uses")
        assert status == 1
        assert "tests/golden/old.json\n" in unused
        assert "two.json" not in unused

    @pytest.mark.seldom
    def test_two_processes_know_as_much_as_one(self, project: Project) -> None:
        (project.path / "tests/golden/one.json").unlink()

        ran = in_two_processes(project)

        assert ran.returncode == 1
        assert "tests/golden/old.json\n" in ran.stdout
        assert "tests/golden/two.json\n" not in ran.stdout

    @pytest.mark.seldom
    def test_two_processes_approve_the_same_as_one(self, project: Project) -> None:
        (project.path / "tests/golden/one.json").unlink()

        ran = in_two_processes(project, "--approve")

        assert ran.returncode == 0
        assert "goldens written" in ran.stdout
        assert "tests/golden/one.json\n" in ran.stdout


def in_two_processes(
    project: Project, *arguments: str
) -> subprocess.CompletedProcess[str]:
    others = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    command = [sys.executable, "-m", "pytest", "-n", "2", *others, *arguments]
    return in_process(project, *command)


def in_process(project: Project, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=project.path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


class TestOtherConvert:
    """A project may have a module `convert` of its own, and its tests import it."""

    @pytest.fixture(autouse=True)
    def tests(self, project: Project) -> None:
        project.write("convert.py", "")
        check = (
            "import convert\n\ndef test_theirs():\n    assert convert.__file__ == {!r}"
        )
        project.write("test_one.py", check.format(str(project.path / "convert.py")))

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(
        "command", part([[sys.executable, "-m", "pytest"], [f"{SCRIPTS}/pytest"]], 2)
    )
    def test_it_is_imported_and_the_fixture_names_it(
        self, project: Project, command: list[str]
    ) -> None:
        project.write("test_two.py", CHECK.format(case="two", log="run.ndjson"))

        ran = in_process(project, *command, *WITHOUT)

        assert "1 passed, 1 error" in ran.stdout
        path = project.path / "convert.py"
        assert f"UsageError: `convert` is {path}, not the package of" in ran.stdout

    @pytest.mark.seldom
    @pytest.mark.parametrize("place", ["convert.py", "convert/__init__.py"])
    def test_it_is_named_where_runs_would_be_approved(
        self, project: Project, place: str
    ) -> None:
        project.write(place, "")

        ran = in_process(project, sys.executable, "-m", "pytest", "--approve", *WITHOUT)

        assert ran.returncode == 4
        assert f"ERROR: `convert` is {project.path / place}, not" in ran.stderr


def test_runs_are_compared_without_a_fixture(tmp_path: Path) -> None:
    [run] = read_runs(BASELINE)
    assert_same(RUN, RUN.read_bytes())
    assert_same(run, BASELINE)

    with pytest.raises(AssertionError) as failed:
        assert_same(BASELINE, OTHER)

    lines = str(failed.value).splitlines()
    assert lines[0].startswith("different (major)")
    assert lines[1:3] == [f"--- {BASELINE}", f"+++ {OTHER}"]


def test_a_run_may_match_any_golden_without_a_fixture(tmp_path: Path) -> None:
    golden = tmp_path / "fix.json"
    golden.write_bytes(b"".join(convert(OTHER, "trajectory")))
    with pytest.raises(AssertionError):
        assert_same(golden, BASELINE)

    (tmp_path / "fix.2.json").write_bytes(b"".join(convert(BASELINE, "trajectory")))

    assert_same(golden, BASELINE)
    assert_same(golden, OTHER.read_bytes())


def test_a_run_has_no_further_goldens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [run] = read_runs(BASELINE)
    for name in ("baseline", "baseline.2.json"):
        (tmp_path / name).write_bytes(b"".join(convert(OTHER, "trajectory")))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(AssertionError):
        assert_same(run, OTHER)


def test_only_the_plugin_imports_pytest() -> None:
    code = "import sys, json, convert.testing; print(json.dumps([*sys.modules]))"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert "pytest" not in json.loads(printed)
