"""How logs of several folders become runs of cases, and the names of cases."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.errors import InputError
from convert.options import Reading, Settings
from convert.source import Globs
from convert.suites import (
    CaseResult,
    CaseSide,
    Folder,
    Grouped,
    PairBy,
    Prompts,
    SamePrompt,
    Suite,
    Verdict,
    cases_of,
    check_found,
    first_prompt,
    folder_of,
)
from support.matrix import each
from support.runs import tell
from test_docs import ROOT

# A prompt is a letter here. "" is that of a log that records none, and None that of a
# file that cannot be read.
Version = Mapping[str, str | None]


class Layout(NamedTuple):
    """Versions, with the paths and prompts of their logs, and the cases of these."""

    what: str
    versions: tuple[str, ...]
    cases: dict[str, str]
    note: str = ""


BY_PATH = "--pair-by path makes each path a case"
LAYOUTS = (
    Layout(
        "the same names",
        ("slug=p title=q", "slug=p title=q"),
        {"slug": "slug | slug", "title": "title | title"},
    ),
    Layout(
        "a log on one side",
        ("slug=p title=q", "slug=p index=r"),
        {"slug": "slug | slug", "title": "title |", "index": "| index"},
    ),
    Layout(
        "names that mean something, with one prompt",
        ("slug=p title=p search=p", "slug=p title=p index=p"),
        {
            "slug": "slug | slug",
            "title": "title | title",
            "search": "search |",
            "index": "| index",
        },
    ),
    Layout(
        "runs in one folder",
        ("fix-1=p fix-2=p add-1=q add-2=q", "fix-1=p fix-2=p add-1=q"),
        {"fix": "fix-1 fix-2 | fix-1 fix-2", "add": "add-1 add-2 | add-1"},
        f"7 logs grouped into 2 cases by name; {BY_PATH}",
    ),
    Layout(
        "tasks with numbers",
        ("task-01=p task-02=q", "task-01=p task-02=q"),
        {"task-01": "task-01 | task-01", "task-02": "task-02 | task-02"},
    ),
    Layout(
        "runs of several tasks, numbered throughout",
        ("run-1=p run-2=q run-3=p run-4=q", "run-1=q run-2=p"),
        {"p": "run-1 run-3 | run-2", "q": "run-2 run-4 | run-1"},
        f"6 logs grouped into 2 cases by prompt; {BY_PATH}",
    ),
    Layout(
        "several runs against one",
        ("tax=p", "tax-1=p tax-2=p"),
        {"tax": "tax | tax-1 tax-2"},
        f"3 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "a task and a run in each number",
        ("fix-1-1=p fix-1-2=p fix-2-1=q fix-2-2=q", "fix-1-1=p fix-2-1=q"),
        {"fix-1": "fix-1-1 fix-1-2 | fix-1-1", "fix-2": "fix-2-1 fix-2-2 | fix-2-1"},
        f"6 logs grouped into 2 cases by prompt; {BY_PATH}",
    ),
    Layout(
        "a folder for each case",
        ("tax/1=p tax/2=p fee/1=q", "tax/1=p tax/2=p fee/1=q fee/2=q"),
        {"tax": "tax/1 tax/2 | tax/1 tax/2", "fee": "fee/1 | fee/1 fee/2"},
    ),
    Layout(
        "a folder for each case, with names of people",
        ("tax/ann=p tax/bob=p", "tax/ann=p tax/bob=p"),
        {"tax": "tax/ann tax/bob | tax/ann tax/bob"},
        f"4 logs grouped into 1 case by prompt; {BY_PATH}",
    ),
    Layout(
        "a folder with several prompts",
        ("tax/run-1=p tax/run-2=p tax/run-3=q", "tax/run-1=p tax/run-3=q"),
        {
            "tax/run": "tax/run-1 tax/run-2 | tax/run-1",
            "tax/run-3": "tax/run-3 | tax/run-3",
        },
        f"3 logs grouped into 1 case by prompt; {BY_PATH}",
    ),
    Layout(
        "a folder of tasks of which two have one prompt",
        ("shop/slug=p shop/title=p shop/tax=q", "shop/slug=p shop/title=p shop/tax=q"),
        {
            "shop/slug": "shop/slug | shop/slug",
            "shop/title": "shop/title | shop/title",
            "shop/tax": "shop/tax | shop/tax",
        },
    ),
    Layout(
        "a folder for each run",
        ("run-1/tax=p run-1/fee=q run-2/tax=p run-2/fee=q", "run-1/tax=p run-1/fee=q"),
        {
            "tax": "run-1/tax run-2/tax | run-1/tax",
            "fee": "run-1/fee run-2/fee | run-1/fee",
        },
        f"6 logs grouped into 2 cases by name; {BY_PATH}",
    ),
    Layout(
        "a folder for each run, with one prompt for all",
        ("run-1/tax=p run-1/fee=p run-2/tax=p run-2/fee=p", "run-1/tax=p run-1/fee=p"),
        {
            "tax": "run-1/tax run-2/tax | run-1/tax",
            "fee": "run-1/fee run-2/fee | run-1/fee",
        },
        f"6 logs grouped into 2 cases by name; {BY_PATH}",
    ),
    Layout(
        "folders of tasks with numbers and one prompt",
        ("task-1/a=p task-1/b=p task-2/c=p task-2/d=p", "task-1/a=p task-2/c=p"),
        {
            "task-1": "task-1/a task-1/b | task-1/a",
            "task-2": "task-2/c task-2/d | task-2/c",
        },
        f"6 logs grouped into 2 cases by prompt; {BY_PATH}",
    ),
    Layout(
        "a folder for each day",
        ("2026-05-01/tax=p 2026-05-01/fee=q", "2026-05-02/tax=p 2026-05-02/fee=q"),
        {
            "tax": "2026-05-01/tax | 2026-05-02/tax",
            "fee": "2026-05-01/fee | 2026-05-02/fee",
        },
        f"2 cases paired by prompt; {BY_PATH}",
    ),
    Layout(
        "ids as names",
        ("a1f=p b2c=p 77d0e=q", "c3=p 0d1=q e5f6=q"),
        {"p": "a1f b2c | c3", "q": "77d0e | 0d1 e5f6"},
        f"6 logs grouped into 2 cases by prompt; {BY_PATH}",
    ),
    Layout(
        "random words as names",
        ("red=p sun=p ox=q elk=q", "sky=p yak=p"),
        {"p": "red sun | sky yak", "q": "elk ox |"},
        f"6 logs grouped into 2 cases by prompt; {BY_PATH}",
    ),
    Layout(
        "random words as names, in a folder for each case",
        ("tax/red=p tax/sun=p", "tax/sky=p"),
        {"tax": "tax/red tax/sun | tax/sky"},
    ),
    Layout(
        "random words as names, and the prompt of the folder was edited",
        ("tax/red=p tax/sun=p", "tax/sky=q tax/ox=q"),
        {"tax": "tax/red tax/sun | tax/ox tax/sky"},
    ),
    Layout(
        "a folder for each trial, with a random name",
        ("tax__Ab/log=p tax__Xy/log=p fee__Qw/log=q", "tax__Zk/log=p fee__Mn/log=q"),
        {
            "tax/log": "tax__Ab/log tax__Xy/log | tax__Zk/log",
            "fee/log": "fee__Qw/log | fee__Mn/log",
        },
        f"3 logs grouped into 1 case by prompt, 1 case paired by prompt; {BY_PATH}",
    ),
    Layout(
        "random words as names, in two folders of the same tasks",
        ("x/red=p x/sun=q y/elk=p y/ox=q", "x/sky=p x/yak=q y/emu=p y/ape=q"),
        {
            "p": "x/red | x/sky",
            "p (2)": "y/elk | y/emu",
            "q": "x/sun | x/yak",
            "q (2)": "y/ox | y/ape",
        },
        f"4 cases paired by prompt; {BY_PATH}",
    ),
    Layout(
        "random words as names, next to a case of both versions",
        ("slug=r red=p sun=p", "slug=r sky=p yak=p"),
        {"slug": "slug | slug", "p": "red sun | sky yak"},
        f"4 logs grouped into 1 case by prompt; {BY_PATH}",
    ),
    Layout(
        "a case with another name",
        ("slug=p title=q", "slug=p titling=q"),
        {"slug": "slug | slug", "q": "title | titling"},
        f"1 case paired by prompt; {BY_PATH}",
    ),
    Layout(
        "an edited prompt",
        ("fix-1=p fix-2=p add-1=q add-2=q", "fix-1=r fix-2=r add-1=q add-2=q"),
        {"fix": "fix-1 fix-2 | fix-1 fix-2", "add": "add-1 add-2 | add-1 add-2"},
        f"8 logs grouped into 2 cases by name; {BY_PATH}",
    ),
    Layout(
        "an edited prompt, and other numbers",
        ("fix-1=p fix-2=p", "fix-3=q fix-4=q"),
        {"fix": "fix-1 fix-2 | fix-3 fix-4"},
        f"4 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "edited prompts of tasks with numbers",
        ("task-1=p task-2=q", "task-1=r task-2=s"),
        {"task-1": "task-1 | task-1", "task-2": "task-2 | task-2"},
    ),
    Layout(
        "a task that went, and one that came",
        ("task-1=p task-2=q", "task-1=p task-3=r"),
        {"task-1": "task-1 | task-1", "task-2": "task-2 |", "task-3": "| task-3"},
    ),
    Layout(
        "a run cut before its prompt among several others",
        ("fix-1=p fix-2=p fix-3=p", "fix-1=p fix-2=p fix-3="),
        {"fix": "fix-1 fix-2 fix-3 | fix-1 fix-2 fix-3"},
        f"6 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "a task cut before its prompt",
        ("task-1=p task-2=q", "task-1=p task-2="),
        {"task-1": "task-1 | task-1", "task-2": "task-2 | task-2"},
    ),
    Layout(
        "as many logs without a prompt as with one",
        ("tax/1=p tax/2=", "tax/1=p tax/2="),
        {"tax/1": "tax/1 | tax/1", "tax/2": "tax/2 | tax/2"},
    ),
    Layout(
        "logs that record no prompt, and several names",
        ("fix-1= fix-2= add-1= add-2=", "fix-1= fix-2= add-1="),
        {"fix": "fix-1 fix-2 | fix-1 fix-2", "add": "add-1 add-2 | add-1"},
        f"7 logs grouped into 2 cases by name; {BY_PATH}",
    ),
    Layout(
        "logs that record no prompt, and one name, which may be that of tasks",
        ("case-1= case-2=", "case-1= case-2="),
        {"case-1": "case-1 | case-1", "case-2": "case-2 | case-2"},
    ),
    Layout(
        "a log that cannot be read among runs",
        ("fix-1=p fix-2=p", "fix-1=p fix-2=!"),
        {"fix": "fix-1 fix-2 | fix-1 fix-2"},
        f"4 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "a log of another number that cannot be read among runs",
        ("fix-1=p fix-2=p", "fix-1=p fix-3=!"),
        {"fix": "fix-1 fix-2 | fix-1 fix-3"},
        f"4 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "files that are no logs next to a log",
        ("tax/run=p tax/notes.md=!", "tax/run=p tax/notes.md=!"),
        {"tax/run": "tax/run | tax/run", "tax/notes.md": "tax/notes.md | tax/notes.md"},
    ),
    Layout(
        "two files of one path",
        ("slug.json=p slug.ndjson=p", "slug.ndjson=p"),
        {"slug": "slug.json slug.ndjson | slug.ndjson"},
    ),
    Layout(
        "a case and a folder of one name",
        ("tax=p tax/1=q tax/2=q", "tax=p tax/1=q tax/2=q"),
        {"tax": "tax | tax", "tax/": "tax/1 tax/2 | tax/1 tax/2"},
    ),
    Layout(
        "three versions",
        ("fix-1=p fix-2=p slug=q", "fix-1=p fix-2=p slug=q", "fix-1=p slug=q"),
        {"fix": "fix-1 fix-2 | fix-1 fix-2 | fix-1", "slug": "slug | slug | slug"},
        f"5 logs grouped into 1 case by name; {BY_PATH}",
    ),
    Layout(
        "three versions, in the last of which a case has another name",
        ("slug=p title=q", "slug=p title=q", "slug=p heading=q"),
        {"slug": "slug | slug | slug", "q": "title | title | heading"},
        f"1 case paired by prompt; {BY_PATH}",
    ),
    Layout(
        "three versions, the middle one of which lacks a case",
        ("slug=p title=q", "slug=p", "slug=p title=q"),
        {"slug": "slug | slug | slug", "title": "title | | title"},
    ),
    Layout(
        "three versions, the tasks of which have other numbers in each",
        ("fix-1=p", "fix-1=q fix-2=p", "fix-3=r"),
        {"fix": "fix-1 | fix-2 |", "fix-1": "| fix-1 |", "fix-3": "| | fix-3"},
        f"1 case paired by prompt; {BY_PATH}",
    ),
    Layout(
        "names that no shell would like",
        ("a\nb-1=p a\nb-2=p \x1b[2J=q", "a\nb-1=p \x1b[2J=q"),
        {"a\\nb": "a\nb-1 a\nb-2 | a\nb-1", "\\x1b[2J": "\x1b[2J | \x1b[2J"},
        f"3 logs grouped into 1 case by name; {BY_PATH}",
    ),
)


def parsed(version: str) -> dict[str, str | None]:
    """Return the logs of a version, by their paths, with their prompts."""
    pairs = [log.rsplit("=", 1) for log in version.split(" ")]
    return {path: None if prompt == "!" else prompt for path, prompt in pairs}


def folder(
    at: int, version: str | Version, failures: dict[str, str] | None = None
) -> Folder:
    """Return the folder of a version."""
    logs = parsed(version) if isinstance(version, str) else version
    places = {f"v{at}/{path}": path for path in logs}
    return Folder(f"v{at}", places, [], [], failures or {})


def grouped(
    *versions: str | Version,
    pair_by: PairBy = "auto",
    repeat: bool | None = None,
    redact: Callable[[str], str | None] | None = None,
    failures: Mapping[int, dict[str, str]] | None = None,
    asked: list[str] | None = None,
) -> Grouped:
    """Return the cases of versions."""
    found = [parsed(each) if isinstance(each, str) else each for each in versions]
    known = {
        f"v{at}/{path}": prompt
        for at, logs in enumerate(found)
        for path, prompt in logs.items()
    }

    def of(paths: list[str]) -> dict[str, str | None]:
        if asked is not None:
            asked.extend(paths)
        return {path: known[path] for path in paths}

    def redacted(groups: list[SamePrompt]) -> list[str | None]:
        assert all(len({known[path] for path in group}) == 1 for group in groups)
        return [redact(known[group[0]] or "") for group in groups] if redact else []

    folders = [
        folder(at, logs, (failures or {}).get(at)) for at, logs in enumerate(found)
    ]
    prompts = Prompts(of, redacted if redact else None)
    return cases_of(folders, pair_by, repeat, prompts)


def cases(found: Grouped) -> dict[str, str]:
    """Return the logs of each case, those of each version after a line."""
    return {
        case.name: " | ".join(
            " ".join(path.partition("/")[2] for path in side) for side in case.sides
        ).strip(" ")
        for case in found.cases
    }


@each("layout", LAYOUTS)
def test_a_layout_makes_cases(layout: Layout) -> None:
    found = grouped(*layout.versions)

    assert {name: logs.split() for name, logs in cases(found).items()} == {
        name: logs.split() for name, logs in layout.cases.items()
    }
    assert found.note == layout.note
    assert [case.name for case in found.cases] == sorted(layout.cases)


def test_the_manual_shows_the_cases_of_each_layout() -> None:
    manual = (ROOT / "docs" / "suites.md").read_text("utf-8")
    [table] = re.findall(
        r"^\| logs \| cases \|\n.*\n((?:\|.*\n)+)", manual, re.MULTILINE
    )

    for row in table.splitlines():
        _, logs, told, _ = row.split("|")
        version = dict(re.findall(r"`([^`]+)` ([A-Z])", logs))
        found = grouped(version, version)
        made = [
            f"`{case.name}`"
            + (f" with {len(case.sides[0])} runs" if case.is_repeated else "")
            for case in found.cases
        ]

        assert made == sorted(told.strip().split(", ")), row


@pytest.mark.parametrize(
    ("a", "b", "name"),
    [
        ("v1.2-a", "v1.3-a", "v-a"),
        ("run-1-fix", "run-2-fix", "run-fix"),
        ("c#-fix-1", "c#-fix-2", "c#-fix"),
    ],
)
def test_a_number_that_differs_is_not_in_the_name(a: str, b: str, name: str) -> None:
    found = grouped(f"{a}=p", f"{b}=p")

    assert cases(found) == {name: f"{a} | {b}"}


def test_runs_are_distinguished_from_two_files_of_one_path() -> None:
    runs = grouped("fix-1=p fix-2=p", "fix-1=p").cases
    files = grouped("fix.json=p fix.ndjson=p", "fix.ndjson=p").cases

    assert [case.is_repeated for case in (*runs, *files)] == [True, False]


def test_each_path_is_a_case_on_request() -> None:
    version = "fix-1=p fix-2=p tax/1=q tax/2=q"
    expected = {name: f"{name} | {name}" for name in parsed(version)}

    for knobs in ({"pair_by": "path"}, {"repeat": False}):
        asked: list[str] = []
        found = grouped(version, version, asked=asked, **knobs)  # type: ignore[arg-type]

        assert cases(found) == expected
        assert (found.note, asked) == ("", [])


def test_the_logs_of_a_folder_are_runs_of_one_case_on_request() -> None:
    version = "slug=p title=p in/tax=q in/fee=q one/x=r"

    found = grouped(version, version, repeat=True)

    assert cases(found) == {
        ".": "slug title | slug title",
        "in": "in/fee in/tax | in/fee in/tax",
        "one": "one/x | one/x",
    }
    assert all(case.is_repeated for case in found.cases)
    assert found.note == ""


@pytest.mark.parametrize("pair_by", ["auto", "path"])
def test_fifty_tasks_in_a_folder_are_never_one_case(pair_by: PairBy) -> None:
    tasks = {f"{number:02}.ndjson": f"Do task {number}." for number in range(50)}

    found = grouped(tasks, tasks, pair_by=pair_by, repeat=True)

    assert [case.name for case in found.cases] == [f"{n:02}" for n in range(50)]


def test_runs_of_ten_tasks_in_a_folder_are_ten_cases() -> None:
    runs = {f"{number:02}": f"Do task {number % 10}." for number in range(50)}

    for repeat in (None, True):
        found = grouped(runs, runs, repeat=repeat)

        assert [case.name for case in found.cases] == [
            f"Do task {number}." for number in range(10)
        ]
        assert all([*map(len, case.sides)] == [5, 5] for case in found.cases)


def test_logs_belong_together_by_prompt_on_request() -> None:
    found = grouped("slug=p a/1=p title=q", "slug=q x/9=p", pair_by="prompt")

    assert cases(found) == {"p": "a/1 slug | x/9", "q": "title | slug"}


def test_logs_of_one_prompt_are_pairs_in_their_order_without_repeat() -> None:
    found = grouped("1=p 2=p 3=p", "7=p 8=p", pair_by="prompt", repeat=False)

    assert cases(found) == {"p": "1 | 7", "p (2)": "2 | 8", "p (3)": "3 |"}
    assert not any(case.is_repeated for case in found.cases)


def test_a_log_without_a_prompt_is_trouble_where_prompts_are_asked_for() -> None:
    found = grouped("a=p b= c=!", "a=p", pair_by="prompt")

    assert {case.name: case.trouble for case in found.cases} == {
        "p": "",
        "b": "v0/b: records no prompt; pair by path, without --pair-by prompt",
        "c": "",
    }


def test_prompts_that_look_alike_when_redacted_have_numbers() -> None:
    mails = "1=ann@a.org 2=bob@a.org 3=ann@a.org 4=bob@a.org"

    found = grouped(mails, mails, redact=lambda _: "Write to [redacted].")

    assert cases(found) == {
        "Write to [redacted].": "1 3 | 1 3",
        "Write to [redacted]. (2)": "2 4 | 2 4",
    }


def test_a_path_stands_for_a_prompt_that_cannot_be_redacted() -> None:
    found = grouped("1=ann 2=bob", "1=ann", pair_by="prompt", redact=lambda _: None)

    assert [case.name for case in found.cases] == ["v0/1", "v0/2"]


def test_a_long_prompt_is_cut() -> None:
    prompt = "x" * 60 + "\n\x1b[31m" + "y" * 60
    runs = {"1": prompt, "2": prompt, "3": "q", "4": "q"}

    found = grouped(runs, runs)

    name = found.cases[-1].name
    assert name.startswith("x" * 60)
    assert 60 < len(name) <= 80
    assert name.isprintable()


def test_goldens_are_of_the_cases_that_their_paths_name(tmp_path: Path) -> None:
    golden = b"".join(convert.convert(io.BytesIO(tell([])), "trajectory"))
    goldens = ["fix-1.json", "fix-2.json", "fix-2.2.json", "in/a.json", "in/b.json"]
    logs = ["fix-1", "fix-2", "fix-3", "in/a", "in/b"]
    files = {f"a/{name}": golden for name in [*goldens, "old.json"]}
    files |= {f"b/{name}": tell([]) for name in [*logs, "new"]}
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    one, other = str(tmp_path / "a"), str(tmp_path / "b")
    folders = [folder_of(one, other, Globs(())), folder_of(other, one, Globs(()))]

    def of(paths: list[str]) -> dict[str, str | None]:
        renamed = {str(tmp_path / "a/old.json"), str(tmp_path / "b/new")}
        return {path: "Other" if path in renamed else "Do it" for path in paths}

    found = cases_of(folders, "auto", None, Prompts(of, None))

    sizes = {case.name: [*map(len, case.sides)] for case in found.cases}
    assert sizes == {
        "fix-1": [1, 1],
        "fix-2": [2, 1],
        "fix-3": [0, 1],
        "in/a": [1, 1],
        "in/b": [1, 1],
        "new": [0, 1],
        "old": [1, 0],
    }
    assert not any(case.is_repeated for case in found.cases)


def test_a_folder_that_cannot_be_read_is_trouble_of_the_cases_in_it() -> None:
    version = "in/tax-1=p in/tax-2=p in/fee=q slug=r"

    found = grouped(version, "slug=r", failures={1: {"in": "cannot read in"}})

    assert {case.name: case.trouble for case in found.cases} == {
        "in/tax": "cannot read in",
        "in/fee": "cannot read in",
        "slug": "",
    }


def test_a_folder_that_hides_nothing_known_is_trouble_itself() -> None:
    found = grouped("slug=r", "slug=r", failures={0: {"in": "no"}, 1: {"": "no"}})

    assert {case.name: case.trouble for case in found.cases} == {
        "slug": "",
        "in": "no",
        ".": "no",
    }


def test_prompts_are_read_only_where_they_tell() -> None:
    asked: list[str] = []

    def asked_for(*versions: str | Version) -> int:
        asked.clear()
        grouped(*versions, asked=asked)
        assert len({*asked}) == len(asked)
        return len(asked)

    names = [f"{a}{b}" for a in "abcdefgh" for b in "stuvwxyz"]
    tasks = {name: f"Do {name}." for name in names}
    below = {f"in/{name}": f"Do {name}." for name in names}
    alone = {f"{name}/run": f"Do {name}." for name in names}
    numbered = {f"case-{number:04}": f"Do {number}." for number in range(1000)}
    mute = dict.fromkeys([*numbered, *(f"in/{name}" for name in numbered)], "")
    assert asked_for(tasks, tasks) == 0
    assert asked_for(alone, alone, alone) == 0
    assert asked_for(tasks, {**tasks, "another": "x"}) == 0
    assert asked_for(below, below) == 2
    assert asked_for(numbered, numbered) < 130
    assert asked_for(mute, mute) < 400
    assert asked_for("fix-1=p fix-2=p slug=q", "fix-1=p slug=q") == 3


def test_many_runs_with_numbers_are_found_by_a_sample() -> None:
    runs = {f"case-{number:04}": f"Do {number // 2}." for number in range(2000)}

    found = grouped(runs, runs)

    assert len(found.cases) == 1000
    assert found.note.startswith("4,000 logs grouped into 1,000 cases by prompt;")


def asking(prompt: str, directory: str = "/home/dev/shop") -> bytes:
    """Return a log with a prompt."""
    start = {"type": "system", "subtype": "init", "cwd": directory, "model": "Auto"}
    content = [{"type": "text", "text": prompt}]
    asks = {"type": "user", "message": {"role": "user", "content": content}}
    lines = [json.dumps({**line, "session_id": "s"}) for line in (start, asks)]
    return "\n".join([*lines, ""]).encode()


@each(
    ("one", "other", "is_same"),
    [
        ("Fix it.", " Fix\r\n it. ", True),
        # A script of tests, whose temporary folder has the time in its name.
        (
            "Working in /tmp/cursor-comprehensive-test-1766000566177/tests, do",
            "Working in /tmp/cursor-comprehensive-test-1766000570402/tests, do",
            True,
        ),
        ("See /tmp/tmp.aXbYcZ1234/a.py", "See /tmp/tmp.Zu83kQpLm2/a.py", True),
        (
            "In /var/folders/zz/T/run-k3jX9q/a",
            "In /var/folders/zz/T/run-8fQ2m1/a",
            True,
        ),
        ("Today is 2026-11-27. Fix it.", "Today is 2026-11-28. Fix it.", True),
        ("It is 2026-11-27T10:00:00Z.", "It is 2026-11-28T23:59:01Z.", True),
        (
            "Run 5973b6c0-94b8-487b-a530-2aeb6098ae0e",
            "Run 0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21",
            True,
        ),
        ("Run `sleep 5` using bash", "Run `sleep 8` using bash", False),
        ("Fix SHOP-12.", "Fix SHOP-13.", False),
        ("Fix issue 12.", "Fix issue 13.", False),
        ("Revert 9f2c1ab.", "Revert 0c4d7ef.", False),
        ("Read /tmp/input-a.json", "Read /tmp/input-b.json", False),
        ("Build /tmp/node18-app", "Build /tmp/node20-app", False),
    ],
)
def test_prompts_of_one_task_are_the_same(one: str, other: str, is_same: bool) -> None:
    found = {
        first_prompt([asking(text)], "auto", Reading(), Settings())
        for text in (one, other)
    }

    assert (len(found) == 1) == is_same


def test_the_directory_of_a_run_does_not_count() -> None:
    found = {
        first_prompt(
            [asking(f"Fix {place}/a.py", place)], "auto", Reading(), Settings()
        )
        for place in ("/home/dev/shop-1", "/home/dev/shop-2")
    }

    assert found == {"Fix a.py"}


def test_nothing_is_the_same_in_raw_prompts() -> None:
    prompt = "Today is 2026-11-27."

    found = first_prompt([asking(prompt)], "auto", Reading(), Settings(raw=True))

    assert found == prompt


_PATHS = st.sampled_from(
    [
        *("a.ndjson", "a.json", "a-1.ndjson", "a-2.ndjson", "b-1.log", "b-2.log"),
        *("1", "2", "x/1", "x/2", "x/red", "x/sun", "y/1", "run-1/a", "run-2/a"),
        *("run-1/b", "run-2/b", "x/a.2.json", "x\n", "x\\n"),
    ]
)
_VERSION = st.dictionaries(_PATHS, st.sampled_from(["p", "q", "r", "", None]))


@given(
    st.lists(_VERSION, min_size=2, max_size=4),
    st.sampled_from(["auto", "path", "prompt"]),
    st.sampled_from([None, True, False]),
    st.randoms(use_true_random=False),
)
def test_each_log_is_in_one_case_whatever_the_order(
    versions: list[dict[str, str | None]],
    pair_by: PairBy,
    repeat: bool | None,
    dice: random.Random,
) -> None:
    shuffled = [dict(dice.sample([*each.items()], len(each))) for each in versions]

    found = grouped(*versions, pair_by=pair_by, repeat=repeat)
    again = grouped(*shuffled, pair_by=pair_by, repeat=repeat)

    assert found == again
    for at, version in enumerate(versions):
        paths = [path for case in found.cases for path in case.sides[at]]
        assert sorted(paths) == sorted(f"v{at}/{path}" for path in version)
    names = [case.name for case in found.cases]
    assert names == sorted({*names})
    assert all(case.paths for case in found.cases)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "a-1", "a-2", "b-1", "b-2", "x/1", "x/2", "x/red"]),
            st.sampled_from(["p", "q", "", None]),
        ),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(["auto", "prompt"]),
    st.sampled_from([None, True]),
)
def test_the_runs_of_a_version_have_one_prompt(
    versions: list[dict[str, str | None]], pair_by: PairBy, repeat: bool | None
) -> None:
    known = {
        f"v{at}/{path}": prompt
        for at, version in enumerate(versions)
        for path, prompt in version.items()
    }

    for case in grouped(*versions, pair_by=pair_by, repeat=repeat).cases:
        for side in case.sides:
            assert len({known[path] for path in side} - {"", None}) <= 1


def suite_of(found: Grouped) -> Suite:
    return Suite(
        names=("v0", "v1", "v2"),
        cases=[
            CaseResult(
                name=case.name,
                sides=tuple(CaseSide(logs=side) for side in case.sides),
                fate="trouble" if case.trouble else "same",
            )
            for case in found.cases
        ],
        settings=Settings(),
        verdict=Verdict(word="cannot tell"),
    )


@each(
    ("versions", "pair_by", "message"),
    [
        (
            ("slug=p", "title=q"),
            "auto",
            "no log of v0 belongs to one of v1: neither path nor prompt is the same;"
            " rename logs, as title to slug",
        ),
        (
            ("slug=p", "title=p"),
            "path",
            "no log of v0 belongs to one of v1: rename logs, as title to slug, or"
            " choose --pair-by prompt",
        ),
        (
            ("slug=p", "slug=q"),
            "prompt",
            "no log of v0 belongs to one of v1: no prompt is the same; choose another"
            " --pair-by",
        ),
        (
            ("slug=p", "slug=p", "title=q"),
            "auto",
            "no log of v2 belongs to one of another folder: neither path nor prompt is"
            " the same; rename logs, as title to slug",
        ),
        (
            ("tax.2=p", "tax=q"),
            "path",
            "no log of v0 belongs to one of v1: rename tax.2 to tax",
        ),
        (
            ("slug=p", {}),
            "auto",
            "v1: no logs found; check the folder, and --glob if it is used",
        ),
    ],
)
def test_folders_that_have_nothing_in_common_stop_the_command(
    versions: tuple[str | Version, ...], pair_by: PairBy, message: str
) -> None:
    found = grouped(*versions, pair_by=pair_by)
    folders = [folder(at, version) for at, version in enumerate(versions)]

    with pytest.raises(InputError) as error:
        check_found(suite_of(found), folders, [], pair_by)

    assert error.value.message == message


def test_files_that_are_no_logs_are_counted_where_no_log_is() -> None:
    found = grouped("slug=p", "notes.md=!")
    [missing, _] = reversed(found.cases)
    folders = [folder(0, "slug=p"), folder(1, "notes.md=!")]

    with pytest.raises(InputError, match="v1: no logs found; 1 other file skipped;"):
        check_found(suite_of(Grouped([missing])), folders, ["v1/notes.md"], "auto")


def test_trouble_says_more_than_that_nothing_was_found() -> None:
    found = grouped("slug=p", {}, failures={1: {"": "cannot read v1"}})

    check_found(suite_of(found), [folder(0, "slug=p"), folder(1, {})], [], "auto")
