"""Every reader on every kind of model: it works, or says one sentence; it never warns and never breaks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb

RNG = np.random.default_rng(5)
X = random_columns(RNG, 120)
Y = {"classes": outcome(RNG, X, 3), "real": outcome(RNG, X, 0)}
ROW = X.iloc[7]


def _tree() -> hb.TreeClassifier:
    return hb.TreeClassifier(max_depth=3).fit(X, Y["classes"])


def _by_hand() -> hb.Tree:
    """No counts, and columns of the table."""
    columns = _tree().tree_.columns
    inner = {"column": "city", "equals": "Brno", "yes": "class 0", "no": "class 1"}
    return hb.Tree.from_nested({"column": "age", "<=": 40, "yes": "class 2", "no": inner}, columns)


MODELS: Mapping[str, Callable[[], Any]] = {
    "fitted": _tree,
    "automatic": lambda: hb.AutoTreeClassifier(budget=4).fit(X, Y["classes"]),
    "Tree": lambda: _tree().tree_,
    "draft": lambda: hb.edit(_tree(), X, Y["classes"]).collapse(1),
    "by hand": _by_hand,
    "single leaf": lambda: hb.TreeClassifier(max_depth=0).fit(X, Y["classes"]),
    "one class": lambda: hb.TreeClassifier().fit(X, ["a"] * len(X)),
    "numbers": lambda: hb.TreeRegressor(max_depth=3).fit(X, Y["real"]),
    "equations": lambda: hb.TreeRegressor(max_depth=2, leaf="linear").fit(X, Y["real"]),
    "forest": lambda: hb.ForestClassifier(3, random_state=0).fit(X, Y["classes"]),
    "density": lambda: hb.TreeDensity(min_samples_leaf=20).fit(random_columns(RNG, 80, gaps=0)),
    "not fitted": hb.TreeClassifier,
    "a path": lambda: "nowhere.tree.json",
    "nothing": lambda: None,
}

READERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "show": lambda m, y: hb.show(m, bars=8, X=X),
    "rules": lambda m, y: str(hb.rules(m)),
    "boxes": lambda m, y: hb.boxes(m),
    "key": lambda m, y: str(hb.key(m)),
    "explain": lambda m, y: str(hb.explain(m, ROW)),
    "counterfactuals": lambda m, y: [str(c) for c in hb.counterfactuals(m, ROW)],
    "shap_values": lambda m, y: hb.shap_values(m, X[:5]),
    "to_shap": lambda m, y: hb.to_shap(m),
    "importance": lambda m, y: str(hb.importance(m)),
    "permutation": lambda m, y: str(hb.importance(m, X, y, n_repeats=2)),
    "evaluate": lambda m, y: str(hb.evaluate(m, X, y)),
    "compare": lambda m, y: str(hb.compare(m, m, X, y)),
    "candidates": lambda m, y: str(hb.candidates(m, X, y, work=True)),
    "draw": lambda m, y: str(hb.draw(m, X, y)),
    "icicle": lambda m, y: str(hb.draw(m, kind="icicle")),
    "report": lambda m, y: str(hb.report(m, X, y)),
    "edit": lambda m, y: str(hb.edit(m, X, y)),
    "simplify": lambda m, y: hb.teaching.simplify(m),
    "prune": lambda m, y: hb.prune(m, hb.parts.Penalised(strength=1.0)),
    "pruning_path": lambda m, y: hb.pruning_path(m).choose(leaves=1),
    "export": lambda m, y: hb.export(m, "python"),
    "probabilities": lambda m, y: hb.teaching.probabilities(m),
    "dnf": lambda m, y: {label: str(form) for label, form in hb.dnf(m).items()},
    "ruleset": lambda m, y: str(hb.ruleset(m, X, y)),
    "surrogates": lambda m, y: hb.teaching.surrogates(m, 0),
    "consistent": lambda m, y: hb.teaching.consistent(m, X, y).errors,
    "theory": lambda m, y: str(hb.teaching.theory.report(m)),
    "smallest_prunings": lambda m, y: hb.teaching.smallest_prunings(m).nodes.tolist(),
    "count_prunings": lambda m, y: hb.teaching.count_prunings(m),
    "plot_regions": lambda m, y: hb.plot_regions(m, X, y).get_xlabel(),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_reader_works_or_says_one_sentence(name: str) -> None:
    model = MODELS[name]()
    y = Y["real"] if name in ("numbers", "equations") else Y["classes"]
    y = np.full(len(X), "a") if name == "one class" else y
    for reader, read in READERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                read(model, y)
            except (ValueError, TypeError) as refused:
                said = str(refused)
                assert "\n" not in said, (reader, said)
                assert len(said) > 20, (reader, said)
                assert name not in ("fitted", "automatic") or reader == "to_shap", (reader, said)


def test_a_draft_is_read_as_the_tree_it_is() -> None:
    draft = hb.edit(_tree(), X, Y["classes"]).collapse(1)
    assert hb.evaluate(draft, X, Y["classes"])["accuracy"].value == draft.model.score(X, Y["classes"])
    assert hb.importance(draft)["age"].value == hb.importance(draft.tree)["age"].value
    assert not len(hb.compare(draft, draft.model, X, Y["classes"]).changed)
    assert hb.teaching.simplify(draft).tree_ == hb.teaching.simplify(draft.tree)
    assert hb.edit(draft, X, Y["classes"]).tree == draft.tree


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return hb.save(_tree(), tmp_path_factory.mktemp("saved") / "model.tree.json")


@pytest.mark.parametrize("reader", [name for name in READERS if name != "to_shap"])
def test_the_path_of_a_saved_model_is_read_as_the_model(reader: str, saved: Any) -> None:
    read, y = READERS[reader], Y["classes"]
    by_model, by_path, by_text = (read(given, y) for given in (_tree(), saved, str(saved)))
    if reader == "shap_values":
        by_model, by_path, by_text = (one.values.tolist() for one in (by_model, by_path, by_text))
    elif reader in ("simplify", "prune", "pruning_path"):
        by_model, by_path, by_text = (one.tree_ for one in (by_model, by_path, by_text))
    elif reader == "probabilities":
        by_model, by_path, by_text = map(str, (by_model, by_path, by_text))
    assert by_model == by_path == by_text


def test_the_path_of_a_saved_forest_is_explained_as_the_forest(tmp_path: Any) -> None:
    forest = hb.ForestClassifier(3, random_state=0).fit(X, Y["classes"])
    path = hb.save(forest, tmp_path / "three.forest.json")
    assert (hb.shap_values(path, X[:3]).values == hb.shap_values(forest, X[:3]).values).all()


def test_what_is_no_model_is_told_how_to_become_one() -> None:
    with pytest.raises(ValueError, match=r"model='loans\.tree\.json' is no file: .* the path of a saved one"):
        hb.show("loans.tree.json")
    with pytest.raises(TypeError, match="the file comes second"):
        hb.save("loans.tree.json", _tree())
    with pytest.raises(TypeError, match=r"make a Tree of it with hb\.from_sklearn\(model\)"):
        hb.draw(DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(TypeError, match=r"not a DataFrame$"):
        hb.rules(pd.DataFrame({"x": [1]}))


def test_names_and_values_that_cannot_be_seen_are_made_visible() -> None:
    table = {"Revenue\n(EUR)": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "": ["", "x ", "y", "", "x ", "y"]}
    model = hb.TreeClassifier().fit(table, ["a", "b", "b", "a", "b\n", "b\n"])
    row = {name: values[0] for name, values in table.items()}
    evaluated = str(hb.evaluate(model, table, ["a", "b", "b", "a", "b\n", "b\n"]))
    for text, n_lines in (
        (hb.show(model), len(model.tree_) + 1),
        (str(hb.rules(model)), model.tree_.n_leaves),
        (str(hb.importance(model)), 2),
        (hb.draw(model).svg, None),
        (str(hb.explain(model, row)), None),
    ):
        assert n_lines is None or len(text.splitlines()) == n_lines, text
        assert "Revenue (EUR)" in text, text
        assert '""' in text or "&quot;&quot;" in text, text
    assert 'in {"x ", y}' in str(hb.rules(model))
    assert len(evaluated.splitlines()) == 6 + (1 + 4) + (1 + 4)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="background has no rows"):
        hb.shap_values(_tree(), X[:3], background=X[:0])
    for depth in (1.5, True, "2"):
        with pytest.raises(ValueError, match=r"max_depth=.* must be a whole number of at least 0"):
            hb.show(_tree(), max_depth=depth)


def test_conditions_of_many_nodes_are_those_of_each() -> None:
    from tests.io.export.cases import CASES

    from hornbeam.reading.conditions import conditions, conditions_of

    for name in ("equals", "multiway", "intervals", "missing: branch", "expressions", "column sets"):
        tree = CASES[name]().tree
        nodes = range(len(tree))
        assert list(conditions_of(tree, nodes)) == [conditions(tree, node) for node in nodes]
