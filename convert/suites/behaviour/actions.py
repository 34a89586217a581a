"""The calls, programs and files that traits are about, also in words."""

from __future__ import annotations

import marshal
from typing import NamedTuple

from msgspec import Struct

from convert.diff.run_facts import AlignedCall, RecordedCall
from convert.tools.shell import attempt_of, checked_by, program_of
from convert.tools.subjects import SEARCHES, subject_of
from convert.wording.escapes import escape_controls, one_line, truncate
from convert.wording.styles_and_columns import cut_middle

# Kinds of tools that change the file which they name.
CHANGES = ("edit", "write", "delete")
# How many characters of a call are kept to name it.
_LONGEST = 300


class Action(Struct, frozen=True):
    """The call, program or file that a trait is about, with the facts for its words."""

    kind: str
    """The kind of the tool in the model; "" for a file."""

    tool: str = ""
    """The tool as people know it."""

    about: str = ""
    """The subject on one line, without characters that do harm."""

    file: str = ""
    """The file that it changes, with marks for noise; "" for none."""

    words: str = ""
    place: str = ""
    """The pattern of a search, and where it searches."""

    command: str = ""
    """The command as it is compared; "" for any other call."""

    program: bytes = b""
    """Equal in two calls of one program, or of one tool."""

    acts: bool = False
    is_program: bool = False
    """It is about all calls of a program or tool."""

    is_line: bool = False
    """Its log is text, and `about` is a line of it."""

    @property
    def label(self) -> str:
        """The tool and the subject of the call, as in findings."""
        return self.about if self.is_line else f"{self.tool} {self.about}".strip()


def are_checked(one: RecordedCall | Action, other: RecordedCall | Action) -> bool:
    """Return True if one is a check and the other changes a file."""
    command = other.command if one.kind in CHANGES else one.command
    return is_order_of_change(one, other) and checked_by(command) != "nothing"


def is_order_of_change(
    one: RecordedCall | Action, other: RecordedCall | Action
) -> bool:
    """Return True if one is a command that acts and the other changes a file."""
    if one.kind in CHANGES:
        one, other = other, one
    return other.kind in CHANGES and one.kind == "shell" and one.acts


def action_of(call: AlignedCall) -> Action:
    """Return a call as words need it, whatever it was compared with before."""
    kind, marked = call.recorded.kind, call.keys.marked.kept
    # It has no numbers that come from another run.
    subject = file = subject_of(kind, call.arguments)
    if marked is not None:
        file = subject_of(kind, marshal.loads(marked))
    is_search = kind in SEARCHES
    return Action(
        kind,
        tool=as_shown(call.recorded.shown_tool),
        about=as_shown(subject.line_with_feeds),
        file=as_shown(file.line_with_feeds) if kind in CHANGES else "",
        words=as_shown(" ".join(subject.words)) if is_search else "",
        place=as_shown(" ".join(subject.paths)) if is_search else "",
        command=call.command,
        program=call.keys.tool,
        acts=call.recorded.acts,
    )


def action_of_program(call: AlignedCall) -> Action:
    """Return the program of a command, or the tool of any other call."""
    command = call.command
    return Action(
        call.recorded.kind,
        tool=as_shown(call.recorded.shown_tool),
        about=as_shown(program_of(command)) if command else "",
        command=command,
        program=call.keys.tool,
        acts=call.recorded.acts,
        is_program=True,
    )


def is_check(call: AlignedCall) -> bool:
    """Return True if a command runs tests or the like."""
    is_judged = call.recorded.kind == "shell" and call.keys.manner.how != "ignore"
    return is_judged and attempt_of(call.command).is_check


def as_shown(text: str) -> str:
    """Return a text of a log on one line, without harmful characters."""
    return truncate(escape_controls(one_line(text)), _LONGEST)


# How many columns a sentence has for a call.
_MOST_COLUMNS = 60


class Verb(NamedTuple):
    """A verb with its object: for several runs, and for one."""

    many: str
    one: str

    def and_then(self, rest: str) -> Verb:
        """Return the same with more words at its end."""
        return Verb(f"{self.many} {rest}", f"{self.one} {rest}")


class Check(NamedTuple):
    """The check that a command runs, for a sentence."""

    name: str
    """`the tests`, or the command itself."""

    is_many: bool
    is_known: bool = True
    """It runs tests or the like."""


# The verbs for a call of a kind: with its subject, and for any subject.
_VERBS: dict[str, tuple[Verb, Verb]] = {
    "shell": (Verb("run", "runs"), Verb("run commands", "runs commands")),
    "read": (Verb("read", "reads"), Verb("read files", "reads files")),
    "edit": (Verb("edit", "edits"), Verb("edit files", "edits files")),
    "write": (Verb("write", "writes"), Verb("write files", "writes files")),
    "delete": (Verb("delete", "deletes"), Verb("delete files", "deletes files")),
    "ls": (Verb("list", "lists"), Verb("list folders", "lists folders")),
    **dict.fromkeys(
        ("webFetch", "fetch"),
        (Verb("fetch", "fetches"), Verb("fetch pages", "fetches pages")),
    ),
    "webSearch": (
        Verb("search the web for", "searches the web for"),
        Verb("search the web", "searches the web"),
    ),
    "task": (
        Verb("start a subagent for", "starts a subagent for"),
        Verb("start subagents", "starts subagents"),
    ),
}
# Kinds whose subject is the name of a file or page, which needs no quotes.
_NAMED = {"read", "edit", "write", "delete", "ls", "webFetch", "fetch"}
_NOUNS_OF_NAMES = {"ls": "folder", "webFetch": "page", "fetch": "page"}
_NOUNS = {
    "read": "a read",
    "edit": "an edit",
    "write": "a write",
    "delete": "a deletion",
    "task": "a subagent",
}
# Checks by words in their programs and subcommands.
_CHECKS = {
    Check("the linter", is_many=False): (
        *("lint", "ruff", "eslint", "flake8", "pylint", "clippy", "vet"),
    ),
    Check("the type check", is_many=False): ("mypy", "tsc", "pyright", "typecheck"),
    Check("the tests", is_many=True): (
        *("test", "tox", "nox", "jest", "mocha", "phpunit", "rspec"),
    ),
}


