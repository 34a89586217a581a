"""The help of a command, the list of formats, and the example logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from convert.cli.commands import (
    ANY_LOGS,
    HELP,
    INPUT,
    MESSAGES,
    OUTPUT,
    REPORT,
    Given,
    Page,
    command_named,
    commands,
    option_sets,
)
from convert.cli.destination import print_text
from convert.errors import ExitStatus, UsageError
from convert.options.option_set import SECRETS, Option, invalid_value
from convert.registry import load

if TYPE_CHECKING:
    from convert.formats import Format

# The commands stand between both, as their table has them.
_OVERVIEW = """\
usage: runconv [COMMAND] [LOG]... [OPTION]...

Read, convert and compare the logs of coding agents, such as Cursor, Claude
Code, Codex and opencode. Without a command, runconv converts.

"""
_EXAMPLES = """\

  runconv show @1                    look at the newest run of runconv list
  runconv run.ndjson -o run.html     write a page of it; run.md: a transcript
  runconv diff a.ndjson b.ndjson     compare two runs
  runconv stats logs/                count the runs of a folder
  runconv run -- agent -p --output-format stream-json PROMPT
                                     run an agent, and see what it does

Options: runconv COMMAND --help, with rare ones: COMMAND --help all
Formats: runconv formats. Manual: man runconv, man runconv-diff and so on.
"""

_CONVERT = """\
usage: runconv [convert] [LOG]... [-f FORMAT] [-t FORMAT] [-o PATH] [OPTION]...

Convert the logs of agents: Cursor, Claude Code, Codex and opencode.

  runconv run.ndjson                     print one line per tool call
  runconv run.ndjson --detail --answer   add the file or command, and the answer
  runconv run.ndjson -o run.md           write a Markdown transcript
  runconv run.ndjson -t json             print the json summary of the run
  runconv logs -t markdown -o transcripts/
                                         write a transcript per log of a folder
  agent -p --output-format stream-json 'fix the tests' | runconv
                                         print each line when its call ends
  codex exec --json 'fix the tests' | runconv
                                         the same of another agent
  agent ... | runconv --exit-status      exit 1 if the run did not succeed
  runconv run --log run.ndjson -- agent ...
                                         keep the log, and make sure that the
                                         run ends: runconv run --help
"""
_CONVERT_STATUS = """\
exit status:
  0    converted
  1    a run has no result (-t json without --partial), or did not succeed
       (--exit-status)
  2    bad usage, a log that cannot be read, or a warning (--strict)
  130  interrupted
  141  the output pipe was closed early
"""

_LIST = """\
usage: runconv list [FOLDER]... [OPTION]...

List the runs where Claude Code and Codex keep their sessions, or those in
folders, the newest first. Each has a name that any command takes for a log: an
id that stays, as in @3f0c6a52, or its number, so that @1 is the newest run. In
a folder that is logs/@3f0c6a52 or logs/@1.

  runconv list                           list the runs of this machine
  runconv list logs                      list those in a folder
  runconv show @1                        look at the newest one
  runconv diff @2 @1                     compare it with the one before it
  runconv list | grep shop               search projects and prompts
"""
_LIST_STATUS = """\
exit status:
  0    listed, however the runs ended
  2    bad usage, or a folder that cannot be read
  130  interrupted
  141  the output pipe was closed early
"""

_SHOW = """\
usage: runconv show [LOG] [-F] [OPTION]...

Show a run in the terminal: how it ended, a timeline of its calls, the failures
that stay unresolved, the agent's last words, and every call by chapter. Output
longer than the screen goes to the program that PAGER names, else to less.

  runconv show run.ndjson                look at a run that has ended
  runconv show @1                        look at the newest run: runconv list
  runconv show logs                      look at the newest run of a folder
  runconv show -F run.ndjson             follow the run that writes this file
  agent ... | runconv show -F            follow a run from a pipe
