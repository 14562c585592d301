"""Pruning from the outside: what comes back, what the record says, and one sentence for every mistake."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.parts import SRM, ChiSquare, Penalised, Pruner, ReducedError, ReplaceByChild, Validation
from hornbeam.pruning import PRUNING
from hornbeam.pruning.record import Decision
from hornbeam.tree.subtrees import place_nodes

TREE = hb.Tree.from_nested(
    {"column": "x", "<=": 1.5, "yes": {"counts": {"a": 6, "b": 2}}, "no": {"counts": {"a": 1, "b": 3}}}
)
S2 = {"x": [1.0, 1.0, 2.0]}, ["a", "b", "a"]
FEW = "ignore:.*expected counts below 5:UserWarning"


@pytest.fixture
def model():
    X = pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40) % 7})
    y = np.where((X["x"] > 20) ^ (X["z"] == 3), "yes", "no")
    return hb.TreeClassifier().fit(X, y)


# ---- what comes back -----------------------------------------------------------------------------------


def test_a_model_comes_back_for_a_model_and_a_tree_for_a_tree(model):
    before = model.tree_
    small = hb.prune(model, Penalised(10.0))
    assert type(small) is hb.TreeClassifier
    assert small is not model
    assert model.tree_ is before
    assert model.pruning_ is None
    assert small.tree_.n_leaves < before.n_leaves
    assert small.classes_.tolist() == ["no", "yes"]
    assert set(small.predict({"x": [1.0, 39.0], "z": [0, 0]})) == {"no", "yes"}
    assert hb.prune(before, Penalised(10.0)) == small.tree_
    assert small.pruning_.before is before
    assert small.get_params() == model.get_params()


def test_a_pruned_model_is_pruned_again(model):
    once = hb.prune(model, Penalised(2.0))
    twice = hb.prune(once, Penalised(100.0))
    assert once.tree_.n_leaves > twice.tree_.n_leaves == 1
    assert twice.pruning_.before is once.tree_


def test_a_pruned_tree_is_saved_shown_and_read_like_any_other(model):
    small = hb.prune(model, Penalised(10.0))
    assert hb.Tree.from_dict(json.loads(json.dumps(small.tree_.to_dict()))) == small.tree_
    assert len(hb.rules(small)) == small.tree_.n_leaves
    assert "x" in hb.show(small)


def test_a_tree_that_is_a_leaf_already_stays_one():
    leaf = hb.Tree.from_nested({"counts": {"a": 3, "b": 1}})
    with_rows = ({"x": [1.0]}, ["a"])
    assert hb.prune(leaf, "penalised") == leaf
    assert hb.prune(leaf, "srm") == leaf
    assert hb.prune(leaf, "chi-square") == leaf
    record = hb.teaching.pruning_record(leaf, "reduced-error", *with_rows)
    assert record.tree == leaf
    assert len(record.decisions) == 0
    assert str(record).startswith("reduced-error: 0 nodes examined, 0 pruned; 1 leaves before, 1 after")
    moved = hb.teaching.pruning_record(leaf, "replace-by-child", *with_rows, training=with_rows)
    assert moved.tree == leaf


@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize("method", ["chi-square", "srm", "penalised"])
def test_the_slot_and_the_function_agree(method, model):
    X = pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40) % 7})
    y = np.where((X["x"] > 20) ^ (X["z"] == 3), "yes", "no")
    slot = hb.TreeClassifier(pruning=method).fit(X, y)
    assert slot.tree_ == hb.prune(model, method, X, y).tree_
    assert slot.pruning_.before == model.tree_


def test_other_columns_and_orders_of_the_sample_are_fine():
    rows = pd.DataFrame({"other": [1, 2, 3], "x": S2[0]["x"]})
    assert hb.prune(TREE, "reduced-error", rows, S2[1]) == hb.prune(TREE, "reduced-error", *S2)


def test_class_weights_of_the_model_count_for_the_sample():
    X, y = {"x": [1.0] * 8 + [2.0] * 4}, ["a"] * 6 + ["b"] * 2 + ["a"] + ["b"] * 3
    plain, weighed = (hb.TreeClassifier(class_weight=w).fit(X, y) for w in (None, {"a": 1, "b": 1.3}))
    sample = {"x": [2.0] * 5}, list("aabbb")
    assert weighed.tree_.label.tolist() == plain.tree_.label.tolist()
    errors = [
        hb.teaching.pruning_record(m, "reduced-error", *sample).facts["errors before"]
        for m in (plain, weighed)
    ]
    assert errors == [2, 2]
    errors = [
        hb.teaching.pruning_record(m, "reduced-error", *sample).decisions[0].numbers["errors as a leaf"]
        for m in (plain, weighed)
    ]
    assert errors == [3, pytest.approx(3.9)]


# ---- constraints, interruption -------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["reduced-error", "validation", Penalised(50.0)], ids=str)
def test_monotonic_constraints_are_kept(part):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (600, 2))
    y = X[:, 0] + rng.normal(0, 3, 600) - np.sin(X[:, 1])
    model = hb.TreeRegressor(monotonic_cst={0: 1}, pruning=part).fit(X, y)
    assert 1 < model.tree_.n_leaves < model.pruning_.before.n_leaves
    grid = np.linspace(0, 10, 60)
    for other in (1.0, 5.0, 9.0):
        found = model.predict(np.column_stack([grid, np.full(60, other)]))
        assert (np.diff(found) >= 0).all()


def test_moving_subtrees_is_refused_where_an_order_is_promised():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match=r"monotonic_cst cannot be kept: ReplaceByChild\(\) moves subtrees"):
        hb.TreeRegressor(monotonic_cst={0: 1}, pruning="replace-by-child").fit(X, y)
    model = hb.TreeRegressor(monotonic_cst={0: 1}).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept"):
        hb.prune(model, "replace-by-child", X, y, training=(X, y))


def test_an_interrupted_growth_carries_the_tree_so_far_unpruned():
    X, y = (
        np.random.default_rng(0).normal(size=(300_000, 4)),
        np.random.default_rng(1).integers(0, 2, 300_000),
    )
    model = hb.TreeClassifier(pruning=Penalised(1e9))
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        model.fit(X, y, progress=lambda share: share > 0.01)
    assert stopped.value.tree.n_leaves > 1
    assert model.partial_
    assert model.tree_ == stopped.value.tree


# ---- the record ----------------------------------------------------------------------------------------


def test_the_record_is_a_table_for_people():
    text = str(hb.teaching.pruning_record(TREE, "reduced-error", *S2))
    assert text.splitlines() == [
        "reduced-error: 1 node examined, 1 pruned; 2 leaves before, 1 after",
        "ties: prune",
        "sample: 3",
        "errors before: 2",
        "errors after: 1",
        "node  test      action  errors as a tree  errors as a leaf  sample",
        "   0  x <= 1.5  leaf                   2                 1       3",
    ]


def test_the_record_is_plain_data_for_programs():
    record = hb.teaching.pruning_record(TREE, "reduced-error", *S2)
    assert json.loads(json.dumps(record.as_dicts())) == [
        {
            "node": 0,
            "test": "x <= 1.5",
            "action": "leaf",
            "numbers": {"errors as a tree": 2.0, "errors as a leaf": 1.0, "sample": 3.0},
        }
    ]
    numbers = {"errors as a tree": 2.0, "errors as a leaf": 1.0, "sample": 3.0}
    assert record.decisions[0] == Decision(0, "leaf", numbers)
    assert record.decisions[-1:] == (record.decisions[0],)
    with pytest.raises(IndexError):
        record.decisions[1]


def test_of_a_long_record_the_first_lines_are_printed(model):
    rng = np.random.default_rng(0)
    record = hb.teaching.pruning_record(
        hb.TreeClassifier().fit(rng.normal(size=(2000, 2)), rng.integers(0, 2, 2000)), "penalised"
    )
    lines = str(record).splitlines()
    assert lines[-1] == f"... and {len(record.decisions) - 60} more"
    assert len(lines) < 70


def test_facts_of_single_tests_move_with_their_tests():
    inner = {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}
    tree = hb.Tree.from_nested(
        {"column": "a", "<=": 0.5, "yes": "p", "no": inner}, meta={"facts": {"": {"p": 0.1}, "1": {"p": 0.2}}}
    )
    assert tree.collapse([False, False, True, False, False]).meta["facts"] == {"": {"p": 0.1}}
    raised = hb.Tree(**place_nodes(tree, np.array([2, 1, 2, 3, 4]), tree.first_child < 0))
    assert raised.meta["facts"] == {"": {"p": 0.2}}
    assert hb.Tree(**place_nodes(tree, np.arange(5), tree.first_child < 0)) == tree


# ---- mistakes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: hb.prune(TREE, "magic"), "method='magic' is not known: use one of 'chi-square'"),
        (lambda: hb.prune(TREE, "reduced error", *S2), "did you mean 'reduced-error'"),
        (lambda: hb.prune(TREE, ReducedError), "is a class: put an object in, method=ReducedError"),
        (lambda: hb.prune(TREE, "reduced-error"), r"ReducedError\(\) prunes by rows .* give them as X and y"),
        (lambda: hb.prune(TREE, "reduced-error", S2[0]), "X and y belong together, but y is None"),
        (lambda: hb.prune(TREE, "reduced-error", None, S2[1]), "X and y belong together, but X is None"),
        (lambda: hb.prune(TREE, "reduced-error", S2[0], ["a"]), "inconsistent numbers of samples"),
        (lambda: hb.prune(TREE, "reduced-error", {"z": [1]}, ["a"]), "x"),
        (lambda: hb.prune(TREE, "replace-by-child", *S2), r"give them as training=\(X, y\)"),
        (lambda: hb.prune(TREE, "replace-by-child", training=S2), "give them as X and y"),
        (lambda: hb.prune(TREE, "replace-by-child", *S2, training=S2[0]), r"must be a tuple \(X, y\)"),
        (lambda: hb.prune(TREE, "replace-by-child", *S2, training=(S2[0], ["a", "b", "c"])), "the class 'c'"),
        (lambda: hb.prune(TREE, "penalised", *S2, training=S2), "Penalised takes no training rows"),
        (lambda: hb.prune(TREE, "penalised", training=S2), "training is given beside a pruning sample"),
        (lambda: hb.prune(3, "penalised"), "a model is a Tree or a fitted estimator"),
        (lambda: hb.prune(hb.TreeClassifier(), "penalised"), "no tree yet: call fit first"),
        (lambda: hb.prune(TREE, ChiSquare(0)), "alpha=0 must be a number above 0 and below 1"),
        (lambda: hb.prune(TREE, ChiSquare("x")), "alpha='x' must be a number above 0 and below 1"),
        (lambda: hb.prune(TREE, Penalised(-1)), "strength=-1 must be a number of at least 0"),
        (lambda: hb.prune(TREE, Penalised(float("nan"))), "strength=nan must be a number of at least 0"),
        (lambda: hb.prune(TREE, Penalised(True)), "strength=True must be a number of at least 0"),
        (lambda: hb.prune(TREE, ReducedError(1.0), *S2), "holdout=1.0 must be a number above 0 and below 1"),
        (lambda: hb.prune(TREE, ReducedError(ties="yes"), *S2), "ties='yes' must be one of 'prune', 'keep'"),
        (lambda: hb.prune(TREE, Validation(holdout=2), *S2), "holdout=2 must be"),
        (lambda: hb.prune(TREE, ReplaceByChild(-0.1), *S2, training=S2), "holdout=-0.1 must be"),
        (lambda: hb.prune(TREE, SRM(delta=0)), "delta=0 must be a number above 0 and below 1"),
        (lambda: hb.prune(TREE, SRM(n_attributes=0)), "n_attributes=0 must be a number of at least 1"),
        (lambda: hb.prune(TREE, SRM(size="depth")), "size='depth' must be one of 'nodes', 'leaves'"),
        (lambda: hb.prune(TREE, SRM(log_base=1)), "log_base=1 must be a number above 1"),
        (lambda: hb.prune(TREE, SRM(factor=-1)), "factor=-1 must be a number of at least 0"),
        (lambda: hb.prune(TREE, SRM(confidence="x")), "confidence='x' must be one of '1/delta', 'm/delta'"),
        (
            lambda: hb.teaching.simplify(TREE, same="shape"),
            "same='shape' must be one of 'label', 'distribution'",
        ),
    ],
)
def test_a_mistake_gets_one_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["chi-square", "srm"])
def test_methods_for_classes_refuse_numbers(method):
    with pytest.raises(ValueError, match=r"cannot prune a regression tree: .* use 'penalised' or"):
        hb.TreeRegressor(pruning=method).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="cannot prune a regression tree"):
        hb.prune(hb.TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), method)


@pytest.mark.parametrize("method", sorted(PRUNING))
def test_a_tree_without_counts_is_refused(method):
    said = [{"value": 1.0}, {"value": 2.0}] if method == "m5" else ["a", "b"]
    bare = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": said[0], "no": said[1]})
    more = {"training": S2} if PRUNING[method].uses_training else {}
    with pytest.raises(ValueError, match=r"the tree has no counts.*tree\.refit\(X, y\)"):
        hb.prune(bare, method, *(() if method == "m5" else S2), **more)


def test_leaves_with_models_are_judged_by_their_errors_or_by_what_their_equations_answer():
    leaves = [{"value": v, "n": 4, "sd": 2.0, "model": {"intercept": v, "error": 0.5}} for v in (1.0, 5.0)]
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": leaves[0], "no": leaves[1]})
    numbers = hb.teaching.pruning_record(tree, Penalised(1.0)).decisions[0].numbers
    assert numbers["as a tree"] == pytest.approx(2 * (4 * 0.5 + 1))
    assert numbers["as a leaf"] == pytest.approx(8 * (4 + 4) + 1)
    assert hb.prune(tree, "reduced-error", {"x": [1, 2]}, [1.0, 5.0]) == tree
    assert hb.prune(tree, "reduced-error", {"x": [1, 2]}, [3.0, 3.0]).n_leaves == 1  # its mean is 3


def test_every_method_says_what_it_is():
    for name, part in PRUNING.items():
        assert issubclass(part, Pruner)
        assert part.name == name
        assert part.about
        assert copy.deepcopy(part()).get_params() == part().get_params()
