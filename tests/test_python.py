"""The Python interface: its names, its arguments, and its results."""

from __future__ import annotations

import io
import json
import pickle
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import convert
from convert.cli import DiffOptions
from convert.diff import reports
from convert.suites import reports as suite_reports
from support import in_process
from support.golden import GOLDEN, RUN
from support.matrix import each, part, reject
from support.processes import environment

OTHER = GOLDEN / "diff-more-rounds-of-tests" / "more-rounds.ndjson"
BASELINE = GOLDEN / "diff-more-rounds-of-tests" / "a.ndjson"
LINES = b"Ran terminal command (exit 1)\nRead file\nEdited file\n"

NAMES = {
    "Comparison",
    "Event",
    "InputError",
    "NoResultError",
    "Options",
    "Reading",
    "Run",
    "RunconvError",
    "Settings",
    "ToolCall",
    "UsageError",
    "compare",
    "convert",
    "read",
    "read_runs",
    "report",
}
FUNCTIONS = ("compare", "convert", "read", "read_runs", "report")


def test_the_public_names() -> None:
    given: dict[str, Any] = {}
    exec("from convert import *", given)

    assert given.keys() - {"__builtins__"} == NAMES == {*convert.__all__}
    assert {*dir(convert)} >= NAMES
    assert all(name in NAMES for name in dir(convert) if name[0] != "_")
    for name in NAMES:
        assert getattr(convert, name).__doc__, name


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'convert' has no attribute 'x'"):
        convert.x  # noqa: B018


def test_the_builtin_help_shows_the_functions_and_options() -> None:
    text = pydoc.plain(pydoc.render_doc(convert))

    for name in FUNCTIONS:
        assert re.search(rf"^    {name}\(.*?\) -> ", text, re.M | re.S), name
    for machinery in ("TYPE_CHECKING", "_MODULES", "Warn =", " ignore("):
        assert machinery not in text
    for name, row in convert.Settings.options().items():
        assert name in text
        assert row.description.split(" ")[0] in text


def test_importing_it_imports_nothing_else() -> None:
    code = "import sys, convert; print(*[m for m in sys.modules if 'convert' in m])"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    ).stdout.split()

    own = {"convert", "convert.errors", "convert.registry", "convert.version"}
    assert {*loaded} == own


class AsPath:
    """An object that os.fspath accepts."""

    def __fspath__(self) -> str:
        return str(RUN)


@pytest.mark.parametrize(
    "log",
    [
        lambda: str(RUN),
        lambda: RUN,
        lambda: AsPath(),
        lambda: RUN.open("rb"),
        lambda: RUN.open("rb", buffering=0),
        lambda: io.BytesIO(RUN.read_bytes()),
        lambda: RUN.read_bytes(),
        lambda: bytearray(RUN.read_bytes()),
        lambda: memoryview(RUN.read_bytes()),
        lambda: [RUN.read_bytes()],
        lambda: (bytes([byte]) for byte in RUN.read_bytes()),
    ],
    ids=[
        "str",
        "Path",
        "PathLike",
        "file",
        "raw file",
        "BytesIO",
        "bytes",
        "bytearray",
        "memoryview",
        "list",
        "generator",
    ],
)
def test_what_a_log_may_be(log: Callable[[], Any]) -> None:
    opened = log()

    assert b"".join(convert.convert(opened)) == LINES

    if isinstance(opened, io.IOBase):
        opened.close()


def test_a_path_is_accepted_everywhere() -> None:
    (run,) = convert.read_runs(RUN)
    events = list(convert.read(str(RUN)))
    compared = convert.compare(BASELINE, str(OTHER))

    assert run.state == "success"
    assert len(events) > len(run.calls)
    assert compared.is_different


@pytest.mark.parametrize("log", [io.StringIO("{}"), ["{}"]])
def test_text_is_refused(log: Any) -> None:
    message = (
        "a log consists of bytes, not str;"
        " open a file in binary mode, as in open(path, 'rb')"
    )

    with pytest.raises(TypeError) as error:
        list(convert.convert(log))

    assert str(error.value) == message


def test_a_file_in_text_mode_is_refused() -> None:
    with RUN.open() as log, pytest.raises(TypeError, match="in binary mode"):
        list(convert.read(log))  # type: ignore[arg-type]


