import json
import os
import signal
import socket
import threading
import time

import pytest
from botocore.exceptions import ClientError

from rolecall.protocol.limits import EVENT_PAYLOAD_BYTES, SYNC_PAYLOAD_BYTES
from tests.fakes.waiting import eventually


def invoke(client, name, event, **more):
    answer = client.invoke(FunctionName=f"rolecall-{name}", Payload=json.dumps(event), **more)
    return answer, json.loads(answer["Payload"].read() or "null")


def test_boto3_invokes_a_function_and_gets_its_answer(lambda_client):
    answer, payload = invoke(lambda_client, "echo", {"å": [1, None]})
    assert answer["StatusCode"] == 200
    assert "FunctionError" not in answer
    assert payload["event"] == {"å": [1, None]}
    assert payload["function"] == "rolecall-echo"
    assert payload["arn"] == "arn:aws:lambda:eu-north-1:123456789012:function:rolecall-echo"
    assert payload["requestId"] == answer["ResponseMetadata"]["RequestId"]
    assert 9_000 < payload["remaining"] <= 10_000


def test_a_function_sees_its_own_overrides_and_none_of_the_others(lambda_client):
    assert invoke(lambda_client, "echo", {})[1]["env"].keys() == {"PROBE_LOG", "PROBE_ONE"}


def test_a_worker_stays_warm(lambda_client):
    assert len({invoke(lambda_client, "echo", {})[1]["pid"] for _ in range(5)}) == 1


@pytest.mark.parametrize(
    "name", ["arn:aws:lambda:eu-north-1:123456789012:function:rolecall-echo", "rolecall-echo:$LATEST"]
)
def test_a_function_is_found_by_arn_and_by_qualified_name(lambda_client, name):
    assert lambda_client.invoke(FunctionName=name)["StatusCode"] == 200


def test_an_unknown_function_is_not_found(lambda_client):
    with pytest.raises(lambda_client.exceptions.ResourceNotFoundException):
        invoke(lambda_client, "nobody", {})


def test_a_raised_error_comes_back_in_lambdas_shape(lambda_client):
    answer, payload = invoke(lambda_client, "tools", {"raise": "no"})
    assert answer["FunctionError"] == "Unhandled"
    assert payload["errorType"] == "ValueError"
    assert payload["errorMessage"] == "no"
    assert "handlers.py" in payload["stackTrace"][0]


@pytest.mark.parametrize(
    ("event", "kind", "words"),
    [
        ({"exit": 3}, "Runtime.ExitError", "exit status 3"),
        ({"set": 1}, "Runtime.MarshalError", "not JSON serializable"),
        ({"answer": "\ud83d"}, "Runtime.MarshalError", "surrogates"),
        ({"bytes": SYNC_PAYLOAD_BYTES + 99}, "Function.ResponseSizeTooLarge", "exceeded"),
    ],
)
def test_an_answer_that_cannot_be_is_an_error_of_the_runtime(lambda_client, event, kind, words):
    answer, payload = invoke(lambda_client, "tools", event)
    assert answer["FunctionError"] == "Unhandled"
    assert payload["errorType"] == kind
    assert words in payload["errorMessage"]
    assert invoke(lambda_client, "tools", {"answer": "next"})[1] == "next"


def test_a_function_that_takes_too_long_is_killed(lambda_client, tmp_path):
    began = time.monotonic()
    answer, payload = invoke(lambda_client, "hasty", {"sleep": 30, "touch": str(tmp_path / "pid")})
    assert time.monotonic() - began < 5
    assert answer["FunctionError"] == "Unhandled"
    assert payload["errorType"] == "Sandbox.Timedout"
    assert payload["errorMessage"].endswith("Task timed out after 1.00 seconds")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text().split()[0]), 0)


def test_a_module_that_is_not_there_is_an_init_error(lambda_client):
    answer, payload = invoke(lambda_client, "missing", {})
    assert answer["FunctionError"] == "Unhandled"
    assert payload["errorType"] == "Runtime.HandlerNotFound"


