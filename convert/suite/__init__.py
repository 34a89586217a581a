"""Comparing folders of runs: the cases of a baseline and of a candidate.

folders -> cases -> results of cases -> suite -> report

folders         the logs of both sides
pairing         the cases that they make; cases: by path or prompt, prompts: of logs
comparing       the logs of a case to its outcome; case_logs: its files,
                case_results: its result, findings: what differs in it,
                blocks: the report of it, as far as there is room
limits          how much cases may use, and how many runs must succeed
chance          how easily chance alone makes such a difference
repeated        what repeated runs of a case show, in figures
repeated_runs   comparing them: what is steady, and what may be chance; repeated_pairs:
                two by two, repeated_figures: how they ended and what they used
results         what a comparison found out about a case, small enough for thousands
suite           all results, the worst first, and the verdict on them; collecting: made
                from the outcomes
reports         what is printed

A case is one task. Where it has several runs on each side, these are repeated runs, and
chance decides how much a difference between them says.

Comparing prints nothing, and printing compares nothing.
"""

from __future__ import annotations