@pytest.mark.parametrize("log", [None, 7])
def test_what_is_no_log_at_all_is_refused(log: Any) -> None:
    with pytest.raises(TypeError, match="a log is a path, an open binary file or"):
        convert.read(log)


def test_a_target_that_is_no_name_is_a_wrong_type() -> None:
    for target in (None, 1, b"text", ["text"]):
        with pytest.raises(TypeError, match="to is the name of a format, not"):
            convert.convert(RUN, to=target)  # type: ignore[arg-type]


def test_a_path_without_a_file_names_the_path(tmp_path: Path) -> None:
    path = tmp_path / "gone.ndjson"

    with pytest.raises(convert.InputError) as error:
        convert.read(path)

    assert str(error.value) == (
        f"cannot read '{path}': no such file or directory; check the path"
    )


def test_a_file_is_closed_even_if_its_events_are_not_all_used() -> None:
    # Warnings are errors: a file that stays open would be one.
    events = convert.read(RUN, "stream-json")

    next(events)
    del events


def test_options_are_given_by_name_or_as_a_value() -> None:
    german = convert.Options(language="de")

    by_value = b"".join(convert.convert(RUN, options=german))
    by_name = b"".join(convert.convert(RUN, language="de"))
    both = b"".join(convert.convert(RUN, options=german, detail=True))

    assert by_value == by_name != LINES
    assert both.startswith(by_name[:20])
    assert b"src/price.py" in both


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"to": "pdf"}, convert.UsageError, "invalid value for to: 'pdf' (choose from"),
        ({"format": "pdf"}, convert.UsageError, "invalid value for format: 'pdf' (cho"),
        ({"language": "xx"}, convert.UsageError, "invalid value for language: 'xx' ("),
        ({"detial": True}, TypeError, "no option 'detial'; choose from detail, "),
    ],
)
def test_bad_options_are_refused_at_once(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        convert.convert(RUN, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"redact": True}, "redact belongs to Reading: reading=Reading(redact=…)"),
        ({"options": {}}, "options takes Options(…), not dict"),
        ({"reading": True}, "reading takes Reading(…), not bool"),
    ],
)
def test_options_of_another_kind_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as error:
        convert.convert(RUN, **options)

    assert str(error.value) == message


@pytest.mark.parametrize("run", [0, "1", True, 1.0])
def test_a_run_is_a_number_other_than_0(run: Any) -> None:
    message = f"invalid value for run: {run!r} (choose a whole number other than 0; "

    with pytest.raises(convert.UsageError, match=re.escape(message)):
        convert.convert(RUN, run=run)
    with pytest.raises(convert.UsageError, match=re.escape(message)):
        convert.compare(RUN, RUN, run=run)


def test_runs_are_compared_one_by_one() -> None:
    runs = list(convert.read_runs(RUN))

    for side in (runs, iter(runs)):
        with pytest.raises(TypeError, match="compare takes a run or a log on each"):
            convert.compare(side, RUN)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="run picks a run of a log, but both sides"):
        convert.compare(runs[0], runs[0], run=2)
    with pytest.raises(TypeError, match="settings takes Settings"):
        convert.compare(RUN, RUN, settings={})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="report takes a result of compare, not Run"):
        convert.report(runs[0])  # type: ignore[arg-type]


def test_content_is_not_taken_for_a_path() -> None:
    for content in (RUN.read_text(), "Read file\n", "x" * 2000):
        with pytest.raises(convert.InputError) as error:
            convert.read(content)

        assert str(error.value) == (
            "a str is a path; pass the content as bytes: text.encode()"
        )


def test_a_comparison_is_short_to_print() -> None:
    assert repr(convert.compare(BASELINE, OTHER)).startswith(
        "<Comparison: different (major), Counts(same="
    )


def test_a_run_as_plain_values() -> None:
    (run,) = convert.read_runs(RUN)

    values = run.to_dict()

    assert json.loads(json.dumps(values)) == values
    assert values["state"] == "success"
    assert values["answer"] == run.answer
    assert values["text"] == run.text
    assert values["prompts"] == ["Fix the rounding in src/price.py"]
    assert values["calls"][1]["kind"] == "shell"
    assert values["calls"][1]["outcome"] == {
        "status": "error",
        "exit_code": 1,
        "arm": "",
        "message": values["calls"][1]["outcome"]["message"],
        "signal": "",
    }
    assert values["result"]["tokens"]["output"] == 312
    assert "raw" not in values["result"]
    internal = {"approved", "call_places", "event_count"}
    assert {*values} == {*run.__struct_fields__, "text", "answer"} - internal


