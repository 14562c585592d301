"""Density trees: readers, copies, refitting, progress and threads."""

import json
import pickle
import threading

import numpy as np
import pytest
from tests.support.density_tables import FIVE, FIVE_BOX, integral, mixed

import hornbeam as hb
from hornbeam.parts import CrossValidated
from hornbeam.tree.annotations import partial_tree


def test_a_density_tree_is_shown_explained_and_copied():
    model = hb.TreeDensity(max_depth=3).fit(mixed(100))
    tree = model.tree_
    assert hb.Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False))) == tree
    assert pickle.loads(pickle.dumps(model)).tree_ == tree
    assert len(hb.show(model).splitlines()) == len(tree)
    assert sum(rule.support for rule in hb.rules(model)) == 100
    row = mixed(100).iloc[0]
    told = hb.explain(model, row)
    assert told.answer == pytest.approx(float(np.exp(model.score_samples(mixed(100).iloc[[0]]))[0]))
    assert tree.predict({"age": [300.0], "rooms": [2], "city": ["Brno"], "size": ["S"]}).tolist() == [0.0]
    told = hb.explain(model, {"age": 300.0, "rooms": 2, "city": "Kdyně", "size": "S"})
    assert told.answer == 0.0
    assert "because  age is 300: outside the support" in str(told)
    assert "city is 'Kdyně', which training never saw: outside the support" in str(told)
    assert tree.predict(mixed(100)) == pytest.approx(np.exp(model.score_samples(mixed(100))))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_a_refitted_tree_has_the_densities_of_the_new_rows():
    tree = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_
    again = tree.refit({"x": [1.0, 9.0, 9.5, 8.0]}, [0, 0, 0, 0])
    assert again.answers()[1:].tolist() == pytest.approx([0.25 / 2.75, 0.75 / 7.25])
    same_rows = tree.refit(FIVE, [0] * 5)
    assert same_rows.gain[0] == pytest.approx(tree.gain[0])
    assert same_rows.impurity.tolist() == pytest.approx(tree.impurity.tolist())


def test_a_box_that_does_not_follow_from_its_test_must_be_given():
    nested = {"column": "w", "equals": "a", "box": {"x": [0, 1]}, "yes": {"n": 1}, "no": {"n": 2}}
    table = {"w": ["a", "b"], "x": [0.0, 1.0]}
    with pytest.raises(ValueError, match="node 1 of this density tree has no box"):
        hb.Tree.from_nested(nested, table, task="density").answers()


def test_progress_is_told_and_stops_the_growth():
    X = np.random.default_rng(0).normal(size=(60_000, 3))
    shares = []
    hb.TreeDensity(min_samples_leaf=50).fit(X, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    with pytest.raises(hb.GrowthInterrupted) as caught:
        hb.TreeDensity().fit(X, progress=lambda share: True)
    tree = caught.value.tree
    assert tree.n_rows[tree.first_child < 0].sum() == 60_000
    assert integral(tree) == pytest.approx(1)


def test_pruning_is_told_and_stopped_too():
    X = np.random.default_rng(0).normal(size=(500, 2))
    shares = []
    model = hb.TreeDensity(CrossValidated(cv=4), random_state=0)
    model.fit(X, progress=shares.append)
    assert shares == sorted(shares)
    assert {0.2, 0.4, 0.6, 0.8, 1.0} <= {round(share, 9) for share in shares}
    with pytest.raises(hb.GrowthInterrupted, match="pruning was interrupted") as caught:
        model.fit(X, progress=lambda share: share >= 0.4)
    assert caught.value.tree == partial_tree(hb.TreeDensity().fit(X).tree_) == model.tree_


def test_two_threads_fit_at_once():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    alone, found = hb.TreeDensity().fit(X).tree_, [None, None]

    def work(k):
        found[k] = hb.TreeDensity().fit(X).tree_

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone, alone]
