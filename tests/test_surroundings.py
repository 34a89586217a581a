"""Nothing around the program changes its output, and it asks nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from convert.formats import writers
from support import matrix
from support.conversions import few
from support.golden import GOLDEN, RUN, logs
from support.matrix import part

# Prints the names of all events of sockets, and of others that reach another machine.
WATCHED = """
import sys
def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        sys.stderr.write(f"\\n{event}")
sys.addaudithook(watch)
"""
MAIN = "from convert.__main__ import main; sys.exit(main())"
# Converts to each format, into a folder.
EACH_TARGET = """
from convert.cli import run
from convert.formats import writers
_, folder, *arguments = sys.argv
for target in writers():
    assert run([*arguments, "-t", target, "-o", folder + target]) == 0
"""
# One digest for each conversion of a log, with the options that show most.
DIGESTS = """
import hashlib, sys
import convert
from convert.formats import writers

for number, log in enumerate(sys.argv[2:]):
    for target in [*writers()][number % int(sys.argv[1]) :: int(sys.argv[1])]:
        warnings = []
        try:
            pieces = convert.convert(
                log,
                target,
                warn=lambda *warning: warnings.append(warning),
                detail=True,
                answer=True,
                thinking=True,
                front_matter=True,
                partial=True,
            )
            made = b"".join(pieces)
        except convert.InputError as error:
            made = str(error).encode()
        digest = hashlib.sha256(made + repr(warnings).encode())
        print(log, target, digest.hexdigest())
"""


def watched(code: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", WATCHED + code, *arguments],
        capture_output=True,
        check=False,
    )


def test_a_socket_is_seen() -> None:
    done = watched("import socket; socket.socketpair()")

    assert b"socket.__new__" in done.stderr


def test_no_conversion_opens_a_socket(tmp_path: Path) -> None:
    options = ["--quiet", "--redact", "--detail", "--thinking", "--front-matter"]

    done = watched(EACH_TARGET, f"{tmp_path}/", str(RUN), *options)

    assert done.stderr == b""
    assert done.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {*writers()}
    assert all(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.seldom
def test_a_comparison_opens_no_socket() -> None:
    folder = GOLDEN / "diff-inside-a-changed-call"
    a, b = (str(folder / name) for name in ("a.ndjson", "b.ndjson"))

    done = watched(MAIN, "diff", a, b, "--verbose", "--answer-cmd", "true {a} {b}")

    assert done.stderr == b""
    assert done.stdout


@pytest.mark.seldom
def test_the_same_log_makes_the_same_bytes_everywhere() -> None:
    paths = [*map(str, part(few(logs(".ndjson", ".json", ".log", ".txt")), 3))]
    # Each log goes to one of so many formats, and each format gets a log.
    of = 4 if matrix.is_exhaustive else len(writers())
    made = set()

    for seed, language, zone in [
        ("1", "C", "UTC"),
        ("4", "tr_TR.UTF-8", "Asia/Kathmandu"),
    ]:
        around = {"PYTHONHASHSEED": seed, "LC_ALL": language, "TZ": zone}
        done = subprocess.run(
            [sys.executable, "-c", DIGESTS, f"{of}", *paths],
            env={"PATH": os.environ["PATH"], **around},
            stdout=subprocess.PIPE,
            check=True,
        )
        made.add(done.stdout)

    [digests] = made
    assert len(digests.splitlines()) >= len(paths) * (len(writers()) // of)
