"""Growing one tree, measured: every peer in a process of its own, in turns.

The one idea: leaves and training score stand beside the seconds, so that nobody wins with a smaller tree. The
clock runs from a ready row-major array to the finished tree; a small fit before it warms up imports and
threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, Turns, lines_in_turns
from benchmarks.common import SETTINGS, Setting
from benchmarks.data import Array, Data, DataSpec, load
from benchmarks.peers import PEERS, Job, Peer

FIRST = 1000
"""Rows of the fit that is not timed."""


def job_of(spec: DataSpec, data: Data, setting: Setting, threads: int) -> Job:
    """The tree of `setting` on `data`."""
    classes = spec.classes if spec.task == "classes" else 0
    limits = setting.max_depth, setting.min_leaf
    return Job(spec.task, classes, spec.rows, *limits, threads, data.nominal, data.X.shape[1])


def training_score(answer: Array, y: Array, task: str) -> float:
    """Accuracy, or the share of variance explained."""
    if task == "classes":
        return float(np.mean(answer == y))
    return float(1 - np.mean((answer - y) ** 2) / np.var(y))


class Fit:
    """One peer's tree of one setting on the first rows of a table."""

    def __init__(
        self, spec: dict[str, Any], rows: int, cache: str, peer: str, setting: str, threads: int
    ) -> None:
        reason = PEERS[peer].missing()
        if reason:
            raise Refused(reason)
        whole = DataSpec(**spec)
        self.data = load(whole, Path(cache), rows)
        job = job_of(replace(whole, rows=rows), self.data, SETTINGS[setting], threads)
        self.peer = PEERS[peer](job)
        reason = self.peer.refuses()
        if reason:
            raise Refused(reason)

    def warm(self) -> None:
        self.peer.fit(self.peer.prepare(self.data.X[:FIRST]), self.data.y[:FIRST])
        self.ready = self.peer.prepare(self.data.X)

    def run(self) -> Any:
        return self.peer.fit(self.ready, self.data.y)

    def tell(self, model: Any) -> dict[str, Any]:
        answer = self.peer.predict(model, self.ready)
        score = training_score(answer, self.data.y, self.peer.job.task)
        return {"leaves": self.peer.leaves(model), "score": score}


@dataclass
class Growth:
    """What is measured of one table, and what became known of how long peers take for it."""

    spec: DataSpec
    cache: Path
    peers: Sequence[type[Peer]]
    turns: Turns
    skipped: list[dict[str, str]]
    late: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    pace: dict[tuple[str, str], float] = field(default_factory=dict)  # seconds a row, at the last size

    def measure(self, key: str, label: str, rows: int) -> list[dict[str, Any]]:
        """One line for each peer: times, ratio to Hornbeam, leaves, training score."""
        size = list(SETTINGS).index(key)

        def failed(name: str, reason: str) -> None:
            if name == "hornbeam":
                raise RuntimeError(f"hornbeam {reason}")
            self.skipped.append({"setting": label, "peer": name, "reason": reason})
            if reason.startswith("took longer"):
                self.late[name] = (size, rows, f"{reason} at {rows:,} rows, {label}")

        names = []
        for peer in self.peers:
            reason = self.hopeless(peer.name, size, rows) or self.foreseen(peer.name, key, rows)
            if reason and peer.name != "hornbeam":
                self.skipped.append({"setting": label, "peer": peer.name, "reason": reason})
            else:
                names.append(peer.name)
        order = {"spec": asdict(self.spec), "rows": rows, "cache": str(self.cache.resolve())}
        order |= {"setting": key, "threads": self.turns.threads}
        tasks = {name: Apart("benchmarks.growth:Fit", order | {"peer": name}) for name in names}
        counts = {n: self.turns.slow_repeats if PEERS[n].slow else self.turns.repeats for n in names}
        lines = lines_in_turns(tasks, counts, self.turns, label, failed)
        for line in lines:
            peer = PEERS[line["peer"]]
            self.pace[peer.name, key] = line["best"] / rows
            threads = 1 if peer.one_thread else self.turns.threads
            line |= {"exact": peer.exact, "alike": peer.alike, "threads": threads}
        return lines

    def hopeless(self, name: str, size: int, rows: int) -> str | None:
        """Why a peer that took too long for a smaller tree of no more rows is not tried, or None."""
        least, known, reason = self.late.get(name, (size, rows + 1, ""))
        return reason if size >= least and rows >= known else None

    def foreseen(self, name: str, key: str, rows: int) -> str | None:
        """Why a peer that needs too long a row is not tried, or None."""
        guess = self.pace.get((name, key), 0.0) * rows
        if guess <= self.turns.patience:
            return None
        return f"would take more than {self.turns.patience:g} seconds at {rows:,} rows"
