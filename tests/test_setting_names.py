"""The names that settings take, and those that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

import convert
from convert.cli import listing
from convert.diff import RULES
from convert.errors import UsageError
from convert.options import CATEGORIES, Category
from convert.tools import FOREIGN, known_arguments, noise_members, tools
from support.matrix import each, part

DOCS = (Path(__file__).parent.parent / "docs" / "diff.md").read_text("utf-8")


def log(kind: str, arguments: dict[str, Any], parent: str = "") -> list[bytes]:
    call = {f"{kind}ToolCall": {"args": arguments, "result": {"success": {}}}}
    if parent:
        call["parentToolCallId"] = parent
    event = {"type": "tool_call", "subtype": "completed", "call_id": "1"}
    return [json.dumps(event | {"tool_call": call}).encode() + b"\n"]


def compare(one: list[bytes], other: list[bytes], **knobs: Any) -> None:
    convert.compare(one, other, settings=convert.Settings(**knobs))


OWN = sorted(tools().keys() - FOREIGN)
READ = log("read", {"path": "a"})


def test_the_arguments_of_each_tool_are_known() -> None:
    assert all(known_arguments(kind) for kind in OWN)
    assert not known_arguments("mcp")
    assert not known_arguments("lookUpSymbol")
    assert {"pattern", "path", "toolCallId"} <= known_arguments("grep")
    # In a path into the arguments, the first name is an argument.
    assert "todos" in known_arguments("updateTodos")
    assert not any("." in name for kind in OWN for name in known_arguments(kind))


@each(
    ("kind", "name", "is_list"),
    [
        *(("read", "path", False), ("glob", "targetDirectory", False)),
        *(("shell", "workingDirectory", False), ("delete", "filePath", False)),
        *(("readMcpResource", "downloadPath", False), ("readLints", "paths", True)),
        *(
            ("semSearch", "targetDirectories", True),
            ("aiAttribution", "filePaths", True),
        ),
        ("ls", "server", False),
    ],
)
def test_an_argument_is_a_path_by_its_name(kind: str, name: str, is_list: bool) -> None:
    spelled = [[path] if is_list else path for path in ("./b.py", "b.py")]

    compared = convert.compare(*(log(kind, {name: path}) for path in spelled))

    assert compared.is_different == (name == "server")


@pytest.mark.exhaustive
@each("kind", part(OWN, 4))
def test_each_argument_can_be_ignored_and_kept(kind: str) -> None:
    names = sorted(known_arguments(kind))
    kept = sorted(known_arguments(kind) | noise_members(kind))

    compare(READ, READ, ignore_arg=[f"{kind}.{name}" for name in names])
    compare(READ, READ, keep_arg=[f"{kind}.{name}" for name in kept])
    for option in ("ignore_arg", "keep_arg"):
        with pytest.raises(UsageError):
            compare(READ, READ, **{option: [f"{kind}.noSuchArgument"]})


@pytest.mark.parametrize("sides", [(0, 1), (1, 0)])
def test_a_name_that_one_log_has_is_right(sides: tuple[int, int]) -> None:
    newer = log("lookUpSymbol", {"symbol": "net"})
    more = log("read", {"path": "a", "revision": "HEAD"})
    logs = [READ, newer], [READ, more]

    a, b = (logs[0][side] for side in sides)
    compare(a, b, allow_extra=["lookUpSymbol"], ignore_arg=["lookUpSymbol.any"])
    a, b = (logs[1][side] for side in sides)
    compare(a, b, ignore_arg=["read.revision"])
    compare(a, b, keep_arg=["read.revision"])

    with pytest.raises(UsageError, match=r"'lookUpSymbol' \(no such tool in the logs"):
        compare(READ, READ, allow_extra=["lookUpSymbol"])
    with pytest.raises(UsageError, match=r"'read.revision' \("):
        compare(READ, READ, ignore_arg=["read.revision"])


def test_a_function_is_known_by_its_bare_name_if_a_log_has_it() -> None:
    call = {"function": {"name": "deploy.now", "arguments": '{"to":"test"}'}}
    event = {"type": "tool_call", "subtype": "completed", "call_id": "1"}
    made = [json.dumps(event | {"tool_call": call}).encode() + b"\n"]

    compare(READ, made, allow_extra=["deploy.now"])
    compare(READ, made, ignore_arg=["deploy.to", "deploy.from"])
    with pytest.raises(UsageError, match=r"\(did you mean deploy\.now\?\)"):
        compare(READ, made, allow_extra=["deploy.nov"])


def test_settings_are_checked_at_every_level() -> None:
    text = [b"An answer.\n"]

    compare(text, text, allow_extra=["read"])
    with pytest.raises(UsageError, match=r"\(did you mean read\?\)"):
        compare(text, text, allow_extra=["raed"])


def test_the_listings_are_those_of_the_docs() -> None:
    for name, words in CATEGORIES.items():
        assert f"\n| `{name}` | {words} | " in DOCS
    for name, words in RULES.items():
        assert f"\n| `{name}` | {words} |\n" in DOCS
    assert [*CATEGORIES] == [*get_args(Category)]
    for name in tools():
        assert f"\n{name} " in f"\n{listing('tools')}"
