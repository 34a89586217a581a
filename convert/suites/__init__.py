"""The wing that compares versions: folders of runs, case by case.

folders -> cases -> results of cases -> verdict -> report

logs                the files of a version, their paths without numbers, their prompts
grouping            logs to cases with names; grouping_rules: which are of one case
case_runs           the logs of a case, each as a run, and the run that is shown
case_comparison     the logs of a case to its result; case_reports: its findings, and
                    the reports of `diff` for which there is room
behaviour           the changes in the behaviour of a case; trait_pool: the runs that
                    have a trait, run_traits: the traits of a run, actions: the calls
                    of traits, varying_values: marks for values of a day or a machine
exact_tests         chance and successes; permutations: chance, figures and behaviour
limits              the use of a case, and the runs of it that must succeed
judging             the results of all cases to the verdict
change_sentences    a change in words; case_sentences: a case, verdict_sentences: all
case_result         the result of a case; suite_result: of all, with the verdict
pair                two logs as a suite of one case
reports             the lines of each report
suite_command       `diff` of the folders of two versions, on an engine; matrix: of
                    several, case_reading: one case of them, case_pages: the pages of
                    single runs, commands: the options of these commands
approve             the command `approve`; approval: run by run, golden_files: a golden
                    that a run may replace
trajectory_checks   runs of tests against goldens; pytest_plugin: for pytest

A case is one task, a run is one attempt at it, and a version is a folder of runs. Two
tests decide for all cases together whether a version is worse; cases explain, and do
not decide. Comparing prints nothing, and printing compares nothing.
"""

from __future__ import annotations

from convert.exports import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "actions": "TraitedRun",
        "approval": "Approval",
        "behaviour": "behaviour_of compare_across middle",
        "case_reports": "Room",
        "case_result": "Behaviour CaseFinding CaseLimit CasePages CaseResult CaseRun "
        "CaseSide Change Fate FigureName Outcome STANDINGS",
        "case_runs": "CaseLog run_of",
        "case_sentences": "sentence_of",
        "commands": "MatrixOptions",
        "exact_tests": "ONE_SIDED Stratum fisher holm listed runs_needed success_of",
        "grouping": "Grouped PairBy cases_of check_found",
        "judging": "judged",
        "logs": "Folder Prompts SamePrompt first_prompt folder_of",
        "permutations": "combined figure_of steadiest",
        "reports": "OF_VERSIONS REPORTS report",
        "reports.ci": "place_in",
        "reports.json_and_csv": "COLUMNS",
        "reports.page_cases": "OUTCOMES names_of",
        "reports.phrases": "WORDS",
        "run_traits": "traits_of",
        "suite_result": "Excluded Figure Success Suite Verdict Word",
        "trajectory_checks": "UsedGoldens",
        "varying_values": "without_times",
        "verdict_sentences": "notes sentence terms",
    },
)
