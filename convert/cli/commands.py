"""The commands, each of which is the module of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convert.options.option_set import OptionSet


class Command:
    """A command, in the words of its help.

    `logs` are the words that stand for its logs, one with dots for any number, `words`
    those that it takes otherwise: the choices for each of them. It is no named tuple,
    which takes Python some percent of the start to make.
    """

    def __init__(
        self,
        about: str,
        logs: tuple[str, ...] = (),
        words: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self.about = about
        self.logs = logs
        self.words = words


SHELLS = ("bash", "zsh", "fish", "powershell")
COMMANDS = {
    "convert": Command("convert logs; implied", ("[LOG]...",)),
    "show": Command("show a run in the terminal", ("LOG",)),
    "diff": Command("compare two runs", ("A", "B")),
    "stats": Command("count many runs", ("[LOG]...",)),
    "table": Command(
        "write the rows of a table, for DuckDB, pandas and the like",
        ("[LOG]...",),
        (("runs", "calls", "files", "findings"),),
    ),
    "matrix": Command("compare versions case by case", ("FOLDER...",)),
    "approve": Command("write the goldens of runs", ("RUN...",)),
    "formats": Command("list what each format keeps"),
    "completion": Command(
        "print a script that completes command lines in a shell",
        words=(SHELLS,),
    ),
}
IMPLIED = "convert"
HELP = "help"


def option_sets(command: str) -> tuple[type[OptionSet], ...]:
    """Return the options of a command, without loading those of others."""
    if command == "convert":
        from convert.cli.options import ConvertOptions
        from convert.options import Options, Reading

        return ConvertOptions, Options, Reading
    if command == "show":
        from convert.cli.report_options import ShowOptions
        from convert.options import Reading

        return ShowOptions, Reading
    if command == "diff":
        from convert.cli.report_options import DiffOptions
        from convert.options import Reading
        from convert.options.settings import Settings
        from convert.options.suite import SuiteSettings

        return DiffOptions, Settings, SuiteSettings, Reading
    if command == "stats":
        from convert.cli.report_options import StatsOptions
        from convert.options import Reading

        return StatsOptions, Reading
    if command == "table":
        from convert.cli.report_options import TableOptions
        from convert.options import Reading

        return TableOptions, Reading
    if command == "approve":
        from convert.cli.report_options import ApproveOptions
        from convert.options import Reading

        return ApproveOptions, Reading
    if command == "matrix":
        from convert.cli.report_options import MatrixOptions
        from convert.options import Reading

        return MatrixOptions, Reading
    return ()
