"""Subagents."""

from __future__ import annotations

from convert.tools.row import Noise, SubjectArguments, Tool

ROWS = {
    "task": Tool(
        subject=SubjectArguments(verb="Ran subagent", words=("subagentType", "prompt")),
        effect="acts",
        lane="other",
        label="agent",
        noise=Noise(
            arguments=(
                "agentId",
                "description",
                "machine",
                "model",
                "respondingToMessageIds",
            )
        ),
        text_member="content",
        transcript="plans.task",
    ),
}
