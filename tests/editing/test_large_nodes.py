"""Candidates of large nodes are the same whether the core searches each column or all cuts are scored."""

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.growing.candidates import column_search


def table(seed, n=3000):
    rng = np.random.default_rng(seed)
    fine, coarse = rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    gappy = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1))
    y = (
        rng.choice(["a", "b", "c"], n)
        if seed % 2
        else np.where(fine + coarse + rng.normal(size=n) > 2, "a", "b")
    )
    return {"fine": fine, "coarse": coarse, "gappy": gappy, "one": np.ones(n)}, y


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain-ratio"])
@pytest.mark.parametrize("missing", ["learn", "branch", "fractional"])
def test_both_searches_agree(monkeypatch, seed, criterion, missing):
    X, y = table(seed)
    model = hb.TreeClassifier(
        criterion, missing=missing, max_depth=2, min_samples_leaf=1 + 10 * (seed % 3)
    ).fit(X, y)
    scored = hb.candidates(model, X, y)
    assert scored.best.chosen
    monkeypatch.setattr(column_search, "_is_exact", lambda node_rows: False)
    searched = hb.candidates(model, X, y)
    for a, b in zip(scored, searched, strict=True):
        assert (a.column, a.test, a.rank, a.reason, a.boundary) == (
            b.column,
            b.test,
            b.rank,
            b.reason,
            b.boundary,
        )
        assert a.stats == b.stats
        assert a.score == pytest.approx(b.score, rel=1e-12) if a.score is not None else b.score is None


@pytest.mark.parametrize("seed", range(3))
def test_kept_ranks_change_nothing_below(seed):
    X, y = table(seed)
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    draft = hb.edit(model, X, y)
    growth = draft.context.search_growth
    for column in range(4):
        growth.ranked(column)
    from hornbeam.editing.candidates import candidates_of
    from hornbeam.growing.candidates.node_rows import rows_of_growth

    for node in range(len(model.tree_)):
        kept = candidates_of(rows_of_growth(growth, model.tree_, node))
        assert kept.to_dict() == hb.candidates(model, X, y, node).to_dict()
