"""Which logs of several versions are tries at one case."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from convert.source.names import stem_of
from convert.suite.cases import folder_of, may_be_repeated, repeated_folders
from convert.suite.matrix.tries import Try
from convert.wording.paths import spelled


def case_names(
    versions: Sequence[Sequence[Try]], repeat: bool | None
) -> dict[str, str]:
    """Return the case of each log, by the path of the log in its folder.

    With `repeat`, the logs of a folder are runs of one case; None looks if they are.
    """
    every = [*itertools.chain.from_iterable(versions)]
    folders = {folder_of(each.inside) for each in every} if repeat else set()
    if repeat is None:
        folders = _repeated(versions)
    names = {}
    for each in every:
        folder = folder_of(each.inside)
        is_repeated = folder in folders
        name = folder or "." if is_repeated else stem_of(each.inside)
        names[each.inside] = spelled(name)
    return names


def _repeated(versions: Sequence[Sequence[Try]]) -> set[str]:
    """Return the folders that two versions show to hold repeated runs.

    A log that cannot be read tells nothing of its prompt.
    """
    logs = [
        {each.log: each.inside for each in tries if not each.broken}
        for tries in versions
    ]
    titles = {each.log: each.title for tries in versions for each in tries}
    found: set[str] = set()
    for ones, others in itertools.combinations(logs, 2):
        found |= repeated_folders(may_be_repeated(ones, others), titles)
    return found
