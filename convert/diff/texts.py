"""Comparing the final texts of two runs."""

from __future__ import annotations

import itertools
import re

from msgspec import Struct

from convert.diff.trajectory import Trajectory
from convert.diff.value_pairs import ValuePairs
from convert.options.settings import Settings
from convert.wording.differences import align

# Han, Hiragana and Katakana have no spaces between words.
CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = rf"[{CJK}]|[^\W{CJK}]+|[^\w\s]"


class TextComparison(Struct, frozen=True):
    """How two final texts compare."""

    a: str
    """The text of the baseline as it was compared, normalised."""

    b: str
    """The text of the candidate as it was compared, normalised."""

    similarity: float
    """The share of words in common, from 0 to 1; see `similarity`."""

    is_narration: bool = False
    """The texts differ only before the last call of each run."""

    @property
    def is_equal(self) -> bool:
        """The texts are the same."""
        return self.a == self.b


def compare_texts(
    a: Trajectory, b: Trajectory, settings: Settings, pairs: ValuePairs
) -> TextComparison | None:
    """Compare the final texts of two runs, in which values of `pairs` are equal.

    None if the settings ignore them, or if a run has none.
    """
    if settings.text == "ignore":
        return None
    ones, others = _versions(a, b, settings), _versions(b, a, settings)
    if not ones or not others:
        return None
    if settings.text != "exact":
        for one, other in itertools.product(ones, others):
            pairs.admit_texts(one, other)
        ones = [pairs.named(text, is_baseline=True) for text in ones]
        others = [pairs.named(text, is_baseline=False) for text in others]
    best = _most_similar(ones, others)
    if not best.is_equal and settings.text == "auto" and _is_narration(a, b):
        return TextComparison(best.a, best.b, best.similarity, is_narration=True)
    return best


def _most_similar(ones: list[str], others: list[str]) -> TextComparison:
    """Return the comparison of the two texts that are nearest, the first on a tie."""
    pairs = list(itertools.product(ones, others))
    for one, other in pairs:
        if one == other:
            return TextComparison(one, other, 1.0)
    found = (TextComparison(one, other, similarity(one, other)) for one, other in pairs)
    return max(found, key=lambda comparison: comparison.similarity)


def has_final_text(run: Trajectory) -> bool:
    """Return True if a run has a final text; a run without a result has none."""
    if run.level == "text":
        return True
    return run.run.result is not None and run.run.text is not None


def _versions(run: Trajectory, other: Trajectory, settings: Settings) -> list[str]:
    """Return the strings that may be the final text of a run.

    `--output-format text` prints the last message only; older versions print all
    messages.
    """
    versions: list[str | None]
    if not has_final_text(run):
        return []
    if run.level == "text":
        versions = [(run.run.answer or "").removesuffix("\n")]
    elif settings.text == "last":
        is_segmented = run.run.segments and other.level != "result"
        versions = [run.run.answer if is_segmented else run.run.text]
    elif other.level == "text" and settings.text == "auto":
        versions = [run.run.text, run.run.answer]
    else:
        versions = [run.run.text]
    texts = [text for text in dict.fromkeys(versions) if text is not None]
    if settings.text == "exact":
        return texts
    return list(dict.fromkeys(map(run.normaliser.prose, texts)))


def _is_narration(a: Trajectory, b: Trajectory) -> bool:
    """Return True if two texts differ only before the last call of each run."""
    finals = []
    for run in (a, b):
        recorded = run.run.result.text if run.run.result else None
        if run.level != "calls" or recorded is None:
            return False
        if "".join(run.run.texts) != recorded:
            return False
        finals.append([run.normaliser.prose(text) for text in run.final])
    return finals[0] == finals[1]


def similarity(one: str, other: str) -> float:
    """Return 2m / (a + b), where m words of a and b are a common subsequence.

    Two texts without words have a similarity of 1.
    """
    words, others = _words(one), _words(other)
    if not words and not others:
        return 1.0
    common = sum(block.length for block in align(words, others).blocks)
    return 2 * common / (len(words) + len(others))


def _words(text: str) -> list[str]:
    return re.findall(_WORD, text)
