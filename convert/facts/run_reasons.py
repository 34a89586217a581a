"""Why a run ended as it did: the reason in words, and the kind of reason.

The kind follows from how the log names the reason (an HTTP status, the name of an
error), and otherwise from the words of its message. All agents share one rule:

quota           a limit of the account or of the model's service: usage, rate, money
network         a connection that was lost, or a service that did not answer
authentication  nobody let the agent in: no login, a wrong key, no access
tool            a tool, a hook or a server of tools ended the run
cut             the log breaks off, or somebody stopped the run, for none of these
agent           the agent reports any other error, its own limits of turns included

The first three say nothing of the agent: such a run is no failure of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from convert.model.events import End, ReasonKind, State
from convert.model.run import Run
from convert.tools.phrases_and_outcomes import phrases_in
from convert.wording import compiled
from convert.wording.escapes import one_line

OUTSIDE: tuple[ReasonKind, ...] = ("quota", "network", "authentication")
"""The kinds of reasons that are no failure of the agent."""

KINDS: tuple[ReasonKind, ...] = (*OUTSIDE, "tool", "cut", "agent")
"""All kinds of reasons."""

ENDED_BY: dict[ReasonKind, str] = {
    "quota": "a quota ended the run",
    "network": "the network ended the run",
    "authentication": "authentication ended the run",
    "tool": "a tool ended the run",
}
"""Sentences for runs that something else than the agent ended."""

# The members of an error with a status of HTTP, with a name, and with another error.
_STATUSES = ("error_status", "statusCode", "status_code", "http_status_code", "status")
_CALLED = ("code", "name", "type", "error")
_INSIDE = ("data", "error", "cause")
_DEEPEST = 4
# The subject of a longer message is at its beginning.
_LONGEST = 2000


class Cut(Struct, frozen=True):
    """A reason why a run has no result."""

    name: str
    """Its name among the phrases for the ends of runs."""

    state: Literal["cut", "unfinished"]
    interrupted: Literal["", "reconnecting", "retry"] = ""


CUTS = (
    Cut("reconnecting", "cut", "reconnecting"),
    Cut("retry", "cut", "retry"),
    Cut("open_call", "unfinished"),
    Cut("no_result", "cut"),
)

# How logs name reasons: as an error of the model's interface, as the reason why a
# program stopped, or as a code between an agent and its server.
_NAMES: dict[ReasonKind, tuple[str, ...]] = {
    "quota": (
        *("rate_limit", "rate_limit_error", "rate_limit_exceeded"),
        *("billing_error", "insufficient_quota", "quota_exceeded"),
        *("usage_limit_exceeded", "usage_limit_reached", "usage_not_included"),
        *("resource_exhausted", "session_budget_exceeded"),
    ),
    "authentication": (
        *("authentication_failed", "authentication_error", "permission_error"),
        *("oauth_org_not_allowed", "unauthorized", "unauthenticated"),
        *("invalid_api_key", "model_not_found", "providerautherror"),
    ),
    "network": (
        *("server_error", "api_error", "internal_server_error", "timeout_error"),
        *("overloaded", "overloaded_error", "server_overloaded"),
        *("http_connection_failed", "response_stream_connection_failed"),
        *("response_stream_disconnected", "response_too_many_failed_attempts"),
        *("unavailable", "deadline_exceeded"),
    ),
    "tool": ("hook_stopped", "stop_hook_prevented", "sandbox_error"),
    "cut": ("aborted_streaming", "aborted_tools", "messageabortederror"),
    "agent": (
        *("max_turns", "error_max_turns", "error_max_budget_usd"),
        *("error_max_structured_output_retries", "prompt_too_long"),
        *("blocking_limit", "rapid_refill_breaker", "image_error"),
        *("invalid_request", "invalid_request_error", "max_output_tokens"),
        *("context_window_exceeded", "bad_request", "contextoverflowerror"),
        *("messageoutputlengtherror", "structuredoutputerror"),
    ),
}
_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names}
# The words of messages; the first kind with a word in the message counts.
_WORDS: dict[ReasonKind, str] = {
    "agent": r"prompt is too long|context (?:window|length)|maximum number of turns",
    "quota": (
        r"\b(?:usage|rate|request|session|weekly|daily|monthly|spend(?:ing)?)"
        r"[-_ ]?limit|too many requests|\bquota\b|credit balance|payment required"
        r"|you(?:.ve| have) (?:hit|reached) (?:your|the) (?:[\w-]+ ){0,4}limit\b"
        r"|insufficient[ _](?:credits|funds|balance|quota)|out of credits"
        r"|out of extra usage|\bbilling\b|\[resource_exhausted\]"
    ),
    "authentication": (
        r"\bnot (?:logged in|authenticated|authori[sz]ed)\b|\bunauthori[sz]ed\b"
        r"|\bauthentication[ _](?:required|failed|error)\b|failed to authenticate"
        r"|\b(?:invalid|incorrect|missing|no|expired) (?:\w+ )?(?:api[- ]key"
        r"|credentials|bearer)\b|api key (?:is )?(?:invalid|missing)"
        r"|please (?:run )?/?log ?in\b"
        r"|token (?:has |was )?(?:expired|(?:been )?revoked)|\bforbidden\b"
        r"|\[(?:unauthenticated|permission_denied)\]|workspace trust required"
        r"|cannot use this model|may not have access to"
    ),
    "network": (
        r"\bE(?:CONN(?:RESET|REFUSED|ABORTED)|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE"
        r"|HOSTUNREACH|NETUNREACH)\b|\bfetch failed\b|\bsocket hang up\b"
        r"|\bconnection (?:error|failed|lost|refused|reset|closed|timed out|aborted)"
        r"|(?:unable|could not|failed) to connect|\bhttp/2 stream\b"
        r"|\bnetwork (?:error|connection|is unreachable)"
        r"|\bstream (?:disconnected|closed)|error sending request|request timed out"
        r"|\boverloaded(?:_error)?\b|bad gateway|gateway time-?out"
        r"|service (?:is )?(?:temporarily )?unavailable|internal server error"
        r"|getaddrinfo|\[(?:unavailable|deadline_exceeded|internal)\]|\breconnecting\W"
    ),
    "tool": (
        r"\bmcp servers? .{0,80}\b(?:failed|timed out)|required mcp server"
        r"|\bhook (?:stopped|blocked|prevented)|^permission refused: "
        r"|\bsandbox (?:error|denied)"
    ),
}
_OF_STATUS: dict[int, ReasonKind] = {
    **dict.fromkeys((402, 429), "quota"),
    **dict.fromkeys((401, 403, 407), "authentication"),
    408: "network",
}
# A status of HTTP, where a message begins with it or says that it is one.
_STATUS = (
    r"(?:^(?:\w*error: ?)?|\bstatus(?: code)?[:= ]{1,3}|\bhttp(?:/\d(?:\.\d)?)? "
    r"|\bapi error(?: \([^)]{0,80}\))?: )([45]\d\d)\b"
)


def set_reason_kind(
    end: End, names: Iterable[object] = (), message: str | None = None
) -> End:
    """Set the kind of the reason why a run ended; return the end.

    `names` are those that the log gives the reason, the plainest first; `message` is
    its message, if that is not the reason itself.
    """
    words = plain_reason(end) if message is None else message
    end.reason_kind = kind_of(end.state, words, names, is_online=not end.interrupted)
    return end


def kind_of(
    state: State | None,
    message: str,
    names: Iterable[object] = (),
    *,
    is_online: bool = True,
) -> ReasonKind:
    """Return the kind of the reason why a run ended in a state; "" for none."""
    if state in (None, "success"):
        return ""
    for name in names:
        if kind := _kind_of_name(name):
            return kind
    if kind := _kind_of_message(message):
        return kind
    if state == "error":
        return "agent"
    return "cut" if is_online else "network"


def names_in(recorded: object) -> Iterator[object]:
    """Yield the names of a recorded error and of the errors inside it.

    A status of HTTP comes first: it says more than a name does.
    """
    names: list[object] = []
    for _ in range(_DEEPEST):
        if not isinstance(recorded, dict):
            names.append(recorded)
            break
        yield from (recorded[name] for name in _STATUSES if name in recorded)
        names += (recorded[name] for name in _CALLED if name in recorded)
        inner = [name for name in _INSIDE if isinstance(recorded.get(name), dict)]
        if not inner and len(recorded) == 1:
            # The name of an error, and its details.
            inner = [*recorded]
            names += inner
        if not inner:
            break
        recorded = recorded[inner[0]]
    yield from names


def plain_reason(end: End | Run) -> str:
    """Return the recorded reason; its last message, if it is all messages joined."""
    return end.last_words or end.reason


def reason_in_words(end: End | Run, language: str = "en") -> str:
    """Return why a run ended, in words for people; "" if it succeeded, or nobody knows.

    A run that was cut off has the reason for that, in a language, unless the log says
    it.
    """
    if end.state in (None, "success"):
        return ""
    if end.state == "error" or end.reason:
        return one_line(plain_reason(end))
    # The connection counts most.
    cut = next(
        cut
        for cut in CUTS
        if cut.interrupted == end.interrupted
        and (cut.interrupted or cut.state == end.state)
    )
    return phrases_in(language)["ends of runs"][cut.name]


def _kind_of_name(name: object) -> ReasonKind:
    if isinstance(name, str) and name.isdecimal():
        name = int(name[:4])
    if isinstance(name, int):
        return _kind_of_status(name)
    return _BY_NAME.get(name.lower(), "") if isinstance(name, str) else ""


def _kind_of_status(status: int) -> ReasonKind:
    is_of_server = 500 <= status < 600
    return _OF_STATUS.get(status, "network" if is_of_server else "")


def _kind_of_message(message: str) -> ReasonKind:
    if not (text := message[:_LONGEST]):
        return ""
    found = compiled(_STATUS, re.IGNORECASE).search(text)
    if found and (kind := _kind_of_status(int(found[1]))):
        return kind
    for named, words in _WORDS.items():
        if compiled(words, re.IGNORECASE).search(text):
            return named
    return ""
