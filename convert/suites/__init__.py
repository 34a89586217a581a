"""The wing that compares versions: folders of runs, case by case.

folders -> cases -> results of cases -> verdict -> report

diff_and_matrix  `diff` of the folders of two versions and `matrix` of several, on an
                 engine; commands: the options and the help of these commands
versions         the steps from folders to a suite, for the commands and for Python
grouping         logs to cases with names
grouping_rules   which logs are runs of one case
case_comparison  the logs of a case to its result; two logs are a suite of one case
logs             the files of a version, their names without numbers, their prompts
case_logs        the logs of a case, each as a run, and the run that is shown
behaviour        the changes in the behaviour of a case, by the traits of its runs
verdict          the results of all cases to the verdict, and both in words
case_result      the result of a case; suite_result: of all, with the verdict
reports          the lines of each report
run_pages        the pages of single runs that the page of a suite links to
approve          the command `approve`, run by run
golden_checks    goldens that a run may replace, and runs of tests that are checked
                 against goldens; pytest_plugin: the fixture, and goldens without use,
                 for the module that pytest loads from the folder `pytest_entry`

A case is one task, a run is one attempt at it, and a version is a folder of runs. Two
tests over all cases decide if a version is worse; single cases explain the verdict and
do not decide it. Comparing prints nothing, and printing compares nothing.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "approve": "Approval",
        "behaviour.changes": "behaviour_of compare_across middle",
        "behaviour.traits": "TraitedRun traits_of",
        "behaviour.varying_values": "without_times",
        "case_logs": "run_of",
        "case_result": "Behaviour CaseFinding CaseLimit CasePages CaseResult CaseRun "
        "CaseSide Change Fate FigureName Outcome STANDINGS",
        "commands": "MatrixOptions",
        "grouping": "Grouped PairBy cases_of check_found",
        "logs": "Folder Prompts SamePrompt first_prompt folder_of",
        "pytest_plugin": "UsedGoldens decoded",
        "reports": "OF_VERSIONS REPORTS Room report",
        "reports.github_and_gitlab": "place_in",
        "reports.json_csv_junit": "COLUMNS",
        "reports.phrases": "OUTCOMES WORDS names_of",
        "suite_result": "Excluded Figure Success Suite Verdict Word",
        "verdict.judging": "judged",
        "verdict.case_sentences": "sentence_of",
        "verdict.success_test": "ONE_SIDED Stratum fisher holm listed runs_needed "
        "success_of",
        "verdict.behaviour_and_figure_tests": "combined figure_of steadiest",
        "verdict.notes": "notes",
        "verdict.sentences": "sentence terms",
    },
)
