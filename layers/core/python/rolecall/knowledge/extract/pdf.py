"""PDF by PDFium: the text layer, page by page, with what forms were filled in with."""

import contextlib
import ctypes
import re
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from rolecall.knowledge.extract.blocks import Block, Read
from rolecall.knowledge.faults import Fault, UnreadableDocument
from rolecall.telemetry import log

_PASSWORD: Final = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)

_LAM: Final = "\u0644"
_ALEFS: Final = "\u0622\u0623\u0625\u0627"
_LAM_ALEF: Final = re.compile(f"[{_ALEFS}]{_LAM}")


def read(data: bytes) -> Read:
    """Read every page; one that is damaged is left out.

    Raises:
        UnreadableDocument: locked, damaged, blank, or a scan without text.
    """
    with contextlib.closing(_open(data)) as pdf:
        if pdf.get_formtype() != pdfium.FORMTYPE_NONE:
            with contextlib.suppress(pypdfium2.PdfiumError):
                pdf.init_forms()
        pages = [_page_text(pdf, index) for index in range(len(pdf))]
        if not any(text and text.strip() for text in pages):
            raise _without_text(pdf, pages)
    blocks = [Block(text, page=number) for number, text in enumerate(pages, start=1) if text]
    return Read(blocks, page_count=len(pages))


def _open(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in _PASSWORD:
            raise UnreadableDocument(Fault.ENCRYPTED) from error
        raise UnreadableDocument(Fault.CORRUPT) from error


def _page_text(pdf: pypdfium2.PdfDocument, index: int) -> str | None:
    """Return a page's text, None where the page cannot be read."""
    try:
        with contextlib.closing(_page(pdf, index)) as page, contextlib.closing(page.get_textpage()) as text:
            found: str = text.get_text_range(errors="ignore")
            return _unreversed(text) if _LAM_ALEF.search(found) else found
    except pypdfium2.PdfiumError as error:
        log.warning("pdf page left out", extra={"page": index + 1, "reason": str(error)[:100]})
        return None


def _unreversed(text: Any) -> str:
    """Put lam-alef right: PDFium turns right-to-left text around letter by letter, those of one glyph as well."""
    count = text.count_chars()
    letters = [chr(pdfium.FPDFText_GetUnicode(text, at)) for at in range(count)]
    for at in range(count - 1):
        if letters[at + 1] == _LAM and letters[at] in _ALEFS and _origin(text, at) == _origin(text, at + 1):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def _origin(text: Any, at: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, at, x, y)
    return x.value, y.value


def _page(pdf: pypdfium2.PdfDocument, index: int) -> Any:
    page = pdf[index]
    if pdf.formenv is None:
        return page
    # What is typed into a form is drawn over the page; flattening makes it part of the page.
    with contextlib.suppress(pypdfium2.PdfiumError):
        page.flatten()
    page.close()
    return pdf[index]


def _without_text(pdf: pypdfium2.PdfDocument, pages: list[str | None]) -> UnreadableDocument:
    if not pages or all(text is None for text in pages):
        return UnreadableDocument(Fault.CORRUPT)
    if any(_has_image(pdf, index) for index in range(len(pages))):
        return UnreadableDocument(Fault.NO_TEXT)
    return UnreadableDocument(Fault.EMPTY, "There is no text in this file: its pages are blank.")


def _has_image(pdf: pypdfium2.PdfDocument, index: int) -> bool:
    try:
        with contextlib.closing(pdf[index]) as page:
            kinds = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING, pdfium.FPDF_PAGEOBJ_PATH)
            return next(iter(page.get_objects(filter=kinds)), None) is not None
    except pypdfium2.PdfiumError:
        return False
