"""The layout is as CONTRIBUTING says: who knows arguments, who touches the system."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pytest

from convert.tools import CONTENTS, LISTS_OF_PATHS, PATHS, known_arguments, tools
from support.matrix import each
from test_docs import ROOT

CODE = ROOT / "convert"
# The names of the arguments of every tool.
ARGUMENTS = set().union(CONTENTS, PATHS, LISTS_OF_PATHS, *map(known_arguments, tools()))
# Elsewhere, a name of one word such as `path` or `text` may mean anything.
UNMISTAKABLE = {name for name in ARGUMENTS if re.search("[A-Z_]", name)}
# They read the wire formats of this agent and of others, which have such names, too.
READERS = ["cursor/", "agents/"]
SYSTEM_CALLS = {
    "open",
    "print",
    "input",
    "os.open",
    "os.write",
    "sys.stdout.write",
    "sys.stderr.write",
    "subprocess.Popen",
    "subprocess.run",
    "tempfile.SpooledTemporaryFile",
    "tempfile.TemporaryDirectory",
    "tempfile.TemporaryFile",
    "tempfile.NamedTemporaryFile",
}


def names_an_argument(node: ast.AST) -> bool:
    """Return True for a name of an argument, or for looking one up by any name."""
    match node:
        case ast.Constant(value=str(name)):
            return name in UNMISTAKABLE
        case ast.Call(func=ast.Attribute(value=mapping, attr="get"), args=[key, *_]):
            return _is_argument(key) and _is_of_arguments(mapping)
        case ast.Subscript(value=mapping, slice=key):
            return _is_argument(key) and _is_of_arguments(mapping)
        case ast.Compare(left=key, comparators=[mapping]):
            return _is_argument(key) and _is_of_arguments(mapping)
        case ast.BinOp(left=mapping, right=ast.Dict(keys=keys)):
            return any(map(_is_argument, keys)) and _is_of_arguments(mapping)
    return False


def _is_of_arguments(node: ast.AST) -> bool:
    return "arguments" in ast.unparse(node)


def _is_argument(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in ARGUMENTS


def calls_the_system(node: ast.AST) -> bool:
    """Return True for a call that opens, writes or runs something."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as called):
            is_likely = any(call.endswith(name) for call in SYSTEM_CALLS)
            return is_likely and ast.unparse(called) in SYSTEM_CALLS
    return False


def places(has: Callable[[ast.AST], bool], words: Iterable[str]) -> Iterator[str]:
    """Yield the modules with such a node, as paths inside the package.

    One of the words is in each such module; the others are not parsed.
    """
    has_word = re.compile("|".join(map(re.escape, words)))
    for path in sorted(CODE.rglob("*.py")):
        text = path.read_text("utf-8")
        if has_word.search(text) and any(map(has, _nodes(text))):
            yield path.relative_to(CODE).as_posix()


@functools.cache
def _nodes(text: str) -> list[ast.AST]:
    return [*ast.walk(ast.parse(text))]


def named_in(begin: str) -> list[str]:
    """Return the places that CONTRIBUTING names in the sentences that begin so."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [line] = [line for line in text.splitlines() if begin in line]
    said = line[line.index(begin) :]
    found = re.findall(r"`([\w/.]+)`", said)
    return [name if name.endswith(".py") else f"{name}/" for name in found]


@pytest.mark.parametrize(
    ("begin", "has", "words", "others"),
    [
        # Nearly every module has to be parsed for it.
        pytest.param(
            "The arguments of single tools",
            names_an_argument,
            {*UNMISTAKABLE, "arguments"},
            READERS,
            marks=pytest.mark.seldom,
        ),
        (
            "Only `cli` and the commands of the wings write outputs",
            calls_the_system,
            {f"{name.rpartition('.')[2]}(" for name in SYSTEM_CALLS},
            [],
        ),
    ],
)
def test_only_the_named_modules_do_it(
    begin: str,
    has: Callable[[ast.AST], bool],
    words: Iterable[str],
    others: list[str],
) -> None:
    allowed = [*named_in(begin), *others]

    found = list(places(has, words))

    assert not [at for at in found if not at.startswith(tuple(allowed))]
    assert not [
        name for name in allowed if not any(at.startswith(name) for at in found)
    ]


@each(
    ("code", "names"),
    [
        ('x = call.arguments.get("path")', True),
        ('x = (call.arguments or {})["command"]', True),
        ('if "command" in arguments: pass', True),
        ('x = arguments | {"path": ""}', True),
        ('x = "streamContent"', True),
        ('x = settings.get("path")', False),
        ('x = arguments.get("no such name")', False),
    ],
)
def test_a_name_of_an_argument_is_seen(code: str, names: bool) -> None:
    assert any(map(names_an_argument, ast.walk(ast.parse(code)))) == names


# These catch what it refuses and keep halves of characters,
ENCODERS = ["agents/lines.py", "redact/events.py"]
# and these encode a text that is repaired, and paths of tests.
ENCODERS += ["cursor/stream_json.py", "suites/pytest_plugin.py"]


def encodes(node: ast.AST) -> bool:
    """Return True for the encoder of msgspec, which refuses half a character."""
    match node:
        case ast.Attribute(attr="encode" | "Encoder") as used:
            return ast.unparse(used.value) == "msgspec.json"
        case ast.ImportFrom(module="msgspec.json", names=names):
            return any(name.name in ("encode", "Encoder") for name in names)
    return False


def test_one_module_writes_the_values_of_logs_as_json() -> None:
    found = [*places(encodes, ["msgspec.json", "import json"])]

    assert [at for at in found if at not in ENCODERS] == ["model/json_lines.py"]


@each(
    ("code", "is_encoder"),
    [
        ("text = msgspec.json.encode(value)", True),
        ("encode = msgspec.json.Encoder().encode", True),
        ("from msgspec.json import decode, encode", True),
        ("value = msgspec.json.decode(text)", False),
        ("octets = text.encode()", False),
    ],
)
def test_an_encoder_is_seen(code: str, is_encoder: bool) -> None:
    assert any(map(encodes, ast.walk(ast.parse(code)))) == is_encoder


def test_a_constant_is_set_once() -> None:
    set_twice = []
    for path in CODE.rglob("*.py"):
        text = path.read_text("utf-8")
        names = Counter(re.findall(r"(?m)^(_?[A-Z][A-Z\d_]*)\b[^=\n]* = ", text))
        set_twice += [f"{path.name}: {name}" for name in names if names[name] > 1]

    assert not set_twice
