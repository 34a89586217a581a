"""Every option is stated once: parser, help and checks agree with that statement."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import convert
from convert.cli import (
    IMPLIED,
    ConvertOptions,
    DiffOptions,
    Given,
    Parser,
    ShowOptions,
    command_names,
    help_of,
    option_sets,
    overview,
    parse_usual,
    settings_in_file,
)
from convert.cli.commands import commands
from convert.diff import reports as diff_reports
from convert.errors import NoResultError, UsageError
from convert.formats import formats, writers
from convert.options import (
    NOISE,
    Option,
    Options,
    OptionSet,
    Reading,
    Settings,
    milliseconds,
)
from convert.scale import StatsOptions, TableOptions
from convert.scale.stats import reports as stats_reports
from convert.suites import MatrixOptions
from convert.suites import reports as suite_reports
from convert.tools import LANGUAGES
from support.in_process import run
from support.made_runs import long_run
from support.matrix import each

ROOT = Path(__file__).parent.parent
COMMANDS = {
    "runconv": ((ConvertOptions, Options, Reading), help_of("convert")),
    "runconv show": ((ShowOptions, Reading), help_of("show")),
    "runconv diff": ((DiffOptions, Settings, Reading), help_of("diff")),
    "runconv table": ((TableOptions, Reading), help_of("table")),
}
ROWS = [
    (command, kind, row)
    for command, (sets, _) in COMMANDS.items()
    for kind in sets
    for row in kind.options().values()
]
SETS = (
    ConvertOptions,
    ShowOptions,
    DiffOptions,
    TableOptions,
    Options,
    Reading,
    Settings,
)
# A value that is not the default, for options whose type does not name one.
OTHER: dict[str, str] = {
    "source": "json",
    "run": "-1",
    "target": "json",
    "output": "out.txt",
    "scheduler": "tcp://10.0.0.7:8786",
    "from_a": "json",
    "from_b": "text",
    "directory_a": "/srv/shop",
    "directory_b": "/srv/shop",
    "config": "settings.toml",
    "name": "nightly",
    "reports": "junit=out.xml",
    "width": "90",
    "redact_patterns": "a+",
    "max_line": "2kB",
    "max_input": "2kB",
    "max_bytes": "64kB",
    "allow_extra": "read",
    "ignore_arg": "shell.timeout",
    "keep_arg": "shell.timeout",
    "scrub": "a=>b",
    "max_duration": "2m",
    "answer_cmd": "judge {a} {b}",
    "partition": "agent",
}
# A regular file that root cannot read from its beginning either.
MEMORY = Path("/proc/self/mem")


def parse(command: str, *words: str) -> list[OptionSet]:
    sets = COMMANDS[command][0]
    given = Given(*Parser(command, *sets).given([*words]))
    return [given.of(kind) for kind in sets]


def value(command: str, kind: type[OptionSet], name: str, *words: str) -> Any:
    """The value of an option after a command line is parsed."""
    (found,) = [it for it in parse(command, *words) if isinstance(it, kind)]
    return getattr(found, name)


@each("kind", SETS)
def test_each_field_states_an_option(kind: type[OptionSet]) -> None:
    fields = {
        name
        for base in kind.__mro__
        for name in vars(base).get("__annotations__", {})
        if not name.startswith("_")
    }

    assert (
        fields
        - {"colours", "follows", "index", "index_name", "is_found", "known"}
        - {"at_end", "log_name", "path", "rules"}
        - ({*NOISE} if kind is Options else set())
        == kind.options().keys()
    )
    assert all(row.help and row.section for row in kind.options().values())


@each("kind", SETS)
def test_the_signature_names_the_options(kind: type[OptionSet]) -> None:
    parameters = inspect.signature(kind).parameters

    assert [*parameters] == [*kind.options()]


def test_a_name_that_is_no_option_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match="Settings has no option 'failon'"):
        Settings().failon = "major"


def test_a_size_may_have_a_unit_in_python() -> None:
    assert Options(max_bytes="64kB").max_bytes == 64_000  # type: ignore[arg-type]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_two_options_of_a_command_have_a_name_or_flag_in_common(
    command: str,
) -> None:
    rows = [row for kind in COMMANDS[command][0] for row in kind.options().values()]
    flags = [flag for row in rows for flag in row.flags]

    assert len({row.name for row in rows}) == len(rows)
    assert len(set(flags)) == len(flags)


@each(("command", "kind", "row"), ROWS)
def test_the_help_has_an_entry_for_each_option(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    text = " ".join(COMMANDS[command][1].split())
    flags = ", ".join(row.flags)
    flags = flags.replace("--", "--[no-]", 1) if row.is_negatable else flags
    entry = " ".join(f" {flags} {row.metavar} {row.description}".split())

    assert text.count(entry) == 1


@each(("command", "kind", "row"), ROWS)
def test_the_help_tells_choices_and_default(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    for choice in row.choices:
        assert re.search(rf"\b{choice}\b", row.description)
    if row.choices and row.default:
        assert f"{row.default} (default)" in row.description
    elif isinstance(row.default, int) and row.kind is not bool:
        assert "(default " in row.description


@each("command", [*command_names(), ""])
def test_the_help_fits_into_80_columns(command: str, tmp_path: Path) -> None:
    done = run([command, "--help"], tmp_path, {}) if command else None
    text = overview() if done is None else done.stdout.decode()

    assert text.startswith("usage: runconv")
    assert command in (IMPLIED, "") or f"runconv {command}" in text.splitlines()[0]
    assert max(map(len, text.splitlines())) <= 80


def test_the_help_of_the_program_fits_on_a_screen() -> None:
    assert len(overview().splitlines()) <= 30


@each("command", [name for name, row in commands().items() if row.page])
def test_rare_options_are_in_the_whole_help_only(command: str) -> None:
    rows = [row for kind in option_sets(command) for row in kind.options().values()]
    rare = {row.flags[-1][2:] for row in rows if row.is_rare}
    brief, whole = (help_of(command, is_whole) for is_whole in (False, True))

    assert rare
    for row in rows:
        flag = rf"-(-|-\[no-]){row.flags[-1][2:]}(,| |$)"
        assert re.search(flag, whole, re.MULTILINE)
    entries = re.findall(r"^  -.*?--(?:\[no-])?([\w-]+)", brief, re.MULTILINE)
    assert entries
    assert not rare & {*entries}


def test_the_help_names_the_formats() -> None:
    rows = ConvertOptions.options()

    for name, format in formats().items():
        assert (name in rows["target"].help) == (format.writer is not None)
        assert (name in rows["source"].help) == (format.reader is not None)


def test_the_help_names_the_agents() -> None:
    for format in formats().values():
        assert format.agent in help_of("convert")


@each(("command", "kind", "row"), ROWS)
def test_the_default_is_that_of_the_set(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    assert value(command, kind, row.name) == row.default == getattr(kind(), row.name)


@each(("command", "kind", "row"), ROWS)
def test_each_choice_is_accepted(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    if row.kind is bool:
        assert value(command, kind, row.name, row.flags[0]) is True
        return
    number = {int: "7", float: "0.5"}.get(row.kind, "")
    for word in row.choices or [OTHER.get(row.name) or number]:
        given = value(command, kind, row.name, f"{row.flags[-1]}={word}")

        assert given == row.parsed([word] if row.is_list else word)
        assert row.choices or given != row.default
        assert getattr(kind(**{row.name: given}), row.name) == given


@each(
    ("command", "kind", "row"),
    [
        (*where, row)
        for *where, row in ROWS
        if row.choices or row.check or row.kind not in (bool, str)
    ],
)
def test_another_value_is_refused_with_the_choices(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    bad = "a(" if row.name == "redact_patterns" else "bogus"
    flag = row.flags[-1]

    with pytest.raises(UsageError) as error:
        parse(command, f"{flag}={bad}")

    assert error.value.message.startswith(f"invalid value for {flag}: '{bad}' (")


@each(("command", "kind", "row"), ROWS)
def test_a_value_of_another_type_is_refused_in_python(
    command: str, kind: type[OptionSet], row: Option
) -> None:
    with pytest.raises(UsageError, match=f"^invalid value for {row.name}: "):
        kind(**{row.name: object()})


@each(
    ("kind", "values", "message"),
    [
        (
            Settings,
            {"fail_on": "bogus"},
            "fail_on: 'bogus' (choose from info, minor, major, critical)",
        ),
        (
            Settings,
            {"ignore": ("text", "speed")},
            "ignore: 'speed' (choose from runs, files, verification,",
        ),
        (Settings, {"ignore": "text"}, "ignore: 'text' (write a list)"),
        (
            Settings,
            {"min_similarity": 1.5},
            "min_similarity: 1.5 (choose a number from 0 to 1)",
        ),
        (
            Settings,
            {"max_calls_ratio": float("nan")},
            "max_calls_ratio: nan (choose a number, 0 or more)",
        ),
        (
            Settings,
            {"min_calls": True},
            "min_calls: True (choose a whole number, 0 or more)",
        ),
        (Settings, {"scrub": ["a"]}, "scrub: 'a' (write 'REGEX=>TEXT')"),
        (
            Options,
            {"language": "xx"},
            "language: 'xx' (choose from en, es, fr,",
        ),
        (Options, {"detail": "yes"}, "detail: 'yes' (choose from true, false)"),
        (
            Options,
            {"max_bytes": 100},
            "max_bytes: 100 (choose a number of bytes, 4096 or more,",
        ),
        (
            Reading,
            {"max_line": -1},
            "max_line: -1 (choose a number of bytes, 0 or more,",
        ),
        (
            Reading,
            {"redact_patterns": ["("]},
            "redact_patterns: '(' (not a regular expression:",
        ),
    ],
)
def test_a_bad_value_is_refused_on_construction(
    kind: type[OptionSet], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as error:
        kind(**values)

    assert error.value.message.startswith(f"invalid value for {message}")


def test_an_unknown_name_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no option 'fail'; choose from fail_on, "):
        Settings(fail="minor")


def test_options_do_not_change() -> None:
    settings = Settings(ignore=["text"], max_calls_ratio=2)

    with pytest.raises(AttributeError, match="use replace"):
        settings.fail_on = "major"  # type: ignore[misc]

    assert settings.ignore == ("text",)
    assert settings.max_calls_ratio == 2.0
    assert settings.replace(fail_on="major").fail_on == "major"
    assert settings.replace() == settings
    assert hash(settings.replace()) == hash(settings)
    assert settings != Settings()
    assert repr(Reading()) == (
        "Reading(redact=False, redact_patterns=(), max_line=200000000,"
        " max_input=10000000000)"
    )


def test_patterns_imply_that_secrets_are_redacted() -> None:
    assert Reading(redact_patterns=["a+"]).redact
    assert value("runconv", Reading, "redact", "--redact-pattern", "a+")
    assert not Reading().redact


def test_lists_are_split_at_commas_and_added_up() -> None:
    words = ("--ignore", "text, added", "--ignore=,moved", "--scrub", "a,b=>c")

    assert value("runconv diff", Settings, "ignore", *words) == (
        "text",
        "added",
        "moved",
    )
    assert value("runconv diff", Settings, "scrub", *words) == ("a,b=>c",)


@each(
    ("text", "number"),
    [
        *[("65536", 65536), ("1.5kB", 1500), ("2 mb", 2_000_000), ("3G", 3 * 10**9)],
        *[("1MiB", 1 << 20), ("1.5 kib", 1536), ("2GIB", 2 << 30), ("7B", 7)],
    ],
)
def test_a_size_has_a_unit(text: str, number: int) -> None:
    assert value("runconv", Reading, "max_line", "--max-line", text) == number


@pytest.mark.parametrize("text", ["1iB", "1Ki", "1MiBs", "MiB", "-1MiB"])
def test_another_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"as in 65536 or 1\.5MB"):
        Reading(max_line=text)  # type: ignore[arg-type]


def test_a_number_of_tokens_has_no_binary_unit() -> None:
    with pytest.raises(UsageError, match="as in 50000 or 50k"):
        Settings(max_tokens="1MiB")


def _named_by_suffix() -> list[tuple[type[OptionSet], str, str]]:
    """Return each suffix of the reports of a command, with the report."""
    return [
        (kind, suffix.removeprefix("."), name)
        for kind, table in (
            (DiffOptions, diff_reports.REPORTS),
            (StatsOptions, stats_reports.REPORTS),
            (MatrixOptions, suite_reports.OF_VERSIONS),
        )
        for name, row in table.items()
        for suffix in row.suffixes
    ]


@pytest.mark.parametrize("text", ["DE", "de_AT", "de-CH", "De_DE.UTF-8", "de_DE@euro"])
def test_a_language_may_be_written_as_in_a_locale(text: str) -> None:
    assert Options(language=text).language == "de"  # type: ignore[arg-type]


@each(("kind", "suffix", "name"), _named_by_suffix())
def test_a_report_may_be_named_by_a_suffix(
    kind: type[OptionSet], suffix: str, name: str
) -> None:
    assert kind.options()["format"].checked(suffix, "format") == name


@pytest.mark.parametrize("text", ["", "_DE", "deu", "C.UTF-8", "german"])
def test_another_language_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="choose from en, es, fr"):
        Options(language=text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number"), [("50000", 50_000), ("50k", 50_000), ("1.5M", 1_500_000)]
)
def test_a_number_of_tokens_has_a_unit(text: str, number: int) -> None:
    flag = "--max-tokens"
    assert value("runconv diff", Settings, "max_tokens", flag, text) == number
    assert Settings(max_tokens=text).max_tokens == number


@each(
    ("text", "number"),
    [
        ("90s", 90_000),
        ("5m", 300_000),
        ("2m30s", 150_000),
        ("2m 30s", 150_000),
        ("1h", 3_600_000),
        ("1500ms", 1500),
        ("1.5S", 1500),
        ("0s", 0),
        ("1h2m3s4ms", 3_723_004),
    ],
)
def test_a_duration_has_units(text: str, number: int) -> None:
    assert milliseconds(text) == number
    assert Settings(max_duration=text).max_duration == text


@each("text", ["", "90", "s", "1d", "30s2m", "-1s", "1s1s", "٣s"])
def test_another_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write a duration, as in 90s"):
        Settings(max_duration=text)


def test_a_switch_of_a_settings_file_can_be_turned_off() -> None:
    assert value("runconv diff", Settings, "raw", "--raw", "--no-raw") is False


def test_the_languages_are_those_of_the_phrases() -> None:
    assert Options.options()["language"].choices == LANGUAGES


@each(
    "words",
    [
        "",
        "a - b",
        "a -t json b --to text",
        "-o - a --redact-pattern x --redact-pattern y,z -q",
        "--detail --run 2 a",
        "file:///tmp/a.ndjson -o file:///tmp/b.txt",
    ],
)
def test_usual_words_mean_the_same_as_to_the_parser(words: str) -> None:
    sets = COMMANDS["runconv"][0]

    usual = parse_usual(sets, words.split())

    parsed = Given(*Parser("runconv", *sets).given(words.split()))
    assert usual is not None
    assert vars(usual) == vars(parsed)


@each(
    "words",
    [
        "-tjson",
        "--to=json",
        "--to",
        "a -- b",
        "--run -1",
        "--no-detail",
        "--odd",
        "-qh",
    ],
)
def test_other_words_are_left_to_the_parser(words: str) -> None:
    assert parse_usual(COMMANDS["runconv"][0], words.split()) is None


def test_all_words_after_two_dashes_are_logs() -> None:
    words = ["a", "--", "--help", "-q"]
    given = Given(*Parser("runconv", ConvertOptions).given(words))

    assert given.logs == ["a", "--help", "-q"]
    assert not given.of(ConvertOptions).help


def test_a_project_file_without_settings_does_not_end_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "work" / "package"
    inner.mkdir(parents=True)
    own = "[project]\ndependencies = ['runconv']\n"
    (inner / "pyproject.toml").write_text(own)
    settings = "[tool.runconv.diff]\nmin-calls = 7\n"
    (tmp_path / "pyproject.toml").write_text(settings)
    monkeypatch.chdir(inner)

    found = settings_in_file(None, "diff")

    assert (found.values, found.source) == ({"min_calls": 7}, "../../pyproject.toml")


def test_a_device_that_is_found_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").symlink_to(os.devnull)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=r"^pyproject.toml is a pipe or a device; "):
        settings_in_file(None, "convert")


@pytest.mark.skipif(not MEMORY.exists(), reason="no such file on this system")
def test_a_file_that_is_found_and_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").symlink_to(MEMORY)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=r"^cannot read pyproject.toml: .*; make it"):
        settings_in_file(None, "diff")


@pytest.mark.parametrize("row", Options.options().values(), ids=lambda row: row.name)
def test_an_option_changes_the_formats_that_it_is_for(row: Option) -> None:
    values = {
        "tool_output": "full",
        "max_bytes": 4096,
        "language": "de",
        "arguments_as": "object",
        "only": "complete",
        "ignore_arg": ("*.path",),
        "keep_arg": ("*.toolCallId",),
        "scrub": ("a=>b",),
    }
    given = {row.name: values.get(row.name, True)}

    # Only then does the log make a trajectory.
    always = {"partial": True} if row.formats == ("trajectory",) else {}

    changed = {
        name
        for name in writers()
        if _written(name, **always) != _written(name, **always | given)
    }

    assert changed == {*row.formats}


@functools.cache
def _written(target: str, **options: Any) -> bytes:
    """Convert a long run with reasoning that breaks off."""
    event = {"type": "thinking", "subtype": "completed", "text": "Why not?"}
    log = long_run(12, has_times=False).splitlines(keepends=True)
    log.insert(3, json.dumps(event).encode() + b"\n")
    with contextlib.suppress(NoResultError):
        return b"".join(convert.convert(log[:-2], target, **options))
    return b""
