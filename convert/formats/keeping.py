"""The words on what conversions keep of the logs of other agents.

A row of such a format takes them, and says otherwise where its logs record less:

    keeps=AGENT_KEEPS | {"patch": "nothing: no contents of files"}
"""

from __future__ import annotations

AGENT_KEEPS = {
    "stream-json": "events of Cursor: text, calls with output, duration, tokens, cost",
    "json": "the text, the state, the duration, the tokens, the cost",
    "text": "every tool call with its outcome",
    "answer": "the last segment that is not empty",
    "markdown": "prompt, text, calls with their output, state, duration, tokens, cost",
    "html": "as markdown, with a timeline if times are recorded",
    "patch": "the net change of each file, where recorded",
    "trajectory": "calls with arguments and outcomes, texts, net changes",
    "claude-stream": "prompt, text, calls with output, state, duration, tokens, cost",
    "messages": "prompt, text, calls with arguments and output as text",
    "atif": "prompt, text, calls with outcomes and output, duration, tokens, cost",
}
