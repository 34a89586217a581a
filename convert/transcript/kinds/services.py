"""Calls to services: the web, MCP servers, pull requests, messages and images."""

from __future__ import annotations

from convert.model.events import OK
from convert.tools.phrases_and_outcomes import phrase
from convert.transcript.builder import (
    ARGUMENTS,
    SectionBuilder,
    binary_in,
    encoded,
    ours,
    without_internal,
)
from convert.transcript.fields import Fields
from convert.transcript.pieces import Item
from convert.wording.escapes import one_line
from convert.wording.numbers import byte_count, count, duration, in_words, size
from convert.wording.styles_and_columns import Styled

# The languages of an answer, each a word in its content type.
_LANGUAGES = ("json", "html", "xml", "markdown", "css", "javascript", "csv")


def web_search(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the pages as links, then the text that came with them.

    The first reference is not a page: it has no URL, and its text lists the links that
    were found (builds of 2026).
    """
    references = output.objects("references")
    pages, links = _pages(references)
    if section.has_good_output:
        extent = count(len(pages), "page")
        section.notes.append(f"{links:,} links to {extent}" if links else extent)
    texts = [each for each in references if not _is_list_of(pages, each)]
    has_text = any("chunk" in reference for reference in texts)
    named = [*(["links"] if pages else []), *(["texts"] if has_text else [])]
    section.summary = ours(in_words(named)) if named else []
    section.items(
        [
            Item(line=[Styled(one_line(title or url))], url=url)
            for url, title in pages.items()
        ]
    )
    for reference in texts:
        if chunk := reference.text("chunk"):
            title = one_line(reference.text("title", "url"))
            section.label([Styled(title)] if title else ours("text"))
            section.code(chunk, "markdown")


def _pages(references: list[Fields]) -> tuple[dict[str, str], int]:
    """Return the titles of the pages that a search found, by their URLs.

    The number is that of the links in a text, if they are more than the pages.
    """
    pages: dict[str, str] = {}
    links = 0
    for reference in references:
        if url := reference.text("url"):
            pages[url] = reference.text("title") or pages.get(url, "")
            continue
        for line in reference.text("chunk").split("\n"):
            if link := _link(line):
                pages.setdefault(*link)
                links += 1
    return pages, links if links > len(pages) else 0


def _is_list_of(pages: dict[str, str], reference: Fields) -> bool:
    """Return True for a text that holds nothing but links to pages as listed."""
    if reference.text("url"):
        return False
    lines = reference.text("chunk").split("\n")
    links = [_link(line) for line in lines if line.strip() not in ("", "Links:")]
    return bool(links) and all(link and pages[link[0]] == link[1] for link in links)


def _link(line: str) -> tuple[str, str] | None:
    """Return the URL and the title of an entry of a list that begins with a link."""
    head, _, tail = line.partition("](")
    mark, bracket, title = head.partition("[")
    url = tail.split(maxsplit=1)[0].rstrip(".,;:") if tail.strip() else ""
    if not (bracket and url.endswith(")")) or mark.strip(" \t0123456789.*-"):
        return None
    return url[:-1], title


def web_fetch(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the page as recorded, in Markdown."""
    if page := output.text("markdown"):
        section.notes.append(section.extent(page))
    section.begin("page").code(page, "markdown")
    path = output.fields("outputLocation").text("filePath")
    section.place("the whole page is in ", path)


def fetch(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the answer of a server, in the language of its content type."""
    kind = output.text("contentType")
    content = output.text("content")
    section.figure(output.number("statusCode"), "status {}".format)
    section.notes.append(one_line(kind))
    language = next((name for name in _LANGUAGES if name in kind), "text")
    extent = f"answer, {section.extent(content)}"
    section.begin("answer", extent).code(content, language)


def mcp(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the arguments as JSON, and the text of the result; binary parts by size."""
    if "content" not in output:
        as_json(arguments, output, section)
        return
    section.begin(ARGUMENTS).json(section.call.arguments, "argument")
    section.begin("result")
    extents = [_content(item, section) for item in output.objects("content")]
    if isinstance(output.value("content"), str):
        extents.append(_text(output.text("content"), section))
        output.unexpected.pop("content", None)
    texts = [extent for extent in extents if extent]
    section.notes += texts if len(texts) < 3 else [count(len(texts), "text")]
    section.begin("structured result").json(output.value("structuredContent"))


def _text(text: str, section: SectionBuilder) -> str:
    """Add a text of a result, JSON on several lines; return how long it is."""
    if not text:
        return ""
    is_json = section.text(text)
    return f"JSON, {size(byte_count(text))}" if is_json else section.extent(text)


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
    path = place.fields("outputLocation").text("filePath")
    section.place("the whole text is in ", path)
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
        section.called("Looked up MCP tool ", name, "code")
    section.begin("request").json(requested, "argument")
    section.begin("result").text(content)
    section.place("the whole text is in ", output.text("outputFilePath"))


def list_mcp_resources(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the resources, each with its URI, its name and its description."""
    resources = output.objects("resources")
    section.counted(len(resources), "resource")
    items = []
    for resource in resources:
        texts = [resource.text("name"), resource.text("description")]
        about = ": ".join(one_line(text) for text in texts if text)
        line = [Styled(resource.text("uri"), "code")]
        line += [Styled(" – ", "ours"), Styled(about)] if about else []
        items.append(Item(line=line))
    section.begin("resources").items(items)


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
    section.summary = ours("text" if text else "place")
    section.text(text, "json" if "json" in kind else "text")
    section.place("kept in ", output.text("downloadPath"))


def pr_management(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the title, the text and the address of a pull request."""
    requested = arguments.fields("createPr") or arguments.fields("updatePr")
    waits = _WAITING.get(section.call.arm, "")
    verb = next((verb for name, verb in _CHANGES.items() if name in arguments), "")
    lead = f"{verb} pull request" if verb and not waits else phrase("prManagement")
    title = one_line(requested.text("title") or output.text("title"))
    section.called(f"{lead}: ", title)
    section.figure(output.number("prNumber"), "number {}".format)
    section.notes.append(waits)
    section.summary = ours("pull request")
    branch = requested.text("branchName") or output.text("branchName")
    section.mention("branch ", branch)
    section.mention("at ", output.text("prUrl", "discoveredPrUrl"))
    section.prose(requested.text("body") or output.text("body"))
    section.mention("", one_line(output.text("message")), "plain")


_CHANGES = {"createPr": "Created", "updatePr": "Updated"}
# The arms of changes that are not made yet.
_WAITING = {"registered": "registered", "needsConfirmation": "needs confirmation"}
_RECORDINGS = {"start": "Started", "save": "Saved", "discard": "Discarded"}
_FLAGS = {
    "wasPriorRecordingCancelled": "an earlier recording was cancelled",
    "wasSaveAsFilenameIgnored": "the file name was ignored",
}


def generate_image(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the description of an image, its size and its path."""
    if data := output.text("imageData"):
        section.notes.append(encoded(data, "image"))
    description = arguments.text("description")
    section.summary = ours("description" if description else "file")
    section.prose(description)
    section.place("kept in ", output.text("filePath"), "path")


def record_screen(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Say that a recording was started, saved or discarded, and where it is."""
    name = arguments.text("saveAsFilename")
    mode = arguments.text("mode")
    verb = _of_recording(section.call.arm, mode)
    section.title = ours(f"{verb} screen recording" if verb else phrase("recordScreen"))
    if mode and not verb:
        section.title += [*ours(" "), Styled(mode, "code")]
    if name:
        section.title += [*ours(": "), Styled(section.path(name), "path")]
    length = output.number("recordingDurationMs")
    section.figure(length, lambda length: f"{duration(length)} long")
    section.notes += [words for name, words in _FLAGS.items() if output.flag(name)]
    if reason := output.text("requestedFilePathRejectedReason"):
        section.notes.append(f"the path was refused: {reason}")
    path = section.path(output.text("path"))
    if path not in (".", name):
        section.begin("file").note("kept in ", path, "path")


def _of_recording(arm: str, mode: str) -> str:
    """Say how a recording ended, by the result, else by the request."""
    for name, verb in _RECORDINGS.items():
        if arm == f"{name}Success":
            return verb
    words = mode.lower().split("_")
    return next((verb for name, verb in _RECORDINGS.items() if name in words), "")


def computer_use(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the actions as JSON, the log as text, the screenshot's size."""
    section.figure(output.number("actionCount"), lambda total: count(total, "action"))
    section.milliseconds = output.number("durationMs")
    section.begin("actions").json(arguments.value("actions"), "argument")
    section.begin("log").code(output.text("log"), "text")
    section.begin("screenshot")
    if picture := output.text("screenshot"):
        section.note(encoded(picture, "image"))
    section.place("kept in ", output.text("screenshotPath"), "path")


def communicate_update(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the progress so far and the next step."""
    section.begin("progress")
    for name in ("completedSubtitle", "currentStep", "finalSummary"):
        section.prose(arguments.text(name))


def send_final_summary(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the summary."""
    summary = arguments.text("finalSummary") or output.text("finalSummary")
    section.begin("summary").prose(summary)


def send_message(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the message and its attachment."""
    section.begin("message").prose(arguments.fields("text").text("content"))
    section.mention("attached: ", arguments.fields("attachment").text("url"))


def as_json(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Add arguments and result as JSON, without the message that the outcome shows."""
    call = section.call
    section.begin(ARGUMENTS).json(without_internal(call.arguments or {}), "argument")
    result = without_internal(call.output) if isinstance(call.output, dict) else {}
    if call.outcome is not None and call.outcome != OK:
        shown = ("", call.outcome.message)
        result = {name: result[name] for name in result if result[name] not in shown}
    section.begin("result").json(result)
