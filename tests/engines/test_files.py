"""Data that is read piece by piece grows the tree of the table in memory, to the last saved byte."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from tests.support.selection import seeds

import hornbeam as hb
from hornbeam.engines import Files, files

EXTREMES = [0.0, -0.0, 5e-324, -5e-324, 1e300, -1e300, 1.0, np.nextafter(1.0, 2.0), np.nan]
MODELS: list[tuple[Any, int]] = [
    (hb.TreeClassifier(max_depth=5), 2),
    (hb.TreeClassifier("entropy", min_samples_leaf=3), 4),
    (hb.TreeClassifier("gain-ratio", split="multiway", missing="branch"), 3),
    (hb.TreeClassifier(split="one-vs-rest", missing="majority", class_weight="balanced"), 3),
    (hb.TreeClassifier(missing="all-paths", max_leaf_nodes=9), 2),
    (hb.TreeClassifier(max_features=2, random_state=3, min_gain=0.0), 3),
    (hb.TreeClassifier(max_depth=5, priors="equal"), 3),
    (hb.TreeClassifier(priors={"class 0": 0.8, "class 1": 0.2}, class_weight={"class 1": 3}, max_depth=4), 2),
    (hb.TreeClassifier(costs=[[0, 5, 1], [1, 0, 1], [2, 2, 0]], min_samples_leaf=0.02), 3),
    (hb.TreeClassifier(class_weight={"class 0": 0}, min_samples_leaf=0.05), 3),
    (hb.TreeRegressor(min_samples_split=5), 0),
    (hb.TreeRegressor("sd", max_depth=4, missing="majority"), 0),
    (hb.TreeRegressor("poisson", missing="branch"), 0),
    (hb.TreeRegressor(min_impurity_decrease=0.01, monotonic_cst={"number": 1}), 0),
]

FORESTS: list[tuple[Any, int]] = [
    (hb.ForestClassifier(3, max_depth=4, random_state=1), 3),
    (hb.ForestClassifier(2, class_weight="balanced_subsample", max_samples=0.5, random_state=2), 2),
    (hb.ForestClassifier(2, class_weight="balanced", priors="equal", missing="branch", random_state=3), 3),
    (hb.ForestClassifier(2, bootstrap=False, class_weight="balanced", priors="equal", random_state=4), 3),
    (hb.ForestClassifier(2, bootstrap=False, split="multiway", missing="majority", random_state=5), 2),
    (hb.ForestRegressor(2, min_samples_leaf=2, random_state=6), 0),
    (hb.ForestRegressor(2, criterion="poisson", bootstrap=False, max_depth=3, random_state=7), 0),
]

# Which column says what of the rows.
WEIGHINGS: dict[str, dict[str, str]] = {
    "rows": {},
    "weights": {"sample_weight": "w"},
    "counts": {"counts": "k"},
    "both": {"sample_weight": "w", "counts": "k"},
}
MOST_REFUSED = 2  # of the fits of one seed, for weights that lie too far apart
ALL_ROWS = 10**6  # more than any table of these tests has


def draw_table(rng: np.random.Generator, n: int, n_classes: int) -> pa.Table:
    """Ties, gaps, both zeros, denormals, extremes, words, an order, whole numbers; y, weights, counts."""
    number = rng.normal(size=n)
    number[rng.random(n) < 0.1] = np.nan
    words = rng.choice(["zebra", "Ähre", "ant", "bee", None], n)
    grades = pa.DictionaryArray.from_arrays(
        pa.array(rng.integers(0, 3, n), pa.int8()), ["low", "mid", "high"], ordered=True
    )
    signal = np.nan_to_num(number) + (words == "ant") + rng.normal(0, 0.3, n)
    if n_classes:
        labels = np.array([f"class {k}" for k in range(n_classes)])
        y: Any = pa.array(labels[np.clip((signal + 1) * n_classes / 3, 0, n_classes - 1).astype(int)])
    else:
        y = np.abs(signal) if rng.random() < 0.9 else np.round(np.abs(signal))
        y[0] = max(y[0], 1.0)  # rates of nothing but zeros are refused
    return pa.table(
        {
            "number": pa.array(number, from_pandas=True),
            "extreme": rng.choice(EXTREMES, n),
            "single": rng.normal(size=n).round(1).astype(np.float32),
            "whole": pa.array(rng.integers(-3, 4, n), mask=rng.random(n) < 0.1),
            "word": pa.array(words.tolist(), pa.string()),
            "truth": rng.random(n) < 0.5,
            "grade": grades,
            "y": y,
            "w": rng.random(n) * (rng.random(n) < 0.9) + (np.arange(n) == 0),
            "k": rng.integers(0, 3, n) + (np.arange(n) == 0),
        }
    )


def names_classes(model: Any) -> bool:
    """Whether the parameters of a model name classes, which small tables may lack."""
    named = (getattr(model, name, None) for name in ("costs", "class_weight", "priors"))
    return any(isinstance(one, (dict, list)) for one in named)


def saved(model: Any, folder: Path) -> bytes:
    return hb.save(model, folder / "model.tree.json").read_bytes()


def in_memory(model: Any, table: pa.Table, weighing: str) -> Any:
    extra = {name: table[column].to_numpy() for name, column in WEIGHINGS[weighing].items()}
    return model.fit(table.drop_columns(["y", "w", "k"]), table["y"], **extra)


def from_files(model: Any, data: Any, weighing: str, engine: Any) -> Any:
    names = WEIGHINGS[weighing]
    unused = [name for name in ("w", "k") if name not in names.values()]
    return model.set_params(exclude=unused).fit(data, y="y", engine=engine, **names).set_params(exclude=None)


def write_files(rng: np.random.Generator, table: pa.Table, folder: Path) -> None:
    """The rows in any order, in up to five Parquet files, some of which are empty."""
    rows = table.take(rng.permutation(table.num_rows))
    cuts = np.sort(rng.integers(0, rows.num_rows + 1, rng.integers(0, 5)))
    for place, (first, last) in enumerate(zip([0, *cuts], [*cuts, rows.num_rows], strict=True)):
        pq.write_table(rows.slice(first, last - first), folder / f"{place}.parquet")


def small_parts(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, *, fetch: int) -> None:
    """Parts of few rows, tasks that run twice, answers that come in any order, nodes that are not fetched."""
    monkeypatch.setattr(files._Reading, "_rows_of_part", lambda *_: int(rng.integers(1, 200)))
    ask = files._FileParts.map_reduce

    def twice(self: Any, task: Any, state: Any, combine: Any) -> bytes:
        def sometimes(part: Any, message: Any) -> bytes:
            if rng.random() < 0.1:
                task(part, message)
            return bytes(task(part, message))

        shuffled = replace(self, parts=[self.parts[k] for k in rng.permutation(len(self.parts))])
        return ask(shuffled, sometimes, state, combine)

    monkeypatch.setattr(files._FileParts, "map_reduce", twice)
    limits = files.FarRows._limits
    monkeypatch.setattr(files.FarRows, "_limits", lambda *args: limits(*args) | {"fetch_rows": fetch})


def from_small_parts(
    monkeypatch: pytest.MonkeyPatch, seed: int, fetch: int, model: Any, folder: Path, weighing: str
) -> Any:
    with monkeypatch.context() as patch:
        small_parts(patch, np.random.default_rng(seed), fetch=fetch)
        return from_files(model, str(folder / "*.parquet"), weighing, Files("10MB"))


@pytest.mark.parametrize("seed", seeds(30, fixed=3, drawn=1))
def test_files_grow_the_tree_of_the_table_in_memory(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    refused: list[str] = []
    for k, (model, n_classes) in enumerate(MODELS):
        names_classes = model.get_params().get("costs") or isinstance(
            model.get_params().get("class_weight"), dict
        )
        table = draw_table(rng, int(rng.choice([400] if names_classes else [1, 7, 60, 400])), n_classes)
        weighing = str(rng.choice(list(WEIGHINGS)))
        folder = tmp_path / str(k)
        folder.mkdir()
        write_files(rng, table, folder)
        whole = saved(in_memory(model, table, weighing), tmp_path)
        try:
            fetch = int(rng.choice([70, 100, ALL_ROWS]))
            far = from_small_parts(monkeypatch, seed, fetch, model, folder, weighing)
        except ValueError as error:  # a node on the disk whose weights no grid holds: more memory
            if "the sample weights lie too far apart" not in str(error):
                raise
            refused.append(weighing)
            far = from_small_parts(monkeypatch, seed, ALL_ROWS, model, folder, weighing)
        assert saved(far, tmp_path) == whole, (k, model)
    assert set(refused) <= {"weights", "both"}
    assert len(refused) <= MOST_REFUSED


@pytest.mark.parametrize("seed", seeds(30, fixed=1, drawn=1))
def test_files_grow_the_forest_of_the_table_in_memory(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    for k, (model, n_classes) in enumerate(FORESTS):
        table = draw_table(rng, int(rng.choice([60, 400])), n_classes)
        weighing = str(
            rng.choice(["rows", "weights", "counts", "both"] if model.bootstrap else ["rows", "counts"])
        )
        folder = tmp_path / str(k)
        folder.mkdir()
        write_files(rng, table, folder)
        whole = saved(in_memory(model, table, weighing), tmp_path)
        fetch = int(rng.choice([70, ALL_ROWS]))
        far = from_small_parts(monkeypatch, seed, fetch, model, folder, weighing)
        assert saved(far, tmp_path) == whole, (k, model)
        features = table.drop_columns(["y", "w", "k"])
        pq.write_table(features, folder / "features.parquet")
        assert np.array_equal(far.predict(folder / "features.parquet"), far.predict(features))


@pytest.mark.parametrize(("model", "n_classes"), [MODELS[0], MODELS[6]])
def test_weights_too_far_apart_for_nodes_on_the_disk_are_refused(model, n_classes, tmp_path, monkeypatch):
    table = draw_table(np.random.default_rng(8), 300, n_classes)
    weights = 10.0 ** -np.random.default_rng(9).integers(0, 12, 300)
    table = table.set_column(table.column_names.index("w"), "w", pa.array(weights))
    write_files(np.random.default_rng(10), table, tmp_path)
    whole = saved(in_memory(model, table, "both"), tmp_path)
    with pytest.raises(ValueError, match=r"weights lie too far apart .* closer together, or more memory"):
        from_small_parts(monkeypatch, 0, 70, model, tmp_path, "both")
    assert saved(from_small_parts(monkeypatch, 0, ALL_ROWS, model, tmp_path, "both"), tmp_path) == whole


def sources(table: pa.Table, folder: Path) -> dict[str, Any]:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    pq.write_table(table, folder / "a.parquet")
    pyarrow.feather.write_feather(table, folder / "a.feather")
    plain = f"select * from '{folder / 'a.parquet'}'"
    return {
        "a path": folder / "a.parquet",
        "Feather": str(folder / "a.feather"),
        "a dataset": ds.dataset(folder / "a.parquet"),
        "a LazyFrame": polars.scan_parquet(folder / "a.parquet"),
        "a query": duckdb.sql(plain),
        "a reader": table.to_reader(),
        "a frame": polars.from_arrow(table),
        "a table": table,
    }


def test_everything_that_can_be_streamed_is_read(tmp_path):
    table = draw_table(np.random.default_rng(1), 300, 2).drop_columns(["grade", "w", "k"])
    model = hb.TreeClassifier(max_depth=4)
    whole = saved(model.fit(table.drop_columns(["y"]), table["y"]), tmp_path)
    for name, data in sources(table, tmp_path).items():
        assert saved(model.fit(data, y="y", engine=Files("20MB")), tmp_path) == whole, name


def test_numbers_whose_squares_vanish_are_refused_as_in_memory(tmp_path):
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.0, 0.0, 1e-200, 3e-200]})
    for place in range(2):  # a part by itself varies by less than the whole
        pq.write_table(table.slice(2 * place, 2), tmp_path / f"part-{place}.parquet")
    for data, y in ((table.drop_columns(["y"]), table["y"]), (str(tmp_path / "part-*.parquet"), "y")):
        with pytest.raises(ValueError, match=r"y varies by 3e-200 only, .* multiply y"):
            hb.TreeRegressor("poisson").fit(data, y=y)


def test_text_files_grow_the_tree_of_read_table(tmp_path):
    table = draw_table(np.random.default_rng(2), 500, 3).select(["number", "whole", "word", "truth", "y"])
    pyarrow.csv.write_csv(table, tmp_path / "all.csv")
    for place in range(2):
        pyarrow.csv.write_csv(table.slice(250 * place, 250), tmp_path / f"part-{place}.csv")
    sheet = hb.read_table(tmp_path / "all.csv").data
    model = hb.TreeClassifier(max_depth=4)
    whole = saved(model.fit(sheet.drop_columns(["y"]), sheet["y"]), tmp_path)
    assert saved(model.fit(str(tmp_path / "part-*.csv"), y="y"), tmp_path) == whole


def test_classes_may_be_numbers_or_truth_values(tmp_path):
    rng = np.random.default_rng(3)
    for y in (rng.integers(5, 8, 100), rng.random(100) < 0.5, rng.integers(0, 2, 100).astype(float)):
        table = pa.table({"x": rng.normal(size=100), "y": y})
        pq.write_table(table, tmp_path / "a.parquet")
        model = hb.TreeClassifier(max_depth=2, class_weight="balanced")
        whole = saved(model.fit(table.select(["x"]), table["y"]), tmp_path)
        model.fit(tmp_path / "a.parquet", y="y")
        assert saved(model, tmp_path) == whole
        assert model.classes_.dtype == np.unique(y).dtype


def test_answers_for_files_are_those_for_their_rows(tmp_path, monkeypatch):
    table = draw_table(np.random.default_rng(4), 300, 3)
    write_files(np.random.default_rng(5), table, tmp_path)
    rows = pa.concat_tables([pq.read_table(path) for path in sorted(tmp_path.glob("*.parquet"))])
    monkeypatch.setattr("hornbeam.estimators.tree_rows.BATCH_ROWS", 70)
    model = in_memory(hb.TreeClassifier(max_depth=4, missing="all-paths"), table, "rows")
    for answer in (model.predict, model.predict_proba, model.apply):
        assert np.array_equal(answer(f"{tmp_path}/*.parquet"), answer(rows))
        assert np.array_equal(answer(ds.dataset(tmp_path)), answer(rows))
    number = in_memory(hb.TreeRegressor(max_depth=4), draw_table(np.random.default_rng(4), 300, 0), "rows")
    assert np.array_equal(number.predict(tmp_path), number.predict(rows))


def test_files_are_evaluated_as_their_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("hornbeam.evaluation.evaluate"), "BATCH_ROWS", 70)
    for n_classes, kind in ((3, hb.TreeClassifier), (0, hb.TreeRegressor)):
        table = draw_table(np.random.default_rng(4), 300, n_classes)
        (folder := tmp_path / str(n_classes)).mkdir()
        write_files(np.random.default_rng(5), table, folder)
        model = in_memory(kind(max_depth=3), table, "rows")
        whole = hb.evaluate(model, table.drop_columns(["y"]), table["y"], sample_weight=table["w"].to_numpy())
        far = hb.evaluate(model, f"{folder}/*.parquet", "y", sample_weight="w")
        assert str(far) == str(whole)
        assert far.to_dict() == whole.to_dict()
    with pytest.raises(ValueError, match="'z' must name a column of the data"):
        hb.evaluate(model, folder, "z")
    with pytest.raises(ValueError, match="leave cv, groups and counts out"):
        hb.evaluate(model, folder, "y", cv=3)


def test_answers_of_a_lazy_frame_are_lazy():
    polars = pytest.importorskip("polars")
    table = draw_table(np.random.default_rng(4), 300, 3).drop_columns(["grade", "w", "k"])
    model = hb.TreeClassifier(max_depth=4).fit(table.drop_columns(["y"]), table["y"])
    lazy = polars.from_arrow(table).lazy().filter(polars.col("truth"))
    rows = lazy.collect()
    for method in ("predict", "predict_proba", "apply"):
        answer = getattr(model, method)(lazy)
        assert isinstance(answer, polars.LazyFrame)
        got = answer.collect()
        assert got.schema == answer.collect_schema()
        assert np.array_equal(got.to_numpy().squeeze(), getattr(model, method)(rows))
    nothing = lazy.filter(polars.lit(False))
    assert model.predict(nothing).collect().shape == (0, 1)


def test_a_growth_that_is_stopped_leaves_the_tree_so_far(tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    pq.write_table(draw_table(rng, 4000, 3), tmp_path / "a.parquet")
    small_parts(monkeypatch, rng, fetch=0)
    shares: list[float] = []

    def stop(share: float) -> bool:
        shares.append(share)
        return len(shares) > 3

    model = hb.TreeClassifier(exclude=["w", "k"])
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        model.fit(tmp_path, y="y", progress=stop)
    assert model.partial_
    assert stopped.value.tree.n_leaves >= 1
    assert model.tree_.n_rows[0] == 4000
    limited = hb.TreeClassifier(exclude=["w", "k"], time_limit=0.05)
    with pytest.warns(UserWarning, match="time_limit"):
        limited.fit(tmp_path, y="y")
    assert limited.partial_


def test_progress_ends_with_all_rows(tmp_path):
    pq.write_table(draw_table(np.random.default_rng(7), 500, 2), tmp_path / "a.parquet")
    shares: list[float] = []
    hb.TreeClassifier(exclude=["w", "k"]).fit(tmp_path, y="y", progress=shares.append)
    assert shares[-1] == 1.0
