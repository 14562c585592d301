"""What is printed is what decides: printed rules, applied by their numbers, answer as the model does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hornbeam as hb
from hornbeam.parts import Binary, Multiway

NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf)"
CONDITION = re.compile(
    rf"(?:(?P<low>{NUMBER}) < )?(?P<column>x\d)(?: <= (?P<high>{NUMBER})| > (?P<above>{NUMBER}))?"
)


def answer_by_text(rules: list[str], row: dict[str, float]) -> str:
    """The class of the one printed rule whose conditions a row meets."""
    answers = []
    for rule in rules:
        conditions, _, rest = rule.removeprefix("IF ").partition(" THEN ")
        met = True
        for text in [] if rule.startswith("THEN") else conditions.split(" AND "):
            parts = CONDITION.fullmatch(text)
            assert parts is not None, text
            value = row[parts["column"]]
            met &= parts["low"] is None or value > float(parts["low"])
            met &= parts["above"] is None or value > float(parts["above"])
            met &= parts["high"] is None or value <= float(parts["high"])
        if met:
            answers.append((rest or rule.removeprefix("THEN ")).split()[0])
    assert len(answers) == 1, (rules, row)
    return answers[0]


def rows_at_cuts(tree: hb.Tree, n_columns: int, rng: np.random.Generator) -> np.ndarray:
    """Rows whose values lie on the cuts of the tree, and right beside them."""
    cuts = [tree.threshold[(tree.column == j) & np.isfinite(tree.threshold)] for j in range(n_columns)]
    values = [
        np.concatenate([c, np.nextafter(c, np.inf), np.nextafter(c, -np.inf), [0.0, 1e9, -1e9]]) for c in cuts
    ]
    return np.stack([rng.choice(v, 60) for v in values], axis=1)


@pytest.mark.parametrize("place", ["round", "midpoint", "lower", "value"])
@given(seed=st.integers(0, 2**32 - 1), digits=st.integers(0, 9), scale=st.sampled_from([1e-6, 1.0, 1e5]))
@settings(max_examples=15)
def test_printed_rules_answer_as_the_model_does(place, seed, digits, scale):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(60, 3)).round(digits) * scale).astype(np.float64)
    y = np.array(["a", "b", "c"])[
        np.digitize(X[:, 0] + X[:, 1] * rng.normal(size=60), [-scale / 2, scale / 2])
    ]
    split = (Binary if seed % 2 else Multiway)(threshold_at=place)
    model = hb.TreeClassifier(split=split, max_depth=4).fit(X, y)
    printed = [str(rule) for rule in hb.rules(model)]
    rows = np.vstack([rows_at_cuts(model.tree_, 3, rng), X])
    expected = [answer_by_text(printed, {f"x{j}": row[j] for j in range(3)}) for row in rows.tolist()]
    assert model.predict(rows).tolist() == expected
