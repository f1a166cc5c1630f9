"""A zip file from a stranger: read in memory, a part at a time, with limits on what it unpacks to."""

import io
import zipfile
import zlib
from typing import Final

from rolecall.knowledge.faults import Fault, UnreadableDocument

MAX_ENTRIES: Final = 10_000
MAX_PART_BYTES: Final = 64 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 128 * 1024 * 1024
MAX_RATIO: Final = 100
HARMLESS_BYTES: Final = 8 * 1024 * 1024
"""Below this no ratio is suspicious."""
_STEP: Final = 1024 * 1024


class Package:
    """The parts of a zip file. Sizes are counted as they come out, since headers may lie."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
            raise UnreadableDocument(Fault.CORRUPT) from error
        self._size = len(data)
        self._unpacked = 0
        self.names = self._zip.namelist()
        if len(self.names) > MAX_ENTRIES:
            raise UnreadableDocument(Fault.TOO_LARGE, "This file is too large when it is unpacked.")

    def read(self, name: str) -> bytes | None:
        """Return a part; None where there is none of that name.

        Raises:
            UnreadableDocument: too large, encrypted or damaged.
        """
        if name not in self._zip.NameToInfo:
            return None
        if self._zip.NameToInfo[name].flag_bits & 1:
            raise UnreadableDocument(Fault.ENCRYPTED)
        part = bytearray()
        try:
            with self._zip.open(name) as file:
                while piece := file.read(_STEP):
                    part += piece
                    self._unpacked += len(piece)
                    self._check(len(part))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise UnreadableDocument(Fault.CORRUPT) from error
        return bytes(part)

    def _check(self, part_size: int) -> None:
        inflated = self._unpacked > max(HARMLESS_BYTES, MAX_RATIO * self._size)
        if inflated or part_size > MAX_PART_BYTES or self._unpacked > MAX_TOTAL_BYTES:
            raise UnreadableDocument(Fault.TOO_LARGE, "This file is too large when it is unpacked.")
