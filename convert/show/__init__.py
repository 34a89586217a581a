"""A run in the terminal: lines of styled text, as wide as the screen.

events -> pictures -> lines of rich's `Text` -> the terminal

run_view        a run that has ended: how, when, what failed, every call
run_parts       the parts that it shares with a run that is followed
timeline_lines  the picture of its calls, in blocks
call_lines      a call as a line, and what it printed if it failed
prose_lines     Markdown of the log
followed_log    a log that grows: lines as they come, and what is open now
cells           styled text, measured in the cells of a terminal

All text of a log gets here through `cells.visible`, never through markup of rich. Lines
are made once for a width; what colours they have is up to whoever prints them.
"""
