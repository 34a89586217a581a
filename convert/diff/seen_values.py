"""The values that a run has seen, used and made, and where it saw them first."""

from __future__ import annotations

import datetime
import functools
import marshal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from convert.diff.calls.outputs import printed_in, processes_in, strings_in
from convert.diff.calls.recorded_call import NEVER, RecordedCall
from convert.diff.calls.trajectory import ComparedRun, ValuePlace, digest_of
from convert.diff.noise_values import (
    MARK,
    Shape,
    Value,
    days_in,
    ids_in,
    places_of,
    replaced,
    shown_of,
    value_of_mark,
)
from convert.wording import compiled

# The number of bytes that are searched for values of one run, which takes seconds.
_MOST_SEARCHED = 4_000_000_000
# From this number of values on, an index is faster than a search for each.
_SEARCHES = 20
# A hash may be shown whole and used by its beginning.
_SHORT_HASHES = range(7, 13)


# The origin of a value that no call of its run showed; `any` if that is not known.
Origin = Literal["any", "time", "run", "pytest"]


class SearchedTexts:
    """The marshalled outputs or arguments of calls, in the order of a run."""

    def __init__(self, kept: list[tuple[RecordedCall, bytes]]) -> None:
        self._kept = kept
        self._remaining = _MOST_SEARCHED
        self._known: dict[Value, RecordedCall | None] = {}

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search."""
        return self._remaining <= 0

    def first(self, value: Value) -> RecordedCall | None:
        """Return the first call whose texts hold a value."""
        if value not in self._known:
            is_many = len(self._known) > _SEARCHES
            is_indexed = is_many and value.shape in ("id", "time", "hash")
            find = self._index.get if is_indexed else self._found
            self._known[value] = find(value)
        return self._known[value]

    def _found(self, value: Value) -> RecordedCall | None:
        needle = value.text.encode("utf-8", "surrogatepass")
        for call, kept in self._kept:
            self._remaining -= len(kept)
            if self._remaining <= 0:
                return None
            if needle in kept and any(
                whole(value).search(text) for _, text in strings_in(kept)
            ):
                return call
        return None

    @functools.cached_property
    def _index(self) -> dict[Value, RecordedCall]:
        """The first call that holds each value of a shape that is known anywhere."""
        index: dict[Value, RecordedCall] = {}
        for call, kept in self._kept:
            for _, text in strings_in(kept):
                for value, _, _ in places_of(text):
                    for spelled in _spellings(value):
                        index.setdefault(spelled, call)
        return index


def _spellings(value: Value) -> Iterator[Value]:
    """Yield a value, and the parts of it by which it may be used."""
    yield value
    if value.shape == "id":
        for part in re.split("[-_]", value.text):
            yield Value("id", part)
    if value.shape == "hash":
        for length in _SHORT_HASHES:
            yield Value("hash", value.text[:length])


@functools.lru_cache(1000)
def whole(value: Value) -> re.Pattern[str]:
    """Return a pattern for a value on its own; a hash may be part of a longer one."""
    end = r"(?![A-Zg-z])" if value.shape == "hash" else r"(?![0-9A-Za-z])"
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(value.text)}{end}")


def is_in(value: Value, text: str) -> bool:
    """Return True if a text holds a value on its own."""
    return value.text in text and whole(value).search(text) is not None


# The characters around a value that distinguish it from others in an output.
_AROUND = 40
# Words with digits, and names of mktemp, which need not have any.
_VARYING = r"[\w-]*[0-9][\w-]*|(?<=\btmp\.)[A-Za-z]{6,}"


def places_in(
    call: RecordedCall, shape: Shape, texts: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, ValuePlace]]:
    """Yield each value of a shape in the output of a call, where it comes first.

    `texts` are those of the output, each after the name of its member.
    """
    found: set[str] = set()
    counts: dict[str, int] = {}
    for name, text in texts:
        for value, begin, end in shown_of(shape, text):
            if value in found:
                continue
            found.add(value)
            before, after = text[max(begin - _AROUND, 0) : begin], text[end:]
            around = [name, _masked(before), _masked(after[:_AROUND])]
            context = digest_of("\0".join(around)).text
            ordinal = counts.get(context, 0)
            counts[context] = ordinal + 1
            yield value, ValuePlace(call, context, ordinal)


def _masked(text: str) -> str:
    return compiled(_VARYING).sub("#", text)


class ApprovedValues:
    """The marks in the texts of a run, and where their values were seen first.

    `made` has all of them; None is the place of one that is the run's own.
    """

    has_marks = True
    """Its texts have marks in place of the values that it made."""

    is_exhausted = False
    """All of it is known."""

    def __init__(
        self, run: ComparedRun, made: Mapping[Value, ValuePlace | None]
    ) -> None:
        self.run = run
        self._made = made
        self._prompts = "\n".join(run.recorded.run.prompts)

    @functools.cached_property
    def _arguments(self) -> SearchedTexts:
        calls = self.run.all_calls
        return SearchedTexts([(call.recorded, call.keys.form.kept) for call in calls])

    def has_made(self, value: Value) -> bool:
        """Return True if the value is one that a mark replaces."""
        return value in self._made

    def holds(self, value: Value) -> bool:
        """Return True if the prompt or the arguments hold a value itself."""
        if value in self._made:
            return False
        is_asked_for = is_in(value, self._prompts)
        return is_asked_for or self._arguments.first(value) is not None

    def has_asked_for(self, value: Value) -> bool:
        """Return False: a mark does not say which command showed its value."""
        return False

    def place(self, value: Value) -> ValuePlace | None:
        """Return the place of a value in the first output that showed it."""
        return self._made.get(value)

    def origin(self, value: Value) -> RecordedCall | None:
        """Return the call whose output showed a value first."""
        place = self.place(value)
        return place.call if place else None

    def shows(self, call: RecordedCall, value: Value) -> bool:
        """Return True if the output of a call showed a value first."""
        return self.origin(value) is call

    def origin_without_call(self, value: Value) -> Origin | None:
        """Return the origin of a value that no output showed, as any that fits."""
        return None if self.origin(value) else "any"

    def places(self, call: RecordedCall, shape: Shape) -> dict[str, ValuePlace]:
        """Return the places of the values of a shape in the output of a call."""
        return {
            value.text: place
            for value, place in self._made.items()
            if place and place.call is call and value.shape == shape
        }

    def values_in(self, text: str) -> Iterator[Value]:
        """Yield the values that marks replace in a text."""
        if "<" in text:
            found = map(value_of_mark, compiled(MARK).finditer(text))
            yield from (value for value in found if value in self._made)

    def replaced(self, text: str, change: Callable[[Value], str | None]) -> str:
        """Return a text with others for its marks; None leaves one."""

        def replace(match: re.Match[str]) -> str:
            value = value_of_mark(match)
            return (change(value) if value in self._made else None) or match[0]

        return compiled(MARK).sub(replace, text)


_RUNS_PYTEST = r"(?<![\w/.-])pytest(?![\w/-])"
_REMOVES = r"(?<![\w-])(?:rm|rmdir|unlink|shred|mv|rmtree)(?![\w-])|-delete\b"
_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


class SeenValues:
    """The texts that a run has seen and used, which show where a value comes from."""

    has_marks = False
    """Its texts have the values themselves."""

    def __init__(self, run: ComparedRun) -> None:
        self.run = run
        self._prompts = "\n".join(run.recorded.run.prompts)
        self._places: dict[tuple[int, Shape], dict[str, ValuePlace]] = {}

    @functools.cached_property
    def _arguments(self) -> SearchedTexts:
        calls = sorted(self.run.all_calls, key=lambda call: call.recorded.starts)
        return SearchedTexts(
            [(call.recorded, call.keys.forms.usual.kept) for call in calls]
        )

    @functools.cached_property
    def _outputs(self) -> SearchedTexts:
        calls = sorted(self.run.recorded.all_calls, key=lambda call: call.ends)
        kept = ((call, call.output_kept) for call in calls)
        return SearchedTexts([(call, output) for call, output in kept if output])

    @functools.cached_property
    def _own_ids(self) -> set[str]:
        return ids_in(self.run.recorded.own_ids)

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search, so some values count as chosen."""
        return self._arguments.is_exhausted or self._outputs.is_exhausted

    def has_made(self, value: Value) -> bool:
        """Return True if the run has made a value before it used it."""
        if is_in(value, self._prompts):
            return False
        if self.origin_without_call(value) or _own_name(value) in self._own_ids:
            return True
        origin = self._outputs.first(value)
        used = self._arguments.first(value)
        return origin is not None and (used is None or origin.ends < used.starts)

    def origin_without_call(self, value: Value) -> Origin | None:
        """Return the origin of a value that the run itself, but no call, has."""
        if self._is_time_of_run(value):
            return "time"
        if _own_name(value) in self._own_ids and not self._caller_of(value):
            return "run"
        return "pytest" if self._is_of_pytest(value) else None

    def holds(self, value: Value) -> bool:
        """Return True if the run was asked for a value, has used it or has seen it."""
        return (
            is_in(value, self._prompts)
            or (self._arguments.first(value) or self._outputs.first(value)) is not None
        )

    def values_in(self, text: str) -> Iterator[Value]:
        """Yield the values in a text of the run."""
        return (value for value, _, _ in places_of(text))

    def replaced(self, text: str, change: Callable[[Value], str | None]) -> str:
        """Return a text of the run with other texts for its values; None leaves one."""
        return replaced(text, change)

    def origin(self, value: Value) -> RecordedCall | None:
        """Return the call that has a value as an id, or whose output shows it first."""
        return self._caller_of(value) or self._outputs.first(value)

    def _caller_of(self, value: Value) -> RecordedCall | None:
        """Return the only call that has a value as an id; None if there is none."""
        name = _own_name(value)
        found = self._callers.get(name, ()) if name in self._own_ids else ()
        return found[0] if len(found) == 1 else None

    def shows(self, call: RecordedCall, value: Value) -> bool:
        """Return True if a call has a value as its id, or its output shows it.

        Only the ends of a long output are known.
        """
        name = _own_name(value)
        if name in self._own_ids and call in self._callers.get(name, ()):
            return True
        kept = call.output_kept or b""
        return any(is_in(value, text) for _, text in strings_in(kept))

    def place(self, value: Value) -> ValuePlace | None:
        """Return the place of a value in the first output that shows it.

        An id of a call that no output shows has its place there.
        """
        origin = self._outputs.first(value)
        if origin is None:
            caller = self._caller_of(value)
            return ValuePlace(caller, digest_of("id").text, 0) if caller else None
        places = self.places(origin, value.shape)
        longer = (place for text, place in places.items() if is_in(value, text))
        return places.get(value.text) or next(longer, None)

    def places(self, call: RecordedCall, shape: Shape) -> dict[str, ValuePlace]:
        """Return the places of all values of a shape in the output of a call."""
        key = (id(call), shape)
        if key not in self._places:
            texts = (
                (name, self.run.rules.spelled(text))
                for name, text in strings_in(call.output_kept or b"")
            )
            self._places[key] = dict(places_in(call, shape, texts))
        return self._places[key]

    @functools.cached_property
    def _callers(self) -> dict[str, list[RecordedCall]]:
        """The calls by their ids, those of their steps and of their processes."""
        callers: dict[str, list[RecordedCall]] = {}
        for call in self.run.recorded.all_calls:
            output = marshal.loads(call.output_kept) if call.output_kept else None
            for name in ids_in({call.id, call.step, *processes_in(output)}):
                callers.setdefault(name, []).append(call)
        return callers

    def _is_of_pytest(self, value: Value) -> bool:
        """Return True for a folder that pytest makes without printing its name.

        The run has made it if it ran pytest no later, and removes nothing there: to
        remove another folder is another act.
        """
        if value.shape != "tmp" or not value.text.startswith("pytest-of-"):
            return False
        used = self._arguments.first(value)
        if used is None:
            return False
        commands = [
            (call, call.recorded_command) for call in self.run.recorded.all_calls
        ]
        return any(
            call.starts <= used.starts and compiled(_RUNS_PYTEST).search(command)
            for call, command in commands
        ) and not any(
            call.kind == "delete" or compiled(_REMOVES).search(command)
            for call, command in commands
            if "pytest-of-" in command or call.kind == "delete"
        )

    def has_asked_for(self, value: Value) -> bool:
        """Return True if the run asked `date` for a day or a time before it used it.

        It may have used a day in another form, if that is the only one it knows.
        """
        if value.shape != "time" or not self._dates:
            return False
        used = self._arguments.first(value)
        end = NEVER if used is None else used.starts
        texts = [text for ends, text in self._dates if ends < end]
        days = {day for text in texts for day in days_in(text)}
        return days == {compiled(r"\D").sub("", value.text)} or any(
            is_in(value, text) for text in texts
        )

    @functools.cached_property
    def _dates(self) -> list[tuple[float, str]]:
        """The texts that `date` printed, and where the calls ended."""
        return [
            (call.ends, printed_in(marshal.loads(call.output_kept)))
            for call in self.run.recorded.all_calls
            if call.output_kept
            and call.kind == "shell"
            and compiled(_ASKS_FOR_DATE).search(call.recorded_command)
        ]

    def _is_time_of_run(self, value: Value) -> bool:
        """Return True for a time from the first event to an hour after the last one.

        A time without a zone is in UTC. A date is that of a day of the run, which may
        be another one in the zone of its machine.
        """
        clock = self.run.recorded.clock
        if value.shape != "time" or clock is None:
            return self.has_asked_for(value)
        if self.has_asked_for(value):
            return True
        moment = _milliseconds(value.text)
        length = _DAY_MS if len(value.text) <= len("2026-01-31") else 1000
        begin, end = clock[0], clock[1] + _HOUR_MS
        return moment is not None and moment + length > begin and moment <= end


_ASKS_FOR_DATE = r"(?<![\w./-])date(?![\w./=-])"


def _own_name(value: Value) -> str:
    """Return a value as an id of the run or of a call has it."""
    if value.shape == "terminal":
        return value.text.removeprefix("terminals/").removesuffix(".txt")
    return value.text


def _milliseconds(text: str) -> int | None:
    """Return a time in milliseconds since 1970; None if there is no such time."""
    try:
        moment = datetime.datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(moment.timestamp() * 1000)


# The values of a run as they are known: by its log, or as it was approved.
ValuesOfRun = SeenValues | ApprovedValues


def values_of(run: ComparedRun) -> ValuesOfRun:
    """Return the values of a run: of its log, or of the run that was approved."""
    made = run.recorded.made
    return SeenValues(run) if made is None else ApprovedValues(run, made)
