"""What every engine promises: whatever the parts and their order, the saved bytes of the table in memory."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.engines.test_files import MODELS, WEIGHINGS, draw_table, names_classes, saved
from tests.support.selection import seeds

import hornbeam as hb
from hornbeam.engines import Dask, Ray, Spark, dask, far_rows, pieces, ray
from hornbeam.engines.row_part import ONE, RowPart
from hornbeam.estimators import beyond_memory

Make = Callable[[list[pd.DataFrame]], Any]  # data in parts, as an engine reads it
FEW_ROWS = 100  # of nodes that are fetched; larger ones are asked by messages


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers, each a process of its own."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: hornbeam[dask]")
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Spark on two threads, each with a Python process of its own."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: hornbeam[spark]")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    for name, value in local.items():
        builder = builder.config(name, value)
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def few_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only small nodes be fetched, so that all kinds of questions are asked."""
    limits = far_rows.FarRows._limits
    monkeypatch.setattr(far_rows.FarRows, "_limits", lambda rows: limits(rows) | {"fetch_rows": FEW_ROWS})


def dask_frame(parts: list[pd.DataFrame]) -> Any:
    import dask.dataframe as dd

    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=parts[0].iloc[:0])


def spark_frame(session: Any) -> Make:
    """A frame whose partitions are these parts, some of them empty."""

    def frame(parts: list[pd.DataFrame]) -> Any:
        whole = pd.concat([part.assign(part=k) for k, part in enumerate(parts)])
        table = pa.Table.from_pandas(whole, preserve_index=False)
        return session.createDataFrame(table).repartition(len(parts), "part").drop("part")

    return frame


def draw_parts(rng: np.random.Generator, n_classes: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """A table, and its rows in any order in up to six parts, some of them empty."""
    table = draw_table(rng, int(rng.choice([60, 400])), n_classes).drop_columns(["grade"])
    whole = table.to_pandas()
    rows = whole.iloc[rng.permutation(len(whole))]
    cuts = np.sort(rng.integers(0, len(rows) + 1, rng.integers(0, 6)))
    bounds = zip([0, *cuts], [*cuts, len(rows)], strict=True)
    return whole, [rows.iloc[first:last] for first, last in bounds]


def check_identity(rng: np.random.Generator, models: Any, make: Make, folder: Path, engine: Any) -> None:
    for model, n_classes in models:
        whole, parts = draw_parts(rng, n_classes)
        weighing = WEIGHINGS[str(rng.choice(["rows", "counts"]))]
        expected = model.fit(
            whole.drop(columns=["y", "w", "k"]),
            whole["y"],
            **{name: whole[column] for name, column in weighing.items()},
        )
        expected = saved(expected, folder)
        unused = [name for name in ("w", "k") if name not in weighing.values()]
        far = model.set_params(exclude=unused).fit(make(parts), y="y", engine=engine, **weighing)
        assert saved(far.set_params(exclude=None), folder) == expected, model


# The smallest engine ---------------------------------------------------------------------------------------


@dataclass
class Lists:
    """An engine that is nothing but the contract: tasks run anywhere, in any order, some twice at a time."""

    rng: np.random.Generator
    memory: str = "10MB"
    checkpoint: Any = None

    @contextmanager
    def open(self, data: list[pd.DataFrame], request: pieces.FarRequest) -> Iterator[far_rows.FarRows]:
        tables = [pa.Table.from_pandas(part, preserve_index=False) for part in data if len(part)]
        encoded = [pieces.encode_piece(table, request, "the list") for table in tables]
        gathering = pieces.Gathering(request, "the list")
        for k in self.rng.permutation(len(encoded)):
            gathering.add(encoded[k][1])
        whole = gathering.whole()
        parts = [RowPart(*pieces.whole_codes(*one, whole)) for one in encoded]
        with ThreadPoolExecutor(3) as pool:
            dtypes = whole.dtypes, whole.target_dtypes
            yield far_rows.FarRows(
                whole.columns, whole.target, dtypes, ListParts(self.rng, pool, parts), self
            )


@dataclass
class ListParts:
    rng: np.random.Generator
    pool: ThreadPoolExecutor
    parts: list[RowPart]

    def map_reduce(self, task: Any, state: Any, combine: Any) -> bytes:
        running = []
        for k in self.rng.permutation(len(self.parts)):
            if self.rng.random() < 0.1:  # it moves to another worker, where nothing is remembered
                self.parts[k] = RowPart.from_bytes(self.parts[k].to_bytes())
            twice = 1 + (self.rng.random() < 0.2)
            running.append([self.pool.submit(task, self.parts[k], state) for _ in range(twice)])
        answers = [futures[-1].result() for futures in running]
        while len(answers) > 1:
            n = int(self.rng.integers(2, len(answers) + 1))
            answers = [*answers[n:], combine(answers[:n])]
        return answers[0]

    def reweigh(self, factors: Any) -> ListParts:
        return ListParts(self.rng, self.pool, [part.reweighed(factors) for part in self.parts])


@pytest.mark.parametrize("seed", seeds(40, fixed=2, drawn=1))
def test_any_engine_that_keeps_the_contract_grows_the_same_trees(seed, few_fetched, tmp_path):
    rng = np.random.default_rng(seed)
    models = [one for one in MODELS if not names_classes(one[0])]
    check_identity(rng, models, lambda parts: parts, tmp_path, Lists(rng))


# Dask -------------------------------------------------------------------------------------------------------


def test_workers_of_dask_grow_the_tree_of_the_table_in_memory(client, few_fetched, tmp_path):
    """Messages, fetched nodes, parts that are weighed anew for priors."""
    rng = np.random.default_rng(1)
    check_identity(rng, [MODELS[0], MODELS[7]], dask_frame, tmp_path, Dask(client))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(10, fixed=2, drawn=1))
