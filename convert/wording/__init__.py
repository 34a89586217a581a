"""Text handling that knows nothing of logs.

escapes      text that is harmless on one line, in a terminal or in the log of a runner
markdown     text that is harmless in Markdown
styles_and_columns  lines of styled text, the colours of a terminal, and texts measured
             and cut in its columns
numbers      numbers, sizes and durations for people
paths        paths and URLs as people read them, and their parts
alignment    the longest common subsequence of two sequences
diffs        the lines in which two texts differ, and patches as git writes them
sections     the tables of data in files
digests      `blake2b`, without the library of cryptography

`compiled` is here: patterns that are compiled on first use; and `split_command`.
"""

from __future__ import annotations

import functools
import os
import re

from convert.registry import exports


@functools.cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern of a module; a pattern of a user would stay forever."""
    return re.compile(pattern, flags)


def split_command(command: str) -> list[str]:
    """Return the words of a command as a shell reads them; raises ValueError.

    On Windows, a backslash is a part of a path.
    """
    import shlex

    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if os.name == "nt":
        words.escape = ""
    return [*words]


# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "alignment": "Block align common_length common_lengths places_of",
        "diffs": "changed_lines count_changes hunks_of unified_diff without_headers",
        "escapes": "escape_controls harmless_line has_controls one_line "
        "repair_surrogates resolve_overwrites strip_controls",
        "numbers": "byte_count duration size",
        "paths": "base_name harmless identity inside is_url joined local_path "
        "parts_of readable_path scheme_of shared_folder shorten_path shown "
        "words_of_library",
        "sections": "read_sections unmarked words_of",
        "styles_and_columns": "NARROW Styled cut_distinctly cut_middle cut_end",
    },
)
