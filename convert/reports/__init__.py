"""The document of a report, and how a terminal and Markdown show it.

facts -> words -> document -> lines

document    cells and tables, whose texts are written once for all renderers
formats     the formats of reports: their names, their suffixes, how they are escaped
terminal    tables in columns, bars, and lines cut to a width
markdown    tables with the texts of logs escaped

Pages show the same tables in their templates. A report for programs has the facts.
"""

from __future__ import annotations

from convert.exports import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(__name__, {"document": "Cell", "terminal": "Grid bar cut"})
