"""The pages that the page of a suite links to: of its runs, and of two compared."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.destination import identities, refuse
from convert.cli.logs import bytes_of, with_known_of
from convert.cli.output_files import write_whole
from convert.diff import Side, brings_settings, compare_as_named, read_side, read_sides
from convert.diff.reports import report
from convert.errors import InputError, OutputError, UsageError, ignore
from convert.options.conversion import Options, Reading
from convert.options.settings import Settings
from convert.pipeline import Conversion, convert_log
from convert.scale.engines.run_jobs import DIED, Command, opened, results_of
from convert.suites.case_comparison import Comparing
from convert.suites.case_result import CasePages, CaseResult
from convert.suites.logs import Folder
from convert.suites.reports.phrases import is_shown, run_in_words
from convert.suites.suite_result import Suite
from convert.wording.escapes import repair_surrogates
from convert.wording.paths import is_url, joined

# The cases that get pages, unless all do.
_MOST = 20
_LONGEST_NAME = 60
_BACK = "Back to the comparison"
_PAGE = re.compile(r"([ab]|version-\d+|diff)\.html")
# Windows opens a device for a file or folder of such a name.
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class Log(Struct, frozen=True):
    """A log of a version that a page shows, and the page."""

    path: str
    name: str
    """Its name in reports."""

    source: str
    directory: str
    page: str
    words: str
    """The name of its run, its version and how it ended."""


class Job(Struct, frozen=True):
    """The pages of one case."""

    logs: tuple[Log | None, ...]
    """The log of each version that reports show; None without any."""

    known: tuple[tuple[str, str], ...]
    """All logs of the case with their formats, whose secrets no page may show."""

    comparison: str
    """The page that compares the first version with the last; "" for none."""

    @property
    def pages(self) -> list[str]:
        """The pages that are planned."""
        pages = [log.page for log in self.logs if log]
        return [*pages, self.comparison] if self.comparison else pages

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the logs that pages show."""
        return tuple(log.path for log in self.logs if log)


def write_pages(
    suite: Suite,
    path: str,
    how: Comparing,
    folders: Sequence[Folder],
    command: Command,
) -> None:
    """Write the pages that belong to the page of a suite, and note their addresses.

    Those are in a folder next to it, for the worst cases that are not the same. Raises
    UsageError if one of them is a log, and OutputError if one cannot be written.
    """
    folder = pages_of(path)
    if not folder:
        return
    cases = [
        case
        for case in suite.cases
        if is_shown(case) and any(side.runs for side in case.sides)
    ]
    cases = cases if how.options.is_full else cases[:_MOST]
    names = _folder_names(cases)
    jobs = [
        _job(case, joined(folder, name), how, folders)
        for case, name in zip(cases, names, strict=True)
    ]
    inputs = identities([log for each in folders for log in each.logs])
    for page in (page for job in jobs for page in job.pages):
        refuse(page, page, inputs)
    work = functools.partial(_written, how, f"../../{_address(path, 1)}")
    with opened(command, folder) as engine:
        made = [*results_of(engine, work, jobs, lambda _: ([], DIED))]
    for _, failure in made:
        if failure:
            raise OutputError(failure)
    suite.pages[path] = {
        case.name: _addresses(job, pages)
        for case, job, (pages, _) in zip(cases, jobs, made, strict=True)
        if pages
    }


def pages_of(path: str) -> str:
    """Return the folder for the pages next to a page; "" if that is no plain file."""
    # A file that is open already looks plain where it is one.
    is_open = path.startswith(("/dev/", "/proc/"))
    is_special = os.path.lexists(path) and not os.path.isfile(path)
    if not is_url(path) and (is_open or is_special):
        return ""
    return f"{os.path.splitext(path)[0]}.pages"


def is_page_of(log: str, path: str) -> bool:
    """Return True if a file has the place of a page next to the page of a suite."""
    folder, name = os.path.split(log)
    if is_url(path) or is_url(log) or not _PAGE.fullmatch(name):
        return False
    with contextlib.suppress(OSError):
        return os.path.samefile(os.path.dirname(folder), pages_of(path))
    return False


