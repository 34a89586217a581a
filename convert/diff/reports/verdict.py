"""The verdict of a comparison in one line, its reasons, and the choice of findings."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Literal, NamedTuple, TypeVar

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.comparison import Comparison, Finding, RunComparison, by_severity
from convert.diff.files import NO_DIFFERENCE, Change, FileComparison, done_to
from convert.diff.reports import ReportOptions, settings_note
from convert.diff.reports.marks_and_labels import (
    NO_STATE,
    Cells,
    agents_in_words,
    arrow,
    cells_of,
    is_cut,
    subject,
    times,
)
from convert.diff.texts import TextComparison
from convert.facts.edits import UNRECORDED
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.wording.escapes import safe_line, truncate
from convert.wording.numbers import count

# The commands of both runs that may have changed files.
Commands = tuple[list[AlignedCall], list[AlignedCall]]
# The number of commands that are named, and of pairs of tools.
_MOST_COMMANDS = 5
_MOST_NAMES = 3


def file_words(file: FileComparison) -> str:
    """Return how the changes of a file compare: `changed only in A`."""
    if file.status.startswith("unknown"):
        return f"{file.status}: a later command may have changed it"
    if file.status == "same" and not is_recorded(file):
        return "changed alike, content not recorded"
    if file.status == "not recorded":
        return "content not recorded"
    if file.a is None or file.b is None:
        return f"{done_in_words(file.a or file.b)} only in {'A' if file.a else 'B'}"
    if file.status in ("deleted in A", "deleted in B"):
        return f"{done_in_words(file.a)} in A, {done_in_words(file.b)} in B"
    return file.status


def done_in_words(change: Change | None) -> str:
    """Return the action of a run on a file: `created`, `changed` or `deleted`."""
    done = done_to(change)
    return "created" if done == "new" else done


def is_recorded(file: FileComparison) -> bool:
    """Return True if the logs record the content of a file in the end."""
    return not any(change and change.after is UNRECORDED for change in (file.a, file.b))


def in_order(files: list[FileComparison]) -> list[FileComparison]:
    """Return files in the order of a report: those that differ come first."""
    return sorted(
        files, key=lambda file: (file.status in NO_DIFFERENCE, file_words(file))
    )


def may_have_changed(commands: Commands, is_full: bool) -> str:
    """Say which commands may have changed files besides."""
    ones, others = _counted(commands)
    alike = (command for command in ones if ones[command] == others[command])
    names = [
        *_differing(ones, others, is_full),
        *(f"{_name(command, is_full)}{times(ones[command])}" for command in alike),
    ]
    if not is_full and len(names) > _MOST_COMMANDS:
        more = count(len(names) - _MOST_COMMANDS, "more command")
        names[_MOST_COMMANDS:] = [f"… {more}"]
    numbers = arrow(*(f"{len(calls):,}" for calls in commands))
    return f"commands that may have changed files: {numbers} ({', '.join(names)})"


def other_commands(commands: Commands) -> str:
    """Name the commands that may have changed files, and more often in one run."""
    return ", ".join(_differing(*_counted(commands)))


def _counted(commands: Commands) -> tuple[Counter[str], Counter[str]]:
    """Count the commands of both runs by their names, the same for equal ones."""
    names: dict[object, str] = {}
    for call in itertools.chain(*commands):
        names.setdefault(_key(call), subject(call))
    a, b = (Counter(names[_key(call)] for call in calls) for calls in commands)
    return a, b


def _key(call: AlignedCall) -> object:
    """Return a key that equal commands share, with any values that the runs made."""
    return call.keys.arguments if call.keys.manner.how == "exact" else call.subject


def _differing(
    ones: Counter[str], others: Counter[str], is_full: bool = False
) -> Iterator[str]:
    """Yield the commands that the runs did not make as often: `make x2 -> x3`."""
    for command in dict.fromkeys([*ones, *others]):
        a, b, name = ones[command], others[command], _name(command, is_full)
        if not (a and b):
            yield f"{name}{times(a + b)} only in {'A' if a else 'B'}"
        elif a != b:
            yield f"{name} x{a:,} -> x{b:,}"


def _name(command: str, is_full: bool) -> str:
    return command if is_full else truncate(command, 50)


Verdict = Literal["same", "passes", "different"]
BETTER_PASSES = "--allow-better lets improvements pass"


def verdict(compared: Comparison) -> Verdict:
    """Return `different`, or `passes` where only `--fail-on` or nothing less decides.

    Runs are `same` if all findings are for information only.
    """
    if compared.is_different:
        return "different"
    return "same" if compared.severity in ("none", "info") else "passes"


def headline(compared: Comparison) -> str:
    """Return the verdict in one line: `different (major): 2 major: args; info: model`.

    For runs that are the same, the line names the compared parts. If the candidate did
    better in all of the findings that decide, it names the option to let that pass.
    """
    return ": ".join(filter(None, verdict_and_reason(compared)))


def verdict_and_reason(compared: Comparison) -> tuple[str, str]:
    """Return both parts of the headline; it has one for runs that are the same."""
    word = verdict(compared)
    if word == "same":
        return "", same_line(compared)
    fail_on = compared.settings.fail_on
    why = how_severe(compared) if word == "different" else f"--fail-on {fail_on}"
    severities = Counter(finding.severity for finding in compared.findings)
    if fail_on != "info":
        del severities["info"]
    reasons = _reasons(compared.findings, is_alone=compared.severity == "info")
    parts = [f"{in_numbers(severities)}: {reasons}"]
    if word == "different" and compared.is_better:
        parts.append(BETTER_PASSES)
    return f"{word} ({why})", "; ".join(parts)


def how_severe(compared: Comparison) -> str:
    """Return the severity, with `better` if all that decides is better."""
    return f"{compared.severity}, better" if compared.is_better else compared.severity


def short_report(compared: Comparison, options: ReportOptions) -> str | None:
    """Return the line for logs that are the same; None if there is more to show."""
    if not is_same(compared) or options.is_verbose:
        return None
    return "; ".join(filter(None, [same_line(compared), settings_note(options)]))


def is_same(compared: Comparison) -> bool:
    """Return True if all findings are for information only."""
    return verdict(compared) == "same"


def same_line(compared: Comparison) -> str:
    """Return the line for two logs that are the same, with the compared parts."""
    has_same_files = _has_same_files(compared)
    parts = ["files same" if has_same_files else "", *_calls_and_ends_of(compared)]
    compared_parts = ", ".join(filter(None, parts)) or "nothing was compared"
    # These commands may have changed the files.
    others = (other_commands(run.commands) for run in compared.runs if has_same_files)
    commands = ", ".join(filter(None, others))
    fragments, used = compared.fragments, rules_in_numbers(compared)
    edits = _changed_count(*fragments, "edit") if any(fragments) else ""
    more = [
        agents_of(compared),
        _reasons(compared.findings),
        f"commands that may have changed files: {commands}" if commands else "",
        f"files not recorded, {edits} compared by the arguments" if edits else "",
        _unknown_files(compared),
        not_compared(compared),
        directories_of(compared),
        f"equal by rules: {used}" if used else "",
    ]
    return "; ".join(filter(None, [f"same: {compared_parts}", *more]))


def agents_of(compared: Comparison) -> str:
    """Return the agents that are compared; empty for one agent."""
    if compared.agents is None:
        return ""
    is_by_subject = any(run.is_by_subject for run in compared.runs)
    by_subject = ", calls by subject" if is_by_subject else ""
    return f"{agents_in_words(compared.agents)}{by_subject}"


def directories_of(compared: Comparison) -> str:
    """Return the directories that were inferred, and how to name others; or ""."""
    found = {
        f"{safe_line(directory)} (--directory-{name})": None
        for name, directory in zip("ab", compared.inferred_directories, strict=True)
        if directory
    }
    return f"directories inferred from paths: {', '.join(found)}" if found else ""


def not_compared(compared: Comparison) -> str:
    """Return the parts that were not compared; empty if all were."""
    parts = ", ".join(compared.unknown_parts)
    return f"not compared: {parts}" if parts else ""


def rules_in_numbers(compared: Comparison) -> str:
    """Return how many values are equal by each rule alone: `id 2, time 1`."""
    return ", ".join(
        f"{safe_line(rule)} {number:,}"
        for rule, number in sorted(compared.rules_used.items())
    )


def waived_in_words(findings: list[Finding]) -> str:
    """Return the categories that options let pass; empty if there are none."""
    waived = Counter((f.category, f.waived) for f in findings if f.waived)
    words = (
        f"{category}{times(total)} ({safe_line(by or '')})"
        for (category, by), total in sorted(waived.items(), key=str)
    )
    return f"waived: {', '.join(words)}" if waived else ""


def _has_same_files(compared: Comparison) -> bool:
    """Return True if the files end the same, though the calls differ."""
    counts = compared.counts
    files = [file for run in compared.runs for file in run.files]
    if not files or counts.same == counts.a == counts.b:
        return False
    return all(file.status == "same" and is_recorded(file) for file in files)


def _unknown_files(compared: Comparison) -> str:
    """Name the files that commands of both runs may have changed again."""
    files = [file for run in compared.runs for file in run.files]
    names = [safe_line(file.path) for file in files if file.status == "unknown in both"]
    if len(names) > _MOST_COMMANDS:
        more = count(len(names) - _MOST_COMMANDS, "more file")
        names[_MOST_COMMANDS:] = [f"… {more}"]
    return f"files unknown in both: {', '.join(names)}" if names else ""


def _changed_count(a: int, b: int, what: str) -> str:
    """Return a number of things, or that of both logs: `3 -> 4 calls`."""
    return count(b, what) if a == b else f"{a:,} -> {count(b, what)}"


def _calls_and_ends_of(compared: Comparison) -> Iterator[str]:
    """Yield the calls, how the runs of both logs ended, and how their texts compare."""
    if compared.level == "calls":
        runs = f" in {len(compared.runs)} runs" if len(compared.runs) > 1 else ""
        yield _changed_count(compared.counts.a, compared.counts.b, "call") + runs
    if "status" not in compared.not_compared:
        yield arrow(*(_states_in(compared, side) for side in (0, 1)))
    texts = [run.text for run in compared.runs if run.text]
    if texts and "text" not in compared.not_compared:
        yield f"result {_result_of(texts, compared.settings)}"


def _states_in(compared: Comparison, side: int) -> str:
    """Return how the runs of one log ended: `success`, or `1 success, 1 error`."""
    states = Counter(run.states[side] or "" for run in compared.runs)
    if len(states) <= 1:
        return "".join(states)
    return ", ".join(f"{runs:,} {state or NO_STATE}" for state, runs in states.items())


def _result_of(texts: list[TextComparison], settings: Settings) -> str:
    """Return how final texts compare; of several, the least similar counts."""
    others = [text for text in texts if not (text.is_equal or text.is_narration)]
    if not others:
        return "same"
    least = min(text.similarity for text in others)
    if all(text.judgement and text.judgement.is_same for text in others):
        return f"judged the same (similarity {least:.2f})"
    if settings.min_similarity is not None and least >= settings.min_similarity:
        return f"similar ({least:.2f})"
    return f"differs (similarity {least:.2f})"


def _reasons(findings: list[Finding], is_alone: bool = False) -> str:
    """Return the categories of findings, the most severe first, then the waived.

    `is_alone` omits the word `info`: all findings are for information.
    """
    severe = [each for each in by_severity(findings) if each.severity != "info"]
    matter = dict.fromkeys(each.category for each in severe)
    informs = {f.category for f in findings if f.severity == "info" and not f.waived}
    others = ", ".join(
        f"tool ({_other_names(findings)})" if category == "tool" else category
        for category in sorted(informs - matter.keys())
    )
    if others and not is_alone:
        others = f"info: {others}"
    parts = [", ".join(matter), others, waived_in_words(findings)]
    return "; ".join(filter(None, parts))


def _other_names(findings: list[Finding]) -> str:
    """Return the names of tools that both runs name otherwise: `write -> edit`."""
    names = [each for each in findings if each.category == "tool" and not each.waived]
    both = dict.fromkeys(safe_line(f"{each.from_} -> {each.to}") for each in names)
    shown = list(both)[:_MOST_NAMES]
    if len(both) > len(shown):
        shown.append(f"{len(both) - len(shown):,} more")
    return ", ".join(shown)


# Every report takes its findings from here, so that no two disagree on them.
Shown = TypeVar("Shown")


class Selection(NamedTuple, Generic[Shown]):
    """The findings that there is room for."""

    shown: list[tuple[Finding, Shown]]
    """Each finding with the form in which it is shown, the most severe first."""

    omitted: Counter[Severity]
    """How many findings of each severity have no room."""


def reported(compared: Comparison, options: ReportOptions) -> list[Finding]:
    """Return the findings that a report lists, the most severe first.

    It lists those for information only if they decide, or if all are asked for.
    """
    has_all = (
        options.is_full or options.is_verbose or compared.settings.fail_on == "info"
    )
    return by_severity(
        finding
        for finding in compared.findings
        if has_all or SEVERITIES.index(finding.severity) > SEVERITIES.index("info")
    )


def select(
    findings: Iterable[Finding],
    show: Callable[[Finding], Shown],
    size: Callable[[Shown], int],
    most: int | None,
) -> Selection[Shown]:
    """Return the findings before the first one that does not fit.

    `most` is the room in the unit of `size`; None is room for all. The findings after
    that one, which may be many, are only counted.
    """
    selected: Selection[Shown] = Selection([], Counter())
    used = 0
    for finding in findings:
        if not selected.omitted:
            shown = show(finding)
            used += size(shown)
            if most is None or used <= most:
                selected.shown.append((finding, shown))
                continue
        selected.omitted[finding.severity] += 1
    return selected


def in_numbers(severities: Counter[Severity]) -> str:
    """Return how many findings there are of each severity: `2 major, 1 minor`."""
    order = [name for name in reversed(SEVERITIES) if severities[name]]
    return ", ".join(f"{severities[name]:,} {name}" for name in order)


# So many rows follow the first divergence of two runs with little in common.
_SHOWN_AFTER = 10


def rows_with_room(
    run: RunComparison, options: ReportOptions, most: int | None
) -> tuple[list[Cells], list[Cells]]:
    """Return the rows of two runs that are shown, and those after them.

    `most` is the number of rows for which there is room; None is room for all.
    """
    rows = cells_of(run, options)
    if not options.is_full and is_cut(run):
        first = next(at for at, row in enumerate(rows) if not row.is_same)
        most = min(first + _SHOWN_AFTER, len(rows) if most is None else most)
    end = len(rows) if most is None else most
    return rows[:end], rows[end:]


def omitted_rows(
    shown: list[Cells], hidden: list[Cells], findings: list[Finding]
) -> str:
    """Return the number of the rows that are not shown, and of their findings."""
    if not hidden:
        return ""
    # A call that moved is in two rows.
    in_sight, out_of_sight = (
        {id(pair) for row in rows for pair in row.comparisons}
        for rows in (shown, hidden)
    )
    lost = out_of_sight - in_sight
    severities = Counter(
        finding.severity for finding in findings if id(finding.comparison) in lost
    )
    numbers = f": {in_numbers(severities)}" if severities else ""
    return f"… {count(len(hidden), 'row')} skipped{numbers}; --full for the rest"


def omitted(selection: Selection[Shown], what: str = "") -> str:
    """Return the numbers of the omitted findings; empty if there are none."""
    if not selection.omitted:
        return ""
    return f"… {what}skipped: {in_numbers(selection.omitted)}; --full for the rest"
