"""Pictures, told by their bytes: whether the file is whole, and how large the picture is."""

import struct
import zlib
from collections.abc import Callable
from typing import Final

from rolecall.knowledge.faults import Fault, UnreadableDocument

MAX_SIDE: Final = 8000
"""Pixels; models refuse more."""

Size = tuple[int, int]


def picture_type(data: bytes) -> str | None:
    """Return the MIME type of a picture that may be attached, None where the bytes are none.

    Raises:
        UnreadableDocument: the picture is damaged, cut off, or too large to be looked at.
    """
    mime = _by_magic(data)
    if mime is None:
        return None
    try:
        width, height = _SIZES[mime](data)
    except (struct.error, IndexError, ValueError) as error:
        raise UnreadableDocument(Fault.CORRUPT, "This picture is damaged or incomplete.") from error
    if not 0 < width <= MAX_SIDE or not 0 < height <= MAX_SIDE:
        raise UnreadableDocument(
            Fault.TOO_LARGE,
            f"This picture has {width} by {height} pixels; {MAX_SIDE} by {MAX_SIDE} are allowed.",
            hint="Make it smaller and attach it again.",
        )
    return mime


def _by_magic(data: bytes) -> str | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _png(data: bytes) -> Size:
    """Walk all chunks: each has its length and its checksum, and the last is IEND."""
    at, size, pixels = 8, None, False
    while True:
        length, kind = struct.unpack_from(">I4s", data, at)
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if zlib.crc32(memoryview(data)[at + 4 : at + 8 + length]) != checksum:
            raise ValueError("a chunk is damaged")
        if kind == b"IHDR":
            size = struct.unpack_from(">II", data, at + 8)
        pixels = pixels or kind == b"IDAT"
        if kind == b"IEND":
            break
        at += 12 + length
    if size is None or not pixels:
        raise ValueError("no picture in it")
    return size


def _jpeg(data: bytes) -> Size:
    """Find the frame's header; the picture's end may be followed by what cameras add."""
    at = 2
    while True:
        while data[at] != 0xFF:
            raise ValueError("no marker where one must be")
        while data[at] == 0xFF:
            at += 1
        marker = data[at]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack_from(">HH", data, at + 4)
            break
        if marker in {0xD9, 0xDA}:
            raise ValueError("no frame before the picture")
        (length,) = struct.unpack_from(">H", data, at + 1)
        at += 1 + length
    if data.rfind(b"\xff\xd9") < at:
        raise ValueError("cut off")
    return width, height


def _gif(data: bytes) -> Size:
    width, height = struct.unpack_from("<HH", data, 6)
    if not data.rstrip(b"\0\r\n").endswith(b";"):
        raise ValueError("cut off")
    return width, height


def _webp(data: bytes) -> Size:
    (size,) = struct.unpack_from("<I", data, 4)
    if size + 8 > len(data) + 1:  # some writers count a padding byte that they do not write
        raise ValueError("cut off")
    kind = data[12:16]
    if kind == b"VP8X":
        return _three(data, 24) + 1, _three(data, 27) + 1
    if kind == b"VP8L" and data[20] == 0x2F:
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError("no picture in it")


def _three(data: bytes, at: int) -> int:
    if len(data) < at + 3:
        raise ValueError("cut off")
    return int.from_bytes(data[at : at + 3], "little")


_SIZES: Final[dict[str, Callable[[bytes], Size]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
