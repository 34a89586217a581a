"""gitlab: the findings as issues of a Code Quality report, for merge requests.

GitLab compares the reports of two branches by the fingerprints of their issues. The
fingerprint of a finding depends on its case, its category and its words, and not on its
lines; that of a limit does not depend on what was measured.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine, shown
from convert.suite.reports.notes import Note, Weight, notes, place_in
from convert.suite.suite import Suite
from convert.wording.sanitise import repair_surrogates

# The severities of GitLab are info, minor, major, critical and blocker.
_SEVERITIES: dict[Weight, str] = {"trouble": "blocker", "none": "info"}


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield an array with an issue on each line; it is empty if all is same."""
    issues = [json.dumps(issue, sort_keys=True) for issue in _issues(suite, look)]
    if not issues:
        yield ReportLine("[]")
        return
    yield ReportLine("[")
    yield from (ReportLine(f"{issue},") for issue in issues[:-1])
    yield ReportLine(issues[-1])
    yield ReportLine("]")


def _issues(suite: Suite, look: Look) -> Iterator[dict[str, object]]:
    times: Counter[tuple[str, ...]] = Counter()
    for note in notes(suite):
        words = (note.case, note.check, note.key)
        times[words] += 1
        yield {
            "description": shown(f"{note.case or 'all cases'}: {_text(note)}"),
            "check_name": f"runconv/{note.check}",
            "fingerprint": _fingerprint(*words, str(times[words])),
            "severity": _SEVERITIES.get(note.weight, note.weight),
            "location": {
                "path": repair_surrogates(place_in(look.root, note.path or suite.b)),
                "lines": {"begin": note.line or 1},
            },
        }


def _text(note: Note) -> str:
    """Return what is wrong, between which agents if they differ."""
    return f"{note.text} ({note.agents})" if note.agents else note.text


def _fingerprint(*words: str) -> str:
    """Return a digest of words, among which no two lists are alike."""
    text = repair_surrogates(json.dumps(words, ensure_ascii=False))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
