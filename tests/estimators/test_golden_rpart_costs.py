"""Priors and costs against rpart: the same tests, improvements, labels and probabilities."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.golden.rpart_costs.tables import table

from hornbeam import TreeClassifier
from hornbeam.parts import Binary

TREES = json.loads((Path(__file__).parents[1] / "golden" / "rpart_costs" / "trees.json").read_text())
# Two columns gain the same at some node of these, and the first of ours is not the one rpart took.
TIED = {"breast_cancer-entropy-priors", "wine-entropy-priors-costs"}


def name_of(case):
    said = [word for word in ("priors", "costs", "weighted") if case[word]]
    return "-".join([case["table"], case["criterion"], *said])


def model_of(case):
    X, y, weight = table(case["table"])
    k = len(set(y))
    model = TreeClassifier(
        case["criterion"],
        split=Binary(threshold_at="midpoint"),
        max_depth=case["depth"],
        priors=case["priors"],
        costs=None if case["costs"] is None else np.reshape(case["costs"], (k, k)),
    )
    return model.fit(X, y, sample_weight=weight if case["weighted"] else None)


def same_test(tree, mine, node):
    """Whether both cut the same column at the same place; if not, the two tests are tied."""
    column = tree.columns[tree.column[mine]].name
    return column == node["column"] and ("cut" not in node or math.isclose(tree.threshold[mine], node["cut"]))


def matched(tree, nodes):
    """(node of the tree, node of rpart) from the root down, as long as both test the same."""
    waiting = [(0, 1)]
    while waiting:
        mine, theirs = waiting.pop()
        yield mine, nodes[str(theirs)]
        if "column" in nodes[str(theirs)] and same_test(tree, mine, nodes[str(theirs)]):
            first, second = tree.children(mine)
            if nodes[str(2 * theirs)]["counts"] != pytest.approx(tree.stats[first].tolist()):
                first, second = second, first  # rpart's left is the side of more of the last classes
            waiting += [(first, 2 * theirs), (second, 2 * theirs + 1)]


@pytest.mark.parametrize("case", TREES, ids=name_of)
def test_a_tree_with_priors_and_costs_is_that_of_rpart(case):
    tree = model_of(case).tree_
    bits = math.log(2) if case["criterion"] == "entropy" else 1.0  # rpart measures in nats
    compared = 0
    for mine, node in matched(tree, case["nodes"]):
        compared += 1
        assert tree.stats[mine] == pytest.approx(node["counts"], abs=1e-9)
        assert tree.answers()[mine] == pytest.approx(node["shares"], abs=1e-9)
        assert tree.label[mine] == node["label"]
        if "improve" in node:
            improve = tree.weight[0] * share(tree, mine, case) * tree.gain[mine] * bits
            assert improve == pytest.approx(node["improve"], rel=1e-9)
    assert compared >= 3
    assert compared == len(case["nodes"]) or name_of(case) in TIED


def share(tree, node, case):
    """The node's share of the weight that growing saw: by altered priors."""
    k = len(tree.classes)
    costs = 1 - np.eye(k) if case["costs"] is None else np.reshape(case["costs"], (k, k))
    priors = tree.stats[0] / tree.weight[0] if case["priors"] is None else np.array(case["priors"])
    altered = priors * costs.sum(axis=1)
    return float((altered * tree.stats[node] / tree.stats[0]).sum() / altered.sum())


def test_the_cases_hold_every_kind_of_number():
    assert len(TREES) == 18
    assert {(bool(c["priors"]), bool(c["costs"])) for c in TREES} == {
        (True, False),
        (False, True),
        (True, True),
    }
