"""The tables name the facts that each conversion keeps, and the outputs keep them.

The law reads the words of the tables, so that both change together: a word that it
does not know fails as well.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import convert
from convert.agents import text_of_result
from convert.facts import run_length
from convert.formats import readers, writers
from convert.model import OK, Run, ToolCall, dollars
from convert.wording import duration
from support.golden import GOLDEN, cases
from support.matrix import each, part
from test_reference import code, page, rows

# A log of each format that records all that such logs record.
LOGS = {
    "stream-json": "a-run-as-the-agent-writes-it/input.ndjson",
    "json": "json-summary/input.json",
    "text": "text-action-lines/input.txt",
    "trajectory": "trajectory-of-a-run/case.json",
    "atif": "atif-bug-fix/run.json",
}
# The words of the tables, as expressions, and the facts that they promise.
WORDS = {
    "prompt": "prompt",
    "text|texts|segment|answer|lines that are not action lines": "text",
    "calls?|action lines as calls|the action lines": "calls",
    "arguments": "arguments",
    "outcomes?": "outcomes",
    "output": "output",
    "state": "state",
    "duration": "duration",
    "tokens": "tokens",
    "cost": "cost",
    "net changes?": "changes",
    "byte for byte|every byte|the result event": "bytes",
}
# Words about facts that the output has no place for.
NEGATED = re.compile(r"\b(?:without|no) (?:tool )?\w+")
# The words that promise nothing of these logs.
EXCEPT = re.compile("nothing: |new files only: ")
# The columns of the page of agents whose facts some logs lack.
COLUMNS = {
    "prompt": "prompt",
    "outputs": "output",
    "tokens": "tokens",
    "cost": "cost",
    "state": "state",
}
PAIRS = [
    (source, target)
    for source, reader in readers().items()
    for target in writers()
    if target in reader.keeps
]
# Their content is read back; people read the others.
READ_BACK = {"stream-json", "json", "trajectory", "claude-stream", "atif"}


@pytest.mark.exhaustive
@each(("source", "target"), part(PAIRS, 2))
def test_a_conversion_keeps_the_facts_that_the_tables_promise(
    source: str, target: str
) -> None:
    log = log_of(source).read_bytes()
    if source == "atif":
        log = log.replace(b'"total_steps"', b'"total_cost_usd":0.42,"total_steps"')
    warnings: list[str] = []
    (run,) = convert.read_runs([log])
    pieces = convert.convert(
        [log],
        target,
        warn=lambda line, what, done: warnings.append(what),
        answer=True,
        detail=True,
    )
    made = b"".join(pieces)

    facts = promised(source, target) - lacked_by(source)

    assert facts or EXCEPT.match(readers()[source].keeps[target])
    for fact in sorted(facts - unrecorded(source, target, warnings)):
        assert is_kept(fact, run, log, made, target), fact


def log_of(source: str) -> Path:
    """Return the log that is converted; other agents have one of the same bug fix."""
    if source in LOGS:
        return GOLDEN / LOGS[source]
    [log] = (
        log
        for case in cases()
        if case.folder.name == f"{source}-bug-fix"
        for log in case.inputs
    )
    return log


def promised(source: str, target: str) -> set[str]:
    """Return the facts that the words on a conversion promise."""
    keeps = readers()[source].keeps
    words = re.sub("^(as markdown|the same)", keeps["markdown"], keeps[target])
    words = NEGATED.sub("", words)
    return {fact for word, fact in WORDS.items() if re.search(rf"\b({word})\b", words)}


def unrecorded(source: str, target: str, warnings: list[str]) -> set[str]:
    """Return the facts kept "where recorded", if a warning says that they are not."""
    if not readers()[source].keeps[target].endswith("where recorded"):
        return set()
    return {"changes"} if any("not recorded" in what for what in warnings) else set()


def lacked_by(source: str) -> set[str]:
    """Return the facts that logs of a format lack, as the page of agents says."""
    text = page("agents")
    table = text[text.index("| agent | `-f` |") :].split("\n\n")[0]
    head = [cell.strip() for cell in table.splitlines()[0].strip("|").split("|")]
    for row in rows(table):
        if code(row[1])[0] == source:
            cells = dict(zip(head, row, strict=True))
            lacked = {fact for name, fact in COLUMNS.items() if cells[name] == "–"}
            return lacked | {*cells["cannot be made from it"].split(", ")}
    return set()


def is_kept(fact: str, run: Run, log: bytes, made: bytes, target: str) -> bool:
    """Return True if an output holds a fact of a run, which its log records."""
    if fact == "bytes":
        return made.strip() in log
    if target in READ_BACK:
        source = "json" if target == "json" else "auto"
        (again,) = convert.read_runs([made], format=source)
        return bool(FACTS[fact](run)) and FACTS[fact](run) == FACTS[fact](again)
    if fact == "calls":
        return len(re.findall(CALLS[target], made.decode(), re.M)) == len(run.calls)
    shown = made.decode()
    if target == "html":
        shown = html.unescape(re.sub("<[^>]*>", "", shown))
    shown = re.sub(r"[`\\]", "", shown).lower()
    words = [each.replace("`", "").lower() for each in IN_WORDS[fact](run)]
    return bool(words) and all(each in shown for each in words)


def shells(run: Run) -> list[ToolCall]:
    return [call for call in run.calls if call.kind == "shell"]


def length(run: Run) -> int | None:
    if run.result and run.result.duration_ms is not None:
        return run.result.duration_ms
    return run_length(run, None)


def tokens(run: Run) -> list[int]:
    """Return those that all outputs name: a page has no tokens of a cache."""
    used = run.result and run.result.tokens
    return [used.output] if used and used.output else []


def cost(run: Run) -> Decimal:
    assert run.result
    assert run.result.cost_usd is not None
    return run.result.cost_usd


def last_line(text: str | None) -> str:
    return (text or "").strip().rpartition("\n")[2]


def changed(run: Run) -> list[str]:
    edits = [call.arguments for call in run.calls if call.kind == "edit"]
    return [edit["path"].rpartition("/")[2] for edit in edits if edit]


# A fact as it is read back.
FACTS: dict[str, Callable[[Run], Any]] = {
    "prompt": lambda run: run.prompts,
    "text": lambda run: last_line(run.answer)[-60:],
    "calls": lambda run: len(run.calls),
    "arguments": lambda run: [
        (each.arguments or {})["command"] for each in shells(run)
    ],
    "outcomes": lambda run: [(each.outcome or OK).exit_code for each in run.calls],
    "output": lambda run: [text_of_result(each).strip() for each in shells(run)],
    "state": lambda run: run.state,
    "duration": length,
    "tokens": lambda run: run.result and run.result.tokens,
    "cost": lambda run: run.result and str(run.result.cost_usd),
    "changes": changed,
}
# A fact as people read it, or a program that runconv does not read.
IN_WORDS: dict[str, Callable[[Run], list[str]]] = {
    "prompt": lambda run: [last_line(run.prompts[0])],
    "text": lambda run: [last_line(run.answer)[-20:]],
    "arguments": FACTS["arguments"],
    "outcomes": lambda run: [f"exit {code}" for code in FACTS["outcomes"](run) if code],
    "output": lambda run: [last_line(text) for text in FACTS["output"](run)],
    "state": lambda run: [run.state or ""],
    "duration": lambda run: [duration(length(run) or 0)],
    "tokens": lambda run: [f"{count:,}" for count in tokens(run)],
    "cost": lambda run: [dollars(cost(run))],
    "changes": changed,
}
# Each call has one of these.
CALLS = {
    "text": r"^(?:Read|Edit(?:ed)?|R[au]n|Created|Search(?:ed)?|Used?) .+(?<!first\.)$",
    "markdown": r"^###+ \d+\.",
    "html": r'id="c\d+"',
    "messages": r'"id":"[^"]*","type":"function"',
}
