"""Each row of the table of tools, walked cell by cell."""

from __future__ import annotations

import importlib
import itertools
import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import convert
from convert.diff import Comparison
from convert.facts import acts
from convert.model import OK, Outcome, OutcomeStatus, ToolCall
from convert.options import Settings
from convert.tools import (
    FOREIGN,
    LANGUAGES,
    NOISE,
    SEARCHES,
    UNKNOWN,
    Effect,
    Lane,
    Noise,
    SubjectArguments,
    Tool,
    action_line,
    known_arguments,
    noise_members,
    only_looks,
    phrase,
    phrases_and_outcomes,
    phrases_in,
    read_phrase,
    table,
    tools,
)
from convert.transcript import Shared, call_section, kind_of
from support.matrix import each, is_exhaustive, part

OWN = sorted(tools().keys() - FOREIGN)
every_kind = each("kind", sorted(tools()))
every_own_kind = each("kind", OWN)


def missing_cells(row: Tool) -> list[str]:
    """Name the cells of a row that must not be empty but are, or that mean nothing."""
    missing = []
    for cell, kind in (("effect", Effect), ("lane", Lane)):
        if getattr(row, cell) not in get_args(kind):
            missing.append(cell)
    if not 1 <= len(row.label) <= 6:
        missing.append("label")
    subject = row.subject
    if subject is not None and not (subject.words or subject.paths):
        missing.append("subject")
    if subject is not None and not subject.verb:
        missing.append("verb")
    if row.target is not None and not (row.target.words or row.target.paths):
        missing.append("target")
    if not has_function(row.transcript):
        missing.append("transcript")
    return missing


def has_function(transcript: str) -> bool:
    theme, _, name = transcript.partition(".")
    module = importlib.import_module(f"convert.transcript.kinds.{theme or 'services'}")
    return callable(getattr(module, name, None))


def noise_of(kind: str) -> tuple[str, ...]:
    return tools()[kind].noise.arguments


def changed_table(
    old: str, new: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Tool]:
    """Return the rows of a copy of kinds.ini in which a text is replaced."""
    text = (Path(table.__file__).parent / "kinds.ini").read_text(encoding="utf-8")
    assert old in text
    (folder / "kinds.ini").write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(table, "__file__", str(folder / "table.py"))
    rows: dict[str, Tool] = tools.__wrapped__()
    return rows


def log(kind: str, arguments: dict[str, Any], output: dict[str, Any]) -> bytes:
    """Write a run that makes one call."""
    if kind == "mcp":
        arguments = {"toolName": "find", "args": arguments}
    call = {f"{kind}ToolCall": {"args": arguments, "result": {"success": output}}}
    session = {"session_id": "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"}
    common: dict[str, Any] = {"type": "tool_call", "call_id": "c1", "tool_call": call}
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": "/w/app", **session},
        {**common, "subtype": "started", **session},
        {**common, "subtype": "completed", **session},
        {"type": "result", "subtype": "success", "result": "Done.", **session},
    ]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def holding(member: str, value: str) -> dict[str, Any]:
    """Build an object that holds a value where a path such as `todos.*.id` leads."""
    inner: Any = value
    for name in reversed(member.split(".")):
        inner = [inner] if name == "*" else {name: inner}
    return {"always": "here", **inner}


def merged(objects: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for inner in objects for name, value in inner.items()}


def compare_arguments(kind: str, member: str, **knobs: Any) -> Comparison:
    one, other = (log(kind, holding(member, value), {}) for value in ("one", "two"))
    return convert.compare([one], [other], settings=Settings(**knobs))


def compare_outputs(kind: str, member: str) -> Comparison:
    one, other = (log(kind, {}, holding(member, value)) for value in ("one", "two"))
    return convert.compare([one], [other], settings=Settings(outputs=True))


def call_of(kind: str, **fields: Any) -> ToolCall:
    return ToolCall(run=1, line=1, number=1, id="c1", kind=kind, **fields)


def test_each_row_has_one_place() -> None:
    text = (Path(table.__file__).parent / "kinds.ini").read_text(encoding="utf-8")

    assert re.findall(r"^\[(.*)\]$", text, re.MULTILINE) == [*tools()]
    assert re.findall(r"^.* =\s*$", text, re.MULTILINE) == []


@every_kind
def test_no_cell_is_missing(kind: str) -> None:
    assert missing_cells(tools()[kind]) == []


def test_the_row_of_unknown_kinds_has_every_cell() -> None:
    assert missing_cells(UNKNOWN) == []


