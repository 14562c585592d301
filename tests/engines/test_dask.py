"""The engine dask: workers that come, go and fail change nothing in the saved bytes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.engines.parts import check_identity, draw_parts
from tests.engines.test_files import FORESTS, MODELS, names_classes, saved
from tests.support.selection import seeds

import hornbeam as hb
from hornbeam.engines import Dask, dask
from hornbeam.estimators import beyond_memory


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers, each a process of its own."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: hornbeam[dask]")
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        yield client


def dask_frame(parts: list[pd.DataFrame]) -> Any:
    import dask.dataframe as dd

    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=parts[0].iloc[:0])


def test_workers_of_dask_grow_the_tree_of_the_table_in_memory(client, few_fetched, tmp_path):
    """Messages, fetched nodes, parts that are weighed anew for priors."""
    rng = np.random.default_rng(1)
    check_identity(rng, [MODELS[0], MODELS[7], FORESTS[1]], dask_frame, tmp_path, Dask(client))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(10, fixed=2, drawn=1))
def test_dask_grows_the_same_trees(seed, client, few_fetched, tmp_path):
    check_identity(
        np.random.default_rng(seed),
        [one for one in MODELS + FORESTS if not names_classes(one[0])],
        dask_frame,
        tmp_path,
        Dask(client),
    )


@pytest.mark.slow
def test_lost_workers_change_nothing(client, few_fetched, tmp_path, monkeypatch):
    """A worker is killed in every phase: while partitions are encoded, and before some of the messages."""
    whole, parts = draw_parts(np.random.default_rng(5), 3)
    model = hb.TreeClassifier(max_depth=5)
    expected = saved(model.fit(whole.drop(columns=["y", "w", "k"]), whole["y"]), tmp_path)
    ask, calls = dask._DaskParts.map_reduce, []

    def kill(number: int) -> None:
        processes = list(client.run(os.getpid, on_error="ignore").values())
        if processes:  # none has come back yet from the last time
            os.kill(processes[number % len(processes)], signal.SIGKILL)

    def with_losses(self: Any, task: Any, state: Any, combine: Any) -> bytes:
        calls.append(1)
        if len(calls) in (1, 4, 12):
            kill(len(calls))
        return ask(self, task, state, combine)

    monkeypatch.setattr(dask._DaskParts, "map_reduce", with_losses)
    model.set_params(exclude=["w", "k"])
    frame = dask_frame(parts)
    threading.Timer(0.1, kill, [0]).start()
    assert saved(model.fit(frame, y="y").set_params(exclude=None), tmp_path) == expected
    assert len(calls) > 12


@pytest.mark.slow
def test_workers_may_come_and_go(few_fetched, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="dask is not installed: hornbeam[dask]")
    whole, parts = draw_parts(np.random.default_rng(7), 2)
    model = hb.TreeClassifier(max_depth=5)
    expected = saved(model.fit(whole.drop(columns=["y", "w", "k"]), whole["y"]), tmp_path)
    ask, calls = dask._DaskParts.map_reduce, []
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=1, **options) as cluster, distributed.Client(cluster) as client:

        def scaled(self: Any, task: Any, state: Any, combine: Any) -> bytes:
            calls.append(1)
            if len(calls) in (2, 5, 8):
                n_workers = {2: 3, 5: 1, 8: 2}[len(calls)]
                cluster.scale(n_workers)
                deadline = time.monotonic() + 30
                while len(client.nthreads()) != n_workers and time.monotonic() < deadline:
                    time.sleep(0.05)
            return ask(self, task, state, combine)

        monkeypatch.setattr(dask._DaskParts, "map_reduce", scaled)
        far = model.set_params(exclude=["w", "k"]).fit(dask_frame(parts), y="y", engine=Dask(client))
    assert len(calls) > 8
    assert saved(far.set_params(exclude=None), tmp_path) == expected


@pytest.mark.slow
def test_a_growth_on_dask_is_stopped_and_goes_on(client, few_fetched, tmp_path, monkeypatch):
    """Stopped by `progress` it leaves the tree so far, and the checkpoint, from which it goes on."""
    whole, parts = draw_parts(np.random.default_rng(8), 3)
    model, kept = hb.TreeClassifier(), tmp_path / "kept"
    expected = saved(model.fit(whole.drop(columns=["y", "w", "k"]), whole["y"]), tmp_path)
    model.set_params(exclude=["w", "k"])
    ask, calls = dask._DaskParts.map_reduce, []

    def counted(self: Any, task: Any, state: Any, combine: Any) -> bytes:
        calls.append(1)
        return ask(self, task, state, combine)

    monkeypatch.setattr(dask._DaskParts, "map_reduce", counted)
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        model.fit(
            dask_frame(parts), y="y", engine=Dask(client, checkpoint=kept), progress=lambda _: len(calls) > 9
        )
    assert model.partial_
    assert stopped.value.tree.n_rows[0] == len(whole)
    model.fit(dask_frame(parts), y="y", engine=Dask(client, checkpoint=kept))
    assert saved(model.set_params(exclude=None), tmp_path) == expected
    assert not kept.exists()


def test_a_partition_that_cannot_be_read_ends_the_fit(client):
    import dask.dataframe as dd

    def part(k: int) -> pd.DataFrame:
        if k == 1:
            raise OSError("part 1 is not there")
        return pd.DataFrame({"x": [1.0, 2.0], "y": ["u", "v"]})

    frame = dd.from_map(part, range(3), meta=part(0).iloc[:0])
    with pytest.raises(OSError, match="part 1 is not there"):
        hb.TreeClassifier().fit(frame, y="y", engine=Dask(client))
    gap = dd.from_map(lambda k: pd.DataFrame({"x": [1.0], "y": [np.nan if k else 1.0]}), range(2))
    with pytest.raises(ValueError, match="missing"):
        hb.TreeRegressor().fit(gap, y="y", engine=Dask(client))


@pytest.mark.slow
def test_a_cluster_without_workers_is_one_sentence(few_fetched, monkeypatch):
    """No nanny starts lost workers again here."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: hornbeam[dask]")
    _, parts = draw_parts(np.random.default_rng(5), 3)
    monkeypatch.setattr(dask, "PATIENCE", 3)
    ask = dask._DaskParts.map_reduce
    with distributed.LocalCluster(n_workers=1, dashboard_address=":0") as cluster:

        def without_workers(self: Any, task: Any, state: Any, combine: Any) -> bytes:
            cluster.scale(0)
            return ask(self, task, state, combine)

        monkeypatch.setattr(dask._DaskParts, "map_reduce", without_workers)
        with (
            distributed.Client(cluster) as client,
            pytest.raises(RuntimeError, match="has had no worker for 3"),
        ):
            hb.TreeClassifier(exclude=["w", "k"]).fit(dask_frame(parts), y="y", engine=Dask(client))


