"""The origin of values: a value that a run made is noise, one that it chose is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convert.diff import arguments_changed
from support.comparisons import compare
from support.matrix import each

X, Y, Z = (f"{digit * 8}-aaaa-4bbb-8ccc-1234567890ab" for digit in "123")
OTHER_X, OTHER_Y = (f"{digit * 8}-aaaa-4bbb-8ccc-1234567890ab" for digit in "45")
START_MS = 1_790_000_000_000
TIME = "2026-09-21T14:13:2{}Z"

# The tool, its arguments, and its output: a text or the whole result.
Call = tuple[str, dict[str, Any], Any]


def log(
    *calls: Call, prompt: str = "Tidy up.", answer: str = "Done.", cwd: str = "/w/app"
) -> bytes:
    """Write a run that makes calls one after the other, each with its output."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "cwd": cwd},
        {"type": "user", "message": {"content": [{"type": "text", "text": prompt}]}},
    ]
    for number, (tool, arguments, output) in enumerate(calls):
        body: dict[str, Any] = {"args": arguments}
        if tool == "mcp":
            body = {"args": {"providerIdentifier": "db", "toolName": "do"} | arguments}
        for subtype in ("started", "completed"):
            if subtype == "completed":
                success = output if isinstance(output, dict) else {"content": output}
                body = body | {"result": {"success": success}}
            lines.append(
                {
                    "type": "tool_call",
                    "subtype": subtype,
                    "call_id": f"call-{number}",
                    "timestamp_ms": START_MS + 1000 * number,
                    "tool_call": {f"{tool}ToolCall": body},
                }
            )
    ended = {"type": "result", "subtype": "success", "is_error": False}
    lines.append(ended | {"result": answer})
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def do(id: str, output: str = "ok", name: str = "do") -> Call:
    return "mcp", {"toolName": name, "args": {"id": id}}, output


def shell(command: str, output: str = "") -> Call:
    return "shell", {"command": command}, output


def test_an_id_that_an_output_showed_is_noise() -> None:
    a = log(shell("new", f"made {X}"), do(X))
    b = log(shell("new", f"made {OTHER_X}"), do(OTHER_X))

    compared = compare(a, b)

    assert not compared.is_different
    assert compared.rules_used == {"id": 1}
    assert compared.paired_values == [("id", X, OTHER_X)]
    assert compare(a, b, raw=True).is_different


def test_an_id_from_nowhere_is_chosen() -> None:
    assert compare(log(do(X)), log(do(OTHER_X))).is_different


def test_an_id_from_the_prompt_is_chosen() -> None:
    prompt = f"Delete {X} or {OTHER_X}."
    a = log(shell("list", X), do(X), prompt=prompt)
    b = log(shell("list", OTHER_X), do(OTHER_X), prompt=prompt)

    assert compare(a, b).is_different


def test_an_id_that_was_used_before_it_was_seen_is_chosen() -> None:
    a = log(do(X, f"got {X}", "get"), do(X, name="delete"))
    b = log(do(OTHER_X, f"got {OTHER_X}", "get"), do(OTHER_X, name="delete"))

    assert compare(a, b).counts.changed == 2


def test_an_id_that_both_runs_know_is_chosen() -> None:
    listed = shell("list", f"{X}\n{OTHER_X}")

    assert compare(log(listed, do(X)), log(listed, do(OTHER_X))).is_different


def test_an_output_after_the_call_does_not_make_its_id() -> None:
    a = log(do(X), shell("list", X))
    b = log(do(OTHER_X), shell("list", OTHER_X))

    assert compare(a, b).is_different


@pytest.mark.parametrize(("second", "is_different"), [(X, False), (Y, True)])
def test_values_belong_together_one_to_one(second: str, is_different: bool) -> None:
    listed, other = shell("list", f"{X} and {Y}"), shell("list", f"{OTHER_X} {OTHER_Y}")
    a = log(listed, do(X, name="get"), do(second, name="delete"))
    b = log(other, do(OTHER_X, name="get"), do(OTHER_X, name="delete"))

    compared = compare(a, b)

    assert compared.is_different == is_different
    assert compared.counts.changed == int(is_different)


