"""All facts that a page or the terminal shows of a run, and its figures in words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.facts.changed_files import FileChange, PossibleChanges
from convert.facts.figures import Figures
from convert.facts.time_spent import Span, TimeSpent, clock_of
from convert.facts.verdict import Verdict
from convert.model.events import End, Start
from convert.model.run import dollars, reporter_in_words
from convert.pages.entries import CallRow, Chapter, Unresolved
from convert.pages.timeline_layout import CallTime
from convert.transcript.fact_list import refused_line
from convert.transcript.pieces import Piece
from convert.wording.numbers import count, duration, tokens_out, utc
from convert.wording.styles_and_columns import Inline, Styled


class RunPicture(Struct, kw_only=True):
    """Everything that a page or a view in the terminal shows of a run."""

    number: int
    start: Start
    end: End
    title: str
    """The first line of the prompt; empty without a prompt."""

    prompts: list[str]
    verdict: Verdict
    figures: Figures
    length: int | None
    """How long the run took, in milliseconds; None if that is not recorded."""

    spent: TimeSpent
    """The time of the agent, of commands and of other calls."""

    changes: list[FileChange]
    suspects: PossibleChanges | None
    rows: list[CallRow]
    failures: list[CallRow]
    """The calls and the steps of subagents that failed, or that hide a failure."""

    unresolved: set[str]
    """The numbers of the failures that no later call recovered."""

    resolved_by: dict[str, str]
    """For each other failure, the number of the call that recovered it."""

    refused: dict[str, list[str]]
    """The subjects that were refused, with the numbers of their calls."""

    answers: dict[str, str]
    """The meaning of the status of each call that only seems to have failed."""

    chapters: list[Chapter]
    answer: str
    """The agent's last words with no call after them; empty if there are none."""

    went_wrong: list[Piece]
    """The incidents of the run, and its unfinished calls."""

    recovered: str
    """The number of times that the connection was lost and came back; or empty."""

    unrecorded: list[str]
    """The facts of the run that the log of calls lacks, in a few words each."""

    thinking: list[Span]
    """When the agent was reasoning, in milliseconds since the start of the run."""

    @property
    def began(self) -> str:
        """The time at which it began, in UTC; empty if that is not recorded."""
        stamp = "" if self.end.started_ms is None else utc(self.end.started_ms)
        return f"{stamp} UTC" if stamp else ""

    @property
    def unresolved_failures(self) -> list[Unresolved]:
        """The failures that no later call recovered, the same ones once, last first."""
        same: dict[tuple[str, str, str], list[CallRow]] = {}
        for row in reversed(self.failures):
            if row.number in self.unresolved:
                key = row.label, row.subject, row.ending
                same.setdefault(key, []).append(row)
        return [
            Unresolved(rows[0], [row.number for row in reversed(rows)])
            for rows in same.values()
        ]

    @property
    def every_row(self) -> list[CallRow]:
        """The calls, each followed by those inside it."""
        return [row for own in self.rows for row in own.with_inside]

    @property
    def drawn_rows(self) -> list[CallRow]:
        """The calls that the picture of the run shows, in its order.

        Without times, that is the order in which they began. With times, a step that
        has none cannot be shown.
        """
        rows = self.every_row
        if len(rows) == len(self.rows):
            return rows
        match clock_of(self.rows):
            case "starts":
                return [row for row in rows if row.started is not None]
            case "ends":
                return [row for row in rows if row.at is not None or row.is_open]
        return sorted(rows, key=lambda row: row.began_line)

    @property
    def times(self) -> list[CallTime]:
        """The calls with the facts that their places in the picture need."""
        return [
            CallTime(
                number=row.number,
                agent=row.around,
                lane=row.lane,
                failure=row.failure,
                started=row.started,
                ended=row.ended,
                is_unresolved=row.number in self.unresolved,
            )
            for row in self.drawn_rows
        ]


def title_of_run(title: str, name: str, start: Start) -> str:
    """Return the name of a run: its prompt, its log, or its session."""
    return title or name or f"{start.agent or 'Agent'} run {start.session[:8]}".rstrip()


def agent_of(start: Start) -> str:
    """Return the agent and its version; "" for a text, which any may have written."""
    if start.level == "text":
        return ""
    return f"{start.agent} {start.agent_version}".strip()


def figures_in_words(run: RunPicture) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the name, value and addition of each figure, and True for a bad one."""
    figures = run.figures
    if run.length is not None:
        yield "took", duration(run.length), "", False
    if figures.calls is not None:
        is_bad = bool(figures.failed)
        yield "calls", f"{figures.calls:,}", failed_in_words(figures), is_bad
    if run.changes:
        yield "changed", changed_in_words(run.changes), "", False
    spent = run.spent
    for name, time in (
        ("agent", spent.agent),
        ("commands", spent.commands),
        ("other calls", spent.others),
    ):
        # Other calls are named if they took half of one per cent of the run.
        if time is not None and run.length:
            if name == "other calls" and 200 * time < run.length:
                continue
            share = f"{round(100 * time / run.length)} %"
            yield name, duration(time), share, False
    if tokens := figures.tokens:
        words = [] if tokens.fresh is None else [f"{tokens.fresh:,} in"]
        if tokens.output is not None:
            written = tokens_out(tokens.output, tokens.final, tokens.responses)
            words.append(f"{written} out")
        cached = f"{tokens.cache_read:,} from the cache" if tokens.cache_read else ""
        if words:
            yield "tokens", ", ".join(words), cached, False
    if figures.cost_usd is not None:
        reported = reporter_in_words(figures.cost_by)
        yield "cost", dollars(figures.cost_usd), reported, False
    if run.recovered:
        yield "connection", run.recovered, "recovered", False


def unrecorded_in_words(run: RunPicture) -> str:
    """Return the facts that a log does not record, on a line; "" if it has all."""
    return f"Not recorded: {', '.join(run.unrecorded)}." if run.unrecorded else ""


def failed_in_words(figures: Figures) -> str:
    """Return how many calls failed, as the verdict counts them; empty for none.

    A call that hides failed tests is one of them. Refused calls, and calls whose status
    is an answer, are counted next to them.
    """
    answers = figures.answers or 0
    failed = f"{figures.failed:,} failed" if figures.failed else ""
    refused = f"{figures.rejected:,} refused" if figures.rejected else ""
    open_ = f"{figures.unfinished:,} unfinished" if figures.unfinished else ""
    verb = "is an answer" if answers == 1 else "are answers"
    answered = f"{count(answers, 'status', 'statuses')} that {verb}" if answers else ""
    return ", ".join(filter(None, (failed, refused, open_, answered)))


def refused_in_words(run: RunPicture) -> Inline:
    """Return the subjects refused several times, on a line; empty for once or never."""
    if (run.figures.rejected or 0) < 2:
        return []
    return [Styled("Refused ", "ours"), *refused_line(run.refused)]


def changed_in_words(changes: list[FileChange]) -> str:
    """Return the number of changed files, and of their changed lines if recorded."""
    files = count(len(changes), "file")
    known = [
        (change.added, change.removed)
        for change in changes
        if change.added is not None and change.removed is not None
    ]
    if not known:
        return files
    added, removed = map(sum, zip(*known, strict=True))
    some = f" in {len(known):,}" if len(known) < len(changes) else ""
    return f"{files} +{added:,} −{removed:,}{some}"
