"""Messages, images and reports for people."""

from __future__ import annotations

from convert.tools.row import Tool

ROWS = {
    "communicateUpdate": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="say",
        noise=None,
        text_member=None,
        transcript="services.communicate_update",
    ),
    "sendFinalSummary": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="say",
        noise=None,
        text_member=None,
        transcript="services.send_final_summary",
    ),
    "sendMessage": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="send",
        noise=None,
        text_member=None,
        transcript="services.send_message",
    ),
    "generateImage": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="image",
        noise=None,
        text_member=None,
        transcript="services.generate_image",
    ),
    "recordScreen": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="record",
        noise=None,
        text_member=None,
        transcript="services.record_screen",
    ),
    "computerUse": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="screen",
        noise=None,
        text_member=None,
        transcript="services.computer_use",
    ),
    "truncated": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="tool",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
}
