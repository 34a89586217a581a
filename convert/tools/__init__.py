"""The meaning of a tool call: one row for each kind of tool.

table         all kinds of tools, and the row of a kind that has none; row: its cells
kinds         the rows, by theme
subjects      the words and paths that a call is about, for `diff` and for people
names         of tools, in full and short, and of arguments and outputs
outcomes      a call on one line: phrase, subject, how it ended and why it failed
phrases       the phrases of `text`, in a file for each language
shell         whether a shell command changes anything, what it runs, and where

A new kind is one row. A test walks the table and names each cell that is missing.
"""

from __future__ import annotations

from convert.exports import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "names": "CONTENTS FOREIGN LISTS_OF_PATHS NOISE PATHS _ARGUMENTS "
        "known_arguments noise_members",
        "outcomes": "action_line outcome_name read_reason reason_of",
        "phrases": "LANGUAGES in_all_languages phrase phrases_in read_phrase",
        "row": "Noise SubjectArguments Tool",
        "shell": "answer_in only_looks program_of",
        "shell.attempts": "CHECKS tried",
        "shell.directory": "without_directory",
        "shell.identity": "SHELLS WRAPPERS",
        "shell.programs": "ALWAYS ASKED PROGRAMS WITH_CONDITIONS WITH_SUBCOMMANDS",
        "shell.rules": "Rule",
        "shell.status": "ANSWERS deciding_commands",
        "shell.syntax": "parsed_syntax plain_syntax",
        "subjects": "SEARCHES _TARGETS target_line",
        "table": "TOOLS UNKNOWN tool_of",
    },
)
