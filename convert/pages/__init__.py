"""HTML: the page of a run and that of a comparison, each in one file.

events -> picture_builder -> run_picture -> run_page -> templates -> bytes
                                         -> run_summary -> Markdown
comparison -> comparison_page -> templates -> lines

run_page               the page of the runs of a log
run_summary            the text for a pull request, of the same facts
run_picture            all facts that the page and the terminal show of a run
picture_builder        the fold of the events of a run into these
entries                the calls of a run as rows, its reasoning, its chapters
timeline_layout        the bars of the calls of a run, by lane and by time
long_timeline          the same for many calls: columns, and rows of one length
timeline_svg           the timeline as SVG
comparison_page        the page of two logs: verdict, figures, pairs of runs
comparison_findings    lists of findings, of new and of unresolved failures
comparison_calls       the calls of both runs side by side, with their output
comparison_changes     changes in calls, files and answers, with marks
bands                  two runs above one another, and bands between equal calls
environment            the templates, which escape everything, and their filters
prose                  Markdown of a log as HTML that cannot leave its place

`templates/` holds the templates and the styles. A page has no script, and its
Content-Security-Policy allows nothing but its style. Text of a log gets into a page
through the templates, and through the one function of `timeline_svg` that names a call.
Modules without HTML (run_summary, run_picture, entries, timeline_layout, long_timeline)
serve the terminal as well; they take and return numbers and words.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "bands": "JoinedRuns Joint KINDS joined_by_order joined_by_time",
        "comparison_calls": "Fold",
        "comparison_changes": "MOST_FILES",
        "comparison_findings": "Listed",
        "comparison_page": "pairs_of verdict_on",
        "entries": "call_row",
        "long_timeline": "COLUMNS columns wrapped_rows",
        "prose": "plain_text",
        "picture_builder": "run_pictures",
        "run_summary": "MOST_BYTES MOST_LINES",
        "run_picture": "RunPicture figures_in_words",
        "timeline_layout": "Axis BAR CallTime OrderAxis STEPS Timeline axis_of clock "
        "spans_of",
    },
)
