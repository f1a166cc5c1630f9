"""Plain text, Markdown and CSV."""

import csv
import io
import re
from typing import Final

from rolecall.knowledge.extract.blocks import Block, Read

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE: Final = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_NUMBER: Final = re.compile(r"^[\s$€£%+\-(]*\d[\d.,\s%)]*$")
_DELIMITERS: Final = ",;\t|"
BETWEEN_HEADINGS: Final = " > "
_HEADER_ROWS: Final = 10
_FIELD_CHARACTERS: Final = 1 << 30
"""More than any file has: the module's own limit would refuse a long cell."""


class Outline:
    """The path of headings above a place."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> None:
        """Come to a heading; those of its level and below end."""
        self._open = [(at, text) for at, text in self._open if at < level]
        self._open.append((level, " ".join(heading.split())[:200]))

    @property
    def path(self) -> str | None:
        """The headings from the outermost, `A > B`; None before the first."""
        return BETWEEN_HEADINGS.join(text for _, text in self._open if text) or None


def read_text(text: str) -> Read:
    """Take the text as it is."""
    return Read([Block(text)])


def read_markdown(text: str) -> Read:
    """Keep the source and note which headings each part stands under; `#` inside a code fence is no heading."""
    blocks: list[Block] = []
    part: list[str] = []
    outline = Outline()
    title = fence = None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def flush() -> None:
        if any(line.strip() for line in part):
            blocks.append(Block("\n".join(part), section=outline.path))
        part.clear()

    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (fence is None or (line.strip().startswith(fence) and not line.strip().strip(fence[0]))):
            fence = None if fence else mark[1]
        found = None if fence else _heading(line, lines[at + 1] if at + 1 < len(lines) else "")
        if found:
            flush()
            outline.enter(*found)
            title = title or (found[1] if found[0] == 1 else None)
        part.append(line)
    flush()
    return Read(blocks, title=title)


def _heading(line: str, following: str) -> tuple[int, str] | None:
    if match := _HEADING.match(line):
        return len(match[1]), match[2]
    under = _UNDERLINE.match(following)
    if under and line.strip() and not line.startswith((" " * 4, "\t", "|", "-", "*", ">", "#")):
        return (1 if under[1][0] == "=" else 2), line.strip()
    return None


def read_csv(text: str) -> Read:
    """Write every row as one line, each value after its column's name; without names as the file writes it."""
    csv.field_size_limit(_FIELD_CHARACTERS)
    delimiter = _delimiter(text)
    rows = _rows(text, delimiter)
    at = _header(rows)
    if at is None:
        lines = [delimiter.join(row) for row in rows]
    else:
        lines = [" | ".join(filter(None, row)) for row in rows[: at + 1]]
        lines += [_line(rows[at], row) for row in rows[at + 1 :]]
    return Read([Block("\n".join(line for line in lines if line.strip()))])


def _rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text.replace("\x00", ""), newline=""), delimiter=delimiter)
    return [[" ".join(cell.split()) for cell in row] for row in reader if any(cell.strip() for cell in row)]


def _delimiter(text: str) -> str:
    """Choose what parts most lines into the same number of cells."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:50]
    best, best_score = ",", 0
    for delimiter in _DELIMITERS:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        common = max(set(counts), key=lambda n: (counts.count(n), n), default=1)
        score = counts.count(common) * (common > 1) * min(common, 50)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _header(rows: list[list[str]]) -> int | None:
    """Find the row of column names: the first full one of the first rows, if it holds words and no numbers."""
    head = rows[:_HEADER_ROWS]
    if len(head) < 2:
        return None
    widest = max(sum(1 for cell in row if cell) for row in head)
    for at, row in enumerate(head):
        if sum(1 for cell in row if cell) == widest and widest > 1:
            named = any(len(cell) > 1 for cell in row) and not any(_NUMBER.match(cell) for cell in row if cell)
            return at if named else None
    return None


def _line(names: list[str], row: list[str]) -> str:
    cells = [f"{names[at]}: {cell}" if at < len(names) and names[at] else cell for at, cell in enumerate(row) if cell]
    return " | ".join(cells)
