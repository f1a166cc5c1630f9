import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote_plus

import httpx
import pytest

import local
from functions.manifest import UPLOADS_BUCKET
from local.objects import sequencer
from tests.fakes.waiting import eventually


@pytest.fixture
def s3(stack):
    return stack.client("s3")


@pytest.fixture
def events_of(noted):
    """Return the S3 records of a key, in the order in which the function behind the queue got them."""

    def look(key):
        bodies = [
            json.loads(r["body"]) for r in noted(lambda r: r.get("eventSource") == "aws:sqs" and "s3Sc" in r["body"])
        ]
        records = [record for body in bodies for record in body["Records"]]
        return [r for r in records if unquote_plus(r["s3"]["object"]["key"]) == key]

    return look


def test_an_upload_sends_s3s_event(s3, events_of):
    key = "uploads/åäö + 100%/My CV (1).pdf"
    etag = s3.put_object(Bucket=UPLOADS_BUCKET, Key=key, Body=b"hello")["ETag"]
    (record,) = eventually(lambda: events_of(key))
    assert record["eventName"] == "ObjectCreated:Put"
    assert record["eventSource"] == "aws:s3"
    assert record["eventVersion"] == "2.1"
    assert record["awsRegion"] == "eu-north-1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["eventTime"])
    assert record["s3"]["bucket"] == {
        "name": UPLOADS_BUCKET,
        "ownerIdentity": {"principalId": "123456789012"},
        "arn": f"arn:aws:s3:::{UPLOADS_BUCKET}",
    }
    found = record["s3"]["object"]
    assert found["key"] == "uploads%2F%C3%A5%C3%A4%C3%B6+%2B+100%25%2FMy+CV+%281%29.pdf"
    assert found["size"] == 5
    assert found["eTag"] == etag.strip('"')
    assert "versionId" not in found


def test_the_sequencer_grows_with_every_change_of_a_key(s3, events_of):
    for body in (b"1", b"2", b"3"):
        s3.put_object(Bucket=UPLOADS_BUCKET, Key="uploads/same", Body=body)
    s3.delete_object(Bucket=UPLOADS_BUCKET, Key="uploads/same")
    records = eventually(lambda: found if len(found := events_of("uploads/same")) == 4 else None)
    numbers = {r["s3"]["object"]["sequencer"]: r["eventName"] for r in records}
    assert all(re.fullmatch(r"[0-9A-F]{18}", number) for number in numbers)
    assert [numbers[number] for number in sorted(numbers)] == ["ObjectCreated:Put"] * 3 + ["ObjectRemoved:Delete"]


def test_a_removed_object_has_neither_size_nor_etag(s3, events_of):
    s3.put_object(Bucket=UPLOADS_BUCKET, Key="uploads/gone", Body=b"1")
    s3.delete_objects(Bucket=UPLOADS_BUCKET, Delete={"Objects": [{"Key": "uploads/gone"}]})
    removed = eventually(lambda: [r for r in events_of("uploads/gone") if r["eventName"] == "ObjectRemoved:Delete"])
    assert removed[0]["s3"]["object"].keys() == {"key", "sequencer"}


def test_sequencers_never_fall_behind():
    numbers = [sequencer() for _ in range(1000)]
    assert numbers == sorted(set(numbers))


def form(s3, key="uploads/a.txt", **more):
    given = {
        "Fields": {"Content-Type": "text/plain", "x-amz-meta-document": "d1"},
        "Conditions": [
            ["content-length-range", 1, 10],
            {"Content-Type": "text/plain"},
            ["starts-with", "$x-amz-meta-document", "d"],
        ],
        "ExpiresIn": 60,
        **more,
    }
    return s3.generate_presigned_post(UPLOADS_BUCKET, key, **given)


def upload(post, content=b"hello", **changes):
    fields = {name: value for name, value in {**post["fields"], **changes}.items() if value is not None}
    return httpx.post(post["url"], data=fields, files={"file": ("a.txt", content)})


def test_a_presigned_post_stores_the_object_with_its_type_and_metadata(s3, events_of):
    answer = upload(form(s3, key="uploads/posted.txt"))
    assert answer.status_code == 204
    found = s3.get_object(Bucket=UPLOADS_BUCKET, Key="uploads/posted.txt")
    assert found["Body"].read() == b"hello"
    assert found["ContentType"] == "text/plain"
    assert found["Metadata"] == {"document": "d1"}
    assert eventually(lambda: events_of("uploads/posted.txt"))[0]["eventName"] == "ObjectCreated:Post"


