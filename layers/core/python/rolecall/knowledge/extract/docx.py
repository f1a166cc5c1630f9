"""DOCX from its XML: what Word shows in its final view, each text once, in document order.

Read as XML rather than through python-docx, which leaves out content controls, insertions, text boxes, headers and
nested tables, and cannot open the strict variant. Elements are told by their local names, which both variants share.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree

from rolecall.knowledge.extract.blocks import Block, Read
from rolecall.knowledge.extract.package import Package
from rolecall.knowledge.extract.text import Outline
from rolecall.knowledge.faults import Fault, UnreadableDocument

Element = Any

_SKIPPED: Final = frozenset(
    {"del", "moveFrom", "Fallback", "instrText", "delText", "delInstrText", "pPr", "rPr", "tblPr", "tcPr", "trPr"}
    | {"sectPr", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef", "sdtPr", "sdtEndPr"}
)
_CHARACTERS: Final = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HEADING_STYLE: Final = re.compile(r"^(?:heading|überschrift|rubrik|titre|título)\s*(\d)$", re.IGNORECASE)
_HEADER: Final = re.compile(r"^word/header\d*\.xml$")
_FOOTER: Final = re.compile(r"^word/footer\d*\.xml$")
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    style: str
    level: int | None
    """Outline level from 1, where the paragraph itself names one."""


def read(data: bytes) -> Read:
    """Read body, headers, footers and notes.

    Raises:
        UnreadableDocument: damaged, too large, or without any text.
    """
    package = Package(data)
    body = _part(package, _main_part(package))
    if body is None:
        raise UnreadableDocument(Fault.CORRUPT)
    styles = _styles(_part(package, "word/styles.xml"))
    blocks, title = _body(body, styles)
    blocks = [*_margins(package, _HEADER), *blocks, *_notes(package), *_margins(package, _FOOTER)]
    if not blocks:
        raise UnreadableDocument(Fault.EMPTY, "There is no text in this document.")
    return Read(blocks, title=title)


def _main_part(package: Package) -> str:
    rels = _part(package, "_rels/.rels")
    for rel in rels if rels is not None else ():
        if str(rel.get("Type", "")).endswith("/officeDocument"):
            return posixpath.normpath(str(rel.get("Target", "")).lstrip("/"))
    return "word/document.xml"


def _part(package: Package, name: str) -> Element | None:
    data = package.read(name)
    if data is None:
        return None
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False, remove_comments=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableDocument(Fault.CORRUPT) from error
    if root.getroottree().docinfo.doctype:  # Word writes none; entities would grow without end
        raise UnreadableDocument(Fault.CORRUPT)
    return root


def _name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _value(element: Element, attribute: str = "val") -> str:
    found = (str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == attribute)
    return next(found, "")


def _child(element: Element, *path: str) -> Element | None:
    for name in path:
        element = next((child for child in element if _name(child) == name), None)
        if element is None:
            return None
    return element


# Body ------------------------------------------------------------------------------------------------------


def _body(root: Element, styles: dict[str, int]) -> tuple[list[Block], str | None]:
    outline = Outline()
    blocks: list[Block] = []
    title = None
    for item in _items(root):
        if isinstance(item, _Paragraph):
            level = item.level or styles.get(item.style)
            if level == 0:
                title = title or item.text
            elif level:
                outline.enter(level, item.text)
            blocks.append(Block(item.text, section=outline.path))
        else:
            blocks.append(Block(item, section=outline.path))
    return blocks, title


def _items(root: Element) -> Iterator[_Paragraph | str]:
    """Walk paragraphs and tables; a table comes as text, a line a row."""
    for child in root:
        name = _name(child)
        if name == "p":
            yield from _paragraph(child)
        elif name == "tbl":
            text = _table(child)
            if text:
                yield text
        elif name not in _SKIPPED:
            yield from _items(child)


def _paragraph(element: Element) -> Iterator[_Paragraph]:
    """Yield the paragraph, and after it what the text boxes anchored in it say."""
    boxes: list[Element] = []
    text = "".join(_runs(element, boxes))
    if text.strip():
        yield _Paragraph(text, *_style_of(element))
    for box in boxes:
        for item in _items(box):
            yield item if isinstance(item, _Paragraph) else _Paragraph(item, "", None)


def _style_of(element: Element) -> tuple[str, int | None]:
    style = _child(element, "pPr", "pStyle")
    outline = _child(element, "pPr", "outlineLvl")
    level = _value(outline) if outline is not None else ""
    return (_value(style) if style is not None else ""), (int(level) + 1 if level in set("012345") else None)


def _runs(element: Element, boxes: list[Element]) -> Iterator[str]:
    for child in element:
        name = _name(child)
        if name == "t":
            yield child.text or ""
        elif name == "r" and _hidden(child):
            continue
        elif name == "txbxContent":
            boxes.append(child)
        elif name in _CHARACTERS:
            yield _CHARACTERS[name]
        elif name == "sym":
            yield _symbol(child)
        elif name not in _SKIPPED:
            yield from _runs(child, boxes)


def _hidden(run: Element) -> bool:
    vanish = _child(run, "rPr", "vanish")
    return vanish is not None and _value(vanish) not in {"0", "false", "off"}


def _symbol(element: Element) -> str:
    code = _value(element, "char")
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return chr(number) if number < 0xE000 else ""  # the private area means nothing outside its font


def _table(table: Element) -> str:
    rows = []
    for row in _rows(table):
        cells = [cell for cell in map(_cell, _cells(row)) if cell]
        if cells:
            rows.append(" | ".join(cells))
    return "\n".join(rows)


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if _name(child) == "tr":
            if _child(child, "trPr", "del") is None:
                yield child
        elif _name(child) not in _SKIPPED:
            yield from _rows(child)


def _cells(row: Element) -> Iterator[Element]:
    """Cells of a row; those that a merged cell above covers are left out."""
    for child in row:
        if _name(child) == "tc":
            merge = _child(child, "tcPr", "vMerge")
            if merge is None or _value(merge) == "restart":
                yield child
        elif _name(child) not in _SKIPPED:
            yield from _cells(child)


def _cell(cell: Element) -> str:
    texts = (item.text if isinstance(item, _Paragraph) else item for item in _items(cell))
    return " ".join(" ".join(texts).split())


# Around the body -------------------------------------------------------------------------------------------


def _styles(root: Element | None) -> dict[str, int]:
    """Outline level by style id: 1 to 6 for headings, 0 for the title."""
    levels: dict[str, int] = {}
    for style in root if root is not None else ():
        name = _child(style, "name")
        if _name(style) != "style" or name is None:
            continue
        outline = _child(style, "pPr", "outlineLvl")
        if match := _HEADING_STYLE.match(_value(name)):
            levels[_value(style, "styleId")] = int(match[1])
        elif _value(name).lower() == "title":
            levels[_value(style, "styleId")] = 0
        elif outline is not None and _value(outline) in set("012345"):
            levels[_value(style, "styleId")] = int(_value(outline)) + 1
    return levels


def _margins(package: Package, pattern: re.Pattern[str]) -> Iterable[Block]:
    """Headers or footers, each text once however many sections repeat it."""
    seen: dict[str, None] = {}
    for name in sorted(filter(pattern.match, package.names)):
        root = _part(package, name)
        items = _items(root) if root is not None else ()
        text = "\n".join(item.text if isinstance(item, _Paragraph) else item for item in items)
        if text.strip():
            seen.setdefault(text.strip())
    return [Block(text) for text in seen]


def _notes(package: Package) -> Iterable[Block]:
    for name in _NOTES:
        root = _part(package, name)
        for note in root if root is not None else ():
            if _value(note, "type") in {"separator", "continuationSeparator", "continuationNotice"}:
                continue
            items = list(_items(note))
            text = "\n".join(item.text if isinstance(item, _Paragraph) else item for item in items)
            if text.strip():
                yield Block(text.strip())
