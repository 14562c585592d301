"""Lines in the leaves: a model tree for house prices that rise with the area and fall with the age."""

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

import hornbeam as hb
from hornbeam.parts import Linear
from hornbeam.parts import CostComplexity

rng = np.random.default_rng(0)
n = 600
houses = pd.DataFrame(
    {
        "area": rng.uniform(30, 250, n).round(),
        "age": rng.uniform(0, 90, n).round(),
        "city": rng.choice(["Aš", "Brno", "Cheb"], n),
    }
)
slope = houses["city"].map({"Aš": 20, "Brno": 60, "Cheb": 25})
price = slope * houses["area"] - 8 * houses["age"] + rng.normal(0, 300, n)

model = hb.TreeRegressor(
    leaf=Linear(ridge=1.0),
    pruning=CostComplexity(alpha=0.001),
    min_samples_leaf=20,
    monotonic_cst={"area": +1, "age": -1},
)
search = GridSearchCV(model, {"leaf__ridge": [0.1, 1, 10], "max_depth": [3, 6, None]}).fit(houses, price)
print(hb.show(search.best_estimator_))  # each leaf with its equation
print(f"R2 {search.best_score_:.3f}")
