"""What an estimator of one tree does for developers."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.estimators.base import Learner
from hornbeam.growing.finish import learn
from hornbeam.parts import Linear


@pytest.mark.parametrize("estimator", [TreeClassifier(), TreeRegressor()])
def test_estimators_of_one_tree_are_learners(estimator):
    assert isinstance(estimator, Learner)


def test_the_steps_of_a_fit_one_by_one():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, [10.0, 11.0, 30.0, 31.0]
    model = TreeRegressor(max_depth=1, leaf=Linear())
    rows = Rows(Table.learn(X), Target.real_of(y))
    tree = learn(model.make_plan(*rows), *rows, model.answer_rule(rows.target))
    assert tree == model.learn_tree(*rows)[0] == model.fit(X, y).tree_
    assert model.fit_equations(tree, rows) == tree


def test_labels_are_in_the_order_of_the_classes():
    model = TreeClassifier().fit({"x": [1, 2]}, ["a", "b"])
    model.set_labels(np.array(["a", "b"]), ("b", "a"))
    assert model.predict({"x": [1, 2]}).tolist() == ["b", "a"]
