"""Density trees: what is drawn from them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.support.density_tables import mixed

import hornbeam as hb
from hornbeam.tree.density_boxes import boxes, sides


def test_what_is_drawn_follows_the_density():
    frame = mixed(500)
    model = hb.TreeDensity(min_samples_leaf=30).fit(frame)
    drawn = model.sample(20_000, random_state=0)
    assert np.isfinite(model.score_samples(drawn)).all()
    tree = model.tree_
    leaves = np.flatnonzero(tree.first_child < 0)
    shares = np.bincount(model.apply(drawn), minlength=len(tree))[leaves] / 20_000
    assert shares == pytest.approx(tree.weight[leaves] / tree.weight[0], abs=0.015)
    assert drawn["city"].value_counts(normalize=True)["Brno"] == pytest.approx(
        (frame["city"] == "Brno").mean(), abs=0.05
    )
    heavy = leaves[np.argmax(tree.weight[leaves])]
    inside = drawn[model.apply(drawn) == heavy]
    low, high = (ends[heavy] for ends in boxes(tree))
    assert inside["age"].mean() == pytest.approx((low[0] + high[0]) / 2, abs=0.05 * (high[0] - low[0]))
    assert inside["size"].nunique() == round(sides(low, high)[3])


def test_a_sample_is_the_kind_of_table_that_was_learned_from():
    frame = mixed(80)
    numbers = frame[["age", "rooms"]]
    assert isinstance(hb.TreeDensity().fit(numbers.to_numpy()).sample(3), np.ndarray)
    assert hb.TreeDensity().fit(numbers.to_numpy()).sample(3).shape == (3, 2)
    assert hb.TreeDensity().fit(frame.to_numpy()).sample(3).dtype == object
    words = hb.TreeDensity(categorical_features=[1]).fit(numbers.to_numpy()).sample(50, 0)
    assert set(words[:, 1]) <= {1.0, 2.0, 3.0, 4.0, 5.0}
    drawn = hb.TreeDensity().fit(frame).sample(3)
    assert isinstance(drawn, pd.DataFrame)
    assert list(drawn.columns) == list(frame.columns)
    assert drawn["size"].cat.ordered
    assert isinstance(hb.TreeDensity().fit(pl.from_pandas(numbers)).sample(3), pl.DataFrame)
    assert type(hb.TreeDensity().fit(pl.from_pandas(numbers).to_arrow()).sample(3)).__name__ == "Table"
    columns = hb.TreeDensity().fit({"x": [1.0, 2.0], "w": ["a", "b"]}).sample(3)
    assert isinstance(columns, dict)
    assert set(columns["w"]) <= {"a", "b"}
    sizes = {"s": pd.Categorical(list("SML"), list("SMLX"), ordered=True), "x": np.arange(3.0)}
    assert set(hb.TreeDensity().fit(sizes).sample(9)["s"]) <= set("SMLX")
    assert hb.TreeDensity().fit(pd.DataFrame(sizes).to_dict("records")).sample(2, 0)[0]["s"] in "SML"
    assert hb.TreeDensity().fit([{"w": True}, {"w": False}]).sample(1, 0)[0]["w"] in (True, False)


def test_a_sample_is_seeded():
    model = hb.TreeDensity().fit(np.random.default_rng(0).normal(size=(50, 2)))
    assert model.sample(5, random_state=3).tolist() == model.sample(5, random_state=3).tolist()
    assert model.sample(5, random_state=3).tolist() != model.sample(5, random_state=4).tolist()
    assert model.sample().shape == (1, 2)


def test_times_are_drawn_as_times():
    days = pd.date_range("2024-01-01", periods=30, tz="Europe/Prague")
    frame = pd.DataFrame({"when": days, "took": pd.to_timedelta(np.arange(30), unit="h")})
    ends = (pd.Timestamp("2023-12-01", tz="Europe/Prague"), pd.Timestamp("2024-03-01", tz="Europe/Prague"))
    model = hb.TreeDensity(support={"when": ends}, max_depth=2).fit(frame)
    drawn = model.sample(20, random_state=0)
    assert np.isfinite(model.score_samples(drawn)).all()
    assert drawn["when"].dt.tz is not None
    assert drawn["took"].dtype.kind == "m"
