"""Uploaded objects: read within a limit, deleted, and uploaded by a form that S3 itself checks."""

from dataclasses import dataclass
from typing import Any

from rolecall.aws import clients


@dataclass(frozen=True, slots=True)
class Stored:
    """An object's bytes, and the name of this version of it."""

    body: bytes
    etag: str


class ObjectTooLarge(Exception):
    """The object is larger than the reader takes; nothing of it was read."""


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


def delete(bucket: str, key: str) -> None:
    """Delete an object; one that is not there is what was wanted."""
    clients.s3().delete_object(Bucket=bucket, Key=key)


def upload_form(bucket: str, key: str, *, mime_type: str, limit: int, seconds: int = 900) -> dict[str, Any]:
    """Sign a form that uploads this one object: `{url, fields}`, the file as the last field `file`.

    Args:
        bucket: Where to.
        key: The exact key.
        mime_type: The type that the form must declare.
        limit: Bytes at most.
        seconds: How long the form is good for.
    """
    return clients.s3().generate_presigned_post(
        Bucket=bucket,
        Key=key,
        Fields={"Content-Type": mime_type},
        Conditions=[{"Content-Type": mime_type}, ["content-length-range", 0, limit]],
        ExpiresIn=seconds,
    )
