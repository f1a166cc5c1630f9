"""The workers of one function: started on demand, kept warm, each with a thread that feeds it."""

import logging
import queue
import threading
import time
from concurrent.futures import Future

from local.lambdas.model import Invocation, Outcome, Spec
from local.lambdas.process import WorkerProcess

log = logging.getLogger("local.lambdas")

MAX_QUEUE = 1000
"""Invocations that may wait for a worker; more are throttled."""

_Job = tuple[Invocation, "Future[Outcome]"]


class _Runner(threading.Thread):
    """Owns one worker process. (Linux kills a child when the thread that made it ends, so one thread does all.)"""

    def __init__(self, pool: "Pool") -> None:
        super().__init__(name=f"{pool.spec.name}-runner", daemon=True)
        self._pool = pool
        self.process: WorkerProcess | None = None
        self.busy = False

    def run(self) -> None:
        self._start_process()
        while (job := self._pool.next_job()) is not None:
            self._run_job(*job)
            self._pool.idle_again()
        if self.process:
            self.process.kill()

    def _start_process(self) -> Outcome | None:
        try:
            process = self.process = WorkerProcess(self._pool.spec)
        except OSError as exc:
            log.exception("a worker could not be started: %s", self._pool.spec.name)
            return Outcome.of_failure("Runtime.ExitError", f"The worker could not be started: {exc}")
        if self._pool.closed:
            process.signal_kill()
        failure = process.wait_ready()
        if failure:
            process.kill()
            self.process = None
        return failure

    def _run_job(self, invocation: Invocation, future: "Future[Outcome]") -> None:
        if not future.set_running_or_notify_cancel():
            return
        if invocation.not_after is not None and time.time() > invocation.not_after:
            future.set_result(Outcome(payload=b"null", condition="expired"))
            return
        self.busy = True
        outcome: Outcome | None = None
        if self.process is None or not self.process.alive:
            outcome = self._start_process()
        if outcome is None and self.process is not None:
            outcome = self.process.run(invocation)
        self.busy = False
        outcome = outcome or Outcome.of_failure("Runtime.ExitError", "There is no worker.")
        self._pool.note(outcome)
        future.set_result(outcome)


class Pool:
    """Runs invocations of one function, at most `max_workers` at once; the others wait their turn."""

    def __init__(self, spec: Spec, max_workers: int) -> None:
        self.spec = spec
        self._max_workers = max_workers
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._lock = threading.Lock()
        self._idle = 0
        self.closed = False
        self._runners: list[_Runner] = []
        self.leaks: list[tuple[str, ...]] = []
        """Names of threads that handlers left running, one entry an invocation."""

    def prewarm(self) -> None:
        """Start a first worker."""
        with self._lock:
            if not self._runners and not self.closed:
                self._add_runner()

    def submit(self, invocation: Invocation) -> "Future[Outcome]":
        """Queue an invocation; the queue keeps the order of the calls."""
        future: Future[Outcome] = Future()
        with self._lock:
            if self.closed or self._jobs.qsize() >= MAX_QUEUE:
                future.set_result(Outcome(payload=b"null", condition="throttled"))
                return future
            self._jobs.put((invocation, future))
            if self._jobs.qsize() > self._idle and len(self._runners) < self._max_workers:
                self._add_runner()
        return future

    def _add_runner(self) -> None:
        self._idle += 1
        runner = _Runner(self)
        self._runners.append(runner)
        runner.start()

    def next_job(self) -> _Job | None:
        """Wait for work; nothing means that the pool closes."""
        if self.closed:
            return None
        job = self._jobs.get()
        with self._lock:
            self._idle -= 1
        return job

    def idle_again(self) -> None:
        """Count a runner as free."""
        with self._lock:
            self._idle += 1

    def note(self, outcome: Outcome) -> None:
        """Remember threads that a handler left running."""
        if outcome.threads:
            self.leaks.append(outcome.threads)

    def kill_busy(self) -> bool:
        """Kill a worker in the middle of an invocation; say whether there was one."""
        for runner in self._runners:
            if runner.busy and runner.process is not None:
                runner.process.signal_kill()
                return True
        return False

    def close(self) -> None:
        """Kill the workers. What still waited is throttled."""
        with self._lock:
            self.closed = True
        for runner in self._runners:
            if runner.process is not None:
                runner.process.signal_kill()
            self._jobs.put(None)
        for runner in self._runners:
            runner.join(timeout=10)
        while not self._jobs.empty():
            job = self._jobs.get_nowait()
            if job is not None and job[1].set_running_or_notify_cancel():
                job[1].set_result(Outcome(payload=b"null", condition="throttled"))
