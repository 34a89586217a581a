"""Names and the places of their code, which is loaded when it is first used.

A package lists its objects for others (`exports`). A wing lists its rows in the tables
of the core, which imports no wing (`row`): commands, formats, reports and stores. A
place is `package.module.name`. So a name costs nothing until it is used, and all names
are known without an import.

To add a command, a format or a report to a wing, write its row there and name it here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def exports(package: str, modules: dict[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    `modules` has the names that each module defines, with blanks between them.
    """

    def load(name: str) -> Any:
        for module, names in modules.items():
            if name in names.split():
                return getattr(import_module(f"{package}.{module}"), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load


# A table of the core has rows of its own, and looks up other names here.
ROWS: dict[str, dict[str, str]] = {
    # The first words of a command line: see `cli.commands`.
    "commands": {
        "run": "convert.runner.commands.RUN",
        "stats": "convert.scale.commands.STATS",
        "table": "convert.scale.commands.TABLE",
        "matrix": "convert.suites.commands.MATRIX",
        "approve": "convert.suites.commands.APPROVE",
    },
    # The formats, many in a row: see `formats`.
    "formats": {"agents": "convert.agents.AGENT_ROWS"},
    # The work of a command on folders: outputs of `convert`, sides of `diff`.
    "folders": {
        "convert": "convert.scale.conversion.convert_into_folder",
        "diff": "convert.suites.diff_and_matrix.compare_folders",
    },
    # The reports of two logs: see `diff.reports`.
    "reports": {
        "junit": "convert.suites.case_comparison.junit",
        "github": "convert.suites.case_comparison.github",
        "gitlab": "convert.suites.case_comparison.gitlab",
    },
    # The tables of `table` that are made of two sides.
    "tables": {"findings": "convert.findings_table.write_findings"},
    # The work on objects at URLs: see `source.places`.
    "objects": {
        "check_place": "convert.scale.storage.objects.check_place",
        "forget": "convert.scale.storage.objects.forget",
        "has_below": "convert.scale.storage.objects.has_below",
        "look_up": "convert.scale.storage.objects.look_up",
        "look_up_anew": "convert.scale.storage.objects.look_up_anew",
        "look_up_one": "convert.scale.storage.objects.look_up_one",
        "object_pieces": "convert.scale.storage.objects.object_pieces",
        "paths_below": "convert.scale.storage.objects.paths_below",
        "upload": "convert.scale.storage.objects.Upload",
    },
}


def names(table: str) -> tuple[str, ...]:
    """Return the names of the rows that wings add to a table, in their order."""
    return tuple(ROWS[table])


def row(table: str, name: str) -> Any:
    """Return a row that a wing adds to a table; None if there is none."""
    place = ROWS[table].get(name)
    return load(place) if place else None


def loaded_row(table: str, name: str) -> Any:
    """Return a row whose module is loaded already; None for any other."""
    place = ROWS[table][name]
    return load(place) if place.rpartition(".")[0] in sys.modules else None


def load(place: str) -> Any:
    """Return the object at a place: a `package.module.name`."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)