def test_workers_of_dask_with_another_version_are_named(client, monkeypatch):
    _, parts = draw_parts(np.random.default_rng(5), 3)
    monkeypatch.setattr(dask._core, "version", lambda: "9.9.9")
    words = r"worker at tcp://.* has another Hornbeam .* hornbeam==9\.9\.9 on all"
    with pytest.raises(RuntimeError, match=words):
        hb.TreeClassifier(exclude=["w", "k"]).fit(dask_frame(parts), y="y", engine=Dask(client))


def test_answers_of_dask_frames_are_dask_frames(client):
    _, parts = draw_parts(np.random.default_rng(2), 3)
    frame = dask_frame(parts)
    model = hb.TreeClassifier(max_depth=4, exclude=["w", "k"]).fit(frame, y="y")
    rows = pd.concat(parts)
    for method, name in (("predict", "prediction"), ("apply", "leaf")):
        answer = getattr(model, method)(frame)
        assert type(answer).__name__ == "Series"
        assert answer.npartitions == frame.npartitions
        got = answer.compute()
        assert got.name == name
        assert got.index.equals(rows.index)
        assert np.array_equal(got, getattr(model, method)(rows))
    shares = model.predict_proba(frame).compute()
    assert list(shares) == [f"probability_{label}" for label in model.classes_]
    assert np.array_equal(shares, model.predict_proba(rows))


def test_without_a_client_partitions_are_read_one_by_one(tmp_path, monkeypatch):
    whole, parts = draw_parts(np.random.default_rng(3), 0)
    pytest.importorskip("dask.dataframe", reason="dask is not installed: hornbeam[dask]")
    model = hb.TreeRegressor(max_depth=4)
    expected = saved(model.fit(whole.drop(columns=["y", "w", "k"]), whole["y"]), tmp_path)
    model.set_params(exclude=["w", "k"])
    for module in (dask, beyond_memory):
        monkeypatch.setattr(module, "current_client", lambda: None)
    with pytest.raises(ValueError, match="needs a client: start one"):
        model.fit(dask_frame(parts), y="y", engine=Dask())
    far = model.fit(dask_frame(parts), y="y")
    assert saved(far.set_params(exclude=None), tmp_path) == expected


def test_a_dask_frame_needs_the_name_of_its_target():
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed: hornbeam[dask]")
    frame = dd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "y": ["u", "v"]}), npartitions=1)
    with pytest.raises(TypeError, match=r"those of X are elsewhere: .* the name of a column as y"):
        hb.TreeClassifier().fit(frame[["x"]], frame["y"])
