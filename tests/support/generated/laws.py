"""Laws that hold for each log; an input tries a few of them, chosen by its dice."""

from __future__ import annotations

import contextlib
import functools
import json
import random
from collections.abc import Callable
from importlib import resources
from typing import Any

import convert
from convert.diff import REPORTS, Comparison
from convert.formats import writers
from convert.pipeline import Log
from support.generated import Input, choices, commands
from support.promises import (
    NUMBER,
    Outcome,
    check_conversion,
    converted,
    has_glued_events,
    is_alike,
    without_numbers,
)
from support.promises_of_diff import check_for_people
from support.trial import BrokenError, Trial

Law = Callable[[Input, random.Random], Trial]


def trials(made: Input, dice: random.Random) -> list[Trial]:
    """Return the laws to try for an input: one or two, and that of its secrets."""
    names = dice.choices([*LAWS], [share for _, share in LAWS.values()], k=1)
    tried = [LAWS[name][0](made, dice) for name in names]
    if made.secrets:
        tried.append(
            dice.choice([*[_no_secret] * 4, _no_secret_in_reports])(made, dice)
        )
    return tried


def _converts(made: Input, dice: random.Random) -> Trial:
    """Nothing but documented errors, and the promises of the format."""
    target, options = choices.target(dice), choices.conversion(dice)
    seed = dice.random()

    def run(log: bytes) -> None:
        pieces = choices.pieces(log, random.Random(seed))
        outcome = converted(pieces, target, options)
        check_conversion(target, pieces, outcome, options)

    return Trial(f"convert to {target}, {options}, seed {seed}", run)


def _same_for_any_pieces(made: Input, dice: random.Random) -> Trial:
    """The same output, errors and warnings however the bytes arrive."""
    target, options = choices.target(dice), choices.conversion(dice)
    seed = dice.random()

    def run(log: bytes) -> None:
        whole = converted([log], target, options)
        cut = converted(choices.pieces(log, random.Random(seed)), target, options)
        if whole != cut and not (has_glued_events(log) and is_alike(whole, cut)):
            raise BrokenError(f"other pieces change the {_difference(whole, cut)}")

    return Trial(f"convert to {target} in two ways, {options}, seed {seed}", run)


def _difference(one: Outcome, other: Outcome) -> str:
    if one.error != other.error:
        return "error"
    return "warnings" if one.written == other.written else "output"


def _survives_stream_json(made: Input, dice: random.Random) -> Trial:
    """A clean copy of a log converts to the same text as the log."""
    target = dice.choice([name for name in writers() if name != "stream-json"])
    options = choices.draw(convert.Options, dice)

    def run(log: bytes) -> None:
        direct = converted([log], target, options | {"format": "stream-json"})
        copy = converted([log], "stream-json", {"format": "stream-json"})
        if copy.error is not None or _loses_events(copy):
            return
        again = converted([copy.written], target, options | {"format": "stream-json"})
        if without_numbers(direct) != without_numbers(again):
            raise BrokenError(f"the stream-json of a log makes other {target}")

    return Trial(f"convert to stream-json and then to {target}, {options}", run)


def _loses_events(copy: Outcome) -> bool:
    """Return True if the copy lacks a line that is no event, and may be a message."""
    return any(message for _, message in copy.warnings) or copy.written.count(b"\n") < 1


def _equals_itself(made: Input, dice: random.Random) -> Trial:
    """A log does not differ from itself, in whatever pieces it comes."""
    settings, look = choices.settings(dice), choices.look(dice)
    reading = choices.reading(dice)
    name = dice.choice([*REPORTS])
    seed = dice.random()

    def run(log: bytes) -> None:
        compared = _compared(
            [log], choices.pieces(log, random.Random(seed)), settings, reading
        )
        if compared is None:
            return
        if compared.is_different and not _has_limits(settings):
            raise BrokenError("diff: a log differs from itself")
        _check_report(compared, name, look)

    what = f"compare with itself, {name}, {settings}, {reading}, {look}, seed {seed}"
    return Trial(what, run)


