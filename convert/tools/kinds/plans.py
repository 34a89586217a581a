"""Plans, to-do lists, questions and modes."""

from __future__ import annotations

from convert.tools.row import Noise, Tool

ROWS = {
    "updateTodos": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="to-do",
        noise=Noise(arguments=("todos.*.createdAt", "todos.*.updatedAt")),
        text_member=None,
        transcript="plans.update_todos",
    ),
    "readTodos": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="to-do",
        noise=None,
        text_member=None,
        transcript="plans.read_todos",
    ),
    "createPlan": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="plan",
        noise=Noise(
            arguments=(
                "todos.*.createdAt",
                "todos.*.updatedAt",
                "phases.*.todos.*.createdAt",
                "phases.*.todos.*.updatedAt",
            )
        ),
        text_member=None,
        transcript="plans.create_plan",
    ),
    "askQuestion": Tool(
        # A question is asked even if the answer is refused.
        subject=None,
        effect="acts",
        lane="other",
        label="ask",
        noise=Noise(arguments=("asyncOriginalToolCallId",)),
        text_member=None,
        transcript="plans.ask_question",
    ),
    "switchMode": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="mode",
        noise=Noise(arguments=("explanation",)),
        text_member=None,
        transcript="plans.switch_mode",
    ),
    "startGrindPlanning": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="plan",
        noise=Noise(arguments=("explanation",)),
        text_member=None,
        transcript="services.as_json",
    ),
    "startGrindExecution": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="start",
        noise=Noise(arguments=("explanation",)),
        text_member=None,
        transcript="services.as_json",
    ),
    "reflect": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="think",
        noise=None,
        text_member=None,
        transcript="plans.reflect",
    ),
}
