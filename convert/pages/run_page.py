"""The page of the runs of a log: its content, and the bytes of its HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from types import SimpleNamespace

from markupsafe import Markup

from convert.errors import Warn
from convert.facts.failed_calls import FailureClass
from convert.model.events import Event
from convert.options.conversion import Options
from convert.pages.entries import (
    CallRow,
    Thought,
    Unresolved,
    first_and_rest,
    number_range,
    parts_of,
    unresolved_heading,
)
from convert.pages.environment import stylesheet
from convert.pages.long_timeline import (
    MOST_BARS,
    columns,
    wrapped_rows,
)
from convert.pages.picture_builder import run_pictures
from convert.pages.prose import plain_text, prose
from convert.pages.run_picture import (
    RunPicture,
    agent_of,
    figures_in_words,
    refused_in_words,
    title_of_run,
    unrecorded_in_words,
)
from convert.pages.timeline_layout import (
    OrderAxis,
    Timeline,
    is_of_subagent,
    lanes_of,
    timeline,
)
from convert.pages.timeline_svg import log_environment
from convert.wording.escapes import harmless_line, one_line, truncate
from convert.wording.numbers import count, duration
from convert.wording.paths import place_of


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the page of all runs of a log, when the log has ended."""
    runs = sorted(run_pictures(events, options), key=lambda run: run.number)
    if not runs:
        return
    prefixes = [f"r{run.number}-" if len(runs) > 1 else "" for run in runs]
    name, index = options.log_name, options.index
    pages = [
        page_of(run, prefix, name) for run, prefix in zip(runs, prefixes, strict=True)
    ]
    title = pages[0].title if len(pages) == 1 or not name else name
    if index and name and title != name:
        # Pages of one prompt lie side by side.
        title = f"{title} – {name}"
    page = log_environment().get_template("pages/templates/page.html.j2")
    texts = page.generate(
        pages=pages,
        title=title,
        name=name,
        index=index,
        index_name=options.index_name,
        is_long=sum(page.calls for page in pages) > _MOST_LAID_OUT,
        sheet=stylesheet("pages/templates/style.css"),
    )
    # A call in a page has twenty texts, and each write takes time.
    while block := list(islice(texts, 1000)):
        yield "".join(block).encode(errors="replace")


# Up to so many calls are laid out at once, all that a picture of a whole page can hold.
# Of more, a browser lays out the chapters in sight, which takes a third of the time.
_MOST_LAID_OUT = 1000
# A chapter out of sight has a height by its number of rows.
_MOST_ROWS = (5, 20, 80)
# Calls that went wrong in one way are counted together, and lead to one another.
_SEQUENCES: dict[FailureClass, str] = {
    "failed": "Failure",
    "hidden": "Failure",
    "rejected": "Refusal",
    "unfinished": "Unfinished call",
}


def page_of(run: RunPicture, prefix: str, name: str) -> SimpleNamespace:
    """Return the content of the page of a run; `prefix` begins the ids of its parts."""
    drawn = timeline(run.times, run.length, run.thinking)
    many = columns(drawn) if len(drawn.bars) > MOST_BARS else None
    rows = run.every_row
    failures = run.unresolved_failures
    prompt = "\n\n".join(run.prompts[:1])
    chapters = _chapters(run)
    numbers = [number for failure in failures for number in failure.numbers]
    numbers.sort(key=lambda number: [*map(int, number.split("."))])
    return SimpleNamespace(
        run=run,
        calls=len(rows),
        prefix=prefix,
        title=title_of_run(run.title, name, run.start),
        meta=_meta(run),
        prompt="" if one_line(prompt) == run.title else prompt,
        prompt_lines=prompt.count("\n") + 1,
        figures=[*figures_in_words(run)],
        refused=refused_in_words(run),
        unrecorded=unrecorded_in_words(run),
        drawn=many.picture if many else drawn,
        columns=many,
        wrapped=wrapped_rows(drawn) if many else [],
        caption=_caption(drawn),
        sentence=_sentence(run, rows),
        failures=failures,
        last_failure=_last(failures),
        failures_heading=unresolved_heading(failures),
        failed_calls=len(numbers),
        failed_numbers=numbers[:10],
        failure_groups=first_and_rest(failures, 5),
        file_groups=first_and_rest(_touched_files(run, drawn), 12),
        chapters=chapters,
        outline=chapters if len(chapters) >= 3 else [],
        filters=_filters(run, rows),
        opened=_opened(failures),
        shares=_shares(rows),
        links=_links(run, rows, prefix),
    )


