"""Processes around a fit: one core, limits of containers, forks, joblib. The tree is always the same."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor
from io import StringIO

import joblib
import numpy as np
import pytest
from joblib.externals.loky.backend import context as loky_context

import hornbeam as hb
from hornbeam._base import parameters

BEGIN = """
    import os, resource, threading
    import numpy as np, hornbeam as hb
    from hornbeam._base import parameters

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 8)), rng.integers(0, 3, 3000)
    fit = lambda n_jobs: hb.TreeClassifier(max_depth=6, n_jobs=n_jobs).fit(X, y)
    forest = lambda n_jobs: hb.ForestClassifier(6, max_depth=4, n_jobs=n_jobs, random_state=0).fit(X, y)
    alone = fit(1).predict(X), forest(1).predict(X)
"""
END = """
    assert (fit(THREADS).predict(X) == alone[0]).all()
    assert (forest(THREADS).predict(X) == alone[1]).all()
"""
ONE_CORE = """
    THREADS = None
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    assert parameters.n_threads(None) == parameters.n_threads(-1) == parameters.n_threads(8) == 1
"""
NO_MORE_PROCESSES = """
    THREADS = 4
    parameters.most_threads = lambda: 4
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)  # limits of processes do not bind root
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    try:
        threading.Thread(target=print).start()
    except RuntimeError as error:
        assert "start new thread" in str(error)
    else:
        raise AssertionError("the limit does not bind")
"""
FORKED = """
    THREADS = 2
    parameters.most_threads = lambda: 2
    fit(THREADS)
    child = os.fork()
    if child == 0:
        same = [(fit(THREADS).predict(X) == alone[0]).all(), (forest(THREADS).predict(X) == alone[1]).all()]
        os._exit(0 if all(same) else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


# Each limit binds a copy of the process in which the trees of one thread were grown.
IN_A_COPY = """
    child = os.fork()
    if child == 0:
        exec({code!r})
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "a process that has " + {name!r}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="cores and limits are set through Linux's own interface")
def test_trees_are_the_same_in_a_process_with_limits_and_in_one_that_was_forked():
    limits = {"one core": ONE_CORE, "no more processes": NO_MORE_PROCESSES, "been forked": FORKED}
    copies = [
        IN_A_COPY.format(name=name, code=textwrap.dedent(limit) + textwrap.dedent(END))
        for name, limit in limits.items()
    ]
    code = "".join(textwrap.dedent(part) for part in (BEGIN, *copies))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="containers have shares of cores in Linux only")
@pytest.mark.parametrize(("share", "threads"), [("50000 100000", 1), ("200000 100000", 2), ("max 100000", 8)])
def test_a_container_with_a_share_of_the_cores_gets_as_many_threads(share, threads, monkeypatch):
    """Read from /sys/fs/cgroup/cpu.max, as joblib does it."""
    is_there = os.path.exists
    monkeypatch.setattr(os.path, "exists", lambda path: str(path).endswith("/cpu.max") or is_there(path))
    monkeypatch.setattr(loky_context, "open", lambda *_: StringIO(share), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    monkeypatch.setattr(parameters, "most_threads", lambda: parameters._cores.__wrapped__(None))
    assert parameters.n_threads(None) == parameters.n_threads(-1) == threads


def make_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 5))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def fit_one(depth, n_jobs=2):
    X, y = make_rows()
    tree = hb.TreeClassifier(max_depth=depth, n_jobs=n_jobs).fit(X, y)
    forest = hb.ForestClassifier(3, max_depth=depth, n_jobs=n_jobs, random_state=depth).fit(X, y)
    return tree.predict_proba(X), forest.predict_proba(X)


def check_fits(fits):
    for (tree, forest), depth in zip(fits, (2, 4, 6), strict=True):
        expected_tree, expected_forest = fit_one(depth, 1)
        np.testing.assert_array_equal(tree, expected_tree)
        np.testing.assert_array_equal(forest, expected_forest)


@pytest.mark.parametrize(
    "backend", ["threading", "loky", pytest.param("multiprocessing", marks=pytest.mark.slow)]
)
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fits_nested_in_joblib_are_those_of_one_thread(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        check_fits(joblib.Parallel()(joblib.delayed(fit_one)(depth) for depth in (2, 4, 6)))


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fits_in_processes_of_every_kind_are_those_of_one_thread(method):
    fit_one(2)  # the parent has had threads, too
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        check_fits(list(pool.map(fit_one, (2, 4, 6))))


def test_functions_that_name_the_package_are_sent_to_other_processes():
    from joblib import Parallel, delayed

    scope = {"hb": hb, "__name__": "__main__"}  # as in a notebook: sent with the names that it needs
    exec("def leaves(seed): return hb.TreeClassifier().fit([[1], [2]], [0, seed]).tree_.n_leaves", scope)
    assert Parallel(2)(delayed(scope["leaves"])(seed) for seed in (1, 2)) == [2, 2]
    assert pickle.loads(pickle.dumps(hb.teaching)) is hb.teaching