def _folder_names(cases: Iterable[CaseResult]) -> list[str]:
    """Return a name for the folder of each case, which no other has.

    Some systems do not distinguish capitals, or two spellings of a letter.
    """
    taken: set[str] = set()
    found = []
    for case in cases:
        safe = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFKC", case.name))
        safe = safe[:_LONGEST_NAME].strip(".-") or "case"
        if _DEVICE.fullmatch(safe):
            safe = f"case-{safe}"
        numbered = (f"{safe}-{number}" for number in itertools.count(2))
        names = itertools.chain([safe], numbered)
        unique = next(name for name in names if name.casefold() not in taken)
        taken.add(unique.casefold())
        found.append(unique)
    return found


def _job(
    case: CaseResult, folder: str, how: Comparing, folders: Sequence[Folder]
) -> Job:
    """Return the pages that a case gets, in a folder of their own."""
    logs: list[Log | None] = []
    known: list[tuple[str, str]] = []
    has_two = len(case.sides) == 2
    for at, side in enumerate(case.sides):
        # Reports spell a path otherwise, or name its version in it.
        paths = {how.name_of(log, at): log for log in folders[at].logs}
        source, directory = how.sources[at], how.directories[at]
        known += [(paths[log], source) for log in side.logs if log in paths]
        log = paths.get(side.log)
        name = "ab"[at] if has_two else f"version-{at + 1}"
        page = joined(folder, f"{name}.html")
        words = run_in_words(how.names[at], side)
        logs.append(Log(log, side.log, source, directory, page, words) if log else None)
    is_compared = bool(logs[0] and logs[-1]) and case.fate != "trouble"
    compared = joined(folder, "diff.html") if is_compared else ""
    return Job(tuple(logs), tuple(known), compared)


def _written(how: Comparing, index: str, job: Job) -> tuple[list[str], str]:
    """Write the pages of one case; one of a log that cannot be read is missing.

    Returns the pages, and the message about one that cannot be written.
    """
    pages: list[str] = []
    reading = how.reading.replace(is_found=True)
    try:
        if reading.redact:
            reading = with_known_of(job.known, reading)
        for log in filter(None, job.logs):
            with contextlib.suppress(InputError, UsageError):
                _write_run(log, how.run, reading, index)
                pages.append(log.page)
        if job.comparison:
            with contextlib.suppress(InputError, UsageError):
                _write_comparison(job, how, reading, index, pages)
                pages.append(job.comparison)
    except OutputError as error:
        return pages, error.message
    return pages, ""


def _write_run(log: Log, run: int | None, reading: Reading, index: str) -> None:
    """Write the page of one log."""
    options = Options(log_name=log.name, index=index, index_name=_BACK)
    conversion = Conversion(log.source, "html", run, reading, options)
    with contextlib.closing(bytes_of(log.path)) as pieces:
        write_whole(log.page, convert_log(pieces, conversion, ignore))


def _write_comparison(
    job: Job, how: Comparing, reading: Reading, index: str, written: list[str]
) -> None:
    """Write the page that compares the logs of the first and the last version.

    It has links to the pages of both.
    """
    logs = [log for log in (job.logs[0], job.logs[-1]) if log]
    links = [
        (_BACK, index),
        *((log.words, _address(log.page, 1)) for log in logs if log.page in written),
    ]

    def side(log: Log, settings: Settings) -> Side:
        with contextlib.closing(bytes_of(log.path)) as pieces:
            limits = how.run, reading, settings, ignore, log.directory
            return read_side(pieces, log.source, *limits)

    a, b = logs
    one, other = (functools.partial(side, log) for log in logs)
    is_b_first = brings_settings(b.path, b.source)
    compared = compare_as_named(*read_sides(one, other, how.settings, is_b_first))
    options = replace(
        how.options, a=a.name, b=b.name, links=tuple(links), settings_source=""
    )
    lines = report("html")(compared, options)
    pieces = (f"{repair_surrogates(line.text)}\n".encode() for line in lines)
    write_whole(job.comparison, pieces)


def _addresses(job: Job, written: list[str]) -> CasePages:
    """Return the addresses of the pages of a case that were written."""

    def address(page: str) -> str:
        return _address(page, 3) if page in written else ""

    return CasePages(
        sides=tuple(address(log.page) if log else "" for log in job.logs),
        comparison=address(job.comparison),
    )


def _address(path: str, parts: int) -> str:
    """Return the address of a page: so many of the last parts of its path."""
    from urllib.parse import quote

    if not is_url(path):
        path = path.replace(os.sep, "/")
    return quote(os.fsencode("/".join(path.split("/")[-parts:])))
