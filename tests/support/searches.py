"""The search for literals with its library, and without."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import pytest

from convert.redact import finding, places, suspicion

# These are made once, with the search that is there then.
_MADE = (
    *(places._literals, suspicion._words),
    finding._find_again,
)


@contextlib.contextmanager
def without_library() -> Iterator[None]:
    """Hide the library that looks for all literals at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ahocorasick_rs", None)
        _forget()
        yield
    _forget()


def _forget() -> None:
    for made in _MADE:
        made.cache_clear()
