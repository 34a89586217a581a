"""Files: reading, changing and listing them."""

from __future__ import annotations

from convert.tools.row import Noise, SubjectArguments, Tool

_FILE = ("path", "filePath")

ROWS = {
    "read": Tool(
        subject=SubjectArguments(verb="Read", paths=_FILE),
        effect="looks",
        lane="look",
        label="read",
        noise=None,
        text_member="content",
        transcript="files.read",
    ),
    "edit": Tool(
        subject=SubjectArguments(verb="Edited", paths=_FILE),
        effect="acts",
        lane="edit",
        label="edit",
        noise=None,
        text_member="message",
        transcript="files.edit",
    ),
    "write": Tool(
        subject=SubjectArguments(verb="Created", paths=_FILE),
        effect="acts",
        lane="edit",
        label="create",
        noise=None,
        text_member=None,
        transcript="files.write",
    ),
    "delete": Tool(
        subject=SubjectArguments(verb="Deleted", paths=_FILE),
        effect="acts",
        lane="edit",
        label="delete",
        noise=None,
        text_member=None,
        transcript="files.delete",
    ),
    "ls": Tool(
        subject=SubjectArguments(verb="Listed", paths=_FILE),
        effect="looks",
        lane="look",
        label="ls",
        noise=None,
        text_member=None,
        transcript="files.ls",
    ),
    "applyAgentDiff": Tool(
        subject=None,
        effect="acts",
        lane="edit",
        label="apply",
        noise=Noise(arguments=("agentId",)),
        text_member=None,
        transcript="files.apply_agent_diff",
    ),
    "blameByFilePath": Tool(
        subject=SubjectArguments(verb="Read history of", paths=_FILE),
        effect="looks",
        lane="look",
        label="blame",
        noise=None,
        text_member="content",
        transcript="files.blame_by_file_path",
    ),
    "aiAttribution": Tool(
        subject=None,
        effect="looks",
        lane="look",
        label="origin",
        noise=None,
        text_member="attributionText",
        transcript="files.ai_attribution",
    ),
}
