"""The templates of pages, which escape every text, and the filters that all use.

`timeline_svg` adds those of pages that show logs.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import os
import pkgutil
from types import SimpleNamespace
from typing import Any

import jinja2
from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    ModuleLoader,
    PackageLoader,
    StrictUndefined,
    nodes,
)
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from markupsafe import Markup, escape

from convert.wording.escapes import escape_controls
from convert.wording.numbers import count

# Templates as Python are in it, if a wheel has brought them.
FOLDER = os.path.dirname(__file__)


@functools.cache
def stylesheet(*names: str) -> SimpleNamespace:
    """Return the files of a page's style as one, with the hash that its policy allows.

    Their paths begin below `convert`.
    """
    # `importlib.resources` takes 8 ms more.
    style = b"".join(pkgutil.get_data("convert", name) or b"" for name in names)
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    return SimpleNamespace(text=Markup(style.decode()), hash=digest)


@functools.cache
def environment() -> Environment:
    """Return the environment of the templates, which escapes every text.

    A template is named by its path below `convert`: each package keeps its own.
    """
    compiled = os.path.join(FOLDER, compiled_name())
    is_compiled = os.path.isdir(compiled)
    made = Environment(
        loader=ModuleLoader(compiled) if is_compiled else PackageLoader("convert", ""),
        bytecode_cache=None if is_compiled else _cache(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=html_of,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.code_generator_class = _Generator
    made.filters |= {
        "capitalize_first": lambda text: f"{text[:1].upper()}{text[1:]}",
        "count_of": count,
        "percent": percent,
        "thousands": lambda number: f"{number:,}",
    }
    return made


def compiled_name() -> str:
    """Return the name of the folder in which a wheel has the templates as Python.

    Another version of jinja2 may be unable to run them, and compiles its own.
    """
    return f"compiled-{_jinja2_version()}"


def _jinja2_version() -> str:
    # Later versions may lack the attribute, or warn of it.
    if version := vars(jinja2).get("__version__"):
        return str(version)
    from importlib import metadata

    return metadata.version("jinja2")


def _cache() -> FileSystemBytecodeCache | None:
    """Return the cache of a checkout, in a temporary folder that is the user's own.

    The first page compiles its templates, which costs as much as all else in it.
    """
    code = pkgutil.get_data("convert", "pages/environment.py") or b""
    made_by = f"{_jinja2_version()}-{hashlib.sha1(code).hexdigest()[:8]}"
    try:
        return _Cache(pattern=f"runconv-{made_by}-%s.cache")
    except (OSError, RuntimeError):
        # There is no such folder, or others can write to it.
        return None


class _Cache(FileSystemBytecodeCache):
    """A cache that may stay empty, as on a full disk."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def percent(number: float) -> str:
    """Write a place or a width: `12.5%`."""
    return f"{number:.2f}".rstrip("0").rstrip(".") + "%"


def html_of(value: Any) -> str:
    """Return a value as HTML; signs that control or hide text become visible.

    HTML of ours stays. Most values have nothing to escape: to look for the five signs
    before that takes less than half as many instructions as to make each a `Markup`,
    which saves a fifteenth of a long page.
    """
    if type(value) is Markup:
        return value
    text = value if type(value) is str else str(value)
    if not text:
        return text
    if not (text.isascii() and text.isprintable()):
        text = escape_controls(text)
    if "<" in text or ">" in text or "&" in text or '"' in text or "'" in text:
        return escape(text)
    return text


class _Generator(CodeGenerator):
    """Writes the code of a template with fewer calls, which saves a sixth of a page.

    A value is escaped by `finalize` alone, an attribute is looked up and a function
    called as in Python, and a macro is such a function, which needs all its arguments.
    """

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Call(  # noqa: N802
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        if node.kwargs or node.dyn_args or node.dyn_kwargs or forward_caller:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("macro")

    def return_buffer_contents(
        self, frame: Frame, force_unescaped: bool = False
    ) -> None:
        super().return_buffer_contents(frame)

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        self.write("environment.finalize(")

    def _output_child_post(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        self.write(")")
