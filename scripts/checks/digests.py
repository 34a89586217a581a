"""Digests of all that a tree makes of some logs, for scripts/same-output."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import convert
from convert import formats
from convert.errors import RunconvError
from convert.options import Reading

# The events of a reader, as a target of their own.
_EVENTS = "events"
# Options that lead to other code than the defaults do.
_FULL = {"tool_output": "full", "thinking": True, "front_matter": True}
_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "text": [{}, {"detail": True, "answer": True, "language": "de"}],
    "markdown": [{}, _FULL, {"max_bytes": 6_000}, {"tool_output": "none"}],
}
_PIECE = 997


def main() -> None:
    """Print a line for each output: the log, the target, how, and the digest."""
    tree, folder = map(Path, sys.argv[1:3])
    if not Path(convert.__file__).is_relative_to(tree):
        sys.exit(f"{tree} has no package convert")
    only = [*filter(None, sys.argv[3].split(","))]
    targets = only or [_EVENTS, *formats.writers()]
    warnings.simplefilter("ignore")
    for number, name in enumerate((folder / "names").read_text().splitlines()):
        for target in targets:
            for options in _OPTIONS.get(target, [{}]):
                for redact in (False, True):
                    log = _log(folder / name, number)
                    found = digest(log, target, redact, options)
                    how = "-".join(map(str, options.values())) or "plain"
                    redacted = "redacted" if redact else "whole"
                    print(f"{name} {target} {how} {redacted} {found}")


def _log(path: Path, number: int) -> str | bytes | Iterable[bytes]:
    """Return a log as a file, as bytes, or in pieces, which can only be read once."""
    match number % 3:
        case 0:
            return pieces(path.read_bytes())
        case 1:
            return str(path)
    return path.read_bytes()


def pieces(content: bytes) -> Iterable[bytes]:
    """Yield a log as a pipe might."""
    for at in range(0, len(content), _PIECE):
        yield content[at : at + _PIECE]


def digest(
    log: str | bytes | Iterable[bytes],
    target: str,
    redact: bool,
    options: dict[str, Any],
) -> str:
    """Return the digest of an output, and of its warnings and its error."""
    digest = hashlib.blake2b(digest_size=12)
    said: list[tuple[Any, ...]] = []

    def warn(*warning: Any) -> None:
        said.append(warning)

    reading = Reading(redact=redact)
    try:
        if target == _EVENTS:
            for event in convert.read(log, warn=warn, reading=reading):
                digest.update(repr(event).encode(errors="surrogatepass"))
        else:
            for piece in convert.convert(
                log, target, warn=warn, reading=reading, **options
            ):
                digest.update(piece)
    except RunconvError as error:
        said.append((type(error).__name__, error.message))
    except Exception as error:
        said.append((type(error).__name__, str(error)))
    digest.update(repr(said).encode(errors="surrogatepass"))
    return digest.hexdigest()


if __name__ == "__main__":
    main()