@pytest.mark.parametrize(
    ("chosen", "is_different"), [(OTHER_X, False), (OTHER_Y, True)]
)
def test_outputs_show_which_values_belong_together(
    chosen: str, is_different: bool
) -> None:
    a = log(shell("list", f'[{{"id": "{X}"}}, {{"id": "{Y}"}}]'), do(X))
    b = log(
        shell("list", f'[{{"id": "{OTHER_X}"}}, {{"id": "{OTHER_Y}"}}]'), do(chosen)
    )

    assert compare(a, b).is_different == is_different
    assert compare(b, a).is_different == is_different


@each(
    ("command", "ones", "others"),
    [
        ("kill {}", ("4242", "4243"), ("5242", "5243")),
        ("curl localhost:{}/x", ("8080", "8081"), ("9080", "9081")),
        ("rm -r /tmp/{}", ("tmp.aBcDeFgH", "tmp.iJkLmN"), ("tmp.oPqRsT", "tmp.uVwXyZ")),
        (
            "git show {:.7}",
            (f"a1{'0b' * 19}", "a2" * 20),
            (f"b1{'0c' * 19}", "b2" * 20),
        ),
    ],
)
def test_an_output_of_two_values_distinguishes_them(
    command: str, ones: tuple[str, str], others: tuple[str, str]
) -> None:
    listed, other = (
        shell("begin", "first {} of\nsecond {} of\n".format(*values))
        for values in (ones, others)
    )
    a = log(listed, shell(command.format(ones[0])))
    b, c = (log(other, shell(command.format(value))) for value in others)

    assert not compare(a, b).is_different
    assert compare(a, c).is_different
    assert compare(c, a).is_different


def test_a_list_in_another_order_shows_it_by_its_names() -> None:
    a = log(shell("list", f"{X} ada\n{Y} bob\n"), do(X))
    b = log(shell("list", f"{OTHER_Y} bob\n{OTHER_X} ada\n"), do(OTHER_X))

    assert not compare(a, b).is_different


def test_calls_of_a_batch_are_distinguished_by_the_origin_of_their_values() -> None:
    a = log(shell("list", f"{X} {Y}"), do(X), do(Y))
    b = log(shell("list", f"{OTHER_X} {OTHER_Y}"), do(OTHER_Y), do(OTHER_X))

    assert not compare(a, b, order="any").is_different
    assert compare(a, b).findings[0].category == "moved"


@pytest.mark.parametrize(
    ("command", "output", "old", "new", "rule"),
    [
        ("git show {}", f"commit {{}}{'0a' * 16}", "a1b2c3d", "b2c3d4e", "hash"),
        ("curl localhost:{}/x", "listening on port {}", "51234", "49152", "port"),
        ("kill {}", "started {}", "4242", "777", "process"),
        ("kill -TERM {}", "started {}", "4242", "777", "process"),
        ("lsof -i :{}", "started {}", "51234", "49152", "port"),
        ("git revert {}", "made {}", "1234567", "7654321", "hash"),
        ("close {}", "made {}", "1180591620717411303", "1180591620717411999", "id"),
        ("ls /tmp/{}", "/tmp/{}", "build.aB3dE9", "build.Zk2Lm0", "tmp"),
        ("touch report-{}.md", "today is {}", "2025-01-31", "2025-02-01", "time"),
        ("gh issue close {}", "created {}", "SHOP-12", "SHOP-13", "id"),
        ("gh pr checks {}", "made https://x.example/a/pull/{}", "418", "431", "id"),
        ("rm -r /tmp/{}", "/tmp/{}", "tmp.aBcDeFgHiJ", "tmp.KpQwLmQrrS", "tmp"),
        ("ls /tmp/{}", "/var/folders/q1/z/T/{}", "tmpk2v_9q0x", "tmp_abcdef1", "tmp"),
    ],
)  # fmt: skip
def test_values_of_each_shape_may_be_made(
    command: str, output: str, old: str, new: str, rule: str
) -> None:
    a, b = (
        log(shell("begin", output.format(value)), shell(command.format(value)))
        for value in (old, new)
    )
    chosen, other = (log(shell(command.format(value))) for value in (old, new))

    assert not compare(a, b).is_different
    assert compare(a, b).rules_used == {rule: 1}
    assert compare(chosen, other).is_different


