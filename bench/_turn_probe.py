"""Runs the turn's handler in this process and counts what it does before the first delta. Used by turn_overhead.py."""

import json
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
from botocore.httpsession import URLLib3Session

from functions.chat import turn
from local.demo import DEMO_RECRUITER
from rolecall.aws.sockets import Delivery, Sockets
from rolecall.db import connection
from rolecall.identity import Caller


class Probe:
    """Counts round trips of the handler's own thread until the first delta is posted."""

    def __init__(self) -> None:
        self.names: Counter[str] = Counter()
        self.waiting = 0.0
        self.cpu = self.wall = 0.0
        self.open = False

    def start(self) -> None:
        self.names.clear()
        self.waiting, self.open = 0.0, True
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def stop(self) -> None:
        if self.open:
            self.open = False
            self.cpu = time.process_time() - self._cpu
            self.wall = time.perf_counter() - self._wall
            self.names["postgres"] = trace.trips()

    def timed(self, name: str, call: Any) -> Any:
        began = time.perf_counter()
        try:
            return call()
        finally:
            if self.open and threading.current_thread() is threading.main_thread():
                self.names[name] += 1
                self.waiting += time.perf_counter() - began


probe = Probe()
send = URLLib3Session.send


def counted_send(self: Any, request: Any) -> Any:
    name = request.headers.get("X-Amz-Target", b"") or request.url.split("/")[3]
    shown = name.decode() if isinstance(name, bytes) else name
    return probe.timed(shown.rsplit(".", 1)[-1], lambda: send(self, request))


def counted_post(self: Any, connection: str, payload: str) -> Delivery:
    """Count a post as one trip, and spare the bench a socket."""
    if '"type":"ChatProcessing"' in payload:
        return Delivery.SENT  # posted beside the reads
    probe.timed("post", lambda: None)
    probe.stop()
    return Delivery.SENT


class Trace:
    """libpq's own account of what goes to the server and what comes back."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("w+")

    def follow(self, *given: Any, **more: Any) -> psycopg.Connection:
        self.conn = connect(*given, **more)
        return self.conn

    def start(self) -> None:
        """Write down from now on; it costs time, so not while time is measured."""
        self.conn.pgconn.trace(self.file.fileno())
        self.conn.pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)

    def trips(self) -> int:
        """How often the server said since the last look that it waits for us: once a round trip."""
        self.file.flush()
        end = self.file.seek(0, 2)
        self.file.seek(self.seen)
        lines = self.file.read(end - self.seen).splitlines()
        self.seen = end
        return sum("ReadyForQuery" in line for line in lines)

    seen = 0


connect = connection.connect
trace = Trace()


def main(conversation: str, turns: int) -> None:
    URLLib3Session.send = counted_send
    connection.connect = trace.follow
    Sockets.post = counted_post
    caller = Caller(DEMO_RECRUITER.user_id, DEMO_RECRUITER.company_id)
    runs, counts = [], []
    for number in range(turns + 13):
        if number == turns + 3:
            trace.start()
        event = {
            "kind": "message",
            "chat": {"action": "agentChat", "conversationId": conversation, "content": "Hello"},
            "messageId": str(uuid4()),
            "caller": caller.plain(),
            "connectionId": "AAAAAAAAAAAAAAA=",
        }
        trace.trips()
        probe.start()
        turn.handler(event, SimpleNamespace(aws_request_id="bench"))
        runs.append((probe.cpu, probe.wall, probe.waiting))
        counts.append(dict(probe.names))
    runs, counts = runs[3 : turns + 3], counts[turns + 3 :]
    print(
        json.dumps(
            {
                "trips": statistics.median(sum(names.values()) for names in counts),
                "cpu_ms": statistics.median(run[0] for run in runs) * 1000,
                "wall_ms": statistics.median(run[1] for run in runs) * 1000,
                "waiting_ms": statistics.median(run[2] for run in runs) * 1000,
                "names": ", ".join(f"{name} {count}" for name, count in counts[-1].items()),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
