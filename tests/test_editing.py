"""Editing trees by hand: `hb.edit`, the operations, and `hb.replay`."""

import json

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_diabetes, load_iris

import hornbeam as hb
from hornbeam.editing import OPERATIONS, Ground, apply
from hornbeam.leaves import Linear, Quantiles

N = 120


def document(tree):
    return json.dumps(tree.to_dict())


def mixed(seed=0, n=N):
    """Numbers, categories and gaps, with classes that depend on them."""
    rng = np.random.default_rng(seed)
    table = {
        "a": rng.integers(0, 12, n).astype(float),
        "c": rng.choice(["u", "v", "w"], n),
        "g": np.where(rng.random(n) < 0.25, np.nan, rng.normal(size=n).round(1) + 0.0),
    }
    y = np.where((table["a"] > 5) ^ (table["c"] == "u"), "p", np.where(rng.random(n) < 0.3, "q", "r"))
    return table, y


ESTIMATORS = {
    "gini": hb.TreeClassifier(max_depth=4),
    "multiway": hb.TreeClassifier("entropy", split="multiway", missing="branch", max_depth=4),
    "fractional": hb.TreeClassifier("gain-ratio", split="multiway", missing="fractional", max_depth=4),
    "majority": hb.TreeClassifier(missing="majority", max_depth=4),
    "surrogates": hb.TreeClassifier(missing="surrogates", max_depth=4),
    "all-paths": hb.TreeClassifier(missing="all-paths", split="one-vs-rest", max_depth=4),
    "priors": hb.TreeClassifier(priors="equal", max_depth=4),
    "balanced": hb.TreeClassifier(class_weight="balanced", max_depth=4),
    "drawn": hb.TreeClassifier(max_features=2, random_state=3, max_depth=4),
    "best first": hb.TreeClassifier(max_leaf_nodes=7),
    "oblique": hb.TreeClassifier(split="oblique", max_depth=2),
    "chaid": hb.chaid(),
    "ctree": hb.ctree(),
}
REGRESSORS = {
    "variance": hb.TreeRegressor(min_samples_leaf=15),
    "sd": hb.TreeRegressor("sd", max_depth=3),
    "absolute": hb.TreeRegressor("absolute", max_depth=3),
    "linear": hb.TreeRegressor(leaf=Linear(), max_depth=3, min_samples_leaf=20),
    "quantiles": hb.TreeRegressor(leaf=Quantiles(levels=[0.1, 0.9]), max_depth=3),
    "best first": hb.TreeRegressor(max_leaf_nodes=9),
}


def fresh(estimator):
    return type(estimator)(**estimator.get_params(deep=False))


# ---- growing is fitting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_growing_from_a_bare_root_is_fitting(name, weighted):
    X, y = mixed()
    weight = np.random.default_rng(1).random(N) if weighted else None
    model = fresh(ESTIMATORS[name]).fit(X, y, weight)
    draft = hb.edit(fresh(ESTIMATORS[name]), X, y, weight)
    assert draft.tree.n_leaves == 1
    assert document(draft.grow().tree) == document(model.tree_)
    assert np.array_equal(draft.grow().model.predict(X), model.predict(X))


@pytest.mark.parametrize("name", REGRESSORS)
def test_growing_a_regression_from_a_bare_root_is_fitting(name):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = fresh(REGRESSORS[name]).fit(X, y)
    draft = hb.edit(fresh(REGRESSORS[name]), X, y)
    assert document(draft.grow().tree) == document(model.tree_)


@pytest.mark.parametrize("name", ["gini", "multiway", "fractional", "surrogates", "all-paths", "priors"])
def test_what_is_collapsed_grows_again(name):
    X, y = mixed()
    model = fresh(ESTIMATORS[name]).fit(X, y)
    draft = hb.edit(model, X, y)
    assert draft.tree is model.tree_
    for node in np.flatnonzero(model.tree_.first_child >= 0).tolist():
        assert document(draft.collapse(node).grow(node).tree) == document(model.tree_)
        assert document(draft.regrow(node).tree) == document(model.tree_)


