"""Laws of the judgement of a comparison: made values, edits, batches, places."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

import convert
from support.comparisons import assert_mirrored, compare, compared_or_none, counts
from support.conversions import few
from support.golden import identify, logs
from support.matrix import matrix, part, reject
from support.moved import PLACES, move
from support.run_made import (
    Errand,
    errands,
    making,
    names,
    tell_calls,
    tell_errand,
    using,
)
from support.runs import Batch, Made, Noise, batches, one_by_one, tell, trajectories

LOGS = logs(".ndjson", ".jsonl", ".json")
PAIRS = logs(".ndjson", ".jsonl", of_pairs=True)
# Logs whose moved copy is another run, and why.
NOT_ON_WINDOWS = {
    "diff-pair-date-and-directory-that-a-run-asked-for/": "`pwd -P` is of Linux",
    "commands-without-the-directory-they-enter/": "a quote is behind a slash",
    "diff-noise-in-values/b.ndjson": "a slash is doubled in an output",
    "diff-pair-directory-with-a-blank-in-commands/": "a backslash parts names there",
}
NOT_WITH_A_BLANK = {
    "claude-stream-of-a-long-run-on-windows/": "`git -C` has no quotes there",
}
ON_WINDOWS_ALONE = {
    "diff-commands-behind-a-change-of-directory/windows.ndjson": "`cd /d` is there",
    "diff-pair-windows-slashes-and-drives/": "there is another folder on the drive",
    "one-file-spelled-in-many-ways-on-windows/": "a path is spelled in many ways",
    "paths-inside-and-outside-the-directory/windows.ndjson": "there is another drive",
    "transcript-paths/windows.ndjson": "there is another drive",
}

EVERYWHERE = {
    "diff-pair-removes-a-folder-that-it-made/another.ndjson": "no output shows it",
    "table-again-into-its-folder/": "a path is spelled in two ways",
    "table-of-files-on-windows/windows.ndjson": "a path is spelled in two ways",
}

# Directories, one inside another or with its beginning, and paths near them.
DIRECTORIES = (
    *("", "/w", "/w/app", "/w/app2", "/root", "/root/app", "/home/ci", "/home/ci/app"),
    *("/private/tmp/x", "/Users/kim/My App", "C:\\Users\\kim\\app", "c:/Users/eve"),
)
NEAR = st.sampled_from(["", "/", "/a.py", "2", "/../.npmrc", "/.npmrc", "/app/b.py"])
OTHERS = (
    *("~/.npmrc", "src/a.py", "./a.py", "src\\a.py", "d:/ci/x", "/var/folders/q/z/T/x"),
    *("/tmp/x/a", "/tmp/tmp.aB3dE6fGhI", "localhost:8080", "2026-11-02T10:00:00Z"),
    *("0f8fad5b-d9cb-469f-a165-70867728950e", "a1b2c3d", "$HOME/.npmrc"),
)
paths = st.builds("{}{}".format, st.sampled_from(DIRECTORIES), NEAR)
tokens = st.one_of(paths, st.sampled_from(OTHERS))
written = st.builds(
    lambda form, one, other: form.format(one, other),
    st.sampled_from(
        ["cp {} {}", "cd {} && cat '{}'", "PATH={}:{} x", "[x]({}) {}.", "{}"]
    ),
    tokens,
    tokens,
)


@st.composite
def runs_with_paths(draw: st.DrawFn) -> tuple[list[Made], str]:
    """Calls whose arguments, outputs and contents have paths, and an answer."""
    calls = []
    for _ in range(draw(st.integers(1, 4))):
        tool, path, text = draw(st.sampled_from(TOOLS)), draw(paths), draw(written)
        success: dict[str, Any] = {"stdout": f"one\n{text}\n", "found": {path: text}}
        if tool == "edit":
            path = f"{path}/c.py"
            success = {
                "path": path,
                "beforeFullFileContent": "a\n",
                "afterFullFileContent": f"b\n{text}\n",
            }
        about = path.removeprefix("/") if tool in ("edit", "read") else draw(written)
        calls.append(Made(tool, about, success=success))
    return calls, draw(written)


TOOLS = ("shell", "read", "edit", "mint")


def tell_as_written(calls: list[Made], answer: str, directory: str) -> bytes:
    """Write a log in a directory, which only its first line shows."""
    log = tell(one_by_one(calls), Noise(directory=""), answer)
    return log.replace(b'"cwd": ""', f'"cwd": {json.dumps(directory)}'.encode())


@given(runs_with_paths(), st.sampled_from(DIRECTORIES), st.sampled_from(DIRECTORIES))
def test_texts_that_are_equal_as_written_are_equal(
    run: tuple[list[Made], str], one: str, other: str
) -> None:
    a, b = (tell_as_written(*run, directory) for directory in (one, other))

    compared = compare(a, b, outputs=True, fail_on="info")

    assert [finding.category for finding in compared.findings] == []


@given(
    paths,
    st.sampled_from(DIRECTORIES[1:8]),
    st.sampled_from(DIRECTORIES[1:8]),
)
def test_a_path_as_written_may_be_next_to_one_in_the_own_directory(
    path: str, one: str, other: str
) -> None:
    # A path that is the own directory may be either.
    assume(path.rstrip("/") not in (one, other))
    a, b = (
        tell_as_written(
            [
                Made(
                    "shell",
                    f"cp {path} {own}/to",
                    success={"stdout": f"{path} {own}\n"},
                ),
                Made("read", f"{own}/to".removeprefix("/")),
            ],
            f"Copied {path} to {own}/to.",
            own,
        )
        for own in (one, other)
    )

    compared = compare(a, b, outputs=True, fail_on="info")

    assert [finding.category for finding in compared.findings] == []


lines = st.lists(st.sampled_from(["a", "b", "c", "", "def f():"]), max_size=6)
texts = lines.map(lambda parts: "".join(f"{part}\n" for part in parts))


@given(errands(), st.integers(1, 99), st.integers(100, 199))
def test_values_that_a_run_makes_may_have_any_names(
    errand: Errand, one: int, other: int
) -> None:
    a, b = (
        tell_errand(errand, names(errand, seed), names(errand, seed), seed)
        for seed in (one, other)
    )

    compared = compare(a, b)

    # In an output, a short hash may as well be a word or a number.
    allowed = {"output"} if "short hash" in errand.shapes else set()
    assert {finding.category for finding in compared.findings} <= allowed
    assert not compared.is_different
    assert compared.counts.same == compared.counts.a == compared.counts.b


@given(errands(), st.integers(1, 99), st.integers(100, 199), st.data())
def test_two_values_that_change_places_in_the_arguments_are_a_difference(
    errand: Errand, one: int, other: int, data: st.DataObject
) -> None:
    pairs = [
        pair
        for pair in itertools.combinations(range(len(errand.shapes)), 2)
        if any(use.value in pair for use in errand.uses)
    ]
    assume(pairs)
    first, second = data.draw(st.sampled_from(pairs))
    shown = names(errand, other)
    used = shown.copy()
    used[first], used[second] = shown[second], shown[first]

    a = tell_errand(errand, names(errand, one), names(errand, one), one)
    b = tell_errand(errand, shown, used, other)

    assert compare(a, b).is_different
    assert_mirrored(compare(a, b), compare(b, a))


@given(errands(), st.integers(1, 99), st.integers(100, 199))
def test_a_value_that_no_output_shows_is_a_difference(
    errand: Errand, one: int, other: int
) -> None:
    assume(errand.uses)
    foreign = names(errand, 1000)
    assume(not {*foreign} & {*names(errand, one), *names(errand, other)})

    a = tell_errand(errand, names(errand, one), names(errand, one), one)
    b = tell_errand(errand, names(errand, other), foreign, other)

    assert compare(a, b).is_different
    assert_mirrored(compare(a, b), compare(b, a))


@given(errands(), st.integers(1, 99), st.integers(100, 199))
def test_a_value_that_an_output_shows_too_late_is_a_difference(
    errand: Errand, one: int, other: int
) -> None:
    assume(errand.uses)
    logs = []

    for seed in (one, other):
        shown = names(errand, seed)
        calls = [*using(errand, shown), *making(shown)]
        logs.append(tell_calls(errand, calls, shown, seed))

    assert compare(*logs).is_different
    assert_mirrored(compare(*logs), compare(*reversed(logs)))


@given(errands(), errands(), st.integers(0, 3), st.integers(0, 3))
def test_runs_that_make_values_differ_alike_in_either_direction(
    one: Errand, other: Errand, first: int, second: int
) -> None:
    """With one seed, both runs show the same values in part."""
    a = tell_errand(one, names(one, first), names(one, first), 1)
    b = tell_errand(other, names(other, second), names(other, second), 2)

    assert_mirrored(compare(a, b), compare(b, a))


@given(st.lists(texts, min_size=2, max_size=5), st.data())
def test_the_net_change_does_not_depend_on_the_steps(
    contents: list[str], data: st.DataObject
) -> None:
    begin, *_, end = contents
    between = data.draw(st.lists(texts, max_size=3))
    other = data.draw(texts)
    arrived = {"judge": ("files",)}

    a, b = tell(edits(contents)), tell(edits([begin, *between, end]))
    c = tell(edits([begin, *between, other]))

    assert not compare(a, b, **arrived).is_different
    assert compare(a, c, **arrived).is_different == (other != end)


def edits(contents: list[str]) -> list[Batch]:
    """Make a file have these contents, one after the other."""
    return one_by_one(
        [
            Made(
                "edit",
                "src/price.py",
                success={
                    "path": "/home/dev/shop/src/price.py",
                    "beforeFullFileContent": before,
                    "afterFullFileContent": after,
                },
            )
            for before, after in itertools.pairwise(contents)
        ]
    )


@given(
    trajectories, batches(), trajectories, st.integers(0, 2), st.booleans(), st.data()
)
def test_a_batch_with_a_retry_has_the_verdict_of_the_sequence(
    before: list[Batch],
    batch: Batch,
    after: list[Batch],
    place: int,
    is_inside: bool,
    data: st.DataObject,
) -> None:
    calls = list(batch.calls)
    again = calls[place % len(calls)]._replace(ending="ok")
    calls[place % len(calls)] = again
    failed = again._replace(ending="error")
    others = [call for call in calls if call is not again]
    together = data.draw(st.permutations([*others, failed]))
    if is_inside:
        at = data.draw(st.integers(0, len(together)))
        retried = [Batch.of(*together[:at], again, *together[at:])]
    else:
        retried = [Batch.of(*together), Batch.of(again)]
    in_sequence = one_by_one([*others, failed, again])

    at_once = compare(
        tell([*before, Batch.of(*calls), *after]), tell([*before, *retried, *after])
    )
    sequence = compare(
        tell([*before, *one_by_one([*others, again]), *after]),
        tell([*before, *in_sequence, *after]),
    )

    assert counts(at_once) == counts(sequence)
    assert at_once.severity == sequence.severity
    assert judged(at_once) == judged(sequence)


def trajectory(log: bytes) -> bytes:
    return b"".join(convert.convert([log], "trajectory", partial=True))


def judged(compared: Any) -> list[str]:
    """The categories that may decide, without those of calls made at once.

    A check at the same time as a change comes neither before it nor after it.
    """
    found = {finding.category for finding in compared.findings}
    return sorted(found - {"parallelism", "verification"})


@matrix(path=part([*few(LOGS), *part(PAIRS, 12, 2)], 10), place=PLACES)
def test_a_log_is_the_same_when_it_is_moved(path: Path, place: str) -> None:
    is_windows = place.startswith("windows")
    exceptions = EVERYWHERE | (NOT_ON_WINDOWS if is_windows else ON_WINDOWS_ALONE)
    if place.endswith("blank"):
        exceptions |= NOT_WITH_A_BLANK
    log = path.read_bytes()
    moved = move(log, place, seed=1)
    if moved is None or compared_or_none(path, path) is None:
        reject()
    if identify(path).startswith(tuple(exceptions)):
        reject()

    there, back = compare(log, moved), compare(moved, log)

    assert moved != log
    assert (there.severity, back.severity) == ("none", "none")
    assert there.counts.same == there.counts.a == there.counts.b
    assert trajectory(moved) == trajectory(log)