def test_a_presigned_post_replaces_the_object_that_is_there(s3):
    statuses = [upload(form(s3, key="uploads/twice.txt"), content).status_code for content in (b"one", b"two")]
    assert statuses == [204, 204]
    assert s3.get_object(Bucket=UPLOADS_BUCKET, Key="uploads/twice.txt")["Body"].read() == b"two"


@pytest.mark.parametrize(
    ("content", "changes", "status", "code"),
    [
        (b"x" * 11, {}, 400, "EntityTooLarge"),
        (b"", {}, 400, "EntityTooSmall"),
        (b"ok", {"Content-Type": "text/html"}, 403, "AccessDenied"),
        (b"ok", {"key": "uploads/other.txt"}, 403, "AccessDenied"),
        (b"ok", {"x-amz-meta-document": "e1"}, 403, "AccessDenied"),
        (b"ok", {"x-amz-meta-extra": "1"}, 403, "AccessDenied"),
        (b"ok", {"policy": None}, 403, "AccessDenied"),
        (b"ok", {"policy": base64.b64encode(b"{}").decode()}, 403, "SignatureDoesNotMatch"),
        (b"ok", {"x-amz-signature": "0" * 64}, 403, "SignatureDoesNotMatch"),
        (b"ok", {"x-amz-credential": "somebody/20260101/eu-north-1/s3/aws4_request"}, 403, "AccessDenied"),
    ],
)
def test_a_form_that_its_policy_does_not_allow_is_refused(s3, content, changes, status, code):
    answer = upload(form(s3, key="uploads/refused.txt"), content, **changes)
    assert answer.status_code == status
    assert f"<Code>{code}</Code>" in answer.text
    assert "Contents" not in s3.list_objects_v2(Bucket=UPLOADS_BUCKET, Prefix="uploads/refused")


def test_a_form_whose_policy_is_over_is_refused(s3):
    answer = upload(form(s3, ExpiresIn=-1))
    assert answer.status_code == 403
    assert "Policy expired" in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"--x\r\n\r\n--x--", b"--x\r\nContent-Disposition: form-data\r\n\r\n"]
)
def test_a_malformed_form_is_refused(stack, body):
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{stack.aws.url}/{UPLOADS_BUCKET}", content=body, headers=headers)
    assert 400 <= answer.status_code < 500


WRITER = """
import sys, time
from pathlib import Path
from local.stack import Stack
stack = Stack(Path(sys.argv[1]), port=0, functions=[], postgres=False, bedrock=False, machine_file=None)
stack.start()
s3 = stack.client("s3")
s3.put_object(Bucket="rolecall-uploads", Key="kept/ä b", Body=b"1" * 70000, ContentType="text/x", Metadata={"a": "b"})
s3.put_object(Bucket="rolecall-uploads", Key="dropped", Body=b"2")
s3.delete_object(Bucket="rolecall-uploads", Key="dropped")
print(s3.head_object(Bucket="rolecall-uploads", Key="kept/ä b")["ETag"], flush=True)
time.sleep(60)
"""

READER = """
import json, sys
from pathlib import Path
from local.stack import Stack
with Stack(Path(sys.argv[1]), port=0, functions=[], postgres=False, bedrock=False, machine_file=None) as stack:
    s3 = stack.client("s3")
    (found,) = s3.list_objects_v2(Bucket="rolecall-uploads")["Contents"]
    head = s3.get_object(Bucket="rolecall-uploads", Key=found["Key"])
    url = stack.aws.queue_url("rolecall-uploads")
    print(json.dumps([found["Key"], head["ETag"], head["ContentType"], head["Metadata"], len(head["Body"].read()),
        head["LastModified"].timestamp(), stack.client("sqs").receive_message(QueueUrl=url).get("Messages")]))
"""


def test_objects_survive_a_kill_and_a_restart(tmp_path):
    def command(program):
        return [sys.executable, "-c", program, str(tmp_path / "data")]

    root = Path(local.__file__).parents[1]
    with subprocess.Popen(command(WRITER), stdout=subprocess.PIPE, cwd=root) as writer:
        etag = writer.stdout.readline().decode().strip()
        os.kill(writer.pid, signal.SIGKILL)
    (tmp_path / "data" / "objects" / "half.new").write_bytes(b"half")
    (tmp_path / "data" / "objects" / "damaged").write_bytes(b"no header")
    answer = subprocess.run(command(READER), capture_output=True, cwd=root, check=True, timeout=30).stdout
    key, kept_etag, content_type, metadata, size, modified, messages = json.loads(answer)
    assert (key, kept_etag, content_type, metadata, size) == ("kept/ä b", etag, "text/x", {"a": "b"}, 70000)
    assert modified <= time.time()
    assert messages is None
    assert not (tmp_path / "data" / "objects" / "half.new").exists()