@pytest.mark.parametrize("name", ["variance", "linear", "absolute"])
def test_what_is_collapsed_grows_again_in_regressions(name):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = fresh(REGRESSORS[name]).fit(X, y)
    draft = hb.edit(model, X, y)
    for node in np.flatnonzero(model.tree_.first_child >= 0).tolist()[:5]:
        assert document(draft.collapse(node).grow(node).tree) == document(model.tree_)


def test_steps_to_the_end_are_fitting():
    X, y = load_iris(return_X_y=True)
    draft = hb.edit(hb.TreeClassifier(), X, y)
    worth = []
    for _ in range(8):
        draft = draft.step()
        worth.append(draft.say)
    assert document(draft.tree) == document(hb.TreeClassifier().fit(X, y).tree_)
    assert worth[0].startswith("split node 0 by ")
    with pytest.raises(ValueError, match="nothing to split"):
        draft.step()


def test_steps_are_those_of_growing_best_first():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    for leaves in range(2, 9):
        draft = draft.step()
        grown = hb.TreeClassifier(max_leaf_nodes=leaves).fit(X, y).tree_
        assert document(draft.tree) == document(grown)


def test_limits_given_to_grow_count_for_the_whole_tree():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="c", groups=[["u"]])
    assert draft.grow(max_depth=2).tree.depth == 2
    assert draft.grow(max_leaf_nodes=5).tree.n_leaves == 5
    assert draft.grow(1, max_depth=3).tree.depth == 3
    with pytest.raises(ValueError, match="grow has no argument 'max_dept' \\(did you mean 'max_depth'"):
        hb.edit(hb.TreeClassifier(), X, y).grow(max_dept=3)


# ---- splitting ---------------------------------------------------------------------------------------------


def test_a_forced_split_keeps_its_rank_among_the_candidates():
    tennis = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), tennis.X, tennis.y).split(0, on="Humidity", multiway=True)
    gains = {c.column: c.score for c in draft.undo().candidates(0)}
    assert list(gains) == ["Outlook", "Humidity", "Wind", "Temperature"]
    found = draft.forced[0]
    assert (found["rank"], found["of"], found["best"]) == (2, 4, "Outlook")
    assert found["score"] == pytest.approx(0.1518, abs=1e-4)
    assert found["best_score"] == pytest.approx(0.2467, abs=1e-4)
    assert draft.log[0]["found"] == found
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
    mine = hb.Tree(**(draft.tree.attributes() | draft.tree.arrays() | {"meta": plain}))
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


# ---- changing what stands ----------------------------------------------------------------------------------


def test_moving_a_cut_keeps_what_is_below():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="a", at=4).split(1, on="c", at="u")
    moved = draft.move(0, at=6)
    assert moved.tree.text().startswith("a[<=6: c=u[")
    assert moved.tree.n_rows[1] == np.count_nonzero(X["a"] <= 6)
    assert moved.forced[0]["rank"] >= 1
    assert moved.tree.gap[0].tolist() == [6.0, 7.0]


def test_a_test_below_that_parts_nothing_any_more_gives_way():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 1.0, 2.0]}, ["a", "b", "a", "b"]
    draft = (
        hb.edit(hb.TreeClassifier(), X, y)
        .split(0, on="x", at=3)
        .split(1, on="x", at=2)
        .split(3, on="x", at=1)
    )
    assert draft.tree.n_leaves == 4
    moved = draft.move(0, at=1)
    assert moved.tree.text() == "x[<=1: a(1:0) | >1: b(1:2)]"


def test_values_are_regrouped():
    X, y = mixed()
    draft = (
        hb.edit(hb.TreeClassifier(), X, y).split(0, on="c", groups=[["u"], ["v", "w"]]).split(2, on="a", at=5)
    )
    other = draft.regroup(0, [["u", "v"], ["w"]])
    assert other.tree.text().startswith("c[{u,v}: ")
    assert other.tree.n_rows[2] == np.count_nonzero(X["c"] == "w")
    with pytest.raises(ValueError, match="node=0 has 2 branches, but this would make 3"):
        draft.regroup(0, [["u"], ["v"], ["w"]])


