"""The forms of their arguments by which the calls of two runs are compared."""

from __future__ import annotations

import bisect
import itertools
import marshal
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from convert.diff.calls.aligned_call import SHORT_KEY, AlignedCall
from convert.diff.calls.arguments import EDITS, ArgumentRules, Form
from convert.diff.calls.outputs import digest
from convert.diff.calls.trajectory import ComparedRun
from convert.diff.noise import keeping, written_alike
from convert.options.settings import Settings


# The log of a run may lack effects, and an edit that failed has none. Then two edits
# can have only the text in common that was passed to the tool.
def choose_forms(one: ComparedRun, other: ComparedRun) -> None:
    """Compare each edit by its effect, unless the other run has only its fragment."""
    ones, others = (
        [call for call in run.all_calls if call.recorded.kind in EDITS]
        for run in (one, other)
    )
    _choose_forms(ones, others)
    _choose_forms(others, ones)


def _choose_forms(own: list[AlignedCall], other: list[AlignedCall]) -> None:
    other_forms = [call.keys.forms for call in other]
    effects = {forms.effect.key for forms in other_forms if forms.effect}
    fragments = {
        forms.usual.key[:SHORT_KEY]: forms.usual.key
        for forms in other_forms
        if forms.effect is None
    }
    for forms in other_forms:
        # A fragment with no more than the path may be that of any edit of the file.
        if forms.effect and forms.fragment:
            fragments.pop(forms.fragment.key[:SHORT_KEY], None)
    for call in own:
        forms = call.keys.forms
        if forms.effect is None or forms.fragment is None:
            continue
        key = fragments.get(forms.fragment.key[:SHORT_KEY])
        if key is not None and forms.effect.key not in effects:
            # A trajectory keeps no more than the beginning of the key.
            call.compare_by(replace(forms.fragment, key=key))


# Two runs in different directories may write one path alike. By the rules it has two
# spellings, so calls that find no partner by these are compared as they are written.
def compare_as_written(
    one: ComparedRun, other: ComparedRun, settings: Settings
) -> None:
    """Give one form to calls without an equal partner that both logs write alike."""
    if settings.raw or one.rules.directories.is_like(other.rules.directories):
        return
    ones, others = _Unmatched(one, other), _Unmatched(other, one)
    if not (ones.calls and others.calls):
        return
    paths = written_alike(one.rules, ones.texts, other.rules, others.texts)
    with keeping(paths, one.rules, other.rules):
        forms = ones.forms(ArgumentRules(settings, one.rules))
        other_forms = others.forms(ArgumentRules(settings, other.rules))
    for key in sorted(forms.keys() & other_forms.keys()):
        found, other_found = forms[key], other_forms[key]
        for at, to in _nearest(sorted(found), sorted(other_found)):
            if at in ones.calls and to in others.calls:
                form = min(found[at], other_found[to], key=lambda form: form.kept)
                ones.calls.pop(at).compare_by(form)
                others.calls.pop(to).compare_by(form)


class _Unmatched:
    """The calls of which a run has more than the other, by their places."""

    def __init__(self, own: ComparedRun, other: ComparedRun) -> None:
        more = Counter(call.keys.form.key for call in own.all_calls)
        more.subtract(call.keys.form.key for call in other.all_calls)
        self.calls = {
            place: call
            for place, call in enumerate(own.all_calls)
            if more[call.keys.form.key] > 0
        }

    @property
    def texts(self) -> str:
        """The arguments as they are written, each on a line."""
        values = (
            value
            for call in self.calls.values()
            for value in call.recorded.recorded_arguments.values()
        )
        items = (each if isinstance(each, list) else [each] for each in values)
        texts = itertools.chain.from_iterable(items)
        return "\n".join(text for text in texts if isinstance(text, str))

    def forms(self, rules: ArgumentRules) -> dict[bytes, dict[int, Form]]:
        """Return the forms as written, or with paths as written, by keys and places."""
        forms: dict[bytes, dict[int, Form]] = {}
        for place, call in self.calls.items():
            tool, form = call.recorded.common_tool, call.keys.form
            key = digest([tool, form.as_written])
            forms.setdefault(key, {})[place] = replace(form, key=key)
            if rules.normaliser.directories.kept:
                kept = marshal.dumps(_with_paths(call, rules), 2)
                key = digest([tool, kept])
                written = replace(form, key=key, kept=kept)
                forms.setdefault(key, {})[place] = written
        return forms


def _with_paths(call: AlignedCall, rules: ArgumentRules) -> dict[str, Any]:
    """Return the arguments of a call with paths as they are written, where known."""
    recorded, arguments = call.recorded, call.arguments
    kind, names = recorded.kind, recorded.names
    written = rules.compared(kind, names, recorded.recorded_arguments)
    if kind in EDITS:
        written = {name: written[name] for name in written.keys() & arguments.keys()}
    return dict(sorted((arguments | rules.normalised(kind, written)).items()))


def _nearest(ones: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of sorted places, each the nearest that is free."""
    if len(ones) > len(others):
        yield from ((to, at) for at, to in _nearest(others, ones))
        return
    if len(ones) == len(others):
        yield from zip(ones, others, strict=True)
        return
    for at in ones:
        right = bisect.bisect(others, at)
        near = others[max(right - 1, 0) : right + 1]
        to = min(near, key=lambda to: abs(to - at))
        others.remove(to)
        yield at, to
