"""Comparing two runs: their calls, how they ended, and their final texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from convert.diff.alignment.matching import Pair, match
from convert.diff.alignment.rows import (
    CallComparison,
    Row,
    comparisons,
    divergence,
    pair_values,
    pairs_in,
    place_of_divergence,
    resync,
)
from convert.diff.calls.aligned_call import AlignedCall, Manner, is_other_name
from convert.diff.calls.forms import choose_forms, compare_as_written
from convert.diff.calls.outputs import ComparedOutput, comparable_output, same_output
from convert.diff.calls.trajectory import (
    ComparedRun,
    Trajectory,
    are_across,
    compared_by_fragment,
    compared_run,
)
from convert.diff.comparison import Counts, EqualByRules, Part, RunComparison
from convert.diff.files import compare_files
from convert.diff.findings import find
from convert.diff.noise import Hits
from convert.diff.noise_values import PairedValue
from convert.diff.run_made_values import RunMade, ValuePairs
from convert.diff.texts import action_lines, compare_texts, equal_lines
from convert.model.events import Level
from convert.options.settings import Settings
from convert.wording import compiled


def compare_trajectories(
    number: int,
    level: Level,
    a: Trajectory | None,
    b: Trajectory | None,
    settings: Settings,
) -> RunComparison:
    """Compare the `number`-th runs of two logs; one of them may be missing."""
    if a is None or b is None:
        sides = (compared_run(a) if a else None, compared_run(b) if b else None)
        counts = Counts(
            removed=sum(1 for _ in a.all_calls) if a else 0,
            added=sum(1 for _ in b.all_calls) if b else 0,
        )
        compared = RunComparison(number, level, sides, set(), counts=counts)
    else:
        compared = _compared_runs(number, a, b, level, settings)
    compared.findings = find(compared, settings)
    return compared


def _compared_runs(
    number: int, a: Trajectory, b: Trajectory, level: Level, settings: Settings
) -> RunComparison:
    """Compare two runs, as logs of their agents can be."""
    is_across = are_across(a, b)
    manner = Manner(settings.args_for(is_across), is_across)
    one, other = compared_run(a, manner), compared_run(b, manner)
    sides = one, other
    compared = RunComparison(number, level, sides, {*_MISSING[level]})
    if not (a.run.directory and b.run.directory) and (is_across or level == "calls"):
        # Most logs record it.
        from convert.diff.calls.directories import settle_directories

        compared.directories = settle_directories(*sides, settings, is_across=is_across)
    if is_across:
        # Most comparisons are of one agent.
        from convert.diff.calls.two_agents import compare_across

        compared.agents = compare_across(one, other, level, settings)
    if level == "calls":
        choose_forms(one, other)
        compare_as_written(one, other, settings)
    _compare_runs(compared, one, other, settings)
    return compared


def _compare_runs(
    compared: RunComparison, one: ComparedRun, other: ComparedRun, settings: Settings
) -> None:
    a, b = one.recorded, other.recorded
    if compared.level == "calls" and None in compared.states:
        compared.not_compared.add("status")
    run_made = RunMade(one, other, settings.raw)
    if a.is_failure_message or b.is_failure_message:
        compared.not_compared.discard("status")
    if compared.level == "calls":
        _compare_calls(compared, one, other, run_made, settings)
    elif compared.level == "text":
        _compare_lines(compared, a, b)
    pairs = compared.value_pairs or ValuePairs(run_made, [])
    compared.text = compare_texts(one, other, settings, pairs)
    compared.value_pairs = pairs
    compared.equal_by_rules = _equal_by_rules(compared, one, other)
    if compared.text is None and settings.text != "ignore":
        compared.not_compared.add("text")


# The parts that logs of a level do not record.
_MISSING: dict[Level, set[Part]] = {
    "calls": set(),
    "result": {"calls"},
    "text": {"calls", "status"},
}


def _compare_calls(
    compared: RunComparison,
    a: ComparedRun,
    b: ComparedRun,
    run_made: RunMade,
    settings: Settings,
) -> None:
    how = settings.args_for(is_across=compared.agents is not None)
    compared.is_by_subject = how != settings.args_for(is_across=False)
    if how == "exact":
        compared.fragments = (
            compared_by_fragment(a.recorded.all_calls),
            compared_by_fragment(b.recorded.all_calls),
        )
    run_made.mark()
    comparer = _CallComparer(a, b, settings)
    compared.rows = comparer.rows(a.calls, b.calls)
    compared.is_approximate = comparer.is_approximate or run_made.is_exhausted
    compared.value_pairs = pair_values(compared.rows, run_made)
    compared.files = compare_files(a, b, settings, compared.value_pairs)
    compared.counts = _counts(compared.rows)
    diverged = divergence(compared.rows, a.calls, b.calls, settings.effective_order)
    if diverged:
        compared.first_divergence = place_of_divergence(compared.number, diverged)
        compared.resync = resync(
            compared.number, compared.rows, a.calls, b.calls, diverged[0].first
        )


class _CallComparer:
    """Compares the calls of two runs, and those inside them, by the same rules."""

    def __init__(self, a: ComparedRun, b: ComparedRun, settings: Settings) -> None:
        self._a, self._b = a, b
        self._settings = settings
        self.is_approximate = False

    def rows(self, a: list[AlignedCall], b: list[AlignedCall]) -> list[Row]:
        """Compare two lists of calls."""
        if not (a and b):
            return list(_in_rows([], a, b))
        matching = match(a, b, self._settings.effective_order)
        self.is_approximate |= matching.is_approximate
        pairs = [
            (pair, self._compared(a[pair.a], b[pair.b], pair.is_moved))
            for pair in matching.pairs
        ]
        return list(_in_rows(pairs, a, b))

    def _compared(
        self, a: AlignedCall, b: AlignedCall, is_moved: bool
    ) -> CallComparison:
        comparison = CallComparison(
            a,
            b,
            is_moved,
            has_other_tool=a.recorded.tool != b.recorded.tool,
            has_other_arguments=a.keys.arguments != b.keys.arguments
            and a.keys.renamed != b.keys.renamed,
            has_other_outcome=_has_other_outcome(a, b),
        )
        comparison.is_respelled = (
            comparison.has_other_arguments and a.keys.spelling == b.keys.spelling
        )
        comparison.is_changed = (
            (comparison.has_other_tool and not is_other_name(a, b))
            or comparison.has_other_arguments
            or comparison.has_other_outcome
        )
        if not (comparison.is_changed or comparison.has_other_tool):
            self._compare_outputs(comparison, a, b)
        if a.children or b.children:
            comparison.rows = self.rows(a.children, b.children)
        return comparison

    def _compare_outputs(
        self, comparison: CallComparison, a: AlignedCall, b: AlignedCall
    ) -> None:
        """Compare the outputs of two equal calls, if both logs record them."""
        one, other = self._output(a, self._a), self._output(b, self._b)
        if one is None or other is None:
            return
        if not same_output(one, other):
            comparison.outputs = (one, other)
            comparison.is_changed = self._settings.outputs
        elif self._settings.outputs:
            hits, other_hits = (of.normaliser.hits.copy() for of in (one, other))
            comparison.output_hits = (hits, other_hits)

    def _output(self, call: AlignedCall, run: ComparedRun) -> ComparedOutput | None:
        recorded = call.recorded
        if not recorded.output_kept:
            return None
        output = ComparedOutput(recorded.output_kept, run.rules)
        if call.keys.manner.is_across:
            return comparable_output(output, recorded.kind)
        return output


def _in_rows(
    pairs: list[tuple[Pair, CallComparison]],
    a: list[AlignedCall],
    b: list[AlignedCall],
) -> Iterator[Row]:
    """Yield pairs in place side by side, each after the rows of one side only."""
    paired_a = {pair.a: comparison for pair, comparison in pairs}
    paired_b = {pair.b: comparison for pair, comparison in pairs}
    ones = [paired_a.get(at) or CallComparison(call, None) for at, call in enumerate(a)]
    others = [
        paired_b.get(to) or CallComparison(None, call) for to, call in enumerate(b)
    ]
    at = to = 0
    in_place = [pair for pair, comparison in pairs if not comparison.is_moved]
    for pair in [*in_place, Pair(len(a), len(b), False)]:
        yield from (Row("a", one) for one in ones[at : pair.a] if not one.is_in_place)
        yield from (Row("b", one) for one in others[to : pair.b] if not one.is_in_place)
        at, to = pair.a, max(to, pair.b)
        if pair.a < len(a):
            yield Row("both", ones[pair.a])


def _equal_by_rules(
    compared: RunComparison, a: ComparedRun, b: ComparedRun
) -> EqualByRules:
    directories = (a.rules.directories.used, b.rules.directories.used)
    values = compared.value_pairs.pairs if compared.value_pairs else []
    pairs = list(pairs_in(compared.rows))
    calls = (
        (pair.a, pair.b)
        for pair in pairs
        if pair.a and pair.b and not pair.has_other_arguments
    )
    texts = [pair.output_hits for pair in pairs if pair.output_hits]
    one, other = compared.text.recorded if compared.text else ("", "")
    if compared.text and compared.text.is_equal and one != other:
        texts.append((a.rules.hits_in(one), b.rules.hits_in(other)))
    return equal_by_rules(calls, texts, directories, values)


def _counts(rows: list[Row]) -> Counts:
    """Return the sums over rows and over the calls made inside them."""
    counts: Counter[str] = Counter()
    for comparison, _ in comparisons(rows):
        if comparison.a is None:
            counts["added"] += _size(comparison.call)
        elif comparison.b is None:
            counts["removed"] += _size(comparison.call)
        else:
            unchanged = "moved" if comparison.is_moved else "same"
            counts["changed" if comparison.is_changed else unchanged] += 1
    return Counts(**counts)


def _size(call: AlignedCall) -> int:
    """Count a call and all calls made inside it."""
    return 1 + sum(map(_size, call.children))


def _compare_lines(compared: RunComparison, a: Trajectory, b: Trajectory) -> None:
    """Compare runs by the action lines of their calls, if both have them."""
    if lines := action_lines(a, b):
        ones, others = lines
        pairs = [
            (pair, CallComparison(ones[pair.a], others[pair.b]))
            for pair in equal_lines(ones, others)
        ]
        compared.rows = list(_in_rows(pairs, ones, others))
        compared.not_compared.discard("calls")


# The rules for directories, and the short names that replace these.
_DIRECTORIES = {"cwd": ".", "home": "~", "agent": "~"}


def equal_by_rules(
    calls: Iterable[tuple[AlignedCall, AlignedCall]],
    texts: Iterable[tuple[Hits, Hits]],
    directories: tuple[dict[str, str], dict[str, str]],
    values: list[PairedValue],
) -> EqualByRules:
    """Return the rules and values that made calls and texts of two runs equal.

    `texts` are the hits of rules in texts that are recorded differently. `directories`
    are the directories that were replaced in either run, by their rules.
    """
    counts: Counter[str] = Counter()
    commands = []
    for one, other in calls:
        for rule in _rules_of_calls(one, other, directories):
            # A command that changes to the directory in which it is.
            if rule == "cd":
                recorded = (
                    call.recorded.recorded_command or call.subject
                    for call in (one, other)
                )
                commands.append(PairedValue(rule, *recorded))
            else:
                counts[rule] += 1
    for hits, other_hits in texts:
        counts.update(_rules(hits, other_hits, directories) or _all(hits, other_hits))
    # A directory is one value, however many calls name it.
    used = [
        PairedValue(rule, *(side.get(rule, relative) for side in directories))
        for rule, relative in _DIRECTORIES.items()
        if counts.pop(rule, 0)
    ]
    pairs = [*used, *commands, *values]
    return EqualByRules(counts + Counter(pair.rule for pair in pairs), pairs)


def _rules_of_calls(
    one: AlignedCall,
    other: AlignedCall,
    directories: tuple[dict[str, str], dict[str, str]],
) -> Iterator[str]:
    """Yield the rules without which two equal calls would differ."""
    # Across agents, only the subject has been compared.
    manner = one.keys.manner
    is_subject = manner.is_across and manner.how == "subject"
    keys = one.keys.forms.steering_key, other.keys.forms.steering_key
    if None not in keys and keys[0] != keys[1] and not is_subject:
        yield "argument"
    form, other_form = one.keys.form, other.keys.form
    if form.recorded_key == other_form.recorded_key:
        return
    found = _rules(form.hits, other_form.hits, directories)
    if not found and one.values == other.values:
        found = _all(form.hits, other_form.hits)
    yield from (rule for rule in found if rule != "default" or not is_subject)


def _rules(
    hits: Hits, other_hits: Hits, directories: tuple[dict[str, str], dict[str, str]]
) -> list[str]:
    """Return the rules that two strings do not have in common, or not as often."""
    return [
        rule
        for rule in sorted({*hits, *other_hits})
        if (
            directories[0].get(rule) != directories[1].get(rule)
            if rule in _DIRECTORIES
            else hits.get(rule) != other_hits.get(rule)
        )
    ]


def _all(hits: Hits, other_hits: Hits) -> list[str]:
    """Return the rules, one of which must have made two strings equal."""
    return sorted({*hits, *other_hits} - {*_DIRECTORIES})


def _has_other_outcome(a: AlignedCall, b: AlignedCall) -> bool:
    """Return True if two calls ended otherwise, by facts that both logs record.

    Exit codes count if both are recorded; other reasons are in words of the agent.
    """
    if a.keys.outcome != b.keys.outcome:
        return True
    outcomes = (a.recorded.outcome, b.recorded.outcome)
    if outcomes[0] == outcomes[1]:
        return False
    has_codes = all(map(compiled(r"error\((-?[0-9]+)\)").fullmatch, outcomes))
    return has_codes or not a.keys.manner.is_across
