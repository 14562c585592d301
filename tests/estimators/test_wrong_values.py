"""Values that no function takes: one sentence says which parameter, what it was, what is allowed."""

import numpy as np
import pytest

import hornbeam as hb
from hornbeam import teaching
from hornbeam.engines import Files

X = {"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": list("uvuv") * 5}
Y = list("pqqp") * 5
REAL = np.arange(20.0)
HUGE = 10**30
PATH = "must be a path: text that is not empty, or a pathlib.Path"


@pytest.fixture(scope="module")
def model():
    return hb.TreeClassifier().fit(X, Y)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    hb.write_table({**X, "y": Y}, path)
    return path


OF_MODELS = {
    "load": (lambda m: hb.load(-1), f"path=-1 {PATH}"),
    "save": (lambda m: hb.save(m, None), f"path=None {PATH}"),
    "save, empty": (lambda m: hb.save(m, ""), f"path='' {PATH}"),
    "picture": (lambda m: hb.draw(m).save(3), f"path=3 {PATH}"),
    "title": (lambda m: hb.draw(m, title=1), "title=1 must be text, or None for none"),
    "at": (lambda m: hb.plot_regions(m, X, at=0), "at=0 must be a dict of names of columns"),
    "axes": (lambda m: hb.plot_tree(m, ax=3), "ax=3 must be axes of matplotlib"),
    "repeats": (
        lambda m: hb.importance(m, X, Y, n_repeats=HUGE),
        f"n_repeats={HUGE} must be a whole number from 1",
    ),
    "points": (lambda m: hb.scorecard(m, X, Y, points=np.inf), "points=inf must be a number"),
    "node": (lambda m: teaching.surrogates(m, 1.5), "node=1.5 must be a node of the tree"),
    "pruned tree": (lambda m: teaching.prune_at(m, 0.1), "tree must be a Tree, such as the tree_ of a model"),
    "draft": (lambda m: teaching.walk({}), "draft must be what hb.edit returns, not a dict"),
    "path": (lambda m: teaching.plot_bound(0.5, 2), "path must be what hb.pruning_path"),
    "models": (lambda m: teaching.plot_trees([1]), "a model is a Tree or a fitted estimator"),
    "weights, too many": (
        lambda m: teaching.learning_curves(m, X, Y, sample_weight=[1.0] * 50),
        "X has 20 rows and sample_weight has 50: give one for each row",
    ),
    "weights, one": (
        lambda m: teaching.learning_curves(m, X, Y, sample_weight=3.0),
        "X has 20 rows and sample_weight has 1",
    ),
    "sets": (
        lambda m: teaching.count_smallest_trees({"a": [0, 1]}, [0, 1], max_cost=np.inf),
        "max_cost=inf must be a whole number of at least 1",
    ),
    "rows": (
        lambda m: teaching.demonstrations.expected_training_error(HUGE),
        f"n_rows={HUGE} must be a whole number from 1",
    ),
    "columns": (
        lambda m: teaching.demonstrations.overfitting(10, HUGE),
        f"n_columns={HUGE} must be a whole number from 1",
    ),
    "hypotheses": (lambda m: teaching.theory.sample_size(1e308, 0.1, 0.1), "beyond what a float can be"),
}

OF_FITS = {
    "minsplit": (lambda: hb.rpart(minsplit=np.inf).fit(X, Y), "min_samples_split=inf must be a whole number"),
    "draws": (
        lambda: hb.ForestClassifier(2, max_samples=HUGE).fit(X, Y),
        f"max_samples={HUGE} must be None for as many draws as there are rows, a whole number from 1 to",
    ),
    "tasks": (
        lambda: hb.TreeOutputs(tasks=0).fit(X, np.column_stack([REAL, REAL])),
        "tasks=0 must be a dict of names of targets to 'classes' or 'numbers'",
    ),
}


@pytest.mark.parametrize("case", OF_MODELS)
def test_a_value_that_is_not_allowed_gets_a_sentence(case, model):
    call, sentence = OF_MODELS[case]
    with pytest.raises((ValueError, TypeError)) as refused:
        call(model)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("case", OF_FITS)
def test_a_parameter_that_is_not_allowed_gets_a_sentence(case):
    call, sentence = OF_FITS[case]
    with pytest.raises((ValueError, TypeError)) as refused:
        call()
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"cache": 1.5}, f"cache=1.5 {PATH}"),
        ({"cache": "no/such/folder"}, "is no folder: give one that exists"),
        ({"checkpoint": 0}, f"checkpoint=0 {PATH}"),
    ],
)
def test_a_folder_of_the_engine_of_files_must_be_one(given, sentence, file):
    with pytest.raises((ValueError, TypeError)) as refused:
        hb.TreeClassifier().fit(file, y="y", engine=Files(**given))
    assert sentence in str(refused.value)


def test_numbers_larger_than_any_table_are_limits_that_do_not_bind(model, file):
    whole = model.tree_.text()
    assert hb.TreeClassifier().fit(file, y="y", engine=Files(memory=HUGE)).tree_.text() == whole
    assert hb.optimal(max_depth=HUGE).fit(X, Y).score(X, Y) == 1
    assert hb.TreeClassifier(search=hb.parts.Lookahead(depth=HUGE)).fit(X, Y).score(X, Y) == 1
    for part in (
        {"selection": hb.parts.AverageGain(n_branches=HUGE)},
        {"split": hb.parts.ColumnSets(size=HUGE)},
    ):
        assert hb.TreeClassifier(**part).fit(X, Y).tree_.n_nodes >= 1
    leaf = hb.parts.Linear(max_terms=HUGE)
    assert hb.TreeRegressor(leaf=leaf, max_depth=1).fit(X, REAL).score(X, REAL) > 0
    assert len(teaching.smallest_prunings(model, max_nodes=HUGE).errors) == 3
    assert hb.read_table("demo:tennis", limit=HUGE).data.num_rows == 14


def test_more_memory_than_there_is_gets_a_sentence():
    model = hb.TreeClassifier(search=hb.parts.Optimal(memory=HUGE), max_depth=1)
    with pytest.raises(MemoryError, match="bytes cannot be had: let the search have less"):
        model.fit(X, Y)