@every_kind
def test_a_short_name_of_a_kind_is_not_shortened(kind: str) -> None:
    if len(kind) <= 6:
        assert tools()[kind].label == kind


@pytest.mark.parametrize(
    ("missing", "old", "new"),
    [
        ("subject", "paths = path filePath\n", "paths =\n"),
        ("verb", "verb = Read\n", ""),
        ("effect", "effect = looks\n", "effect = look\n"),
        ("lane", "lane = look\n", "lane = looks\n"),
        ("label", "label = read\n", "label =\n"),
        ("label", "label = read\n", "label = reading\n"),
        ("transcript", "transcript = files.read\n", "transcript =\n"),
        ("transcript", "transcript = files.read\n", "transcript = files.reed\n"),
    ],
)
def test_a_missing_cell_is_named(
    missing: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = changed_table(old, new, tmp_path, monkeypatch)

    assert missing_cells(rows["read"]) == [missing]


@pytest.mark.parametrize(
    "line",
    ["effect = looks", "lane = look", "label = read", "transcript = files.read"],
)
def test_a_row_without_a_cell_cannot_be_made(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TypeError, match=line.partition(" ")[0]):
        changed_table(f"{line}\n", "", tmp_path, monkeypatch)


def test_no_cell_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LookupError, match=r"kinds\.ini:12: .*lable = read"):
        changed_table("label = read\n", "lable = read\n", tmp_path, monkeypatch)


def faults(phrases: dict[str, dict[str, str]]) -> list[str]:
    """Name the phrases that a language lacks, has in excess, or has without a {}."""
    found = []
    english = phrases_in("en")
    for section in english.keys() | phrases.keys():
        wanted, given = english.get(section, {}), phrases.get(section, {})
        for name in sorted(wanted.keys() | given.keys()):
            marks = wanted.get(name, "").count("{}")
            if (
                not given.get(name, "").strip()
                or given[name].count("{}") != marks
                or name not in wanted
            ):
                found.append(f"{section}: {name}")
    return found


@each("language", LANGUAGES)
def test_each_language_has_a_phrase_for_all_that_english_has(language: str) -> None:
    assert faults(phrases_in(language)) == []


def test_each_kind_has_a_phrase_and_nothing_else_has() -> None:
    english = phrases_in("en")

    assert english["calls"].keys() == tools().keys()
    # A question is asked even if the answer is refused.
    assert english["calls"].keys() - english["requests"].keys() == {"askQuestion"}
    assert english["statuses"].keys() == {*get_args(OutcomeStatus)} - {"ok"}
    assert english["unknown tools"]["call"].count("{}") == 1
    assert english["unknown tools"]["request"].count("{}") == 1


@pytest.mark.parametrize(
    ("line", "changed", "fault"),
    [
        ("edit = Edited file\n", "", "calls: edit"),
        ("edit = Edited file\n", "edit =\n", "calls: edit"),
        ("edit = Edited file\n", "edit = {}\n", "calls: edit"),
        ("[requests]\n", "[requests]\naskQuestion = Ask\n", "requests: askQuestion"),
        ("exit = exit {}\n", "exit = exit\n", "ends of commands: exit"),
        ("[reasons]\ntimeout = timed out\n", "[reasons]\n", "reasons: timeout"),
    ],
)
def test_a_fault_of_a_language_is_named(
    line: str, changed: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(phrases_and_outcomes.__file__).parent / "languages"
    text = (folder / "en.ini").read_text(encoding="utf-8")
    assert text.count(line) == 1
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "xx.ini").write_text(
        text.replace(line, changed), encoding="utf-8"
    )
    monkeypatch.setattr(
        phrases_and_outcomes, "__file__", str(tmp_path / "phrases_and_outcomes.py")
    )

    assert faults(phrases_in.__wrapped__("xx")) == [fault]


def test_no_two_kinds_share_a_phrase_in_any_language() -> None:
    kinds_of: dict[str, set[str]] = {}
    for section, language in itertools.product(("calls", "requests"), LANGUAGES):
        for kind, text in phrases_in(language)[section].items():
            kinds_of.setdefault(text, set()).add(kind)

    assert {phrase for phrase, found in kinds_of.items() if len(found) > 1} == set()


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", part(LANGUAGES, 3))
@every_kind
def test_a_kind_is_read_back_in_the_language_it_was_written_in(
    kind: str, language: str
) -> None:
    written = b"".join(convert.convert([log(kind, {}, {})], language=language))

    [run] = convert.read_runs([written], "text")

    assert written.decode() == f"{phrase(kind, language=language)}\n"
    assert [call.kind for call in run.calls] == [kind]
    assert [call.outcome for call in run.calls] == [OK]


