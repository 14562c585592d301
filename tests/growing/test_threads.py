"""Threads: the system may refuse them, trees may be deeper than their stacks, and nothing depends on them."""

import itertools
import json
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from tests.support.selection import some

import hornbeam as hb
from hornbeam._base import parameters
from hornbeam.growing.core import TUNING

LIMITED = """
    import faulthandler, resource, sys
    import numpy as np, hornbeam as hb

    faulthandler.dump_traceback_later(60, exit=True)  # a hang is a failure, not a wait
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000)
    make = {make}
    alone = make(1).fit(X, y)
    hb.TreeClassifier(n_jobs=1).fit(X[:50], y[:50])
    applied = alone.predict(X)
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    # Room for the work and for a few stacks of 8 MB, not for 64 of them.
    resource.setrlimit(resource.RLIMIT_AS, (used + {megabytes} * 2**20,) * 2)
    from hornbeam._base import parameters
    parameters.most_threads = lambda: 64
    model = make(64).fit(X, y)
    assert (model.predict(X) == applied).all()
    print("same")
"""


MODELS = {
    "tree": "lambda n: hb.TreeClassifier(max_depth=6, n_jobs=n)",
    "forest": "lambda n: hb.ForestClassifier(8, max_depth=4, n_jobs=n, random_state=0)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set through Linux's own interface")
@pytest.mark.parametrize(
    ("model", "megabytes"),
    some(itertools.product(MODELS, [100, 200, 400]), of=[("tree", 100), ("forest", 200)]),
)
def test_a_fit_works_with_the_threads_it_gets(model, megabytes):
    code = textwrap.dedent(LIMITED.format(make=MODELS[model], megabytes=megabytes))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "same\n"


def test_no_more_threads_are_started_than_there_are_cores(monkeypatch):
    monkeypatch.setattr(parameters, "most_threads", lambda: 3)
    assert parameters.n_threads(2) == 2
    assert parameters.n_threads(10**9) == 3
    monkeypatch.undo()
    assert parameters.n_threads(10**9) == parameters.most_threads() == parameters.n_threads(-1)


@pytest.mark.parametrize(
    ("criterion", "n_jobs"),
    some(itertools.product(["gain-ratio", "gini"], [1, 2]), of=[("gain-ratio", 2), ("gini", 1)]),
)
def test_a_tree_may_be_deeper_than_a_stack_of_calls(criterion, n_jobs, monkeypatch):
    """Rows that alternate between two classes: every split takes one row off an end.

    On a small stack, and with nodes of few rows grown as large ones are, a call for each level would not fit.
    """
    monkeypatch.setitem(TUNING, "block_rows", 1)
    monkeypatch.setitem(TUNING, "serial_cells", 0)
    n = 4000
    x, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = hb.TreeClassifier(criterion=criterion, n_jobs=n_jobs)
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=model.fit, args=(x, y))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert model.tree_.n_leaves == n
    assert (model.predict(x) == y).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_share_of_the_weight_is_the_same_in_any_order_of_rows(seed):
    """Both halves weigh exactly the same, so the limit of one half is met to the last bit or not at all."""
    rng = np.random.default_rng(seed)
    half = rng.random(500) ** 3 + 1e-3
    w = np.r_[half, rng.permutation(half)]
    x = np.repeat([0.0, 1.0], 500)
    for target, estimator in ((x.astype(int), hb.TreeClassifier), (x, hb.TreeRegressor)):
        for _ in range(10):
            q = rng.permutation(1000)
            model = estimator(min_weight_fraction_leaf=0.5).fit(x[q, None], target[q], sample_weight=w[q])
            assert model.tree_.n_leaves == 2


@pytest.mark.parametrize(
    "model",
    [
        hb.TreeClassifier(),
        hb.TreeClassifier(missing="surrogates"),
        hb.TreeClassifier(missing="fractional"),
        hb.TreeClassifier(split="oblique"),
        hb.TreeClassifier(selection="conditional"),
        hb.TreeClassifier(selection="chi-square"),
        hb.TreeClassifier(categorical_features=[0]),
        hb.c45(),
        hb.TreeRegressor(),
        hb.TreeRegressor("absolute"),
        hb.TreeRegressor("poisson"),
        hb.TreeRegressor(leaf="linear"),
        hb.m5(),
    ],
    ids=str,
)
def test_the_sign_of_a_zero_leaves_no_trace_in_a_saved_tree(model, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (60, 2)).astype(float)
    X[X == 0] = rng.choice([0.0, -0.0], (X == 0).sum())
    y = (X[:, 0] + X[:, 1] > 0) ^ (rng.random(60) < 0.2)
    y = np.where(y, 1.0, rng.choice([0.0, -0.0], 60))
    signless = hb.save(model.fit(X + 0.0, y + 0.0), tmp_path / "signless.json").read_bytes()
    for _ in range(8):
        q = rng.permutation(60)
        saved = hb.save(model.fit(X[q], y[q]), tmp_path / "model.json")
        assert saved.read_bytes() == signless
        assert "-0.0" not in json.dumps(json.loads(saved.read_text())["nodes"])


def test_a_density_tree_forgets_the_sign_of_a_zero(tmp_path):
    rng = np.random.default_rng(2)
    X = rng.integers(-2, 3, (80, 2)).astype(float)
    X[X == 0] = rng.choice([0.0, -0.0], (X == 0).sum())
    model = hb.TreeDensity(max_leaf_nodes=6)
    signless = hb.save(model.fit(X + 0.0), tmp_path / "signless.json").read_bytes()
    for _ in range(4):
        assert hb.save(model.fit(X[rng.permutation(80)]), tmp_path / "model.json").read_bytes() == signless
