"""Everything is killed at once and started again: what was stored is there."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.client import Client
from local.data import DataFolder
from local.demo import DEMO_RECRUITER
from local.secrets import load_secrets
from local.tokens import token_for
from local.uploads import upload
from tests.fakes.waiting import eventually


@contextmanager
def started(data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `rolecall up` in a session of its own; afterwards nothing of it is left, whatever state it was in."""
    command = [sys.executable, "-m", "local", "up", "--data", str(data), "--port", "0"]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    try:
        eventually(lambda: DataFolder(data).read_note(), timeout=60)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)


def connected(data: Path) -> Client:
    note = DataFolder(data).read_note()
    assert note is not None
    return Client(note.ws_url, token_for(DEMO_RECRUITER, load_secrets(data).token_secret))


def kill_everything(process: subprocess.Popen[bytes], data: Path) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
    postmaster = data / "postgres" / "postmaster.pid"
    if postmaster.exists():
        os.kill(int(postmaster.read_text().splitlines()[0]), signal.SIGKILL)
    DataFolder(data).remove_note()


@pytest.mark.timeout(180)
def test_messages_changes_and_documents_survive_a_kill_of_everything(tmp_path: Path) -> None:
    data, note = tmp_path / "data", tmp_path / "garden.txt"
    note.write_text("The old pear tree was planted in 1911.")
    with started(data) as process, connected(data) as client:
        conversation = client.request("createConversation")["conversation"]["conversationId"]
        document = upload(client, note, lambda *_: None)
        list(client.chat(conversation, "Please set my title to Head Gardener"))
        before = client.request("conversationMessages", conversationId=conversation)["messages"]
        kill_everything(process, data)

    with started(data), connected(data) as client:
        assert client.request("conversationMessages", conversationId=conversation)["messages"] == before
        assert client.request("whoAmI")["user"]["title"] == "Head Gardener"
        answer = list(client.chat(conversation, "When was the pear tree planted?"))[-1]
        assert "1911" in answer["content"]
        assert answer["sources"][0]["documentId"] == document.document_id
        again = upload(client, note, lambda *_: None)
        assert again.document_id == document.document_id
