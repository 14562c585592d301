"""`hornbeam fit --memory` and `hornbeam predict` with patterns of files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hornbeam as hb


def write(folder) -> pa.Table:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = pa.table({"x": x, "id": np.arange(200), "w": np.ones(200), "y": np.where(x > 0.3, "yes", "no")})
    for place in range(4):
        pq.write_table(table.slice(50 * place, 50), folder / f"trips-{place}.parquet")
    return table


def test_patterns_of_files_are_fitted_and_predicted(here, tmp_path):
    table = write(tmp_path)
    pattern = str(tmp_path / "trips-*.parquet")
    options = ["--target", "y", "--weight", "w", "--exclude", "id", "--memory", "50MB", "--max-depth", "3"]
    done = here("fit", pattern, *options, "-o", "trips.tree.json")
    assert done.code == 0, done.err
    assert "2 leaves" in done.out
    whole = hb.TreeClassifier(max_depth=3).fit(table.select(["x"]), table["y"])
    saved = hb.load(here.folder / "trips.tree.json").tree_
    assert saved.replace(meta=whole.tree_.meta) == whole.tree_
    answers = here("predict", "trips.tree.json", pattern, "--only", "prediction").out.split()[1:]
    assert answers == table["y"].to_pylist()


def test_a_tree_beyond_memory_is_not_deep_unless_somebody_says_so(here, tmp_path):
    table = write(tmp_path)
    y = np.random.default_rng(1).normal(size=200)
    pq.write_table(table.set_column(3, "y", pa.array(y)), tmp_path / "all.parquet")
    done = here("fit", tmp_path / "all.parquet", "--target", "y", "--memory", "50MB", "-o", "a.tree.json")
    assert done.code == 0, done.err
    assert "at most 8" in done.err
    assert hb.load(here.folder / "a.tree.json").tree_.depth == 8
    assert here("fit", tmp_path / "all.parquet", "-t", "y", "--memory", "50MB", "--min-leaf", "2").code == 0


def test_what_does_not_go_with_memory_is_one_sentence(here, tmp_path):
    write(tmp_path)
    data = str(tmp_path / "trips-*.parquet")
    for options, words in (
        ([], "say --target COL"),
        (["--target", "y", "--holdout", "0.2"], "does not go with --holdout"),
        (["--target", "y", "--recipe", "c45"], "without --recipe"),
        (["--target", "y", "--pruning", "reduced-error"], "needs all rows in memory"),
        (["--target", "z"], "z"),
    ):
        done = here("fit", data, "--memory", "50MB", *options)
        assert done.code != 0
        assert words in done.err, done.err
    assert "memory='7'" in here("fit", data, "--memory", "7", "--target", "y").err
