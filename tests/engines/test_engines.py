"""What every engine promises: whatever the parts and their order, the saved bytes of the table in memory."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.engines.parts import Make, check_identity, draw_parts
from tests.engines.test_files import FORESTS, MODELS, names_classes
from tests.support.selection import seeds

import hornbeam as hb
from hornbeam.engines import Dask, Ray, Spark, far_rows, pieces, ray
from hornbeam.engines.row_part import ONE, RowPart


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


def spark_frame(session: Any) -> Make:
    """A frame whose partitions are these parts, some of them empty."""

    def frame(parts: list[pd.DataFrame]) -> Any:
        whole = pd.concat([part.assign(part=k) for k, part in enumerate(parts)])
        table = pa.Table.from_pandas(whole, preserve_index=False)
        return session.createDataFrame(table).repartition(len(parts), "part").drop("part")

    return frame


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
        parts = [RowPart(*pieces.whole_codes(*one, whole), k) for k, one in enumerate(encoded)]
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

    def drawn(self, counts: Any) -> ListParts:
        parts = [part.drawn(None if counts is None else counts[part.number]) for part in self.parts]
        return ListParts(self.rng, self.pool, parts)


@pytest.mark.parametrize("seed", seeds(40, fixed=2, drawn=1))
def test_any_engine_that_keeps_the_contract_grows_the_same_trees(seed, few_fetched, tmp_path):
    rng = np.random.default_rng(seed)
    models = [one for one in MODELS + FORESTS if not names_classes(one[0])]
    check_identity(rng, models, lambda parts: parts, tmp_path, Lists(rng))


# Spark ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_spark_grows_the_same_trees(session, few_fetched, tmp_path):
    some = [*(MODELS[k] for k in (0, 2, 7, 10)), FORESTS[1], FORESTS[5]]
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
    some = [*(MODELS[k] for k in (0, 2, 6, 10)), FORESTS[0]]
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
