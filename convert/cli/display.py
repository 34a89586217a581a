"""What makes output harmless where a terminal or the log of a runner displays it."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

from convert.wording import sanitise
from convert.wording.sanitise import ShownAs

Escape = Callable[[str], str]


def escape_for_display(shown_as: ShownAs, is_terminal: bool) -> Escape | None:
    """Return what has to be done to output; None for nothing."""
    escapes = [escape_for_terminal(shown_as)] if is_terminal else []
    if (for_runner := escape_for_runner(shown_as)) is not None:
        escapes.append(for_runner)
    if not escapes:
        return None
    return lambda text: functools.reduce(
        lambda done, escape: escape(done), escapes, text
    )


def escape_for_terminal(shown_as: ShownAs) -> Escape:
    """Return what escapes the characters that control a terminal."""
    if shown_as == "json":
        return sanitise.escape_controls_in_json
    return sanitise.escape_controls


def escape_for_runner(shown_as: ShownAs) -> Escape | None:
    """Return what escapes the commands of a runner; None unless it shows the output."""
    if os.environ.get("GITHUB_ACTIONS") != "true" or shown_as == "bytes":
        return None
    if shown_as == "json":
        return sanitise.escape_runner_commands_in_json
    return sanitise.escape_runner_commands