@each("language", LANGUAGES)
def test_a_call_that_was_not_done_is_called_so_and_read_back(language: str) -> None:
    outcomes = [
        Outcome("rejected", message="Keep it"),
        Outcome("error", message="No such: file (1)"),
        Outcome("error"),
        Outcome("unfinished"),
    ]
    for kind in [*tools(), "function"]:
        for outcome in outcomes:
            line = action_line(call_of(kind, outcome=outcome), "", language)

            [run] = convert.read_runs([line.encode()], "text")

            wanted = phrase(kind, "unnamed", language, is_done=False)
            assert line.startswith(f"{wanted} (")
            assert [(call.kind, call.outcome) for call in run.calls] == [
                (kind, outcome)
            ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "outcome",
    [Outcome("error", exit_code=3), Outcome("error", signal="SIGTERM")],
)
def test_a_command_that_ended_was_run(language: str, outcome: Outcome) -> None:
    failed = call_of("shell", outcome=outcome)

    line = action_line(failed, "", language)
    [run] = convert.read_runs([line.encode()], "text")

    assert line.startswith(phrase("shell", language=language))
    assert [call.outcome for call in run.calls] == [failed.outcome]


@each("language", LANGUAGES)
def test_an_unknown_tool_is_read_back_by_its_name_and_its_target(language: str) -> None:
    made = log("mint", {"coin": "ducat: gold", "count": 3}, {})
    written = b"".join(convert.convert([made], language=language, detail=True))

    [run] = convert.read_runs([written], "text")

    named = [(call.kind, call.name, call.about) for call in run.calls]
    assert named == [("function", "mint", "ducat: gold")]


@every_own_kind
def test_the_subject_is_in_the_action_line_and_the_heading(kind: str) -> None:
    row = tools()[kind].subject
    names = (*row.words, *row.paths) if row else ("path", "command")
    arguments = {name: f"/w/app/{name}" for name in names}

    line = b"".join(convert.convert([log(kind, arguments, {})], detail=True)).decode()
    call = call_of(kind, arguments=arguments, outcome=OK)
    heading = call_section(call, Shared("", has_thinking=False), [])

    words = [f"/w/app/{name}" for name in row.words] if row else []
    gap = ["in"] if kind in SEARCHES else []
    shown = [*words, *gap, *(row.paths if row else ())]
    lead = phrase(kind)
    assert line == (f"{lead}: {' '.join(shown)}\n" if shown else f"{lead}\n")
    if row:
        assert heading.title[0].text.startswith(row.verb)


@every_kind
def test_a_missing_call_counts_by_its_effect(kind: str) -> None:
    baseline = log(kind, {}, {})
    events = baseline.splitlines(keepends=True)
    candidate = events[0] + events[-1]

    compared = convert.compare([baseline], [candidate])

    is_looking = tools()[kind].effect == "looks"
    [removed] = [found for found in compared.findings if found.category == "removed"]
    assert removed.severity == ("minor" if is_looking else "major")


@pytest.mark.parametrize("command", ["ls", "rm x"])
def test_only_a_command_decides_by_its_arguments(command: str) -> None:
    deciding = [kind for kind, row in tools().items() if row.effect == "command"]

    assert deciding == ["shell"]
    assert acts("shell", {"command": command}) is not only_looks(command)
    assert acts("minted", {})


def noise_to_try(kind: str) -> tuple[str, ...]:
    """Return the noise of a kind, and by default for one kind that of all kinds."""
    has_all = is_exhaustive or kind == OWN[0]
    return (*(NOISE.arguments if has_all else ()), *noise_of(kind))


@pytest.mark.exhaustive
@every_own_kind
def test_runs_that_differ_only_in_noise_are_the_same(kind: str) -> None:
    members = noise_to_try(kind)

    different = [name for name in members if compare_arguments(kind, name).is_different]

    assert different == []


@pytest.mark.exhaustive
@every_own_kind
def test_noise_that_is_kept_makes_a_difference(kind: str) -> None:
    members = noise_to_try(kind)

    same = []
    for member in members:
        keep = f"{kind}.{member.rpartition('.')[2]}"
        if not compare_arguments(kind, member, keep_arg=(keep,)).is_different:
            same.append(member)

    assert same == []


@every_kind
def test_any_other_argument_makes_a_difference(kind: str) -> None:
    assert compare_arguments(kind, "unheardOf").is_different
    assert compare_arguments(kind, "isBackground").is_different


