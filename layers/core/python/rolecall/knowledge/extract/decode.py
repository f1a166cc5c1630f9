"""From bytes to text: byte order marks, UTF-8, UTF-16 without a mark, and what the statistics say."""

import codecs
import re
from typing import Final

from rolecall.knowledge.faults import Fault, UnreadableDocument

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_CONTROLS: Final = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd]")
_MAX_CONTROLS: Final = 0.02
_SAMPLE: Final = 512 * 1024
_MOSTLY_ASCII: Final = 0.2
_AS_GOOD: Final = 0.02


def decode(data: bytes) -> str:
    """Return the text.

    Raises:
        UnreadableDocument: the bytes are no text in any encoding.
    """
    text = _marked(data) or _unicode(data) or _declared(data) or _detected(data)
    if text is None or _looks_binary(text):
        raise UnreadableDocument(Fault.CORRUPT, "This is not a text file, or it is damaged.")
    return text


def _marked(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            return None if text.count("\ufffd") > len(text) // 50 + 1 else text
    return None


def _unicode(data: bytes) -> str | None:
    wide = _wide_encoding(data[:_SAMPLE])
    try:
        return data.decode(wide or "utf-8")
    except UnicodeDecodeError:
        return None


def _wide_encoding(sample: bytes) -> str | None:
    """Recognise UTF-16 without a mark by its zeros, which stand at every other place."""
    if len(sample) < 4 or len(sample) % 2:
        return None
    high, low = sample[1::2].count(0), sample[0::2].count(0)
    half = len(sample) // 2
    if high > half * 0.4 and low < half * 0.05:
        return "utf-16-le"
    if low > half * 0.4 and high < half * 0.05:
        return "utf-16-be"
    return None


def _declared(data: bytes) -> str | None:
    """Follow an HTML file's own word, if the bytes bear it out."""
    match = _META.search(data[:4096])
    if match is None:
        return None
    try:
        return data.decode(match[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        return None


def _detected(data: bytes) -> str | None:
    """Go by statistics, and by Western European where they say little."""
    from charset_normalizer import from_bytes

    if b"\x00" in data:
        return None
    found = from_bytes(data[:_SAMPLE])
    best, western = found.best(), next((match for match in found if match.encoding == "cp1252"), None)
    foreign = sum(byte > 0x7F for byte in data[:_SAMPLE]) / len(data[:_SAMPLE])
    encodings = [best.encoding] if best else []
    if best is None or (foreign < _MOSTLY_ASCII and not best.coherence):
        encodings = ["cp1252", *encodings]
    elif western and western.chaos <= best.chaos + _AS_GOOD and western.coherence >= best.coherence - _AS_GOOD:
        encodings = ["cp1252"]
    for encoding in (*encodings, "cp1252", "latin-1"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _looks_binary(text: str) -> bool:
    sample = text[:_SAMPLE]
    return len(_CONTROLS.findall(sample)) > max(2, len(sample) * _MAX_CONTROLS)
