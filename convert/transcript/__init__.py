"""A transcript: a run in pieces for people, in order and not yet in a notation.

    events -> run (one run after the other) -> pieces -> Markdown, pages, the terminal

run              the pieces of every run, in order; some wait until a call ends
pieces           the pieces, as data
call_sections    a tool call as a section: its title, its ending and its parts
builder          how a section is put together, and the language of a file by its name
kinds            the parts for each kind of tool: files, shell, plans, services
fields           members of untrusted JSON, read as the types that are expected
timing           when calls were made, and which were made together
incidents        incidents, calls that never ended, endings that change later
fact_list        the facts of a run at its start and at its end
room_of_parts    how much of the parts of a call is shown
shortened_texts  texts without their middle, and the lines of a text that say most

A call has the place where it started. Pieces after an open call wait until it ends,
and so does a run that overlaps another; nothing else is buffered.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "builder": "Shared formatted_json json_text without_internal",
        "shortened_texts": "Clip Excerpts clip diff_excerpts whole",
        "fields": "ReadOutput ShellOutput",
        "pieces": "FactList Piece Title",
        "call_sections": "as_request call_section kind_of",
        "timing": "CallTimes ParallelCalls numbers_in_words",
    },
)
