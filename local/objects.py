"""S3 objects that outlive the process, and the events that S3 sends about them.

moto keeps objects in memory and its events lack fields, so both are done here: moto reports each change,
the change is written to disk, and then the event goes to the queue, before the caller has its answer.
"""

import hashlib
import itertools
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from functions.manifest import UPLOADS_BUCKET
from local.lambdas.model import ACCOUNT, REGION
from local.s3_post import FORM_UPLOAD, PostPolicies
from local.services import AwsServices
from rolecall.knowledge.documents import KEY_PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger("local.objects")

UPLOADS_QUEUE = "rolecall-uploads"
_numbers = itertools.count()


@dataclass(frozen=True)
class _Change:
    event: str
    """`ObjectCreated:Put`, `ObjectRemoved:Delete`, …"""
    bucket: str
    key: Any
    """moto's object."""


def sequencer() -> str:
    """Return a hexadecimal number greater than all before it."""
    return f"{time.time_ns() * 64 + next(_numbers) % 64:018X}"


def s3_event(change: _Change) -> dict[str, Any]:
    """Build what S3 sends about a change. The key is encoded as in a form: a space is a plus."""
    created = change.event.startswith("ObjectCreated")
    facts = {"size": change.key.size, "eTag": change.key.etag.strip('"')} if created else {}
    record = {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": REGION,
        "eventTime": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "eventName": change.event,
        "userIdentity": {"principalId": f"AWS:{ACCOUNT}"},
        "requestParameters": {"sourceIPAddress": "127.0.0.1"},
        "responseElements": {"x-amz-request-id": uuid.uuid4().hex[:16].upper(), "x-amz-id-2": uuid.uuid4().hex},
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "uploads",
            "bucket": {
                "name": change.bucket,
                "ownerIdentity": {"principalId": ACCOUNT},
                "arn": f"arn:aws:s3:::{change.bucket}",
            },
            "object": {"key": quote_plus(change.key.name), **facts, "sequencer": sequencer()},
        },
    }
    return {"Records": [record]}


class ObjectStore:
    """The uploads bucket on disk. One file an object: a line of JSON about it, then its bytes."""

    def __init__(self, folder: Path, aws: AwsServices) -> None:
        self._folder = folder
        self._aws = aws
        self._changes = threading.local()
        self._lock = threading.Lock()
        self._moto_send_event: Any = None
        aws.wrappers.append(self._wrap)

    def start(self) -> None:
        """Create the bucket and its queue, with the objects of the last run in it."""
        from moto.s3 import notifications

        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._aws.create_queues([UPLOADS_QUEUE])
        self._aws.client("s3").create_bucket(
            Bucket=UPLOADS_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        self._moto_send_event = notifications.send_event
        vars(notifications)["send_event"] = self._note
        for path in sorted(self._folder.iterdir()):
            self._restore(path)

    def stop(self) -> None:
        """Give moto its own events back."""
        from moto.s3 import notifications

        vars(notifications)["send_event"] = self._moto_send_event

    def _note(self, _account: str, event_name: str, bucket: Any, key: Any) -> None:
        """Remember a change until moto has finished the request: it sets an object's type after the event."""
        name = str(getattr(event_name, "value", event_name)).removeprefix("s3:")
        if name.startswith(("ObjectCreated", "ObjectRemoved")) and bucket.name == UPLOADS_BUCKET:
            vars(self._changes).setdefault("noted", []).append(_Change(name, bucket.name, key))

    def _wrap(self, app: "WSGIApplication") -> "WSGIApplication":
        def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
            vars(self._changes)["noted"] = []
            response = app(environ, start_response)
            for change in vars(self._changes)["noted"]:
                self._keep(change)
                seen = replace(change, event="ObjectCreated:Post") if environ.get(FORM_UPLOAD) else change
                if change.key.name.startswith(KEY_PREFIX):  # as the bucket's notification in AWS is limited to it
                    self._aws.send_to_queue(UPLOADS_QUEUE, s3_event(seen))
            return response

        return PostPolicies(application)

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()

    def _keep(self, change: _Change) -> None:
        path = self._path(change.key.name)
        with self._lock:
            if change.event.startswith("ObjectRemoved"):
                path.unlink(missing_ok=True)
                return
            about = {
                "key": change.key.name,
                "etag": change.key.etag.strip('"'),
                "metadata": dict(change.key.metadata),
                "lastModified": change.key.last_modified.isoformat(),
            }
            temporary = path.with_suffix(".new")
            with temporary.open("wb") as file:
                file.write(json.dumps(about).encode() + b"\n" + change.key.value)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)

    def _restore(self, path: Path) -> None:
        from moto.s3.models import s3_backends

        if path.suffix == ".new":  # written when the process was killed
            path.unlink()
            return
        try:
            header, _, body = path.read_bytes().partition(b"\n")
            about = json.loads(header)
            key, etag, metadata = about["key"], about["etag"], about["metadata"]
            modified = datetime.fromisoformat(about["lastModified"])
        except (ValueError, KeyError, TypeError) as exc:
            log.warning("an object's file cannot be read and is left alone: %s: %s", path, exc)
            return
        stored = s3_backends[ACCOUNT]["aws"].put_object(UPLOADS_BUCKET, key, body, etag=etag, disable_notification=True)
        stored.set_metadata(metadata)
        stored.last_modified = modified
