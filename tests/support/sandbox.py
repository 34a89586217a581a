"""Run the command among files with hostile names, and check the files it writes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_NAMES = [
    *(b"-rf", b"--output=x", b" ", b"a b.ndjson", b"a\nb.json", b"\x1b[2J.log", b"..."),
    *(b"..ndjson", b"...ndjson.gz", b".ndjson", b"\xff\xfe.txt", b"~", b"$(id)", b"*"),
    *(b"x" * 250, b"x" * 255, b"con.txt", b"-", b"a.ndjson", b"..\\up.json"),
]
_FOLDERS = [b"", b"./", b"../logs/", b"../logs/../logs/", b"deep/", b"deep/../"]
_TARGETS = ["text", "answer", "json", "stream-json", "markdown", "patch"]


def broken(folder: Path, logs: list[bytes], dice: random.Random) -> str | None:
    """Convert logs with hostile names into a folder; describe any failure."""
    into = _furnish(folder)
    names = [_place(folder, log, dice) for log in logs]
    before = _snapshot(folder, into)
    command = [sys.executable, "-m", "convert", "-t", dice.choice(_TARGETS)]
    done = subprocess.run(
        [*command, "-o", "../out/", "--", *names],
        cwd=folder / "logs",
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    if _snapshot(folder, into) != before:
        return "a file outside of the folder was made or changed"
    if any(path.name[:9] == ".runconv-" for path in into.rglob("*")):
        return "an unfinished file stays"
    if done.returncode not in (0, 1, 2) or b"Traceback" in done.stderr:
        return f"status {done.returncode}: {done.stderr.decode(errors='replace')}"
    return None


def _furnish(folder: Path) -> Path:
    """Make the folders, with links that point out of the output folder."""
    for name in ("logs/deep", "out", "private"):
        (folder / name).mkdir(parents=True)
    (folder / "private" / "key").write_text("secret\n")
    for suffix in (".txt", ".json", ".ndjson", ".md"):
        (folder / "out" / f"a{suffix}").symlink_to(folder / "private" / "key")
        (folder / "out" / f"...{suffix}").symlink_to(folder / "private" / "new")
    return folder / "out"


def _place(folder: Path, log: bytes, dice: random.Random) -> bytes:
    """Write a log under some name and return its path, occasionally a wrong one.

    Relative paths start in the folder of the logs.
    """
    if dice.random() < 0.1:
        return dice.choice([b"..", b"../out", b"../private/..", b"", b"nowhere"])
    name = dice.choice(_FOLDERS) + dice.choice(_NAMES)
    path = os.path.join(bytes(folder), b"logs", name)
    Path(os.fsdecode(path)).write_bytes(log)
    return path if dice.random() < 0.2 else name


def _snapshot(folder: Path, but: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return the files of a folder with times and contents, without one subfolder."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        if path != but and but not in path.parents:
            about = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (about.st_mode, about.st_mtime_ns, content)
    return found
