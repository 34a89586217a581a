"""`--resume` skips finished logs, and changes nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from convert.scale import NAME, content_of, ranges_of, resume
from convert.scale.tables import parts as groups
from support.conversions import GOLDEN_LOGS
from support.golden import RUN
from support.in_process import Done, run
from support.matrix import part
from support.processes import environment
from support.stores import Bucket, files_in
from support.systems import make_pipe
from test_command import filter, many_with_pipes


def runconv(folder: Path, *words: str) -> Done:
    return run([*words, "--resume"], folder, environment())


def without_notice(done: Done) -> Done:
    stderr = re.sub(rb"runconv: notice: .* done before .*\n", b"", done.stderr)
    return done._replace(stderr=stderr)


def left_out(done: Done) -> int:
    """How many logs a command reports as skipped."""
    said = re.search(rb"notice: ([\d,]+) logs? done before and", done.stderr)
    return int(said[1].replace(b",", b"")) if said else 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with golden logs of all kinds; some of them cannot be read."""
    (tmp_path / "logs").mkdir()
    # The file next to a log is no log.
    logs = [log for log in GOLDEN_LOGS if not log.name.endswith(".meta.json")]
    for number, log in enumerate(logs[:40]):
        shutil.copy(log, tmp_path / f"logs/{number:02}{log.suffix}")
    return tmp_path


CONVERT = ["logs", "-t", "markdown", "-o", "made/", "--exit-status"]


def test_only_logs_that_failed_are_tried_again(folder: Path) -> None:
    first = runconv(folder, *CONVERT)
    pages = (folder / "made").glob("*.md")
    times = {path: path.stat().st_mtime_ns for path in pages}

    again = runconv(folder, *CONVERT)

    assert left_out(again) == len(times) == 37
    assert times == {path: path.stat().st_mtime_ns for path in times}
    assert again.status == first.status == 2
    *messages, counts = without_notice(again).stderr.splitlines()
    assert counts == first.stderr.splitlines()[-1]
    assert set(messages) < set(first.stderr.splitlines())
    assert {line.split(b":")[1] for line in messages} == {
        b" logs/08.json",
        b" logs/23.json",
    }


def manifest(folder: Path) -> list[str]:
    return (folder / "made" / NAME).read_text().splitlines(keepends=True)


def grow(folder: Path) -> None:
    with (folder / "logs/00.ndjson").open("ab") as log:
        log.write(b"\n")


def touch(folder: Path) -> None:
    os.utime(folder / "logs/00.ndjson")


def lose(folder: Path) -> None:
    (folder / "made/00.md").unlink()


def edit(folder: Path) -> None:
    (folder / "made/00.md").write_text("mine\n")


def tear(folder: Path) -> None:
    lines = manifest(folder)
    (folder / "made" / NAME).write_text("".join(lines)[:-9])


def spoil(folder: Path) -> None:
    lines = manifest(folder)
    lines[0] = lines[0].replace('"size"', '"sise"')
    (folder / "made" / NAME).write_text("".join([*lines, "[]\n", "\0\n"]))


def change_version(folder: Path) -> None:
    lines = manifest(folder)
    entry = json.loads(lines[0])
    (folder / "made" / NAME).write_text(
        "".join(lines) + json.dumps(entry | {"asked": ""})
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "change", part([grow, touch, lose, edit, tear, spoil, change_version], 4)
)
def test_what_has_changed_is_done_again(
    change: Callable[[Path], None], folder: Path
) -> None:
    done = runconv(folder, *CONVERT)
    made = runconv(folder, *CONVERT)
    change(folder)

    again = runconv(folder, *CONVERT)

    assert left_out(again) == left_out(made) - 1
    assert again.status == done.status
    assert again.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]
    shutil.copytree(folder / "made", folder / "resumed")
    shutil.rmtree(folder / "made")
    runconv(folder, *CONVERT)
    (folder / "made" / NAME).unlink()
    (folder / "resumed" / NAME).unlink()
    assert files_in(folder / "resumed") == files_in(folder / "made")


def test_other_options_and_other_logs_have_entries_of_their_own(folder: Path) -> None:
    other = ["logs", "-t", "text", "-o", "made/"]
    (folder / "more").mkdir()
    shutil.copy(RUN, folder / "more/more.ndjson")

    runconv(folder, *CONVERT)
    runconv(folder, *other)
    runconv(folder, "more", "-t", "markdown", "-o", "made/", "--exit-status")

    assert left_out(runconv(folder, *CONVERT)) > 30
    assert left_out(runconv(folder, *other)) > 30
    assert left_out(runconv(folder, *CONVERT, "--thinking")) == 0


def test_a_log_whose_url_has_a_signature_is_not_written_down() -> None:
    assert resume.known_state("https://127.0.0.1:9/run.ndjson?signature=f00") is None


