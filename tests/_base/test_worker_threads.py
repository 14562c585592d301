"""Threads beside the interrupted one: they answer and end, and after Ctrl-C nobody waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from queue import SimpleQueue

import numpy as np
import pytest

import hornbeam as hb
from hornbeam._base import worker_threads
from hornbeam._base.worker_threads import worker_pool


def test_jobs_are_answered_in_their_queue_and_errors_are_raised_by_who_asks():
    done = SimpleQueue()
    with worker_pool(3) as pool:
        jobs = [pool.submit(done, divmod, 7, k) for k in (0, 2, 3)]
        assert {done.get() for _ in jobs} == set(jobs)
    with pytest.raises(ZeroDivisionError):
        jobs[0].result()
    assert [job.result() for job in jobs[1:]] == [(3, 1), (2, 1)]


def test_where_the_system_starts_no_threads_the_path_is_the_same(monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = hb.TreeClassifier(n_jobs=2).fit(X, X[:, 0] * X[:, 1] > 0)
    path = hb.pruning_path(model, X, X[:, 0] * X[:, 1] > 0, cv=4)

    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(worker_threads._thread, "start_new_thread", refuse)
    assert hb.pruning_path(model, X, X[:, 0] * X[:, 1] > 0, cv=4).cv_error.tolist() == path.cv_error.tolist()


INTERRUPTED = """
    import random, signal, warnings
    import numpy as np, hornbeam as hb

    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = X[:, 0] * X[:, 1] > 0
    model = hb.TreeClassifier(n_jobs=2).fit(X, y)
    draw, armed, pressed = random.Random(0), False, 0

    def press(*_):
        global armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, press)
    while pressed < {times}:
        armed = True
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5 + draw.random() * 0.008)
            {call}
            armed = False
        except KeyboardInterrupt:
            pressed += 1
    print("pressed", pressed)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no alarm signals")
@pytest.mark.parametrize("times", [60, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "call",
    ["hb.pruning_path(model, X, y, cv=3)", "hb.stability(model, X, y, n=3)"],
    ids=["path", "stability"],
)
def test_ctrl_c_at_any_moment_is_a_keyboard_interrupt_and_nothing_waits_for_ever(call, times):
    code = textwrap.dedent(INTERRUPTED.format(call=call, times=times))
    limit = 60 + times / 10
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=limit)
    assert run.stdout == f"pressed {times}\n", run.stderr
