"""The calls, files, tokens and cost of a raw log, added up.

Nothing here comes from the package. The functions that read the logs of one agent fill
these structs; the meaning of a status or a line is written here once, in few words,
so that a reader of the package that means another thing disagrees.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
_DRIVE = re.compile(r"/?[A-Za-z]:[\\/]")
# Programs whose status 1 is an answer, as the last command of a line or of a pipe.
_ANSWERING = re.compile(
    r"(?:grep|egrep|fgrep|zgrep|rg|ag|ack|findstr|diff|cmp|zdiff|sdiff|colordiff|test|\["
    r"|expr|which|type|pgrep|pidof|command -[vV]|jq (?:.* )?(?:-e|--exit-status)"
    r"|git (?:-C \S+ )?(?:grep|check-ignore|merge-base --is-ancestor|config --get\S*"
    r"|diff\S* (?:.*)--(?:exit-code|quiet|no-index)))(?![\w.-])"
)
_BEFORE_COMMAND = re.compile(
    r"^(?:\s|[({!]|(?:\w+=\S* )|(?:sudo|env|time|nice|nohup|builtin|then|do|else|if"
    r"|while|timeout \S+)\s)+"
)
_SPEAKING = re.compile(r"(?:cd|pushd|echo|printf|true|:|sleep)\b|$")
# How test runners end when tests failed.
_FAILED_TESTS = re.compile(
    r"(?m)^\W*(?:"
    r".*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.]+ ?m?s\b"
    r"|FAILED \((?:failures|errors|unexpected)"
    r"|Tests?(?: Suites| Files)?:? +.*\b[1-9]\d* failed"
    r"|[#\u2139] (?:fail|cancelled) [1-9]"
    r"|FAILED \|.*[1-9]\d* failed"
    r"|test result: FAILED"
    r"|Summary \[.*\b[1-9]\d* failed"
    r"|\d+ (?:examples?|tests?|doctests?), .*\b[1-9]\d* (?:failures?|errors?)"
    r"|\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|0 failures, [1-9])"
    r"|Tests: \d+, Assertions: \d+.*(?:Failures|Errors): [1-9]"
    r"|(?:\[\w+\] +)?Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])"
    r"|\d+ tests? completed, [1-9]\d* failed"
    r"|Failed! +- Failed: +[1-9]"
    r"|--- FAIL: |FAIL\t\S+\t)"
)
# Those of others are in a list, with the time or those that passed.
_FAILED_LIST = re.compile(
    r"(?m)^\s*[1-9]\d* (?:failing|failed|fail|interrupted)(?: \([\d.]+m?s\))?\s*$"
)
_PASSED_TESTS = re.compile(r"(?m)^\s*\d+ (?:pass|\w+ \([\d.]+m?s\))\s*$")
# These print files, which may contain the output of a runner.
_LOOKING = re.compile(r"(?:cat|head|tail|less|grep|rg|sed -n|awk|ls|wc|echo|printf)\b")
# A line of a container of Kubernetes: time, stream, and a part or the end of the line.
_CONTAINER = re.compile(r"\S+ (stdout|stderr) ([PF]) (.*)")
ABSENT = object()
Records = list[dict[str, Any]]


@dataclass
class Call:
    """One call, or one of its parts, as the log records it."""

    status: str = "unfinished"
    """`ok`, `error`, `rejected` or `unfinished`."""

    exit_code: int | None = None
    command: str = ""
    printed: str = ""
    errors: str | None = None
    """The standard error, if it is recorded apart."""

    has_output: bool = False
    """Its output is recorded, even an empty one."""

    run: Any = 0
    """The run that made it: the files of each are counted apart."""

    changes: list[tuple[str, Any, Any]] = field(default_factory=list)
    """The files that it changes if it ends well: path, old and new content if known."""

    @property
    def is_answer(self) -> bool:
        """Its status 1 says that nothing was found, or the like."""
        is_one = self.status == "error" and self.exit_code == 1
        # A command that printed nothing at all printed no error.
        errors = self.printed or None if self.errors is None else self.errors
        errors = "" if errors is None and self.has_output else errors
        return is_one and bool(self.command) and answers(self.command, errors)

    @property
    def is_hidden(self) -> bool:
        """It ended well, although tests that it ran failed."""
        if self.status != "ok" or not self.command:
            return False
        first = self.command.split("|")[0].split("&&")[-1]
        is_look = _LOOKING.match(_BEFORE_COMMAND.sub("", first))
        if is_look:
            return False
        has_others = bool(_PASSED_TESTS.search(self.printed))
        is_listed = has_others and bool(_FAILED_LIST.search(self.printed))
        return is_listed or bool(_FAILED_TESTS.search(self.printed))


@dataclass
class Counted:
    """The content of a log."""

    agent: str
    calls: list[Call] = field(default_factory=list)
    has_calls: bool = True
    """The log records its calls, and not only a result."""

    tokens: Counter[str] | None = None
    """By kind: `input` without those of the cache, `output`, `read` and `written`."""

    cost: Decimal | None = None
    duration: int | None = None
    """The milliseconds that the agent reports, of all runs together.

    Those between the first timestamp and the last, where it reports nothing.
    """

    directory: str = ""
    steps: int = 0
    """Those of the calls that are recorded inside of a call, by a subagent."""

    results: list[str] = field(default_factory=list)
    """The final texts that the log records apart from the messages."""

    texts: list[str] = field(default_factory=list)
    """The last text before each of them, as the messages have it."""

    @property
    def figures(self) -> dict[str, Any]:
        """The figures, by the names that `outputs` gives them."""
        ends = Counter(call.status for call in self.calls)
        has_calls = self.has_calls or bool(self.calls)
        answers = sum(call.is_answer for call in self.calls)
        hidden = sum(call.is_hidden for call in self.calls)
        found: dict[str, Any] = {
            "calls": len(self.calls),
            "failed": ends["error"] - answers + hidden,
            "refused": ends["rejected"],
            "unfinished": ends["unfinished"],
            "files": len(self.files),
        }
        if not has_calls:
            found = dict.fromkeys(found)
        found |= {"cost": self.cost, "duration": self.duration}
        for kind in ("input", "output", "read", "written"):
            known = self.tokens is not None and kind in self.tokens
            found[f"tokens_{kind}"] = self.tokens[kind] if known else None
        return found

    @property
    def files(self) -> set[tuple[Any, str]]:
        """The files that are not known to be at the end as they were before."""
        first: dict[Any, Any] = {}
        last: dict[Any, Any] = {}
        for call in self.calls:
            for path, old, new in call.changes if call.status == "ok" else ():
                place = call.run, place_of(path, self.directory)
                first.setdefault(place, old)
                last[place] = new
        return {
            place for place, old in first.items() if old is None or old != last[place]
        }

    def use(self, **tokens: Any) -> None:
        """Add tokens; a kind that is not recorded is None."""
        self.tokens = self.tokens if self.tokens is not None else Counter()
        for kind, number in tokens.items():
            if (count := whole(number)) is not None:
                self.tokens[kind] = self.tokens.get(kind, 0) + count

    def pay(self, dollars: Any) -> None:
        """Add the cost of something."""
        if (found := decimal(dollars)) is not None:
            self.cost = (self.cost or Decimal(0)) + found

    def last(self, milliseconds: Any) -> None:
        """Add how long something took."""
        if (found := whole(milliseconds)) is not None:
            self.duration = (self.duration or 0) + found


def answers(command: str, errors: str | None) -> bool:
    """Return True if status 1 of a command is an answer."""
    has_errors = errors is None or bool(errors.strip())
    parts = [part.split("|")[-1] for part in re.split(r"&&|\|\||;|\n", _bare(command))]
    parts = [_BEFORE_COMMAND.sub("", part).strip() for part in parts if part.strip()]
    is_any = bool(parts) and bool(_ANSWERING.match(parts[-1]))
    others = [part for part in parts if not _ANSWERING.match(part)]
    return is_any and all(not has_errors and _SPEAKING.match(it) for it in others)


def _bare(command: str) -> str:
    """Return a command without its quoted parts."""
    return re.sub(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", "Q", command)


def place_of(path: str, directory: str) -> str:
    """Return one spelling of a path."""
    is_windows = bool(_DRIVE.match(path) or _DRIVE.match(directory))
    if is_windows:
        path, directory = path.replace("\\", "/"), directory.replace("\\", "/")
        # As the shell of Git writes drives.
        path = re.sub(r"^/([A-Za-z])/", r"\1:/", path)
        is_whole = re.match(r"[A-Za-z]:/", path)
        path = f"/{path}" if is_whole else path
        directory = f"/{directory}" if re.match(r"[A-Za-z]:/", directory) else directory
    place = posixpath.normpath(posixpath.join(directory, path))
    place = re.sub(r"^/private(?=/(?:var|tmp|etc)/)", "", place)
    return place.lower() if is_windows else place


def joined(text: str) -> str:
    """Return a log with the lines whole that Docker or Kubernetes has split."""
    if not (_CONTAINER.match(text) or text.startswith('{"log":"')):
        return text
    lines: dict[str, list[str]] = {}
    order = []
    for line in text.split("\n"):
        if found := _CONTAINER.match(line):
            stream, part = found[1], found[3] + "\n" * (found[2] == "F")
        elif line.startswith('{"log"') and line.endswith("}"):
            record = json.loads(line)
            stream, part = record["stream"], record["log"]
        else:
            continue
        lines.setdefault(stream, []).append(part)
        if part.endswith("\n"):
            order.append("".join(lines.pop(stream)))
    return "".join(order + ["".join(rest) + "\n" for rest in lines.values()])


def objects(log: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a log, in lines, in an array or spread out."""
    text = joined(log.decode(errors="replace"))
    at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if isinstance(value, dict):
            yield value


def between(stamps: list[Any]) -> int | None:
    """Return the milliseconds from the first timestamp to the last."""
    known = [it for it in map(moment, stamps) if it is not None]
    return max(known[-1] - known[0], 0) if known else None


def moment(stamp: Any) -> int | None:
    """Return a timestamp in milliseconds, which a text has in the form of ISO 8601."""
    if not isinstance(stamp, str):
        return whole(stamp)
    try:
        return round(datetime.fromisoformat(stamp).timestamp() * 1000)
    except ValueError:
        return None


def whole(number: Any) -> int | None:
    """Return a number that is not below 0; None for any other value."""
    try:
        found = None if isinstance(number, bool | None) else round(float(number))
    except (TypeError, ValueError, OverflowError):
        return None
    return found if found is not None and 0 <= found < 10**15 else None


def decimal(number: Any) -> Decimal | None:
    """Return an amount as it is written."""
    if isinstance(number, bool) or not isinstance(number, int | float | str | Decimal):
        return None
    return round(Decimal(str(number)), 12)


def members(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    """Return a text, or the texts of a list of blocks."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(text(members(part).get("text")) for part in value)
    return ""
