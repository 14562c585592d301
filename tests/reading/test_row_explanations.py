"""hb.explain of rows in any form, with values that are missing or unseen."""

import numpy as np
import pytest
from tests.reading.test_readers import Fitted, tennis

from hornbeam.reading.explain import explain
from hornbeam.reading.rules import rules
from hornbeam.tree.tree import Tree

# --- explain ------------------------------------------------------------------------------------------------

ROW = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}


def test_p31_the_path_of_a_row_and_the_columns_not_used():
    found = explain(tennis(), ROW)
    assert found.answer == "No"
    assert [str(step).replace(" ", "") for step in found.path] == ["Outlook=Sunny", "Humidity=High"]
    assert found.unused == ("Temperature", "Wind")
    assert found.probabilities == {"No": 1.0, "Yes": 0.0}
    assert (
        str(found)
        == """\
No  100 %  (3 of 3 training records at leaf #6; 95 % 44–100)
  because  Outlook = Sunny  and  Humidity = High
  closest change: Outlook = Overcast → Yes 100 %  ·  Humidity = Normal → Yes 100 %
  contributions: 36 % without knowing the row, Humidity +27 %, Outlook +26 %, Wind +11 %
  not asked: Temperature, Wind"""
    )


def test_a_row_may_come_in_any_form():
    pd = pytest.importorskip("pandas")
    expected = str(explain(tennis(), ROW))
    forms = [pd.Series(ROW), pd.DataFrame([ROW]), [ROW], {k: [v] for k, v in ROW.items()}, list(ROW.values()),
             np.array(list(ROW.values()), dtype=object)]  # fmt: skip
    for form in forms:
        assert str(explain(Fitted(tennis()), form)) == expected


def test_an_unseen_value_is_told_from_a_missing_one():
    unseen = explain(tennis(), ROW | {"Outlook": "Fog", "Wind": "Weak"})
    assert (
        str(unseen)
        == """\
Yes  70 %  No 30 %
  because  Outlook is 'Fog', which training never saw: all 3 branches were followed
  3 leaves were reached; their answers by weight:
    0.400  Yes from 4 rows: Outlook = Overcast
    0.300  Yes from 3 rows: Outlook = Rain and Wind = Weak
    0.300  No from 3 rows: Outlook = Sunny and Humidity = High
  closest change: Outlook = Sunny → No 100 %  ·  Wind = Strong → No 56 %
  contributions: 64 % without knowing the row, Humidity -13 %, Wind +13 %, Outlook +6 %
  not asked: Temperature"""
    )
    missing = explain(tennis(), ROW | {"Outlook": None})
    assert missing.path[0].remark == "Outlook is missing: all 3 branches were followed"


@pytest.mark.parametrize("form", ["dict", "series", "frame", "array", "records"])
def test_unseen_values_are_found_in_every_form(form):
    pd = pytest.importorskip("pandas")
    row = ROW | {"Outlook": "Fog"}
    made = {"dict": row, "series": pd.Series(row), "frame": pd.DataFrame([row]), "records": [row],
            "array": np.array(list(row.values()), dtype=object)}[form]  # fmt: skip
    assert "'Fog', which training never saw" in str(explain(tennis(), made))


def test_explain_says_what_a_learned_branch_did_with_a_gap():
    learned = Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing_to": "no"})
    assert str(explain(learned, {"x": None}).path[0]) == "x > 1 (x is missing; such values go this way)"
    own = Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing": "r"})
    assert str(explain(own, {"x": None}).path[0]) == "x is missing, which has a branch of its own"


def test_explain_shows_the_value_behind_a_cut_and_a_set():
    colour = {"column": "c", "branches": {("u", "v"): {"value": 2, "n": 3}, "w": {"value": 3, "n": 1}}}
    nested = {"column": "x", "<=": 1, "yes": colour, "no": {"value": 1, "n": 1}}
    found = explain(Tree.from_nested(nested), {"x": 0.25, "c": "v"})
    assert found.answer == 2
    assert found.probabilities is None
    assert [str(step) for step in found.path] == ["x <= 1 (it is 0.25)", "c in {u, v} (it is v)"]
    assert str(found).splitlines()[0] == "2  (3 training records at leaf #3; ± 0)"


def test_percentages_round_only_to_what_is_true():
    tree = Tree.from_nested({"counts": {"p": 9999, "q": 1}})
    assert str(rules(tree)[0]) == "ALWAYS p (10,000 rows, >99 %)"
