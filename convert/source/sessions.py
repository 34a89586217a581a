"""Where agents keep the sessions of this machine, their short ids, and their ends.

A path that does not exist may mean a similar one, or one of these sessions.

STORES is the table of the folders; docs/command-line.md shows it for people. These are
the sources:

Claude Code  code.claude.com/docs/en/claude-directory; the second folder, which builds
             of 2025 used: mintlify.com/ryoppippi/ccusage/configuration/custom-paths
Codex        github.com/openai/codex: codex-rs/rollout/src, of which compression.rs has
             the names of files, and issue 45251 the folder of archived sessions
Cursor       cursor.com/docs/cli/reference/configuration for the variables; databases:
             github.com/kenn-io/agentsview, issue 1515 and pull request 1664;
             transcripts: github.com/getagentseal/codeburn, issue 55
opencode     opencode.ai/v1/docs/troubleshooting; the files of builds before 1.2:
             github.com/gricha/perry, pull request 168

A session's file is found by its name, and its time of change comes from its folder. So
5,000 sessions are in order before the first of them is opened.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator

from msgspec import Struct

from convert.source.lines import MAGIC, MARKED, is_whole, open_file
from convert.source.places import Walk, similar_path, without_subagents
from convert.wording.digests import blake2b
from convert.wording.paths import COMPRESSED, joined

_TRANSCRIPTS = r"[^/]+/agent-transcripts/(?!.*/subagents/).+\.(?:jsonl|txt)"
_WINDOWS, _MACOS = sys.platform == "win32", sys.platform == "darwin"


class Store(Struct, frozen=True):
    """A folder in which an agent keeps its sessions."""

    agent: str

    variable: str
    """The environment variable that names another folder; "" if none does."""

    usual: str
    """The folder without that variable."""

    below: str
    """The path of the sessions in that folder."""

    files: str
    """A pattern for the paths of the files of sessions there."""

    format: str = ""
    """The format of these files; "" if it is not read."""

    noun: str = ""
    """The word for a file that is not read, and why it is not."""

    why: str = ""
    holds_many: bool = False
    """One such file holds an unknown number of sessions."""

    @property
    def folder(self) -> str:
        """The folder of the sessions, by the environment of this process."""
        named = os.environ.get(self.variable) or os.path.expanduser(self.usual)
        return os.path.join(named, *self.below.split("/")) if self.below else named


# The settings of Cursor's editor are where those of any application are.
_OF_EDITOR = (
    ("APPDATA", "~/AppData/Roaming")
    if _WINDOWS
    else ("", "~/Library/Application Support")
    if _MACOS
    else ("XDG_CONFIG_HOME", "~/.config")
)
_CLAUDE, _CODEX = (
    r"[^/]+/(?!agent-)[^/]+\.jsonl",
    r"(?:.+/)?rollout-.+\.jsonl(?:\.zst)?",
)
_DATABASE = "in a database"
STORES = (
    Store(
        *("Claude Code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects", _CLAUDE),
        "claude-session",
    ),
    Store(
        *("Claude Code", "", "~/.config/claude", "projects", _CLAUDE),
        "claude-session",
    ),
    Store("Codex", "CODEX_HOME", "~/.codex", "sessions", _CODEX, "codex-rollout"),
    Store(
        *("Codex", "CODEX_HOME", "~/.codex", "archived_sessions", _CODEX),
        "codex-rollout",
    ),
    Store(
        *("Cursor", "CURSOR_CONFIG_DIR", "~/.cursor", "chats", r".+/store\.db"),
        noun="chat",
        why=_DATABASE,
    ),
    Store(
        *("Cursor", "XDG_CONFIG_HOME", "~/.config", "cursor/chats", r".+/store\.db"),
        noun="chat",
        why=_DATABASE,
    ),
    Store(
        *("Cursor", "CURSOR_CONFIG_DIR", "~/.cursor", "projects", _TRANSCRIPTS),
        noun="transcript",
        why="without the results of calls",
    ),
    Store(
        *("Cursor", *_OF_EDITOR, "Cursor/User/globalStorage", r"state\.vscdb"),
        noun="chat",
        why=_DATABASE,
        holds_many=True,
    ),
    Store(
        *("opencode", "XDG_DATA_HOME", "~/.local/share", "opencode"),
        r"opencode(?:-[^/]+)?\.db",
        noun="session",
        why=_DATABASE,
        holds_many=True,
    ),
    Store(
        *("opencode", "XDG_DATA_HOME", "~/.local/share", "opencode/storage"),
        r"session/.+/ses_[^/]+\.json",
        noun="session",
        why="in a file for each message",
    ),
)


LONGEST_NAME = 40


class Session(Struct, frozen=True):
    """The log of a run or of several, which nobody has opened yet."""

    path: str

    id: str
    """Eight digits that stay, whatever else comes and goes."""

    folder: str
    """The folder that was named and holds it; "" for one of the agents' own."""

    changed_ns: int
    """When it, or the file of one of its subagents, changed last, in ns since 1970."""

    size: int
    """The bytes of all its files."""

    identity: tuple[int, int]
    """The device and the inode of its file."""

    format: str = "auto"

    @property
    def name(self) -> str:
        """The name by which commands open it: `@3f0c6a52`, `logs/@3f0c6a52`."""
        return joined(self.folder, f"@{self.id}") if self.folder else f"@{self.id}"

    @property
    def shown_name(self) -> str:
        """The path in a folder that was named, if it is short and has no id in it."""
        is_path = self.folder and len(self.path) <= LONGEST_NAME
        return self.path if is_path and not _whole_id(self.path) else self.name

    def has_id(self, begin: str) -> bool:
        """Return True if its short id begins so, or the whole id in its file's name."""
        return self.id.startswith(begin) or _whole_id(self.path).startswith(begin)


