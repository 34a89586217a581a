"""From the bytes of a log to its lines, and to the format that it is in.

A log as the agent writes it needs only these:

lines          files, blocks of whole lines, and lines that are skipped
reading        from the pieces of a log to its lines, its format and its structs
recognition    how formats recognise their logs
ndjson         blocks of JSON lines as structs, and values that fit no struct

The others are loaded when a log needs them:

places         the files in a folder, the states of files, objects at URLs
globs          files chosen by their paths
sessions       where agents keep their sessions, and the ends of long logs
compressed     compressed logs
marks          the lines that `runconv run` adds to a log
split_lines    lines that a container or a terminal has split
unwrap         JSON over several lines, or in an array
damaged_lines  lines that msgspec refuses, and noise between events
nesting        JSON that is nested deeper than Python recurses
detection      the format of a log whose first line does not show it
look_alikes    the logs of tools that no format reads, and events of unknown types
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "lines": "BLOCK File OpenFile REFUSED blocks chunks lines_in",
        "look_alikes": "_LOOK_ALIKES",
        "ndjson": "DOUBLED Decoding coerce members_of",
        "globs": "Globs",
        "places": "chosen_by pattern_in",
        "nesting": "BRACKET_BYTES flattened",
        "marks": "START end_mark stderr_marks",
        "reading": "as_utf8 read_blocks sniff unpacked whole_lines",
        "recognition": "Certainty Record",
    },
)
