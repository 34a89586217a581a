"""The command `formats`: the formats, and what conversions between them keep."""

from __future__ import annotations

from convert.errors import ExitStatus, UsageError

_HELP = """\
usage: runconv formats

List the formats that are read and written, and what each conversion keeps.
"""


def main(arguments: list[str]) -> int:
    """Print the formats; return the exit status."""
    from convert.cli.destination import print_text

    if {*arguments} <= {"-h", "--help"}:
        print_text(_HELP if arguments else _formats())
        return ExitStatus.CONVERTED
    raise UsageError("formats takes no arguments; to convert a log: runconv LOG")


def _formats() -> str:
    """Return each format, with what a conversion to it keeps of each source."""
    from convert.formats import FORMATS, kept

    lines = ["Formats that are read (-f) and written (-t). What is kept:\n"]
    for format in FORMATS.values():
        note = "" if format.reader else "; written only"
        lines.append(f"\n{format.name}: {format.what}{note}\n")
        lines.extend(
            f"  from {name:<12} {what}\n" for name, what in kept(format.name).items()
        )
    return "".join(lines)
