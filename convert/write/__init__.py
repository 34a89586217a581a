"""Writers that need all of a run: a transcript, a patch, an approved run.

markdown          a transcript, and its pieces as Markdown
foreign_markdown  Markdown of the log that a parser reads and changes
limit             --max-bytes
front_matter      --front-matter
ended             the verdict and the answer first, where the log has ended
patch             the changes of a run in files, as `git apply` takes them
trajectory        approved runs, read as events
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "front_matter": "FrontMatter",
        "markdown": "sanitise_markdown",
        "trajectory": "Document",
    },
)
