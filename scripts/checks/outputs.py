"""The figures of the runs of a log, as each output of the package has them.

An output has some figures of each run, under names that all outputs share:

calls, failed, refused, hidden, unfinished, unresolved   how its calls ended
files, added, removed                                    the changes left at the end
tokens_input, tokens_output, tokens_read, tokens_written, tokens_fresh
cost                                                     in dollars
duration, length                                         as the agent says; to the end

A figure that an output does not have is missing, and None is one that it leaves empty.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import convert
from checks import agent_logs, raw_log, shown
from convert.model import Event, ToolCall
from convert.options import Options
from convert.pages import run_pictures
from convert.scale import Look, of_log, statistics_of, summaries
from convert.scale.stats import json_and_csv as json_report
from convert.scale.tables import rows as tables
from convert.show import run_view
from convert.wording import duration

Run = dict[str, Any]
Read = Callable[[bytes, list[Event]], Iterator[Run]]

_NAMES = {
    "table runs": {
        "calls": "calls",
        "calls_failed": "failed",
        "calls_rejected": "refused",
        "calls_hidden": "hidden",
        "calls_unfinished": "unfinished",
        "unresolved": "unresolved",
        "files_changed": "files",
        "lines_added": "added",
        "lines_removed": "removed",
        "tokens_input": "tokens_input",
        "tokens_output": "tokens_output",
        "tokens_cache_read": "tokens_read",
        "tokens_cache_write": "tokens_written",
        "duration_ms": "length",
        "cost_usd": "cost",
    },
    "stats": {
        "calls": "calls",
        "failed": "failed",
        "rejected": "refused",
        "hidden": "hidden",
        "unfinished": "unfinished",
        "unresolved": "unresolved",
        "files": "files",
        "lines_added": "added",
        "lines_removed": "removed",
        "tokens_in": "tokens_fresh",
        "tokens_out": "tokens_output",
        "time_ms": "length",
        "cost_usd": "cost",
    },
    "front matter": {
        "tool_calls": "calls",
        "tool_calls_failed": "failed",
        "tool_calls_rejected": "refused",
        "tool_calls_hidden": "hidden",
        "tool_calls_unfinished": "unfinished",
        "tool_calls_unresolved": "unresolved",
        "files_changed": "files",
        "lines_added": "added",
        "lines_removed": "removed",
        "tokens_input": "tokens_input",
        "tokens_output": "tokens_output",
        "tokens_cache_read": "tokens_read",
        "tokens_cache_write": "tokens_written",
        "duration_ms": "duration",
        "cost_usd": "cost",
    },
    "diff": {
        "calls": "calls",
        "errors": "failed",
        "rejected": "refused",
        "unresolved": "unresolved",
        "duration_ms": "duration",
        "cost_usd": "cost",
    },
    "json": {
        "input_tokens": "tokens_input",
        "inputTokens": "tokens_input",
        "output_tokens": "tokens_output",
        "outputTokens": "tokens_output",
        "cache_read_input_tokens": "tokens_read",
        "cacheReadTokens": "tokens_read",
        "cache_creation_input_tokens": "tokens_written",
        "cacheWriteTokens": "tokens_written",
        "duration_ms": "duration",
        "total_cost_usd": "cost",
        "cost_usd": "cost",
    },
}
_PAGE_FIGURE = re.compile(
    r"<div><dt>(.*?)</dt> <dd>(.*?)(?: <span[^>]*>(.*?)</span>)?</dd></div>"
)
_PAGE_RUN = re.compile(r'(?=<section class="run-page)')
_COUNTED = re.compile(r"(\d[\d,]*) ([a-z]+)")
_EDGE = "▌ "


def figures_by_output(log: bytes) -> dict[str, dict[int, Run]]:
    """Return the figures of each run by its number, by the output that has them."""
    events = [*convert.read([log])]
    by_end = [run.number for run in summaries(events)]
    found = {}
    for name, (read, is_by_end) in _OUTPUTS.items():
        order = by_end if is_by_end else sorted(by_end)
        if runs := [*read(log, events)]:
            found[name] = dict(zip(order, runs, strict=True))
    return found


def totals_by_output(log: bytes) -> dict[str, Run]:
    """Return the figures of outputs that are counted as a whole."""
    found = {name: read(log) for name, read in _WHOLE.items()}
    return {name: run for name, run in found.items() if run is not None}


def _table_of_runs(log: bytes, events: list[Event]) -> Iterator[Run]:
    for row in tables.run_rows(events, "log"):
        yield _renamed(
            "table runs", {it: getattr(row, it) for it in row.__struct_fields__}
        )


def _table_of_calls(log: bytes, events: list[Event]) -> Iterator[Run]:
    rows = defaultdict(list)
    for row in tables.call_rows(events, "log"):
        rows[row.run].append(row)
    # A row has how a call ended first, and the figures how it ended last.
    amended = {it.run for it in events if isinstance(it, ToolCall) and it.is_repeated}
    for run in tables.run_rows(events, "log"):
        outcomes = Counter(row.outcome for row in rows[run.run])
        figures = {
            "calls": len(rows[run.run]),
            "failed": sum(row.is_failure for row in rows[run.run]),
            "refused": outcomes["rejected"],
            "unfinished": outcomes["unfinished"],
        }
        if run.run in amended:
            figures = {"calls": len(rows[run.run])}
        # A log without calls may be of an agent whose calls are not recorded.
        yield figures if run.calls is not None or rows[run.run] else {}


def _table_of_files(log: bytes, events: list[Event]) -> Iterator[Run]:
    changed: Counter[int] = Counter()
    for row in tables.file_rows(events, "log"):
        changed[row.run] += row.change is not None
    for run in tables.run_rows(events, "log"):
        has_files = run.files_changed is not None or changed[run.run]
        yield {"files": changed[run.run]} if has_files else {}


def _stats(log: bytes, events: list[Event]) -> Iterator[Run]:
    runs = of_log([*summaries(events)], "log", "log")
    order = {run.number: place for place, run in enumerate(runs)}
    whole = json.loads("".join(json_report.json_report(statistics_of(runs), Look())))
    for run in sorted(whole["runs"], key=lambda run: order[run["run"]]):
        yield _renamed("stats", run["figures"])


def _front_matter(log: bytes, events: list[Event]) -> Iterator[Run]:
    front = _converted(log, "markdown", front_matter=True).split("\n---\n")[0]
    run: Run | None = None
    for line in front.splitlines():
        name, _, value = line.strip(" -").partition(": ")
        if name == "title":
            if run is not None:
                yield _renamed("front matter", run)
            run = {}
        if run is not None and name in _NAMES["front matter"]:
            run[name] = json.loads(value)
    if run is not None:
        yield _renamed("front matter", run)


def _page(log: bytes, events: list[Event]) -> Iterator[Run]:
    for section in _PAGE_RUN.split(_converted(log, "html"))[1:]:
        run: Run = {}
        for name, value, more in _PAGE_FIGURE.findall(section):
            words = f"{value}, {more}" if more else value
            run |= _in_words(html.unescape(name), html.unescape(words))
        yield run


def _show(log: bytes, events: list[Event]) -> Iterator[Run]:
    for picture in run_pictures(events, Options()):
        lines = [line.plain for line in run_view(picture, "log", 400)]
        edged = [line.removeprefix(_EDGE) for line in lines if line.startswith(_EDGE)]
        run: Run = {}
        for words in edged[1].split(" · ") if len(edged) > 1 else ():
            first = re.match(r"[\d,]+ (call|file)s?\b", words)
            if first:
                run |= _in_words({"call": "calls", "file": "changed"}[first[1]], words)
            elif re.search(r"[\d,] (?:in|out)\b", words):
                run |= _in_words("tokens", words)
            elif words.startswith("cost "):
                run |= _in_words("cost", words.removeprefix("cost "))
            elif re.match(r"[\d.,]+ (ms|s|min|h)\b", words):
                run |= _in_words("took", words)
        yield run


def _in_words(name: str, words: str) -> Run:
    """Return the figures that a page or the terminal has under a name."""
    counts = {what: int(it.replace(",", "")) for it, what in _COUNTED.findall(words)}
    first = words.partition(" ")[0].strip(",").replace(",", "")
    match name:
        case "calls":
            ends = {"failed": counts.get("failed", 0)}
            return {"calls": int(first), "refused": counts.get("refused", 0), **ends}
        case "changed":
            return {"files": int(first)}
        case "tokens":
            names = {"in": "tokens_fresh", "out": "tokens_output"}
            return {ours: counts[it] for it, ours in names.items() if it in counts}
        case "cost":
            return {"cost in words": words.partition(",")[0]}
        case "took":
            return {"length in words": words}
    return {}


def _result_json(log: bytes, events: list[Event]) -> Iterator[Run]:
    for line in _converted(log, "json", partial=True).splitlines():
        result = json.loads(line)
        found = _renamed("json", {**result, **(result.get("usage") or {})})
        # A summary has all of these that its log records.
        yield dict.fromkeys(_NAMES["json"].values()) | found


def _diff(log: bytes) -> Run | None:
    facts = json.loads(convert.report(convert.compare([log], [log]), "json"))["facts"]
    return _renamed("diff", {name: pair[0] for name, pair in facts.items()})


def _text(log: bytes) -> Run | None:
    lines = shown.action_lines(_converted(log, "text"))
    return {
        "refused in text": sum("(rejected" in line for line in lines),
        "unfinished in text": sum(line.endswith("(unfinished)") for line in lines),
    }


def _counted(target: str) -> Callable[[bytes], Run | None]:
    """Return a function that counts an output as a raw log is counted."""

    def count(log: bytes) -> Run | None:
        warnings: list[str] = []
        made = _converted(log, target, warn=lambda *words: warnings.append(str(words)))
        raw = raw_of(made.encode(), has_copies=False)
        if raw is None:
            return None
        # A writer names the facts that its format has no place for.
        less = ("end twice", "the changes of edits")
        is_less = any(it in words for words in warnings for it in less)
        lost = {"files"} if is_less else set()
        return {
            figure: value
            for figure, value in raw.items()
            if (value or not warnings) and figure not in lost
        }

    return count


def raw_of(log: bytes, *, has_copies: bool = True) -> Run | None:
    """Return the figures that a raw log holds; None for one without events."""
    other = agent_logs.read(log)
    if other is not None:
        return other.figures
    raw = raw_log.read(log, has_copies=has_copies)
    # Lines that a terminal has broken are not put together here.
    is_torn = raw.torn >= raw.events > 0
    return raw.figures if raw.has_stream and not is_torn else None


def _renamed(output: str, figures: Run) -> Run:
    """Return the figures of an output by the names that all share."""
    names = _NAMES[output]
    return {names[name]: value for name, value in figures.items() if name in names}


def _converted(log: bytes, target: str, **options: Any) -> str:
    return b"".join(convert.convert([log], target, **options)).decode()


def with_derived(run: Run) -> Run:
    """Return the figures of a run with those that follow from them."""
    found = {}
    if "tokens_written" in run and "tokens_fresh" not in run:
        found["tokens_fresh"] = run.get("tokens_input")
        if run.get("tokens_input") is not None:
            found["tokens_fresh"] = run["tokens_input"] + (run["tokens_written"] or 0)
    if run.get("length") is not None:
        found["length in words"] = duration(int(run["length"]))
    return found | run


# Each output, and if its runs come in the order in which they end.
_OUTPUTS: dict[str, tuple[Read, bool]] = {
    "table runs": (_table_of_runs, True),
    "table calls": (_table_of_calls, True),
    "table files": (_table_of_files, True),
    "stats": (_stats, True),
    "front matter": (_front_matter, False),
    "page": (_page, False),
    "show": (_show, True),
    "json": (_result_json, True),
}
_WHOLE: dict[str, Callable[[bytes], Run | None]] = {
    "raw log": raw_of,
    "diff": _diff,
    "atif": _counted("atif"),
    "claude-stream": _counted("claude-stream"),
    "stream-json": _counted("stream-json"),
}
