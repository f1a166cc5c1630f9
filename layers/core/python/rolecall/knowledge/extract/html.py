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
_LAYOUT: Final = "table, h1, h2, h3, h4, h5, h6"
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
    """Collects inline text and ends a block where the page would begin a new line.

    A table of data is one block, a line a row. A table that holds headings or tables only lays the page out: its
    cells are blocks like any other.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._outline = Outline()
        self._parts: list[str] = []
        self._pre = 0
        self._tables: list[bool] = []
        """For each open table, whether it is one of data."""
        self._cells = 0

    def take(self, event: str, node: Node) -> None:
        """Write what begins or ends here."""
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            self._parts.append(text if self._pre else _SPACES.sub(" ", text))
        elif tag == "br":
            self._parts.append("\n" if event == "in" and not self._in_data else " ")
        elif tag == "table":
            self._table(event, node)
        elif self._in_data:
            self._inside(event, tag)
        elif tag in _BLOCKS:
            self._block(event, tag)

    @property
    def _in_data(self) -> bool:
        return bool(self._tables) and self._tables[-1]

    def _table(self, event: str, node: Node) -> None:
        self.flush()
        if event == "in":
            self._tables.append(all(found.mem_id == node.mem_id for found in node.css(_LAYOUT)))
        else:
            self._tables.pop()

    def _inside(self, event: str, tag: str) -> None:
        if tag == "tr" and event == "in":
            self._parts.append("\n")
            self._cells = 0
        elif tag in {"td", "th"} and event == "in":
            self._parts.append(" | " if self._cells else "")
            self._cells += 1
        elif tag in _BLOCKS:
            self._parts.append(" ")  # a paragraph inside a cell does not end the row

    def _block(self, event: str, tag: str) -> None:
        heading = _HEADINGS.get(tag)
        if heading and event == "out":
            text = " ".join("".join(self._parts).split())
            if text:
                self._outline.enter(heading, text)
        self.flush()
        if tag == "pre":
            self._pre += 1 if event == "in" else -1

    def flush(self) -> None:
        """End the block."""
        text = "".join(self._parts)
        self._parts.clear()
        if not self._pre:
            lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
            text = "\n".join(line for line in lines if line.strip(" |"))
        if text.strip():
            self.blocks.append(Block(text, section=self._outline.path))
