"""The meaning of a tool call: one row for each kind of tool.

table         all kinds of tools, and the row of a kind that has none, from kinds.ini
subjects      the words and paths that a call is about, for `diff` and for people
names         of tools, in full and short, and of arguments and outputs
outcomes      a call on one line: phrase, subject, how it ended and why it failed
phrases       the phrases of `text`, in a file for each language
shell         whether a shell command changes anything, what it runs, and where

A new kind is a section of kinds.ini and a line in the file of each language. Tests walk
the tables and name each cell that is missing.
"""

from __future__ import annotations

from convert.exports import exports

# Tools that start no others, which nearly all calls are of. This is here because the
# conversion of most logs asks for nothing else in the table.
PLAIN = frozenset(
    {"shell", "read", "edit", "write", "delete", "grep", "glob", "ls", "updateTodos"}
)

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "names": "CONTENTS FOREIGN LISTS_OF_PATHS NOISE PATHS "
        "known_arguments noise_members",
        "outcomes": "action_line outcome_name read_reason reason_of",
        "phrases": "LANGUAGES in_all_languages phrase phrases_in read_phrase",
        "shell": "answer_in only_looks program_of",
        "shell.attempts": "CHECKS simple_attempt_of",
        "shell.directory": "without_directory",
        "shell.harmless": "ASKED PROGRAMS Rule",
        "shell.identity": "SHELLS WRAPPERS Wrapper",
        "shell.status": "ANSWERS deciding_commands",
        "shell.syntax": "parse plain_syntax",
        "subjects": "SEARCHES target_line",
        "table": "Effect Lane Noise SubjectArguments Tool UNKNOWN tool_of tools",
    },
)
