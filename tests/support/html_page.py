"""Every page must be valid, harmless, and whole in itself."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files
from xml.etree.ElementTree import Element

import html5lib

_PLAIN = (
    *("head", "title", "style", "body", "header", "main", "footer", "summary", "g"),
    *("h1", "h2", "h3", "p", "span", "b", "i", "li", "dl", "dt", "dd", "label", "td"),
    *(
        "figure",
        "figcaption",
        "defs",
        "fieldset",
        "legend",
        "table",
        "thead",
        "tbody",
        "tr",
    ),
    *("pre", "code", "ins", "del", "em", "strong", "s", "br", "hr", "blockquote"),
)
# The attributes that an element may have besides `class` and `id`.
_ATTRIBUTES = {
    "html": "lang",
    "meta": "charset http-equiv name content",
    "a": "href rel tabindex",
    "details": "open",
    "div": "aria-label",
    "input": "type name checked",
    "nav": "aria-label aria-labelledby",
    "ol": "role start",
    "section": "aria-label aria-labelledby",
    "th": "scope aria-hidden",
    "ul": "role",
    "svg": "x y width height viewBox preserveAspectRatio aria-hidden fill",
    "use": "href x y",
    "rect": "x y width height fill",
    "line": "x1 x2 y1 y2",
    "circle": "cx cy r fill stroke",
    "path": "d fill stroke",
    "text": "x y text-anchor",
} | dict.fromkeys(_PLAIN, "")
_LINK = re.compile(
    r"#[\w.-]+|https?:\S*|mailto:\S*|(?!/)[\w.~/%-]+\.html(#[\w.-]+)?", re.IGNORECASE
)
_CLASS = re.compile(r"language-.*")


def foreign_parts(page: str) -> list[str]:
    """Return the elements, attributes and links that a page of ours never has."""
    parser = _Parts()
    parser.feed(page)
    parser.close()
    return parser.foreign


class _Parts(HTMLParser):
    """Collects what is foreign; a tenth of the time of a page as a browser reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # The names of elements and attributes are in small letters here.
        allowed = f"class id {_ATTRIBUTES.get(tag, '')}".lower().split()
        if tag not in _ATTRIBUTES:
            self.foreign.append(f"<{tag}>")
        for name, value in attrs:
            if name not in allowed:
                self.foreign.append(f"<{tag} {name}>")
            elif name == "href" and not _LINK.match(value or ""):
                self.foreign.append(f"<{tag} href={value}>")


class HtmlPage:
    """A page as a browser reads it; raises for invalid HTML."""

    def __init__(self, page: bytes) -> None:
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        self.root: Element = parser.parse(page.decode())
        self.ids = [
            element.attrib["id"]
            for element in self.root.iter()
            if "id" in element.attrib
        ]

    def text(self, class_: str) -> list[str]:
        """The texts of the elements of a class."""
        return [
            "".join(element.itertext())
            for element in self.root.iter()
            if class_ in element.attrib.get("class", "").split()
        ]

    @property
    def links(self) -> list[str]:
        """The addresses of all links."""
        return [link.attrib["href"] for link in self.root.iter("a")]

    def check(self) -> None:
        """Raise AssertionError for an element that no page may have."""
        for element in self.root.iter():
            if isinstance(element.tag, str):
                _check_element(element)
        ids = set(self.ids)
        assert len(ids) == len(self.ids)
        for link in self.root.iter("a"):
            target = link.attrib["href"]
            assert _LINK.fullmatch(target), target
            if target.startswith("#"):
                assert target[1:] in ids, target
            elif ".html" not in target or ":" in target:
                assert link.attrib["rel"] == "noopener noreferrer nofollow"
        labels = (each.get("aria-label") for each in self.root.iter())
        names = [label for label in labels if label is not None]
        assert len({*names}) == len(names), names
        self._check_policy()

    def _check_policy(self) -> None:
        """Check that the policy comes first and allows the one style."""
        (head,) = self.root.iter("head")
        charset, policy = head[0], head[1]
        (style,) = self.root.iter("style")
        digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest())
        assert charset.attrib == {"charset": "utf-8"}
        assert policy.attrib["http-equiv"] == "Content-Security-Policy"
        assert policy.attrib["content"] == (
            f"default-src 'none'; style-src 'sha256-{digest.decode()}'; "
            "base-uri 'none'; form-action 'none'"
        )


def _check_element(element: Element) -> None:
    tag = element.tag.rpartition("}")[2]
    allowed = _ATTRIBUTES[tag].split()
    assert element.attrib.keys() <= {*allowed, "class", "id"}, (tag, element.attrib)
    for name in element.attrib.get("class", "").split():
        assert name in _style_classes() or _CLASS.fullmatch(name), name


@functools.cache
def _style_classes() -> set[str]:
    """Return the names of classes in the stylesheet, and those that nothing styles."""
    folders = [
        files("convert.pages").joinpath("templates"),
        files("convert.scale.stats"),
        files("convert.suites.reports"),
    ]
    sheets = [sheet for folder in folders for sheet in folder.iterdir()]
    style = "".join(
        sheet.read_text("utf-8") for sheet in sheets if sheet.name.endswith(".css")
    )
    unstyled = {"show-all", "unresolved", "remark", "links", "good", "error", "many"}
    return {*re.findall(r"\.([a-z][\w-]*)", style), *unstyled}
