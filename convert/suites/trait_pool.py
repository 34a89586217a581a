"""The traits of all runs of a case, and the runs that have each."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, get_args

from convert.diff.calls.arguments import EFFECT
from convert.suites.actions import Action, Counted, Kind, Trait, TraitedRun
from convert.suites.change_sentences import Shares
from convert.suites.permutations import Steadiest, steadiest

# Kinds of traits that are shown as one: other arguments, or another effect.
_SHOWN_AS: dict[Kind, Kind] = {"effect": "args", "passed": "args", "origin": "args"}

# Kinds that say how a call is made or ends, or what is in a file that a run changes.
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
        self.runs = [*sorted(a, key=_log), *sorted(b, key=_log)]
        self.every = (1 << len(self.runs)) - 1
        self.actions: dict[bytes, Action] = {}
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
            self.actions = run.actions | self.actions
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
        if "order" in self._unused():
            return
        for (one, other), mask in self._orders.items():
            opposite = self._orders.get((other, one))
            if opposite is None:
                continue
            if (mask.bit_count(), one) < (opposite.bit_count(), other):
                shown, pair = mask, (one, other)
                if self.shares_of(mask).growth < 0:
                    # The order of the last version is shown.
                    shown, pair = opposite, (other, one)
                yield _Tested(Trait("order", *pair), pair, shown, mask, "both")

    def test(self) -> Steadiest:
        """Return how steady the steadiest trait is."""
        both: set[int] = set()
        rising: set[int] = set()
        for each in self._tested:
            match each.counted:
                case "both":
                    both.add(each.mask)
                case "more":
                    rising.add(each.mask)
                case "fewer":
                    rising.add(self.every ^ each.mask)
        return steadiest(both, self.of_a, self.of_b, rising)

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
            one, other = found.keys
            return run.log, run.orders.get((one, other))
        return run.log, run.traits.get(found.trait)

    def _run_of(self, found: Found) -> TraitedRun:
        """Return the first run that has a trait, of the last version if it can."""
        of_b = found.mask >> self.of_a << self.of_a
        mask = of_b or found.mask
        return self.runs[(mask & -mask).bit_length() - 1]

    def actions_of(self, found: Found) -> tuple[Action, ...]:
        """Return the calls, the program or the file that a trait is about.

        They are as the run has them that shows the trait, with its dates and the like.
        """
        actions = self._run_of(found).actions
        return tuple(
            actions.get(key) or self.actions.get(key, _NOBODY) for key in found.keys
        )

    def is_turned(self, found: Found) -> bool:
        """Tell if all runs of one version do it, and all of the other the opposite.

        The opposite is the other order, or the call without the outcome.
        """
        shares = found.shares
        if not shares.is_total:
            return False
        if found.kind == "order":
            one, other = found.keys
            opposite = self._orders.get((other, one), 0)
            return opposite == self.every ^ found.mask
        made = self._made.get(found.keys[0], 0)
        return found.kind == "outcome" and made == self.every

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


_NOBODY = Action("")


def _add(masks: dict[Key, int], found: Iterable[Key], bit: int) -> None:
    """Add a run to the masks of all that it has."""
    for key in found:
        masks[key] = masks.get(key, 0) | bit


def _log(run: TraitedRun) -> str:
    return run.log
