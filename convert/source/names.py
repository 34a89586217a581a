"""The names of logs: their suffixes, and what is left without them."""

from __future__ import annotations

import os

COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_LOGS = (".ndjson", ".jsonl", ".json", ".log", ".txt")


def stem_of(name: str) -> str:
    """Return the name of a log without its suffixes, also that of compression."""
    for suffixes in (COMPRESSED, _LOGS):
        without, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = without
    return name


def may_be_log(path: str) -> bool:
    """Tell if a path has a suffix of logs."""
    return stem_of(path) != path
