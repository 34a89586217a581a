"""The names that settings of `diff` take, one a line with a few words."""

from __future__ import annotations

from convert.options.settings import Category

_EFFECTS = {"acts on files": "acts", "command": "as the command does"}

CATEGORIES: dict[Category, str] = {
    "runs": "a run has no partner",
    "files": "a file differs in the end, or only one run changed it",
    "verification": "a check passed after the last change of one run only",
    "tests": "an equal command passed or failed other numbers of tests",
    "status": "one run succeeded, failed or broke off, and the other did not",
    "outcome": "a call ended in another way, for better or worse",
    "removed": "only the baseline made a call",
    "added": "only the candidate made a call",
    "tool": "a tool has another name, and the arguments are equal",
    "args": "a call has other arguments",
    "moved": "a call has another place in the order",
    "text": "the answer differs",
    "narration": "only what the agent said before the answer differs",
    "level": "one log is plain text that is not the answer of the other",
    "output": "an equal call returned something else",
    "parallelism": "calls ran in parallel in one run only",
    "model": "another model",
    "prompt": "another prompt: these may be two different tasks",
    "duration": "the candidate exceeds `--max-duration-ratio` or `--max-duration`",
    "usage": "the candidate exceeds `--max-tokens-ratio`, `--max-tokens` or"
    " `--max-cost`",
    "calls": "the candidate exceeds `--max-calls-ratio` or `--max-calls`",
    "errors": "the candidate exceeds `--max-errors`",
}


def listing(what: str) -> str:
    """Return the names of tools, categories or rules, one a line."""
    words = {"tools": _tools, "categories": _categories, "rules": _rules}[what]()
    width = max(map(len, words))
    return "".join(f"{name:<{width}}  {text}\n" for name, text in words.items())


def _tools() -> dict[str, str]:
    from convert.tools.table import TOOLS

    tools = {
        name: f"{tool.phrases.en}; {_EFFECTS.get(tool.effect, tool.effect)}"
        for name, tool in sorted(TOOLS.items())
    }
    return tools | {
        "mcp:SERVER/TOOL": "a tool of an MCP server; acts",
        "function:NAME": "a function; acts",
    }


def _categories() -> dict[str, str]:
    return {name: words.replace("`", "") for name, words in CATEGORIES.items()}


def _rules() -> dict[str, str]:
    from convert.diff.normalise import RULES

    return {name: words.replace("`", "") for name, words in RULES.items()}
