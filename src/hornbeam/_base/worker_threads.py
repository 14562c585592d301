"""Threads beside the one that is interrupted by Ctrl-C, none of which then waits for ever.

Python's own pools, events and bounded queues are made of conditions, which are written in Python: an
interrupt between taking such a lock and giving it back leaves it taken, and whoever wants it waits for ever.
What is shared here are queues written in C, which no interrupt finds half done, and flags that are set once.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

_PAUSE = 0.0005  # seconds between two looks at a flag

R = TypeVar("R")


class Worker:
    """A thread that does some work, which must not raise."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.is_over = True

    def start(self) -> None:
        """Begin; RuntimeError where the system starts no more threads."""
        self.is_over = False  # no interrupt comes between this and the next call
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError:
            self.is_over = True
            raise

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self.is_over = True

    def wait(self) -> None:
        """Wait for the end of the work."""
        while not self.is_over:
            time.sleep(_PAUSE)


class SubmittedCall(Generic[R]):
    """A call that another thread makes; it goes to the queue `done` when it is over."""

    def __init__(
        self, done: SimpleQueue[SubmittedCall[R]], function: Callable[..., R], arguments: tuple[Any, ...]
    ) -> None:
        self._done, self._function, self._arguments = done, function, arguments
        self._answer: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Make the call."""
        try:
            self._answer = self._function(*self._arguments)
        except BaseException as error:  # raised by the one who asks for the answer
            self._error = error
        self._done.put(self)

    def result(self) -> R:
        """What a call that is over has returned; what it has raised is raised."""
        if self._error is not None:
            raise self._error
        answer: R = self._answer
        return answer


class WorkerPool:
    """Threads that take jobs; where none can be started, jobs are done by the one who submits them.

    >>> done = SimpleQueue()
    >>> with worker_pool(2) as pool:
    ...     jobs = [pool.submit(done, pow, 2, k) for k in range(4)]
    ...     _ = [done.get() for _ in jobs]
    >>> [job.result() for job in jobs]
    [1, 2, 4, 8]
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._jobs: SimpleQueue[SubmittedCall[Any] | None] = SimpleQueue()
        self._workers: list[Worker] = []

    def start(self) -> None:
        """Start the threads, as many of them as the system allows."""
        try:
            for _ in range(self.n):
                self._workers.append(Worker(self._work))
                self._workers[-1].start()
        except RuntimeError:
            self._workers.pop()

    def submit(
        self, done: SimpleQueue[SubmittedCall[R]], function: Callable[..., R], *arguments: Any
    ) -> SubmittedCall[R]:
        """Let a thread make a call."""
        job = SubmittedCall(done, function, arguments)
        if self._workers:
            self._jobs.put(job)
        else:
            job.run()
        return job

    def close(self) -> None:
        """Forget jobs that nobody has begun, and wait for the end of the others."""
        try:
            while True:
                self._jobs.get_nowait()
        except Empty:
            pass
        for _ in self._workers:
            self._jobs.put(None)
        for worker in self._workers:
            worker.wait()
        self._workers, self._jobs = [], SimpleQueue()

    def _work(self) -> None:
        jobs = self._jobs
        while (job := jobs.get()) is not None:
            job.run()


@contextmanager
def worker_pool(n: int) -> Iterator[WorkerPool]:
    """A pool of so many threads, for as long as the `with` lasts."""
    pool = WorkerPool(n)
    try:
        pool.start()
        yield pool
    finally:
        pool.close()