@each(
    ("one", "other", "is_different"),
    [
        (TIME.format(0), TIME.format(1), False),
        ("2026-09-21T15:13:00Z", TIME.format(1), False),
        ("2026-09-21T15:30:00Z", TIME.format(1), True),
        ("2026-09-21T14:10:00Z", TIME.format(1), True),
        ("2026-09-21 14:13:20", TIME.format(1), False),
        ("2026-09-21T16:13:20+02:00", TIME.format(1), False),
        ("2026-09-22", "2026-09-23", True),
        ("2026-13-99T99:99:99", TIME.format(1), True),
    ],
)
def test_a_time_while_the_run_went_on_is_noise(
    one: str, other: str, is_different: bool
) -> None:
    a, b = (log(shell("wait"), shell(f"at {time}")) for time in (one, other))

    assert compare(a, b).is_different == is_different


def test_a_value_is_made_only_by_a_call_that_both_runs_make() -> None:
    a = log(shell("new-user", f"made {X}"), do(X, name="delete"))
    b = log(("ls", {"path": "users"}, f"{OTHER_X}"), do(OTHER_X, name="delete"))

    counts = compare(a, b).counts

    assert (counts.changed, counts.removed, counts.added) == (1, 1, 1)


@each(
    ("one", "other", "is_different"),
    [((3, 4, 3), (7, 9, 7), False), ((3, 4, 3), (7, 9, 9), True), ((), (), True)],
)
def test_the_number_of_a_terminal_is_that_of_the_shell_in_it(
    one: tuple[int, ...], other: tuple[int, ...], is_different: bool
) -> None:
    def reading(first: int = 0, second: int = 0, read: int = 5) -> bytes:
        path = f"/home/dev/.cursor/projects/app/terminals/{read}.txt"
        made = log(shell("serve &"), shell("watch &"), ("read", {"path": path}, "ok"))
        for number in (first, second):
            made = made.replace(
                b'{"content": ""}', b'{"shellId": %d}' % number, int(bool(number))
            )
        return made

    a, b = reading(*one), reading(*(other or (0, 0, 6)))

    assert compare(a, b).is_different == is_different


@each(
    ("command", "is_different"),
    [
        ("cp a.py /tmp/pytest-of-{}/a.py && pytest -q", False),
        ("cp a.py /tmp/pytest-of-{}/a.py && make", True),
        ("pytest -q; rm -rf /tmp/pytest-of-{}", True),
        ("pytest -q; find /tmp/pytest-of-{} -delete", True),
        ("ls /tmp/pytest-of-{}/test-pytest", True),
    ],
)
def test_a_folder_is_of_pytest_if_the_run_calls_it_and_removes_nothing_there(
    command: str, is_different: bool
) -> None:
    a, b = (
        log(shell(command.format(name))) for name in ("ci/pytest-12", "kim/pytest-131")
    )

    assert compare(a, b).is_different == is_different


def test_a_number_in_a_name_is_part_of_it() -> None:
    a = log(shell("ls", "report1234567a.md"), shell("cat report1234567a.md"))
    b = log(shell("ls", "report7654321b.md"), shell("rm report7654321b.md"))

    assert compare(a, b).is_different


def test_the_ids_of_the_run_itself_are_noise() -> None:
    a, b = (
        log(shell("new"), do(f"call-{id}")).replace(b"call-0", f"call-{id}".encode())
        for id in (X, OTHER_X)
    )

    assert not compare(a, b).is_different