def sessions_in(walk: Walk, folders: list[str]) -> list[Session]:
    """Return the sessions in folders, or in those of the agents; the newest first."""
    found: dict[tuple[int, int], Session] = {}
    places: list[tuple[str, str, Store | None]] = [
        (each, each, None) for each in folders
    ]
    if not places:
        places = [
            (store.folder, "", store)
            for store in STORES
            if store.format and os.path.isdir(store.folder)
        ]
    for place in places:
        for session in _in_folder(walk, *place):
            # Two folders may be one, by a link, or one inside the other.
            found.setdefault(session.identity, session)
    # Two sessions of one moment stay in one order.
    return sorted(found.values(), key=lambda each: (-each.changed_ns, each.path))


def _in_folder(
    walk: Walk, folder: str, shown: str, store: Store | None
) -> Iterator[Session]:
    """Yield the sessions in a folder, those of subagents as parts of others."""
    files = [*walk.every_file(folder)]
    logs = without_subagents(files)
    if store is not None:
        logs = [path for path in logs if re.fullmatch(store.files, "/".join(path))]
        # Codex compresses an old session, and then removes the other file.
        plain = {*logs}
        logs = [path for path in logs if (*path[:-1], path[-1][:-4]) not in plain]
    parts = _parts_of_sessions({*files}.difference(logs))
    for path in logs:
        whole = joined(folder, *path)
        beside = parts.get((*path[:-1], path[-1].partition(".")[0]), ())
        try:
            states = [
                os.stat(each) for each in (whole, *(joined(folder, *p) for p in beside))
            ]
        except OSError:
            # It is gone in the meantime.
            continue
        yield Session(
            whole,
            short_id("/".join(path)),
            shown,
            max(state.st_mtime_ns for state in states),
            sum(state.st_size for state in states),
            (states[0].st_dev, states[0].st_ino),
            store.format if store else "auto",
        )


