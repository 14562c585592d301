"""Criteria that are written in Python: the core's trees where they say the same, and what they cannot do."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import hornbeam as hb
from hornbeam._base.types import Task
from hornbeam.parts import Criterion


class Tsallis(Criterion):
    """Gini at q = 2, entropy in the limit q = 1."""

    name, unit = "tsallis", "nat"

    def __init__(self, q=2.0):
        self.q = q

    def impurity(self, stats):
        p = stats / stats.sum(axis=-1, keepdims=True)
        return (1 - (p**self.q).sum(axis=-1)) / (self.q - 1)


class Hellinger(Criterion):
    """sqrt(p (1 - p)): its decrease is how far the branches' shares of the two classes lie apart."""

    name = "hellinger"

    def impurity(self, stats):
        return np.sqrt(stats[..., 0] * stats[..., 1]) / stats.sum(axis=-1)


class Anova(Criterion):
    """The example of rpart's user-written splits."""

    name, task = "user-anova", Task.REAL

    def impurity(self, stats):
        return stats[..., 2] / stats[..., 0]


class Gamma(Criterion):
    """Half the deviance of gamma distributions up to what no split changes: it asks for the mean itself."""

    name, task = "gamma", Task.REAL

    def impurity(self, stats):
        return np.log(stats[..., 1])


def mixed(seed, n=300, gaps=0.1):
    rng = np.random.default_rng(seed)
    X = {
        "a": np.where(rng.random(n) < gaps, np.nan, rng.integers(0, 30, n)),
        "b": rng.normal(size=n),
        "c": [None if rng.random() < gaps else f"v{k}" for k in rng.integers(0, 4, n)],
    }
    y = (rng.random(n) + 0.3 * np.nan_to_num(X["a"]) / 30 + 0.2 * (X["b"] > 0) > 0.8).astype(int)
    return X, y


def test_a_formula_of_the_core_written_again_grows_the_same_tree():
    X, y = load_breast_cancer(return_X_y=True)
    own, core = (hb.TreeClassifier(one).fit(X, y).tree_ for one in (Tsallis(), "gini"))
    assert own.text() == core.text()
    assert own.gain == pytest.approx(core.gain, rel=1e-9)
    assert own.meta["criterion"] == "tsallis"


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "fractional"])
@pytest.mark.parametrize("split", ["binary", "multiway", "one-vs-rest"])
def test_so_it_does_with_gaps_and_categories(missing, split):
    X, y = mixed(hash_of(missing, split))
    limits = {"min_samples_leaf": 4, "max_depth": 6}
    own = hb.TreeClassifier(Tsallis(), missing=missing, split=split, **limits).fit(X, y).tree_
    core = hb.TreeClassifier("gini", missing=missing, split=split, **limits).fit(X, y).tree_
    assert own.text() == core.text()


def hash_of(*words):
    return sum(map(len, words))


def test_the_user_written_split_of_rpart_is_its_anova():
    X, y = load_diabetes(return_X_y=True)
    for options in ({"min_samples_leaf": 7, "min_samples_split": 20}, {"max_leaf_nodes": 8}):
        own, core = (hb.TreeRegressor(one, **options).fit(X, y).tree_ for one in (Anova(), "variance"))
        assert own.text() == core.text()
        assert own.impurity == pytest.approx(core.impurity, rel=1e-9, abs=1e-9)


def test_hellinger_is_the_root_criterion():
    X, y = load_breast_cancer(return_X_y=True)
    own, core = (hb.TreeClassifier(one, max_depth=4).fit(X, y).tree_ for one in (Hellinger(), "root"))
    assert own.text() == core.text()


def test_a_criterion_may_ask_for_the_mean_itself():
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    y = np.array([1.0, 1.2, 1.1, 100.0, 102.0, 104.0]) + 1000.0
    tree = hb.TreeRegressor(Gamma(), max_depth=1).fit(X, y).tree_
    assert tree.threshold[0] == 3.5
    lowered = np.log(y.mean()) - (np.log(y[:3].mean()) + np.log(y[3:].mean())) / 2
    assert tree.gain[0] == pytest.approx(lowered)


def test_pruning_candidates_and_pictures_work_by_it(tmp_path):
    X, y = mixed(3, gaps=0.0)
    model = hb.TreeClassifier(Tsallis(q=1.5), min_samples_leaf=5).fit(X, y)
    listed = hb.candidates(model, X, y)
    assert listed.criterion == "tsallis"
    assert listed.impurity == pytest.approx(float(model.tree_.impurity[0]))
    assert listed[0].score == pytest.approx(float(model.tree_.gain[0]))
    path = hb.pruning_path(model, X, y, cv=3, risk="impurity")
    assert path.risk[-1] == pytest.approx(float(model.tree_.impurity[0]))
    assert path.choose("1-se").tree_.n_leaves < model.tree_.n_leaves
    svg = hb.draw(model, X, y).svg
    assert " nat" in svg
    assert "tsallis decrease" in hb.show(model)
    hb.save(model.tree_, tmp_path / "tree.json")
    assert hb.load(tmp_path / "tree.json") == model.tree_
    with pytest.raises(ValueError, match="a part of your own"):
        hb.save(model, tmp_path / "model.json")


class Broken(Criterion):
    name = "broken"

    def impurity(self, stats):
        return np.full(stats.shape[:-1], np.nan)


class Flat(Criterion):
    name = "flat"

    def impurity(self, stats):
        return 0.0 * stats


class Nameless(Tsallis):
    name = ""


class Taken(Tsallis):
    name = "gini"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": Broken()}, "a number that is not finite"),
        ({"criterion": Flat()}, "it returned the shape"),
        ({"criterion": Nameless()}, "name = 'nameless'"),
        ({"criterion": Taken()}, "give its class a name of its own"),
        ({"criterion": Anova()}, "does not judge classes"),
        ({"split": "oblique"}, "written in Python"),
        ({"selection": "chi-square"}, "written in Python"),
        ({"search": "lookahead"}, "written in Python"),
        ({"missing": "surrogates"}, "grown node by node"),
        ({"monotonic_cst": {"b": 1}}, "grown node by node"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_refused_by_a_sentence(options, words):
    X, y = mixed(5, n=60)
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier(**{"criterion": Tsallis()} | options).fit(X, y)
