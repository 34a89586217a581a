"""The rows that wings add: each place names something, and no other module does."""

from __future__ import annotations

from convert import registry
from convert.cli.commands import commands
from convert.diff import reports as of_comparisons
from convert.scale.stats import reports as of_many_runs
from convert.suites import reports as of_suites
from support.matrix import each

PLACES = {place for rows in registry.ROWS.values() for place in rows.values()}
for command in commands().values():
    PLACES |= {command.main, *command.options, *filter(None, [command.page])}
for reports in (of_comparisons, of_suites, of_many_runs):
    PLACES |= {*reports.PLACES.values()}


@each("place", sorted(PLACES))
def test_each_place_names_something(place: str) -> None:
    assert registry.load(place) is not None


def test_a_name_without_a_row_loads_nothing() -> None:
    assert registry.row("commands", "logs") is None