def _meta(run: RunPicture) -> list[str]:
    """Return agent, model, start, session and directory, if the log records them."""
    start = run.start
    session = f"session {start.session[:8]}" if start.session else ""
    parts = (agent_of(start), start.model, run.began, session, start.directory)
    return [truncate(part, 80) for part in filter(None, map(harmless_line, parts))]


def _caption(drawn: Timeline) -> str:
    agents = _agents(drawn)
    if isinstance(drawn.axis, OrderAxis):
        return (
            "The log does not record when calls began: they appear in their order, each"
            f" as wide as the others.{agents}"
        )
    words = "Bars are calls, as long as they took; click one to read it."
    if drawn.clock == "ends":
        words = (
            "The log records only when calls ended: each bar marks an end; click one to"
            " read it."
        )
    if len(drawn.bars) > MOST_BARS:
        when = "where" if drawn.clock == "ends" else "how much of their time"
        did = "ended" if drawn.clock == "ends" else "took"
        words = f"Columns show {when} calls {did}, with failures on top."
    if drawn.agent:
        words += " Agent: the time between calls"
        words += "; marked where thinking is recorded." if drawn.thinking else "."
    if drawn.axis.cut is not None:
        begin, end = drawn.axis.cut
        silence = duration(end - begin)
        words += f" The axis is cut where nothing began or ended for {silence}."
    return f"{words}{agents}"


def _agents(drawn: Timeline) -> str:
    """Explain the lanes of subagents; empty for a run without them."""
    lane = next((lane for lane in drawn.lanes if is_of_subagent(lane.name)), None)
    if lane is None:
        return ""
    number = lane.name.rpartition(" ")[2]
    return f" {lane.name.capitalize()}: the subagent that call {number} started."


def _sentence(run: RunPicture, rows: list[CallRow]) -> str:
    """Describe the picture, for those who do not see it."""
    drawn = run.times
    lanes = [
        f"{lane} {sum(call.row == lane for call in drawn):,}"
        for lane in lanes_of(drawn)
    ]
    time = "" if run.length is None else f" over {duration(run.length)}"
    words = f"Timeline of {count(len(drawn), 'call')}{time}: {', '.join(lanes)}"
    failed = [row.number for row in rows if row.has_failed]
    refused = [row.number for row in rows if row.failure == "rejected"]
    for name, numbers in (("failed", failed), ("refused", refused)):
        words += f"; {name}: {', '.join(numbers)}" if numbers else ""
    return f"{words}."


def _chapters(run: RunPicture) -> list[SimpleNamespace]:
    parts: list[SimpleNamespace] = []
    for chapter in run.chapters:
        for entries in parts_of(chapter):
            rows = [entry for entry in entries if isinstance(entry, CallRow)]
            is_first = entries is chapter.entries or entries[0] is chapter.entries[0]
            words = "\n\n".join(chapter.words) if is_first else ""
            range_ = number_range(rows)
            parts.append(
                SimpleNamespace(
                    id=f"chapter-{len(parts) + 1}",
                    words=truncate(plain_text(words), 200)
                    or (f"Calls {range_}" if range_ else "Before the first call"),
                    html=Markup(prose(words)) if words else None,
                    range=range_,
                    range_words=f"{'call' if len(rows) == 1 else 'calls'} {range_}"
                    if rows
                    else "",
                    failed=sum(
                        each.has_failed for row in rows for each in row.with_inside
                    ),
                    refused=sum(
                        each.failure == "rejected"
                        for row in rows
                        for each in row.with_inside
                    ),
                    took=_took(rows),
                    entries=entries,
                    most_rows=next(
                        (most for most in _MOST_ROWS if len(entries) <= most),
                        _MOST_ROWS[-1],
                    ),
                )
            )
    return parts


def _took(rows: list[CallRow]) -> str:
    """Return how long the calls of a chapter took, from the first to the last."""
    begins = [row.started for row in rows if row.started is not None]
    ends = [row.ended for row in rows if row.ended is not None]
    if not begins or not ends or max(ends) < min(begins):
        return ""
    return duration(max(ends) - min(begins))