def test_a_worker_killed_in_mid_invocation_is_an_exit_error(stack, lambda_client):
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(invoke(lambda_client, "turn", {"sleep": 8})))
    thread.start()
    eventually(lambda: stack.kill_worker("turn"))
    thread.join(5)
    assert outcome[0][1]["errorType"] == "Runtime.ExitError"
    assert "signal: kill" in outcome[0][1]["errorMessage"]
    assert not stack.kill_worker("turn")


def test_a_worker_that_died_idle_is_replaced(lambda_client):
    pid = invoke(lambda_client, "echo", {})[1]["pid"]
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    assert invoke(lambda_client, "echo", {})[1]["pid"] != pid


def test_a_worker_runs_one_invocation_at_a_time_and_the_others_wait(stack, tmp_path):
    futures = [
        stack.lambdas.invoke("rolecall-tools", {"sleep": 0.2, "touch": str(tmp_path / "pids"), "answer": number})
        for number in range(8)
    ]
    assert [json.loads(future.result(20).payload) for future in futures] == list(range(8))
    assert len(set((tmp_path / "pids").read_text().split())) <= 4


def test_a_thread_that_outlives_its_handler_is_reported(stack, lambda_client):
    invoke(lambda_client, "tools", {"leave": 0.5})
    assert ("rolecall-tools", ("left-behind",)) in stack.leaks
    stack.lambdas.pools["rolecall-tools"].leaks.clear()
    time.sleep(0.5)
    invoke(lambda_client, "tools", {})
    assert stack.leaks == []


@pytest.mark.parametrize(("kind", "limit"), [("RequestResponse", SYNC_PAYLOAD_BYTES), ("Event", EVENT_PAYLOAD_BYTES)])
def test_a_payload_over_lambdas_limit_is_refused(lambda_client, kind, limit):
    with pytest.raises(ClientError) as refused:
        invoke(lambda_client, "echo", "x" * limit, InvocationType=kind)
    assert refused.value.response["Error"]["Code"] == "RequestEntityTooLargeException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413


def test_a_payload_at_lambdas_limit_is_taken(lambda_client):
    assert invoke(lambda_client, "front", "x" * (SYNC_PAYLOAD_BYTES - 2))[0]["StatusCode"] == 200


def test_a_payload_that_is_no_json_is_refused(lambda_client):
    with pytest.raises(lambda_client.exceptions.InvalidRequestContentException):
        lambda_client.invoke(FunctionName="rolecall-echo", Payload=b"{not json")


def test_a_dry_run_runs_nothing(lambda_client, tmp_path):
    answer, _ = invoke(lambda_client, "tools", {"touch": str(tmp_path / "ran")}, InvocationType="DryRun")
    assert answer["StatusCode"] == 204
    assert not (tmp_path / "ran").exists()


def test_the_log_tail_is_given_when_asked_for(lambda_client):
    assert "LogResult" in invoke(lambda_client, "tools", {"raise": "tail"}, LogType="Tail")[0]


INVOKE_ECHO = b"POST /2015-03-31/functions/rolecall-echo/invocations HTTP/1.1\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"POST /2015-03-31/functions/%00/invocations HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 404),
        (INVOKE_ECHO + b"X-Amz-Invocation-Type: Sometimes\r\nContent-Length: 0\r\n\r\n", 400),
        (INVOKE_ECHO + b"Content-Length: many\r\n\r\n", 400),
        (INVOKE_ECHO + b"Content-Length: -5\r\n\r\n", 400),
        (INVOKE_ECHO + b"Content-Length: 99999999999\r\n\r\n", 413),
        (INVOKE_ECHO + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (INVOKE_ECHO + b"Content-Length: 2\r\n\r\n\xff\xfe", 400),
        (b"BREW / HTTP/1.1\r\n\r\n", 501),
        (b"\x16\x03\x01\x00 nonsense\r\n\r\n", 400),
    ],
)
def test_a_malformed_request_gets_an_error_and_the_endpoint_lives_on(stack, lambda_client, request_bytes, status):
    with socket.create_connection(("127.0.0.1", int(stack.lambdas.url.rpartition(":")[2])), timeout=5) as raw:
        raw.sendall(request_bytes)
        answer = raw.recv(4096).decode()
    assert f" {status} " in answer.split("\n")[0] or f"Error code: {status}" in answer
    assert invoke(lambda_client, "echo", {})[0]["StatusCode"] == 200
