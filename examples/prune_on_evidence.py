# Prune on evidence: one tree, its whole path, and the pruning that cross-validation likes best.
import hornbeam as hb
from hornbeam.parts import CostComplexity, ErrorBased, ReducedError
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
full = hb.TreeClassifier(min_samples_leaf=5).fit(X, y)
path = hb.pruning_path(full, X, y, cv=10)  # strength, leaves, cross-validated risk, standard error
small = path.choose("1-se")  # a fitted model; nothing is grown again
print(path)
print(f"{full.tree_.n_leaves} leaves, {small.tree_.n_leaves} by the 1-SE rule")
print(hb.show(small))
search = GridSearchCV(
    hb.TreeClassifier(),
    [
        {"pruning": [CostComplexity()], "pruning__alpha": [0, 0.001, 0.01]},
        {"pruning": [ErrorBased()], "pruning__confidence": [0.05, 0.25]},
        {"pruning": [None, ReducedError(holdout=0.3)]},
    ],
).fit(X, y)
print(f"{search.best_params_['pruning']}: accuracy {search.best_score_:.3f}")
