"""Stopping a growth: the progress callback, Ctrl-C, and the tree so far."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hornbeam import (
    ForestClassifier,
    GrowthInterrupted,
    TreeClassifier,
    TreeDensity,
    TreeRegressor,
    _core,
    c45,
    show,
)
from hornbeam.growing.grower import CtrlC


@pytest.fixture(scope="module")
def table():
    """Rows whose labels follow nothing: the tree grows long."""
    rng = np.random.default_rng(0)
    n = 200_000
    return rng.normal(size=(n, 10)).astype(np.float32), rng.integers(0, 2, n)


SIZE = {TreeClassifier: 200_000, TreeRegressor: 40_000}  # a growth of about a second


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_progress_is_told_as_a_rising_share_of_the_rows(table, estimator, n_jobs):
    shares = []
    X, y = (values[: SIZE[estimator]] for values in table)
    model = estimator(n_jobs=n_jobs).fit(X, y, progress=shares.append)
    assert len(shares) >= 2
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert 0 < shares[-1] <= 1
    assert model.tree_ == estimator(n_jobs=n_jobs).fit(X, y).tree_, "being told changed the tree"


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("limit", [{}, {"max_leaf_nodes": 100_000}])
def test_a_callback_that_returns_true_stops_the_growth(table, estimator, n_jobs, limit):
    X, y = (values[: SIZE[estimator]] for values in table)
    model = estimator(n_jobs=n_jobs, **limit)
    with pytest.raises(
        GrowthInterrupted, match=r"interrupted at \d+ nodes; the exception's `tree` is"
    ) as caught:
        model.fit(X, y, progress=lambda share: True)
    assert model.partial_
    assert model.tree_ == caught.value.tree
    check_usable(caught.value.tree, X, y)
    assert len(caught.value.tree) < len(estimator().fit(X, y).tree_)


def check_usable(tree, X, y):
    """The tree counts every row, passes every check, and answers."""
    leaves = tree.kind == 0
    assert tree.n_rows[0] == len(y)
    assert tree.n_rows[leaves].sum() == len(y)
    assert type(tree)(**tree.attributes(), **tree.arrays()) == tree
    assert len(tree.predict(X[:50])) == 50
    routing = tree.route(X[:5_000])
    assert np.bincount(routing.leaf, minlength=len(tree))[leaves].sum() == 5_000
    assert (tree.weight[leaves] > 0).all()
    if len(tree) < 50_000:
        assert show(tree)


def test_what_the_tree_has_so_far_is_a_part_of_the_whole_tree(table):
    X, y = table
    with pytest.raises(GrowthInterrupted) as caught:
        TreeClassifier(n_jobs=1).fit(X, y, progress=lambda share: share > 0)
    part, whole = caught.value.tree, TreeClassifier().fit(X, y).tree_
    nodes = [(0, 0)]
    while nodes:
        here, there = nodes.pop()
        assert part.n_rows[here] == whole.n_rows[there]
        if part.kind[here]:
            assert part.column[here] == whole.column[there]
            assert part.threshold[here] == whole.threshold[there]
            nodes.extend(zip(part.children(here), whole.children(there), strict=True))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_an_error_in_the_callback_is_raised_and_the_callback_left_alone(table, estimator, n_jobs):
    calls = []

    def fail(share):
        calls.append(share)
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        estimator(n_jobs=n_jobs).fit(*table, progress=fail)
    assert len(calls) == 1


class OutOfTimeError(Exception):
    """What a caller's own handler of a signal raises."""


