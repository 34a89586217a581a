"""Paths and URLs as people read them, their parts, and names without credentials.

A path in a log is shown below the directory of its run, or its home. macOS has two
names for some directories, and Windows takes `\\` for `/` and ignores the case of
letters. The logs of both mix the spellings.

A path that begins with a scheme, as in `s3://bucket/run.ndjson`, is a URL. All others
are paths of this machine, and so is a path that begins with `file://`. A name shows no
credentials: those before an `@`, and a query, a fragment or a parameter after `;`,
which may be a signature.
"""

from __future__ import annotations

import functools
import itertools
import os
import posixpath
import re

from convert.wording import compiled
from convert.wording.escapes import truncate

# A component of a path in running text.
NAME = r"[^/\\\s\"'`:;,]+"
# The home of a user at the start of a directory.
HOME = rf"(?:/(?:home|Users)/{NAME}|/root|[A-Za-z]:[/\\]Users[/\\]{NAME})(?=[/\\]|$)"
_ALIASES = ("/private/tmp/", "/private/var/")
# The longest name that file systems allow, in characters.
_LONGEST_NAME = 255


def relative(path: str, directory: str) -> str:
    """Return a path relative to a directory if it is inside, else unchanged."""
    return _below(path, directory, ".") or path


class Place:
    """The place of a file, whatever the spelling of its path."""

    # No struct: the help asks for paths, and does not wait for msgspec.
    __slots__ = ("key", "name")

    def __init__(self, key: str, name: str | None) -> None:
        self.key = key
        """Equal for two spellings of one path."""
        self.name = name
        """The path inside the directory of the run; None if the file is outside."""


@functools.lru_cache(maxsize=4096)
def place_of(path: str, directory: str) -> Place:
    """Return the place of a file of a run in a directory, which may be ""."""
    path = _with_drive(path, directory)
    is_windows = has_drive(path) or has_drive(directory)
    if is_windows or not directory:
        path, directory = path.replace("\\", "/"), directory.replace("\\", "/")
    base = without_alias(posixpath.normpath(directory)) if directory else ""
    if not is_absolute(path):
        path = posixpath.join(directory, path)
    full = without_alias(posixpath.normpath(path))
    key = full.lower() if is_windows else full
    return Place(key, _inside(full, base, is_windows))


def _with_drive(path: str, directory: str) -> str:
    """Return a path that Git Bash begins with `/c/` with its drive."""
    is_drive = path[:1] == "/" == path[2:3] and path[1].isalpha()
    return f"{path[1]}:{path[2:]}" if is_drive and has_drive(directory) else path


def _inside(path: str, base: str, is_windows: bool) -> str | None:
    """Return a path relative to a directory; None if it is not inside."""
    if not base:
        is_outside = is_absolute(path) or path.split("/")[0] == ".."
        return None if is_outside else path
    above = base.rstrip("/") + "/"
    begin = path[: len(above)]
    is_inside = begin.lower() == above.lower() if is_windows else begin == above
    return path[len(above) :] if is_inside else None


def is_absolute(path: str) -> bool:
    """Return True for a path that does not depend on the directory of the run."""
    return path[:1] == "/" or path[:2] == "~/" or has_drive(path)


@functools.lru_cache(maxsize=4096)
def readable_path(path: str, directory: str) -> str:
    """Return a path for people, in a run with a directory, which may be "".

    It is relative to the directory or has `~` for the home around that. A leading `./`
    is dropped, and a path of Windows has slashes.
    """
    path = _with_drive(path, directory)
    if "\\" in path and (has_drive(directory) or has_drive(path) or path[0] == "."):
        path = path.replace("\\", "/")
    if path[:1] != "/" and path[1:2] != ":":
        return path.removeprefix("./") or "."
    inside = _below(path, directory, ".")
    if inside is None and (home := _home_of(directory)):
        below = _below(path, home, "")
        inside = None if below is None else f"~/{below}".rstrip("/")
    return path if inside is None else inside


@functools.lru_cache(maxsize=256)
def _home_of(directory: str) -> str:
    """Return the home around a directory; "" if there is none."""
    home = compiled(HOME).match(directory)
    return home[0] if home else ""


