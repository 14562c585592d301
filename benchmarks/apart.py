"""A task in a process of its own, which works when it is told to.

The one idea: peers take turns (a b c, a b c, ...) so that a busy spell hits all alike, but share nothing: no
memory, no threads, no library that another one brought. A task is made in its process by a function named
"module:function", warmed up once, timed by itself and asked at the end what it made. One that fails, or
takes longer than its patience, is ended and named.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.common import ROOT, failure_of, note

PAUSE = 0.01
"""Seconds between two turns, in which the threads of the last one come to rest."""


class Task(Protocol):
    """What is measured."""

    def warm(self) -> Any:
        """Something small, so that imports and thread pools are no part of what is timed."""

    def run(self) -> Any:
        """What is timed."""

    def tell(self, value: Any) -> dict[str, Any]:
        """Facts about what the last run returned."""


class Refused(Exception):  # noqa: N818 a reason, not an error
    """Why a task cannot be done; its text is the reason."""


@dataclass(frozen=True)
class Turns:
    """How often, how long and with how many threads."""

    repeats: int
    slow_repeats: int
    threads: int
    patience: float = 120.0  # seconds for one run
    enough: float = 20.0  # a task that has taken this long in total is not repeated
    clock: str = "wall"  # or "processor": the seconds of all threads, which a busy machine changes little


def add_turn_options(parser: argparse.ArgumentParser) -> None:
    """How long peers may take, and by which clock."""
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="which seconds count")
    parser.add_argument(
        "--slow-repeats", type=int, help="repetitions of the exact peers (1 from 500,000 rows on)"
    )
    parser.add_argument(
        "--patience", type=float, default=120.0, help="seconds for one fit; a slower peer is named"
    )
    parser.add_argument(
        "--enough", type=float, default=20.0, help="seconds in total after which a peer is not repeated"
    )


def turns_of(args: argparse.Namespace, rows: int) -> Turns:
    """How often each peer fits `rows` rows, and how long it may take."""
    slow = args.slow_repeats or (1 if rows >= 500_000 else args.repeats)
    return Turns(args.repeats, slow, args.threads, args.patience, args.enough, args.clock)


class Apart:
    """A task in a process of its own."""

    def __init__(self, maker: str, given: Mapping[str, Any], python: str = sys.executable) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 closed with the process
        self._process = subprocess.Popen(
            [python, "-c", "from benchmarks.apart import main; main()"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._order = json.dumps({"maker": maker, "given": dict(given)})

    def begin(self, patience: float) -> None:
        """Make the task and warm it up; `Refused` if it cannot be done."""
        self._ask(self._order, patience)

    def run(self, patience: float, clock: str = "wall") -> float:
        """The seconds of one run."""
        return float(self._ask("run", patience)[clock])

    def tell(self, patience: float) -> dict[str, Any]:
        """Facts about the last run."""
        return dict(self._ask("tell", patience)["facts"])

    def close(self) -> None:
        """End the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _ask(self, what: str, patience: float) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(f"{what}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Refused(self._last_words()) from None
        ready, _, _ = select.select([self._process.stdout], [], [], patience)
        if not ready:
            self._process.kill()
            raise Refused(f"took longer than {patience:g} seconds")
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise Refused(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "reason" in answer:
            raise Refused(answer["reason"])
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0)
        return failure_of(self._errors.read().decode(errors="replace"))


def in_turns(
    tasks: Mapping[str, Apart],
    repeats: Mapping[str, int],
    turns: Turns,
    failed: Callable[[str, str], None],
    always: str = "hornbeam",
) -> tuple[dict[str, list[float]], dict[str, dict[str, Any]]]:
    """Times and facts of every task that went through; the others are reported to `failed`.

    All are ended. The task `always` has all its repetitions, others only until they have taken long enough.
    """
    try:
        times = _times(tasks, repeats, turns, failed, always)
        facts: dict[str, dict[str, Any]] = {}
        for name in list(times):
            with reporting(name, failed, times):
                facts[name] = tasks[name].tell(4 * turns.patience)
    finally:
        for task in tasks.values():
            task.close()
    return times, facts


def lines_in_turns(
    tasks: Mapping[str, Apart],
    repeats: Mapping[str, int],
    turns: Turns,
    label: str,
    failed: Callable[[str, str], None],
    own: str = "hornbeam",
) -> list[dict[str, Any]]:
    """A line for each task that went through: seconds, the least of them, its ratio to `own`, its facts."""
    times, facts = in_turns(tasks, repeats, turns, failed, own)
    base = min(times[own]) if own in times else None
    lines = []
    for name, taken in times.items():
        best = min(taken)
        line = {"setting": label, "peer": name, "seconds": taken, "best": best}
        lines.append(line | {"ratio": best / base if base else None} | facts[name])
        note(f"  {label}: {name} {best:.4g} s")
    return lines


def _times(
    tasks: Mapping[str, Apart],
    repeats: Mapping[str, int],
    turns: Turns,
    failed: Callable[[str, str], None],
    always: str,
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for name, task in tasks.items():
        with reporting(name, failed):
            task.begin(turns.patience)
            times[name] = []
    for turn in range(max((repeats[name] for name in times), default=0)):
        for name, taken in list(times.items()):
            if turn >= repeats[name] or (name != always and sum(taken) > turns.enough):
                continue
            time.sleep(PAUSE)
            with reporting(name, failed, times):
                taken.append(tasks[name].run(turns.patience, turns.clock))
    return times


def named_in(
    skipped: list[dict[str, str]], setting: str, needed: Collection[str] = ("hornbeam",)
) -> Callable[[str, str], None]:
    """What is done about a task that failed: it is listed among the skipped, or an error if it is needed."""

    def failed(name: str, reason: str) -> None:
        if name in needed:
            raise RuntimeError(f"{name} {reason}")
        skipped.append({"peer": name, "setting": setting, "reason": reason})

    return failed


class reporting:  # noqa: N801 reads as a verb
    """Report a refusal and drop the name, instead of raising."""

    def __init__(
        self, name: str, failed: Callable[[str, str], None], times: dict[str, list[float]] | None = None
    ) -> None:
        self.name, self.failed, self.times = name, failed, times

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Refused):
            return False
        if self.times is not None:
            self.times.pop(self.name, None)
        self.failed(self.name, str(error))
        return True


def main() -> None:
    """Work: one order, then "run" and "tell" until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print goes where errors go

    def answer(facts: dict[str, Any]) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    task, value = None, None
    for line in sys.stdin:
        try:
            if task is None:
                order = json.loads(line)
                module, _, function = order["maker"].partition(":")
                task = getattr(importlib.import_module(module), function)(**order["given"])
                task.warm()
                answer({"ready": True})
            elif line.strip() == "run":
                value = None  # the tree of the last turn must not stay beside the next
                gc.collect()
                start, before = time.perf_counter(), time.process_time()
                value = task.run()
                used = time.process_time() - before
                answer({"wall": time.perf_counter() - start, "processor": used})
            else:
                answer({"facts": task.tell(value)})
        except Refused as reason:
            answer({"reason": str(reason)})
        except Exception as error:
            words = str(error).strip().splitlines() or [type(error).__name__]
            answer({"reason": f"failed: {words[0][:200]}"})