def test_values_in_the_answer_have_their_partners() -> None:
    a = log(shell("new", X), do(X), answer=f"Made {X}.")
    b = log(shell("new", OTHER_X), do(OTHER_X), answer=f"Made {OTHER_X}.")
    swapped = log(shell("new", OTHER_X), do(OTHER_X), answer=f"Made {Z}.")

    assert not compare(a, b).is_different
    assert compare(a, swapped).is_different


def test_names_of_members_lose_the_directory() -> None:
    a, b = (
        log(("mcp", {"args": {f"{cwd}/src/a.py": 1}}, "ok"), cwd=cwd)
        for cwd in ("/w/app", "/home/kim/app")
    )

    assert not compare(a, b).is_different
    assert compare(a, b).paired_values == [("cwd", "/w/app", "/home/kim/app")]


def test_two_names_that_would_become_one_stay() -> None:
    a, b = (log(("mcp", {"args": {"/w/app/a": one, "a": 2}}, "ok")) for one in (1, 3))

    assert compare(a, b).is_different


def test_arguments_that_steer_a_tool_are_counted() -> None:
    a, b = (
        log(("shell", {"command": "make", "timeout": timeout}, ""))
        for timeout in (1, 2)
    )

    assert compare(a, b).rules_used == {"argument": 1}
    assert compare(a, a).rules_used == {}


def test_too_much_to_search_is_said_and_not_taken_for_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = log(shell("new", f"made {X}"), do(X))
    b = log(shell("new", f"made {OTHER_X}"), do(OTHER_X))
    monkeypatch.setattr("convert.diff.seen_values._MOST_SEARCHED", 10)

    compared = compare(a, b)

    assert compared.is_different
    assert compared.runs[0].is_approximate


def test_a_changed_call_shows_no_values_that_belong_together() -> None:
    a = log(shell("new", X), do(X), ("mcp", {"args": {"id": X, "size": 1}}, "ok"))
    b = log(
        shell("new", OTHER_X),
        do(OTHER_X),
        ("mcp", {"args": {"id": OTHER_X, "size": 2}}, "ok"),
    )

    [row] = [row for row in compare(a, b).runs[0].rows if row.comparison.is_changed]

    assert [detail.path for detail in arguments_changed(row.comparison)] == ["size"]


def test_many_values_are_found_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    commits = [f"{number:x}a0b1c2d3e4f" for number in range(16, 22)]
    others = [f"{number:x}f0e1d2c3b4a" for number in range(16, 22)]
    a, b = (
        log(
            shell("git log", "\n".join(f"commit {commit}5a6b" for commit in found)),
            *(shell(f"git show {commit[:8]}") for commit in found),
            shell(f"git show {chosen}"),
        )
        for found, chosen in ((commits, "ffff0000a"), (others, "0000ffffb"))
    )
    searched = compare(a, b).counts
    monkeypatch.setattr("convert.diff.seen_values._SEARCHES", 2)

    assert compare(a, b).counts == searched
    assert (searched.same, searched.changed) == (7, 1)


def test_names_of_members_that_would_become_one_mark_stay() -> None:
    a, b = (
        log(shell("new", f"{one} {two}"), ("mcp", {"args": {one: 1, two: 2}}, "ok"))
        for one, two in ((X, Y), (OTHER_X, OTHER_Y))
    )

    assert compare(a, b).is_different
    assert not compare(a, a).is_different


def test_the_rules_that_make_answers_equal_are_counted() -> None:
    a, b = (
        log(answer=answer, cwd=cwd)
        for answer, cwd in (
            ("See /w/app/a.md.\n\nDone.", "/w/app"),
            ("See /srv/a.md. Done.", "/srv"),
        )
    )

    compared = compare(a, b)

    assert not compared.is_different
    assert compared.rules_used == {"cwd": 1, "space": 1}
    assert compare(a, b, text="exact").is_different


def test_the_rules_that_make_outputs_equal_are_counted_if_outputs_count() -> None:
    a, b = (log(shell("make", f"took {time} s")) for time in (3, 4))

    assert compare(a, b, outputs=True).rules_used == {"duration": 1}
    assert compare(a, b).rules_used == {}
