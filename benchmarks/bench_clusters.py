"""Trees on a cluster of this machine: Hornbeam, XGBoost and LightGBM on dask; Hornbeam and MLlib on Spark.

    python -m benchmarks.bench_clusters --rows 1000000 --engine dask
    python -m benchmarks.bench_clusters --rows 1000000 --engine spark

Two workers of one thread each; one tree of depth 8 and 256 bins, from the same float32 columns and two
classes in Parquet files. The frame is read and kept by the cluster first; only fits are timed, in turns,
after a first one of each. Hornbeam's tree is exact and must be that of the table in memory. What is not
installed is named and left out. `--memory` is what Hornbeam may take in the driver: with little of it nodes
stay with the workers for longer.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench_beyond_memory import COLUMNS, write_rows

NAMES = [f"x{j}" for j in range(COLUMNS)]
DEPTH = 8


def in_turns(fits: dict[str, Callable[[], Any]], repeats: int) -> dict[str, Any]:
    """Run all fits in turns, once before they are timed; print the median and the range of each.

    Returns what the last ones made.
    """
    seconds: dict[str, list[float]] = {name: [] for name in fits}
    made = {}
    for turn in range(repeats + 1):
        for name, fit in fits.items():
            start = time.perf_counter()
            made[name] = fit()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    for name, taken in seconds.items():
        print(f"{name:28} {statistics.median(taken):8.2f} s  ({min(taken):.2f} to {max(taken):.2f})")
    return made


def same_tree(folder: str, model: Any) -> bool:
    """Whether a fitted model has the tree of the table in memory."""
    import pyarrow.dataset as ds

    import hornbeam as hb

    table = ds.dataset(folder).to_table()
    return bool(hb.TreeClassifier(max_depth=DEPTH).fit(table.select(NAMES), table["y"]).tree_ == model.tree_)


def dask_fits(folder: str, memories: list[str], repeats: int) -> None:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster, wait

    import hornbeam as hb
    from hornbeam.engines import Dask, dask

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        frame = dd.read_parquet(folder).persist()
        wait(frame)
        X, label = frame[NAMES].persist(), (frame["y"] == "yes").astype("int8").persist()
        wait([X, label])
        fits: dict[str, Callable[[], Any]] = {}
        for memory in memories:
            model = hb.TreeClassifier(max_depth=DEPTH)
            fits[f"Hornbeam, memory={memory}"] = lambda m=model, size=memory: m.fit(
                frame, y="y", engine=Dask(client, size)
            )
        try:
            import xgboost.dask as xgb

            options = {
                "n_estimators": 1,
                "max_depth": DEPTH,
                "max_bin": 256,
                "tree_method": "hist",
                "n_jobs": 1,
            }
            fits["XGBoost"] = lambda: xgb.DaskXGBClassifier(**options).fit(X, label)
        except ImportError as error:
            print("left out:", error)
        try:
            import lightgbm as lgb

            leaves = {
                "n_estimators": 1,
                "max_depth": DEPTH,
                "num_leaves": 2**DEPTH,
                "max_bin": 255,
                "verbose": -1,
            }
            fits["LightGBM"] = lambda: lgb.DaskLGBMClassifier(**leaves).fit(X, label)
        except ImportError as error:
            print("left out:", error)
        ask, passes = dask._DaskParts.map_reduce, []

        def timed(*args: Any) -> bytes:
            start = time.perf_counter()
            answer = ask(*args)
            passes.append(time.perf_counter() - start)
            return answer

        made = in_turns(fits, repeats)
        dask._DaskParts.map_reduce = timed
        for name in [name for name in fits if name.startswith("Hornbeam")]:
            passes.clear()
            fits[name]()
            print(f"{name}: {len(passes)} passes, {sum(passes):.2f} s; the shortest {min(passes):.3f} s")
            print("the tree of the table in memory:", same_tree(folder, made[name]))


def spark_fits(folder: str, memories: list[str], repeats: int) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col

    import hornbeam as hb
    from hornbeam.engines import Spark

    local = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "4g",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in local.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    frame = session.read.parquet(folder).repartition(4).persist()
    labelled = frame.withColumn("label", (col("y") == "yes").cast("double"))
    vectors = VectorAssembler(inputCols=NAMES, outputCol="features").transform(labelled)
    vectors = vectors.select("features", "label").persist()
    print("rows:", frame.count(), vectors.count())
    fits: dict[str, Callable[[], Any]] = {}
    for memory in memories:
        model = hb.TreeClassifier(max_depth=DEPTH)
        fits[f"Hornbeam, memory={memory}"] = lambda m=model, size=memory: m.fit(
            frame, y="y", engine=Spark(size)
        )
    mllib = DecisionTreeClassifier(maxDepth=DEPTH, maxBins=256)
    fits["MLlib, 256 bins"] = lambda: mllib.fit(vectors)
    made = in_turns(fits, repeats)
    for memory in memories:
        print("the tree of the table in memory:", same_tree(folder, made[f"Hornbeam, memory={memory}"]))
    session.stop()


def main() -> None:
    """Write rows, fit them in turns, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--engine", choices=["dask", "spark"], default="dask")
    parser.add_argument("--memory", nargs="+", default=["2GB", "60MB"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), options.rows, 8)
        fits = dask_fits if options.engine == "dask" else spark_fits
        fits(folder, options.memory, options.repeats)
    print("columns:", COLUMNS, "rows:", options.rows, "numpy", np.__version__)


if __name__ == "__main__":
    main()