"""
_SHOW_STATUS = """\
exit status:
  0    shown
  2    bad usage, a log that cannot be read, or a warning (--strict)
  130  interrupted
  141  the output pipe was closed early
"""

_DIFF = """\
usage: runconv diff A B [OPTION]...

Compare two logs, A the baseline and B the candidate: the tool calls, how each
of them ended, which files the run changed, how the run ended, and the final
text. Ids, clocks, working directories and other noise do not count; --verbose
shows the rules that were used. Runs of two agents are compared by the facts
that both logs record. For two folders, with one run of each task or several,
one sentence says if the new version is worse.

  runconv diff old.ndjson new.ndjson      print a table, or one line if they are
                                          the same
  runconv diff old.ndjson new.ndjson -q   set the exit status only
  runconv diff old.ndjson new.ndjson --fail-on major
                                          accept moved calls and a reworded text
  agent ... | runconv diff kept.ndjson -  compare a run with a log that was kept
  runconv diff monday/ tuesday/           compare two versions of an agent, a
                                          folder of runs each
"""
_LOGS = (
    "A B",
    "the logs, in any format that is read; one of them may be - for stdin; or two"
    " folders of logs",
)
_DIFF_STATUS = """\
exit status:
  0    no difference at or above --fail-on; of two folders, the new version
       is no worse or better, or the runs are too few to tell
  1    a difference at or above --fail-on; of two folders, the new version is
       worse or different
  2    bad usage, a log that cannot be read or lacks a part that --require
       names, or a warning (--strict); of two folders, nothing can be compared
  130  interrupted
  141  the output pipe was closed early
"""


_WIDTH = 80
# After --help, the word for every option.
ALL = "all"
CONVERT = Page(_CONVERT, ANY_LOGS, _CONVERT_STATUS)
LIST = Page(
    _LIST,
    ("FOLDER", "folders of logs; nothing is where agents keep their sessions"),
    _LIST_STATUS,
)
SHOW = Page(
    _SHOW,
    (
        "LOG",
        "a log of an agent, the name of a run such as @1, or a folder for the newest"
        " run in it; - or nothing is standard input",
    ),
    _SHOW_STATUS,
)
DIFF = Page(_DIFF, _LOGS, _DIFF_STATUS)


def pages() -> dict[str, Page]:
    """Return the help of each command that has options, by the name of the command."""
    return {name: page_of(name) for name, row in commands().items() if row.page}


def page_of(command: str) -> Page:
    """Return the parts of the help of a command."""
    row = command_named(command)
    assert row is not None
    page: Page = load(row.page)
    return page


def print_overview() -> int:
    """Print the commands and some examples; return the exit status."""
    print_text(overview())
    return ExitStatus.CONVERTED


def overview() -> str:
    """Return the help of the program: all commands, in one screen."""
    rows = {name: row.about for name, row in commands().items()}
    rows[HELP] = "print the help of a command, as in runconv help diff"
    widest = max(map(len, rows))
    listed = [f"  {name:<{widest}}  {about}\n" for name, about in rows.items()]
    return "".join([_OVERVIEW, *listed, _EXAMPLES])


def print_help(command: str, words: Sequence[str] = ()) -> int:
    """Print the help of a command; return the exit status.

    The word `all` adds the rare options.
    """
    print_text(help_of(command, has_rare=ALL in words))
    return ExitStatus.CONVERTED


def help_of(command: str, has_rare: bool = True) -> str:
    """Return the help of a command."""
    page = page_of(command)
    parts = [
        f"{heading}:\n" + "".join(_entry(*option) for option in options)
        for heading, options in sections(command, has_rare)
    ]
    return "\n".join([page.intro, *parts, page.status])


def sections(
    command: str, has_rare: bool = True
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield a heading, and its options with their descriptions, for each section."""
    first, last = (INPUT, OUTPUT), (REPORT, SECRETS, MESSAGES, HELP)
    rows = [
        row
        for kind in option_sets(command)
        for row in kind.options().values()
        if has_rare or not row.is_rare
    ]
    used = dict.fromkeys(row.section for row in rows)
    between = [name for name in used if name not in (*first, *last)]
    for name in (*first, *between, *last):
        if name in used:
            options = [page_of(command).logs] if name == INPUT else []
            options += [
                (_synopsis(row), row.description) for row in rows if row.section == name
            ]
            yield name, options


