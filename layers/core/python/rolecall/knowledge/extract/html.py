"""HTML as a reader sees it: no scripts, no styles, nothing hidden; headings become sections."""

import re
from collections.abc import Iterator
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from rolecall.knowledge.extract.blocks import Block, Read
from rolecall.knowledge.extract.text import Outline

Node = Any

_SKIPPED: Final = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "iframe",
        "object",
        "svg",
        "math",
        "canvas",
        "select",
        "datalist",
        "audio",
        "video",
        "-comment",
    ]
)
_BLOCKS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")


def read(text: str) -> Read:
    """Read the visible text in document order."""
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    writer = _Writer()
    root = tree.body or tree.root
    for event, node in _walk(root) if root is not None else ():
        writer.take(event, node)
    writer.flush()
    return Read(writer.blocks, title=title.text(strip=True) if title else None)


def _walk(root: Node) -> Iterator[tuple[str, Node]]:
    """Visit nodes without recursion, which deep nesting would exhaust: `in` before children, `out` after."""
    stack: list[tuple[str, Node]] = [("in", root)]
    while stack:
        event, node = stack.pop()
        if event == "in" and _invisible(node):
            continue
        yield event, node
        if event == "out" or node.tag == "-text":
            continue
        stack.append(("out", node))
        children = []
        child = node.child
        while child is not None:
            children.append(("in", child))
            child = child.next
        stack.extend(reversed(children))


def _invisible(node: Node) -> bool:
    if node.tag in _SKIPPED:
        return True
    if node.tag == "-text":
        return False
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


class _Writer:
    """Collects inline text and ends a block where the page would begin a new line."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._outline = Outline()
        self._parts: list[str] = []
        self._pre = 0
        self._cells = 0

    def take(self, event: str, node: Node) -> None:
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            self._parts.append(text if self._pre else _SPACES.sub(" ", text))
        elif tag == "br":
            self._parts.append("\n" if event == "in" else "")
        elif tag in {"td", "th"}:
            self._cell(event)
        elif tag in _BLOCKS:
            self._block(event, tag)

    def _cell(self, event: str) -> None:
        if event == "in":
            self._parts.append(" | " if self._cells else "")
            self._cells += 1

    def _block(self, event: str, tag: str) -> None:
        if tag == "tr":
            self._cells = 0
        heading = _HEADINGS.get(tag)
        if heading and event == "out":
            text = " ".join("".join(self._parts).split())
            if text:
                self._outline.enter(heading, text)
        if self._cells and tag not in {"tr", "table"}:
            self._parts.append(" ")  # a paragraph inside a cell does not end the row
        else:
            self.flush()
        if tag == "pre":
            self._pre += 1 if event == "in" else -1

    def flush(self) -> None:
        """End the block."""
        text = "".join(self._parts)
        self._parts.clear()
        if not self._pre:
            text = "\n".join(line.strip() for line in text.split("\n")).strip()
        if text.strip(" |\n\t"):
            self.blocks.append(Block(text, section=self._outline.path))
