"""Editing trees by hand: splits that people choose."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests.support.edited_trees import ESTIMATORS, N, fresh, mixed

import hornbeam as hb


def test_a_forced_split_keeps_its_rank_among_the_candidates():
    tennis = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), tennis.X, tennis.y).split(0, on="Humidity", multiway=True)
    gains = {c.column: c.score for c in draft.undo().candidates(0)}
    assert list(gains) == ["Outlook", "Humidity", "Wind", "Temperature"]
    found = draft.forced[0]
    assert (found["rank"], found["of"], found["best"]) == (2, 4, "Outlook")
    assert found["score"] == pytest.approx(0.1518, abs=1e-4)
    assert found["best_score"] == pytest.approx(0.2467, abs=1e-4)
    assert draft.log[0]["facts"] == found
    assert "chosen by hand, rank 2 of 4" in hb.show(draft.tree)


def test_a_cut_that_is_not_the_best_of_its_column_is_one_more_candidate():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 1.0, 2.0, 2.0]}, ["a", "a", "b", "b"]
    draft = hb.edit(hb.TreeClassifier(), X, y)
    assert draft.split(0, on="x", at=2.2).forced[0]["rank"] == 1
    worse = draft.split(0, on="x", at=3.5).forced[0]
    assert (worse["rank"], worse["of"]) == (3, 3)


def test_every_way_of_splitting():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    assert draft.split(0, on="a", at=4).tree.text().startswith("a[<=4: ")
    assert draft.split(0, on="c", at="v").tree.text().startswith("c=v[yes: ")
    assert draft.split(0, on="c", groups=[["v", "u"], ["w"]]).tree.text().startswith("c[{u,v}: ")
    assert draft.split(0, on="c", groups=[["w"]]).tree.text().startswith("c[{w}: ")
    assert draft.split(0, on="c", multiway=True).tree.n_leaves == 3
    assert draft.split(0, on="a", at=[3, 7]).tree.n_leaves == 3
    assert draft.split(0, on=0).tree.column[0] == 0
    own = draft.split(0, on="g", at=0.0, missing="own").tree
    gaps = int(np.isnan(X["g"]).sum())
    assert own.own_missing[0]
    assert own.n_rows.tolist()[-1] == gaps
    for branch in (0, 1):
        to = draft.split(0, on="g", at=0.0, missing=branch).tree
        assert to.missing[0] == branch
        known = np.count_nonzero(X["g"] <= 0 if branch == 0 else X["g"] > 0)
        assert to.n_rows[1 + branch] == known + gaps


def test_the_best_test_of_the_best_column_is_what_growing_makes():
    X, y = mixed()
    grown = hb.TreeClassifier(max_depth=1).fit(X, y).tree_
    name = grown.columns[int(grown.column[0])].name
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on=name)
    assert draft.tree.text() == grown.text()
    assert draft.tree.gain[0] == grown.gain[0]
    assert draft.forced[0]["rank"] == 1


@pytest.mark.parametrize(
    "name", ["gini", "multiway", "fractional", "majority", "surrogates", "all-paths", "priors", "balanced"]
)
def test_a_choice_that_growing_would_have_made_gives_the_same_tree(name):
    X, y = mixed()
    grown = fresh(ESTIMATORS[name]).set_params(max_depth=1).fit(X, y).tree_
    on = grown.columns[int(grown.column[0])].name
    draft = hb.edit(fresh(ESTIMATORS[name]), X, y).split(0, on=on)
    plain = {key: value for key, value in draft.tree.meta.items() if key != "marks"}
    mine = draft.tree.replace(meta=plain)
    assert mine.text() == grown.text()
    for array in ("stats", "n_rows", "label", "missing", "gap", "surrogate_column", "surrogate_agreement"):
        assert np.array_equal(getattr(mine, array), getattr(grown, array), equal_nan=array == "gap"), array
    assert mine.gain == pytest.approx(grown.gain, abs=1e-12)
    assert mine.impurity == pytest.approx(grown.impurity, abs=1e-12)


def _filled(tree, node):
    """The rows of the nodes below that have some, from left to right."""
    return [int(tree.n_rows[n]) for n, _ in tree.walk(node) if tree.n_rows[n] > 0]


@pytest.mark.parametrize("name", ["gini", "multiway", "fractional", "majority"])
def test_growing_below_a_choice_is_fitting_on_the_rows_there(name):
    X, y = mixed()
    draft = hb.edit(fresh(ESTIMATORS[name]), X, y).split(0, on="c", at="u").grow()
    for node in (1, 2):
        rows, _ = draft.rows(node)
        some = {column: values[rows] for column, values in X.items()}
        alone = hb.edit(fresh(ESTIMATORS[name]).set_params(max_depth=3), some, y[rows]).grow().tree
        assert hb.show(draft, node=node, counts="none").split("?")[0].endswith(hb.show(alone).split("?")[0])
        assert _filled(draft.tree, node) == _filled(alone, 0)


def test_a_column_with_a_branch_for_each_value_is_not_asked_again_below():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="c", multiway=True).grow()
    assert [n for n in range(len(draft.tree)) if draft.tree.column[n] == 1] == [0]


def test_ordinal_columns_and_dates_are_cut_at_their_values():
    size = pd.Categorical(["s", "m", "l", "m"], categories=["s", "m", "l"], ordered=True)
    day = pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"])
    X = pd.DataFrame({"size": size, "day": day})
    draft = hb.edit(hb.TreeClassifier(), X, ["p", "p", "q", "q"])
    assert draft.split(0, on="size", at="m").tree.n_rows.tolist() == [4, 3, 1]
    assert draft.split(0, on="day", at="2020-02-15").tree.n_rows.tolist() == [4, 2, 2]
    assert draft.split(0, on="day", at=pd.Timestamp("2020-02-15").to_pydatetime()).log[0]["op"] == "split"


def test_a_forced_split_may_break_limits_but_leave_no_branch_empty():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(min_samples_leaf=50), X, y)
    assert draft.split(0, on="a", at=0.0).tree.n_rows[1] < 50
    with pytest.raises(ValueError, match=r"at=99 leaves a branch empty: .* between 0 and 11"):
        draft.split(0, on="a", at=99)
    with pytest.raises(ValueError, match="at=-1 leaves a branch empty"):
        draft.split(0, on="a", at=-1)


def test_a_leaf_without_rows_has_no_best_test():
    X = {"c": ["u", "u", "v", "v", "w"], "a": [1.0, 2.0, 1.0, 2.0, 3.0]}
    for estimator, y in ((hb.TreeClassifier(), list("pqpqp")), (hb.TreeRegressor(), [0.0, 1, 2, 3, 4])):
        draft = hb.edit(estimator, X, y).split(0, on="a", at=2.5).split(1, on="c", multiway=True)
        empty = int(np.flatnonzero(draft.tree.n_rows == 0)[0])
        with pytest.raises(ValueError, match="on='a' has no test that parts the rows of this node"):
            draft.split(empty, on="a")


def test_monotonic_constraints_bind_people_too():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 1.0, 2.0]}, [1.0, 9.0, 2.0, 3.0]
    draft = hb.edit(hb.TreeRegressor(monotonic_cst={"x": 1}), X, y)
    with pytest.raises(ValueError, match="breaks monotonic_cst: at node 0 answers would not rise with 'x'"):
        draft.split(0, on="x", at=2)
    assert draft.split(0, on="x", at=1).tree.n_leaves == 2


def test_growing_below_a_choice_keeps_the_order():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=200), "z": rng.normal(size=200)}
    y = X["x"] + 3 * X["z"] + rng.normal(size=200)
    draft = (
        hb.edit(hb.TreeRegressor(monotonic_cst={"x": 1}, max_depth=6), X, y).split(0, on="x", at=0.3).grow()
    )
    assert draft.tree.n_leaves >= 4
    grid = np.linspace(-3, 3, 61)
    for z in (-1.0, 0.0, 1.0):
        said = draft.model.predict({"x": grid, "z": np.full(61, z)})
        assert (np.diff(said) >= -1e-9).all()


def test_thresholds_below_a_choice_are_values_of_the_whole_table_if_the_estimator_wants_them_so():
    X, y = mixed()
    X["a"] = X["a"] + 0.25 * (X["c"] == "w")
    draft = hb.edit(hb.c45(), X, y).split(0, on="c", groups=[["w"]]).grow()
    cuts = draft.tree.threshold[(draft.tree.kind == 1) & (draft.tree.column == 0)]
    assert len(cuts)
    assert np.isin(cuts, X["a"]).all()
    assert hb.edit(hb.c45(), X, y).split(0, on="a").tree.threshold[0] in X["a"]


def test_readers_take_a_draft(tmp_path):
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(max_depth=2), X, y).grow()
    assert hb.show(draft) == hb.show(draft.tree)
    assert len(hb.rules(draft)) == draft.tree.n_leaves
    assert hb.load(hb.save(draft, tmp_path / "x.tree.json")) == draft.tree


def test_rows_without_weight_take_no_part():
    X, y = mixed()
    weight = (np.arange(N) % 3 > 0).astype(float)
    draft = hb.edit(hb.TreeClassifier(max_depth=3), X, y, weight).split(0, on="c", at="u").grow()
    some = {name: values[weight > 0] for name, values in X.items()}
    other = hb.edit(hb.TreeClassifier(max_depth=3), some, y[weight > 0]).split(0, on="c", at="u").grow()
    assert draft.tree.text() == other.tree.text()


def test_a_tree_of_scikit_learn_is_edited():
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    tree = hb.from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    draft = hb.edit(tree, X, y)
    assert draft.tree.n_rows[0] == 150
    assert draft.grow(max_depth=4).model.score(X, y) > 0.97


def test_a_tree_that_answers_quantiles_is_split_and_keeps_them():
    X, y = {"x": [1, 2, 3, 4, 5, 6], "o": list("aabbab")}, [1.0, 2.0, 3.0, 5.0, 8.0, 13.0]
    draft = hb.edit(hb.TreeRegressor("absolute"), X, y).split(0, on="o").grow()
    assert draft.model.predict(X).tolist() == y
    assert draft.undo().model.predict(X).tolist() == [2.0, 2.0, 5.0, 5.0, 2.0, 5.0]
