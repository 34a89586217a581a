"""Comparing the final texts of two runs, and the action lines of logs of text."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.alignment.matching import Pair
from convert.diff.calls.aligned_call import AlignedCall, aligned
from convert.diff.calls.recorded_call import RecordedCall
from convert.diff.calls.trajectory import (
    ComparedRun,
    Trajectory,
    are_across,
    with_inner,
)
from convert.diff.noise import keeping, written_alike
from convert.diff.run_made_values import ValuePairs
from convert.model.run import Run
from convert.options.settings import Settings
from convert.tools.phrases_and_outcomes import action_line
from convert.wording.alignment import align

if TYPE_CHECKING:
    from convert.diff.answer_command import Judgement

# Han, Hiragana and Katakana have no spaces between words.
CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = rf"[{CJK}]|[^\W{CJK}]+|[^\w\s]"
# The same for texts without these. To compile the other takes a tenth of a comparison.
_SPACED_WORD = r"\w+|[^\w\s]"
# A diff of texts that are less alike has more marks than words in common.
LEAST_ALIKE = 0.5


class TextComparison(Struct, frozen=True):
    """The comparison of two final texts."""

    a: str
    """The text of the baseline after the rules; with its lines if the texts differ."""

    b: str
    """The text of the candidate after the rules."""

    similarity: float
    """The share of words in common, from 0 to 1; see `similarity`."""

    is_equal: bool
    """The texts are the same."""

    is_narration: bool = False
    """The answers are the same, and only the texts before them differ."""

    recorded: tuple[str, str] = ("", "")
    """Both texts as they are recorded."""

    judgement: Judgement | None = None
    """The verdict of the user's command; None if it was not asked."""

    @property
    def has_diff(self) -> bool:
        """The texts are alike enough to be shown with their differences marked."""
        return self.similarity >= LEAST_ALIKE


def compare_texts(
    a: ComparedRun, b: ComparedRun, settings: Settings, pairs: ValuePairs
) -> TextComparison | None:
    """Compare the final texts of two runs, in which values of `pairs` are equal.

    None if the settings ignore them, or if a run has none. Answers that differ are
    judged by the command of the settings.
    """
    found = _compare(a, b, settings, pairs)
    command = settings.answer_cmd
    if found is None or command is None or found.is_equal or found.is_narration:
        return found
    # Few comparisons run a command, so its modules are imported only for these.
    from convert.diff.answer_command import judge

    judgement = judge(command, *found.recorded)
    return replace(found, judgement=judgement)


def _compare(
    a: ComparedRun, b: ComparedRun, settings: Settings, pairs: ValuePairs
) -> TextComparison | None:
    if settings.text == "ignore" or not (
        has_final_text(a.recorded) and has_final_text(b.recorded)
    ):
        return None
    is_exact = settings.text == "exact"
    is_across = are_across(a.recorded, b.recorded)
    # The recorded text of a failed run may be the reason, which its state shows.
    is_failed, other_is_failed = (run.recorded.run.state == "error" for run in (a, b))
    is_one_failed = settings.text == "auto" and is_failed != other_is_failed
    one, other = (
        _FinalText(
            run,
            None if is_exact else partial(pairs.named, is_baseline=run is a),
            is_joined=is_one_failed or (is_across and settings.text == "full"),
        )
        for run in (a, b)
    )
    if not is_exact:
        one.whole.compare_with(other.whole)
        if one.answer and other.answer:
            one.answer.compare_with(other.answer)
        pairs.admit_texts(one.whole.plain, other.whole.plain)
        if one.answer and other.answer:
            pairs.admit_texts(one.answer.plain, other.answer.plain)
    if settings.text in ("full", "exact"):
        return _compared(one.whole, other.whole)
    may_join = settings.text == "auto" or not (one.answer and other.answer)
    if may_join and one.whole.text == other.whole.text:
        return _equal(one.whole, other.whole)
    if not _have_same_answer(one, other):
        return _different(one, other, settings)
    is_known_whole = settings.text == "auto" and "text" not in (
        a.recorded.level,
        b.recorded.level,
    )
    # Agents write different texts before the same answer.
    if not is_known_whole or is_across:
        return _equal(one.answer or one.whole, other.answer or other.whole)
    return _compared(one.whole, other.whole, one.is_joined and other.is_joined)


