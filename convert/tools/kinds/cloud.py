"""Cloud agents, branches, pull requests and bug reports."""

from __future__ import annotations

from convert.tools.row import Tool

ROWS = {
    "setActiveBranch": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="branch",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "prManagement": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="pr",
        noise=None,
        text_member=None,
        transcript="services.pr_management",
    ),
    "editPrLabels": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="labels",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "updatePrCodeTour": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="tour",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "recordCiInvestigationFindings": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="ci",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "reportBug": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="bug",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "reportBugfixResults": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="bugfix",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "fetchCloudAgentData": Tool(
        subject=None,
        effect="looks",
        lane="look",
        label="cloud",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
}
