# A first tree: learn, measure, read, explain.
import hornbeam as hb
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = hb.TreeClassifier(pruning="cost-complexity", min_samples_leaf=5).fit(X_train, y_train)
print(f"accuracy {model.score(X_test, y_test):.3f}, {model.tree_.n_leaves} leaves")
print(hb.show(model))
print(hb.explain(model, X_test.iloc[0]))
