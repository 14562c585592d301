"""What lectures draw and count: curves, bounds, trees side by side, consistent trees, gamma, exclusive or."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import hornbeam as hb
from hornbeam.teaching import demonstrations, theory

pytest.importorskip("matplotlib").use("Agg")


def every_tree(rows, X, y, split):
    """All consistent trees of some rows as nested tuples, the slow way."""
    if len({y[i] for i in rows}) == 1:
        return {y[rows[0]]}
    trees = set()
    for column, values in X.items():
        present = sorted({values[i] for i in rows})
        if len(present) < 2:
            continue
        numeric = not isinstance(present[0], str)
        if numeric:
            parts = [[[v for v in present if v <= t], [v for v in present if v > t]] for t in present[:-1]]
        elif split == "multiway":
            parts = [[[v] for v in present]]
        elif split == "one-vs-rest":
            chosen = present if len(present) > 2 else present[:1]
            parts = [[[v], [w for w in present if w != v]] for v in chosen]
        else:
            parts = [
                [[present[0], *more], [v for v in present[1:] if v not in more]]
                for size in range(len(present) - 1)
                for more in itertools.combinations(present[1:], size)
            ]
        for part in parts:
            below = [every_tree([i for i in rows if values[i] in group], X, y, split) for group in part]
            groups = tuple(map(tuple, part))
            trees |= {(column, groups, subtrees) for subtrees in itertools.product(*below)}
    return trees


@pytest.mark.parametrize("split", ["binary", "multiway", "one-vs-rest"])
@pytest.mark.parametrize("seed", range(6))
def test_all_consistent_trees_are_counted(seed, split):
    draw = np.random.default_rng(seed)
    X = {
        "a": draw.choice(["u", "v", "w"], 6).tolist(),
        "b": draw.choice(["u", "v"], 6).tolist(),
        "n": draw.integers(0, 3, 6).tolist(),
    }
    told = {}
    y = [told.setdefault((X["a"][i], X["b"][i], X["n"][i]), str(draw.integers(0, 2))) for i in range(6)]
    wanted = len(every_tree(list(range(6)), X, y, split))
    assert hb.teaching.count_consistent_trees(X, y, split=split) == wanted
    assert hb.teaching.count_smallest_trees(X, y, split=split) <= wanted


def test_known_numbers_of_consistent_trees():
    tennis = hb.datasets.load("tennis")
    options = {"split": "multiway", "categorical_features": tennis.categorical}
    assert hb.teaching.count_consistent_trees(tennis.X, tennis.y, **options) > 100
    with pytest.raises(ValueError, match="more than max_sets=3 sets of rows"):
        hb.teaching.count_consistent_trees(tennis.X, tennis.y, max_sets=3, **options)


def test_gamma_is_the_least_advantage_over_guessing():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    measured = theory.measured_gamma(model)
    passed = model.decision_path(X).toarray().astype(bool)
    for node, gamma in zip(measured.nodes, measured.advantages, strict=True):
        rows = passed[:, node]
        weight = np.where(y[rows] == 1, 1 / (y[rows] == 1).sum(), 1 / (y[rows] == 0).sum()) / 2
        left = passed[rows, model.tree_.first_child[node]]
        errors = [weight[(y[rows] == 1) == left].sum(), weight[(y[rows] == 1) != left].sum()]
        assert gamma == pytest.approx(0.5 - min(errors))
    assert measured.gamma == min(measured.advantages)
    assert theory.log_size_to_reach("gini", measured.gamma, 0.1) > 0
    assert measured.to_frame().shape == (len(measured.nodes), 3)
    for wrong in (hb.TreeRegressor().fit(X, y), hb.TreeClassifier(max_depth=0).fit(X, y)):
        with pytest.raises(ValueError, match="gamma"):
            theory.measured_gamma(wrong)


def test_exclusive_or_with_the_relevant_columns_last_has_a_leaf_for_every_row():
    shown = demonstrations.xor(6, relevant="last")
    assert (shown.full_leaves, shown.stopped_leaves, shown.joint_gain) == (64, 1, 1.0)
    assert shown.relevant == ("x5", "x6")
    assert "gain of x5 and x6 together" in str(shown)
    with pytest.raises(ValueError, match="relevant='middle' must be one of"):
        demonstrations.xor(3, relevant="middle")


def test_curves_of_the_measures_touch_where_they_should():
    ax = hb.teaching.plot_measures(share=0.3)
    curves = {line.get_label(): line.get_ydata() for line in ax.lines}
    for name in ("root", "half entropy", "Gini index", "error"):
        middle = curves[name][100]
        assert middle == pytest.approx(0.5), name
        assert curves[name][0] == curves[name][-1] == pytest.approx(0)
    assert (np.array(curves["root"]) >= np.array(curves["half entropy"]) - 1e-12).all()
    assert (np.array(curves["Gini index"]) >= np.array(curves["error"]) - 1e-12).all()


def test_the_bound_is_drawn_over_the_leaves():
    X, y = load_breast_cancer(return_X_y=True)
    path = hb.pruning_path(hb.TreeClassifier().fit(X, y))
    ax = hb.teaching.plot_bound(path, n_tests=30)
    bound, training, least = ax.lines
    assert (bound.get_ydata() > training.get_ydata()).all()
    assert least.get_ydata()[0] == min(bound.get_ydata())
    with pytest.raises(ValueError, match="a tree of numbers"):
        hb.teaching.plot_bound(hb.pruning_path(hb.TreeRegressor(max_depth=2).fit(X, y)), 3)


def test_trees_stand_side_by_side():
    X, y = load_breast_cancer(return_X_y=True)
    models = [hb.TreeClassifier(max_depth=d).fit(X, y) for d in (1, 3)]
    figure = hb.teaching.plot_trees(models, ["small", "large"])
    assert [ax.get_title() for ax in figure.axes] == ["small", "large"]
    with pytest.raises(ValueError, match="titles has 1 entries for 2 models"):
        hb.teaching.plot_trees(models, ["one"])
    with pytest.raises(ValueError, match="models is empty"):
        hb.teaching.plot_trees([])
