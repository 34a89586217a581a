"""Calls to MCP servers."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item
from convert.transcript.section_builder import (
    ARGUMENTS,
    SectionBuilder,
    binary_in,
    encoded,
    formatted_json,
    ours,
)
from convert.wording.numbers import byte_count, count, size
from convert.wording.sanitise import one_line
from convert.wording.words import Words


def mcp(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the arguments as JSON, and the text of the result; binary parts by size."""
    if "content" not in output:
        section.arguments_and_output_as_json()
        return
    section.begin(ARGUMENTS)
    section.json(section.call.arguments, "argument")
    section.begin("result")
    extents = [_content(item, section) for item in output.objects("content")]
    if isinstance(output.value("content"), str):
        extents.append(_text(output.text("content"), section))
        output.unexpected.pop("content", None)
    texts = [extent for extent in extents if extent]
    section.notes += texts if len(texts) < 3 else [count(len(texts), "text")]
    section.begin("structured result")
    section.json(output.value("structuredContent"))


def _text(text: str, section: SectionBuilder) -> str:
    """Add a text of a result, JSON on several lines; return how long it is."""
    if not text:
        return ""
    formatted = formatted_json(text)
    section.code(formatted or text, "json" if formatted else "text")
    return f"JSON, {size(byte_count(text))}" if formatted else section.extent(text)


def _content(item: Fields, section: SectionBuilder) -> str:
    """Add one item, and return how long its text is; "" without one.

    The form of MCP itself, with a `type`, is read as well.
    """
    extent = ""
    kind = item.text("type")
    place = item if kind else item.fields("text")
    image = item if kind else item.fields("image")
    if data := image.text("data"):
        section.note("", encoded(data, image.text("mimeType") or kind), "plain")
    elif text := place.text("text"):
        if description := binary_in(text):
            section.note("", description, "plain")
        else:
            extent = _text(text, section)
    elif "text" not in place and "text" not in item:
        section.json({name: item.value(name) for name in item})
    if path := place.fields("outputLocation").text("filePath"):
        section.note("the whole text is in ", section.path(path))
    return extent


def get_mcp_tools(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the request, and the description of the tools: JSON as text."""
    content = output.text("content")
    requested = {
        name: arguments.text(name)
        for name in ("server", "toolName", "pattern")
        if name in arguments
    }
    if content:
        section.notes.append(count(section.clip(content).lines, "line"))
    if tool := arguments.text("toolName"):
        name = "/".join(filter(None, [arguments.text("server"), tool]))
        section.title = [Words("Looked up MCP tool ", "ours"), Words(name, "code")]
    section.begin("request")
    section.json(requested, "argument")
    section.begin("result")
    formatted = formatted_json(content)
    section.code(formatted or content, "json" if formatted else "text")
    if path := output.text("outputFilePath"):
        section.note("the whole text is in ", section.path(path))


def list_mcp_resources(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the resources, each with its URI, its name and its description."""
    resources = output.objects("resources")
    if section.has_good_output:
        section.notes.append(count(len(resources), "resource"))
    section.begin("resources")
    items = []
    for resource in resources:
        texts = [resource.text("name"), resource.text("description")]
        about = ": ".join(one_line(text) for text in texts if text)
        line = [Words(resource.text("uri"), "code")]
        line += [Words(" – ", "ours"), Words(about)] if about else []
        items.append(Item(line=line))
    section.items(items)


def read_mcp_resource(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the text of a resource, or the size of binary content."""
    kind = output.text("mimeType")
    text = output.text("text")
    if blob := output.text("blob"):
        section.notes.append(encoded(blob, kind))
    elif text:
        section.notes.append(section.extent(text))
    section.summary = ours("text" if text else "where it is kept")
    formatted = formatted_json(text)
    section.code(formatted or text, "json" if formatted or "json" in kind else "text")
    if path := output.text("downloadPath"):
        section.note("kept in ", section.path(path))
