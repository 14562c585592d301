"""C4.5's error-based pruning: the worked case, the twin, weights, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.error_based import Twin
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import Collapse, ErrorBased, Multiway
from hornbeam.pruning.subtree_raising import merge_absent, separate_absent
from hornbeam.tree.subtrees import number_nodes


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


def physicians():
    """Quinlan's subtree: 6 n, 9 y, one u of another class."""
    return {"v": ["n"] * 6 + ["y"] * 9 + ["u"]}, ["democrat"] * 15 + ["republican"]


def test_a_subtree_of_three_leaves_becomes_one():
    X, y = physicians()
    full = hb.TreeClassifier(split="multiway").fit(X, y)
    assert full.tree_.n_leaves == 3
    small = hb.prune(full, ErrorBased(), X, y)
    numbers = small.pruning_.decisions[0].numbers
    assert numbers["tree"] == close(3.272601)
    assert numbers["leaf"] == close(2.506894)
    assert small.tree_.text() == "democrat(15:1)"
    assert full.tree_.n_leaves == 3


def test_the_exact_limit_is_the_binomial_one():
    X, y = physicians()
    record = hb.TreeClassifier(split="multiway", pruning=ErrorBased(limit="exact")).fit(X, y).pruning_
    assert record.decisions[0].numbers["leaf"] == pytest.approx(16 * 0.159611, abs=2e-5)
    assert record.decisions[0].numbers["tree"] == pytest.approx(6 * 0.206299 + 9 * 0.142756 + 0.75, abs=2e-5)


def test_a_branch_is_raised_into_the_place_of_its_node():
    """Below `useless` the larger branch holds the real test; with all rows it beats both together."""
    rng = np.random.default_rng(2)
    useless, real = rng.integers(0, 4, 200), rng.integers(0, 2, 200)
    tree = hb.Tree.from_nested(
        {"column": "useless", "<=": 2.5, "yes": {"column": "real", "<=": 0.5, "yes": "a", "no": "b"},
         "no": {"column": "real", "<=": 0.5, "yes": "a", "no": "b"}}
    )  # fmt: skip
    X, y = {"useless": useless, "real": real}, np.where((real > 0) ^ (rng.random(200) < 0.05), "b", "a")
    grown = tree.refit(X, y)
    small = hb.prune(grown, ErrorBased(collapse=False), X, y)
    counts = [[int(((real == r) & (y == label)).sum()) for label in "ab"] for r in (0, 1)]
    assert (
        small.text()
        == f"real[<=0.5: a({counts[0][0]}:{counts[0][1]}) | >0.5: b({counts[1][0]}:{counts[1][1]})]"
    )
    assert small == small.refit(X, y)
    record = hb.teaching.pruning_record(grown, ErrorBased(collapse=False), X, y)
    assert [d.action for d in record.decisions].count("raise") == 1


def models():
    common = {"criterion": "gain-ratio", "selection": "average-gain", "split": Multiway(threshold_at="value")}
    yield "c45", common | {"missing": "fractional"}
    yield "all paths", {"criterion": "entropy", "split": "multiway", "missing": "all-paths"}
    yield "learn", {"min_samples_leaf": 2}
    yield "majority", {"missing": "majority", "split": "one-vs-rest"}
    yield "surrogates", {"missing": "surrogates"}
    yield "oblique", {"split": "oblique", "max_depth": 4}


@pytest.mark.parametrize("name", dict(models()))
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_the_core_prunes_as_the_twin(name, gaps):
    params, raised = dict(models())[name], 0
    for seed in range(3 if name == "oblique" else 8):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 120, gaps=gaps)
        y = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), outcome(rng, X, 3))
        X = X[["age", "pay", "rooms"]].astype(float) if name == "oblique" else X
        counts = rng.integers(0, 3, 120) + (np.arange(120) < 2)
        full = hb.TreeClassifier(**params).fit(X, y, counts=counts)
        part = ErrorBased(limit=("c45", "exact", "weka")[seed % 3], confidence=(0.25, 0.4)[seed % 2])
        record = hb.teaching.pruning_record(full, part, X, y, counts=counts)
        table, (wide, old) = Table.match(X, full.tree_.columns), separate_absent(full.tree_)
        codes = np.searchsorted(np.unique(y[counts > 0]), y)
        twin = Twin(wide, table, codes, counts.astype(float), part.confidence, part.limit).pruned()
        assert shape_of(wide, old, record) == twin.shape()
        raised += sum(decision.action == "raise" for decision in record.decisions)
        assert record.tree.weight[0] == counts.sum()
    assert name != "c45" or raised > 0


