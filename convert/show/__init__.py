"""A run in the terminal: lines of styled text, as wide as the screen.

events -> pages.picture_builder -> lines of `text.Text` -> the terminal

run      a run that has ended: head, verdict, failures, answer, chapters
follow   a log that grows: lines as they come, and the calls that are open now
calls    a call as a line, and the timeline of all calls in blocks
prose    Markdown of a log as styled text
text     styled text, measured in the cells of a terminal

All text of a log gets here through `text.visible`.
Lines are made once for a width; the caller that prints them decides on colours.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "calls": "CallLines timeline_lines",
        "follow": "FollowedLog silence_in_words",
        "prose": "prose_lines",
        "run": "log_view run_view",
        "text": "at_both_ends cut painted styled visible wrapped",
    },
)