def has_final_text(run: Trajectory) -> bool:
    """Return True if a run has a final text; a run without a result has none."""
    if run.level == "text":
        return not run.is_failure_message
    # Where a format records no ends of runs, the last text is the answer.
    return (run.run.has_result or run.run.state is None) and run.run.text is not None


def line_of_text(run: Run) -> int:
    """Return the line of the log with the last text of a run, or its last line."""
    texts = [segment for segment in run.segments if segment.text.strip()]
    return texts[-1].line if texts else run.last_line


_Naming = Callable[[str], str] | None


class _RunText:
    """A text of a run: as it is recorded, and as it is compared.

    `named` gives values that belong together one name; None compares the text exactly.
    """

    def __init__(self, run: ComparedRun, recorded: str, named: _Naming) -> None:
        self.recorded = recorded
        self._rules = run.rules
        self._named = named
        self._kept: frozenset[str] = frozenset()

    def compare_with(self, other: _RunText) -> None:
        """Leave the paths in both texts as they are written.

        The rules of either run do for two texts that are equal.
        """
        if self.recorded == other.recorded:
            other._rules = self._rules
            return
        paths = written_alike(self._rules, self.recorded, other._rules, other.recorded)
        self._kept = other._kept = paths

    @functools.cached_property
    def plain(self) -> str:
        """The text after the rules."""
        return self._ruled(self._rules.prose) if self._named else self.recorded

    @functools.cached_property
    def text(self) -> str:
        """The text as it is compared."""
        return self._named(self.plain) if self._named else self.recorded

    @property
    def lines(self) -> str:
        """The text as it is compared, but with its lines."""
        if self._named is None:
            return self.recorded
        lines = self._named(self._ruled(self._rules.text)).split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def _ruled(self, rules: Callable[[str], str]) -> str:
        with keeping(self._kept, self._rules, self._rules):
            return rules(self.recorded)


class _FinalText:
    """The final text of a run as its log records it.

    `answer` is None if the log joins it with the texts before it. A log of text holds
    the answer, or in older versions of the agent all texts. With `is_joined`, the whole
    is all segments, since the result of some agents is only the last one.
    """

    def __init__(self, side: ComparedRun, named: _Naming, *, is_joined: bool) -> None:
        run = side.recorded.run
        whole, answer = run.text or "", run.answer or ""
        if is_joined and run.segments:
            whole = "".join(run.texts)
        self.is_text = side.recorded.level == "text"
        if self.is_text:
            whole = answer = answer.removesuffix("\n")
        self.whole = _RunText(side, whole, named)
        is_apart = self.is_text or run.segments
        self.answer = _RunText(side, answer, named) if is_apart else None
        parts = "".join(run.texts)
        self.is_joined = not is_apart or whole in (parts, answer)


def _have_same_answer(one: _FinalText, other: _FinalText) -> bool:
    """Return True if two answers are the same in the parts that both logs record.

    A text that holds more than the answer ends with it.
    """
    if one.answer and other.answer:
        return one.answer.text == other.answer.text
    if other.answer is None:
        one, other = other, one
    if other.answer is None or not other.answer.text:
        return False
    before, answer, after = one.whole.text.rpartition(other.answer.text)
    return bool(answer) and not after and not before[-1:].isalnum()


def _different(
    one: _FinalText, other: _FinalText, settings: Settings
) -> TextComparison:
    """Compare two texts with different answers: the answers, if both are known.

    A log of text may hold either, so the two most similar texts are compared.
    """
    if not (one.answer and other.answer):
        return _compared(one.whole, other.whole)
    if settings.text == "last":
        return _compared(one.answer, other.answer)
    ones = [one.answer, one.whole][: 1 + (other.is_text and not one.is_text)]
    others = [other.answer, other.whole][: 1 + (one.is_text and not other.is_text)]
    found = itertools.starmap(_compared, itertools.product(ones, others))
    return max(found, key=lambda comparison: comparison.similarity)