@each("log", sorted(GOLDEN.glob("*/input.ndjson")))
def test_every_run_is_plain(log: Path) -> None:
    try:
        runs = list(convert.read_runs(log))
    except convert.InputError:
        reject()

    for run in runs:
        assert json.loads(json.dumps(run.to_dict())) == run.to_dict()


def test_the_steps_of_a_subagent_are_plain() -> None:
    logs = sorted(GOLDEN.glob("*/*.ndjson"))
    calls = (
        call
        for log in logs
        if b"subagent" in log.read_bytes() or b"taskToolCall" in log.read_bytes()
        for run in convert.read_runs(log)
        for call in run.to_dict()["calls"]
        if call["steps"]
    )

    steps = [step for call in calls for step in call["steps"]]

    assert steps
    assert {step["event"] for step in steps} >= {"ToolCall"}
    assert json.loads(json.dumps(steps)) == steps


def test_two_runs_compare_like_their_logs() -> None:
    (one,), (other,) = (convert.read_runs(log) for log in (BASELINE, OTHER))
    settings = convert.Settings(fail_on="critical")

    by_run = convert.compare(one, other)
    by_log = convert.compare(BASELINE, OTHER)

    assert convert.report(by_run, "json") == convert.report(by_log, "json")
    assert by_run.is_different
    assert not convert.compare(one, other, settings=settings).is_different
    assert not convert.compare(one, one).is_different


def test_a_run_compares_with_a_log() -> None:
    (run,) = convert.read_runs(BASELINE)

    assert not convert.compare(run, BASELINE).is_different
    assert convert.compare(run, OTHER).is_different


@pytest.mark.exhaustive
@pytest.mark.parametrize("format", part(DiffOptions.options()["format"].choices, 3))
def test_a_report_is_the_output_of_the_command(format: str) -> None:
    compared = convert.compare(BASELINE, OTHER)
    words = ["diff", "--format", format, str(BASELINE), str(OTHER)]
    printed = in_process.run(words, Path(), environment()).stdout.decode()

    text = convert.report(compared, format, names=(str(BASELINE), str(OTHER)))

    assert text == printed


def test_a_report_has_the_options_of_the_command() -> None:
    compared = convert.compare(BASELINE, BASELINE)
    rows = DiffOptions.options()
    given = convert.report.__kwdefaults__

    assert convert.report(compared).startswith("same: 4 calls, success, result same;")
    assert "\n\n    A" in convert.report(compared, verbose=True)
    of_cases = [name for name in suite_reports.REPORTS if name not in reports.REPORTS]
    assert rows["format"].choices == (*reports.REPORTS, *of_cases)
    assert convert.report.__defaults__ == (rows["format"].default,)
    for name in ("full", "verbose", "name"):
        assert given[name] == rows[name].default
    with pytest.raises(convert.UsageError, match="invalid value for format: 'pdf' "):
        convert.report(compared, "pdf")


@each(
    ("name", "value"),
    [
        *(("names", value) for value in [("a",), "ab", ("a", "b", "c"), ("a", 2), 3]),
        *(("width", value) for value in [0, -1, 1.5, "wide"]),
        *(("format", ["json"]), ("full", "no"), ("verbose", None), ("name", 3)),
    ],
)
def test_a_report_refuses_a_value_that_cannot_be(name: str, value: Any) -> None:
    compared = convert.compare(BASELINE, BASELINE)

    with pytest.raises(convert.UsageError, match=f"^invalid value for {name}: "):
        convert.report(compared, **{name: value})


@pytest.mark.parametrize(
    "value",
    [convert.Options(detail=True), convert.Settings(ignore=("text",))],
    ids=["Options", "Settings"],
)
def test_options_can_be_pickled(value: Any) -> None:
    # A worker that is a new process gets them so.
    assert pickle.loads(pickle.dumps(value)) == value
