"""What `--resume` leaves out, and that nothing else is different for it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from convert.cli import resume
from convert.cli.manifest import NAME
from convert.cli.whole_files import content_of
from support.conversions import GOLDEN_LOGS
from support.golden import RUN
from support.in_process import Done, run
from support.processes import environment
from support.stores import Bucket, files_in
from test_command import filter, many_with_pipes


def runconv(folder: Path, *words: str) -> Done:
    return run([*words, "--resume"], folder, environment())


def without_notice(done: Done) -> Done:
    return done._replace(stderr=re.sub(rb"runconv: notice: .*\n", b"", done.stderr))


def left_out(done: Done) -> int:
    """How many logs a command says that it has left out."""
    said = re.search(rb"notice: ([\d,]+) logs? left out: done and", done.stderr)
    return int(said[1].replace(b",", b"")) if said else 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with golden logs of all kinds, some of which cannot be read."""
    (tmp_path / "logs").mkdir()
    for number, log in enumerate(GOLDEN_LOGS[:40]):
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


@pytest.mark.parametrize(
    "change", [grow, touch, lose, edit, tear, spoil, change_version]
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
    # A process that is killed cannot remove what it had not finished.
    whole = {path: made[path] for path in made if not path.startswith(".runconv-")}
    assert whole == files_in(folder / "whole")


@pytest.mark.parametrize(
    "engine", ["local", pytest.param("dask", marks=pytest.mark.seldom)]
)
def test_a_command_that_was_killed_is_resumed(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    on = ["--engine", engine]
    if engine == "dask":
        on += ["--scheduler", request.getfixturevalue("cluster").address]
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
