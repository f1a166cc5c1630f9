import json
import os
import signal
import stat
import subprocess
import sys

import httpx
import psutil
import pytest

from local.demo import DEMO_RECRUITER
from local.secrets import load_secrets
from rolecall.identity import verify_token
from rolecall.settings import TokenSettings
from tests.fakes.waiting import eventually


def rolecall(*arguments, **more):
    command = [sys.executable, "-c", "from local.cli import app; app()", *map(str, arguments)]
    env = {name: value for name, value in os.environ.items() if name not in {"MODEL", "ROLECALL_DATA"}}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **more)


def end_of(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="module")
def up(data):
    """A running `rolecall up`, and what its stack.json says."""
    process = rolecall("up", "--port", 0, "--data", data)
    eventually(lambda: (data / "stack.json").exists() or process.poll() is not None, timeout=60)
    assert process.poll() is None, end_of(process)
    note = json.loads((data / "stack.json").read_text())
    yield process, note
    if process.poll() is None:
        process.terminate()
        end_of(process)


def test_stack_json_tells_its_owner_alone_how_to_reach_the_stack(up, data):
    process, note = up
    assert stat.S_IMODE((data / "stack.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((data / "secrets.json").stat().st_mode) == 0o600
    assert note["pid"] == process.pid
    assert "secret" not in json.dumps(note).replace("secrets", "")
    assert httpx.get(f"{note['http_url']}/health").json() == {"status": "ok"}


def test_it_listens_on_this_machine_only(up):
    process, _ = up
    listening = [c for c in psutil.Process(process.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_a_second_start_on_the_same_folder_says_so(up, data):
    _, note = up
    code, _, err = end_of(rolecall("up", "--port", 0, "--data", data))
    assert code == 1
    assert err == f"Rolecall already runs on {data} at {note['http_url']}, process {note['pid']}.\n"


def test_a_second_start_on_the_same_port_says_so(up, tmp_path):
    port = up[1]["http_url"].rpartition(":")[2]
    code, _, err = end_of(rolecall("up", "--port", port, "--data", tmp_path / "other"))
    assert code == 1
    assert err == f"Port {port} cannot be used: Address already in use.\n"
    assert not (tmp_path / "other" / "stack.json").exists()


def test_a_data_folder_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = end_of(rolecall("up", "--port", 0, "--data", tmp_path / "file"))
    assert code == 1
    assert str(tmp_path / "file") in err
    assert "Traceback" not in err


def test_a_token_is_the_persons_and_each_visitor_is_somebody_new(up, data):
    tokens = [
        end_of(rolecall("token", "--as", who, "--data", data))[1].strip() for who in ("recruiter", "visitor", "visitor")
    ]
    settings = TokenSettings(secret=load_secrets(data).token_secret)
    recruiter, one, other = (verify_token(token, settings).caller for token in tokens)
    assert recruiter == DEMO_RECRUITER
    assert one.anonymous
    assert other.anonymous
    assert one.user_id != other.user_id


def test_ctrl_c_ends_everything_cleanly(up, data):
    process, _ = up
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.send_signal(signal.SIGINT)
    code, out, err = end_of(process)
    assert (code, err) == (0, "")
    assert "offline model" in out
    assert out.endswith("Stopped.\n")
    assert not (data / "stack.json").exists()
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]


def test_a_killed_stack_takes_its_workers_along_and_starts_again(up, data):
    process = rolecall("up", "--port", 0, "--data", data)
    note = data / "stack.json"
    eventually(note.exists, timeout=60)
    workers = [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if "local.lambdas.worker" in child.cmdline()
    ]
    assert workers
    process.kill()
    end_of(process)
    eventually(lambda: not any(worker.is_running() for worker in workers))
    again = rolecall("up", "--port", 0, "--data", data)
    eventually(lambda: note.exists() and json.loads(note.read_text())["pid"] == again.pid, timeout=60)
    again.terminate()
    assert end_of(again)[0] == 0
