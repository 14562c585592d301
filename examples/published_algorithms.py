"""Published algorithms on messy data: strings, categories and gaps, without preparation."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score

import hornbeam as hb


def make_loans(path, n=600, seed=7):
    """Write a table of made loans, with a gap in every seventh cell or so."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 0.5, n).round(-2)
    purpose = rng.choice(["car", "home", "study", "other"], n, p=[0.4, 0.3, 0.1, 0.2])
    rating = rng.choice(["A", "B", "C", "D"], n)
    years = rng.integers(0, 30, n).astype(float)
    risk = 2 * (rating == "D") - 2 * (rating == "A") + 2 * (purpose == "study") + 1 - income / 20_000
    late = rng.random(n) < 1 / (1 + np.exp(-2 * risk))
    loans = pd.DataFrame({"income": income, "purpose": purpose, "rating": rating, "years": years})
    loans = loans.mask(rng.random(loans.shape) < 0.15)
    loans.assign(default=np.where(late, "yes", "no")).to_csv(path, index=False)


if not Path("loans.csv").exists():
    make_loans("loans.csv")
loans = pd.read_csv("loans.csv")
X, y = loans.drop(columns="default"), loans["default"]
for name in ["id3", "cart", "c45", "chaid"]:
    print(name, cross_val_score(hb.recipe(name), X, y, cv=5, scoring="roc_auc").mean())
best = hb.c45(confidence=0.1).fit(X, y)
hb.save(best, "loans.tree.json")
print(hb.export(best, "sql", table="loans"))
