"""Lines and members of JSON that may hold a secret, and the many that hold none."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from convert.redact.finding import find_tokens, words_with_starts
from convert.redact.literals import Words, folded, lowered
from convert.redact.places import literal_rules
from convert.redact.rule import Secret
from convert.redact.values import is_filled, is_label, is_no_name, is_no_placeholder

# With these, a literal may occur in JSON without being seen.
_ESCAPES = ("\\u", "\\/")
# Characters that no terminal shows may be between those that follow a literal.
_HIDDEN = r"[!-\[\]-~]{0,8}(?:\\+[bf]|[^ -~\n])"


def is_escaped(line: str) -> bool:
    """Return True if JSON may hold a literal that is not seen in it."""
    return "\\" in line and any(escape in line for escape in _ESCAPES)


def suspected(lines: list[bytes]) -> bytes:
    """Return for each of some lines of JSON 1 if it may hold a secret, else 0.

    They are searched together, which takes a third of the time.
    """
    marks = bytearray(len(lines))
    text = b"\n".join(lines)
    ends = _ends(lines)
    _mark_places(lines, marks, text, ends)
    _mark_tokens(lines, marks, text, ends)
    return bytes(marks)


def _ends(lines: Iterable[bytes]) -> list[int]:
    """Return where lines end that are joined."""
    return [*itertools.accumulate(len(line) + 1 for line in lines)]


def _mark_places(
    lines: list[bytes], marks: bytearray, text: bytes, ends: list[int]
) -> None:
    """Mark the lines with an escape, or the literal of a place."""
    signs = _signs()
    low = folded(text)
    if len(low) != len(text):
        # A letter that is longer than its small one hardly ever occurs.
        ends = _ends(map(folded, lines))
    doubtful: dict[int, set[str]] = defaultdict(set)
    for number, at in _words().places(low):
        index = bisect.bisect_right(ends, at)
        if marks[index]:
            continue
        literal, follows = signs[number]
        if follows and not _compiled(follows).match(low, at + len(literal)):
            continue
        # It may be something else that was found: a capital U, or an emoji.
        if literal == "\\u" or literal.startswith("?") or not literal.isascii():
            doubtful[index].add(literal)
        else:
            marks[index] = 1
    for index, found in doubtful.items():
        marks[index] = marks[index] or _has_sign(lines[index], found)


def _has_sign(line: bytes, signs: set[str]) -> bool:
    """Return True if a line holds one of some doubtful signs."""
    text = line.decode(errors="replace")
    if is_escaped(text):
        return True
    low = lowered(text)
    return any(sign in low for sign in signs if sign not in _ESCAPES)


def _mark_tokens(
    lines: list[bytes], marks: bytearray, text: bytes, ends: list[int]
) -> None:
    """Mark the lines with a token."""
    last = -1
    for begin, _ in words_with_starts(text):
        index = bisect.bisect_right(ends, begin)
        if index != last and not marks[index]:
            last = index
            line = lines[index].decode(errors="replace")
            marks[index] = any(True for _ in find_tokens(line))


@functools.cache
def _words() -> Words:
    return Words([literal for literal, _ in _signs()], reads_all=True)


@functools.cache
def _signs() -> list[tuple[str, str]]:
    """Return the literals that make a line suspect, each with the pattern after it.

    These are the escapes, and the literals of places and names that hold no other.
    """
    signs = [(escape, "") for escape in _ESCAPES]
    literals = sorted([*_literals(), *OTHER_NAMES], key=lambda each: len(each[0]))
    for literal, follows in literals:
        if not any(sign[0] in literal and _is_in(sign, literal) for sign in signs):
            signs.append((literal, follows))
    return signs


@functools.cache
def _compiled(follows: str) -> re.Pattern[bytes]:
    """Return the pattern after a literal, also with hidden characters inside."""
    return re.compile(f"{follows}|{_HIDDEN}".encode(), re.IGNORECASE)


def _literals() -> Iterator[tuple[str, str]]:
    """Yield the literals of places, each with the pattern that follows in all rules."""
    for rules in literal_rules():
        follows = {rule.follows for group in rules.groups for _, rule in group.rules}
        is_open = rules.words or "" in follows
        yield rules.literal, "" if is_open else "|".join(sorted(follows))


def _is_in(sign: tuple[str, str], literal: str) -> bool:
    """Return True if a text with a literal that holds a sign has that as well."""
    held, follows = sign
    end = literal.find(held) + len(held)
    return not follows or bool(_compiled(follows).match(literal.encode(), end))


# Versions, and the words of manifests and schemas.
_NO_SECRET = re.compile(
    r"[\^~<>=v]{0,2}\d{1,4}(?:\.[\dx*]{1,6}){1,3}[\w.+-]{0,32}"
    r"|string|text|number|boolean|required|optional|include|omit|same-origin|identifier"
    r"|password|token|secret|key|plain|none|login|env|config|default|bearer|basic",
    re.DOTALL,
)
# `password`, `DB_PASSWORD`, `x-api-key`, `clientSecret`; not `apiKeySource`.
_NAME = re.compile(
    r"(?:.{0,64}[_.\- ])?(?i:passwords?|passwd|passphrase|passcode|pass|pwd|secret"
    r"|token|credentials?|private|authtoken|_auth|apikeys?"
    r"|(?:api|access|secret|private|auth|signing|encryption|account|license|master"
    r"|subscription|storage|service|client|shared|app|ssh|deploy)[_-]?key"
    r"|authorization|connection[_-]?string|webhook[_-]?url)(?:[_-]?\d{1,2})?"
    r"|.{0,64}[a-z0-9](?:Password|Passphrase|Passwd|Pass|Pwd|Secret|Token|ApiKey|APIKey"
    r"|AccessKey|SecretKey|PrivateKey|AuthKey|Credentials)"
    r"|(?P<auth>auth)|(?P<cookie>(?i:cookie|set-cookie))"
)
_NAMED = "password"
# People choose these; programs make tokens and keys.
_PASSWORD = re.compile("(?i)pass|pwd")
# A field of a page: `#password`, `input[name=token]`, `Password of the admin`.
_FIELD = re.compile(
    r"(?i)(?<![a-z])(?:pass(?:word|wort|wd|phrase|code)?|pwd|secret|token|api.?key)(?![a-z])"
)
_LONGEST = 128
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
# The words of such names that hold no literal of a place, in small letters, each with
# the pattern that follows it in JSON.
_END = r"(?:[_-]?\d{1,2})?\\*\""
OTHER_NAMES = (
    *(("cookie", _END), ("private", _END)),
    *(("connection", "[_-]?string"), ("webhook", "[_-]?url")),
)
# Each such name holds one of these words, in small letters.
_WORDS = (
    *("pass", "pwd", "secret", "token", "credential", "private", "string", "webhook"),
    *("key", "auth", "cookie"),
)


def may_name_secret(text: str) -> bool:
    """Return True if a text may hold the name of such a member."""
    text = text.lower()
    return any(word in text for word in _WORDS)


def secret_in_member(name: str, value: str) -> list[Secret]:
    """Return the value of a member as a secret if its name says so, else nothing.

    A placeholder (`$TOKEN`, `<key>`) is no secret. A package may be called cookie, so
    the value of `cookie` is a secret only if it sets one (`name=...`).
    """
    kind = _kind(name)
    if not kind or not is_no_placeholder(value) or _NO_SECRET.fullmatch(value):
        return []
    if kind == _NAMED and _is_name(name, value):
        return []
    is_telling = (kind != "cookie" or "=" in value) and (
        kind != "auth" or (_BASE64.fullmatch(value) and not value.islower())
    )
    named = _NAMED if kind == "auth" else kind
    return [Secret(0, len(value), named, is_weak=True)] if is_telling else []


def _is_name(member: str, value: str) -> bool:
    """Return True for a translation of the name, or a token that a program names."""
    if _PASSWORD.search(member):
        return is_label(value)
    return not is_no_name(value)


def secret_in_field(field: str, value: str) -> list[Secret]:
    """Return the text typed into a field of a page as a secret if it asks for one."""
    is_asked_for = len(value) <= _LONGEST and _FIELD.search(field)
    is_secret = is_asked_for and is_filled(value)
    return [Secret(0, len(value), "password")] if is_secret else []


@functools.lru_cache(maxsize=10_000)
def _kind(name: str) -> str:
    # A name with a slash is that of a package.
    match = None if "/" in name else _NAME.fullmatch(name)
    return (match.lastgroup or _NAMED) if match else ""
