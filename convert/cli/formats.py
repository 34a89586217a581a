"""The command `formats`: whose logs are read, and what is written of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from convert.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from convert.formats import Format

_HELP = """\
usage: runconv formats

List the formats that are read, by the agents whose logs are in them, and those
that are written, with what each conversion keeps.
"""
_ANY_AGENT = "any agent"
_ANY_OTHER = "any other"
# Where the words begin on what is kept.
_COLUMN = 26


def main(arguments: list[str]) -> int:
    """Print the formats; return the exit status."""
    from convert.cli.destination import print_text

    if {*arguments} <= {"-h", "--help"}:
        print_text(_HELP if arguments else _formats())
        return ExitStatus.CONVERTED
    raise UsageError("formats takes no arguments; to convert a log: runconv LOG")


def _formats() -> str:
    """Return the formats that are read, and what is kept in those that are written."""
    from convert.formats import formats

    read = [format for format in formats().values() if format.reader]
    written = [format for format in formats().values() if format.writer]
    lines = [
        "Logs that are read (-f), by the agent that writes them:\n\n",
        *_read(read),
    ]
    lines.append("\nFormats that are written (-t), and what each keeps of a log:\n")
    for format in written:
        lines.append(f"\n{format.name}: {format.what}\n")
        lines += _columns(kept_by_most_last(format.name))
    return "".join(lines)


def _read(formats: list[Format]) -> Iterator[str]:
    """Yield a line for each format that is read, those of one agent together."""
    agents = [format.agent or _ANY_AGENT for format in formats]
    # Formats that many agents write, or runconv itself, come last.
    order = [name for name in dict.fromkeys(agents) if name != _ANY_AGENT]
    widths = [max(map(len, column)) for column in (agents, [f.name for f in formats])]
    for agent in [*order, _ANY_AGENT]:
        shown = agent
        for format, name in zip(formats, agents, strict=True):
            if name == agent:
                cells = (f"{shown:<{widths[0]}}", f"{format.name:<{widths[1]}}")
                yield f"  {'  '.join(cells)}  {format.what}\n"
                shown = ""


def kept_by_most_last(target: str) -> list[tuple[str, str]]:
    """Return what a conversion keeps of the sources, and last what it keeps of most.

    Sources of which the same is kept are named together.
    """
    from convert.formats import kept

    names: dict[str, list[str]] = {}
    for name, what in kept(target).items():
        names.setdefault(what, []).append(name)
    if not names:
        return []
    common = max(names, key=lambda what: len(names[what]))
    others = {what: of for what, of in names.items() if what != common}
    rows = [(", ".join(of), what) for what, of in others.items()]
    if len(names[common]) > 1:
        return [*rows, (_ANY_OTHER, common)]
    return [(", ".join(of), what) for what, of in names.items()]


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    for name, what in rows:
        begin = f"  from {name}"
        if len(begin) < _COLUMN:
            yield f"{begin:<{_COLUMN}}{what}\n"
        else:
            yield f"{begin}\n{' ' * _COLUMN}{what}\n"
