"""Small pictures, made from scratch."""

import struct
import zlib


def a_png(width: int = 2, height: int = 2) -> bytes:
    """A grey picture; the file is sound even where its size is a lie."""
    rows = b"".join(b"\0" + b"\x80" * min(width, 16) for _ in range(min(height, 16)))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def a_jpeg(width: int = 2, height: int = 2) -> bytes:
    """A JPEG's skeleton: its frame says how large it is."""
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + frame + b"\xff\xda\0\x08\1\1\0\0\x3f\0\x00\xff\xd9"


def a_gif(width: int = 2, height: int = 2) -> bytes:
    """A GIF's skeleton."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def a_webp(width: int = 2, height: int = 2) -> bytes:
    """A lossless WebP's skeleton."""
    data = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\0" * 5
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"WEBPVP8L" + struct.pack("<I", len(data)) + data
