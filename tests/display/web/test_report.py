"""Reports as facts: what they say, that they hold no rows, and that a page cannot be broken by names."""

from __future__ import annotations

import functools
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests.display.web.tools import WEB
from tests.io.export.cases import CASES, HOSTILE
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.display.report.page import data, page_of
from hornbeam.display.scripts import join_modules, read_module
from hornbeam.parts import Linear, Predicates


@functools.cache
def tennis() -> dict[str, Any]:
    table = hb.datasets.load("tennis")
    return hb.report(hb.id3().fit(table.X, table.y), table.X, table.y, title="Tennis").to_dict()


# ---- facts -------------------------------------------------------------------------------------------------


def test_the_root_of_tennis_says_what_the_lecture_says() -> None:
    root = tennis()["nodes"][0]
    assert root["question"] == "Outlook"
    assert root["score"] == "gain 0.247 bits"
    assert root["verdict"] == "Yes 64 %"
    assert (root["n"], root["counts"], root["wrong"]) == (14, [5, 9], 5)
    assert root["say"] == "split on Outlook, 14 records, predicts Yes 64 percent, 3 branches"
    assert root["picture"] == {
        "kind": "bars",
        "more": 0,
        "bars": [
            {"text": "Overcast", "branch": 0, "counts": [0, 4]},
            {"text": "Rain", "branch": 1, "counts": [2, 3]},
            {"text": "Sunny", "branch": 2, "counts": [3, 2]},
        ],
    }


def test_leaves_have_their_rule_and_branches_their_operator() -> None:
    nodes = tennis()["nodes"]
    assert [node["branch"] for node in nodes[1:4]] == ["= Overcast", "= Rain", "= Sunny"]
    assert ["Outlook = Rain", "Wind = Strong"] in [node.get("rule") for node in nodes]


def test_the_tree_in_the_document_is_the_one_that_files_hold() -> None:
    table = hb.datasets.load("tennis")
    tree = hb.id3().fit(table.X, table.y).tree_
    assert hb.Tree.from_dict(tennis()["tree"]) == tree


def test_a_histogram_counts_rows_by_class_on_the_axis_of_the_column() -> None:
    X, y = {"x": [0.0, 1.0, 2.0, 10.0]}, ["a", "a", "b", "b"]
    found = hb.report(hb.TreeClassifier().fit(X, y), X, y).to_dict()["nodes"][0]["picture"]
    assert found["kind"] == "histogram"
    assert found["cuts"] == [0.15]
    assert found["ends"] == ["0", "10"]
    first, second = ([k for k, n in enumerate(bins) for _ in range(n)] for bins in found["bins"])
    assert (first, second) == ([0, 2], [4, 19])


def test_gaps_are_counted_on_the_branch_that_took_them() -> None:
    X, y = {"x": [1.0, 2.0, 3.0, None, None]}, ["a", "a", "b", "b", "b"]
    nodes = hb.report(hb.TreeClassifier().fit(X, y), X, y).to_dict()["nodes"]
    assert [node.get("gaps") for node in nodes[1:]] == [None, "∅ 2"]
    assert ["missing here", "2 (40 %)"] in nodes[0]["facts"]


def test_a_branch_of_its_own_for_gaps_is_marked() -> None:
    X, y = {"x": [1.0, 2.0, 3.0, None]}, ["a", "a", "b", "c"]
    nodes = hb.report(hb.TreeClassifier(missing="branch").fit(X, y), X, y).to_dict()["nodes"]
    own = [node for node in nodes if node.get("own")]
    assert [(node["branch"], node["n"]) for node in own] == [("missing", 1)]


def test_parts_of_rows_add_up() -> None:
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    y = outcome(rng, X, 2)
    found = hb.report(hb.TreeClassifier(missing="fractional", max_depth=4).fit(X, y), X, y).to_dict()
    nodes, first = found["nodes"], found["tree"]["nodes"]["first_child"]
    count = found["tree"]["nodes"]["n_children"]
    for k, node in enumerate(nodes):
        if first[k] >= 0:
            below = sum(nodes[c]["n"] for c in range(first[k], first[k] + count[k]))
            assert below == pytest.approx(node["n"], abs=0.05)
    assert any(str(node.get("gaps", "")).startswith("∅ ×") for node in nodes)


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "surrogates"])
def test_counts_of_training_rows_are_those_of_the_tree(missing: str) -> None:
    rng = np.random.default_rng(1)
    X = random_columns(rng, 250)
    y = outcome(rng, X, 3)
    model = hb.TreeClassifier(missing=missing, max_depth=5).fit(X, y)
    found = hb.report(model, X, y).to_dict()
    assert [node["n"] for node in found["nodes"]] == model.tree_.n_rows.tolist()
    np.testing.assert_allclose([node["counts"] for node in found["nodes"]], model.tree_.stats)
    assert found["quality"][0]["name"] == "training"
    accuracy = found["quality"][0]["metrics"][0]
    assert accuracy["value"] == pytest.approx(model.score(X, y))
    matrix = np.array(found["quality"][0]["confusion"])
    assert matrix.sum() == 250
    assert np.trace(matrix) / 250 == pytest.approx(accuracy["value"])


