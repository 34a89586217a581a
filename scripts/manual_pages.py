"""The manual pages of the commands, from their help; `scripts/manual` writes them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from convert.cli import IMPLIED, command_named, pages, sections
from convert.cli.commands import commands

_ENVIRONMENT = {
    "COLUMNS": "The width of tables and views where there is no terminal.",
    "NO_COLOR": "If it is not empty, nothing is coloured.",
    "CLICOLOR_FORCE, FORCE_COLOR": "If one is neither empty nor 0, output is coloured"
    " in a pipe, too.",
    "PAGER": "The program that shows output longer than the screen.",
    "TMPDIR": "Where a long document waits until its log ends.",
}


def manual_pages() -> dict[str, str]:
    """Return the text of each page, in the language of man, by its file name."""
    return {f"{_name(command)}.1": "".join(_page(command)) for command in pages()}


def _name(command: str) -> str:
    return "runconv" if command == IMPLIED else f"runconv-{command}"


def _page(command: str) -> Iterator[str]:
    name, page = _name(command), pages()[command]
    usage, about, examples = _parts(page.intro)
    purpose = "read the logs of coding agents"
    if command != IMPLIED and (row := command_named(command)):
        purpose = row.about
    yield f'.TH {name.upper()} 1 "" runconv "User Commands"\n'
    yield f".SH NAME\n{_escaped(name)} \\- {_escaped(purpose)}\n"
    yield f".SH SYNOPSIS\n.nf\n{_escaped(usage)}\n.fi\n"
    yield f".SH DESCRIPTION\n{_escaped(about)}\n"
    yield f".SH EXAMPLES\n.nf\n{_escaped(examples)}\n.fi\n"
    if command == IMPLIED:
        yield ".SH COMMANDS\n"
        for other, row in commands().items():
            yield _entry_of_man(other, row.about)
    yield ".SH OPTIONS\n"
    for heading, options in sections(command):
        yield f".SS {_escaped(heading)}\n"
        yield from itertools.starmap(_entry_of_man, options)
    _, _, status = page.status.strip("\n").partition("\n")
    yield f".SH EXIT STATUS\n.nf\n{_escaped(status)}\n.fi\n"
    yield ".SH ENVIRONMENT\n"
    yield from itertools.starmap(_entry_of_man, _ENVIRONMENT.items())
    others = [_name(other) for other in pages() if other != command]
    yield ".SH SEE ALSO\n"
    yield ",\n".join(f".BR {_escaped(other)} (1)" for other in others) + "\n"


def _parts(intro: str) -> tuple[str, str, str]:
    """Return the usage, the description and the examples of a help."""
    usage, about, *examples = intro.strip("\n").split("\n\n")
    usage = re.sub(r"^(?:usage:|      ) ", "", usage, flags=re.MULTILINE)
    return usage, about, "\n\n".join(examples)


def _entry_of_man(term: str, description: str) -> str:
    return f".TP\n.B {_escaped(term)}\n{_escaped(description)}\n"


def _escaped(text: str) -> str:
    r"""Escape the commands of man in a text: `\`, `-`, and `.` in front."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", "\\\\&", text, flags=re.MULTILINE)