def shorten_path(path: str, longest: int) -> str:
    """Cut the middle of a path, between components; its name stays whole."""
    if len(path) <= longest:
        return path
    parts = path.replace("\\", "/").split("/")
    name = truncate(parts.pop(), _LONGEST_NAME)
    room = longest - len(name) - len("…/")
    head = _fitting(parts, room // 2)
    tail = _fitting(
        parts[len(head) :][::-1], room - sum(len(part) + 1 for part in head)
    )
    return "/".join([*head, "…", *tail[::-1], name])


def _fitting(parts: list[str], room: int) -> list[str]:
    """Return the first components that fit, each with its slash."""
    fitting = []
    for part in parts:
        room -= len(part) + 1
        if room < 0:
            break
        fitting.append(part)
    return fitting


def has_drive(path: str) -> bool:
    """Return True for a path of Windows that names its drive or its server."""
    return path[1:3] in (":\\", ":/") or path[:2] == "\\\\"


def without_alias(path: str) -> str:
    """Return a path without the second name that macOS has for two directories."""
    if f"{path}/".startswith(_ALIASES):
        return path.removeprefix("/private")
    return path


def _below(path: str, directory: str, itself: str) -> str | None:
    """Return a path relative to a directory around it; None if it is not inside."""
    base = _base_of(directory)
    if path.startswith("/private"):
        path = without_alias(path)
    if base[1:2] == ":":
        is_inside = _comparable(path).startswith(_comparable(base))
        separators = "/\\"
    else:
        is_inside = base != "" and path.startswith(base)
        separators = "/"
    if not is_inside:
        return None
    rest = path[len(base) :]
    below = rest.lstrip(separators)
    if not below:
        return itself
    return below if len(below) < len(rest) else None


@functools.lru_cache(maxsize=256)
def _base_of(directory: str) -> str:
    """Return the common beginning of the paths in a directory."""
    return without_alias(directory.rstrip("/\\"))


def _comparable(path: str) -> str:
    # Not casefold, which may change the length, and the prefix is cut off by length.
    return path.replace("\\", "/").lower()


_HIDDEN = "…"
# A secret key may hold a slash or a space that should have been escaped. A host may
# have a port.
_USER = r"(?<=://)(?:[^/@]*:(?s:.*)@|[^/@]+@)"
_USER_OF_HOST = r"(?<=://)/*(?:[^/@]*:(?!\d+(?:/|$))(?s:.*)@|[^/@]+@)"
# In a key of a store, a question mark may be one.
_QUERY = r"\?[^?/=]+=.*"
_MARKED = r"([?#;])[^?#;/=]+=.*"
# Over http, every question mark begins a query.
_QUERY_OF_HOST = r"([?#]).+"
_PARAMETER = r";[^;=/?#]+=[^;/?#]*"
_END = r"(?=[:;,.)\]]*(?:[\s'\"<>]|$))"
_IN_TEXT = rf"[A-Za-z][A-Za-z0-9+.-]+://[^\s'\"<>]+?{_END}"
# A URL that lacks a slash is a path, and a library may quote a part of one.
# fsspec chains schemes, as in `simplecache::https://`.
_CHAIN = r"[A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z][A-Za-z0-9+.-]+)*"
_MISSPELLED = rf"(?!file:)({_CHAIN}:/)(?!/)"
_LONE_USER = r"[^\s/'\"<>:@]+:(?!/)[^\s'\"<>@]+@"
# The same place by another name.
_SCHEMES = {"s3a": "s3", "gcs": "gs", "abfs": "az", "abfss": "az"}
# A file of this machine has no user.
_SCHEME = rf"(?!file://(?![^/]*@)){_CHAIN}://"


def is_url(path: str) -> bool:
    """Return True for a URL; a drive of Windows is no scheme, and a file no URL."""
    return "://" in path and re.match(_SCHEME, path, re.IGNORECASE) is not None


def is_of_process(path: str) -> bool:
    """Return True for a URL that no other process can read or write."""
    return path[:9].lower() == "memory://"


def local_path(path: str) -> str:
    """Return the path of a file that a `file://` URL names, or any other as it is."""
    if path[:7].lower() != "file://" or is_url(path):
        return path
    from urllib.request import url2pathname

    return url2pathname(path.partition("://")[2].removeprefix("localhost"))


def shown(path: str) -> str:
    """Return a path as people see it: a URL without credentials."""
    if is_url(path):
        return without_credentials(path)
    if found := re.match(_MISSPELLED, path) if ":/" in path else None:
        url = without_credentials(f"{found[1]}/{path[found.end() :]}")
        return found[1] + url[found.end() + 1 :]
    return path


def base_name(path: str) -> str:
    """Return the last part of a path, without the query of a URL."""
    if not is_url(path):
        return os.path.basename(path)
    return next((part for part in reversed(parts_of(path)) if part), "")


def joined(folder: str, *parts: str) -> str:
    """Return a path in a folder of this machine or at a URL."""
    if not is_url(folder):
        return os.path.join(folder, *parts)
    return "/".join([folder.removesuffix("/"), *parts])


def scheme_of(url: str) -> str:
    """Return the scheme of a URL in small letters."""
    return url.partition("://")[0].lower()


def is_over_http(url: str) -> bool:
    """Return True for a URL whose server lists no folders and takes no outputs."""
    return scheme_of(url).rpartition("::")[2] in ("http", "https")


def without_credentials(url: str) -> str:
    """Return a URL that shows no credentials."""
    url = _with_user(url, f"{_HIDDEN}@")
    if is_over_http(url):
        url = compiled(_QUERY_OF_HOST, re.DOTALL).sub(rf"\1{_HIDDEN}", url)
        return compiled(_PARAMETER).sub(f";{_HIDDEN}", url)
    return compiled(_MARKED, re.DOTALL).sub(rf"\1{_HIDDEN}", url)


def harmless(text: str) -> str:
    """Return a text whose URLs show no credentials."""
    if ":/" not in text:
        return text
    text = compiled(_IN_TEXT).sub(lambda found: without_credentials(found[0]), text)
    return compiled(_MISSPELLED + _LONE_USER).sub(rf"\1{_HIDDEN}@", text)


def words_of_library(text: str, url: str) -> str:
    """Return what a library says about a URL; "" if it may quote credentials of it."""
    text = compiled(_LONE_USER).sub(f"{_HIDDEN}@", harmless(text))
    return "" if any(secret in text for secret in _secrets_in(url)) else text


def _secrets_in(url: str) -> set[str]:
    """Return the parts of a URL that may be secret, as a library may quote them."""
    from urllib.parse import unquote

    pattern = _USER_OF_HOST if is_over_http(url) else _USER
    user = compiled(pattern).search(url)
    parts = re.split("[:/@]", user[0]) if user else []
    for part in re.split("[?&#;]", url)[1:]:
        parts.append(part.partition("=")[2] or part)
    return {form for part in parts if part for form in (part, unquote(part))}


def parts_of(url: str) -> list[str]:
    """Return the parts of a URL: its host or bucket, and those of its path."""
    return named(url).partition("://")[2].split("/")


def named(url: str) -> str:
    """Return a URL without anything that may be secret."""
    url = _with_user(url, "")
    if is_over_http(url):
        url = re.split(r"[?#]", url, maxsplit=1)[0]
        return compiled(_PARAMETER).sub("", url)
    return compiled(_QUERY, re.DOTALL).sub("", url)


def has_query(url: str) -> bool:
    """Return True for a URL of a store that has more than the name of an object."""
    return compiled(_QUERY, re.DOTALL).search(url) is not None


def _with_user(url: str, user: str) -> str:
    """Return a URL with this instead of credentials before an `@`."""
    # The name before the @ is that of a container there.
    if scheme_of(url) in ("abfs", "abfss"):
        return url
    pattern = _USER_OF_HOST if is_over_http(url) else _USER
    return compiled(pattern).sub(user, url, count=1)


def identity(url: str) -> str:
    """Return the same for two URLs of one object."""
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    if scheme == "memory":
        rest = rest.lstrip("/")
    return f"{_SCHEMES.get(scheme, scheme)}://{rest.rstrip('/')}"


def inside(path: str, folder: str) -> str | None:
    """Return where a path lies below a URL, "" for the same; None if outside."""
    if not is_url(path):
        return None
    one, other = identity(path), identity(folder)
    if one == other:
        return ""
    return one[len(other) + 1 :] if one.startswith(f"{other}/") else None


def shared_folder(paths: list[str]) -> str:
    """Return the beginning that the names of URLs share, to a slash; "" for none.

    A path of this machine shares none with a URL.
    """
    if not all(map(is_url, paths)):
        return ""
    names = [named(path) for path in paths]
    # All that lie between the least and the greatest begin as both of them do.
    pairs = zip(min(names).split("/")[:-1], max(names).split("/")[:-1], strict=False)
    shared = [
        one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    ]
    # The scheme, and nothing between the two slashes, is no folder.
    return "/".join([*shared, ""]) if len(shared) > 2 else ""


COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_LOGS = (".ndjson", ".jsonl", ".json", ".log", ".txt")


def stem_of(name: str) -> str:
    """Return the name of a log without its suffixes, also that of compression."""
    for suffixes in (COMPRESSED, _LOGS):
        without, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = without
    return name


def may_be_log(path: str) -> bool:
    """Return True if a path has a suffix of logs."""
    return stem_of(path) != path


_DOCUMENTS = frozenset(
    {"readme", "license", "changelog", "contributing", "agents", "claude", "makefile"}
)
_SOURCES = (
    *(".toml", ".yaml", ".yml", ".ini", ".cfg", ".lock", ".xml", ".html", ".css"),
    *(".csv", ".tsv", ".sql", ".svg", ".patch", ".diff"),
    *(".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".c", ".h", ".cpp", ".sh"),
)


def is_document(path: str) -> bool:
    """Return True for the name of a file of a project: its code, settings or README."""
    name, suffix = os.path.splitext(base_name(path).lower())
    return suffix in _SOURCES or (suffix in ("", ".md", ".rst") and name in _DOCUMENTS)


def spelled(path: str) -> str:
    """Return the path of a file on one line, with a sign for each character.

    A byte that is no UTF-8 becomes one as well, so that two names stay two. A URL shows
    no credentials.
    """
    if ":/" in path:
        path = shown(path)
    return path if path.isprintable() else path.translate(_spelled())


@functools.cache
def _spelled() -> dict[int, str]:
    """Return the signs for characters that cannot be printed, by their codes."""
    signs = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F)}
    signs |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}
    signs |= {code: f"\\u{code:04x}" for code in range(0x80, 0xA0)}
    return signs | bytes_spelled()


@functools.cache
def bytes_spelled() -> dict[int, str]:
    """Return the signs for bytes of a path that is not UTF-8, as Python decodes it."""
    return {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