def test_numbers_have_spreads_on_a_common_axis_and_residuals() -> None:
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [0.0, 2.0, 1.0, 9.0, 10.0, 8.0]
    found = hb.report(hb.TreeRegressor(max_depth=1).fit(X, y), X, y).to_dict()
    assert [node["verdict"] for node in found["nodes"]] == ["5 ± 4.082", "1 ± 0.8165", "9 ± 0.8165"]
    assert found["nodes"][1]["picture"] == {"kind": "box", "five": [0.0, 0.0, 0.1, 0.2, 0.2], "value": 0.1}
    assert found["nodes"][0]["picture"]["means"] == [0.1, 0.9]
    assert np.sum(found["nodes"][0]["picture"]["grid"]) == 6
    assert [m["name"] for m in found["quality"][0]["metrics"]] == ["RMSE", "MAE", "R2", "mean bias"]
    assert sum(found["quality"][0]["residuals"]["bins"]) == 6


def test_equations_are_told_in_short_and_in_full() -> None:
    X = {"x": np.arange(20.0), "z": np.tile([0.0, 1.0], 10)}
    y = 3 + 2 * X["x"]
    found = hb.report(hb.TreeRegressor(leaf=Linear(columns=["x"]), max_depth=0).fit(X, y), X, y).to_dict()
    node = found["nodes"][0]
    assert node["verdict"] == "≈ 3 + 2·x"
    assert node["equation"]["terms"][0][:2] == ["x", "2"]
    assert node["picture"]["kind"] == "line"
    assert node["picture"]["line"] == [[0.0, 0.0], [1.0, 1.0]]


def test_validation_rows_stand_beside_and_are_never_mixed() -> None:
    X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]
    held = {"x": [1, 4, 4]}, ["b", "b", "a"]
    found = hb.report(hb.TreeClassifier().fit(X, y), X, y, validation=held).to_dict()
    assert [node["held"] for node in found["nodes"]] == [[3, 2], [1, 1], [2, 1]]
    assert [node["n"] for node in found["nodes"]] == [4, 2, 2]
    assert [one["name"] for one in found["quality"]] == ["training", "validation"]
    assert found["pruning"]["validation"] == pytest.approx([2 / 3, 2 / 3])


def test_the_tree_as_grown_stands_before_a_path_that_begins_smaller() -> None:
    nested = {"column": "x", "<=": 1, "yes": {"counts": {"a": 3, "b": 1}}, "no": {"counts": {"a": 2, "b": 1}}}
    tree = hb.Tree.from_nested(nested)
    X, y = {"x": [0, 0, 0, 0, 2, 2, 2]}, list("aaabaab")
    found = hb.report(tree, X, y, validation=(X, y)).to_dict()["pruning"]
    assert found["leaves"] == [2, 1]
    assert found["alpha"] == [None, 0.0]
    assert found["texts"] == ["as grown", "α = 0"]
    assert found["training"] == found["validation"] == pytest.approx([2 / 7, 2 / 7])


def test_rows_never_seen_and_classes_never_seen_are_described_too() -> None:
    X, y = {"c": ["u", "v", "u", "v"]}, ["a", "b", "a", "b"]
    found = hb.report(hb.TreeClassifier().fit(X, y), {"c": ["u", "w", None]}, ["a", "z", "b"]).to_dict()
    assert found["quality"][0]["name"] == "given rows"
    assert ["rows the model was fitted on", "4"] in found["provenance"]
    assert np.sum(found["quality"][0]["confusion"]) == 2  # the class z has no line


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("density")])
def test_every_kind_of_tree_has_a_report_that_json_can_hold(name: str) -> None:
    case = CASES[name]()
    answers = case.tree.predict(case.frame)
    report = hb.report(case.tree, case.frame, answers)
    assert json.loads(report.to_json()) == report.to_dict()
    assert len(report.to_dict()["nodes"]) == len(case.tree)
    assert str(report)


