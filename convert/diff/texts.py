"""Whether two final texts say the same, and how near they are."""

from __future__ import annotations

import re

from msgspec import Struct

from convert.diff.trajectory import Trajectory
from convert.settings import Settings
from convert.wording.differences import align

# Han, Hiragana and Katakana have no blanks between words.
CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = rf"[{CJK}]|[^\W{CJK}]+|[^\w\s]"


class TextComparison(Struct, frozen=True):
    """How two final texts compare; `a` and `b` are what was compared, normalised.

    `similarity` is 1 for equal texts, down to 0. `is_narration` says that only what
    was said before the last call differs.
    """

    a: str
    b: str
    similarity: float
    is_narration: bool = False

    @property
    def is_equal(self) -> bool:
        """Whether the texts are the same."""
        return self.a == self.b


def compare_texts(
    a: Trajectory, b: Trajectory, settings: Settings
) -> TextComparison | None:
    """Compare what two runs said in the end; None where that cannot be or is not asked.

    A run that was cut off before its result has no final text.
    """
    if settings.text == "ignore":
        return None
    ones, others = _versions(a, b, settings), _versions(b, a, settings)
    if not ones or not others:
        return None
    best: TextComparison | None = None
    for one in ones:
        for other in others:
            if one == other:
                return TextComparison(one, other, 1.0)
            found = TextComparison(one, other, similarity(one, other))
            if best is None or found.similarity > best.similarity:
                best = found
    if best and settings.text == "auto" and _is_narration(a, b):
        return TextComparison(best.a, best.b, best.similarity, is_narration=True)
    return best


def has_final_text(run: Trajectory) -> bool:
    """Whether a run has a final text: one that was cut off has none."""
    if run.level == "text":
        return True
    return run.run.result is not None and run.run.text is not None


def _versions(run: Trajectory, other: Trajectory, settings: Settings) -> list[str]:
    """What counts as the final text of a run, each way to read it.

    The text of `--output-format text` is the last message only, that of older
    versions all of them.
    """
    said: list[str | None]
    if not has_final_text(run):
        return []
    if run.level == "text":
        said = [(run.run.answer or "").removesuffix("\n")]
    elif settings.text == "last":
        is_segmented = run.run.segments and other.level != "result"
        said = [run.run.answer if is_segmented else run.run.text]
    elif other.level == "text" and settings.text == "auto":
        said = [run.run.text, run.run.answer]
    else:
        said = [run.run.text]
    texts = [text for text in dict.fromkeys(said) if text is not None]
    if settings.text == "exact":
        return texts
    return list(dict.fromkeys(map(run.normaliser.prose, texts)))


def _is_narration(a: Trajectory, b: Trajectory) -> bool:
    """Whether only what was said before the last call of each run differs."""
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
    """2m / (a + b), with m the longest common subsequence of words; 1 for no words."""
    words, others = _words(one), _words(other)
    if not words and not others:
        return 1.0
    common = sum(block.length for block in align(words, others).blocks)
    return 2 * common / (len(words) + len(others))


def _words(text: str) -> list[str]:
    return re.findall(_WORD, text)
