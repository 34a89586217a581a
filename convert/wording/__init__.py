"""Text handling that reports and transcripts share.

sanitise     text that is harmless on one line, a terminal or in the log of a runner
markdown     text that is harmless in Markdown; markdown_parser: reads that of a log
words        lines of styled text; numbers: in words, paths: as people read them
differences  the longest common subsequence; hunks: the lines that differ
git_patches  patches as git writes them
colours      of a terminal
columns      texts measured in the columns of a terminal; simple_table: in such columns
nearest      the name that a mistyped one may have meant
compiled     patterns that are compiled on first use; digests: of whatever is compared
"""
