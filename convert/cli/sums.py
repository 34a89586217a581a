"""Messages about many logs in sum: a line a kind, with the first logs that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from convert.cli.logs import name_of
from convert.cli.messages import Told, redacted_words, say, unknown_words
from convert.errors import warning

# How many logs are named for a kind.
_NAMED = 3


class _Kind(Struct):
    """A kind of warning over several logs."""

    times: int = 0
    places: list[str] = []
    """Each log that has it, with the first line."""

    def __str__(self) -> str:
        """Write how often and where it was: `5 times in 2 logs: a:7, b:1`."""
        named = ", ".join(self.places[:_NAMED])
        more = len(self.places) - _NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        return f"{self.times:,} times {_in(len(self.places))}: {named}{rest}"


def say_sums(told: Iterable[tuple[str, Told]], fate: str = "not counted") -> None:
    """Print what was to tell about logs, which are named by their paths.

    `fate` tells what becomes of events of unknown types.
    """
    logs = [*told]
    for (reason, action), found in _kinds(logs).items():
        what = warning(reason, action)
        is_single = found.times == 1
        say(f"{found.places[0]}: {what}" if is_single else f"{what}: {found}", "yellow")
    for what, count in Counter(
        what for _, each in logs for what in each.notices
    ).items():
        say(f"notice: {what}, {_in(count)}", None)
    if unknown := [each.unknown for _, each in logs if each.unknown]:
        words = unknown_words(_total(unknown), fate)
        say(f"notice: {words}, {_in(len(unknown))}", None)
    if redacted := [each.redacted for _, each in logs if each.redacted is not None]:
        words = redacted_words(_total(redacted))
        places = sum(map(bool, redacted))
        say(f"notice: {words}, {_in(places or len(redacted))}", None)


def _kinds(logs: list[tuple[str, Told]]) -> dict[tuple[str, str], _Kind]:
    """Return the warnings by their reason and action."""
    kinds: dict[tuple[str, str], _Kind] = {}
    for path, each in logs:
        for kind, (times, line) in each.warnings.items():
            found = kinds.setdefault(kind, _Kind())
            found.times += times
            found.places.append(f"{name_of(path)}:{line}" if line else name_of(path))
    return kinds


def _total(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def _in(logs: int) -> str:
    from convert.wording.numbers import count

    return f"in {count(logs, 'log')}"
