"""Searches and pipelines of scikit-learn as models: their tree is read, or a sentence says what to give."""

import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import hornbeam as hb

X, Y = load_iris(return_X_y=True, as_frame=True)
TREE = hb.TreeClassifier(max_depth=2)


@pytest.fixture(scope="module")
def search():
    return GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=2).fit(X, Y)


@pytest.fixture(scope="module")
def pipeline():
    return make_pipeline(StandardScaler().set_output(transform="pandas"), TREE).fit(X, Y)


@pytest.fixture(scope="module")
def plain():
    return hb.TreeClassifier(max_depth=2).fit(X, Y)


READERS = {
    "show": hb.show,
    "rules": lambda m: str(hb.rules(m)),
    "dnf": lambda m: str(hb.dnf(m, 0)),
    "boxes": hb.boxes,
    "draw": lambda m: hb.draw(m).svg,
    "key": lambda m: hb.key(m).question,
    "probabilities": hb.teaching.probabilities,
    "count_prunings": hb.teaching.count_prunings,
    "theory": lambda m: str(hb.teaching.theory.report(m)),
    "importance": lambda m: str(hb.importance(m)),
}
ROWS = {
    "explain": lambda m: str(hb.explain(m, X.iloc[[0]])),
    "counterfactuals": lambda m: str(hb.counterfactuals(m, X.iloc[[0]])),
    "draw with rows": lambda m: hb.draw(m, X, Y).svg,
    "show with rows": lambda m: hb.show(m, X=X),
    "report": lambda m: str(hb.report(m, X, Y)),
    "shap": lambda m: hb.shap_values(m, X.iloc[:3]).values.tolist(),
    "to_shap": lambda m: len(hb.to_shap(m)["trees"]),
    "ruleset": lambda m: str(hb.ruleset(m, X, Y)),
    "path": lambda m: str(hb.pruning_path(m)),
    "prune": lambda m: hb.prune(m, hb.parts.Penalised(strength=1.0)).tree_.text(),
    "simplify": lambda m: hb.teaching.simplify(m).tree_.text(),
    "prunings": lambda m: hb.teaching.smallest_prunings(m).nodes.tolist(),
    "edit": lambda m: hb.edit(m, X, Y).tree.text(),
    "candidates": lambda m: str(hb.candidates(m, X, Y)),
    "export": lambda m: hb.export(m, "python"),
    "importance of rows": lambda m: str(hb.importance(m, X, Y)),
}


@pytest.mark.parametrize("name", READERS | ROWS)
def test_a_search_is_its_best_estimator(search, plain, name):
    use = (READERS | ROWS)[name]
    assert use(search) == use(plain)


@pytest.mark.parametrize("name", READERS)
def test_what_reads_a_tree_takes_the_last_step_of_a_pipeline(pipeline, name):
    assert READERS[name](pipeline) == READERS[name](pipeline[-1])


@pytest.mark.parametrize("name", ROWS)
def test_what_takes_rows_refuses_a_pipeline_that_changes_columns(pipeline, name):
    with pytest.raises(
        ValueError, match=r"changes the columns .* model\[-1\], .* model\[:-1\].transform\(X\)"
    ):
        ROWS[name](pipeline)


@pytest.mark.parametrize("name", READERS | ROWS)
def test_a_pipeline_that_changes_nothing_is_its_last_step(plain, name):
    same = Pipeline([("before", "passthrough"), ("tree", TREE)]).fit(X, Y)
    assert (READERS | ROWS)[name](same) == (READERS | ROWS)[name](plain)


def test_a_pipeline_in_a_search_is_refused_by_its_place(pipeline):
    search = GridSearchCV(pipeline, {"treeclassifier__max_depth": [1, 2]}, cv=2).fit(X, Y)
    assert "petal" in hb.show(search)
    with pytest.raises(ValueError, match=r"model.best_estimator_\[-1\]"):
        hb.explain(search, X.iloc[[0]])


def test_a_search_is_saved_as_its_best_estimator_and_a_pipeline_is_not(search, pipeline, tmp_path):
    again = hb.load(hb.save(search, tmp_path / "best.tree.json"))
    assert (again.predict(X) == search.predict(X)).all()
    with pytest.raises(ValueError, match="changes the columns"):
        hb.save(pipeline, tmp_path / "no.tree.json")
    assert not (tmp_path / "no.tree.json").exists()


def test_a_pipeline_and_a_search_are_judged_as_they_are(search, pipeline):
    for model in (search, pipeline):
        found = hb.evaluate(model, X, Y)
        assert found["accuracy"].value == model.score(X, Y)
        assert found.leaves == 3
        assert hb.teaching.consistent(model, X, Y).errors == round(150 * (1 - model.score(X, Y)))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (GridSearchCV(TREE, {"max_depth": [1]}), "this GridSearchCV has no tree yet: call fit first"),
        (
            GridSearchCV(TREE, {"max_depth": [1]}, cv=2, refit=False).fit(X, Y),
            "refit=False and keeps no model",
        ),
        (
            make_pipeline(StandardScaler(), hb.TreeClassifier()),
            "this TreeClassifier has no tree yet: call fit first",
        ),
    ],
)
def test_a_model_without_a_tree_says_what_is_lacking(model, words):
    with pytest.raises(ValueError, match=words):
        hb.show(model)


def test_a_fitted_model_of_another_kind_is_not_told_to_be_fitted():
    with pytest.raises(TypeError, match="not a BaggingClassifier"):
        hb.show(BaggingClassifier(n_estimators=2).fit(X, Y))
    with pytest.raises(TypeError, match="not a StandardScaler"):
        hb.show(StandardScaler())
    with pytest.raises(TypeError, match="from_sklearn"):
        hb.show(make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, Y))