class OwnInterrupt(KeyboardInterrupt):
    """A caller's own kind of Ctrl-C."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer signals")
@pytest.mark.parametrize("raised", [OutOfTimeError, OwnInterrupt])
@pytest.mark.parametrize(
    "model",
    [
        TreeClassifier(n_jobs=1),
        TreeClassifier(n_jobs=2, max_leaf_nodes=100_000),
        TreeClassifier(split="oblique"),
        ForestClassifier(200),
    ],
    ids=["depth first", "best first", "node by node", "forest"],
)
def test_the_exception_of_a_signal_handler_comes_through_as_it_is(table, model, raised):
    def handler(number, frame):
        raise raised("in the handler")

    def start_timer(share):
        if not started:
            started.append(share)
            signal.setitimer(signal.ITIMER_REAL, 0.05)

    started = []
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(raised, match="in the handler"):
            model.fit(*table, progress=start_timer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_callback_must_be_callable(table):
    with pytest.raises(TypeError, match="must be a function of the share"):
        TreeClassifier().fit(*table, progress="yes")


def test_a_small_table_may_be_done_before_anybody_asks():
    shares = []
    TreeClassifier().fit([[1.0], [2.0]], [0, 1], progress=shares.append)
    assert shares == sorted(shares)


def test_a_growth_in_another_thread_is_stopped_by_its_callback(table):
    caught = []

    def work():
        try:
            TreeClassifier().fit(*table, progress=lambda share: True)
        except GrowthInterrupted as stopped:
            caught.append(stopped)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert caught[0].tree.n_rows[0] == len(table[1])


def test_the_exception_survives_pickling(table):
    with pytest.raises(GrowthInterrupted) as caught:
        TreeClassifier().fit(*table, progress=lambda share: True)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert type(twin) is GrowthInterrupted
    assert twin.tree == caught.value.tree
    assert str(twin) == str(caught.value)


LONG_FIT = """
    import sys
    import numpy as np
    from hornbeam import {estimator}

    rng = np.random.default_rng(0)
    X = rng.random((2_000_000, 20), dtype=np.float32)
    y = rng.integers(0, 2, len(X))
    print("growing", flush=True)
    model = {estimator}(n_jobs={n_jobs})
    try:
        model.fit(X, y)
    except KeyboardInterrupt as stopped:
        tree = stopped.tree
        assert model.partial_ and model.tree_ == tree
        assert tree.n_rows[0] == tree.n_rows[tree.kind == 0].sum() == len(y)
        assert len(tree.predict(X[:10])) == 10
        print("interrupted", len(tree), flush=True)
        sys.exit(3)
    print("done", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(
    ("model", "grows"),
    [
        (TreeClassifier(), "grow"),
        (c45(), "grow"),
        (ForestClassifier(n_estimators=3, random_state=0), "grow_forest"),
        (TreeDensity(), "density"),
    ],
    ids=["tree", "pruned", "forest", "density"],
)
def test_ctrl_c_at_the_last_moment_of_growing_loses_no_tree(model, grows, monkeypatch):
    """The core asks now and then: what it has finished before it asks again is kept."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > rng.normal(size=200)).astype(int)
    whole = clone(model).fit(X, y)
    grow = getattr(_core, grows)

    def press_at_the_end(*arguments):
        grown = grow(*arguments)
        signal.raise_signal(signal.SIGINT)
        return grown

    monkeypatch.setattr(_core, grows, press_at_the_end)
    with pytest.raises(KeyboardInterrupt) as pressed:
        model.fit(X, y)
    assert model.partial_
    if grows == "grow_forest":
        assert len(model.trees_) == 3
        assert model.predict(X).tolist() == whole.predict(X).tolist()
    else:
        assert pressed.value.tree.n_leaves >= whole.tree_.n_leaves
        assert model.tree_ == pressed.value.tree


@pytest.mark.parametrize("then", ["nothing runs", "another fit"])
def test_ctrl_c_works_after_an_alarm_that_came_while_a_growth_was_left(then, monkeypatch):
    """Between the end of a growth and the return of its handler the exception of another one may come."""
    grow = _core.grow

    def press_at_the_end(*arguments):
        grown = grow(*arguments)
        signal.raise_signal(signal.SIGINT)
        return grown

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    CtrlC().__enter__()
    try:
        if then == "another fit":
            monkeypatch.setattr(_core, "grow", press_at_the_end)
            with pytest.raises(KeyboardInterrupt) as pressed:
                TreeClassifier().fit([[1.0], [2.0]], [0, 1])
            assert pressed.value.tree.n_leaves == 2
        else:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("model", [TreeClassifier(), ForestClassifier(n_estimators=2), TreeDensity()])
def test_an_exception_while_a_fit_is_written_down_leaves_an_estimator_that_is_not_fitted(model, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = clone(model).fit(X, X[:, 0] > 0)

    def interrupted(*_):
        raise OutOfTimeError

    monkeypatch.setattr(type(model), "keep_names", interrupted)
    with pytest.raises(OutOfTimeError):
        model.fit(X, X[:, 1] > 0)
    with pytest.raises(NotFittedError):
        (model.score_samples if isinstance(model, TreeDensity) else model.predict)(X)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(
    ("estimator", "n_jobs", "after"), [("TreeClassifier", 2, 0.5), ("TreeRegressor", 1, 1.5)]
)
def test_ctrl_c_ends_a_long_fit_within_about_a_second(estimator, n_jobs, after):
    code = textwrap.dedent(LONG_FIT.format(estimator=estimator, n_jobs=n_jobs))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "growing\n"
        time.sleep(after)
        assert child.poll() is None, "the fit was over before it could be interrupted"
        child.send_signal(signal.SIGINT)
        sent = time.perf_counter()
        answer = child.stdout.readline()
        took = time.perf_counter() - sent
        assert child.wait(timeout=30) == 3
    finally:
        child.kill()
        child.stdout.close()
    assert answer.startswith("interrupted")
    assert took < 3, f"{took:.1f} s from Ctrl-C to the tree so far"
