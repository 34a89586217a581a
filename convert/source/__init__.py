"""From the bytes of a log to its lines, and whose log it is.

bytes -> archives -> lines -> sniff -> ndjson -> structs

folders        the files in a folder; globs: which of them, names: without suffixes
archives       compressed logs; expansion: how they are expanded
lines          blocks of whole lines; growing: of logs that are still written;
               open_file: of standard input; split_lines: in parts
sniff          the format of a log; judge: where its first line does not tell it
first_records  the first objects of a log; look_alikes: whose they may be
ndjson         blocks of lines to structs; narrow: those that hold what is needed
doubled        logs that hold each line twice in a row
damaged        the lines that this refuses; members: all that such a line holds
coercion       values without the members that do not fit a type
noise          lines that are plainly no events; halves: of an emoji, in long lines
unknown_types  which types of events are not known
unwrap         JSON over several lines or in an array
nesting        JSON that is nested deeply; embedded: JSON inside other text
"""
