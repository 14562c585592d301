"""TreeSurvival against scikit-survival 0.28.0, rpart 4.1.19, partykit 1.2-16 and survival 3.5-3.

`tests/golden/survival/make.py` and `make.R` wrote the numbers.
"""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import hornbeam as hb
from hornbeam._base.survival_statistics import (
    SurvivalCurve,
    brier_losses,
    censoring,
    concordance,
    log_rank_scores,
)
from hornbeam.evaluation.predictions import Answers
from hornbeam.evaluation.survival_metrics import integrated_estimate
from hornbeam.parts import Curves
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.survival_curves import curve_of

FOLDER = Path(__file__).parents[1] / "golden" / "survival"
R = json.loads((FOLDER / "r.json").read_text(encoding="utf-8"))
SKSURV = json.loads((FOLDER / "sksurv.json").read_text(encoding="utf-8"))
NUMBERS = ["age", "tsize", "pnodes", "progrec", "estrec"]


def table(name):
    """Columns by name: numbers, gaps as nan, or text."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for column in rows[0]:
        cells = [row[column] for row in rows]
        try:
            columns[column] = np.array([float(cell) if cell else math.nan for cell in cells])
        except ValueError:
            columns[column] = np.array(cells)
    return columns


def gbsg2():
    columns = table("gbsg2")
    return np.column_stack([columns[name] for name in NUMBERS]), columns["cens"] > 0, columns["time"]


def made(seed=5, n=400):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(n, 4)).astype(float)
    time = np.ceil(rng.exponential(np.exp(1.5 - 0.15 * X[:, 0] + 0.1 * (X[:, 1] > 6))))
    return X, rng.random(n) < 0.7, time


CASES = [(name, k) for name, cases in SKSURV.items() for k in range(len(cases))]


def questions_of(left, right, feature, threshold, n, node=0):
    """The tests in order from the top, left before right."""
    if left[node] < 0:
        return [int(n[node])]
    below = (questions_of(left, right, feature, threshold, n, child) for child in (left[node], right[node]))
    return [(int(feature[node]), float(threshold[node]), int(n[node])), *(t for part in below for t in part)]


@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_log_rank_tree_is_that_of_scikit_survival(name, k):
    case = SKSURV[name][k]
    X, event, time = (gbsg2 if name == "gbsg2" else made)()
    model = hb.TreeSurvival(split=hb.parts.Binary(threshold_at="midpoint"), **case["limits"])
    model.fit(X, (time, event))
    tree = model.tree_
    right = np.where(tree.first_child >= 0, tree.first_child + 1, -1)
    mine = questions_of(tree.first_child, right, tree.column, tree.threshold, tree.n_rows)
    assert mine == questions_of(*(case[key] for key in ("left", "right", "feature", "threshold", "n")))
    times = case["times"]
    assert model.predict_survival_function(X[:20], times) == pytest.approx(
        np.array(case["survival"]), rel=1e-12
    )
    hazard = model.predict_cumulative_hazard_function(X[:20], times)
    assert hazard == pytest.approx(np.array(case["hazard"]), rel=1e-12)


@pytest.mark.parametrize(("name", "k"), CASES)
def test_concordance_and_brier_scores_are_those_of_scikit_survival(name, k):
    case = SKSURV[name][k]
    X, event, time = (gbsg2 if name == "gbsg2" else made)()
    assert concordance(time, event, X[:, 0]) == pytest.approx(case["concordance"], rel=1e-12)
    model = hb.TreeSurvival(**case["limits"]).fit(X, (time, event))
    hazard = model.predict_cumulative_hazard_function(X).sum(axis=1)  # its risk
    assert concordance(time, event, hazard.round(8)) == pytest.approx(case["score"], rel=1e-12)
    times = np.array(case["times"])
    survival = model.predict_survival_function(X, times)
    losses = brier_losses(censoring(time, event), time, event, times, survival)
    assert losses.mean(axis=0) == pytest.approx(case["brier"], rel=1e-10)
    answers = Answers((), np.where(event, time, -time), hazard, survival, np.ones(len(time)), times)
    assert integrated_estimate(answers, 0.95).value == pytest.approx(case["integrated"], rel=1e-10)


def stagec(complete):
    columns = table("stagec")
    known = np.ones(len(columns["age"]), dtype=bool)
    for values in columns.values():
        known &= ~np.isnan(values) if values.dtype.kind == "f" else values != ""
    return {name: values[known] if complete else values for name, values in columns.items()}


@pytest.mark.parametrize("k", [0, 1])
def test_the_exponential_tree_is_that_of_rpart(k):
    case = R["exp"][k]
    leaf = Curves(m=0 if case["shrink"] == 0 else 1 / case["shrink"] ** 2)
    options = {"cp": 0.0} if k == 0 else {"cp": 0.005, "minbucket": 5, "minsplit": 15}
    model = hb.rpart("survival", maxsurrogate=0, leaf=leaf, **options)
    tree = model.fit(stagec(complete=True), ("pgtime", "pgstat")).tree_
    place = dict(zip(case["node"], range(len(case["node"])), strict=True))
    events = [curve_of(tree, node).events.sum() for node in range(len(tree))]
    deviance = 2 * node_risks(tree, "loss")
    pairs, seen = [(0, 1)], 0
    while pairs:
        node, theirs = pairs.pop()
        at = place[theirs]
        seen += 1
        assert tree.n_rows[node] == case["n"][at]
        assert events[node] == pytest.approx(case["events"][at], abs=1e-9)
        assert tree.answers()[node] == pytest.approx(case["rate"][at], rel=1e-12)
        assert deviance[node] == pytest.approx(case["deviance"][at], rel=1e-11, abs=1e-11)
        column = case["column"][at]
        if column == "<leaf>":
            assert tree.kind[node] == LEAF
            continue
        assert tree.columns[tree.column[node]].name == column
        children = tree.children(node)
        n_left = case["n"][place[2 * theirs]]
        first, second = children if tree.n_rows[children[0]] == n_left else children[::-1]
        if column != "ploidy":
            assert tree.threshold[node] == pytest.approx(case["cut"][at], rel=1e-12)
        pairs += [(first, 2 * theirs), (second, 2 * theirs + 1)]
    assert seen == len(tree) == len(place)


@pytest.mark.parametrize("k", [0, 1])
def test_complexities_and_errors_are_those_of_rpart(k):
    case = R["exp"][k]
    leaf = Curves(m=0 if case["shrink"] == 0 else 1 / case["shrink"] ** 2)
    least = {"minbucket": 5, "minsplit": 15} if k else {}
    model = hb.rpart("survival", maxsurrogate=0, cp=0.0, pruning=None, leaf=leaf, **least)
    table = stagec(complete=True)
    path = hb.pruning_path(model.fit(table, ("pgtime", "pgstat")))
    mine = {
        int(leaves) - 1: risk / path.risk[-1] for leaves, risk in zip(path.leaves, path.risk, strict=True)
    }
    rows = [(splits, error) for splits, error in zip(case["splits"], case["error"], strict=True)]
    assert len(rows) > 4
    for splits, error in rows:
        assert mine[splits] == pytest.approx(error, rel=1e-11)


def test_with_gaps_the_tests_above_are_those_of_rpart():
    case = R["exp"][2]
    tree = hb.rpart("survival").fit(stagec(complete=False), ("pgtime", "pgstat")).tree_
    place = dict(zip(case["node"], range(len(case["node"])), strict=True))
    # Below node 12 a row without g2 goes elsewhere: surrogates are weighed by exposure here, counted there.
    for node, theirs in ((0, 1), (1, 2), (2, 3)):
        assert tree.n_rows[node] == case["n"][place[theirs]]
        assert tree.answers()[node] == pytest.approx(case["rate"][place[theirs]], rel=1e-12)
        assert tree.columns[tree.column[node]].name == case["column"][place[theirs]]
    assert tree.n_leaves == case["column"].count("<leaf>")


def test_the_conditional_tree_is_that_of_partykit():
    columns = table("gbsg2")
    import pandas as pd

    frame = pd.DataFrame(columns)
    frame["tgrade"] = pd.Categorical(frame["tgrade"], ["I", "II", "III"], ordered=True)
    tree = hb.ctree("survival").fit(frame, ("time", "cens")).tree_
    pairs, seen = [(0, R["ctree"], "")], 0
    while pairs:
        node, theirs, path = pairs.pop()
        seen += 1
        assert tree.n_rows[node] == theirs["n"]
        curve = curve_of(tree, node)
        ends = (curve.quantile(), *curve.median_interval())
        expected = [math.inf if end is None else end for end in theirs["median"]]
        assert list(ends) == pytest.approx(expected)
        if "kids" not in theirs:
            assert tree.kind[node] == LEAF
            continue
        facts = tree.meta["facts"][path]
        name = theirs["column"]
        assert tree.columns[tree.column[node]].name == name
        assert facts["statistic"] == pytest.approx(theirs["statistic"][name], rel=1e-9)
        corrected = math.log(-math.expm1(theirs["log_kept"][name]))
        assert facts["log_corrected_p"] == pytest.approx(corrected, rel=1e-6)
        if "break" in theirs:
            assert tree.threshold[node] == theirs["break"]
        for k, kid in enumerate(theirs["kids"]):
            pairs.append((tree.children(node)[k], kid, f"{path}/{k}".lstrip("/")))
    assert seen == len(tree)


@pytest.mark.parametrize("cut", R["log_rank"], ids=lambda cut: cut["column"])
def test_the_statistic_of_a_split_is_that_of_survdiff(cut):
    columns = table("gbsg2")
    left = (columns[cut["column"]] <= cut["cut"]).astype(float)
    model = hb.TreeSurvival(max_depth=1).fit({"left": left}, (columns["time"], columns["cens"]))
    assert model.tree_.gain[0] == pytest.approx(cut["statistic"], rel=1e-12)


def test_scores_medians_and_concordance_are_those_of_r():
    columns = table("gbsg2")
    time, event = columns["time"], columns["cens"] > 0
    assert log_rank_scores(time, event) == pytest.approx(-np.array(R["scores"]), abs=1e-13)
    risk = columns["pnodes"] + columns["tsize"] / 10
    assert concordance(time, event, risk) == pytest.approx(R["concordance"], rel=1e-12)
    patients, treated = table("stagec"), columns["horTh"] == "yes"
    curves = {
        "stagec": SurvivalCurve.of(patients["pgtime"], patients["pgstat"] > 0),
        "gbsg2": SurvivalCurve.of(time, event),
        "treated": SurvivalCurve.of(time[treated], event[treated]),
        "ten": SurvivalCurve.of(np.arange(1.0, 11.0), np.ones(10, dtype=bool)),
    }
    for name, curve in curves.items():
        expected = [math.inf if end is None else end for end in R["median"][name]]
        assert [curve.quantile(), *curve.median_interval()] == pytest.approx(expected)
