"""Uploaded objects: read within a limit, deleted, and uploaded by a form that S3 itself checks."""

import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from rolecall.aws import clients

_STEP: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Stored:
    """An object's bytes, and the name of this version of it."""

    body: bytes
    etag: str


class ObjectTooLarge(Exception):
    """The object is larger than the reader takes; nothing of it was read."""


class ObjectUnavailable(Exception):
    """The object could not be read now, or not in time; it may be there."""


def fetch(bucket: str, key: str, *, limit: int) -> Stored | None:
    """Read a whole object; None where there is none.

    Raises:
        ObjectTooLarge: it has more than `limit` bytes.
    """
    client = clients.s3()
    try:
        found = client.get_object(Bucket=bucket, Key=key)
    except client.exceptions.NoSuchKey:
        return None
    with found["Body"] as body:
        if found["ContentLength"] > limit:
            raise ObjectTooLarge
        return Stored(body.read(), found["ETag"].strip('"'))


def fetch_quickly(bucket: str, key: str, *, limit: int, seconds: float) -> Stored | None:
    """Read a whole object for somebody who waits; None where there is none.

    Raises:
        ObjectTooLarge: it has more than `limit` bytes.
        ObjectUnavailable: the store did not answer, refused, or took longer than `seconds`.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    client, deadline = clients.hasty_s3(), time.monotonic() + seconds
    try:
        found = client.get_object(Bucket=bucket, Key=key)
        with found["Body"] as body:
            if found["ContentLength"] > limit:
                raise ObjectTooLarge
            data = bytearray()
            while len(data) <= limit and (piece := body.read(min(_STEP, limit + 1 - len(data)))):
                data += piece
                if time.monotonic() > deadline:
                    raise ObjectUnavailable("too slow")
    except client.exceptions.NoSuchKey:
        return None
    except (BotoCoreError, ClientError, OSError) as error:
        raise ObjectUnavailable(type(error).__name__) from error
    if len(data) > limit:
        raise ObjectTooLarge
    if len(data) != found["ContentLength"]:
        raise ObjectUnavailable("cut off")
    return Stored(bytes(data), found["ETag"].strip('"'))


def delete(bucket: str, key: str) -> None:
    """Delete an object; one that is not there is what was wanted."""
    clients.s3().delete_object(Bucket=bucket, Key=key)


def download_url(bucket: str, key: str, *, filename: str, mime_type: str, seconds: int = 300) -> str:
    """Sign an address that anyone may read this one object at for a while; browsers save it under `filename`."""
    plain = filename.encode("ascii", "replace").decode().replace('"', "'").replace("\\", "_").replace("?", "_")
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
    return clients.s3().generate_presigned_url(
        "get_object",
        Params={
            "Bucket": bucket,
            "Key": key,
            "ResponseContentType": mime_type,
            "ResponseContentDisposition": disposition,
        },
        ExpiresIn=seconds,
    )


def upload_form(
    bucket: str, key: str, *, mime_type: str, limit: int, seconds: int = 900, least: int = 0
) -> dict[str, Any]:
    """Sign a form that uploads this one object: `{url, fields}`, the file as the last field `file`.

    Args:
        bucket: Where to.
        key: The exact key.
        mime_type: The type that the form must declare.
        limit: Bytes at most.
        seconds: How long the form is good for.
        least: Bytes at least.
    """
    return clients.s3().generate_presigned_post(
        Bucket=bucket,
        Key=key,
        Fields={"Content-Type": mime_type},
        Conditions=[{"Content-Type": mime_type}, ["content-length-range", least, limit]],
        ExpiresIn=seconds,
    )