def test_locked_nodes_stay():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(max_depth=4), X, y).split(0, on="c", at="u").lock(1)
    grown = draft.grow()
    assert grown.tree.first_child[1] < 0
    assert grown.tree.depth == 4
    assert grown.locked == [1]
    for wrong in (lambda: grown.split(1, on="a"), lambda: grown.collapse(0), lambda: grown.prune(leaves=1)):
        with pytest.raises(ValueError, match="lock"):
            wrong()
    assert grown.prune(leaves=2).tree.n_leaves == 2
    assert grown.prune(alpha=1.0).tree.text().startswith("c=u[")
    assert grown.unlock(1).collapse(0).tree.n_leaves == 1


def test_pruning_is_that_of_the_path():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).grow()
    path = hb.pruning_path(draft.model)
    assert draft.prune(leaves=5).tree == path.choose(leaves=5).tree_
    assert draft.prune(alpha=0.01).tree == path.choose(alpha=0.01).tree_
    assert draft.prune(method="error-based").tree == hb.prune(draft.model, "error-based", X, y).tree_
    with pytest.raises(ValueError, match="prune takes one of"):
        draft.prune()


# ---- what is said and kept ---------------------------------------------------------------------------------


def test_marks_survive_saving_pruning_and_collapsing(tmp_path):
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(max_depth=3), X, y).split(0, on="c", at="u").grow()
    draft = draft.note(1, "  ask the  clinic ").lock(2)
    model = hb.load(hb.save(draft.model, tmp_path / "edited.tree.json"))
    assert model.tree_ == draft.tree
    again = hb.edit(model, X, y)
    assert (again.forced, again.notes, again.locked) == (draft.forced, {1: "ask the clinic"}, [2])
    small = again.unlock(2).collapse(2)
    assert (small.forced, small.notes) == (draft.forced, {1: "ask the clinic"})
    assert small.collapse(0).forced == {}
    assert "ask the clinic" in hb.show(model)
    assert again.note(1, "").notes == {}


def test_the_rows_of_a_node():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="a", at=4)
    rows, share = draft.rows(1)
    assert np.array_equal(rows, np.flatnonzero(X["a"] <= 4))
    assert (share == 1).all()
    shared = hb.edit(hb.TreeClassifier(missing="fractional"), X, y).split(0, on="g", at=0.0)
    rows, share = shared.rows(1)
    assert len(rows) == np.count_nonzero((X["g"] <= 0) | np.isnan(X["g"]))
    assert 0 < share[np.isnan(X["g"][rows])][0] < 1


def test_a_fitted_model_is_edited_on_other_rows_with_their_counts():
    X, y = mixed()
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    others, z = mixed(1, 60)
    draft = hb.edit(model, others, z)
    assert draft.tree.n_rows[0] == 60
    assert [node for node in draft.tree.text() if node in "[|"] == [
        node for node in model.tree_.text() if node in "[|"
    ]
    assert model.tree_.n_rows[0] == N
    assert "60 rows" in draft.say


def test_a_tree_by_hand_is_edited():
    X, y = mixed()
    tree = hb.Tree.from_nested(
        {"column": "a", "<=": 5, "yes": "p", "no": "r"}, columns=X, classes=["p", "q", "r"]
    )
    draft = hb.edit(tree, X, y)
    assert draft.tree.n_rows[0] == N
    assert draft.tree.gain[0] > 0
    assert draft.grow(max_depth=3).model.score(X, y) > 0.5


def test_undo_and_redo_give_the_same_trees():
    X, y = mixed()
    start = hb.edit(hb.TreeClassifier(max_depth=4), X, y)
    draft = start.split(0, on="c", at="u").grow().prune(leaves=4).note(0, "why")
    back = draft
    seen = [document(back.tree)]
    for _ in draft.log:
        back = back.undo()
        seen.append(document(back.tree))
    assert seen[-1] == document(start.tree)
    assert back.log == []
    for before in reversed(seen[:-1]):
        back = back.redo()
        assert document(back.tree) == before
    with pytest.raises(ValueError, match="nothing to redo"):
        back.redo()
    with pytest.raises(ValueError, match="nothing to undo"):
        start.undo()
    branch = draft.undo().undo().collapse(0)
    assert len(branch.log) == 3
    assert "undone" in repr(draft.undo())


def test_a_log_is_written_as_python():
    X, y = mixed()
    start = hb.edit(hb.TreeClassifier(max_depth=3), X, y)
    done = start.split(0, on="c", groups=[["u", "v"]]).split(1, on="a", at=4.5).grow(max_depth=3)
    done = done.lock(2).note(0, "why").prune(alpha=0.001)
    space = {"draft": start}
    exec(done.script(), space)
    assert document(space["draft"].tree) == document(done.tree)
    assert "# chosen by hand, rank " in done.script()


