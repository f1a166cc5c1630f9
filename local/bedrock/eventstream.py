"""The encoding application/vnd.amazon.eventstream: framed messages with string headers and two CRCs.

Layout: total length, headers length, CRC of those two, headers, payload, CRC of all before (big-endian).
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

CONTENT_TYPE = "application/vnd.amazon.eventstream"

_STRING_HEADER = 7
_FRAME_OVERHEAD = 16


def encode(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Return one framed message."""
    head = b"".join(_header(name, value) for name, value in headers.items())
    prelude = struct.pack("!II", _FRAME_OVERHEAD + len(head) + len(payload), len(head))
    framed = prelude + struct.pack("!I", zlib.crc32(prelude)) + head + payload
    return framed + struct.pack("!I", zlib.crc32(framed))


def event(name: str, body: Mapping[str, Any]) -> bytes:
    """Return the frame of an event such as `contentBlockDelta`."""
    return _message(":event-type", name, "event", body)


def exception(name: str, message: str) -> bytes:
    """Return the frame of an error such as `throttlingException`; it ends the stream."""
    return _message(":exception-type", name, "exception", {"message": message})


def _message(kind: str, name: str, message_type: str, body: Mapping[str, Any]) -> bytes:
    headers = {kind: name, ":content-type": "application/json", ":message-type": message_type}
    return encode(headers, json.dumps(body).encode())


def _header(name: str, value: str) -> bytes:
    key, text = name.encode(), value.encode()
    return struct.pack("!B", len(key)) + key + struct.pack("!BH", _STRING_HEADER, len(text)) + text
