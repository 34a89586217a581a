"""The calls that an item stands for: a tool and its arguments, in the model's words."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.agents.arguments import renamed
from convert.agents.codex.apply_patch import PatchCall, calls_of_patch, patch_in
from convert.agents.tools import NativeCall, call_of, known_names, mcp_call
from convert.formats.codex_rollout.wire import Payload, text

_SHELLS = ("shell", "container.exec", "shell_command", "exec_command")
_PATCH = "apply_patch"
_SERVER = "mcp__"
_PATCH_BEGINS = "*** Begin Patch"
_COMMANDS = {name: call_of(name) for name in _SHELLS}


def calls_of(item: Payload, *, has_arguments: bool = True) -> list[PatchCall]:
    """Return the calls of an item: one, or one for each file of a patch.

    Without arguments, they are read only where they tell what kind of call it is.
    """
    given = item.arguments
    short = None if has_arguments else _COMMANDS.get(text(item.name))
    if short and isinstance(given, str) and _PATCH_BEGINS not in given:
        return [PatchCall(short, None)]
    match item.type:
        case "local_shell_call":
            return _shell("local_shell_call", _action(item.action))
        case "web_search_call":
            return [PatchCall(web_call(item.action, ""), None)]
        case "image_generation_call":
            prompt = {"prompt": text(item.revised_prompt)}
            return [PatchCall(call_of("image_generation", prompt), None)]
        case "tool_search_call":
            return [PatchCall(call_of("tool_search", _members(item.arguments)), None)]
        case "custom_tool_call":
            return _custom(text(item.name), text(item.input))
    return _function(text(item.name), text(item.namespace), _members(item.arguments))


def web_call(action: Any, query: str) -> NativeCall:
    """Return the call that searches the web, or that opens a page of it."""
    match action:
        case {"url": str(url), **rest}:
            pattern = {"pattern": rest["pattern"]} if "pattern" in rest else {}
            arguments = {"url": url, **pattern}
            return NativeCall("webFetch", native="web_search", arguments=arguments)
        case {"query": str(found)}:
            query = query or found
    return call_of("web_search", {"query": query})


def tool_of_server(server: str, tool: str, arguments: Any) -> NativeCall:
    """Return the call of a server's tool."""
    return mcp_call(server, tool, _members(arguments))


def command_call(command: Any, directory: Any) -> NativeCall:
    """Return the call of a command that a script ran."""
    arguments = {"command": command if isinstance(command, str | list) else ""}
    if isinstance(directory, str):
        arguments["workdir"] = directory.removeprefix("file://")
    return call_of("exec_command", arguments)


def _custom(name: str, given: str) -> list[PatchCall]:
    """Return the calls of a tool that is given a text: a patch, or a script."""
    if name == _PATCH:
        return calls_of_patch(given)
    return [PatchCall(_named(name, "", {"input": given}), None)]


def _function(name: str, namespace: str, members: dict[str, Any]) -> list[PatchCall]:
    if name in _SHELLS:
        return _shell(name, members)
    match members:
        case {"input": str(patch)} | {"patch": str(patch)} if name == _PATCH:
            return calls_of_patch(patch)
        case {"chars": "", **rest} if name == "write_stdin":
            return [PatchCall(_wait(rest), None)]
    return [PatchCall(_named(name, namespace, members), None)]


def _shell(name: str, members: dict[str, Any]) -> list[PatchCall]:
    """Return the call of a command, or those of the patch that it applies."""
    call = call_of(name, members)
    command = (call.arguments or {}).get("command")
    given = members.get("command")
    found = patch_in(command) if isinstance(command, str) else None
    if found is None and isinstance(given, list):
        found = patch_in(given)
    if found is None:
        return [PatchCall(call, None)]
    patch, directory = found
    return calls_of_patch(patch, name, directory)


def _named(name: str, namespace: str, members: dict[str, Any]) -> NativeCall:
    """Return the call of a tool by its name, which may be that of a server's tool."""
    if namespace.startswith(_SERVER):
        return mcp_call(namespace[len(_SERVER) :].strip("_"), name, members)
    if name == "spawn_agent" and "message" in members:
        rest = {key: value for key, value in members.items() if key != "message"}
        return call_of(name, {"prompt": members["message"], **rest})
    if name in known_names() or name.startswith(_SERVER):
        return call_of(name, members)
    server, between, tool = name.partition("__")
    if between and server and tool:
        return mcp_call(server, tool, members)
    return call_of(f"{namespace}.{name}" if namespace else name, members)


def _wait(members: dict[str, Any]) -> NativeCall:
    """Return the call that only looks what a process prints."""
    rest = {name: value for name, value in members.items() if name != "session_id"}
    task = {"task_id": str(members["session_id"])} if "session_id" in members else {}
    arguments = renamed("await", {**task, **rest})
    return NativeCall("await", native="write_stdin", arguments=arguments)


def _action(action: Any) -> dict[str, Any]:
    """Return the arguments of a command in the form of the model's own shell."""
    if not isinstance(action, dict):
        return {}
    left_out = ("type", "env", "user")
    members = {name: action[name] for name in action if name not in left_out}
    if "working_directory" in members:
        members["workdir"] = members.pop("working_directory")
    return {name: value for name, value in members.items() if value is not None}


def _members(arguments: Any) -> dict[str, Any]:
    """Return arguments, which are recorded as the text of an object."""
    if isinstance(arguments, str):
        try:
            found = msgspec.json.decode(arguments)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            # The model wrote it; the tool has refused it.
            return {"arguments": arguments} if arguments else {}
        arguments = found
    if isinstance(arguments, dict):
        return arguments
    return {} if arguments is None else {"arguments": arguments}
