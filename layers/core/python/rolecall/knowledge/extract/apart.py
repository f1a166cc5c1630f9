"""Reads a file in a child process, so that what crashes, hangs or swells is the child and not its reader.

The bytes go through a pipe and the text comes back through one; nothing touches a disk.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from rolecall.knowledge.extract import BinaryReader, read_binary
from rolecall.knowledge.extract.blocks import Block, Read
from rolecall.knowledge.extract.kinds import Kind
from rolecall.knowledge.faults import Fault, UnreadableDocument
from rolecall.telemetry import log

MEMORY_BYTES: Final = 1536 * 1024 * 1024
BEAT_SECONDS: Final = 20.0
_BOOT: Final = (
    "import json, sys\n"
    "order = json.loads(sys.stdin.buffer.readline())\n"
    "sys.path[:] = order['path']\n"
    "from rolecall.knowledge.extract.apart import serve\n"
    "serve(order)\n"
)


def reader(deadline: float, on_beat: Callable[[], None], *, memory: int = MEMORY_BYTES) -> BinaryReader:
    """Return a reader that gives up at `deadline` (of `time.monotonic()`).

    Args:
        deadline: When the child is killed.
        on_beat: Called now and then while the child works; what it raises ends the child.
        memory: Bytes of address space that the child may take.
    """
    return lambda kind, data: _read_apart(kind, data, deadline, on_beat, memory)


def _read_apart(kind: Kind, data: bytes, deadline: float, on_beat: Callable[[], None], memory: int) -> Read:
    order = json.dumps({"path": sys.path, "kind": kind, "memory": memory}).encode() + b"\n"
    with subprocess.Popen(  # noqa: S603 - our own interpreter, and no argument comes from outside
        [sys.executable, "-c", _BOOT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        try:
            answer = _wait(child, order + data, deadline, on_beat)
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        log.warning("reader died", extra={"kind": kind, "returncode": child.returncode})
        raise UnreadableDocument(Fault.CORRUPT, "This file could not be read: the attempt broke off.")
    return _understood(json.loads(answer))


def _wait(child: "subprocess.Popen[bytes]", given: bytes | None, deadline: float, on_beat: Callable[[], None]) -> bytes:
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise UnreadableDocument(Fault.TIMEOUT)
        try:
            return child.communicate(given, timeout=min(BEAT_SECONDS, left))[0]
        except subprocess.TimeoutExpired:
            given = None  # communicate goes on with what it was given first
            on_beat()


def _understood(answer: dict[str, Any]) -> Read:
    if "fault" in answer:
        raise UnreadableDocument(Fault(answer["fault"]), answer["message"], hint=answer["hint"])
    return Read([Block(*block) for block in answer["blocks"]], answer["title"], answer["pages"])


# In the child ----------------------------------------------------------------------------------------------


def serve(order: dict[str, Any]) -> None:
    """Read what stands on standard input and write the answer to standard output."""
    _limit(order["memory"])
    json.dump(_answer(Kind(order["kind"]), sys.stdin.buffer.read()), sys.stdout)


def _answer(kind: Kind, data: bytes) -> dict[str, Any]:
    try:
        read = read_binary(kind, data)
    except UnreadableDocument as fault:
        return {"fault": fault.reason, "message": fault.message, "hint": fault.recovery_hint}
    except MemoryError:
        large = UnreadableDocument(Fault.TOO_LARGE, "This file takes too much memory to be read.")
        return {"fault": large.reason, "message": large.message, "hint": large.recovery_hint}
    blocks = [(block.text, block.page, block.section) for block in read.blocks]
    return {"blocks": blocks, "title": read.title, "pages": read.page_count}


def _limit(memory: int) -> None:
    if sys.platform != "linux":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
