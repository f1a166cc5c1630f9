"""The parent's side of one worker process."""

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from typing import Any

from local.lambdas.model import Invocation, Outcome, Spec
from local.paths import CHECKOUT
from rolecall.protocol.limits import SYNC_PAYLOAD_BYTES

INIT_SECONDS = 60
EXIT_SECONDS = 2
"""How long a worker that closed its socket may take to exit."""
RESPONSE_SLACK_BYTES = 100
"""Lambda allows a response this much over the 6 MB of a request."""


class WorkerProcess:
    """A process that runs one function, one invocation at a time. Used by one thread; others may kill it."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._channel, theirs = multiprocessing.Pipe()
        env = {**spec.env, "ROLECALL_STACK_PID": str(os.getpid())}
        spec.log_path.parent.mkdir(parents=True, exist_ok=True)
        with spec.log_path.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-m", "local.lambdas.worker", spec.handler, str(theirs.fileno())],
                env=env,
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C in the terminal is for the stack alone
            )
        theirs.close()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def wait_ready(self) -> Outcome | None:
        """Wait until the handler is imported; return the failure if it cannot be."""
        try:
            if not self._channel.poll(INIT_SECONDS):
                return Outcome.of_failure("Sandbox.Timedout", f"Init timed out after {INIT_SECONDS} seconds")
            message: dict[str, Any] = json.loads(self._channel.recv_bytes())
        except (EOFError, OSError):
            return self._exit_outcome("")
        if "init_error" not in message:
            return None
        kind = "Runtime.HandlerNotFound" if message["type"] == "AttributeError" else "Runtime.ImportModuleError"
        return Outcome.of_failure(
            kind, f"Unable to import module '{self.spec.handler}': {message['init_error']}", stackTrace=[]
        )

    def run(self, invocation: Invocation) -> Outcome:
        """Run one invocation. The process is dead afterwards if it timed out or exited."""
        request_id = invocation.request_id
        deadline = time.time() + self.spec.timeout_seconds
        try:
            self._channel.send_bytes(json.dumps(self._message(invocation, deadline)).encode())
            if not self._channel.poll(self.spec.timeout_seconds):
                self.kill()
                seconds = f"{self.spec.timeout_seconds:.2f}"
                return Outcome.of_failure(
                    "Sandbox.Timedout", f"RequestId: {request_id} Error: Task timed out after {seconds} seconds"
                )
            reply = json.loads(self._channel.recv_bytes())
        except (EOFError, OSError):
            return self._exit_outcome(request_id)
        return self._outcome(reply)

    def _message(self, invocation: Invocation, deadline: float) -> dict[str, Any]:
        return {
            "event": invocation.event.decode(),
            "trace_id": f"Root=1-{int(time.time()):08x}-{invocation.request_id.replace('-', '')[:24]};Sampled=0",
            "context": {
                "function_name": self.spec.name,
                "function_version": "$LATEST",
                "invoked_function_arn": self.spec.arn,
                "memory_limit_in_mb": str(self.spec.memory_mb),
                "aws_request_id": invocation.request_id,
                "log_group_name": f"/aws/lambda/{self.spec.name}",
                "log_stream_name": f"local/{self.pid}",
                "deadline": deadline,
                "client_context": invocation.client_context,
            },
        }

    @staticmethod
    def _outcome(reply: dict[str, Any]) -> Outcome:
        payload: bytes = reply["payload"].encode()
        threads = tuple(reply["threads"])
        limit = SYNC_PAYLOAD_BYTES + RESPONSE_SLACK_BYTES
        if len(payload) > limit:
            kind = "Function.ResponseSizeTooLarge"
            message = (
                f"Response payload size ({len(payload)} bytes) exceeded maximum allowed payload size ({limit} bytes)."
            )
            content = json.dumps({"errorMessage": message, "errorType": kind}).encode()
            return Outcome(payload=content, error="Unhandled", threads=threads)
        return Outcome(payload=payload, error="Unhandled" if reply["failed"] else None, threads=threads)

    def _exit_outcome(self, request_id: str) -> Outcome:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_SECONDS)
        self.kill()
        code = self._process.returncode
        how = f"signal: {signal.Signals(-code).name[3:].lower()}" if code < 0 else f"exit status {code}"
        return Outcome.of_failure(
            "Runtime.ExitError", f"RequestId: {request_id} Error: Runtime exited with error: {how}"
        )

    @property
    def alive(self) -> bool:
        """Whether it can take another invocation."""
        return not self._channel.closed and self._process.poll() is None

    def signal_kill(self) -> None:
        """Kill it from another thread; the invocation that it ran ends in Runtime.ExitError."""
        self._process.send_signal(signal.SIGKILL)  # nothing, if it has ended

    def kill(self) -> None:
        """End it and free what it held."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._channel.close()