def _has_limits(settings: convert.Settings) -> bool:
    """Return True if only the candidate has limits, or a part is required."""
    limits = (settings.max_duration, settings.max_tokens, settings.max_calls)
    return any(limit is not None for limit in (*limits, settings.max_errors)) or any(
        ratio is not None and ratio < 1
        for ratio in (
            settings.max_duration_ratio,
            settings.max_tokens_ratio,
            settings.max_calls_ratio,
        )
    )


def _compares(made: Input, dice: random.Random) -> Trial:
    """The report on two logs is clean, and does not depend on pieces."""
    settings, look = choices.settings(dice), choices.look(dice)
    name = dice.choice([*REPORTS])
    seed = dice.random()
    other = made.retold()

    def run(log: bytes) -> None:
        compared = _compared([log], [other], settings)
        if compared is None:
            return
        report = _check_report(compared, name, look)
        cut = choices.pieces(log, random.Random(seed))
        again = _compared(cut, [other], settings)
        other_report = "" if again is None else convert.report(again, name, **look)
        if has_glued_events(log):
            report, other_report = (NUMBER.sub("", it) for it in (report, other_report))
        if other_report != report:
            raise BrokenError("diff: other pieces change the report")

    return Trial(f"compare, {name}, {settings}, {look}, seed {seed}", run, other)


def _compared(
    a: Log,
    b: Log,
    settings: convert.Settings,
    reading: convert.Reading | None = None,
) -> Comparison | None:
    with contextlib.suppress(convert.RunconvError):
        return convert.compare(a, b, settings=settings, reading=reading)
    return None


def _check_report(compared: Comparison, name: str, look: dict[str, Any]) -> str:
    report = convert.report(compared, name, **look)
    report.encode()
    if REPORTS[name].shown_as == "text":
        check_for_people(name, report)
    if name == "json":
        value = json.loads(report)
        if error := next(_schema().iter_errors(value), None):
            raise BrokenError(f"diff: the json breaks its schema: {error.message[:80]}")
    return report


@functools.cache
def _schema() -> Any:
    import jsonschema_rs

    file = resources.files("convert.diff").joinpath("report.schema.json")
    return jsonschema_rs.Draft202012Validator(json.loads(file.read_text("utf-8")))


def _no_secret(made: Input, dice: random.Random) -> Trial:
    """None of the secrets is in an output, a warning or an error."""
    target = choices.target(dice)
    options = choices.conversion(dice, is_redacted=True)
    if made.is_in_context:
        # As plain text, JSON may have them as escapes; a limit may leave them out.
        options = {"reading": convert.Reading(redact=True)}
    # In pieces, a log is read once: a secret that is found late stays in earlier lines.
    is_live = not made.is_found_elsewhere and dice.random() < 0.4

    def run(log: bytes) -> None:
        outcome = converted([log] if is_live else log, target, options)
        shown = outcome.written.decode(errors="replace")
        messages = f"{outcome.error} {outcome.warnings}"
        if made.shown(log, shown):
            raise BrokenError(f"redact: a secret in the {target}")
        if made.shown(log, messages):
            raise BrokenError("redact: a secret in a message")

    what = f"redact to {target}, {options}, live {is_live}, {made.secrets}"
    return Trial(what, run)


def _no_secret_in_reports(made: Input, dice: random.Random) -> Trial:
    settings, look = choices.settings(dice), choices.look(dice)
    name = dice.choice([*REPORTS])
    other = made.retold()
    reading = convert.Reading(redact=True)

    def run(log: bytes) -> None:
        compared = _compared(log, other, settings, reading)
        if compared is not None:
            report = convert.report(compared, name, **look)
            if made.shown(log, report):
                raise BrokenError(f"redact: a secret in the {name}")

    return Trial(f"redact in {name}, {settings}, {look}, {made.secrets}", run, other)


LAWS: dict[str, tuple[Law, float]] = {
    "converts": (_converts, 5),
    "same for any pieces": (_same_for_any_pieces, 3),
    "survives stream-json": (_survives_stream_json, 2),
    "equals itself": (_equals_itself, 1),
    "compares": (_compares, 0.6),
    "command converts": (commands.converts, 0.2),
    "command shows": (commands.shows, 0.1),
    "command compares": (commands.compares, 0.1),
    "command counts": (commands.counts, 0.1),
    "command compares versions": (commands.compares_versions, 0.1),
}
