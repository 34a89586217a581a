"""A mark for each run of a case, as SVG, and the same in words."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup, escape

from convert.source.names import stem_of
from convert.suite.model import SUCCEEDED, CaseRun, CaseSide, Outcome
from convert.suite.sentences import REASONS
from convert.wording.numbers import in_words
from convert.wording.sanitise import escape_controls, one_line, truncate

# The words for each outcome, in the order of the marks.
OUTCOMES: dict[Outcome, str] = {
    "clean": "clean",
    "success": "success",
    "unknown": "end not recorded",
    "failed": "failed",
    "excluded": "excluded",
}
# In pixels, a mark with its gap; and how many are next to one another.
_MARK, BESIDE = 14, 16
_LONGEST = 60


def marks(side: CaseSide, most: int) -> Markup:
    """Return the marks of the runs of a case, those that went well first.

    `most` is the largest number of marks next to one another on the page, which makes
    the pictures of all cases equally wide.
    """
    order = [*OUTCOMES]
    runs = sorted(side.runs, key=lambda run: order.index(run.outcome))
    rows = max(-(-len(runs) // BESIDE), 1)
    size = f'width="{_MARK * max(min(most, BESIDE), 1)}" height="{_MARK * rows}"'
    names = dict(zip((run.log for run in side.runs), names_of(side), strict=True))
    drawn = "".join(_mark(run, names[run.log], at) for at, run in enumerate(runs))
    return Markup(f'<svg class="marks" {size} aria-hidden="true">{drawn}</svg>')


def outcomes_in_words(side: CaseSide) -> str:
    """Return how many runs turned out how: `3 clean, 1 success and 4 failed`."""
    counts = Counter(run.outcome for run in side.runs)
    words = [
        f"{counts[outcome]:,} {word}{_reasons(side) if outcome == 'excluded' else ''}"
        for outcome, word in OUTCOMES.items()
        if counts[outcome]
    ]
    if side.unread:
        words.append(f"{side.unread:,} unreadable")
    return in_words(words)


def names_of(side: CaseSide) -> list[str]:
    """Return the shortest ends of the paths of its logs that tell the runs apart."""
    paths = [stem_of(run.log.replace("\\", "/")).split("/") for run in side.runs]
    names: list[str] = []
    for parts in range(1, max(map(len, paths), default=0) + 1):
        names = ["/".join(path[-parts:]) for path in paths]
        if len({*names}) == len(names):
            break
    return [truncate(one_line(name), _LONGEST) for name in names]


def ending_of(run: CaseRun) -> str:
    """Return how a run ended, in a word or two."""
    if run.is_cut:
        return "broke off"
    return "succeeded" if run.outcome in SUCCEEDED else OUTCOMES[run.outcome]


def _reasons(side: CaseSide) -> str:
    """Return why runs were excluded, in brackets."""
    kinds = Counter(run.reason_kind for run in side.runs if run.outcome == "excluded")
    words = ", ".join(REASONS.get(kind, kind) for kind, _ in kinds.most_common())
    return f" ({words})" if words else ""


def _mark(run: CaseRun, name: str, at: int) -> str:
    x, y = at % BESIDE * _MARK, at // BESIDE * _MARK
    down = f' y="{y}"' if y else ""
    hover = escape(escape_controls(_words(run, name)))
    return f'<use href="#run-{run.outcome}" x="{x}"{down}><title>{hover}</title></use>'


def _words(run: CaseRun, name: str) -> str:
    """Return what is shown when a pointer is over a mark."""
    words = OUTCOMES[run.outcome]
    if run.outcome == "excluded":
        words = f"{words}, {REASONS.get(run.reason_kind, run.reason_kind)}"
    elif run.is_cut:
        words = f"{words}, broke off"
    return f"{name}: {words}"
