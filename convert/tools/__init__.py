"""The meaning of a tool call: one row for each kind of tool.

    kinds          the rows, by theme: phrases, subject, effect, noise, transcript
    row            the cells of a row and their meaning
    table          all rows by kind, and the row of a kind that has none
    every_tool     names of arguments and outputs that mean the same in every tool
    phrase_lookup  the phrase of a call in a language, and read back from any
    arguments      those that each kind is known to take
    subjects       the words and paths that say what a call is about; targets: the same
                   for people
    names          of a tool, in full and short
    outcomes       how a call ended, on one line; reasons: in words of a language
    action_lines   phrase, subject and outcome together: the line that `text` writes
    commands       whether a shell command only looks, what it runs, and where

A new kind is one row. A test walks the table and names each cell that is missing.
"""
