"""Work that takes its time: growing, and growing again to see how stable a tree is; stopped on request.

One idea: a growth that is stopped is not lost; what was grown until then is a revision like any other. What
only reads goes on beside changes.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from hornbeam._base.parameters import Progress
from hornbeam.growing.interruption import Watcher
from hornbeam.studio.session import Session
from hornbeam.studio.view import GROWING

_BETWEEN = 0.1  # seconds between two reports of progress
_MOST_WAITING = 200  # events that a page may be behind


class Busy(ValueError):  # noqa: N818 (what happened)
    """Something is growing, so nothing can be changed."""


class Events:
    """Reports to every page that listens, from any thread."""

    def __init__(self) -> None:
        self._listeners: dict[asyncio.Queue[dict[str, Any]], asyncio.AbstractEventLoop] = {}
        self.left_at = time.monotonic()  # since when nobody listens

    @property
    def n_listeners(self) -> int:
        """How many pages listen."""
        return len(self._listeners)

    def listen(self) -> asyncio.Queue[dict[str, Any]]:
        """A queue that gets every event from now on."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._listeners[queue] = asyncio.get_running_loop()
        return queue

    def leave(self, queue: asyncio.Queue[dict[str, Any]]) -> None:
        """Stop listening."""
        self._listeners.pop(queue, None)
        if not self._listeners:
            self.left_at = time.monotonic()

    def tell(self, event: str, **facts: Any) -> None:
        """Report something to all."""
        for queue, loop in list(self._listeners.items()):
            with suppress(RuntimeError):  # the loop is closed: the page is gone
                loop.call_soon_threadsafe(_put, queue, {"event": event, **facts})


def _put(queue: asyncio.Queue[dict[str, Any]], event: dict[str, Any]) -> None:
    if queue.qsize() < _MOST_WAITING:
        queue.put_nowait(event)


class Job:
    """One growth of the tree, or all growths that say how stable it is."""

    def __init__(self, number: int, events: Events, what: str = "growing") -> None:
        self.number, self._events, self.what = number, events, what
        self.share, self.is_cancelled, self._told = 0.0, False, 0.0
        self.error: str | None = None

    def progress(self, share: float) -> bool:
        """Told by growing; the answer is whether to stop."""
        self.share = share
        if time.monotonic() - self._told > _BETWEEN:
            self._told = time.monotonic()
            self._events.tell("progress", **self.facts())
        return self.is_cancelled

    def facts(self) -> dict[str, Any]:
        """As a page reads it."""
        share = round(self.share, 4)
        return {"job": self.number, "what": self.what, "share": share, "cancelled": self.is_cancelled}


class Jobs:
    """The one worker of a session."""

    def __init__(self, session: Session, events: Events) -> None:
        self._session, self._events = session, events
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.running: Job | None = None
        self.reading: Job | None = None  # what changes nothing, and is in nobody's way

    def refuse_if_busy(self) -> None:
        """Raise while something grows: a change would wait for its end."""
        if self.running is not None:
            raise Busy("the tree is growing: wait for it, or stop it, before another change")

    def start(self, base: Any, operation: Any) -> Job:
        """Begin to grow; returns at once."""
        if not isinstance(operation, Mapping) or operation.get("op") not in GROWING:
            raise ValueError(
                f"only {' and '.join(GROWING)} run as a job, not {operation!r}: POST /api/op does others"
            )
        with self._lock:
            self.refuse_if_busy()
            self._session.check_base(base)
            job = self.running = Job(next(self._numbers), self._events)

        def grow() -> int:
            self._session.apply(base, operation, Watcher(job.progress))
            return self._session.head

        self._thread = self._begin(job, grow)
        return job

    def start_reading(self, what: str, read: Callable[[Progress], int]) -> Job:
        """Begin something that only reads, and returns the revision it read; returns at once."""
        with self._lock:
            if self.reading is not None:
                raise Busy(f"{self.reading.what} is measured already: wait for it, or stop it")
            job = self.reading = Job(next(self._numbers), self._events, what)
        self._begin(job, lambda: read(job.progress))
        return job

    def _begin(self, job: Job, work: Callable[[], int]) -> threading.Thread:
        thread = threading.Thread(
            target=self._work, args=(job, work), name=f"hornbeam-studio-{job.what}", daemon=True
        )
        thread.start()
        return thread

    def _work(self, job: Job, work: Callable[[], int]) -> None:
        revision = -1
        try:
            revision = work()
        except (
            Exception
        ) as error:  # whatever it is, the page must hear of it, and the worker must be free again
            job.error = str(error) or type(error).__name__
        finally:
            if job is self.running:
                self.running = None
            else:
                self.reading = None
        told = {"job": job.number, "what": job.what}
        if job.error is None:
            self._events.tell("finished", **told, revision=revision, stopped=job.is_cancelled)
        else:
            self._events.tell("failed", **told, error=job.error)

    def cancel(self, number: int) -> Job:
        """Stop a job as soon as it asks; what it has grown is kept."""
        job = next((one for one in (self.running, self.reading) if one and one.number == number), None)
        if job is None:
            raise KeyError(f"there is no job {number} at work")
        job.is_cancelled = True
        return job

    def facts(self) -> dict[str, Any]:
        """What is at work, as a page reads it."""
        named = {"job": self.running, "reading": self.reading}
        return {name: None if job is None else job.facts() for name, job in named.items()}

    def wait(self, seconds: float | None = None) -> None:
        """Wait until nothing grows."""
        if self._thread is not None:
            self._thread.join(seconds)
