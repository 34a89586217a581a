"""The figures on the pages that follow from the code, and from no block there."""

from __future__ import annotations

import functools
import re
import tomllib

from convert.agents import messages
from convert.agents.claude import stream_reader
from convert.agents.lines import SeenLines
from convert.cli import listed_runs, live_area, progress
from convert.cli import reports as step_summary
from convert.cursor import runs
from convert.diff import answer_command, noise_values
from convert.diff.calls import outputs
from convert.diff.reports import table
from convert.pages import entries, long_timeline, run_summary
from convert.redact import redactor
from convert.runner import command as run_command
from convert.scale import resume
from convert.scale.engines import dask, jobs, local
from convert.scale.stats import page as stats_page
from convert.scale.storage import objects
from convert.show import follow
from convert.source import compressed, sessions
from convert.tools.shell import syntax
from convert.transcript import room_of_parts
from convert.wording import paths
from support.matrix import each
from test_docs import ROOT

_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_WORDS += ["ten"]
_LINES_BACK = 2 * SeenLines()._ids._most

# Sentences of a page, with the figures of the code.
FIGURES = [
    ("agents", f"up to {_LINES_BACK:,} lines back"),
    ("ci", f"a line every {run_command._HEARTBEAT} s"),
    ("ci", f"the {step_summary._MOST_BYTES >> 20} MiB that GitHub allows"),
    ("command-line", f"From {local._FEW} logs or {local._SMALL // 10**6} MB on"),
    ("command-line", f"every {_WORDS[int(progress._EACH_LINE)]} seconds instead"),
    ("command-line", f"longer than {sessions.LONGEST_NAME} characters"),
    ("command-line", f"logs of up to {listed_runs._SMALL >> 10} kB, and from the new"),
    (
        "command-line",
        f"logs of up to {listed_runs._LONGEST >> 20} MB until "
        f"{listed_runs._WHOLE >> 20} MB have been read",
    ),
    ("command-line", f"shows its last {entries._LAST_LINES} lines of output"),
    ("command-line", f"{_WORDS[round(1 / live_area.POLL)]} times a second"),
    ("command-line", f"nothing is added for {live_area.PATIENCE:.0f} seconds"),
    ("command-line", f"After {follow._LONG_SILENCE} minutes without a new line"),
    ("command-line", f"a retry is {run_command._FIRST_WAIT} second and doubles"),
    ("command-line", f"a line every {run_command._HEARTBEAT} seconds says"),
    (
        "damaged-logs",
        f"more than {runs.MOST_OPEN:,} runs that are open at once, or "
        f"{stream_reader._MOST_OPEN:,} of Claude Code",
    ),
    ("damaged-logs", f"more than {compressed._MOST_MEMORY >> 20} MB of memory"),
    ("diff", f"the first {answer_command._KEPT:,} bytes of its output"),
    ("diff", f"more than {_WORDS[answer_command._LONGEST // 60]} minutes, ends"),
    ("diff", f"more than {noise_values.LONGEST:,} characters are not searched"),
    ("diff", f"longer than {outputs._LONGEST:,} characters is searched only"),
    ("diff", f"is longer than {syntax.MOST_BYTES >> 10} kB, or runs a program"),
    (
        "diff",
        f"{table._MOST_FINDINGS} findings, {table._MOST_ROWS} rows of calls and up to "
        f"{table._MOST_LINES} lines of details",
    ),
    (
        "formats",
        f"up to {room_of_parts._MOST_LINES} lines and "
        f"{room_of_parts._MOST_BYTES // 1000} kB of each output",
    ),
    (
        "formats",
        f"at most {run_summary.MOST_BYTES:,} bytes and {run_summary.MOST_LINES} lines",
    ),
    ("formats", f"From {long_timeline.MOST_BARS + 1} calls on, columns show"),
    ("formats", f"An id has at most {messages._LONGEST_ID} characters"),
    (
        "scale",
        f"a group of at most {jobs.MOST} logs and {jobs.LARGEST // 10**6} MB",
    ),
    ("scale", f"is replaced every {_WORDS[int(resume._SECONDS)]} seconds"),
    ("scale", f"does not answer within {dask._PATIENCE} s"),
    ("scale", f"for a worker for {dask._LONGEST_WITHOUT_WORKERS // 60} minutes"),
    (
        "secrets",
        f"of {redactor._SHORTEST_WITH_FORMS} to {redactor._LONGEST_WITH_FORMS} char",
    ),
    (
        "secrets",
        f"At most {redactor._MOST:,} secrets of a log are remembered, of up to "
        f"{redactor._LONGEST:,} characters each",
    ),
    ("stats", f"From {local._FEW} logs or {local._SMALL // 10**6} MB on"),
    ("stats", f"above {stats_page._MOST_DOTS} runs, bars replace the dots"),
    ("storage", f"of up to {objects._SMALL >> 20} MB is one request"),
    ("storage", f"in blocks of {objects._FETCHED >> 20} MB, the next block"),
    ("storage", f"uploaded in parts of {objects._PART >> 20} MB"),
    ("tables", f"{paths._LONGEST_NAME} bytes or longer, more than most disks"),
    ("tables", f"A group is {jobs.MOST} logs or {jobs.LARGEST // 10**6} MB"),
]


@functools.cache
def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


@each(("name", "words"), FIGURES)
def test_a_limit_is_that_of_the_code(name: str, words: str) -> None:
    assert words in page(name)


def test_an_installation_brings_the_libraries_that_are_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.split("[><=]", library)[0] for library in project["dependencies"]}

    text = page("faq").split("\n## What does an installation bring?\n")[1]
    rows = re.findall(r"^\| (`.*?) \|", text.split("\n## ")[0], re.MULTILINE)

    assert {*re.findall(r"`([\w-]+)`", " ".join(rows))} == needed
    assert f"\n{_WORDS[len(needed)].capitalize()} libraries and" in text
