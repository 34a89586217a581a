"""How the logs of some formats begin, which tells them where the rest is damaged."""

from __future__ import annotations

from convert.source.sniff import Opening

ATIF = Opening(b'"schema_version"', rb'[\s\[]*\{\s*"schema_version"\s*:\s*"ATIF-')
"""How most documents of ATIF begin."""

# A merge may have left its markers above.
_MARKERS = rb"\s*(?:(?:<{7}|\|{7}|={7})[^\n]*\n\s*)*"
TRAJECTORY = Opening(
    b'"trajectory"', _MARKERS + rb"\{" + _MARKERS + rb'"trajectory"\s*:\s*[0-9]'
)
"""How each trajectory begins; another agent has a list in a member of this name."""