def test_deep_trees_are_edited():
    n = 400
    X, y = {"x": np.arange(n, dtype=float)}, np.arange(n) % 2
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="x", at=0).grow()
    assert draft.tree.n_leaves == n
    assert draft.forced[0]["rank"] >= 1
    assert draft.lock(len(draft.tree) - 1).prune(leaves=n).tree.n_leaves == n


def test_a_draft_is_not_changed_by_edits_of_it():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    before = document(draft.tree)
    draft.split(0, on="a").grow().lock(0)
    assert document(draft.tree) == before
    assert draft.log == []


def test_each_operation_is_a_function_from_tree_to_tree():
    X, y = mixed()
    ground = Ground.of(hb.TreeClassifier(max_depth=3), X, y)
    tree = ground.start()
    bare = document(tree)
    for operation in (
        {"op": "split", "node": 0, "on": "a"},
        {"op": "move", "node": 0, "at": 3},
        {"op": "grow"},
        {"op": "collapse", "node": 1},
        {"op": "step"},
        {"op": "lock", "node": 1},
        {"op": "unlock", "node": 1},
        {"op": "regrow", "node": 0, "max_depth": 2},
        {"op": "note", "node": 0, "text": "hm"},
        {"op": "prune", "leaves": 2},
    ):
        assert operation["op"] in OPERATIONS
        tree = apply(tree, operation, ground)
    assert tree.n_leaves <= 2
    assert document(ground.start()) == bare


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ({"op": "splt"}, "op='splt' is no operation \\(did you mean 'split'"),
        ({"op": "split", "node": 0}, "split needs the argument 'on'"),
        ({"op": "split", "node": 0, "on": "aa"}, "on='aa' is no column of the table \\(did you mean 'a'"),
        ({"op": "split", "node": 9, "on": "a"}, "node=9 must be the number of a node, from 0 to 0"),
        ({"op": "split", "node": True, "on": "a"}, "node=True must be"),
        (
            {"op": "split", "node": 0, "on": "c", "at": "x"},
            "at names 'x', which the column 'c' does not have",
        ),
        ({"op": "split", "node": 0, "on": "a", "at": "x"}, "at='x' must be a number"),
        ({"op": "split", "node": 0, "on": "c", "groups": [["u"], ["v"]]}, "groups leave out 'w'"),
        ({"op": "split", "node": 0, "on": "c", "groups": [["u"], ["u", "v"]]}, "name the value 'u' twice"),
        ({"op": "split", "node": 0, "on": "a", "groups": [[1]]}, "groups divide values, but the column 'a'"),
        ({"op": "split", "node": 0, "on": "a", "at": 1, "multiway": True}, "give one of them"),
        ({"op": "split", "node": 0, "on": "a", "missing": "own"}, "none is missing at this node"),
        ({"op": "split", "node": 0, "on": "a", "missing": 5}, "missing=5 must be the number of a branch"),
        ({"op": "collapse", "node": 0}, "node=0 is a leaf and tests nothing"),
        ({"op": "move", "node": 0, "at": 3}, "node=0 is a leaf"),
        ({"op": "unlock", "node": 0}, "node=0 is not locked; locked nodes: none"),
        ({"op": "note", "node": 0, "text": 3}, "text=3 of a note must be text"),
        ({"op": "prune", "leaves": 0}, "leaves=0 must be a whole number of at least 1"),
        ({"op": "prune", "method": "reduced-error"}, "prunes by rows that the tree was not grown on"),
        ({"op": "step", "node": 0}, "step has no argument 'node'"),
        ("grow", "an operation is a dict"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(operation, sentence):
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    with pytest.raises((ValueError, TypeError), match=sentence):
        hb.replay([operation], hb.TreeClassifier(), X, y)
    assert draft.tree.n_leaves == 1


def test_what_cannot_be_edited_is_refused():
    X, y = mixed()
    with pytest.raises(TypeError, match="a ForestClassifier cannot be edited"):
        hb.edit(hb.ForestClassifier(), X, y)
    with pytest.raises(ValueError, match="random_state=None draws other columns each time"):
        hb.edit(hb.TreeClassifier(max_features=1), X, y)
    with pytest.raises(ValueError, match="y has the class 's', which the model does not know"):
        hb.edit(hb.TreeClassifier().fit(X, y), X, np.where(y == "p", "s", y))
    with pytest.raises(ValueError, match=r"node=0 is no leaf, it tests .* collapse it first"):
        hb.edit(hb.TreeClassifier().fit(X, y), X, y).split(0, on="a")


# ---- any operations in any order ---------------------------------------------------------------------------

_NAMES = ["a", "c", "g"]
_OPERATION = st.one_of(
    st.fixed_dictionaries({"op": st.just("split"), "at": st.integers(0, 60), "on": st.sampled_from(_NAMES)}),
    st.fixed_dictionaries(
        {"op": st.just("split"), "at": st.integers(0, 60), "on": st.just("c"), "multiway": st.just(True)}
    ),
    st.fixed_dictionaries({"op": st.just("move"), "at": st.integers(0, 60), "to": st.floats(-2, 11)}),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["collapse", "lock", "unlock", "regrow", "grow"]), "at": st.integers(0, 60)}
    ),
    st.fixed_dictionaries({"op": st.just("prune"), "leaves": st.integers(1, 12)}),
    st.fixed_dictionaries({"op": st.just("step")}),
)