@pytest.mark.exhaustive
@each("kind", [kind for kind in OWN if tools()[kind].noise.arguments])
def test_noise_of_another_tool_makes_a_difference(kind: str) -> None:
    own = noise_of(kind)
    others = {member for other in OWN for member in noise_of(other)} - set(own)

    same = [
        member
        for member in part(sorted(others), 4)
        if not compare_arguments(kind, member).is_different
    ]

    assert same == []


@each("member", NOISE.arguments)
def test_no_argument_of_a_foreign_tool_is_noise(member: str) -> None:
    assert compare_arguments("mcp", member).is_different


@every_kind
def test_outputs_that_differ_only_in_noise_are_the_same(kind: str) -> None:
    members = (*NOISE.outputs, "inner.*.pid", *tools()[kind].noise.outputs)

    one, other = (
        log(kind, {}, merged([holding(member, value) for member in members]))
        for value in ("one", "two")
    )
    compared = convert.compare([one], [other], settings=Settings(outputs=True))

    assert not compared.is_different
    assert compare_outputs(kind, "unheardOf").is_different


@each("member", NOISE.outputs)
def test_each_noise_member_of_an_output_is_ignored_at_any_depth(member: str) -> None:
    assert not compare_outputs("read", member).is_different
    assert not compare_outputs("mcp", f"inner.*.{member}").is_different


@every_kind
def test_a_transcript_shows_a_call_that_records_nothing(kind: str) -> None:
    for outcome in (OK, Outcome("rejected"), Outcome("error", message="no")):
        for arguments, output in [(None, None), ({}, {}), ({"x": 1}, "text")]:
            call = call_of(kind, arguments=arguments, output=output, outcome=outcome)

            section = call_section(call, Shared("/w", has_thinking=True), [])

            assert section.title
            assert section.summary


@every_own_kind
@pytest.mark.parametrize("status", ["error", "rejected"])
def test_a_transcript_shows_every_argument_of_a_call_that_failed(
    kind: str, status: str
) -> None:
    names = known_arguments(kind) - noise_members(kind) | {"unheardOf"}
    if "path" in names:
        # Another name of the same argument.
        names.discard("filePath")
    call = {
        f"{kind}ToolCall": {
            "args": {name: f"value-of-{name}" for name in names},
            "result": {status: {"error": "no"}},
        }
    }
    event = {"type": "tool_call", "subtype": "completed", "tool_call": call}

    text = b"".join(convert.convert([json.dumps(event).encode()], "markdown")).decode()

    assert [name for name in names if f"value-of-{name}" not in text] == []


def test_rows_that_one_module_shows_are_next_to_each_other() -> None:
    functions = [row.transcript for row in tools().values()]
    modules = [each.partition(".")[0] for each in functions if "as_json" not in each]
    themes = [module for module, _ in itertools.groupby(modules)]

    assert themes == sorted(set(themes), key=themes.index)


@every_kind
def test_a_transcript_shows_a_kind_by_the_function_of_its_row(kind: str) -> None:
    fill, _, _ = kind_of(kind)

    module = fill.__module__.rpartition(".")[2]
    assert f"{module}.{fill.__name__}" == tools()[kind].transcript


def test_a_new_kind_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = msgspec.structs.replace(
        tools()["read"],
        subject=SubjectArguments(verb="Stamped", words=("ink",), paths=("path",)),
        noise=Noise(arguments=("pad.*.id",), outputs=("seals.*.number",)),
        transcript="files.blame_by_file_path",
    )
    monkeypatch.setitem(tools(), "stamp", row)
    monkeypatch.setitem(phrases_in("en")["calls"], "stamp", "Stamped file")
    stamped = log("stamp", {"ink": "red", "path": "/w/app/a"}, {"content": "Sealed."})

    line = b"".join(convert.convert([stamped], detail=True))
    transcript = b"".join(convert.convert([stamped], "markdown")).decode()

    assert line == b"Stamped file: red a\n"
    assert "### 1. Stamped `red` in a – 1 line" in transcript
    assert "Sealed." in transcript
    assert not compare_arguments("stamp", "pad.*.id").is_different
    assert compare_arguments("stamp", "pad.*.name").is_different
    assert not compare_outputs("stamp", "seals.*.number").is_different
    assert compare_outputs("stamp", "seals.*.name").is_different
    assert not acts("stamp", {})


@pytest.mark.parametrize("name", ["{x}", "}", "a b", "a\tb", ""])
def test_no_tool_has_such_a_name(name: str) -> None:
    text = phrases_in("en")["unknown tools"]["call"]

    assert read_phrase(text.format("some_tool")) is not None
    assert read_phrase(text.format(name)) is None
