"""Files and objects that are read, replaced or removed whole."""

from __future__ import annotations

import os
from collections.abc import Iterable

from convert.cli.destination import named_output
from convert.errors import InputError, OutputError
from convert.storage import is_url, shown


def content_of(path: str) -> bytes | None:
    """Return the content of a file or an object at a URL; None if there is none.

    Raises InputError for what cannot be read.
    """
    if is_url(path):
        from convert.storage.reading import content_at

        return content_at(path, shown(path))
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputError(f"cannot read {path}: {why}; check the path") from error


def replace_content(path: str, content: bytes, option: str = "-o") -> None:
    """Let a file or an object have this content, or stay as it is.

    Raises OutputError, which advises another place with `option`.
    """
    with named_output(
        path, follows_link=False, show_on=lambda _: None, option=option
    ) as output:
        output.write(content)
        output.is_wanted = True


def remove_all(paths: Iterable[str]) -> None:
    """Remove files or objects; raises OutputError for one that stays."""
    for path in paths:
        if is_url(path):
            from convert.storage.writing import remove

            remove(path)
            continue
        try:
            os.unlink(path)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise OutputError(f"cannot remove {path}: {why}") from error