# ---- the same for the same, and no rows --------------------------------------------------------------------


def _mixed(n: int = 200) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(7)
    X = random_columns(rng, n)
    return X, outcome(rng, X, 0)


def test_the_order_of_the_rows_changes_nothing() -> None:
    X, y = _mixed()
    model = hb.TreeRegressor(max_depth=4, missing="fractional").fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    other = hb.report(model, X.iloc[order].reset_index(drop=True), y[order])
    assert other.to_html() == hb.report(model, X, y).to_html()


def test_a_report_holds_no_rows_unless_asked() -> None:
    X, y = _mixed()
    model = hb.TreeRegressor(max_depth=3).fit(X, y)
    plain, shown = hb.report(model, X, y), hb.report(model, X, y, rows=True)
    assert plain.to_dict()["aggregates"] is True
    assert '"points"' not in plain.to_json()
    assert shown.to_dict()["aggregates"] is False
    points = [node["picture"]["points"] for node in shown.to_dict()["nodes"] if "points" in node["picture"]]
    assert points
    assert all(0 < len(one) <= 200 for one in points)
    assert shown.to_json() == hb.report(model, X, y, rows=True).to_json()


@pytest.mark.parametrize("n_classes", [0, 3])
def test_a_row_of_count_three_is_three_records_everywhere(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 120)
    y = outcome(rng, X, n_classes)
    counts = rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    for slots in ({}, {"missing": "fractional"}, {} if n_classes else {"leaf": "linear"}):
        model = (hb.TreeClassifier if n_classes else hb.TreeRegressor)(max_depth=2, **slots)
        model.fit(X, y, counts=counts)
        short = hb.report(model, X, y, counts=counts, validation=(X, y, None, counts)).to_dict()
        long = hb.report(model, X.iloc[rows], y[rows], validation=(X.iloc[rows], y[rows])).to_dict()
        assert ["counts", "120 rows as written stand for them"] in short.pop("provenance")
        long.pop("provenance")
        for curve in ("validation", "error"):
            assert short["pruning"].pop(curve) == pytest.approx(long["pruning"].pop(curve))
        assert short == long
        assert short["quality"][0]["name"] == "training"


@pytest.mark.parametrize("n_classes", [0, 2])
def test_weights_weigh_every_number_of_a_report(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 120)
    y = outcome(rng, X, n_classes)
    weight = np.where(rng.random(len(y)) < 0.2, 0.0, rng.random(len(y)) * 3)
    model = (hb.TreeClassifier if n_classes else hb.TreeRegressor)(max_depth=2).fit(
        X, y, sample_weight=weight
    )
    facts = hb.report(model, X, y, sample_weight=weight, validation=(X, y, weight)).to_dict()
    told = hb.evaluate(model, X, y, sample_weight=weight)
    for quality in facts["quality"]:
        assert quality["weighted"]
        assert quality["n"] == (weight > 0).sum()
        found = {one["name"].replace(" ", "_").lower(): one for one in quality["metrics"]}
        for name in ("accuracy", "log_loss", "auc") if n_classes else ("rmse", "mae"):
            assert found[name]["value"] == pytest.approx(told[name].value, rel=1e-12)
            assert found[name]["low"] == pytest.approx(told[name].low, rel=1e-12)
    assert facts["nodes"][0]["n"] == pytest.approx(weight.sum(), abs=0.01)
    for node, weights in enumerate(model.tree_.weight.tolist()):
        assert facts["nodes"][node]["n"] == pytest.approx(weights, abs=0.01)
    if n_classes:
        assert np.sum(facts["quality"][0]["confusion"]) == pytest.approx(weight.sum(), abs=0.05)
        assert facts["nodes"][0]["counts"] == pytest.approx(model.tree_.stats[0].tolist(), abs=0.01)
    bins = facts["columns"][0]["bins"]
    assert sum(bins) + facts["columns"][0]["missing"] == pytest.approx(weight.sum(), abs=0.2)
    doubled = hb.report(model, X, y, sample_weight=2 * weight).to_dict()
    assert doubled["quality"][0]["metrics"] == facts["quality"][0]["metrics"]
    assert "weighted" in str(hb.report(model, X, y, sample_weight=weight))


