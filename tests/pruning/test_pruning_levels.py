"""Median and quantile trees are pruned by the loss they are grown by: absolute distances, pinball losses."""

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.parts import CostComplexity, Quantile
from hornbeam.pruning.risks import node_risks

LEVELS = {"absolute": (0.5, 2.0), "quantile": (0.8, 1.0)}  # the level, and what a pinball loss is times


def rows(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    y = np.where(X[:, 0] > 0, 2.0, -1.0) + X[:, 1] + rng.standard_t(2, n)
    return X, y.round(2)


def criterion(name):
    return "absolute" if name == "absolute" else Quantile(LEVELS[name][0])


def losses(name, y, answer):
    level, scale = LEVELS[name]
    return scale * np.maximum(level * (y - answer), (level - 1) * (y - answer))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LEVELS)
def test_a_path_weighs_the_loss_that_grew_the_tree(name, seed):
    X, y = rows(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)) if seed % 2 else np.ones(len(y))
    model = hb.TreeRegressor(criterion(name), min_samples_leaf=4).fit(X, y, weight)
    tree = model.tree_
    reached = [np.isin(model.apply(X), [n for n, _ in tree.walk(node)]) for node in range(len(tree))]
    answers = tree.answers()
    expected = [
        (weight * losses(name, y, a))[inside].sum() for inside, a in zip(reached, answers, strict=True)
    ]
    assert node_risks(tree, "loss") == pytest.approx(expected)
    path = hb.pruning_path(model)
    for alpha, leaves, risk in zip(path.alpha, path.leaves, path.risk, strict=True):
        small = hb.prune(model, CostComplexity(alpha=alpha))
        assert small.tree_.n_leaves == leaves
        own = (weight * losses(name, y, small.predict(X))).sum() / weight.sum()
        assert risk == pytest.approx(own)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LEVELS)
def test_rows_held_out_are_judged_by_the_same_loss(name, seed):
    X, y = rows(seed)
    others = rows(seed + 100)
    model = hb.TreeRegressor(criterion(name), min_samples_leaf=4).fit(X, y)
    path = hb.pruning_path(model, validation=others)
    for alpha, mean in zip(path.alpha, path.validation, strict=True):
        small = hb.prune(model, CostComplexity(alpha=alpha))
        assert mean == pytest.approx(losses(name, others[1], small.predict(others[0])).mean())
    pruned = hb.TreeRegressor(criterion(name), pruning=CostComplexity(rule="min", random_state=0)).fit(X, y)
    report = hb.report(pruned, X, y, validation=others).to_dict()
    assert report["pruning"]["texts"]
