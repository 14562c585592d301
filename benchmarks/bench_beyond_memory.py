"""Files beyond memory: time and peak memory of the engine of files beside the same fit in memory.

    python -m benchmarks.bench_beyond_memory --rows 2000000 --memory 100MB --depth 8

Each fit runs in a process of its own. Memory is what the process holds for itself at its peak (RssAnon, asked
often) beyond what it held after importing; pages of files, which the system gives away when it likes, are not
counted. Both fits must save the same bytes.
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
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 20


def write_rows(folder: Path, n_rows: int, n_files: int) -> None:
    """Float32 columns and two classes that follow some of them, in Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for place in range(n_files):
        rng, size = np.random.default_rng(place), n_rows // n_files
        X = rng.normal(size=(size, COLUMNS)).astype(np.float32)
        signal = X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * (X[:, 3] > 0) * X[:, 4]
        y = np.where(signal + rng.normal(0, 0.5, size) > 0, "yes", "no")
        table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": y})
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
        table = ds.dataset(folder).to_table()
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


def main() -> None:
    """Write rows, fit them both ways, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--memory", nargs="+", default=["100MB"])
    parser.add_argument("--folder", help="where rows and cache go; by default the folder for temporary files")
    parser.add_argument("--skip-memory", action="store_true", help="do not fit in memory")
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fit(Path(options.folder), options.fit, options.depth, None)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_rows(Path(folder), options.rows, options.files)
        for how in ([] if options.skip_memory else ["memory"]) + options.memory:
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
