"""What the calls of each kind show: one function a kind, and one table of them.

A function is given the arguments and the output of a call as `Fields` and says to
`Shown` what a reader gets. A kind that is not in the table shows both as JSON.
"""

from __future__ import annotations

from collections.abc import Callable

from convert.transcript.fields import Fields
from convert.transcript.kinds import (
    files,
    messages,
    plans,
    search,
    servers,
    shell,
    subagents,
    web,
)
from convert.transcript.section_builder import SectionBuilder

KINDS: dict[str, Callable[[Fields, Fields, SectionBuilder], None]] = {
    "read": files.read,
    "edit": files.edit,
    "write": files.write,
    "delete": files.delete,
    "ls": files.ls,
    "applyAgentDiff": files.apply_agent_diff,
    "blameByFilePath": files.blame_by_file_path,
    "aiAttribution": files.ai_attribution,
    "shell": shell.shell,
    "await": shell.wait,
    "writeShellStdin": shell.write_shell_stdin,
    "grep": search.grep,
    "glob": search.glob,
    "semSearch": search.sem_search,
    "readLints": search.read_lints,
    "updateTodos": plans.todos,
    "readTodos": plans.todos,
    "createPlan": plans.create_plan,
    "askQuestion": plans.ask_question,
    "switchMode": plans.switch_mode,
    "task": subagents.task,
    "webSearch": web.web_search,
    "webFetch": web.web_fetch,
    "fetch": web.fetch,
    "mcp": servers.mcp,
    "getMcpTools": servers.get_mcp_tools,
    "listMcpResources": servers.list_mcp_resources,
    "readMcpResource": servers.read_mcp_resource,
    "generateImage": messages.generate_image,
    "computerUse": messages.computer_use,
    "reflect": messages.reflect,
    "communicateUpdate": messages.communicate_update,
    "sendFinalSummary": messages.send_final_summary,
    "sendMessage": messages.send_message,
    "prManagement": messages.pr_management,
}
