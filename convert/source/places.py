"""The places of logs and outputs: what is there, and the suffixes of logs.

The wing `scale` looks up the objects at URLs.
"""

from __future__ import annotations

import os
import sys

from convert.wording.urls import is_url

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
    """Return True if a path has a suffix of logs."""
    return stem_of(path) != path


def forget() -> None:
    """Forget the known states of objects, since they may have changed."""
    if stores := sys.modules.get("convert.source.stores"):
        stores.forget()


def is_folder(path: str) -> bool:
    """Return True for a folder, or a URL that has others below it.

    Errors show when a URL is read.
    """
    if is_url(path):
        from convert.source.stores import has_below

        return has_below(path)
    return os.path.isdir(path)