def test_names_that_cannot_be_seen_are_shown_in_quotes() -> None:
    X = {"": [1.0, 2.0, 3.0, 4.0], "city": ["", "", "x ", "x "]}
    facts = hb.report(hb.TreeClassifier().fit(X, ["", "", "b", "b"]), X, ["", "", "b", "b"]).to_dict()
    assert [column["name"] for column in facts["columns"]] == ['""', "city"]
    assert facts["columns"][1]["values"] == ['""', '"x "']
    assert facts["classes"] == ['""', "b"]
    assert facts["nodes"][0]["question"] == '""'
    assert facts["nodes"][1]["verdict"] == '"" 100 %'


def test_a_report_of_two_hundred_nodes_is_small() -> None:
    rng = np.random.default_rng(2)
    X = random_columns(rng, 800)
    y = outcome(rng, X, 2)
    model = hb.TreeClassifier(max_leaf_nodes=100).fit(X, y)
    assert len(model.tree_) == 199
    held = random_columns(rng, 300)
    page = hb.report(model, X, y, validation=(held, outcome(rng, held, 2))).to_html()
    assert len(page.encode()) < 300_000


def test_the_viewer_is_small() -> None:
    files = [*WEB.glob("*.js"), *WEB.glob("*/*.js")]
    assert sum(len(file.read_bytes()) for file in files) < 200_000, "studio, report and notebook together"
    lines = {file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    # what predicts is one file, which scripts of export("javascript") hold whole
    assert [name for name, n in lines.items() if n > (349 if name == "predict.js" else 250)] == []
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert not any(
        word in text for text in texts for word in ("innerHTML", "outerHTML", "insertAdjacentHTML")
    )
    assert not any(word in text for text in texts for word in ("eval(", "new Function", "document.write"))


# ---- pages -------------------------------------------------------------------------------------------------


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append(tag)


def test_names_that_look_like_markup_stay_text() -> None:
    rng = np.random.default_rng(3)
    names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><b>', "<!--"]
    X = {name: rng.choice(HOSTILE[:8], 80) for name in names}
    y = np.array(["</title><b>", "'\"&amp;"])[(X[names[0]] == HOSTILE[0]).astype(int)]
    page = hb.report(
        hb.TreeClassifier(split="multiway", max_depth=3).fit(X, y), X, y, title="</title><script>"
    ).to_html()
    tags = _Tags()
    tags.feed(page)
    assert tags.found.count("script") == 2
    assert not {"img", "b", "iframe"} & set(tags.found)
    assert "<!--" not in page


def test_a_page_asks_nobody_for_anything() -> None:
    table = hb.datasets.load("tennis")
    page = hb.report(hb.id3().fit(table.X, table.y), table.X, table.y).to_html()
    assert "default-src 'none'" in page
    outside = set(re.findall(r"https?://[\w./-]+", page))
    assert outside == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert page.isascii() or '<meta charset="utf-8">' in page


def test_a_page_is_written_where_it_is_told(tmp_path: Path) -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    report = hb.report(hb.TreeClassifier().fit(X, y), X, y)
    assert report.to_html(tmp_path / "a.html") == (tmp_path / "a.html").read_text(encoding="utf-8")
    assert report.to_json(str(tmp_path / "a.json")) == (tmp_path / "a.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import x from './x.js';", "two forms"),
        ("import './x.js';", "two forms"),
        ("export default 1;", "two forms"),
        ("export {a};", "two forms"),
        ("import {a} from './main.js';", "circle"),
    ],
)
def test_modules_of_other_forms_are_refused(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        join_modules({"main.js": line}.__getitem__, "main.js")


def test_modules_write_no_html_and_load_nothing() -> None:
    script = re.sub(r"/\*.*?\*/", "", join_modules(read_module, "main.js"))
    words = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "import(",
        "import.meta",
        "eval(",
    )
    assert "textContent" in script
    assert not [word for word in words if word in script]
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)  # would end the script of a page


def test_comments_of_modules_stay_out_of_the_page() -> None:
    module = "/** innerHTML, import('x')\n * of a kind\n */\nconst a = /** @type {any} */ (1); // b\n"
    text = join_modules({"main.js": module}.__getitem__, "main.js")
    assert "innerHTML" not in text
    assert "of a kind" not in text
    assert "const a = /** @type {any} */ (1); // b" in text


def test_data_is_the_same_after_reading_it_back() -> None:
    given = {"a": "</script><!-- & \u2028 ' \""}
    assert json.loads(data(given)) == given
    assert "<" not in data(given)
    assert page_of(given, "").count("<script") == 2


