"""The facts of a log as YAML, for Obsidian and static sites."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from convert.transcript.pieces import FactTable, Piece, Title
from convert.wording.sanitise import escape_controls

Values = dict[str, str | int]


class FrontMatter:
    """Gathers what the pieces of a transcript record of its runs."""

    def __init__(self) -> None:
        self._runs: list[Values] = []

    def add(self, piece: Piece) -> None:
        """Take the facts that a piece holds."""
        match piece:
            case Title(text=text):
                self._runs.append({"title": text})
            case FactTable(facts=facts):
                for fact in facts:
                    self._runs[-1].update(fact.values)

    def write(self, most: int | None = None) -> str:
        """One mapping for one run; for several their number and a list of them.

        What would take more than `most` bytes is left out: the list, or long texts.
        """
        if len(self._runs) == 1:
            whole = _framed(_mapping(self._runs[0], ""))
            if most is None or len(whole.encode()) <= most:
                return whole
            # Numbers and the state are short; the rest stands in the body, too.
            short = {
                name: value
                for name, value in self._runs[0].items()
                if isinstance(value, int) or name == "state"
            }
            return _framed(_mapping(short, ""))
        number = f"run_count: {len(self._runs)}"
        listed = []
        for run in self._runs:
            first, *others = _mapping(run, "    ")
            listed += [f"  - {first.lstrip()}", *others]
        whole = _framed([number, "runs:", *listed])
        is_long = most is not None and len(whole.encode()) > most
        return _framed([number]) if is_long else whole


def _framed(lines: list[str]) -> str:
    return "\n".join(["---", *lines, "---", ""])


def _mapping(values: Mapping[str, str | int], indent: str) -> list[str]:
    return [f"{indent}{name}: {_scalar(value)}" for name, value in values.items()]


def _scalar(value: str | int) -> str:
    """A number, or a string of JSON, which is one of YAML if all of it is visible."""
    if isinstance(value, int):
        return str(value)
    return msgspec.json.encode(escape_controls(value)).decode()