def _filters(run: RunPicture, rows: list[CallRow]) -> list[tuple[str, str, int]]:
    """Return id, name and number of calls of each filter that finds some.

    The last one shows all of them, with the diffs open and the looks in brief; its
    number is 0.
    """
    if len(rows) < 12:
        return []
    totals = [
        ("all", "All", len(rows)),
        ("failed", "Failed", sum(row.has_failed for row in rows)),
        ("refused", "Refused", sum(row.failure == "rejected" for row in rows)),
        ("unresolved", "Unresolved", sum(row.number in run.unresolved for row in rows)),
        ("edit", "Edits", sum(row.lane == "edit" for row in rows)),
        ("run", "Commands", sum(row.lane == "run" for row in rows)),
    ]
    found = [filter_ for filter_ in totals if filter_[2]]
    has_thoughts = any(
        isinstance(entry, Thought)
        for chapter in run.chapters
        for entry in chapter.entries
    )
    if has_thoughts or any(row.lane == "edit" for row in rows):
        found.append(("story", "As it reads", 0))
    return found


def _last(failures: list[Unresolved]) -> SimpleNamespace | None:
    """Return the last unresolved failure, which may explain how the run ended."""
    failed = [failure for failure in failures if failure.row.failure != "rejected"]
    if not failed:
        return None
    row = failed[0].row
    is_one = sum(len(failure.numbers) for failure in failed) == 1
    return SimpleNamespace(
        words="Unresolved failure" if is_one else "Last unresolved failure",
        number=row.number,
        subject=truncate(row.subject, 100),
        ending=row.ending,
    )


def _opened(failures: list[Unresolved]) -> set[str]:
    """Return the last unresolved errors that have something to show."""
    errors = [
        row.number
        for row in (failure.row for failure in failures)
        if row.has_failed and row.section and row.section.parts
    ]
    return set(errors[:10])


def _shares(rows: list[CallRow]) -> dict[str, float]:
    """Return how long calls took, in per cent of the longest one."""
    took = {
        row.number: row.ended - row.started
        for row in rows
        if row.started is not None and row.ended is not None
    }
    longest = max(took.values(), default=0)
    shares = {number: 100 * time / longest for number, time in took.items() if longest}
    # A shorter bar would hardly be seen.
    return {number: share for number, share in shares.items() if share >= 1}


def _links(run: RunPicture, rows: list[CallRow], prefix: str) -> dict[str, Markup]:
    """Return the line below each call that went wrong, which leads to the others."""
    sequences: dict[str, list[CallRow]] = {}
    for row in rows:
        if row.failure is not None:
            sequences.setdefault(_SEQUENCES[row.failure], []).append(row)
    words: dict[str, str] = {}
    for name, same in sequences.items():
        for place, row in enumerate(same):
            nearby = (
                ("previous", same[place - 1 : place]),
                ("next", same[place + 1 : place + 2]),
            )
            others = [
                _link(prefix, near.number, which)
                for which, ones in nearby
                for near in ones
            ]
            place_in_words = f"{name} {place + 1:,} of {len(same):,}"
            words[row.number] = (
                f"{' · '.join([place_in_words, *others])}."
                f" {_resolution(row, run, prefix)}"
            )
    for number, answer in run.answers.items():
        words[number] = f"No failure: its status is an answer, {escape(answer)}."
    return {
        row.number: Markup(f"{words[row.number]} Line {row.line:,} of the log.")
        for row in rows
        if row.number in words
    }


def _resolution(row: CallRow, run: RunPicture, prefix: str) -> str:
    """Name the call that recovered one that went wrong, or say that none did."""
    if resolver := run.resolved_by.get(row.number):
        link = _link(prefix, resolver, f"call {resolver}")
        return f"Resolved by {link}."
    if row.failure != "rejected":
        return "Unresolved: no later call of this kind on the same subject succeeded."
    return (
        "Unresolved: the run changed or claims something that depends on it."
        if row.number in run.unresolved
        else "No change or claim of the run depends on it."
    )


def _link(prefix: str, number: str, words: str) -> str:
    return f'<a href="#{escape(prefix)}c{escape(number)}">{escape(words)}</a>'


def _touched_files(picture: RunPicture, timeline: Timeline) -> list[SimpleNamespace]:
    """Return the files of a run, the most edited ones first."""
    directory = picture.start.directory
    files: dict[str, SimpleNamespace] = {}

    def file_at(path: str) -> SimpleNamespace:
        new = SimpleNamespace(path=path, reads=0, edits=0, change=None, marks=[])
        return files.setdefault(place_of(path, directory).key, new)

    for row, bar in zip(picture.drawn_rows, timeline.bars, strict=True):
        if row.path:
            file = file_at(row.path)
            file.marks.append(bar)
            file.reads += row.lane == "look" and row.outcome.status == "ok"
            file.edits += row.lane == "edit" and row.outcome.status == "ok"
    for change in picture.changes:
        # Subagents changed some of these.
        file_at(change.path).change = change
    return sorted(
        files.values(), key=lambda file: (-file.edits, file.change is None, -file.reads)
    )