def test_dask_grows_the_same_trees(seed, client, few_fetched, tmp_path):
    check_identity(
        np.random.default_rng(seed),
        [one for one in MODELS if not names_classes(one[0])],
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


# Spark ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_spark_grows_the_same_trees(session, few_fetched, tmp_path):
    some = [MODELS[k] for k in (0, 2, 7, 10)]
    check_identity(np.random.default_rng(4), some, spark_frame(session), tmp_path, None)


@pytest.mark.slow
def test_answers_of_spark_frames_are_new_columns(session):
    _, parts = draw_parts(np.random.default_rng(2), 3)
    frame = spark_frame(session)(parts)
    model = hb.TreeClassifier(max_depth=4, exclude=["w", "k"]).fit(frame, y="y")
    rows = model.apply(model.predict_proba(model.predict(frame))).toPandas()
    X = rows[[column.name for column in model.tree_.columns]]
    assert np.array_equal(rows["prediction"], model.predict(X))
    assert np.array_equal(rows["leaf"], model.apply(X))
    shares = [f"probability_{label}" for label in model.classes_]
    assert np.array_equal(rows[shares], model.predict_proba(X))
    with pytest.raises(ValueError, match="has a column 'prediction' already"):
        model.predict(model.predict(frame))


# Ray --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Any]:
    """Two processors of this machine."""
    ray = pytest.importorskip("ray", reason="ray is not installed: hornbeam[ray]")
    pytest.importorskip("ray.data", reason="ray is not installed: hornbeam[ray]")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", object_store_memory=100_000_000)
    yield ray
    ray.shutdown()


@pytest.mark.slow
def test_ray_grows_the_same_trees(ray_cluster, few_fetched, tmp_path, monkeypatch):
    """Before one of the messages a worker process is killed."""
    ask, calls = ray._RayParts.map_reduce, []
    pid = ray_cluster.remote(lambda: os.getpid())

    def with_losses(self: Any, task: Any, state: Any, combine: Any) -> bytes:
        calls.append(1)
        if len(calls) == 7:
            os.kill(ray_cluster.get(pid.remote()), signal.SIGKILL)
        return ask(self, task, state, combine)

    monkeypatch.setattr(ray._RayParts, "map_reduce", with_losses)
    some = [MODELS[k] for k in (0, 2, 6, 10)]
    check_identity(np.random.default_rng(4), some, ray_cluster.data.from_pandas, tmp_path, None)
    assert len(calls) > 20
    _, parts = draw_parts(np.random.default_rng(2), 3)
    dataset = ray_cluster.data.from_pandas(parts)
    model = hb.TreeClassifier(max_depth=4, exclude=["w", "k"]).fit(dataset, y="y")
    rows = model.apply(model.predict(dataset)).to_pandas()
    X = rows[[column.name for column in model.tree_.columns]]
    assert np.array_equal(rows["prediction"], model.predict(X))
    assert np.array_equal(rows["leaf"], model.apply(X))


# All --------------------------------------------------------------------------------------------------------


def test_a_dask_frame_needs_the_name_of_its_target():
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed: hornbeam[dask]")
    frame = dd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "y": ["u", "v"]}), npartitions=1)
    with pytest.raises(TypeError, match=r"those of X are elsewhere: .* the name of a column as y"):
        hb.TreeClassifier().fit(frame[["x"]], frame["y"])


@pytest.mark.parametrize("engine", [Dask(), Ray(), Spark()])
def test_an_engine_names_the_data_that_it_reads(engine):
    with pytest.raises(TypeError, match=r"reads a \w+ (DataFrame|Dataset), not a 'str': leave engine out"):
        hb.TreeClassifier().fit("trips/*.parquet", y="y", engine=engine)


def test_workers_of_another_version_are_refused_by_name(monkeypatch):
    piece = pa.table({"x": [1.0, 2.0], "y": ["u", "v"]})
    request = pieces.FarRequest("y", None, None, is_classes=True, version="0.1.9")
    with pytest.raises(
        RuntimeError, match=r"the worker on .* has Hornbeam .* grown by Hornbeam 0\.1\.9: install"
    ):
        pieces.encode_piece(piece, request, "the data")


def test_a_part_survives_its_bytes_and_exact_sums_are_exact():
    rng = np.random.default_rng(6)
    weights = rng.random(500) * 10.0 ** rng.integers(-300, 300, 500)
    target = {"codes": rng.integers(0, 3, 500).astype(np.int32), "weights": weights}
    part = RowPart([rng.normal(size=500), rng.integers(0, 9, 500).astype(np.int32)], target)
    read = RowPart.from_bytes(part.to_bytes())
    assert RowPart.head_of(part.to_bytes()) == RowPart.head_of(read.to_bytes())
    assert all(np.array_equal(a, b) for a, b in zip(part.columns, read.columns, strict=True))
    sums = [total / 2**ONE for total in read.class_sums(3)]
    assert sums == [math.fsum(weights[target["codes"] == k].tolist()) for k in range(3)]
