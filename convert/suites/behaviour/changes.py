"""Changes in the behaviour of a case, by the traits of its runs.

Each trait has a share of the runs of either version. A permutation test measures the
steadiest one. The selection of traits ignores the versions of runs, so that the test is
valid. The changes that readers see are chosen afterwards: a new call brings its
arguments, its outcome and its file, and only the call is shown.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar, get_args

from convert.diff import Side
from convert.diff.run_facts import EFFECT, ComparedRun, compared_across
from convert.options.settings import SEVERITIES, Settings
from convert.suites.behaviour.actions import CHANGES, Action, are_checked
from convert.suites.behaviour.change_sentences import ChangeFacts, Shares, change_of
from convert.suites.behaviour.traits import Counted, Kind, Trait, TraitedRun
from convert.suites.case_result import Behaviour, Change
from convert.suites.verdict.behaviour_and_figure_tests import Steadiest, steadiest

# How many changes of a case are kept.
_MOST = 20
# A change that chance makes in half of all cases is not shown.
_UNLIKELY = 0.5
# The kinds that explain others come first.
_EXPLAINED_BY: dict[Kind, tuple[Kind, ...]] = {
    "runs": (),
    "call": (),
    "program": ("call",),
    "order": ("call", "program", "order"),
    "outcome": ("call", "program"),
    "args": ("call", "program", "outcome"),
    "tests": ("call", "program", "outcome"),
    "check": ("call", "program", "order", "outcome", "tests"),
    "output": ("call", "program", "args", "outcome"),
    "file": ("call", "program", "outcome"),
    "content": ("call", "program", "outcome", "args", "file"),
    "text": (),
}


def behaviour_of(a: Sequence[TraitedRun], b: Sequence[TraitedRun]) -> Behaviour | None:
    """Return how two versions of a case differ; None with fewer than two runs each."""
    if min(len(a), len(b)) < 2:
        return None
    pool = Pool(a, b)
    test = pool.test()
    found = sorted(_changes(pool, test), key=_rank)
    return Behaviour(
        p=test.p,
        distribution=test.distribution,
        changes=tuple(found[:_MOST]),
        more=len(found[_MOST:]),
    )


def middle(runs: Sequence[TraitedRun]) -> int:
    """Return the run nearest the middle: the one with most traits in common with all.

    Among several, it is the first by name. The measure is Dice's for a run and all runs
    together, so that no two runs are compared.
    """
    sets: list[set[object]] = [{*run.traits, *run.orders} for run in runs]
    counts = Counter(trait for traits in sets for trait in traits)
    total = counts.total()

    def alike(traits: set[object]) -> float:
        common = sum(counts[trait] for trait in traits)
        size = len(traits) * len(sets) + total
        return round(2 * common / size, 9) if size else 1.0

    return min(range(len(runs)), key=lambda at: (-alike(sets[at]), runs[at].log))


def compare_across(
    sides: Sequence[Side], settings: Settings
) -> list[list[ComparedRun]]:
    """Return the runs of each side, compared across agents; none if all have one agent.

    One agent whose logs are of two kinds counts as two. The calls of all runs are then
    compared by the parts that all logs record, whichever version they are of.
    """
    runs = [run for side in sides for run in side.runs]
    found = iter(compared_across(runs, settings))
    made = [[*islice(found, len(side.runs))] for side in sides]
    return made if any(made) else []


def _changes(pool: Pool, test: Steadiest) -> Iterator[Change]:
    """Yield the changes that are shown, each the cause of others."""
    found = [*pool.found()]
    causes = [*_causes(pool, _steadiest_of_each(found))]
    replaced = _replaced(pool, causes)
    hidden = {id(each) for each in replaced.values()}
    files = {path for run in pool.runs for path in run.files}
    for each in causes:
        p = test.p_of(each.tested.a, each.tested.b)
        if id(each) in hidden or p >= _UNLIKELY:
            continue
        other = replaced.get(id(each))
        opposite = _opposite(each, found)
        facts = ChangeFacts(
            kind=each.kind,
            trait=each.trait,
            shares=each.shares,
            actions=pool.actions_of(each),
            replaced=pool.actions_of(other)[0] if other else None,
            is_turned=pool.is_turned(each),
            names=pool.names_of(each, opposite),
            is_only_file=len(files) == 1,
        )
        log, line = pool.place_of(each)
        yield change_of(facts, p=p, log=log, line=line)


def _steadiest_of_each(found: Iterable[Found]) -> list[Found]:
    """Return the steadiest of the traits that are shown as one change.

    Among several, it is one that more runs of the last version have.
    """
    best: dict[object, Found] = {}
    for each in found:
        best[each.about] = min(best.get(each.about, each), each, key=_rank_of_trait)
    return [*best.values()]


def _rank_of_trait(found: Found) -> tuple[int, bool, int, str]:
    return -found.size, found.shares.growth < 0, found.trait.times, repr(found.trait)


def _opposite(found: Found, others: Iterable[Found]) -> Found | None:
    """Return the trait that most runs of the other version have in its place."""
    if found.kind != "args":
        return None
    same = (each for each in others if each.about == found.about)
    opposed = (each for each in same if _are_opposed(each, found))
    return min(opposed, key=_rank_of_trait, default=None)


def _causes(pool: Pool, found: Iterable[Found]) -> Iterator[Found]:
    """Yield the changes that no other one brings with it.

    A change explains others that are no steadier: those of the same call, of a program
    if it is one of a command, of a file if it is one of an edit. More runs in a log
    make all of their calls more often.
    """
    sizes: dict[tuple[Kind, bytes], int] = {}
    causes: list[Found] = []
    for each in sorted(found, key=lambda each: _order_of(pool, each)):
        names = _names(pool, each)
        kinds = {*_EXPLAINED_BY[each.kind]}
        acting = {action.kind for action in pool.actions_of(each)}
        if each.kind == "args" and acting.isdisjoint(CHANGES):
            # An edit that fails has no effect; the arguments of others stay the same.
            kinds.remove("outcome")
        steadiest = max((sizes.get((k, n), 0) for k in kinds for n in names), default=0)
        if each.trait.times > 1:
            steadiest = max(steadiest, sizes.get(("runs", b""), 0))
        if steadiest < each.size:
            causes.append(each)
            for name in names:
                sizes[each.kind, name] = max(sizes.get((each.kind, name), 0), each.size)
    programs = {each.keys[0]: each for each in causes if each.kind == "program"}
    for each in causes:
        [action, *_] = pool.actions_of(each)
        whole = programs.get(action.program) if each.kind == "call" else None
        # Runs that spell a command in many ways make few calls alike.
        if whole is None or whole.size <= each.size or _are_opposed(whole, each):
            yield each


def _are_opposed(one: Found, other: Found) -> bool:
    return one.shares.growth * other.shares.growth < 0


def _order_of(pool: Pool, found: Found) -> tuple[int, int, bool, int, list[str]]:
    """The key that sorts changes: causes first, then the steadiest and most severe."""
    actions = pool.actions_of(found)
    acting = sum(action.acts for action in actions)
    is_checked = found.kind == "order" and are_checked(*actions)
    labels = [action.label for action in actions]
    kind = [*_EXPLAINED_BY].index(found.kind)
    return kind, -found.size, not is_checked, -acting, labels


def _names(pool: Pool, found: Found) -> set[bytes]:
    """Return the calls, the programs and the files that a change is about.

    A change of the number of runs is about none of these.
    """
    names: set[bytes] = {*found.keys}
    for action in pool.actions_of(found):
        if action.kind == "shell" or found.kind in ("call", "program"):
            names.add(action.program)
        if action.file:
            names.add(f"file {action.file}".encode(errors="replace"))
    return names if found.kind == "runs" else names - {b""}


def _replaced(pool: Pool, causes: Sequence[Found]) -> dict[int, Found]:
    """Return the call that each new call replaces, by the identity of the new one.

    All runs make one of the two, and it is the only such pair of one program or tool.
    """
    calls: dict[tuple[object, int], list[Found]] = {}
    for each in causes:
        if each.kind == "call" and each.trait.times == 1:
            [action] = pool.actions_of(each)
            if action.program and action.program != each.keys[0]:
                mask = min(each.mask, pool.every ^ each.mask)
                calls.setdefault((action.program, mask), []).append(each)
    found = {}
    for pair in calls.values():
        rising = [each for each in pair if each.shares.growth > 0]
        falling = [each for each in pair if each.shares.growth < 0]
        if len(rising) == len(falling) == 1:
            found[id(rising[0])] = falling[0]
    return found


def _rank(change: Change) -> tuple[float, int, str, str]:
    """The key that sorts changes: the steadiest first, then the most severe."""
    severity = -SEVERITIES.index(change.severity)
    return -round(change.steadiness, 9), severity, change.category, change.what


# Kinds of traits that are shown as one: other arguments, or another effect.
_SHOWN_AS: dict[Kind, Kind] = {"effect": "args", "passed": "args", "origin": "args"}

# Kinds about the way in which a call is made or ends, or the content of a file.
_OF_CALLS: set[Kind] = {
    *("args", "effect", "passed", "origin", "outcome", "output"),
    *("check", "tests", "content"),
}
_OPPOSITE: dict[Counted, Counted] = {"both": "both", "more": "fewer", "fewer": "more"}
Key = TypeVar("Key")


class Found(NamedTuple):
    """A trait whose shares differ, of those that a reader sees as one change."""

    kind: Kind
    keys: tuple[bytes, ...]
    """The call, program or file that it is about; both calls of an order."""

    trait: Trait
    shares: Shares
    tested: Shares
    """The shares that are tested; those of an order may be of the opposite one."""

    mask: int
    """The runs that have it."""

    @property
    def size(self) -> int:
        """How steady it is, in whole numbers."""
        return abs(self.tested.growth)

    @property
    def about(self) -> tuple[Kind, frozenset[bytes]]:
        """Equal in traits that are shown as one change."""
        return self.kind, frozenset(self.keys)


class _Tested(NamedTuple):
    """A trait as it is shown, and as it is tested."""

    trait: Trait
    keys: tuple[bytes, ...]
    shown: int
    """The runs that have it."""

    mask: int
    """The runs that are tested: those that have it, or those that do the opposite."""

    counted: Counted
    """How the share of those counts that are tested."""


class Pool:
    """The traits of all runs of a case, as bit masks of the runs that have them."""

    def __init__(self, a: Sequence[TraitedRun], b: Sequence[TraitedRun]) -> None:
        self.of_a, self.of_b = len(a), len(b)
        self.runs = [run for side in (a, b) for run in sorted(side, key=_log)]
        self.every = (1 << len(self.runs)) - 1
        self._actions: dict[bytes, Action] = {}
        # The runs that make each call, run each program and change each file.
        self._made: dict[bytes, int] = {}
        self._orders: dict[tuple[bytes, bytes], int] = {}
        self._changed = 0
        masks: dict[Trait, int] = {}
        for place, run in enumerate(self.runs):
            bit = 1 << place
            self._changed |= bit if run.has_changes else 0
            _add(masks, run.traits, bit)
            _add(self._orders, run.orders, bit)
            _add(self._made, run.actions, bit)
            self._actions = run.actions | self._actions
        self._tested = [*self._of_traits(masks), *self._of_orders()]

    def _unused(self) -> set[Kind]:
        """Return the kinds of traits that not all logs record."""
        levels = {run.level for run in self.runs}
        if len(levels) > 1:
            # A text may be the answer, or all that a run said.
            return {*get_args(Kind)} - ({"text"} if "text" not in levels else set())
        if any(run.lacks_effects for run in self.runs):
            return {"effect", "content"}
        return {"passed"}

    def _of_traits(self, masks: dict[Trait, int]) -> Iterator[_Tested]:
        """Yield the traits that some runs have and others do not.

        How a call is made or ends is tested in the runs that make it, with the fewer of
        those that make it so or otherwise: a new call brings no such change with it.
        """
        unused = self._unused()
        for trait, shown in masks.items():
            if trait.kind in unused:
                continue
            mask, counted = shown, trait.counted
            if trait.kind in _OF_CALLS:
                others = self._made.get(trait.key, 0) & ~mask
                if trait.kind == "check":
                    others &= self._changed
                if others.bit_count() < mask.bit_count():
                    mask, counted = others, _OPPOSITE[counted]
            if mask and mask != self.every:
                yield _Tested(trait, (trait.key,), shown, mask, counted)

    def _of_orders(self) -> Iterator[_Tested]:
        """Yield each order that some runs reverse, in the direction of fewer runs.

        Calls that no run makes in the other order have no order to change: one of them
        is new, or they are no longer made at once.
        """
        orders = {} if "order" in self._unused() else self._orders
        for pair, mask in orders.items():
            turned = pair[::-1]
            opposite = orders.get(turned, 0)
            if opposite and (mask.bit_count(), pair) < (opposite.bit_count(), turned):
                # The order of the last version is shown.
                is_less = self.shares_of(mask).growth < 0
                keys, shown = (turned, opposite) if is_less else (pair, mask)
                yield _Tested(Trait("order", *keys), keys, shown, mask, "both")

    def test(self) -> Steadiest:
        """Return how steady the steadiest trait is."""
        masks: dict[Counted, set[int]] = {"both": set(), "more": set(), "fewer": set()}
        for each in self._tested:
            masks[each.counted].add(each.mask)
        rising = masks["more"] | {self.every ^ mask for mask in masks["fewer"]}
        return steadiest(masks["both"], self.of_a, self.of_b, rising)

    def found(self) -> Iterator[Found]:
        """Yield all traits whose shares differ in a direction that counts."""
        for trait, keys, shown, mask, counted in self._tested:
            tested, shares = self.shares_of(mask), self.shares_of(shown)
            growth = tested.growth
            if not growth or counted == ("fewer" if growth > 0 else "more"):
                continue
            # The opposite may be rarer only since fewer runs make the call at all.
            if shares.growth * growth * (1 if shown == mask else -1) > 0:
                kind = _SHOWN_AS.get(trait.kind, trait.kind)
                yield Found(kind, keys, trait, shares, tested, shown)

    def shares_of(self, mask: int) -> Shares:
        """Return how many runs of either version have a trait."""
        in_a = (mask & ((1 << self.of_a) - 1)).bit_count()
        return Shares(in_a, self.of_a, mask.bit_count() - in_a, self.of_b)

    def place_of(self, found: Found) -> tuple[str, int | None]:
        """Return the first log that shows a trait, of the last version if it can."""
        run = self._run_of(found)
        if found.kind == "order":
            return run.log, run.orders.get((found.keys[0], found.keys[-1]))
        return run.log, run.traits.get(found.trait)

    def _run_of(self, found: Found) -> TraitedRun:
        """Return the first run that has a trait, of the last version if it can."""
        mask = found.mask >> self.of_a << self.of_a or found.mask
        return self.runs[(mask & -mask).bit_length() - 1]

    def actions_of(self, found: Found) -> tuple[Action, ...]:
        """Return the calls, the program or the file that a trait is about.

        They are as the run has them that shows the trait, with its dates and the like.
        """
        actions = self._run_of(found).actions
        return tuple(
            actions.get(key) or self._actions.get(key, Action("")) for key in found.keys
        )

    def is_turned(self, found: Found) -> bool:
        """Return True if one version does it in all runs, and the other the opposite.

        The opposite is the other order, or the call without the outcome.
        """
        if found.kind == "order":
            opposite = self._orders.get((found.keys[-1], found.keys[0]), 0)
            return found.shares.is_total and opposite == self.every ^ found.mask
        is_made = self._made.get(found.keys[0], 0) == self.every
        return found.shares.is_total and found.kind == "outcome" and is_made

    def names_of(self, found: Found, opposite: Found | None) -> tuple[str, ...]:
        """Return the arguments in which two traits differ."""
        if found.trait.kind == "effect":
            return (EFFECT,)
        if opposite is None:
            return ()
        one, other = (self._arguments(each.trait) for each in (found, opposite))
        names = sorted({*one, *other})
        return tuple(name for name in names if one.get(name) != other.get(name))

    def _arguments(self, trait: Trait) -> dict[str, Any]:
        for run in self.runs:
            if kept := run.arguments.get(trait.other):
                arguments: dict[str, Any] = marshal.loads(kept)
                return arguments
        return {}


def _add(masks: dict[Key, int], found: Iterable[Key], bit: int) -> None:
    """Add a run to the masks of all that it has."""
    for key in found:
        masks[key] = masks.get(key, 0) | bit


def _log(run: TraitedRun) -> str:
    return run.log
