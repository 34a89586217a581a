"""The facts of a log as YAML, for Obsidian and static sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from convert.model.json_lines import json_text
from convert.transcript.pieces import FactList, Piece, Title
from convert.wording import compiled
from convert.wording.escapes import escape_controls
from convert.wording.markdown import ATTRIBUTES

_SHORT = ("state", "reason_kind")
# HTML, links and images, and attributes.
_ACTING = rf"<|\](?=[(\[])|{ATTRIBUTES}"


class FrontMatter:
    """Collects the facts of each run from the pieces of a transcript."""

    def __init__(self) -> None:
        self._runs: list[dict[str, str | int | Decimal]] = []

    def add(self, piece: Piece) -> None:
        """Add the facts of a piece."""
        match piece:
            case Title(text=text):
                self._runs.append({"title": text})
            case FactList(facts=facts):
                for fact in facts:
                    self._runs[-1].update(fact.values)

    def recorded(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Yield pieces, and add the facts of each."""
        for piece in pieces:
            self.add(piece)
            yield piece

    def write(self, most: int | None = None) -> str:
        """Write one mapping for one run; for several their number and a list.

        To keep to `most` bytes, the list or all long texts are dropped.
        """
        if len(self._runs) == 1:
            whole = _framed(_mapping(self._runs[0], ""))
            if most is None or len(whole.encode()) <= most:
                return whole
            # These are short; the body has the rest, too.
            short = {
                name: value
                for name, value in self._runs[0].items()
                if isinstance(value, int | Decimal) or name in _SHORT
            }
            return _framed(_mapping(short, ""))
        run_count = f"run_count: {len(self._runs)}"
        listed = []
        for run in self._runs:
            first, *others = _mapping(run, "    ")
            listed += [f"  - {first.lstrip()}", *others]
        whole = _framed([run_count, "runs:", *listed])
        is_long = most is not None and len(whole.encode()) > most
        return _framed([run_count]) if is_long else whole


def _framed(lines: list[str]) -> str:
    return "\n".join(["---", *lines, "---", ""])


def _mapping(values: Mapping[str, str | int | Decimal], indent: str) -> list[str]:
    return [f"{indent}{name}: {_scalar(value)}" for name, value in values.items()]


def _scalar(value: str | int | Decimal) -> str:
    """Write a number or a JSON string, which is YAML too without control characters.

    Signs that would act in Markdown are escaped: not every parser knows front matter.
    """
    if isinstance(value, int):
        # A flag is a number for Python, and `true` in YAML.
        return str(value).lower()
    if isinstance(value, Decimal):
        return f"{value:f}"
    string = json_text(escape_controls(value))
    return compiled(_ACTING).sub(lambda sign: f"\\u{ord(sign[0]):04x}", string)