def _synopsis(row: Option) -> str:
    flags = ", ".join(row.flags)
    if row.is_negatable:
        flags = flags.replace("--", "--[no-]", 1)
    return f"{flags} {row.metavar}".rstrip()


def _entry(synopsis: str, description: str) -> str:
    """Lay out one option: its synopsis, and its description in a column."""
    lines = [f"  {synopsis}"]
    if len(lines[0]) > _COLUMN - 2:
        lines.append("")
    lines[-1] = lines[-1].ljust(_COLUMN - 1)
    for word in description.split(" "):
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(" " * (_COLUMN - 1))
        lines[-1] += f" {word}"
    return "".join(f"{line}\n" for line in lines)


def print_schema(place: str, given: Given, *options: str) -> int:
    """Print the JSON Schema in a file of the package; return the exit status.

    `options` may be named next to --schema.
    """
    if given.logs or not given.names <= {"schema", *options}:
        raise UsageError("--schema takes no logs and no other option")
    print_text(_content(*place.split("/")))
    return ExitStatus.CONVERTED


def _content(*place: str) -> str:
    """Return the text of a file in the package."""
    from importlib.resources import files

    return files("convert").joinpath(*place).read_text("utf-8")


EXAMPLES = ("baseline", "candidate")


def example(words: Sequence[str]) -> str:
    """Return the log that the words after `--example` name; the baseline for none."""
    name = " ".join(words) or EXAMPLES[0]
    if name not in EXAMPLES:
        raise invalid_value("--example", name, f"choose from {', '.join(EXAMPLES)}")
    return _content("cli", "examples", f"{name}.ndjson")


_FORMATS = """\
usage: runconv formats

List the formats that are read, by the agents whose logs are in them, and those
that are written, with the facts that each conversion keeps.
"""
_ANY_AGENT = "any agent"
# Where the second column begins.
_COLUMN = 26


def list_formats(arguments: list[str]) -> int:
    """Print the formats; return the exit status."""
    if {*arguments} <= {"-h", "--help"}:
        print_text(_FORMATS if arguments else _formats())
        return ExitStatus.CONVERTED
    raise UsageError("formats takes no arguments; to convert a log: runconv LOG")


def _formats() -> str:
    """Return the formats that are read, and the facts that written formats keep."""
    from convert.formats import formats

    read = [format for format in formats().values() if format.reader]
    written = [format for format in formats().values() if format.writer]
    lines = [
        "Logs that are read (-f), by the agent that writes them:\n\n",
        *_read(read),
        "\nFormats that are written (-t), and the facts of a log that each keeps:\n",
    ]
    for format in written:
        lines.append(f"\n{format.name}: {format.description}\n")
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
                yield f"  {'  '.join(cells)}  {format.description}\n"
                shown = ""


def kept_by_most_last(target: str) -> list[tuple[str, str]]:
    """Return sources and the facts that a conversion keeps of them, most sources last.

    Sources with the same facts are named together.
    """
    from convert.formats import kept

    sources: dict[str, list[str]] = {}
    for name, facts in kept(target).items():
        sources.setdefault(facts, []).append(name)
    rows = [(", ".join(names), facts) for facts, names in sources.items()]
    common = max(sources, key=lambda facts: len(sources[facts]), default="")
    if len(sources.get(common, ())) > 1:
        rows = [*(row for row in rows if row[1] != common), ("any other", common)]
    return rows


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    for sources, facts in rows:
        begin = f"  from {sources}"
        is_short = len(begin) < _COLUMN
        yield begin.ljust(_COLUMN) if is_short else f"{begin}\n{' ' * _COLUMN}"
        yield f"{facts}\n"