def shape_of(tree, old, record):
    """The pruned tree by the numbers its nodes have where every absent value has a leaf."""
    from hornbeam.pruning.error_based import collapsible_tests
    from hornbeam.pruning.subtree_raising import case_counts

    leaf = collapsible_tests(tree, case_counts(tree, 0.25, "c45").errors(tree)).leaf.copy()
    stand = np.arange(len(tree))
    number = {int(old[node]): node for node in np.flatnonzero(tree.kind > 0).tolist()}
    for decision in record.decisions:
        if decision.action == "leaf":
            leaf[number[decision.node]] = True
        if decision.action == "raise":
            stand[number[decision.node]] = number[decision.child]
    while (stand[stand] != stand).any():
        stand = stand[stand]
    ended = leaf | (tree.first_child < 0)
    order, first = number_nodes(tree, stand, ended)

    def shape(k):
        if ended[order[k]]:
            return int(order[k]), ()
        n = int(tree.n_children[order[k]])
        return int(order[k]), tuple(shape(int(first[k]) + b) for b in range(n))

    return shape(0)


# ---- weights, orders, answer rules -----------------------------------------------------------------


def noisy(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = random_columns(rng, n, gaps=0.1)
    codes = np.array([int(str(label)[-1]) for label in outcome(rng, X, 3)])
    return X, np.where(rng.random(n) < 0.25, rng.integers(0, 3, n), codes)


def test_counts_are_repetitions():
    X, y = noisy()
    counts = np.random.default_rng(5).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    counted = hb.c45().fit(X, y, counts=counts)
    repeated = hb.c45().fit(X.iloc[rows], y[rows])
    assert (counted.tree_.column == repeated.tree_.column).all()
    assert (counted.tree_.n_rows == repeated.tree_.n_rows).all()
    assert np.allclose(counted.tree_.stats, repeated.tree_.stats, rtol=1e-12)


def test_sample_weights_scale_and_never_raise_the_number_of_cases():
    X, y = noisy()
    plain = hb.c45().fit(X, y)
    heavy = hb.c45().fit(X, y, sample_weight=np.full(len(y), 8.0))
    assert heavy.tree_.text().count("[") == plain.tree_.text().count("[")
    assert np.allclose(heavy.tree_.stats, 8 * plain.tree_.stats)


def test_the_order_of_the_rows_does_not_matter():
    X, y = noisy()
    order = np.random.default_rng(9).permutation(len(y))
    first, second = hb.c45().fit(X, y), hb.c45().fit(X.iloc[order], y[order])
    assert first.tree_.text() == second.tree_.text()
    assert np.allclose(first.tree_.stats, second.tree_.stats, rtol=1e-13)


def test_a_raised_tree_holds_what_its_rows_add_up_to():
    X, y = noisy(400, 3)
    for params in ({}, {"missing": "learn"}, {"missing": "majority"}):
        tree = hb.c45(**params).fit(X, y).tree_
        again = tree.refit(X, y)
        assert np.allclose(tree.stats, again.stats)
        assert (tree.label == again.label).all()
        assert (tree.n_rows == again.n_rows).all()


def test_priors_and_costs_count_as_in_growing():
    X, y = noisy()
    dear = hb.c45(costs={0: {1: 20, 2: 20}}).fit(X, y)
    plain = hb.c45().fit(X, y)
    assert (dear.predict(X) == 0).mean() > (plain.predict(X) == 0).mean()
    for params in ({"priors": "equal"}, {"costs": {0: {1: 3}}}, {"class_weight": "balanced"}):
        model = hb.c45(**params).fit(X, y)
        bare = hb.c45(pruning=None, **params).fit(X, y)
        assert model.tree_.n_leaves < bare.tree_.n_leaves


def test_without_raising_rows_are_not_needed():
    X, y = noisy()
    full = hb.c45(pruning=None).fit(X, y)
    part = ErrorBased(raising=False)
    with_rows, without = hb.prune(full, part, X, y), hb.prune(full, part)
    assert with_rows.tree_ == without.tree_ == hb.c45(raising=False).fit(X, y).tree_
    assert not any(decision.action == "raise" for decision in without.pruning_.decisions)


def test_a_smaller_confidence_prunes_more():
    X, y = noisy(400, 1)
    sizes = [hb.c45(confidence=cf, raising=False).fit(X, y).tree_.n_leaves for cf in (0.9, 0.5, 0.25, 0.01)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_collapse_makes_no_training_error_more():
    X, y = noisy()
    full = hb.TreeClassifier(max_depth=6).fit(X, y)
    small = hb.prune(full, "collapse")
    assert small.tree_.n_leaves < full.tree_.n_leaves
    assert small.score(X, y) == full.score(X, y)
    assert all(d.action in ("keep", "leaf") for d in small.pruning_.decisions)


def test_the_record_has_a_line_for_each_node_examined():
    X, y = noisy()
    model = hb.c45(collapse=False).fit(X, y)
    full = hb.c45(pruning=None).fit(X, y)
    examined = [d.node for d in model.pruning_.decisions if not d.note]
    assert sorted(examined) == np.flatnonzero(full.tree_.kind > 0).tolist()
    for decision in model.pruning_.decisions:
        leaf, tree, branch = (decision.numbers[name] for name in ("leaf", "tree", "branch"))
        wanted = "leaf" if leaf <= min(tree, branch) + 0.1 else "raise" if branch <= tree + 0.1 else "keep"
        assert decision.action == wanted
    assert "error-based" in str(model.pruning_)


def test_absent_values_have_a_leaf_each_only_while_rows_may_arrive():
    rng = np.random.default_rng(4)
    X = {"town": rng.choice(list("abcdefghijkl"), 200), "x": rng.integers(0, 9, 200).astype(float)}
    y = (X["x"] > 4) ^ np.isin(X["town"], list("abc")) ^ (rng.random(200) < 0.2)
    tree = hb.c45(pruning=None).fit(X, y).tree_
    wide, old = separate_absent(tree)
    assert len(wide) == tree.n_nodes
    assert (wide.absent < 0).all()
    assert wide.text() == tree.text()
    assert (wide.stats == tree.stats[old]).all()
    assert merge_absent(wide) == tree
    small = hb.c45().fit(X, y).tree_
    assert np.allclose(small.stats, small.refit(X, y).stats)


# ---- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (ErrorBased(0.0), "confidence=0.0"),
        (ErrorBased(1.0), "confidence=1.0"),
        (ErrorBased(limit="wilson"), "limit='wilson'"),
        (ErrorBased(raising="yes"), "raising='yes'"),
    ],
)
def test_a_wrong_number_is_named(part, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier(pruning=part).fit([[1.0], [2.0]], ["a", "b"])


def test_what_cannot_be_pruned_is_refused_in_one_sentence():
    X, y = noisy()
    full = hb.c45(pruning=None).fit(X, y)
    with pytest.raises(ValueError, match="raising=True sends the training rows"):
        hb.prune(full, ErrorBased())
    with pytest.raises(ValueError, match="rows that the tree was grown on"):
        hb.prune(full, ErrorBased(), X[:50], y[:50])
    for part in (ErrorBased(), Collapse()):
        with pytest.raises(ValueError, match="rows answered wrongly"):
            hb.TreeRegressor(pruning=part).fit([[1.0], [2.0]], [1.0, 2.0])
    costs = np.ones((len(y), 3))
    costs[np.arange(len(y)), y] = 0
    with pytest.raises(ValueError, match="costs of each row"):
        hb.c45().fit(X, y, row_costs=costs)
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept"):
        hb.TreeClassifier(pruning="error-based", monotonic_cst={"age": 1}).fit(X, y > 0)


# ---- thresholds at values --------------------------------------------------------------------------------


def test_a_threshold_lies_at_the_largest_value_of_the_table_not_above_the_middle():
    X, y = {"x": [1.0, 2.0, 9.0, 10.0], "z": [0, 0, 1, 1]}, ["a", "a", "b", "b"]
    model = hb.TreeClassifier(split=Multiway(threshold_at="value")).fit(X, y)
    assert model.tree_.text() == "x[<=2: a(2:0) | >2: b(0:2)]"
    below = {"x": [1.0, 2.0, 9.0, 10.0, 5.0, 5.5], "s": ["u", "u", "u", "u", "v", "v"]}
    model = hb.TreeClassifier(split=Multiway(threshold_at="value")).fit(below, ["a", "a", "b", "b", "c", "c"])
    cuts = model.tree_.threshold[model.tree_.kind == 1]
    assert set(cuts.tolist()) <= set(below["x"])


def test_rows_of_no_weight_do_not_place_thresholds():
    X, y = {"x": [1.0, 4.0, 5.0, 10.0]}, ["a", "b", "b", "b"]
    model = hb.TreeClassifier(split=Multiway(threshold_at="value")).fit(X, y, sample_weight=[1, 0, 0, 1])
    assert model.tree_.threshold[0] == 1.0
    with pytest.raises(ValueError, match="threshold_at='edge'"):
        hb.TreeClassifier(split=Multiway(threshold_at="edge")).fit(X, y)
