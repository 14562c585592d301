"""What the score of a split is called, in text, pictures and pages alike."""

import pytest
from sklearn.datasets import load_iris

import hornbeam as hb

X, Y = load_iris(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(
    ("make", "text", "card"),
    [
        (lambda: hb.TreeClassifier("entropy", max_depth=1), "gain 0.9183", "gain 0.918 bit"),
        (lambda: hb.TreeClassifier("gini", max_depth=1), "gain 0.3333", "Gini −0.333"),
        (lambda: hb.TreeClassifier("gain-ratio", max_depth=1), "gain ratio 1", "gain ratio 1"),
        (lambda: hb.ctree(max_depth=1), "p 1.393e-30", "p 1.393e-30"),
        (lambda: hb.chaid(max_depth=1), "p 2.725e-49", "p 2.725e-49"),
        (lambda: hb.TreeRegressor("poisson", max_depth=1), "gain ", "deviance −"),
        (lambda: hb.TreeRegressor(max_depth=1), "gain ", "R² +0."),
    ],
)
def test_a_score_has_the_name_of_what_chose_the_split(make, text, card, tmp_path):
    model = make().fit(X, Y)
    assert f"?  {text}" in hb.show(model)
    assert card in hb.draw(model).svg
    report = hb.report(model, X, Y)
    assert card in str(report.to_dict())
    name = (
        "p-value of the split" if text.startswith("p ") else f"{text.rpartition(' ')[0].strip()} of the split"
    )
    assert name in str(report.to_dict())
    again = hb.load(hb.save(model, tmp_path / "m.tree.json"))
    assert hb.show(again) == hb.show(model)


def test_p_values_do_not_outlive_their_rows():
    tree = hb.ctree(max_depth=1).fit(X, Y).tree_
    assert "?  gain 0." in hb.show(tree.refit(X[::2], Y[::2]))
