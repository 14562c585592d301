"""Files beyond memory: time and peak memory of the engine of files beside the same fit in memory.

    python -m benchmarks.bench_beyond_memory --rows 2000000 --memory 100MB --depth 8 --peers

Each fit runs in a process of its own. Memory is what the process holds for itself at its peak (RssAnon, asked
often) beyond what it held after importing; pages of files, which the system gives away when it likes, are not
counted. All fits of Hornbeam must save the same bytes.

With `--peers` one tree is also grown by XGBoost from external memory (the same Parquet files, one batch each)
and by LightGBM with two_round loading, which takes text: the rows are written as CSV before, which is not
timed. Both round numbers to 256 bins.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 20
PEERS = ("xgboost", "lightgbm")


def write_rows(folder: Path, n_rows: int, n_files: int, n_columns: int = COLUMNS) -> None:
    """Float32 columns and two classes that follow some of them, in Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for place in range(n_files):
        rng, size = np.random.default_rng(place), n_rows // n_files
        X = rng.normal(size=(size, n_columns)).astype(np.float32)
        signal = X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * (X[:, 3] > 0) * X[:, 4]
        y = np.where(signal + rng.normal(0, 0.5, size) > 0, "yes", "no")
        table = pa.table({f"x{j}": X[:, j] for j in range(n_columns)} | {"y": y})
        pq.write_table(table, folder / f"{place:03d}.parquet", compression="none")


def held() -> int:
    """Bytes that this process holds for itself."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


class Peak(threading.Thread):
    """Asks for the memory of the process every few milliseconds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.is_over = held(), False

    def run(self) -> None:
        while not self.is_over:
            self.most = max(self.most, held())
            time.sleep(0.005)


def fit(folder: Path, how: str, depth: int, cache: str | None) -> dict[str, Any]:
    """Fit in this process; `how` is "memory" or a size of memory."""
    import pyarrow.dataset as ds

    import hornbeam as hb
    from hornbeam.engines import Files

    model = hb.TreeClassifier(max_depth=depth)
    before, peak = held(), Peak()
    peak.start()
    start, cpu = time.perf_counter(), time.process_time()
    if how == "memory":
        table = ds.dataset(sorted(map(str, folder.glob("*.parquet")))).to_table()
        X = np.stack([table[f"x{j}"].to_numpy() for j in range(COLUMNS)], axis=1)
        names = [f"x{j}" for j in range(COLUMNS)]
        read = time.perf_counter() - start
        model.fit(dict(zip(names, X.T, strict=True)), table["y"])
    else:
        read = 0.0
        model.fit(str(folder / "*.parquet"), y="y", engine=Files(how, cache))
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    peak.is_over = True
    peak.join()
    with tempfile.TemporaryDirectory() as saved:
        content = hb.save(model, Path(saved) / "model.tree.json").read_bytes()
    return {
        "how": how,
        "seconds": round(seconds, 2),
        "reading": round(read, 2),
        "cpu": round(used, 2),
        "peak MB": round((peak.most - before) / 1e6, 1),
        "leaves": model.tree_.n_leaves,
        "digest": hashlib.sha256(content).hexdigest()[:16],
    }


def fit_peer(folder: Path, peer: str, depth: int) -> dict[str, Any]:
    """Fit one tree of XGBoost or LightGBM in this process, from the files."""
    fit_one = {"xgboost": _xgboost_tree, "lightgbm": _lightgbm_tree}[peer](folder, depth)
    before, peak = held(), Peak()
    peak.start()
    start, cpu = time.perf_counter(), time.process_time()
    leaves = fit_one()
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    peak.is_over = True
    peak.join()
    return {
        "how": peer,
        "seconds": round(seconds, 2),
        "cpu": round(used, 2),
        "peak MB": round((peak.most - before) / 1e6, 1),
        "leaves": leaves,
    }


def _xgboost_tree(folder: Path, depth: int) -> Callable[[], int]:
    import pyarrow.parquet as pq
    import xgboost as xgb

    class Batches(xgb.DataIter):
        """A file at a time."""

        def __init__(self) -> None:
            self.files, self.at = sorted(folder.glob("*.parquet")), 0
            super().__init__(cache_prefix=str(folder / "xgboost.cache"))

        def next(self, input_data: Any) -> bool:
            if self.at == len(self.files):
                return False
            table = pq.read_table(self.files[self.at])
            X = np.stack([table[f"x{j}"].to_numpy() for j in range(COLUMNS)], axis=1)
            input_data(data=X, label=np.asarray(table["y"]) == "yes")
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    def fit_one() -> int:
        rows = xgb.ExtMemQuantileDMatrix(Batches(), max_bin=256)
        told = {"tree_method": "hist", "max_depth": depth, "max_bin": 256, "objective": "binary:logistic"}
        return int((xgb.train(told, rows, 1).trees_to_dataframe().Feature == "Leaf").sum())

    return fit_one


def _lightgbm_tree(folder: Path, depth: int) -> Callable[[], int]:
    import lightgbm as lgb

    def fit_one() -> int:
        told = {"two_round": True, "label_column": COLUMNS, "verbose": -1, "max_bin": 255}
        told |= {"objective": "binary", "num_leaves": 2**depth, "max_depth": depth}
        rows = lgb.Dataset(str(folder / "rows.csv"), params=told)
        return int(lgb.train(told, rows, 1).dump_model()["tree_info"][0]["num_leaves"])

    return fit_one


def write_text(folder: Path) -> None:
    """The rows as one CSV file with classes 0 and 1, which is what LightGBM loads in two rounds."""
    import pyarrow.compute as pc
    import pyarrow.csv
    import pyarrow.parquet as pq

    with (folder / "rows.csv").open("wb") as file:
        for path in sorted(folder.glob("*.parquet")):
            table = pq.read_table(path)
            table = table.set_column(COLUMNS, "y", pc.equal(table["y"], "yes").cast("int8"))
            pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=False))


def main() -> None:
    """Write rows, fit them both ways, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--memory", nargs="+", default=["100MB"])
    parser.add_argument("--folder", help="where rows and cache go; by default the folder for temporary files")
    parser.add_argument("--skip-memory", action="store_true", help="do not fit in memory")
    parser.add_argument("--peers", action="store_true", help="fit XGBoost and LightGBM, too")
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit in PEERS:
        print(json.dumps(fit_peer(Path(options.folder), options.fit, options.depth)))
        return
    if options.fit:
        print(json.dumps(fit(Path(options.folder), options.fit, options.depth, None)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_rows(Path(folder), options.rows, options.files)
        if options.peers:
            write_text(Path(folder))
        ways = ([] if options.skip_memory else ["memory"]) + options.memory
        for how in ways + (list(PEERS) if options.peers else []):
            command = [
                sys.executable,
                "-m",
                "benchmarks.bench_beyond_memory",
                "--fit",
                how,
                "--folder",
                folder,
            ]
            command += ["--depth", str(options.depth)]
            print(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True
            )


if __name__ == "__main__":
    main()
