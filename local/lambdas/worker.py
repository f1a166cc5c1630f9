"""One Lambda execution environment: a process that imports a handler once and runs one event at a time.

Started as `python -m local.lambdas.worker HANDLER FD`. Over the socket FD it gets one JSON message an
invocation and answers with one; end of file is the end of the process.
"""

import ctypes
import importlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from local.lambdas.context import LambdaContext

Handler = Callable[[Any, LambdaContext], Any]

PR_SET_PDEATHSIG = 1
THREAD_GRACE_SECONDS = 0.1
"""How long a thread may go on after its handler returned before it counts as left behind."""


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill this process when the stack dies, however it dies."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def error_payload(exc: BaseException, request_id: str) -> dict[str, Any]:
    """Render an exception as Lambda's Python runtime does."""
    return {
        "errorMessage": str(exc),
        "errorType": type(exc).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_list(traceback.extract_tb(exc.__traceback__)[1:]),
    }


def load_handler(path: str) -> Handler:
    """Import `package.module.function`."""
    module_name, _, function_name = path.rpartition(".")
    handler: Handler = getattr(importlib.import_module(module_name), function_name)
    return handler


def left_behind(before: set[threading.Thread]) -> list[str]:
    """Return the names of threads that the invocation started and that still run."""
    deadline = time.monotonic() + THREAD_GRACE_SECONDS
    while (new := set(threading.enumerate()) - before) and time.monotonic() < deadline:
        time.sleep(0.005)
    return sorted(thread.name for thread in new)


def marshal(result: object, request_id: str) -> tuple[str, bool]:
    """Return the response's JSON, and whether it is an error because the result has none."""
    try:
        text = json.dumps(result, ensure_ascii=False)
        text.encode()  # half a character has no UTF-8
    except (TypeError, ValueError, RecursionError) as exc:
        failed = {
            "errorMessage": f"Unable to marshal response: {exc}",
            "errorType": "Runtime.MarshalError",
            "requestId": request_id,
            "stackTrace": [],
        }
        return json.dumps(failed), True
    return text, False


def invoke(handler: Handler, message: dict[str, Any]) -> dict[str, Any]:
    """Run one invocation and describe how it ended."""
    context = LambdaContext(**message["context"])
    os.environ["_X_AMZN_TRACE_ID"] = message["trace_id"]
    before = set(threading.enumerate())
    failed = False
    try:
        result = handler(json.loads(message["event"]), context)
    except Exception as exc:  # noqa: BLE001 - any error of a handler is the invocation's result
        traceback.print_exc()
        result, failed = error_payload(exc, context.aws_request_id), True
    payload, unmarshallable = marshal(result, context.aws_request_id)
    return {"payload": payload, "failed": failed or unmarshallable, "threads": left_behind(before)}


def main(handler_path: str, descriptor: str) -> None:
    """Serve invocations until the stack closes the socket."""
    die_with_parent(int(os.environ.pop("ROLECALL_STACK_PID")))
    channel = Connection(int(descriptor))
    try:
        handler = load_handler(handler_path)
    except Exception as exc:
        traceback.print_exc()
        channel.send_bytes(json.dumps({"init_error": str(exc), "type": type(exc).__name__}).encode())
        raise SystemExit(1) from exc
    channel.send_bytes(json.dumps({"ready": True}).encode())
    while True:
        try:
            message = json.loads(channel.recv_bytes())
        except EOFError:
            os._exit(0)  # a handler's thread must not keep an environment whose stack is gone
        channel.send_bytes(json.dumps(invoke(handler, message)).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