# ---- notebooks ---------------------------------------------------------------------------------------------


def test_a_notebook_shows_a_tree_in_a_frame_and_as_text() -> None:
    table = hb.datasets.load("tennis")
    tree = hb.id3().fit(table.X, table.y).tree_
    shown = tree._repr_mimebundle_()
    assert shown["text/plain"] == hb.show(tree)
    assert shown["text/html"].startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
    assert "Overcast" in shown["text/html"].split('<div class="hornbeam-static">')[1]


@pytest.mark.parametrize(
    "make", [lambda: hb.Tree.from_nested("yes"), lambda: _density(), lambda: _by_function(), lambda: _large()]
)
def test_a_notebook_shows_any_tree(make: Any) -> None:
    assert make()._repr_mimebundle_()["text/html"]


def _density() -> hb.Tree:
    return hb.TreeDensity(max_depth=2).fit(np.random.default_rng(0).normal(size=(60, 2))).tree_


def _by_function() -> hb.Tree:
    X, y = {"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]
    return hb.TreeClassifier(split=Predicates([lambda table: table["x"] > 1.5])).fit(X, y).tree_


def _large() -> hb.Tree:
    rng = np.random.default_rng(0)
    return hb.TreeClassifier().fit(rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)).tree_


def test_a_report_shows_itself_in_a_notebook() -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    report = hb.report(hb.TreeClassifier().fit(X, y), X, y)
    assert report._repr_mimebundle_()["text/plain"] == str(report)
    assert (
        repr(report)
        == "<Report 'Decision tree': <Tree classes: depth=1, leaves=2, tests=1, nodes=3, reading_size=3>>"
    )


# ---- sentences for what cannot be --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"validation": ([1],)}, "validation must be a tuple"),
        ({"title": 3}, "title=3 must be text"),
        ({"rows": "yes"}, "rows='yes' must be True or False"),
        ({"y": ["a"]}, "inconsistent numbers"),
        ({"random_state": "x"}, "random_state='x'"),
    ],
)
def test_bad_input_gets_one_clear_sentence(change: dict[str, Any], words: str) -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    given = {"model": hb.TreeClassifier().fit(X, y), "X": X, "y": y} | change
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        hb.report(**given)


def test_models_without_one_outcome_are_refused_by_name() -> None:
    density = hb.TreeDensity().fit(np.random.default_rng(0).normal(size=(30, 1)))
    with pytest.raises(ValueError, match="density tree has no outcome"):
        hb.report(density, [[1.0]], [1])
    forest = hb.ForestClassifier(n_estimators=2).fit([[1], [2]], ["a", "b"])
    with pytest.raises(ValueError, match="read one of them"):
        hb.report(forest, [[1], [2]], ["a", "b"])


# ---- metrics -----------------------------------------------------------------------------------------------


def test_metrics_are_those_of_evaluate() -> None:
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    shown = hb.report(model, X, y).to_dict()["quality"][0]["metrics"]
    told = hb.evaluate(model, X, y)
    for metric, name in zip(
        shown, ("accuracy", "balanced_accuracy", "auc", "log_loss", "brier"), strict=True
    ):
        assert (metric["value"], metric["low"], metric["high"]) == (
            told[name].value,
            told[name].low,
            told[name].high,
        )


def test_outcomes_that_are_all_the_same_leave_nothing_to_explain() -> None:
    shown = hb.report(hb.TreeRegressor().fit([[1], [2]], [3.0, 3.0]), [[1], [2]], [3.0, 3.0]).to_dict()
    r2 = next(m for m in shown["quality"][0]["metrics"] if m["name"] == "R2")
    assert (r2["value"], r2["text"], r2["interval"]) == (None, "not defined", "")


def test_a_class_the_tree_does_not_know_counts_as_wrong() -> None:
    model = hb.TreeClassifier().fit([[1], [2]], ["a", "b"])
    held = hb.report(model, [[1], [2]], ["a", "b"], validation=([[1], [2], [2]], ["a", "b", "c"]))
    accuracy = held.to_dict()["quality"][1]["metrics"][0]
    assert accuracy["value"] == pytest.approx(2 / 3)


def test_one_leaf_of_one_row_is_not_spoken_of_as_several():
    table, y = {"x": [1]}, ["a"]
    report = hb.report(hb.TreeClassifier().fit(table, y), table, y)
    assert "1 leaf, 1 node, depth 0\ntraining, 1 row\n" in str(report)
