"""The twin's rules where no lecture gives a number: gaps, constraints, scikit-learn, random tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.oracles import compare
from tests.oracles.choose import SCREEN, node_impurity, score_all
from tests.oracles.impurity import DIGITS
from tests.oracles.problem import Problem
from tests.oracles.tables import random_table
from tests.oracles.twin import Node, grow, is_doubtful, scores

# missing values --------------------------------------------------------------------------------------


def gap_table(split: str, values: Sequence[float], codes: Sequence[int], **plan: Any) -> dict[str, Any]:
    kind = "numeric" if split == "threshold" else "nominal"
    column = {"kind": kind, "split": split, "values": np.array(values, dtype=float), "n_values": 3}
    return {
        "columns": [column],
        "target": {"kind": "classes", "codes": np.array(codes), "n_classes": 2},
        "plan": plan,
    }


def test_learned_gaps_are_tried_left_before_right_and_alone_last() -> None:
    found = [(s[2], s[4]) for s in scores(gap_table("threshold", [1, 2, 3, math.nan], [0, 1, 0, 1]))]
    assert found == [(1.5, 0), (1.5, 1), (2.5, 0), (2.5, 1), (math.inf, 1)]


def test_an_own_branch_of_gaps_comes_last() -> None:
    found = [(s[3], s[4]) for s in scores(gap_table("equals", [0, 1, 2, -1], [0, 1, 0, 1], missing="branch"))]
    assert found == [(((0,), (1, 2), ()), 2), (((1,), (0, 2), ()), 2), (((2,), (0, 1), ()), 2)]
    only = scores(gap_table("threshold", [1, 1, math.nan], [0, 1, 1], missing="branch"))
    assert [(s[2], s[3], s[4]) for s in only] == [(math.inf, ((1.0,), ()), 1)]


def test_the_missing_bucket_is_the_last_value_of_a_value_set() -> None:
    found = [(s[3], s[4]) for s in scores(gap_table("subset", [0, 1, 2, -1], [0, 1, 0, 1]))]
    assert found == [
        (((0,), (1, 2)), 1),
        (((0, 1), (2,)), 1),
        (((0, 2), (1,)), 1),
        (((0,), (1, 2)), 0),
        (((0, 1, 2), ()), 1),
        (((0, 1), (2,)), 0),
        (((0, 2), (1,)), 0),
    ]


def test_gaps_join_each_branch_of_a_multiway_split_in_turn() -> None:
    assert [s[4] for s in scores(gap_table("multiway", [0, 2, 2, -1], [0, 1, 0, 1]))] == [0, 1]
    root = grow(gap_table("multiway", [2, 2, -1], [0, 0, 1]))
    assert (root.kind, root.missing, root.absent, root.own_missing) == ("multiway", 1, (0, 1), True)
    assert compare.stored_missing(root) == 2


def test_a_column_of_gaps_only_gives_no_candidate() -> None:
    assert scores(gap_table("threshold", [math.nan] * 3, [0, 1, 0])) == []


# monotonic constraints -------------------------------------------------------------------------------


def test_a_constraint_forbids_the_wrong_direction_and_binds_below() -> None:
    x = np.arange(6.0)
    table = {
        "columns": [{"kind": "numeric", "split": "threshold", "values": x, "n_values": 0}],
        "target": {"kind": "real", "values": np.array([0.0, 5, 1, 2, 9, 3])},
        "plan": {"criterion": "variance", "monotonic": {0: [(("mean",), 1)]}},
    }
    leaves = [n.mean for n in grow(table).walk() if not n.children]
    assert len(leaves) > 2
    assert leaves == sorted(m for m in leaves if m is not None)
    table["plan"] = {"criterion": "variance", "monotonic": {0: [(("mean",), -1)]}}
    falling = [n.mean for n in grow(table).walk() if not n.children]
    assert falling == sorted((m for m in falling if m is not None), reverse=True)


# against scikit-learn --------------------------------------------------------------------------------

LIMITS: list[dict[str, Any]] = [
    {"max_depth": 3},
    {"min_samples_leaf": 3, "max_leaf_nodes": 6},
    {"min_weight_fraction_leaf": 0.11, "min_impurity_decrease": 0.013},
]


def continuous_table(seed: int, criterion: str, weighted: bool, plan: dict[str, Any]) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 3)).astype(np.float32)
    y = x[:, 0] + rng.normal(size=60)
    target = {"kind": "classes", "codes": (y > 0).astype(int) + (x[:, 1] > 0.3), "n_classes": 3}
    if criterion == "variance":
        target = {"kind": "real", "values": y}
    columns = [{"kind": "numeric", "split": "threshold", "values": x[:, j], "n_values": 0} for j in range(3)]
    # In sixteenths, so that scikit-learn adds them without rounding and does not split pure nodes.
    weights = rng.integers(1, 48, 60) / 16 * (rng.random(60) > 0.1) if weighted else np.ones(60)
    return {
        "columns": columns,
        "target": target,
        "weights": weights,
        "plan": {"criterion": criterion, **plan},
    }


def fit_peer(table: dict[str, Any], limits: dict[str, Any]) -> Any:
    x = np.stack([c["values"] for c in table["columns"]], axis=1)
    if table["target"]["kind"] == "real":
        peer = DecisionTreeRegressor(random_state=0, **limits)
        return peer.fit(x, table["target"]["values"], table["weights"]).tree_
    peer = DecisionTreeClassifier(criterion=table["plan"]["criterion"], random_state=0, **limits)
    return peer.fit(x, table["target"]["codes"], table["weights"]).tree_


def selected(table: dict[str, Any], rows: np.ndarray) -> dict[str, Any]:
    """Some rows of a table, with its criterion but without its limits."""
    target = {k: v[rows] if isinstance(v, np.ndarray) else v for k, v in table["target"].items()}
    columns = [{**c, "values": c["values"][rows]} for c in table["columns"]]
    plan = {"criterion": table["plan"]["criterion"]}
    return {"columns": columns, "target": target, "weights": table["weights"][rows], "plan": plan}


def ties_with_peer(table: dict[str, Any], node: Node, peer: Any, i: int, rows: np.ndarray) -> int:
    """Walk both trees: where they part, the two splits must score the same. Returns how often they part."""
    assert peer.n_node_samples[i] >= node.n_rows == len(rows)
    assert (peer.children_left[i] < 0) == (not node.children)
    if not node.children:
        return 0
    if (node.column, round(node.threshold, 5)) != (peer.feature[i], round(peer.threshold[i], 5)):
        every = {(s[0], round(s[2], 5)): s[-1] for s in scores(selected(table, rows))}
        assert every[peer.feature[i], round(peer.threshold[i], 5)] == pytest.approx(node.gain, rel=1e-11)
        return 1
    left = table["columns"][node.column]["values"][rows] <= node.threshold
    first = ties_with_peer(table, node.children[0], peer, peer.children_left[i], rows[left])
    return first + ties_with_peer(table, node.children[1], peer, peer.children_right[i], rows[~left])


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance"])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn_but_for_ties(criterion: str, limits: dict[str, Any], weighted: bool) -> None:
    parted = 0
    for seed in range(6):
        table = continuous_table(seed, criterion, weighted, limits)
        rows = np.flatnonzero(table["weights"] > 0)
        parted += ties_with_peer(table, grow(table), fit_peer(table, limits), 0, rows)
    assert parted <= 6


# random tables ---------------------------------------------------------------------------------------


def stats_of(node: Node, real: bool) -> tuple[float, ...]:
    if not real:
        return node.stats
    mean = float(node.mean or 0)
    return node.weight, mean, node.weight * node.sd**2


def as_arrays(root: Node) -> dict[str, Any]:
    """The twin's tree in the product's layout, to test the comparison with."""
    nodes: list[Node | None] = [root]
    parents: dict[int, Node] = {}
    a: dict[str, list[Any]] = {
        k: [] for k in ("kind", "first_child", "n_children", "column", "threshold", "missing")
    }
    a |= {k: [] for k in ("gain", "n_rows", "stats", "label", "impurity", "absent", "map_code", "map_branch")}
    a["map_offset"] = [0]
    i = 0
    while i < len(nodes):
        node = nodes[i]
        if node is None:
            parent = parents[i]
            node = Node(0, 0.0, (0.0,) * len(parent.stats), None, parent.label, 0.0)
        known = len(node.children) - node.own_missing
        children: list[Node | None] = list(node.children)
        if node.absent:
            children.insert(known, None)
            parents[len(nodes) + known] = node
        a["first_child"].append(len(nodes) if children else -1)
        nodes += children
        a["n_children"].append(len(children))
        a["kind"].append(compare.KINDS.index(node.kind))
        a["absent"].append(known if node.absent else -1)
        a["missing"].append(compare.stored_missing(node))
        a["stats"].append(stats_of(node, real=root.mean is not None))
        for name in ("column", "threshold", "gain", "n_rows", "label", "impurity"):
            a[name].append(getattr(node, name))
        if node.kind in ("subset", "multiway"):
            pairs = compare.wanted_map(node)
            a["map_code"] += pairs.keys()
            a["map_branch"] += pairs.values()
        a["map_offset"].append(len(a["map_code"]))
        i += 1
    return {k: np.array(v) for k, v in a.items()}


def test_the_comparison_accepts_the_same_tree_and_sees_every_change() -> None:
    seen = set()
    for seed in range(150):
        root = grow(random_table(np.random.default_rng(seed)))
        arrays = as_arrays(root)
        assert compare.same_tree(root, arrays) is None
        if root.children:
            for name in ("kind", "column", "missing", "gain", "n_rows", "stats", "n_children", "impurity"):
                changed = {**arrays, name: arrays[name].copy()}
                changed[name][0] += 1
                assert compare.same_tree(root, changed), name
            seen.add(root.kind)
    assert seen == {"threshold", "equals", "subset", "multiway"}


@pytest.mark.parametrize("decimals", [False, True])
def test_floats_only_discard_what_cannot_win(decimals: bool) -> None:
    with localcontext(DIGITS):
        for seed in range(150):
            problem = Problem(random_table(np.random.default_rng(seed), decimals=decimals))
            everything = problem, problem.all_rows, frozenset[int](), {}
            exact = [(s.score, s.candidate) for s in score_all(*everything, None)]
            screened = [(s.score, s.candidate) for s in score_all(*everything, SCREEN)]
            if exact:
                top = max(score for score, _ in exact)
                scale = (
                    1 if problem.plan.criterion == "gain-ratio" else node_impurity(problem, problem.all_rows)
                )
                close = [(s, c) for s, c in exact if top - s <= Decimal("1e-7") * scale]
                assert all(each in screened for each in close)


def test_a_grid_rounds_weights_and_targets_once() -> None:
    column = {"kind": "numeric", "split": "threshold", "values": np.arange(4.0), "n_values": 0}
    target = {"kind": "real", "values": np.array([0.1, 0.2, 5.0, 5.3])}
    table = {"columns": [column], "target": target, "plan": {"criterion": "variance"}}
    assert grow(table).n_leaves == 4
    coarse = grow({**table, "grid": {"target_step": 1.0, "center": 3.0}})
    assert [float(n.mean) for n in coarse.walk() if not n.children and n.mean is not None] == [0.0, 5.0]


def test_row_order_never_changes_the_tree() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        table = random_table(rng)
        n = len(table["target"].get("codes", table["target"].get("values")))
        order = rng.permutation(n)
        shuffled = {**table, "columns": [{**c, "values": c["values"][order]} for c in table["columns"]]}
        shuffled["target"] = {
            k: v[order] if isinstance(v, np.ndarray) else v for k, v in table["target"].items()
        }
        for name in ("weights", "counts"):
            shuffled[name] = None if table[name] is None else table[name][order]
        assert grow(table) == grow(shuffled)


def test_random_tables_reach_every_corner() -> None:
    found: set[Any] = set()
    doubtful = 0
    for seed in range(400):
        table = random_table(np.random.default_rng(seed))
        root = grow(table)
        doubtful += is_doubtful(root)
        found |= {(n.kind, n.missing >= 0) for n in root.walk()} | set(table["plan"])
        found |= {"absent" for n in root.walk() if n.absent} | {
            "inf" for n in root.walk() if n.threshold == math.inf
        }
    splits = {
        (kind, gaps) for kind in ("threshold", "equals", "subset", "multiway") for gaps in (True, False)
    }
    assert found >= splits | {"absent", "inf", "monotonic", "max_nodes", "max_leaf_nodes", "min_gain"}
    assert doubtful < 8