def _parts_of_sessions(
    files: set[tuple[str, ...]],
) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the files of subagents by the folder of their session."""
    parts: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path in files:
        if "subagents" in path[1:]:
            parts.setdefault(path[: path.index("subagents", 1)], []).append(path)
    return parts


class Unread(Struct, frozen=True):
    """Sessions that are there and in a format that is not read."""

    store: Store

    files: int

    @property
    def count(self) -> int | None:
        """The number of sessions; None if a file holds many."""
        return None if self.store.holds_many else self.files


def unread_sessions() -> Iterator[Unread]:
    """Yield the sessions that agents keep in a form that is not read."""
    for store in STORES:
        if not store.format and os.path.isdir(store.folder):
            paths = map("/".join, Walk().every_file(store.folder))
            if files := sum(bool(re.fullmatch(store.files, path)) for path in paths):
                yield Unread(store, files)


_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
ID = r"[0-9a-fA-F]{3}[0-9a-fA-F-]{0,33}"
"""A pattern for the id of a session, or for its begin."""


def with_id(sessions: list[Session], begin: str) -> list[Session]:
    """Return the sessions that an id, or the begin of one, names."""
    if not re.fullmatch(ID, begin):
        return []
    begin = begin.lower()
    exact = [session for session in sessions if session.id == begin]
    return exact or [session for session in sessions if session.has_id(begin)]


_NEWEST = ("last", "latest", "newest")


def name_meant(word: str) -> str | None:
    """Return the name of the run on this machine that a word without @ means."""
    if word.lower() in _NEWEST:
        return "@1"
    if re.fullmatch(ID, word) and any(map(str.isdigit, word)):
        match with_id(sessions_in(Walk(), []), word):
            case [session]:
                return session.name
    return None


def log_meant(path: str) -> str | None:
    """Return a path that is there, or the name of a run, for a path that is not."""
    return similar_path(path) or name_meant(path)


def _whole_id(path: str) -> str:
    """Return the id of a session in the name of its file; "" without one."""
    found: list[str] = re.findall(_UUID, path.rpartition("/")[2])
    return found[-1] if found else ""


def short_id(path: str) -> str:
    """Return eight digits that name a log, by its path in its folder.

    They are those of the session if its id is in the name of the file, so that it may
    be moved, else those of the path.
    """
    base, suffix = os.path.splitext(path)
    path = base if suffix in COMPRESSED else path
    if id := _whole_id(path):
        # Ids of version 7 begin with the time, which many sessions share.
        return id[-8:] if id[14] == "7" else id[:8]
    return blake2b(path.encode(errors="surrogateescape"), digest_size=4).hexdigest()


RUNNING = 60
"""A log without an end that changed in the last seconds is that of a running run."""

# In seconds; clocks differ.
_OLD = 3600


def seconds_since_change(path: str, last_ms: int | None) -> int | None:
    """Return how long ago a file changed; None unless a run may still write to it.

    A copy of an old log changed now, and its last time is long ago.
    """
    now = time.time()
    if last_ms is not None and abs(now - last_ms / 1e3) > _OLD:
        return None
    with contextlib.suppress(OSError, ValueError):
        seconds = now - os.stat(path).st_mtime
        return int(seconds) if 0 <= seconds < RUNNING else None
    return None


# In bytes: how much is read first, and the most of the first lines.
_PIECE, _LONGEST_HEAD = 1 << 11, 1 << 16
_LONGEST_LINE = 1 << 20
_EVERY_MAGIC = tuple(magic for kind in MAGIC.values() for magic in kind)


def head_of(path: str) -> Iterator[bytes]:
    """Yield the first lines of a log, up to 64 kB or one line.

    The first piece is small, and each has twice the size of the one before it.
    """
    with _opened(path) as file:
        held = b""
        begin = 0
        while begin < _LONGEST_HEAD:
            piece = _read(file, begin + len(held), max(_PIECE, begin + len(held)))
            held += piece
            end = held.rfind(b"\n") + 1
            is_packed = not begin and held.startswith(_EVERY_MAGIC)
            if not piece or is_packed or (not end and len(held) >= _LONGEST_LINE):
                yield held
                return
            if end:
                yield held[:end]
                begin += end
                held = b""


def tail_of(path: str, length: int) -> bytes:
    """Return the last lines of a log, of which one is a whole object of JSON.

    They are as long as asked for, or as much as that line needs. Nothing is returned
    for a log without such a line, which is compressed or in another form. The first
    mark of a log that has some is above them.
    """
    with _opened(path) as file:
        size = os.fstat(file).st_size
        while True:
            begin = max(size - length, 0)
            tail = _read(file, begin, size - begin)
            if begin:
                tail = tail[tail.find(b"\n") + 1 or len(tail) :]
            lines = tail.split(b"\n")[-3:]
            if any(line[:1] == b"{" and is_whole(line) for line in lines):
                is_marked = begin and _read(file, 0, len(MARKED)) == MARKED
                return MARKED + b"}\n" + tail if is_marked else tail
            if not begin or length >= _LONGEST_LINE:
                return b""
            length *= 2


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    file = open_file(path, lambda _: "")
    try:
        yield file
    finally:
        os.close(file)


def _read(file: int, at: int, count: int) -> bytes:
    os.lseek(file, at, os.SEEK_SET)
    return os.read(file, count)
