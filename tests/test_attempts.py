"""Commands: when status 1 is an answer, and when a later command recovers one.

A golden case has one of each kind; here are the borders.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.diff.files import may_be_rewriting
from convert.facts import Recoveries
from convert.model import OK, Outcome, ToolCall
from convert.tools import (
    ANSWERS,
    CHECKS,
    answer_in,
    checked_by,
    deciding_commands,
    rewritten_by,
    simple_attempt_of,
)
from support.matrix import each
from test_docs import ROOT

FAILED = Outcome("error", exit_code=1)


def shell(
    number: int,
    command: str,
    outcome: Outcome = OK,
    printed: str = "",
    folder: str = "",
) -> ToolCall:
    return ToolCall(
        run=1,
        line=number,
        number=number,
        id=f"c{number}",
        kind="shell",
        arguments={"command": command, "workingDirectory": folder},
        outcome=outcome,
        output={"stdout": printed, "stderr": ""},
    )


def unresolved(*calls: ToolCall) -> list[int]:
    failures = Recoveries("/home/dev/shop")
    for call in calls:
        failures.end((call.number,), call)
    return [number for (number,) in failures.unresolved]


def is_made_good(failed: str, later: str, printed: str = "", after: str = "") -> bool:
    return not unresolved(shell(1, failed, FAILED, printed), shell(2, later, OK, after))


@each(
    ("command", "answer"),
    [
        ("grep -rn x src", "no match"),
        ("/usr/bin/grep x src", "no match"),
        ("timeout 5 rg x", "no match"),
        ("LC_ALL=C grep x src 2>/dev/null", "no match"),
        ("cat log | grep x", "no match"),
        ("make; grep x log", "no match"),
        ("cd src && grep x a", "no match"),
        ("echo looking && grep x a", "no match"),
        ("bash -c 'grep x a'", "no match"),
        ("grep x a || grep x b", "no match"),
        ("(cd src; grep x a)", "no match"),
        ("{ grep x a; }", "no match"),
        ("[ -f a ]", "false"),
        ("[[ -f a ]] && grep x a", "false or no match"),
        ("test -d a", "false"),
        ("cmp a b", "a difference"),
        ("diff -u a b", "a difference"),
        ("git diff --quiet", "a difference"),
        ("git -C lib diff --exit-code -- a", "a difference"),
        ("git grep x", "no match"),
        ("git merge-base --is-ancestor a b", "false"),
        ("which node", "not found"),
        ("command -v node", "not found"),
        ("pgrep -f serve", "no process"),
        ("jq -e .a x.json", "false"),
        ("X=1; grep x a", "no match"),
    ],
)
def test_status_1_of_these_is_an_answer(command: str, answer: str) -> None:
    assert answer_in(command, has_errors=False) == answer


@each(
    "command",
    [
        "",
        "false",
        "make",
        "make && grep x a",
        "make || grep x a",
        "make && ls 2>&1 | grep x",
        "grep x a; exit 1",
        "set -e; make; grep x a",
        "set -o pipefail; make | grep x",
        "source env.sh; grep x a",
        "! grep x a",
        "grep x a | head",
        "grep x a && make",
        "sudo grep x a",
        "ls | xargs grep x",
        "find . -exec grep x {} +",
        "for a in b c; do grep x $a; done",
        "if true; then grep x a; fi",
        "grep() { make; }; grep x a",
        "git diff",
        "git merge-base a b",
        "jq .a x.json",
        "command make",
        "$grep x a",
        "X=$(make) && grep x a",
        "grep x a &",
        "grep 'x",
        "cat <<END | grep x\na\nEND",
        "cd src && make 2>&1 | tail && grep x a || make",
    ],
)
def test_status_1_of_others_is_a_failure(command: str) -> None:
    assert answer_in(command, has_errors=False) == ""


@each(
    "name",
    [
        *("set", "shopt", "trap", "exec", "eval", "source", ".", "return", "exit"),
        *("kill", "alias"),
    ],
)
def test_after_a_command_that_steers_the_shell_nothing_is_an_answer(name: str) -> None:
    assert answer_in(f"{name} x; grep x a", has_errors=False) == ""


def test_a_cd_that_failed_has_said_so() -> None:
    assert answer_in("cd src && grep x a", has_errors=False)
    assert not answer_in("cd src && grep x a", has_errors=True)
    assert answer_in("grep x a", has_errors=True)


@pytest.mark.parametrize(
    "command",
    ["grep x a", "diff a b", "cmp a b", "test -d a", "[ -d a ]", "expr 1 = 2"],
)
def test_the_programs_keep_to_their_manuals(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    name, *_ = command.split()
    if not shutil.which(name):
        pytest.skip(f"no {name} here")

    ended = subprocess.run(
        command.split(), cwd=tmp_path, check=False, capture_output=True
    )

    assert ended.returncode == 1
    assert name in ANSWERS


def test_the_manual_names_each_program_with_an_answer() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    table = text.partition("| program | status 1 means |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    named = {
        (name, meaning.strip())
        for names, meaning in rows
        for code in re.findall("`([^`]+)`", names)
        if not (name := re.sub(" -.*", "", code)).startswith("-")
    }

    assert named - {("[[", "false")} == {
        (name, answer.meaning) for name, answer in ANSWERS.items()
    }


def test_another_status_and_a_signal_are_failures() -> None:
    assert unresolved(shell(1, "grep x a", Outcome("error", exit_code=2))) == [1]
    killed = Outcome("error", exit_code=1, signal="SIGTERM")
    assert unresolved(shell(1, "grep x a", killed)) == [1]
    assert unresolved(shell(1, "grep x a", Outcome("rejected"))) == [1]


def test_an_answer_makes_an_earlier_failure_good() -> None:
    failed = shell(1, "grep x a", Outcome("error", exit_code=2))

    assert unresolved(failed, shell(2, "grep x a", FAILED)) == []


@each(
    ("failed", "later"),
    [
        ("pytest", "python -m pytest"),
        ("pytest", "python3.12 -m pytest -q"),
        ("pytest -x --tb=short", "pytest --tb long -rA -n4"),
        ("pytest", "uv run --frozen pytest"),
        ("poetry run pytest", "./venv/bin/pytest"),
        ("pytest", ".venv/bin/python -m pytest"),
        ("pytest", "timeout 60 pytest"),
        ("pytest", "cd tools && pytest"),
        ("cd /home/dev/shop && pytest", "pytest"),
        ("pytest", "source .venv/bin/activate && pytest -v"),
        ("pytest", "bash -lc 'pytest -q'"),
        ("pytest; true", "pytest"),
        ("pytest tests/test_cart.py", "pytest"),
        ("pytest tests/test_cart.py::test_total", "pytest ./tests/test_cart.py"),
        ("pytest tests/test_cart.py -k total", "pytest tests/"),
        ("pytest a/b/c/d/test_cart.py", "pytest a"),
        ("pytest a.py b.py", "pytest b.py a.py"),
        ("npx jest", "pnpm exec jest --ci"),
        ("npm test", "npm run test -- --ci"),
        ("yarn run test", "yarn test"),
        ("go test ./pkg/net", "go test ./... -count=1"),
        ("go test ./pkg/net", "go test ./pkg/..."),
        ("cargo test net", "cargo test -q"),
        ("ruff check src", "ruff check . --fix"),
        ("make test", "cd . && make test"),
        ("npm run build && npm test", "npm run build && npm t"),
        ("make a; make b", "make b && make a"),
        ("tsc -p web", "npx tsc --noEmit -p web"),
    ],
)
def test_a_later_command_makes_an_earlier_one_good(failed: str, later: str) -> None:
    assert is_made_good(failed, later)


@each(
    ("failed", "later"),
    [
        ("pytest", "pytest tests/test_cart.py"),
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
        ("pytest", "pytest -k total"),
        ("pytest", "pytest || true"),
        ("pytest", "pytest; echo done"),
        ("pytest", "pytest 2>&1 | tail -3"),
        ("pytest", "pytest &"),
        ("pytest", "if pytest; then echo good; fi"),
        ("pytest", "! pytest"),
        ("pytest", "exit; pytest"),
        ("pytest", "pytest $FILES"),
        ("pytest $FILES", "pytest $OTHERS"),
        ("pytest", "jest"),
        ("cd a && pytest", "cd b && pytest"),
        ("cd a && pytest", "pytest"),
        ("go test", "go test ./pkg"),
        ("go test ./pkg/net", "go test ./pkg"),
        ("tsc -p web", "tsc"),
        ("make test", "make"),
        ("make -C a test", "make -C b test"),
        ("npm --prefix a test", "npm --prefix b test"),
        ("npm run build && npm test", "npm test"),
        ("make 'a", "make 'b"),
    ],
)
def test_other_commands_do_not(failed: str, later: str) -> None:
    assert not is_made_good(failed, later)


def test_a_folder_that_the_log_records_counts() -> None:
    failed = shell(1, "make test", FAILED, folder="/home/dev/shop/web")

    assert unresolved(failed, shell(2, "make test", folder="/home/dev/shop/api")) == [1]
    assert unresolved(failed, shell(2, "cd web && make test")) == []


def test_tests_elsewhere_are_the_same_if_there_are_as_many() -> None:
    failed, later = "2 failed, 3 passed in 0.1s", "cd shop && pytest"

    assert is_made_good("pytest", later, failed, "5 passed in 0.1s")
    assert not is_made_good("pytest", later, failed, "4 passed in 0.1s")
    assert is_made_good("pytest", later, "no tests ran in 0.1s", "4 passed in 0.1s")


def test_a_pipe_proves_only_the_results_that_it_prints() -> None:
    later = "pytest 2>&1 | tail -3"

    assert is_made_good("pytest", later, after="5 passed in 0.1s")
    assert not is_made_good("pytest", later, after="1 failed, 4 passed in 0.1s")
    assert not is_made_good("pytest", later, after="5 skipped in 0.1s")
    assert not is_made_good("make test lint", "make test lint | tail", after="done")


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("pytest", "2 skipped in 0.01s"),
        ("pytest", "no tests ran in 0.01s"),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK"),
        ("python -m unittest", "Ran 2 tests in 0.000s\n\nOK (skipped=2)"),
        ("go test", "?   \tshop/cart\t[no test files]"),
        ("go test", "ok  \tshop/cart\t0.002s [no tests to run]"),
        ("cargo test", "test result: ok. 0 passed; 0 failed; 3 ignored;"),
    ],
)
def test_a_command_that_passes_no_test_makes_nothing_good(
    command: str, printed: str
) -> None:
    assert is_made_good(command, command)
    assert not is_made_good(command, command, after=printed)
    assert is_made_good("cat log", "cat log", after=printed)


def test_an_unknown_command_is_recovered_by_itself() -> None:
    failed = shell(1, "pytest $FILES | tail", OK, "1 failed in 0.1s")

    assert unresolved(failed, shell(2, "pytest $FILES | tail", OK, "done")) == [1]
    passed = shell(2, "pytest $FILES | tail", OK, "1 passed in 0.1s")
    assert unresolved(failed, passed) == []


def test_a_script_is_known_by_the_lines_that_npm_prints() -> None:
    printed = "> shop@1.0.0 test\n> jest --ci\n\nTests:  1 failed, 1 total\n"
    passed = "\n> shop@1.0.0 test\n> jest --ci\n\nTests:  1 passed, 1 total\n"

    assert is_made_good("npm test", "npx jest", printed)
    assert is_made_good("npx jest", "npm test", after=passed)
    assert not is_made_good("npm test", "npx vitest run", printed)
    assert not is_made_good("npx jest", "npm test")


@each(
    ("command", "printed", "is_failure"),
    [
        ("pytest | tail", "3 failed in 0.1s", True),
        ("pytest || true", "1 error in 0.1s", True),
        ("make test; echo done", "FAILED (failures=1)\ndone", True),
        ("pytest | tail", "3 passed in 0.1s", False),
        ("cat log", "3 failed in 0.1s", False),
        ("grep failed log | tail", "3 failed in 0.1s", False),
        ("pytest | tail", "FAILED tests/test_cart.py", False),
        ("./sync", "3 failed\n2 passed", False),
    ],
)
def test_failed_tests_of_a_command_that_acts_are_a_failure(
    command: str, printed: str, is_failure: bool
) -> None:
    assert unresolved(shell(1, command, OK, printed)) == [1] * is_failure


def test_an_edit_and_a_write_of_a_file_make_each_other_good() -> None:
    def change(number: int, kind: str, path: str, outcome: Outcome = OK) -> ToolCall:
        call = shell(number, "", outcome)
        call.kind, call.arguments = kind, {"path": path}
        return call

    assert unresolved(change(1, "edit", "a", FAILED), change(2, "write", "a")) == []
    assert unresolved(change(1, "write", "a", FAILED), change(2, "edit", "a")) == []
    assert unresolved(change(1, "edit", "a", FAILED), change(2, "write", "b")) == [1]
    assert unresolved(change(1, "edit", "a", FAILED), change(2, "delete", "a")) == [1]


def test_each_check_says_nothing_by_the_options_of_its_row() -> None:
    for name, check in CHECKS.items():
        words = [*check.flags, *(word for each in check.values for word in (each, "1"))]

        assert simple_attempt_of([*name.split(), *words]) == simple_attempt_of(
            name.split()
        )


def test_a_command_that_is_nested_deeply_is_not_looked_into() -> None:
    deep = "(" * 150 + "pytest" + ")" * 150

    assert deciding_commands(deep).failing is None
    assert unresolved(shell(1, deep, FAILED), shell(2, "pytest")) == [1]
    assert unresolved(shell(1, deep, FAILED), shell(2, deep)) == []


@given(st.text(st.sampled_from("grep x&|;(){}!$'\"<\n ab=cdexit[]-")))
def test_any_command_is_read(command: str) -> None:
    decided = deciding_commands(command)

    assert {*(decided.failing or ())} <= {*decided.commands}
    assert {*decided.passed} <= {*decided.commands}
    assert unresolved(shell(1, command, FAILED), shell(2, command)) == []


@each(
    ("command", "shown_by"),
    [
        ("pytest -q", "status"),
        ("cd app && uv run pytest -q", "status"),
        ("pytest -q && git push", "status"),
        ("git add -A; ./setup.sh; mypy .", "status"),
        ("make", "status"),
        ("pytest -q || true", "output"),
        ("pytest -q; echo done", "output"),
        ("pytest -q | tail -3", "output"),
        ("(pytest -q) || echo failed", "output"),
        ("set +e; pytest -q; exit 0", "output"),
        ("pytest -q; mypy .", "output"),
        ("pytest '", "output"),
        ("python - <<'END'\nimport a\nEND", "status"),
        ("cd a && python3 - <<'END' && git push\nimport a\nEND", "status"),
        ("python3 - <<'END' || true\nimport a\nEND", "output"),
        ("python3 <<'END' | tail -3\nimport a\nEND", "output"),
        ("bash <<'END'\ngit push\nEND", "output"),
        ('X=$(pytest -q); echo "$X"', "output"),
        ("make clean test", "status"),
        ("gradle clean :app:test", "status"),
        ("mvn -q clean install", "status"),
        ("cargo fmt --check", "status"),
        ("black --check .", "status"),
        ("eslint --fix src", "status"),
        ("git push", "nothing"),
        ("git commit -m 'pytest' && git push", "nothing"),
        ("npm ci && npm run deploy", "nothing"),
        ("make install", "nothing"),
        ("sudo cp a b", "nothing"),
        ("cat report.txt", "nothing"),
        ("make clean", "nothing"),
        ("black .", "nothing"),
        ("prettier --write src", "nothing"),
        ("perl -pi -e s/a/b/ a", "nothing"),
        ("python - <<'END'\nopen('a', 'w').write('')\nEND", "nothing"),
        ("pytest --collect-only -q", "nothing"),
        ("docker compose up -d", "nothing"),
    ],
)
def test_the_result_of_a_check_is_shown_by(command: str, shown_by: str) -> None:
    assert checked_by(command) == shown_by


@each(
    ("command", "paths"),
    [
        ("git checkout -- .", (".",)),
        ("git checkout main -- a b/c", ("a", "b/c")),
        ("git checkout -b new", ()),
        ("git switch main", (".",)),
        ("git restore a", ("a",)),
        ("git restore --staged a", ()),
        ("git restore --staged -W a", ("a",)),
        ("git stash", (".",)),
        ("git stash push -- a", ("a",)),
        ("git stash list", ()),
        ("git reset --hard", (".",)),
        ("git reset HEAD a", ()),
        ("git rm --cached a", ()),
        ("git commit -am x && git push", ()),
        ("cd src && rm -rf ./b/ $TMP", ("src/b",)),
        ("cd $DIR && rm -rf b", (".",)),
        ("cp a b", ("b",)),
        ("sed -n 5p a", ()),
        ("sed -i.bak s/a/b/ a", ("s/a/b", "a")),
        ("pytest -q", ()),
        ("pytest -q > /dev/null 2>&1", ()),
        ("cd src && echo x >> a; echo y > b", ("src/a", "src/b")),
        ("echo $X > $Y", ()),
        ('python -c \'open("a.py", "w")\'', ("a.py",)),
        ("python - <<'END'\nPath('b/c.py').write_text('')\nEND", ("b/c.py",)),
        ("python -c 'open(\"a.py\").read()'", ()),
        ("python fix.py a.py", ()),
        ("black .", (".",)),
        ("black --check .", ()),
        ("ruff check --fix src", ("src",)),
        ("npm run format", (".",)),
        ("npm run format:check", ()),
        ("go fmt ./lib/...", ("lib",)),
        ("patch -p1 < a.diff", (".",)),
    ],
)
def test_a_command_may_rewrite_the_files_below(
    command: str, paths: tuple[str, ...]
) -> None:
    assert rewritten_by(command) == paths


@each("path", ["a.py", "."])
def test_each_command_that_may_rewrite_files_is_examined(path: str) -> None:
    for command in (
        *(f"echo x > {path}", f"echo x &> {path}", f"echo x | tee {path}"),
        *(f"{name} {path}" for name in ("rm", "mv a", "cp a", "black", "shred")),
        *(f"git checkout -- {path}", "git stash", f"npx prettier --write {path}"),
        *(f"ruff check --fix {path}", f"gofmt -w {path}", f"rubocop -a {path}"),
        *(f"sed -i.bak s/a/b/ {path}", f"perl -pi -e s/a/b/ {path}", "patch -p1"),
        'python -c \'open("a.py", "w")\'',
    ):
        assert rewritten_by(command), command
        assert may_be_rewriting(command), command
