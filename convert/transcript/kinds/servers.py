"""Calls to MCP servers, and calls of kinds that nobody knows."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item
from convert.transcript.shown import Shown, as_json, binary_in, encoded, ours
from convert.wording.figures import count
from convert.wording.harmless import one_line
from convert.wording.words import Words


def mcp(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The arguments as JSON; of the result its text, and what else it holds by size."""
    shown.summary = ours("arguments and result")
    shown.json(shown.call.arguments, "argument")
    content = output.objects("content")
    for item in content:
        _content(item, shown)
    if isinstance(output.value("content"), str):
        shown.code(output.text("content"), "text")
        output.odd.pop("content", None)
    elif "content" not in output:
        shown.rest()
        return
    shown.json(output.value("structuredContent"))


def _content(item: Fields, shown: Shown) -> None:
    """One item; servers' own form, `type` beside its text, is taken as well."""
    kind = item.text("type")
    place = item if kind else item.fields("text")
    image = item if kind else item.fields("image")
    if data := image.text("data"):
        shown.note("", encoded(data, image.text("mimeType") or kind), "plain")
    elif text := place.text("text"):
        if said := binary_in(text):
            shown.note("", said, "plain")
        else:
            shown.code(text, "text")
    elif "text" not in place and "text" not in item:
        shown.json({name: item.value(name) for name in item})
    if path := place.fields("outputLocation").text("filePath"):
        shown.note("the whole text is in ", path)


def unknown(arguments: Fields, output: Fields, shown: Shown) -> None:
    """Arguments and result as JSON."""
    shown.summary = ours("arguments and result")
    shown.json(shown.call.arguments, "argument")
    shown.rest()


def get_mcp_tools(arguments: Fields, output: Fields, shown: Shown) -> None:
    """What was asked for, and the description of the tools: JSON as text."""
    content = output.text("content")
    asked = {
        name: arguments.text(name)
        for name in ("server", "toolName", "pattern")
        if name in arguments
    }
    if content:
        shown.notes.append(count(shown.clip(content).lines, "line"))
        shown.summary = ours(shown.extent(content))
    shown.json(asked, "argument")
    shown.code(content, "json" if content.lstrip()[:1] in ("{", "[") else "text")
    if path := output.text("outputFilePath"):
        shown.note("the whole text is in ", path)


def list_mcp_resources(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The resources, each with its name, its URI and what it is."""
    resources = output.objects("resources")
    if shown.is_ok:
        shown.notes.append(count(len(resources), "resource"))
    shown.summary = ours(count(len(resources), "resource"))
    items = []
    for resource in resources:
        said = [resource.text("name"), resource.text("description")]
        about = ": ".join(one_line(text) for text in said if text)
        line = [Words(resource.text("uri"), "code")]
        line += [Words(" – ", "ours"), Words(about)] if about else []
        items.append(Item(line=line))
    shown.items(items)


def read_mcp_resource(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The text of a resource, or how much there is of what is no text."""
    kind = output.text("mimeType")
    text = output.text("text")
    if blob := output.text("blob"):
        shown.notes.append(encoded(blob, kind))
    elif text:
        shown.notes.append(shown.extent(text))
    shown.summary = ours(shown.extent(text) if text else "where it is kept")
    shown.code(text, "json" if "json" in kind else "text")
    if path := output.text("downloadPath"):
        shown.note("kept in ", path)


def odd_members(odd: dict[str, object], shown: Shown) -> None:
    """What was no text, number or list where one is expected, as JSON."""
    shown.note("members of another type than expected:")
    shown.code(as_json(odd), "json")
