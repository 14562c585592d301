"""Names nobody should give: columns, values and classes that are words, signs or twins somewhere."""

import numpy as np
import pytest
from tests.io.export.case import Case
from tests.io.export.runners import RUNNERS, expected

import hornbeam as hb
from hornbeam.data.columns import Column

LETTERS = ("u", "v", "w")
SETS = {
    "long": ["n" * 5000, "m" * 5000],
    "words of SQL": ["select", "from", "order", "group", "table", "rowid", "oid", "_rowid_"],
    "words of languages": ["class", "lambda", "None", "def", "int", "return", "main", "NAN"],
    "names of the query": ["hb_row", "HB_leaf", "hb1_x", "r", "l", "hb_node", "hb_share", "hb_total_0"],
    "control signs": ["\x01", "\x1b[31m", "\x7f", "\u202e", "\ufeff", "\x85"],
    "line ends": ["a\nb", "a\rb", "a\r\nb", "\u2028", "\x0b"],
    "members of objects": ["__proto__", "hasOwnProperty", "toString", "constructor", "prototype"],
    "quotes": ['"', "'", "`", "\\", "\\'", '\\"', "[x]", "]"],
    "placeholders": ["%s", "{0}", "$x", "${name}", "?", "?1", ":x", "@x"],
    "spaces": ["a ", "a", " a", "\u00a0"],
    "alike": ["\u00e9", "e\u0301", "\U0001f332", "\U0010ffff"],
    "names of the result": ["said", "said_p", "prediction", "row", "weight", "leaf", "total"],
    "scripts": ["</script>", "<!--", "*/", "//", "'; DROP TABLE x; --"],
}
VALUES = {
    "empty": ("", "\n", "\\"),
    "words for gaps": ("null", "NaN", "None"),
    "numbers as text": ("1", "1.0", "01"),
    "twins": ("Yes", "yes", "YES"),
    "scripts": ("</script>", "'; DROP TABLE x; --", "*/ int main() {"),
    "spaces": ("a", "a ", " a"),
    "variables": ("${x}", "$x", "\\$\\{x}"),
}


def case_of(names, values=LETTERS, classes=("p", "q")):
    """A tree that tests several of the columns, by an exclusive or of the first and the last."""
    rng = np.random.default_rng(0)
    X = {name: rng.choice(np.array(values, dtype=object), 60) for name in names}
    odd = (X[names[0]] == values[0]) ^ (X[names[-1]] == values[1])
    model = hb.TreeClassifier(max_depth=6, missing="all-paths").fit(
        X, np.array(classes, dtype=object)[odd.astype(int)]
    )
    cells = np.array([*values, None], dtype=object)
    return Case(model.tree_, [{name: rng.choice(cells) for name in names} for _ in range(30)])


def check(case, way, engine):
    said, shares = expected(case)
    answers, exported_shares = RUNNERS[way][engine](case)
    assert answers == said
    np.testing.assert_allclose(exported_shares, shares, rtol=1e-9, atol=1e-12)


WAYS = [(way, e) for way in ("python", "javascript", "c", "sql", "onnx") for e in RUNNERS[way]]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name", SETS)
def test_columns_may_have_any_name(name, way):
    check(case_of(SETS[name]), *way)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name", VALUES)
def test_values_and_classes_may_be_any_text(name, way):
    case = case_of(["a", "b"], VALUES[name], VALUES[name])
    if way[0] == "onnx" and name == "empty":
        pytest.importorskip("onnx")
        with pytest.raises(ValueError, match="'a' has the empty text as a value, which ONNX takes for a gap"):
            hb.export(case.tree, "onnx")
        return
    check(case, *way)


def tree_of(names, values=LETTERS):
    columns = [Column(name, "nominal", tuple(values)) for name in names]
    inner = "q"
    for name in names:
        inner = {"column": name, "equals": values[0], "yes": "p", "no": inner}
    return hb.Tree.from_nested(inner, columns)


def test_a_database_cannot_hold_names_that_differ_in_case_or_are_empty():
    with pytest.raises(ValueError, match="the columns 'Name' and 'name' are one to a database"):
        hb.export(tree_of(["Name", "name"]), "sql")
    with pytest.raises(ValueError, match="a column has an empty name, which SQL cannot write: rename it"):
        hb.export(tree_of(["", "x"]), "sql")
    for way in ("python", "c", "javascript", "json", "dot", "markdown"):
        hb.export(tree_of(["Name", "name", ""]), way)


def test_names_of_the_query_make_room_for_those_of_the_table():
    text = hb.export(tree_of(["hb_row", "HB1_x"]), "sql")
    assert "hb2_row" in text
    assert 'r."hb_row"' in text
    assert " hb_" not in text


def test_text_that_a_language_cannot_hold_is_refused_with_a_sentence():
    for way in ("c", "sql"):
        with pytest.raises(
            ValueError, match=r"holds a null character, which (C|SQL) cannot write: rename it"
        ):
            hb.export(tree_of(["x"], ("a\x00b", "c")), way)
    for way in ("python", "c", "javascript", "sql", "pmml"):
        with pytest.raises(ValueError, match="is not Unicode"):
            hb.export(tree_of(["x\ud800"]), way)
    with pytest.raises(ValueError, match="has two values that C writes as '1': rename one"):
        hb.export(tree_of(["x"], (1, "1")), "c")


@pytest.mark.parametrize("dialect", ["standard", "sqlite", "duckdb", "postgres", "spark"])
def test_a_query_gives_no_two_columns_of_one_name(dialect):
    X, y = {"prediction": [1, 2, 3, 4], "said_p": [0, 1, 0, 1]}, ["p", "p", "q", "q"]
    model = hb.TreeClassifier().fit(X, y)
    for options in ({}, {"name": "Prediction"}, {"name": "said"}, {"name": "ID", "keep": [], "key": "id"}):
        with pytest.raises(ValueError, match="the result would have two columns '"):
            hb.export(model, "sql", table="t", dialect=dialect, **options)
    for options in ({"name": "answer"}, {"keep": ["said_p"]}):
        assert hb.export(model, "sql", table="t", dialect=dialect, **options)
    cased = hb.TreeClassifier().fit({"x": [1, 2, 3]}, ["Yes", "yes", "no"])
    assert '"prediction_3"' in hb.export(cased, "sql", table="t").replace("`", '"')
