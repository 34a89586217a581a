"""Commands in a terminal, and the machine they run on."""

from __future__ import annotations

from convert.tools.row import Noise, SubjectArguments, Tool

ROWS = {
    "shell": Tool(
        subject=SubjectArguments(verb="Ran", words=("command",)),
        effect="command",
        lane="run",
        label="run",
        noise=Noise(
            arguments=(
                "adminCommandDenylist",
                "classifierResult",
                "closeStdin",
                "description",
                "executableCommands",
                "fileOutputThresholdBytes",
                "hardTimeout",
                "hasInputRedirect",
                "hasOutputRedirect",
                "outputNotification",
                "parsingResult",
                "redirects",
                "simpleCommands",
                "timeout",
                "timeoutBehavior",
            ),
            # The result repeats the argument.
            outputs=("command",),
        ),
        text_member="interleavedOutput",
        transcript="shell.shell",
    ),
    "await": Tool(
        subject=None,
        effect="looks",
        lane="other",
        label="wait",
        noise=Noise(arguments=("taskId",)),
        text_member=None,
        transcript="shell.wait",
    ),
    "writeShellStdin": Tool(
        subject=None,
        effect="acts on files",
        lane="run",
        label="input",
        noise=Noise(arguments=("shellId",)),
        text_member=None,
        transcript="shell.write_shell_stdin",
    ),
    "setupVmEnvironment": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="setup",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
    "replaceEnv": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="env",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
}