def carried_out(draft, wishes):
    """The wishes that are possible, each at some node."""
    for wish in wishes:
        given = dict(wish)
        if "at" in given:
            given["node"] = given.pop("at") % len(draft.tree)
        if "to" in given:
            given["at"] = given.pop("to")
        try:
            draft = draft.apply(given)
        except ValueError:
            continue  # not every wish is possible
    return draft


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["gini", "multiway", "fractional", "majority", "priors", "best first", "all-paths"]),
    wishes=st.lists(_OPERATION, max_size=7),
    weighted=st.booleans(),
)
def test_any_operations_leave_the_stats_of_the_rows_and_can_be_replayed(name, wishes, weighted):
    X, y = mixed()
    weight = np.random.default_rng(1).integers(1, 4, N) if weighted else None
    start = hb.edit(fresh(ESTIMATORS[name]), X, y, counts=weight)
    draft = carried_out(start, wishes)
    tree = draft.tree
    for node in range(len(tree)):
        rows, share = draft.rows(node)
        mass = share if weight is None else share * weight[rows]
        expected = [mass[y[rows] == label].sum() for label in tree.classes]
        assert np.allclose(tree.stats[node], expected, atol=1e-9)
        copies = np.ones(len(rows), int) if weight is None else weight[rows]
        assert tree.n_rows[node] == copies[share > 0].sum()
    again = hb.replay(json.loads(json.dumps(draft.log)), fresh(ESTIMATORS[name]), X, y, counts=weight)
    assert document(again.tree) == document(tree)
    assert again.log == draft.log
    back = draft
    for _ in draft.log:
        back = back.undo()
    assert document(back.tree) == document(start.tree)
    for _ in draft.log:
        back = back.redo()
    assert document(back.tree) == document(tree)
    draft.model.predict(X)
    hb.show(tree)


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(list(REGRESSORS)), wishes=st.lists(_OPERATION, max_size=6), seed=st.integers(0, 3)
)
def test_any_operations_on_regressions_do_not_depend_on_the_order_of_the_rows(name, wishes, seed):
    X, _ = mixed()
    y = X["a"] * np.where(X["c"] == "u", 1.5, -0.3) + np.nan_to_num(X["g"])
    draft = carried_out(hb.edit(fresh(REGRESSORS[name]), X, y), wishes)
    order = np.random.default_rng(seed).permutation(N)
    shuffled = {column: values[order] for column, values in X.items()}
    again = hb.replay(draft.log, fresh(REGRESSORS[name]), shuffled, y[order])
    assert document(again.tree) == document(draft.tree)
    for node in range(len(draft.tree)):
        rows, share = draft.rows(node)
        here = y[rows] - draft.tree.center
        expected = [share.sum(), (share * here).sum(), (share * here**2).sum()]
        assert np.allclose(draft.tree.stats[node], expected, atol=1e-8)
    assert np.isfinite(draft.model.predict(X)).all()
