"""The tools and arguments that settings name: a mistyped one is refused.

A name is right if the table of tools has it or one of the logs. Names with wildcards,
and those of the tools of servers and functions, cannot be checked.
"""

from __future__ import annotations

from collections.abc import Iterable

from convert.diff.effects import EDITS, EFFECT
from convert.diff.trajectory import Trajectory
from convert.options.option_set import invalid_value
from convert.options.settings import Settings
from convert.tools.arguments import known_arguments, noise_members
from convert.tools.every_tool import FOREIGN, NOISE
from convert.tools.table import TOOLS
from convert.wording.nearest import nearest

_OTHER_TOOLS = (
    "no such tool in the logs; see runconv diff --list tools, and write function:NAME"
    " for a function"
)


def check_names(settings: Settings, runs: list[Trajectory]) -> None:
    """Raise UsageError for a name that neither the tables nor the runs know."""
    for tool in settings.allow_extra:
        _check_tool(tool, tool, "--allow-extra", runs)
    found = {name for run in runs for name in run.found_arguments}
    for option, names in (
        ("--ignore-arg", settings.ignore_arg),
        ("--keep-arg", settings.keep_arg),
    ):
        for name in names:
            _check_tool(name.partition(".")[0], name, option, runs)
            if name not in found:
                _check_argument(name, option)


def _check_tool(tool: str, value: str, option: str, runs: list[Trajectory]) -> None:
    prefix, colon, _ = tool.partition(":")
    is_foreign = colon and prefix in FOREIGN
    if is_foreign or _is_pattern(tool) or tool in TOOLS or tool in _made(runs):
        return
    near = tool.removesuffix("ToolCall")
    if near not in TOOLS:
        near = nearest(tool, {*TOOLS, *_made(runs)}) or ""
    if not near and colon and (server := nearest(prefix, FOREIGN)):
        near = tool.replace(prefix, server, 1)
    meant = value.replace(tool, near, 1)
    advice = f"did you mean {meant}?" if near else _OTHER_TOOLS
    raise invalid_value(option, value, advice)


def _check_argument(name: str, option: str) -> None:
    tool, _, path = name.partition(".")
    member = path.partition(".")[0]
    known = known_arguments(tool)
    if known and option == "--keep-arg":
        # It names a member wherever it is.
        known |= noise_members(tool)
    if tool in EDITS:
        known.add(EFFECT)
    if not known or member in known or member == "*":
        return
    if near := nearest(member, known):
        meant = path.replace(member, near, 1)
        advice = f"did you mean {tool}.{meant}?"
    else:
        own = sorted(known - {*NOISE.arguments})
        advice = f"no such argument in the logs; {tool} has {', '.join(own)}"
    raise invalid_value(option, name, advice)


def _made(runs: Iterable[Trajectory]) -> set[str]:
    """Return the names of the tools of all calls, also up to their first dot."""
    names = {name for run in runs for call in run.all_calls for name in call.names}
    return names | {name.partition(".")[0] for name in names}


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name
