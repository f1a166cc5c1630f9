"""JSON documents in the live table: compressed, and in further items where one item does not hold them.

Such documents hold texts that nobody is to find later. They carry a version, so that two writers do not undo each
other, and whoever reads one looks at its expiry first.
"""

import json
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.aws.live import Item, LiveTable, Write

PIECE_BYTES: Final = 300 * 1024
"""Most bytes of a document in one item; DynamoDB's limit is 400 KB."""
Key = tuple[str, str]


def put(live: LiveTable, key: Key, document: Any, *, ttl: int, over: Item | None = None) -> bool:
    """Write a document in the place of the version that was read as `over`.

    Returns:
        False where another version is there; then nothing has changed.
    """
    return live.write(prepare(live, key, document, ttl=ttl, over=over)) is not None


def prepare(live: LiveTable, key: Key, document: Any, *, ttl: int, over: Item | None = None) -> Write:
    """Write all of a document but its first item, and return that item's write: with it the document is there."""
    version, expires = (over["version"] if over else 0) + 1, until(ttl)
    packed = zlib.compress(json.dumps(document).encode())
    pieces = [packed[start : start + PIECE_BYTES] for start in range(0, len(packed), PIECE_BYTES)]
    for index, piece in enumerate(pieces[1:], 1):
        item = {"data": piece, "expires_at": expires}
        live.write(Write(verb="Put", key=_piece_key(key, version, index), item=item))
    head = {"data": pieces[0], "pieces": len(pieces), "version": version, "expires_at": expires}
    if over is None:
        return Write(verb="Put", key=key, item=head, condition="attribute_not_exists(pk)")
    condition, values = "version = :version", {":version": version - 1}
    return Write(verb="Put", key=key, item=head, condition=condition, values=values)


def get(live: LiveTable, key: Key) -> tuple[Any, Item] | None:
    """Read a document and the item that it begins with; None where there is none, or it has expired."""
    item = live.get(*key)
    return (unpack(live, item), item) if item and is_fresh(item) else None


def unpack(live: LiveTable, item: Item) -> Any:
    """Put the document together that begins with this item."""
    key = item["pk"], item["sk"]
    further = (live.get(*_piece_key(key, item["version"], index)) for index in range(1, item["pieces"]))
    packed = b"".join([bytes(item["data"]), *(bytes(piece["data"]) for piece in further if piece)])
    return json.loads(zlib.decompress(packed))


def refresh(live: LiveTable, item: Item, ttl: int) -> None:
    """Keep a document for another `ttl` seconds, if half of that is over."""
    if item["expires_at"] > time.time() + ttl / 2:
        return
    key, values = (item["pk"], item["sk"]), {":expires": until(ttl)}
    for one in (key, *(_piece_key(key, item["version"], index) for index in range(1, item["pieces"]))):
        live.write(
            Write(
                verb="Update",
                key=one,
                update="SET expires_at = :expires",
                condition="attribute_exists(pk)",
                values=values,
            )
        )


def heads(live: LiveTable, pk: str, prefix: str) -> Iterator[Item]:
    """First items of the documents of a partition whose sort key begins with `prefix`, those that are not expired."""
    for item in live.query(pk, first=prefix, last=f"{prefix}\uffff"):
        if is_fresh(item):
            yield item


def is_fresh(item: Mapping[str, Any]) -> bool:
    """Say whether an item has not expired; DynamoDB deletes late."""
    return bool(item["expires_at"] > time.time())


def until(ttl: int) -> int:
    """The time, in seconds since the epoch, that is `ttl` seconds from now."""
    return int(time.time()) + ttl


def _piece_key(key: Key, version: int, index: int) -> Key:
    return key[0], f"PIECE#{key[1]}#{version}#{index}"
