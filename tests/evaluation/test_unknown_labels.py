"""Labels that are no classes of the model: refused if all are such, else counted as mistakes and named."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hornbeam as hb

X, Y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def plain():
    return hb.TreeClassifier(max_depth=2).fit(X, Y)


def test_labels_of_which_none_is_a_class_are_refused(plain):
    words = Y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    sentence = "y has 'setosa', 'versicolor', 'virginica', the model answers 0, 1, 2"
    for judge in (
        lambda: hb.evaluate(plain, X, words),
        lambda: hb.evaluate(plain.tree_, X, words),
        lambda: hb.compare(plain, plain, X, words),
        lambda: hb.importance(plain, X, words),
    ):
        with pytest.raises(ValueError, match=sentence):
            judge()
    with pytest.raises(ValueError, match="none of the labels of y is a class"):
        hb.evaluate(plain, X, Y.where(Y > 0, 7), sample_weight=(Y == 0).astype(float))


def test_labels_of_which_some_are_classes_count_as_mistakes_and_are_named(plain):
    other = Y.where(Y < 2, 9)
    found = hb.evaluate(plain, X, other)
    assert found.unknown == (9,)
    assert found.to_dict()["unknown"] == [9]
    assert found["accuracy"].value == np.mean(plain.predict(X) == other)
    assert "the model does not know 9: 50 of the rows count as mistakes" in str(found)
    assert hb.evaluate(plain, X, Y).unknown == ()
    assert "does not know" not in str(hb.evaluate(plain, X, Y))
