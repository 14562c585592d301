"""Subtrees that move up where leaves hold equations, quantiles or medians."""

import numpy as np
import pytest
from tests.oracles.prunings import Replacing
from tests.pruning.test_pruning_methods import chosen_tests, kept_tests
from tests.pruning.test_pruning_models import squares, table

import hornbeam as hb
from hornbeam.parts import Linear, Quantiles


class ReplacingAnew(Replacing):
    """Replacing by a child where leaves answer by what `fit(X, y)` makes of their training rows."""

    def __init__(self, tree, grown_rows, held, fit):
        super().__init__(tree, grown_rows, held)
        self.X, self.fit = (grown_rows[0], held[0]), fit

    def answer(self, grown_here, above):
        if not len(grown_here):
            return above
        return self.fit(self.X[0].iloc[grown_here], self.y[0][grown_here])

    def cost(self, struct, grown_here, held, above=None):
        said = self.answer(grown_here, above)
        if struct[0] == "leaf":
            return float(((self.y[1][held] - said(self.X[1].iloc[held])) ** 2).sum())
        mine, theirs = self.part(0, struct[1], grown_here), self.part(1, struct[1], held)
        return sum(self.cost(kid, a, b, said) for kid, a, b in zip(struct[2], mine, theirs, strict=True))


def line(X, y):
    """Least squares on x and z within the range of y, the mean of fewer than three rows."""
    if len(y) < 3:
        return lambda rows: np.full(len(rows), y.mean())
    design = np.column_stack([np.ones(len(y)), X[["x", "z"]]])
    slopes = np.linalg.lstsq(design, y, rcond=None)[0]
    low, high = y.min(), y.max()
    return lambda rows: np.clip(np.column_stack([np.ones(len(rows)), rows[["x", "z"]]]) @ slopes, low, high)


def median(X, y):
    return lambda rows: np.full(len(rows), np.median(y))


def mean(X, y):
    return lambda rows: np.full(len(rows), y.mean())


ANSWERS = {
    "lines": (lambda: hb.TreeRegressor(leaf=Linear(columns=["x", "z"])), line),
    "medians": (lambda: hb.TreeRegressor("absolute"), median),
    "means and quantiles": (lambda: hb.TreeRegressor(leaf=Quantiles((0.2, 0.8))), mean),
    "rates": (lambda: hb.TreeRegressor("poisson"), mean),
}


def replaced(name, seed):
    make, fit = ANSWERS[name]
    rows, held = table(70, seed), table(40, seed + 50)
    if name == "rates":
        rows, held = ((X, np.round(np.abs(y), 1)) for X, y in (rows, held))
    model = make().set_params(max_leaf_nodes=8, min_samples_leaf=4, split="one-vs-rest").fit(*rows)
    return model, rows, held, fit


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ANSWERS)
def test_replacing_by_a_child_chooses_as_the_definition_says(name, seed):
    model, rows, held, fit = replaced(name, seed)
    small = hb.prune(model, "replace-by-child", *held, training=rows)
    struct, cost = ReplacingAnew(model.tree_, rows, held, fit).errors()
    assert kept_tests(small.tree_) == chosen_tests(model.tree_, struct)
    assert squares(small.tree_, *held) == pytest.approx(cost, abs=1e-9)


@pytest.mark.parametrize("name", ANSWERS)
def test_some_of_these_trees_do_raise_subtrees(name):
    moved = 0
    for seed in range(8):
        model, rows, held, _ = replaced(name, seed)
        moved += hb.teaching.pruning_record(model, "replace-by-child", *held, training=rows).facts["raised"]
    assert moved > 0


def test_what_a_raised_leaf_keeps_is_that_of_its_rows():
    for seed in range(8):
        model, rows, held, _ = replaced("means and quantiles", seed)
        small = hb.prune(model, "replace-by-child", *held, training=rows)
        leaf = small.apply(rows[0])
        for node in np.unique(leaf):
            said = small.predict_quantiles(rows[0][leaf == node][:1])[0]
            assert said == pytest.approx(
                np.quantile(rows[1][leaf == node], (0.2, 0.8), method="averaged_inverted_cdf")
            )


def test_equations_of_a_tree_without_an_estimator_cannot_move():
    model, rows, held, _ = replaced("lines", 0)
    with pytest.raises(ValueError, match="give the fitted model, or use 'reduced-error'"):
        hb.prune(model.tree_, "replace-by-child", *held, training=rows)