def _compared(
    one: _RunText, other: _RunText, is_narration: bool = False
) -> TextComparison:
    if one.text == other.text:
        return _equal(one, other)
    return TextComparison(
        one.lines,
        other.lines,
        similarity(one.text, other.text),
        is_equal=False,
        is_narration=is_narration,
        recorded=(one.recorded, other.recorded),
    )


def _equal(one: _RunText, other: _RunText) -> TextComparison:
    return TextComparison(
        one.text,
        other.text,
        similarity=1.0,
        is_equal=True,
        recorded=(one.recorded, other.recorded),
    )


def similarity(one: str, other: str) -> float:
    """Return 2m / (a + b), where m words of a and b are a common subsequence.

    Two texts without words have a similarity of 1.
    """
    words, others = words_of(one), words_of(other)
    if not words and not others:
        return 1.0
    common = sum(block.length for block in align(words, others).blocks)
    return 2 * common / (len(words) + len(others))


def words_of(text: str) -> list[str]:
    """Return the words, numbers and marks of a text."""
    return re.findall(_WORD if may_have_cjk(text) else _SPACED_WORD, text)


def may_have_cjk(text: str) -> bool:
    """Return False for a text whose words all have spaces or marks between them."""
    return not text.isascii() and max(text) >= "\u3040"


# A log of text records only the action line of a call. So the calls of the other run
# are written as action lines as well, and equal lines are aligned.
def action_lines(
    a: Trajectory, b: Trajectory
) -> tuple[list[AlignedCall], list[AlignedCall]] | None:
    """Return the action lines of two runs, each as a call that records nothing else.

    None if one of them has no such lines, which some versions do not print. The lines
    name targets only if those of both sides do.
    """
    sides = (a, b)
    if not all(
        side.level == "calls" or (side.level == "text" and side.ended) for side in sides
    ):
        return None
    bare = [_lines(side, has_subject=False) for side in sides]
    detailed = [_lines(side, has_subject=True) for side in sides]
    is_detailed = all(
        side.level == "calls" or bare_lines != detailed_lines
        for side, bare_lines, detailed_lines in zip(sides, bare, detailed, strict=True)
    )
    lines_a, lines_b = detailed if is_detailed else bare
    return _as_calls(a, lines_a), _as_calls(b, lines_b)


def _lines(side: Trajectory, has_subject: bool) -> list[str]:
    """Return the action line of each call, in the order of a log of text."""
    directory = side.run.directory
    events = filter(None, (call.event for call in _in_text(side)))
    return [action_line(call, directory, has_subject=has_subject) for call in events]


def _as_calls(side: Trajectory, lines: list[str]) -> list[AlignedCall]:
    calls = enumerate(zip(_in_text(side), lines, strict=True), 1)
    return aligned(
        [
            RecordedCall(
                number=number,
                line=call.event.line if call.event else call.line,
                tool=call.kind,
                kind=call.kind,
                action_line=line,
                event=call.event,
                failure=call.failure,
            )
            for number, (call, line) in calls
        ]
    )


def _in_text(side: Trajectory) -> list[RecordedCall]:
    """Return the calls that text has a line for: as they ended, those inside next.

    A step that no log records as a call has no line, unless the log is text itself.
    """
    written = {id(call) for call in side.ended}
    own = {id(call) for call in side.calls}
    return [
        call
        for around in side.ended
        if id(around) in own
        for call in with_inner([around])
        if id(call) in written or side.level == "text"
    ]


def equal_lines(ones: list[AlignedCall], others: list[AlignedCall]) -> list[Pair]:
    """Return the pairs of equal lines, the same whichever side is the baseline."""
    one, other = (
        [call.recorded.action_line for call in calls] for calls in (ones, others)
    )
    is_swapped = one > other
    blocks = align(other, one).blocks if is_swapped else align(one, other).blocks
    pairs = [
        Pair(block.old + offset, block.new + offset, False)
        for block in blocks
        for offset in range(block.length)
    ]
    return [Pair(pair.b, pair.a, False) for pair in pairs] if is_swapped else pairs
