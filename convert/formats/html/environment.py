"""The templates of pages, with the filters that they use."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from convert.facts.figures import FileChange
from convert.formats.html.page import moment, silence_of
from convert.formats.html.prose import is_safe, prose, prose_line
from convert.model.events import OutcomeStatus
from convert.pictures.columns import Column
from convert.pictures.rows import CallRow
from convert.pictures.timeline import TOP
from convert.wording.numbers import count, duration
from convert.wording.sanitise import escape_controls, one_line, strip_controls

# The class of a call that did not succeed.
_CLASSES: dict[OutcomeStatus, str] = {
    "error": "failed",
    "rejected": "rejected",
    "unfinished": "unfinished",
}


@functools.cache
def environment() -> Environment:
    """Return the environment of the templates, which escapes every text."""
    made = Environment(
        loader=PackageLoader("convert.formats.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"style": Markup(_style()), "style_hash": _hash(_style())}
    made.globals |= {"top": TOP}
    made.filters |= {
        "area": _area,
        "clock": moment,
        "count_of": count,
        "diff_lines": diff_lines,
        "duration": duration,
        "hover": _hover,
        "is_safe": is_safe,
        "kind": lambda value: type(value).__name__,
        "lines_of": _lines_of,
        "message": lambda text: strip_controls(text).strip(),
        "one_line": lambda text: one_line(text)[:400],
        "percent": _percent,
        "prose": lambda text: Markup(prose(text)),
        "prose_line": lambda text: Markup(prose_line(text)),
        "silence": silence_of,
        "status_class": _CLASSES.__getitem__,
        "thousands": lambda number: f"{number:,}",
    }
    return made


def _visible(value: Any) -> Any:
    """Show what would control or hide text; HTML of ours stays."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape_controls(value)
    return value


@functools.cache
def _style() -> str:
    return files("convert.formats.html").joinpath("style.css").read_text("utf-8")


def _hash(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _percent(number: float) -> str:
    """Write a place or a width: `12.5%`."""
    return f"{number:.2f}".rstrip("0").rstrip(".") + "%"


def diff_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a diff, each after the sign of what it is."""
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith(("@@", "---", "+++")):
            yield "@", line
        else:
            yield line[:1], line


def _hover(row: CallRow) -> str:
    took = row.section.took if row.section else ""
    about = ", ".join(filter(None, (row.ending, took)))
    subject = row.subject if len(row.subject) <= 60 else f"{row.subject[:59]}…"
    return f"{row.number} {row.label} {subject}" + (f" – {about}" if about else "")


def _lines_of(change: FileChange | None) -> str:
    """Say how many lines of a file were added and removed."""
    if change is None:
        return ""
    if change.added is None or change.removed is None:
        return change.status
    return f"{change.status} +{change.added:,} −{change.removed:,}".strip()


def _area(columns: list[Column], is_failed: bool) -> Markup:
    """Return the path of columns from the lower edge, or of the failed part on top."""
    path = []
    for place, column in enumerate(columns):
        height = column.failed if is_failed else column.share
        if height > 0:
            low = 1 - column.share + column.failed if is_failed else 1
            path.append(f"M{place} {low:.3f}v{-height:.3f}h1v{height:.3f}z")
    return Markup(escape("".join(path)))
