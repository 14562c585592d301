"""Density trees: pruning at a price of a leaf and by cross-validated likelihood."""

import json

import numpy as np
import pytest
from tests.support.density_tables import FIVE, FIVE_BOX, integral

import hornbeam as hb
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.density.density_pruning import DensitySubtrees
from hornbeam.parts import CrossValidated, DensityCostComplexity


def cost(tree, alpha):
    """R + alpha |leaves|."""
    leaves = tree.first_child < 0
    return (
        -float((tree.answers()[leaves] * tree.weight[leaves]).sum()) / tree.weight[0] + alpha * leaves.sum()
    )


def folds_of_rows(X, cv):
    """The fold of each row for the seed 1."""
    folds = folds_of(Table.learn(X), Target.real_of(np.zeros(len(X))), cv, 1)
    return folds.fold[np.argsort(folds.row)]


def every_subtree(tree, node=0):
    """All sets of nodes that may be collapsed."""
    if tree.first_child[node] < 0:
        return [[]]
    one, other = (every_subtree(tree, child) for child in tree.children(node))
    return [[node]] + [a + b for a in one for b in other]


@pytest.mark.parametrize("seed", range(8))
def test_pruning_at_a_price_finds_the_cheapest_of_all_subtrees(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)).round(1)
    full = hb.TreeDensity().fit(X).tree_
    subtrees = []
    for nodes in every_subtree(full):
        mask = np.zeros(len(full), dtype=bool)
        mask[nodes] = True
        subtrees.append(full.collapse(mask))
    for alpha in (0.0, 0.001, 0.01, 0.05, 0.3, 5.0):
        pruned = hb.TreeDensity(DensityCostComplexity(alpha)).fit(X).tree_
        least = min(cost(tree, alpha) for tree in subtrees)
        assert cost(pruned, alpha) == pytest.approx(least)
        smallest = min(t.n_leaves for t in subtrees if cost(t, alpha) <= least + 1e-12)
        assert pruned.n_leaves == smallest


def test_the_path_of_the_worked_case():
    model = hb.TreeDensity("cost-complexity", support=FIVE_BOX).fit(FIVE)
    path = model.path_
    assert path.leaves.tolist() == [5, 4, 3, 2, 1]
    assert path.loss[-2:].tolist() == pytest.approx([-0.152978, -0.1], abs=1e-6)
    assert path.alpha[-1] == pytest.approx(0.052978, abs=1e-6)
    assert path.chosen == 0
    assert json.dumps(path.as_dict())


def test_a_cross_validated_score_is_that_of_growing_and_scoring_by_hand():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = hb.TreeDensity(CrossValidated(cv=4), random_state=1, min_samples_leaf=3).fit(X)
    full = hb.TreeDensity(min_samples_leaf=3).fit(X)
    path = model.path_
    fold = folds_of_rows(X, 4)
    box = list(zip(X.min(axis=0), X.max(axis=0), strict=True))
    for k in (0, len(path.alpha) // 2, len(path.alpha) - 2, len(path.alpha) - 1):
        last = k + 1 == len(path.alpha)
        alpha = np.inf if last else np.sqrt(path.alpha[k] * path.alpha[k + 1])
        scores = np.empty(60)
        for part in range(4):
            some = hb.TreeDensity(DensityCostComplexity(alpha), support=box, min_samples_leaf=3).fit(
                X[fold != part]
            )
            scores[fold == part] = some.score_samples(X[fold == part])
        assert path.score[k] == pytest.approx(scores.mean())
        assert path.error[k] == pytest.approx(scores.std() / np.sqrt(60))
        assert (
            path.leaves[k]
            == hb.TreeDensity(DensityCostComplexity(path.alpha[k]), min_samples_leaf=3).fit(X).tree_.n_leaves
        )
    assert path.score[path.chosen] == path.score.max()
    assert model.tree_ == DensitySubtrees(full.tree_).collapsed(path.chosen)


def test_the_squared_error_of_a_price_is_that_of_ram_and_gray():
    X = np.random.default_rng(5).normal(size=(40, 1))
    model = hb.TreeDensity(CrossValidated(cv=2, score="squared-error"), random_state=1).fit(X)
    fold = folds_of_rows(X, 2)
    path, total = model.path_, 0.0
    k = len(path.alpha) - 2
    alpha = np.sqrt(path.alpha[k] * path.alpha[k + 1])
    for part in range(2):
        box = [(X.min(), X.max())]
        some = hb.TreeDensity(DensityCostComplexity(alpha), support=box).fit(X[fold != part])
        squared = -cost(some.tree_, 0.0)
        total += (2 * np.exp(some.score_samples(X[fold == part])) - squared).sum()
    assert path.score[k] == pytest.approx(total / 40)


def test_cross_validation_finds_a_tree_that_new_rows_believe():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 1))
    support = [(-7, 7)]
    grown = hb.TreeDensity(support=support, min_samples_leaf=5).fit(X)
    pruned = hb.TreeDensity("cross-validated", support=support, min_samples_leaf=5, random_state=0).fit(X)
    careful = hb.TreeDensity(
        CrossValidated(rule="1-se"), support=support, min_samples_leaf=5, random_state=0
    ).fit(X)
    assert careful.tree_.n_leaves < pruned.tree_.n_leaves < grown.tree_.n_leaves
    assert pruned.score(new) > grown.score(new)
    assert pruned.score(new) > careful.score(new) > 2000 * -np.log(14)
    assert integral(pruned.tree_) == pytest.approx(1)


def test_pruning_is_seeded():
    X = np.random.default_rng(0).normal(size=(200, 2))
    one, two = (hb.TreeDensity("cross-validated", random_state=7).fit(X) for _ in range(2))
    assert one.tree_ == two.tree_
    assert one.path_.score.tolist() == two.path_.score.tolist()
    other = hb.TreeDensity("cross-validated", random_state=8).fit(X)
    assert one.path_.score.tolist() != other.path_.score.tolist()


def test_of_few_rows_each_is_a_part_of_its_own():
    one, other = (
        hb.TreeDensity(CrossValidated(cv=cv), support=FIVE_BOX, random_state=0).fit(FIVE) for cv in (5, 10)
    )
    assert one.path_.score.tolist() == pytest.approx(other.path_.score.tolist())
    alone = hb.TreeDensity("cross-validated").fit([[1.0]])
    assert alone.path_.leaves.tolist() == [1]
