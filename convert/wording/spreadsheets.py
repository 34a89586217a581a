"""Lines of CSV whose cells no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io

from convert.wording.escapes import escape_controls, one_line, repair_surrogates

# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@")


def harmless(text: str) -> str:
    """Return text of a log that no spreadsheet takes for a formula."""
    text = shown(repair_surrogates(text))
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_line(cells: object) -> str:
    """Return cells as a line, without its end."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()


def shown(text: str) -> str:
    """Return text of a log on one line, without characters that do harm."""
    return escape_controls(one_line(text))