def verb_of(action: Action) -> Verb:
    """Return the verb and the object of a call: `run npm test`, `edit src/a.py`."""
    if action.is_line:
        return Verb("show", "shows").and_then(quoted(action.about))
    if action.kind in SEARCHES:
        if action.is_program or not action.about:
            return Verb("search", "searches").and_then(f"with {action.tool}")
        place = f" in {short(action.place)}" if action.place else ""
        return Verb("search for", "searches for").and_then(
            quoted(action.words or action.about) + place
        )
    if action.kind in _VERBS:
        verb, general = _VERBS[action.kind]
        return verb.and_then(object_of(action)) if action.about else general
    return _verb(action).and_then(name_of(action))


def _verb(action: Action) -> Verb:
    """Return the verb for a call of any other kind."""
    is_called = action.kind in ("mcp", "function")
    return Verb("call", "calls") if is_called else Verb("use", "uses")


def name_of(action: Action) -> str:
    """Return a call as the subject of a sentence, as `npm test` or `editing a.py`."""
    if action.kind == "shell":
        return quoted(action.about) if action.about else "a command"
    if action.kind == "task":
        about = action.about
        return f"the subagent for {quoted(about)}" if about else "a subagent"
    if action.kind in _NAMED or action.kind in SEARCHES:
        verb, _, rest = verb_of(action).many.partition(" ")
        return f"{verb.removesuffix('e')}ing {rest}"
    return short(f"{_tool(action)} {action.about}".strip())


def object_of(action: Action) -> str:
    """Return the object of a call, as it follows a verb."""
    if action.kind in _NAMED:
        return short(action.about)
    return quoted(action.about) if action.about else name_of(action)


def check_of(action: Action) -> Check:
    """Return the check that a command runs: `the tests`, or the command itself."""
    if not action.command or not attempt_of(action.command).is_check:
        return Check(name_of(action), is_many=False, is_known=False)
    program = program_of(action.command)
    for check, words in _CHECKS.items():
        if any(word in program for word in words):
            return check
    return Check("the checks", is_many=True)


def theme_of_call(action: Action, *, is_less: bool, is_again: bool) -> str:
    """Return the theme of cases that make a call more or less often than before."""
    if is_again:
        return f"{_general(action)} {'less' if is_less else 'more'} often now"
    one_more = "one {} fewer now" if is_less else "one more {} now"
    if action.kind in _NAMED and not action.is_program:
        noun = _NOUNS_OF_NAMES.get(action.kind, "file")
        return f"{_VERBS[action.kind][0].many} {one_more.format(noun)}"
    if action.kind in SEARCHES and not action.is_program:
        return f"make {one_more.format('search')}"
    if action.is_line:
        return f"make {one_more.format('call')}"
    return with_now(_general(action), is_less=is_less)


def theme_of_order(first: Action, second: Action, *, is_less: bool) -> str:
    """Return the theme of cases in which one call now comes before another."""
    if are_checked(first, second):
        check, how = (first, "before") if first.kind == "shell" else (second, "after")
        return with_now(f"run {_checked(check)} {how} the edit", is_less=is_less)
    if first.kind == second.kind and first.kind in _NAMED:
        return f"{_VERBS[first.kind][1].many} in another order now"
    return "make calls in another order now"


def theme_of_arguments(action: Action) -> str:
    """Return the theme of cases that make a call in another way."""
    if action.kind in SEARCHES:
        return "search for something else now"
    is_change = action.kind in CHANGES
    what = f"{action.kind} a file" if is_change else _general(action)
    return f"{what} in another way now"


def theme_of_outcome(action: Action, how: str, *, is_less: bool) -> str:
    """Return the theme of cases in which a call ends otherwise; `how` as in `fails`."""
    noun = _NOUNS.get(action.kind, f"a call of {_tool(action)}")
    what = _checked(action) if action.kind == "shell" else noun
    ends = {"fails": "fail", "is refused": "refused", "does not end": "not end"}[how]
    return with_now(f"see {what} {ends}", is_less=is_less)


def with_now(what: str, *, is_less: bool) -> str:
    """Return a theme with `now`, or with `no longer`."""
    return f"no longer {what}" if is_less else f"{what} now"


def _general(action: Action) -> str:
    """Return a call without its subject."""
    if action.kind == "shell":
        return f"run {_checked(action)}"
    if action.kind in SEARCHES:
        return f"search with {action.tool}"
    if action.kind in _VERBS:
        return _VERBS[action.kind][1].many
    return f"{_verb(action).many} {short(_tool(action))}"


def _tool(action: Action) -> str:
    return action.tool.removeprefix("mcp:")


def _checked(action: Action) -> str:
    """Return the check of a command, or its program."""
    check = check_of(action)
    if check.is_known or not action.command:
        return check.name
    return quoted(as_shown(program_of(action.command)))


def quoted(text: str) -> str:
    """Return a command or the like in backquotes, shortened in its middle."""
    text = short(text)
    return text if "`" in text else f"`{text}`"


def short(text: str) -> str:
    """Return a name that fits into a sentence."""
    return cut_middle(text.replace(" ⏎ ", " "), _MOST_COLUMNS)
