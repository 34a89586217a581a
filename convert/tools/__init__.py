"""The meaning of a tool call: one row for each kind of tool.

table     all kinds of tools, from kinds.ini; names of tools, arguments and outputs
subjects  the words and paths that a call is about, for `diff` and for people
phrases_and_outcomes  a call in words: its action, how it ended and why it failed, in
          a file of `languages/` for each language
shell     shell commands: their programs, those that change nothing, their status

A new kind is a section of kinds.ini and a line in the file of each language. Tests walk
the tables and name each cell that is missing.
"""

from __future__ import annotations

from convert.registry import exports

# Tools that start no others, which nearly all calls are of. This is here because the
# conversion of most logs asks for nothing else in the table.
PLAIN = frozenset(
    {"shell", "read", "edit", "write", "delete", "grep", "glob", "ls", "updateTodos"}
)

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "phrases_and_outcomes": "LANGUAGES action_line in_all_languages "
        "outcome_in_words outcome_name outcome_note parse_outcome phrase phrases_in "
        "read_phrase read_reason reason_of",
        "shell": "answer_in checked_by only_looks program_of rewritten_by spelling_of",
        "shell.attempts": "CHECKS simple_attempt_of",
        "shell.harmless": "ASKED PROGRAMS Rule",
        "shell.identity": "SHELLS SUBCOMMANDS WRAPPERS Wrapper",
        "shell.ordered_words": "OPTIONS",
        "shell.status": "ANSWERS deciding_commands",
        "shell.syntax": "parse plain_syntax",
        "subjects": "SEARCHES led_by_directory target_line without_directory",
        "table": "CONTENTS Effect FOREIGN LISTS_OF_PATHS Lane NOISE Noise PATHS "
        "SubjectArguments Tool UNKNOWN known_arguments noise_members tool_of tools",
    },
)