def test_a_name_that_is_no_utf8_is_known_again(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff \xe2\x98\x83.ndjson")
    (tmp_path / "logs").mkdir()
    shutil.copy(RUN, tmp_path / "logs" / name)

    runconv(tmp_path, *CONVERT)

    assert left_out(runconv(tmp_path, *CONVERT)) == 1


def killed_in_the_middle(
    folder: Path, output: str, *words: str, **variables: str
) -> list[str]:
    """Kill a command that waits for a log and has noted another; return its words."""
    logs = many_with_pipes(folder, 30)[:60]
    words = (*logs, "-t", "markdown", "-o", output, *words, "--resume")
    pipe = folder / "30.ndjson"
    with filter(*words, **variables) as process, pipe.open("wb"):
        while not content_of(f"{output}{NAME}"):
            pass
        process.kill()
        process.wait()
    pipe.unlink()
    shutil.copy(RUN, pipe)
    return [*words]


def compare(resumed: Done, made: dict[str, bytes], folder: Path) -> None:
    """Hold a command that was resumed against one on this machine that was not."""
    logs = [f"{folder}/{number}.ndjson" for number in range(60)]
    done = run([*logs, "-t", "markdown", "-o", "whole/"], folder, environment())
    assert 0 < left_out(resumed) < 60
    assert without_notice(resumed) == done
    assert without_hidden(made) == files_in(folder / "whole")


@pytest.fixture(params=["local", pytest.param("dask", marks=pytest.mark.seldom)])
def on(request: pytest.FixtureRequest) -> list[str]:
    """The words that choose an engine."""
    words = ["--engine", request.param]
    if request.param == "dask":
        words += ["--scheduler", request.getfixturevalue("cluster").address]
    return words


def test_a_command_that_was_killed_is_resumed(on: list[str], tmp_path: Path) -> None:
    words = killed_in_the_middle(tmp_path, f"{tmp_path}/made/", *on)

    resumed = run(words, tmp_path, environment())

    compare(resumed, files_in(tmp_path / "made"), tmp_path)


@pytest.mark.seldom
def test_a_command_into_a_bucket_that_was_killed_is_resumed(
    bucket: Bucket, tmp_path: Path
) -> None:
    variables = bucket.environment
    words = killed_in_the_middle(tmp_path, f"{bucket.url}/made/", **variables)

    resumed = run(words, tmp_path, environment(**variables))

    compare(resumed, bucket.objects("made/"), tmp_path)


TABLE = ["table", "calls", "logs", "-o", "made/", "--format", "ndjson"]


@pytest.fixture
def groups_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a group hold five logs, as many as 500 of those that people have."""

    def small(sizes: Iterable[int]) -> Iterator[range]:
        return ranges_of(sizes, most=5)

    monkeypatch.setattr(groups, "ranges_of", small)


def runs_of(folder: Path) -> list[str]:
    """The runs in the rows of a table, in some order."""
    parts = (folder / "made").rglob("part-*")
    lines = [line for part in parts for line in part.read_text().splitlines()]
    return sorted(lines)


def parts_of(folder: Path) -> dict[str, bytes]:
    return without_hidden(files_in(folder / "made"))


def without_hidden(made: dict[str, bytes]) -> dict[str, bytes]:
    """Drop the manifest, and the files that a killed process has not finished."""
    return {path: made[path] for path in made if not path.startswith(".runconv-")}


@pytest.mark.usefixtures("groups_of_five")
def test_a_table_is_that_of_a_command_without_resume(folder: Path) -> None:
    done = run(TABLE, folder, environment())
    made = parts_of(folder)
    shutil.rmtree(folder / "made")

    assert runconv(folder, *TABLE) == done
    assert parts_of(folder) == made
    again = runconv(folder, *TABLE)
    assert left_out(again) > 20
    # Failures are reported again, and the sums are those of all logs.
    assert without_notice(again).status == done.status
    assert set(again.stderr.splitlines()[1:]) <= set(done.stderr.splitlines())
    assert again.stderr.splitlines()[-3:] == done.stderr.splitlines()[-3:]
    assert parts_of(folder) == made


def drop(folder: Path) -> None:
    next((folder / "made").rglob("part-*")).unlink()


def add(folder: Path) -> None:
    for number in range(7):
        shutil.copy(RUN, folder / f"logs/0{number}-more.ndjson")


def shrink(folder: Path) -> None:
    """Take away the day of a log, so that its rows belong into another folder."""
    for log in (folder / "logs").glob("*.ndjson"):
        if b"timestamp_ms" in (content := log.read_bytes()):
            log.write_bytes(content.replace(b"timestamp_ms", b"timestamp_no"))


def unplan(folder: Path) -> None:
    """Leave the manifest of a command that was killed in its last group."""
    lines = manifest(folder)
    (folder / "made" / NAME).write_text("".join(lines[:-1]))


@pytest.mark.usefixtures("groups_of_five")
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "change", part([grow, touch, drop, add, shrink, unplan, tear], 3)
)
def test_a_table_has_the_rows_of_all_logs_once(
    change: Callable[[Path], None], folder: Path
) -> None:
    (folder / "logs/08.json").unlink()
    (folder / "logs/23.json").unlink()
    runconv(folder, *TABLE)
    all_of_them = left_out(runconv(folder, *TABLE))
    change(folder)

    again = runconv(folder, *TABLE)

    resumed = runs_of(folder)
    assert left_out(again) < all_of_them or change is add
    assert left_out(again) > 0
    assert left_out(runconv(folder, *TABLE)) == all_of_them + 7 * (change is add)
    shutil.rmtree(folder / "made")
    done = run(TABLE, folder, environment())
    assert resumed == runs_of(folder)
    assert without_notice(again) == done


@pytest.mark.usefixtures("groups_of_five")
def test_rows_of_logs_that_are_not_named_stay(folder: Path) -> None:
    runconv(folder, *TABLE)
    rows = runs_of(folder)
    some = ["table", "calls", "logs/05.ndjson", "-o", "made/", "--format", "ndjson"]

    assert runconv(folder, *some).status == 0
    assert runs_of(folder) == rows
    os.utime(folder / "logs/05.ndjson")
    refused = runconv(folder, *some)

    assert refused.status == 2
    assert b"which is not named now, in a part that has to be made again" in (
        refused.stderr
    )
    assert runs_of(folder) == rows


def table_killed_in_the_middle(
    folder: Path, output: str, *words: str, **variables: str
) -> list[str]:
    """Kill a command that waits in the second group of logs; return its words."""
    (folder / "logs").mkdir()
    for number in range(600):
        (folder / f"logs/{number:03}.txt").write_text(
            f"Read {number}.py\nEdited file\n"
        )
    pipe = folder / "logs/550.txt"
    content = pipe.read_bytes()
    pipe.unlink()
    make_pipe(pipe)
    (folder / "list").write_text("".join(f"logs/{n:03}.txt\n" for n in range(600)))
    words = ("table", "calls", "--files-from", "list", "-o", output, *words)
    made = ("--format", "ndjson", "--resume")
    with filter(*words, *made, folder=folder, **variables) as process, pipe.open("wb"):
        while (content_of(f"{output}{NAME}") or b"").count(b"\n") < 3:
            pass
        process.kill()
        process.wait()
    pipe.unlink()
    pipe.write_bytes(content)
    return [*words, *made]


@pytest.mark.seldom
def test_a_table_that_was_killed_is_resumed(on: list[str], tmp_path: Path) -> None:
    words = table_killed_in_the_middle(tmp_path, f"{tmp_path}/made/", *on)

    resumed = run(words, tmp_path, environment())

    compare_tables(resumed, parts_of(tmp_path), words, tmp_path)


@pytest.mark.seldom
def test_a_table_in_a_bucket_that_was_killed_is_resumed(
    bucket: Bucket, tmp_path: Path
) -> None:
    variables = bucket.environment
    words = table_killed_in_the_middle(tmp_path, f"{bucket.url}/made/", **variables)
    bucket.put({"made/date=2026-01-01/part-00001.ndjson": b"of a killed command\n"})

    resumed = run(words, tmp_path, environment(**variables))

    made = without_hidden(bucket.objects("made/"))
    compare_tables(resumed, made, words, tmp_path)


def compare_tables(
    resumed: Done, made: dict[str, bytes], words: list[str], folder: Path
) -> None:
    """Hold a table that was resumed against one on this machine that was not."""
    plain = [*words[:4], "-o", "whole/", "--format", "ndjson"]
    done = run(plain, folder, environment())
    assert left_out(resumed) == 500
    assert without_notice(resumed) == done
    assert made == files_in(folder / "whole")


@pytest.mark.seldom
def test_a_command_that_is_stopped_notes_all_that_is_done(
    bucket: Bucket, tmp_path: Path
) -> None:
    variables = bucket.environment
    logs = many_with_pipes(tmp_path, 10)[:20]
    words = [*logs, "-t", "markdown", "-o", f"{bucket.url}/made/", "--resume"]
    pipe = tmp_path / "10.ndjson"

    with filter(*words, **variables) as process, pipe.open("wb"):
        process.terminate()
        process.wait()
    pipe.unlink()
    shutil.copy(RUN, pipe)

    assert left_out(run(words, tmp_path, environment(**variables))) == 10
