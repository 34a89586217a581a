"""HTML: the page of a run and that of a comparison, each in one file.

events -> run_picture -> run_page -> templates -> bytes
comparison -> comparison_page -> templates -> lines

run_page               the page of the runs of a log
run_picture            all facts that the page and the terminal show of a run
entries                the calls of a run as rows, its reasoning, its chapters
run_facts              the figures, names and files of a run in words
timeline               the bars of the calls of a run, by lane and by time
long_timeline          the same for many calls: columns, and rows of one length
svg                    the timeline as SVG
comparison_page        the page of two logs, with a part for each pair of runs
comparison_summary     the verdict in a sentence, and the figures of both runs
comparison_findings    lists of findings, of new and of unresolved failures
comparison_calls       the calls of both runs side by side, with their output
comparison_changes     changes in calls, files and answers, with marks
bands                  two runs above one another, and bands between equal calls
environment            the templates, which escape everything, and their filters
prose                  Markdown of a log as HTML that cannot leave its place

`templates/` holds the templates and the styles. A page has no script, and its
Content-Security-Policy allows nothing but its style. Text of a log gets into a page
through the templates, and through the one function of `svg` that names a call.
Modules without HTML (run_picture, entries, run_facts, timeline, long_timeline) serve
the terminal as well; they take and return numbers and words.
"""

from __future__ import annotations

from convert.exports import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "bands": "JoinedRuns Joint KINDS joined_by_order joined_by_time",
        "comparison_calls": "PairRow",
        "comparison_changes": "MOST_FILES",
        "comparison_findings": "Listed UnresolvedOfRun",
        "comparison_page": "pairs_of",
        "comparison_summary": "verdict_on",
        "entries": "call_row",
        "long_timeline": "COLUMNS columns wrapped_rows",
        "prose": "plain_text",
        "run_facts": "figures_in_words",
        "run_picture": "RunPicture run_pictures",
        "timeline": "Axis BAR CallTime OrderAxis STEPS Timeline axis_of clock spans_of",
    },
)
