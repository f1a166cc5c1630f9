"""Replies of any size: one that does not fit a frame goes in parts that the client joins."""

import time
from uuid import uuid4

from rolecall.aws.sockets import Delivery, Sockets
from rolecall.protocol.events import Frame, Part
from rolecall.protocol.limits import POST_BYTES
from rolecall.text import pieces

PART_CHARACTERS = 4_800
"""A part's text, escaped once more, fits a frame."""

POST_TRIES = 5


def frames_of(frame: Frame, reply_id: str) -> list[Frame]:
    """Return the frame itself, or its text in numbered parts."""
    text = frame.encoded()
    if len(text.encode()) <= POST_BYTES:
        return [frame]
    parts = pieces(text, PART_CHARACTERS)
    return [
        Part(part_of=reply_id, index=index, last=index == len(parts) - 1, text=part) for index, part in enumerate(parts)
    ]


def send_reply(sockets: Sockets, connection_id: str, frame: Frame) -> None:
    """Post a reply to its connection."""
    for part in frames_of(frame, str(uuid4())):
        for attempt in range(POST_TRIES):
            if sockets.send(connection_id, part) is not Delivery.THROTTLED:
                break
            time.sleep(0.1 * 2**attempt)
