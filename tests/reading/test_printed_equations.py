"""What is printed of a short equation is what answers: every text of it, applied by its words."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.support.printed_conditions import ConditionReader, split_outside
from tests.support.printed_equations import printed_answer
from tests.support.printed_texts import printed_markdown, printed_rules

import hornbeam as hb
from hornbeam.parts import Linear, Polynomial

CITIES = ["Brno", "Aš, CZ", "a + b", "x]", "{c}", 'the "x"', "5"]


def odd_table(seed, n=300):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "year": rng.integers(1950, 2020, n) * 1.0,
            "city": rng.choice(np.array(CITIES, dtype=object), n),
            "x - y": rng.normal(size=n) * 1e-6,
            "2*z": rng.normal(1e7, 1e6, n),
            "r^2": rng.uniform(size=n),
            "petal width (cm)": rng.normal(size=n).round(2),
            "(b)": rng.normal(size=n),
        }
    )
    effect = table.city.map(dict(zip(CITIES, rng.normal(0, 3, len(CITIES)), strict=True)))
    y = (
        0.2 * (table.year - 1980)
        + 1e6 * table["x - y"]
        - 3e-6 * table["2*z"]
        + 4 * table["r^2"] ** 2
        + effect
    )
    bend = np.where(table["petal width (cm)"] > 0.3, table["(b)"], -table["(b)"])
    return table, (y + effect + 2 * bend + rng.normal(0, 0.3, n)) * 10.0 ** (seed - 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [Linear, Polynomial])
def test_every_text_of_an_equation_answers_as_the_model_does(seed, kind):
    table, y = odd_table(seed)
    leaf = kind(drop="quinlan", nominal="synthetic", max_terms=5, rounded=True)
    model = hb.TreeRegressor(leaf=leaf, min_samples_leaf=40).fit(table, y)
    reader = ConditionReader({name: CITIES if name == "city" else "number" for name in table})
    rows, leaves, answers = table.to_dict("records"), model.apply(table).tolist(), model.predict(table)
    by_show = {
        int(line.rpartition("#")[2]): "  ".join(split_outside(line.partition("→ ")[2], "  ")[:2])
        for line in hb.show(model, node_ids=True).splitlines()
        if "→ " in line
    }
    page = hb.report(model, table, y).to_html()
    document = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
    equations = {k: node["equation"] for k, node in enumerate(document["nodes"]) if "equation" in node}
    texts = {
        "show": by_show,
        "rules": {there: then for _, there, then in printed_rules(model).rules},
        "markdown": {there: then for _, there, then in printed_markdown(model).rules},
        "page": {k: equation["text"] for k, equation in equations.items()},
    }
    assert model.tree_.n_leaves > 2
    for name, printed in texts.items():
        read = [printed_answer(printed[leaf], reader, row) for leaf, row in zip(leaves, rows, strict=True)]
        assert read == pytest.approx(answers.tolist(), rel=1e-12, abs=1e-12 * np.abs(y).max()), name
    for row, leaf in list(zip(rows, leaves, strict=True))[:20]:
        (reached,) = hb.explain(model, row, changes=0).reached
        assert reached.equation == texts["show"][leaf]


def test_numbers_of_an_equation_that_was_not_rounded_stay_short():
    table, y = odd_table(1)
    text = hb.show(hb.TreeRegressor(leaf=Linear(columns=["r^2"]), max_depth=0).fit(table, y))
    assert re.match(r'→ -?[\d.]{1,7} [-+] [\d.]{1,7}\*"r\^2"  within', text)
