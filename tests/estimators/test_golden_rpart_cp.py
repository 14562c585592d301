"""Paths against rpart's tables of complexities: the same subtrees, penalties, errors and cross-validation.

rpart's cp of a row is the penalty at which the next larger subtree pays: the fall of its own "rel error" from
row to row over the splits it takes. In some of its tables the cp of a row lies below that fall, and a subtree
may be left out for it; ours is the fall itself, which `test_cost_complexity` compares with every pruning.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.golden.rpart_cp.tables import folds, table

import hornbeam as hb

CASES = json.loads((Path(__file__).parents[1] / "golden" / "rpart_cp" / "cp.json").read_text())


def name_of(case):
    said = [word for word in ("priors", "costs", "weighted") if case[word]]
    return "-".join([case["table"], str(case["least"]), *said])


def path_of(case):
    X, y, weight = table(case["table"])
    limits = {"min_samples_leaf": case["least"], "min_samples_split": 2 * case["least"]}
    if case["table"] == "diabetes":
        model = hb.TreeRegressor(max_depth=case["depth"], **limits)
    else:
        k = len(set(y))
        costs = None if case["costs"] is None else np.reshape(case["costs"], (k, k))
        model = hb.TreeClassifier(max_depth=case["depth"], priors=case["priors"], costs=costs, **limits)
    weight = weight if case["weighted"] else None
    return hb.pruning_path(model.fit(X, y, weight), X, y, weight, cv=folds(case["table"]))


def falls(case):
    """The cp that the errors of rpart's rows imply; that of the last row is 0."""
    error, splits = np.array(case["error"]), np.array(case["splits"])
    return np.append((error[:-1] - error[1:]) / np.diff(splits), 0.0)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_subtrees_penalties_and_errors_are_those_of_rpart(case):
    path = path_of(case)
    root = path.risk[-1]
    assert root == pytest.approx(case["root"], rel=1e-12)
    mine = {int(path.leaves[k]) - 1: k for k in range(len(path))}
    steps = [mine[splits] for splits in case["splits"]]
    assert path.risk[steps] / root == pytest.approx(np.array(case["error"]), rel=1e-12, abs=1e-14)
    sound = np.isclose(falls(case), case["cp"], rtol=1e-9, atol=1e-12)
    assert sound.mean() > 0.6
    found = path.alpha[steps] / root
    assert found[sound] == pytest.approx(np.array(case["cp"])[sound], rel=1e-10, abs=1e-14)
    if len(steps) == len(path):
        assert found == pytest.approx(falls(case), rel=1e-9, abs=1e-14)
    else:
        assert not sound.all()


@pytest.mark.parametrize("case", [c for c in CASES if c["table"] == "breast_cancer"], ids=name_of)
def test_cross_validated_errors_and_their_standard_errors_are_those_of_rpart(case):
    path = path_of(case)
    root = path.risk[-1]
    assert path.cv[::-1] / root == pytest.approx(case["xerror"], rel=1e-12)
    assert path.cv_error[::-1] / root == pytest.approx(case["xstd"], rel=1e-12)


@pytest.mark.parametrize("case", [c for c in CASES if c["table"] == "diabetes"], ids=name_of)
def test_cross_validated_regressions_are_close_to_those_of_rpart(case):
    path = path_of(case)  # a few nodes of its folds' trees have the cp of the row above, see the top
    assert path.cv[::-1] / path.risk[-1] == pytest.approx(case["xerror"], rel=0.01)
    if not case["weighted"]:  # it takes weights for repetitions
        assert path.cv_error[::-1] / path.risk[-1] == pytest.approx(case["xstd"], rel=0.01)


@pytest.mark.parametrize("case", [c for c in CASES if c["table"] == "breast_cancer"], ids=name_of)
def test_the_table_is_that_of_printcp(case):
    table = path_of(case).cp_table()
    columns = table.columns()
    assert list(columns) == ["CP", "nsplit", "rel error", "xerror", "xstd"]
    assert columns["nsplit"] == case["splits"]
    assert columns["rel error"] == pytest.approx(case["error"], rel=1e-12, abs=1e-14)
    assert columns["xerror"] == pytest.approx(case["xerror"], rel=1e-12)
    assert columns["xstd"] == pytest.approx(case["xstd"], rel=1e-12)
    assert table.root_error == pytest.approx(case["root"])
    assert str(table).startswith("Root node error: 212/569 = 0.37258\n\nn= 569\n")
    assert table.to_frame().shape == (len(case["splits"]), 5)


def test_a_path_without_cross_validation_has_no_xerror_and_one_of_a_pure_tree_is_refused():
    path = hb.pruning_path(hb.TreeClassifier().fit([[1], [2]], ["a", "b"]))
    assert list(path.cp_table().columns()) == ["CP", "nsplit", "rel error"]
    with pytest.raises(ValueError, match="the root of this tree makes no error"):
        hb.pruning_path(hb.TreeClassifier().fit([[1], [2]], ["a", "a"])).cp_table()


def test_there_are_cases_of_every_kind():
    assert {(bool(c["priors"]), bool(c["costs"]), c["weighted"]) for c in CASES} >= {
        (False, False, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
    }
