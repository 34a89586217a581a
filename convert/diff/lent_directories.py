"""The directory of one run for another whose log records none.

A path from the root means the same in both logs. So those of a run without a directory
are compared as if it had worked in that of the other run; elsewhere they stay as they
are.
"""

from __future__ import annotations

import marshal
from typing import Any

from msgspec.structs import replace

from convert.diff.arguments import ArgumentRules
from convert.diff.compared_call import ComparedCall
from convert.diff.forms import ComparedTool, Form, Forms
from convert.diff.normalise import Normaliser
from convert.diff.trajectory import Trajectory
from convert.options.settings import Settings

_ABOUT_FILES = ("read", "edit", "write", "delete", "ls")


def lend_directories(a: Trajectory, b: Trajectory, settings: Settings) -> None:
    """Let each of two runs have the directory of the other one, if it lacks its own."""
    for own, other in ((a, b), (b, a)):
        directory = other.run.directory
        if directory and not other.lent_directory and lacks_directory(own):
            _place(own, directory, settings)


def lacks_directory(run: Trajectory) -> bool:
    """Return True for a run with paths from the root and without a directory."""
    if run.run.directory or run.approved is not None or run.level != "calls":
        return False
    paths = (call.subject for call in run.all_calls if call.kind in _ABOUT_FILES)
    return any(path[:1] == "/" or path[1:2] == ":" for path in paths)


def _place(run: Trajectory, directory: str, settings: Settings) -> None:
    """Spell the strings of a run as if it had worked in a directory."""
    rules = Normaliser(settings, directory)
    forms = Forms(ArgumentRules(settings, rules), rules)
    for call in run.all_calls:
        _respell(call, forms)
    if "cwd" in rules.directories.used:
        run.normaliser, run.lent_directory = rules, directory


def _respell(call: ComparedCall, forms: Forms) -> None:
    tool = ComparedTool(call.kind, call.names, call.common_tool)

    def form_of(kept: bytes, hits: dict[str, int]) -> Form:
        arguments: dict[str, Any] = marshal.loads(kept)
        form = forms.fragment(tool, arguments, b"")
        return replace(form, hits={**hits, **form.hits})

    if call.fragment:
        call.fragment = form_of(call.fragment.kept, call.fragment.hits)
    if call.effect:
        call.effect = form_of(call.effect.kept, call.effect.hits)
    form = call.effect or form_of(call.arguments_kept, call.hits)
    call.compare_by(form)
