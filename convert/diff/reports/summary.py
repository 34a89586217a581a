"""The lines below a table: counts, states, final texts and figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from typing import TypeVar

from convert.diff.calls.trajectory import ComparedAgents, ComparedDirectories
from convert.diff.comparison import Comparison, RunComparison
from convert.diff.reports import LONGEST, ReportOptions, settings_note
from convert.diff.reports.finding_lines import (
    exceeded,
    lost_run,
    reasons,
)
from convert.diff.reports.marks_and_labels import (
    APPROXIMATE,
    NO_STATE,
    agents_in_words,
    arrow,
    place_of,
)
from convert.diff.reports.verdict import (
    file_words,
    in_order,
    may_have_changed,
    other_commands,
    rules_in_numbers,
)
from convert.facts.figures import Figures, unlike_tokens
from convert.model.run import dollars
from convert.wording.escapes import escape_controls, safe_line, strip_controls, truncate
from convert.wording.numbers import count, duration, numbered


def summary(run: RunComparison, options: ReportOptions) -> Iterator[str]:
    """Yield the summary of two runs, each line after a word that names it."""
    if run.a is None or run.b is None:
        yield _line("runs", lost_run(run))
        return
    yield from agents(run)
    if run.ends_alike:
        # Whatever the calls did, they came to the same.
        yield from _files(run, options)
    if run.level != "calls":
        missing = ", ".join(sorted(run.unknown_parts))
        yield _line("level", f"{run.level} (not compared: {missing})")
    else:
        yield _line("calls", _calls(run))
    if any(run.fragments):
        yield _line("edits", fragments(run))
    if not run.ends_alike:
        yield from _files(run, options)
    if run.is_approximate:
        yield _line("", APPROXIMATE)
    if "status" not in run.not_compared:
        yield _line("status", "; ".join(filter(None, [_states(run), reasons(run)])))
    elif run.level == "calls":
        sides = zip("AB", run.states, strict=True)
        lacking = [name for name, state in sides if state is None]
        verb = "record" if len(lacking) > 1 else "records"
        yield _line("status", f"not compared ({' and '.join(lacking)} {verb} none)")
    yield from _result_lines(run, options)
    yield from _more(run)
    if figures := figures_in_words(run, options.is_verbose):
        yield _line("facts", figures)


def agents(run: RunComparison) -> Iterator[str]:
    """Yield the agents, if they differ, the gaps of their logs and the directories."""
    if found := run.agents:
        yield _line("agents", f"{agents_in_words(found)}{by_subject(run)}")
        if missing := unrecorded(found):
            yield _line("", f"not recorded: {missing}")
    yield from (_line("paths", line) for line in placed(run.directories))


def by_subject(run: RunComparison) -> str:
    """Say that calls are compared by their subjects, since the agents differ."""
    if run.level != "calls" or not run.is_by_subject:
        return ""
    return "; calls compared by subject (--args exact for all arguments)"


def unrecorded(found: ComparedAgents) -> str:
    """Return the facts that logs do not record, and which logs; empty if none."""
    a, b = found.unrecorded
    both = [what for what in a if what in b]
    one, other = ("A", "B") if found.is_one else map(safe_line, found.names)
    parts = (
        (both, "both"),
        ([what for what in a if what not in both], one),
        ([what for what in b if what not in both], other),
    )
    return "; ".join(f"{', '.join(what)} ({who})" for what, who in parts if what)


def placed(found: ComparedDirectories | None) -> Iterator[str]:
    """Yield how paths are compared of a log that records no directory."""
    if found is None:
        return
    for name, other, is_lacking, lent, inferred in zip(
        "AB", "BA", found.are_lacking, found.lent, found.inferred, strict=True
    ):
        option = f"--directory-{name.lower()}"
        place = f"in the directory of {other}" if lent else f"in {safe_line(inferred)},"
        if inferred:
            place += " inferred from them"
        if lent or inferred:
            yield f"of {name} compared as if it ran {place}; {option} names another"
        elif is_lacking:
            yield f"of {name} compared as they are; {option} names its directory"


def _states(run: RunComparison) -> str:
    """Return how both runs ended; agents may call a failure a success."""
    a, b = (state or NO_STATE for state in run.states)
    if a != b:
        return f"{a} -> {b}"
    unresolved = [figures.unresolved for figures in run.figures]
    sides = [side for side, n in zip("AB", unresolved, strict=True) if n]
    if a != "success" or None in unresolved or len(sides) != 1:
        return f"{a} (both)"
    failures = count(sum(filter(None, unresolved)), "failure")
    return f"{a} (both, as they say); {sides[0]}: {failures} unresolved"


def rules(compared: Comparison, options: ReportOptions) -> Iterator[str]:
    """Yield where settings were found, and which values rules made equal.

    All of them if verbose.
    """
    if options.settings_source:
        yield settings_note(options)
    used = rules_in_numbers(compared)
    total = compared.rules_used.total()
    if used:
        yield _line("rules", f"made {count(total, 'value')} equal: {used}")
    elif options.is_verbose:
        yield _line("rules", "none needed")
    if not options.is_verbose:
        return
    pairs = compared.paired_values
    most = len(pairs) if options.is_full else 20
    for rule, one, other in pairs[:most]:
        yield _line("", f"{safe_line(rule)}: {safe_line(one)} = {safe_line(other)}")
    if len(pairs) > most:
        yield _line("", f"… {count(len(pairs) - most, 'more pair')}; --full for all")


def tools(run: RunComparison) -> str:
    """Return the number of calls of each tool in both runs."""
    one, other = (figures.tools or {} for figures in run.figures)
    numbers = (
        f"{safe_line(name)} {arrow(str(one.get(name, 0)), str(other.get(name, 0)))}"
        for name in sorted({*one, *other})
    )
    return _line("tools", ", ".join(numbers))


def _line(word: str, text: str) -> str:
    return f"{word:<8}{text}"


def _calls(run: RunComparison) -> str:
    counts = run.counts
    line = (
        f"{counts.a} -> {counts.b}: {counts.same} same, {counts.changed} changed,"
        f" {counts.moved} moved, {counts.removed} removed, {counts.added} added"
    )
    if run.first_divergence:
        line += f"; first divergence at call {arrow(*run.first_divergence.names)}"
    return line


def _files(run: RunComparison, options: ReportOptions) -> Iterator[str]:
    """Yield the changes to files, and commands that may have made others."""
    # Asked once: a parser examines each command.
    commands = run.commands
    others = other_commands(commands) if run.level == "calls" else ""
    if not run.files and not others:
        return
    files = in_order(run.files)
    most = len(files) if options.is_full else 10
    listed = [
        f"{', '.join(safe_line(file.path) for file in group)} {words}"
        for words, group in groupby(files[:most], file_words)
    ]
    if len(files) > most:
        listed.append(f"… {count(len(files) - most, 'more file')}")
    yield _line("files", "; ".join(listed) or "none recorded")
    if any(commands):
        yield _line("", may_have_changed(commands, options.is_full))


def fragments(run: RunComparison) -> str:
    """Say that edits were not compared by their effects, and why."""
    edits = ", ".join(
        f"{edits:,} in {side}"
        for side, edits in zip("AB", run.fragments, strict=True)
        if edits
    )
    return f"{edits} compared by the arguments: the changes are not recorded"


def result_words(run: RunComparison) -> str:
    """Say how the final texts compare, or why they were not compared."""
    text = run.text
    if text is None:
        return f"not compared{_why(run)}"
    if text.is_equal:
        return "same"
    what = "only the text before the answer" if text.is_narration else "text"
    line = f"{what} differs, similarity {text.similarity:.2f}"
    if text.judgement is None:
        return line
    word = "same" if text.judgement.is_same else "different"
    return f"{line}; --answer-cmd says {word}"


def judgement_lines(run: RunComparison, options: ReportOptions) -> Iterator[str]:
    """Yield the result and the output of the command that judged it, if one did."""
    if run.text and run.text.judgement:
        yield from _result_lines(run, options)


def _result_lines(run: RunComparison, options: ReportOptions) -> Iterator[str]:
    yield _line("result", result_words(run))
    judgement = run.text.judgement if run.text else None
    if judgement is None:
        return
    lines = judgement.output.splitlines()
    most, longest = 20, LONGEST
    if options.is_full:
        most = longest = sys.maxsize
    for line in lines[:most]:
        yield _line("", truncate(escape_controls(line), longest))
    if lines[most:]:
        yield _line("", f"… {count(len(lines) - most, 'more line')}")


def _why(run: RunComparison) -> str:
    """Return the reason why final texts were not compared."""
    if "text" not in run.not_compared:
        return ""
    for name, side in (("A", run.a), ("B", run.b)):
        if side and side.is_failure_message:
            message = safe_line(strip_controls(side.run.reason))
            return f" ({name} says: {truncate(message, 200)})"
    missing = [
        name
        for name, side in (("A", run.a), ("B", run.b))
        if side and side.level != "text" and not side.run.has_result
    ]
    if not missing:
        return " (no text recorded)"
    return f" ({' and '.join(missing)} without result event)"


def _more(run: RunComparison) -> Iterator[str]:
    """Yield a line for each kind of finding about whole runs."""
    outputs = []
    for finding in run.findings:
        match finding.category:
            case "model":
                a, b = safe_line(finding.from_ or ""), safe_line(finding.to or "")
                yield _line("model", arrow(a, b))
            case "prompt":
                yield _line("prompt", "DIFFERS: these may be two different tasks")
            case "parallelism":
                yield _line("batches", arrow(finding.from_ or "", finding.to or ""))
            case "duration" | "usage" | "calls" | "errors":
                yield _line("limit", exceeded(finding))
            case "output":
                outputs.append(place_of(finding))
    if outputs:
        calls = numbered("call", outputs[:5], len(outputs))
        yield _line("output", f"{calls} returned something else")


N = TypeVar("N", int, Decimal)

# Duration and tokens change at every run; a smaller ratio is not shown.
_SHOWN_FROM = 1.1


def figures_in_words(run: RunComparison, is_verbose: bool) -> str:
    """Return the figures that both runs record and that differ, or all."""
    one, other = run.figures
    parts = [
        *_figure("duration", one.duration_ms, other.duration_ms, is_verbose),
        *_tokens(run, is_verbose),
        *_figure("cost", one.cost_usd, other.cost_usd, is_verbose),
    ]
    for name, a, b, is_usual in (
        ("failed", one.failed, other.failed, True),
        ("refused", one.rejected, other.rejected, False),
        ("unfinished", one.unfinished, other.unfinished, False),
        ("unresolved", one.unresolved, other.unresolved, True),
        ("retries", one.retries, other.retries, True),
    ):
        if None not in (a, b) and (a != b or (is_verbose and (is_usual or a))):
            parts.append(f"{name} {arrow(str(a), str(b))}")
    return ", ".join(parts)


def _tokens(run: RunComparison, is_verbose: bool) -> list[str]:
    """Return the tokens of both runs; of two agents also with those of the cache.

    Agents differ in how much they read from a cache, if they record it at all.
    """
    one, other = run.figures
    if one.used_tokens is None or other.used_tokens is None:
        return []
    if unlike_tokens(one, other):
        used = arrow(*(used_tokens_in_words(each) for each in run.figures))
        are_final = None not in (one.exact_tokens, other.exact_tokens)
        return [f"tokens {used}{' (not of the same kinds)' if are_final else ''}"]
    parts = _figure("tokens", one.used_tokens, other.used_tokens, is_verbose)
    if run.agents:
        name = "tokens with the cache"
        parts += _figure(name, one.all_tokens, other.all_tokens, is_verbose)
    return parts


def used_tokens_in_words(figures: Figures) -> str:
    """Write the tokens that a run used; some may not be recorded."""
    if figures.used_tokens is None:
        return ""
    is_least = figures.tokens is not None and figures.tokens.is_least
    return f"{'at least ' if is_least else ''}{figures.used_tokens:,}"


def _figure(name: str, a: N | None, b: N | None, is_verbose: bool) -> list[str]:
    if a is None or b is None:
        return []
    ratio = float(b / a) if a else 0.0
    is_near = a == b or (ratio and 1 / _SHOWN_FROM < ratio < _SHOWN_FROM)
    if is_near and not is_verbose:
        return []
    words = f"{name} {arrow(_written(name, a), _written(name, b))}"
    if ratio and a != b:
        words += f" (x{ratio:,.0f})" if ratio >= 100 else f" (x{ratio:.3g})"
    return [words]


def _written(name: str, number: int | Decimal) -> str:
    if isinstance(number, Decimal):
        return dollars(number)
    return duration(number) if name == "duration" else f"{number:,}"
