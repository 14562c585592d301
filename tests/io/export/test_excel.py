"""Formulas of Excel answer as the tree does, and say #N/A where a gap follows several branches."""

import io
import math
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from tests.io.export.cases import CASES
from tests.io.export.table import says

import hornbeam as hb
from hornbeam.io.export.literals import plain_value

TOKEN = re.compile(r'"(?:[^"]|"")*"|[A-Z]+\(|\$?[A-Z]+\$?\d+|<=|[0-9.]+(?:E[+-]?\d+)?|TRUE|FALSE|[=+*,()-]')


class Sheet:
    """A few functions of Excel, as its documentation describes them, over the cells of one row."""

    def __init__(self, cells):
        self.cells = cells

    def value(self, formula):
        self.tokens = TOKEN.findall(formula.removeprefix("="))
        assert "".join(self.tokens) == formula.removeprefix("=")
        self.place = 0
        value = self.comparison()
        assert self.place == len(self.tokens)
        return value

    def take(self):
        self.place += 1
        return self.tokens[self.place - 1]

    def next_is(self, *tokens):
        return self.place < len(self.tokens) and self.tokens[self.place] in tokens

    def comparison(self):
        left = self.total()
        if not self.next_is("<=", "="):
            return left
        sign, right = self.take(), self.total()
        if sign == "=":
            if left is None:
                return right == ""
            return type(left) is type(right) and (
                left.lower() == right.lower() if isinstance(left, str) else left == right
            )
        rank = {float: 0, str: 1, bool: 2}  # numbers come before texts, those before TRUE
        left = 0.0 if left is None else left
        return left <= right if type(left) is type(right) else rank[type(left)] < rank[type(right)]

    def total(self):
        value = self.product()
        while self.next_is("+"):
            self.take()
            value = value + self.product()
        return value

    def product(self):
        value = self.one()
        while self.next_is("*"):
            self.take()
            other = self.one()
            value = value * other if isinstance(value, float) and isinstance(other, float) else math.nan
        return value

    def one(self):
        token = self.take()
        if token == "-":
            return -self.one()
        if token.startswith('"'):
            return token[1:-1].replace('""', '"')
        if token in ("TRUE", "FALSE"):
            return token == "TRUE"
        if token.endswith("("):
            return self.call(token[:-1])
        return self.cells[token.replace("$", "")] if token[0] in "$ABCDEFGHIJ" else float(token)

    def call(self, name):
        arguments = []
        while not self.next_is(")"):
            arguments.append(self.comparison())
            if self.next_is(","):
                self.take()
        self.take()
        functions = {
            "IF": lambda test, yes, no: yes if test else no,
            "AND": lambda *tests: all(tests),
            "OR": lambda *tests: any(tests),
            "NOT": lambda test: not test,
            "ISNUMBER": lambda value: isinstance(value, float),
            "EXACT": lambda one, other: ("" if one is None else one) == other,
            "NA": lambda: "#N/A",
        }
        return functions[name](*arguments)


def cell(value):
    """A value of a row as a cell holds it."""
    value = plain_value(value.item() if isinstance(value, np.generic) else value)
    if value is None or value != value or str(value) in ("None", "NaT", "nan", "<NA>"):
        return None
    return value if isinstance(value, (bool, str)) else float(value)


def in_cells(tree, row):
    return {f"{chr(65 + k)}2": cell(row[column.name]) for k, column in enumerate(tree.columns)}


QUICK = (
    "threshold",
    "subset",
    "equals, gaps learned",
    "multiway",
    "intervals",
    "hyperplane",
    "missing: learn",
    "density",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
def test_formulas_answer_as_the_tree_does(name):
    case = CASES[name]()
    case = case._replace(rows=case.rows[:80])
    tree = case.tree
    if not says(tree, "excel"):
        with pytest.raises(
            ValueError, match=r"formula of Excel|Excel counts|characters and|Excel keeps|longer than"
        ):
            hb.export(tree, "excel")
        return
    formula = hb.export(tree, "excel")
    weightless = bool((tree.weight == 0).any())
    said = [plain_value(v) for v in tree.predict(case.frame).tolist()]
    reached = np.diff(tree.route(case.frame).start)
    unknown = 0
    for row, wanted, leaves in zip(case.rows, said, reached, strict=True):
        value = Sheet(in_cells(tree, row)).value(formula)
        if value == "#N/A":
            assert leaves > 1 or len(tree.surrogate_column) or weightless
            unknown += 1
        elif isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            assert value == pytest.approx(wanted, rel=1e-14)
        else:
            assert value == wanted
    assert unknown < len(case.rows)


def test_cells_rows_and_probabilities_are_chosen():
    tree = hb.Tree.from_nested(
        {
            "column": "age",
            "<=": 30,
            "yes": {"counts": {"no": 3, "yes": 1}},
            "no": {"counts": {"no": 0, "yes": 2}},
            "missing_to": "no",
        }
    )
    assert hb.export(tree, "excel", row=7, probability="yes") == "=IF(AND(ISNUMBER(A7),A7<=30),0.25,1)"
    assert hb.export(tree, "excel", cells={"age": "$C4"}) == '=IF(AND(ISNUMBER($C4),$C4<=30),"no","yes")'
    with pytest.raises(ValueError, match="probability='maybe' is none of the classes 'no', 'yes'"):
        hb.export(tree, "excel", probability="maybe")


def test_what_excel_cannot_hold_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 3)), rng.integers(0, 2, 3000)
    with pytest.raises(ValueError, match="but Excel takes 8,192"):
        hb.export(hb.TreeClassifier().fit(X, y), "excel")
    near = hb.TreeClassifier().fit([[1 + 2**-52], [1 + 2**-51]], [0, 1])
    with pytest.raises(ValueError, match="after the 15 digits Excel keeps"):
        hb.export(near, "excel")


# ---- scorecards --------------------------------------------------------------------------------------------


def applicants(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.gamma(3, 10, n).round(1),
            "debts": rng.poisson(2, n).astype(float),
            "home": rng.choice(["own", "rent", "other's"], n),
            "grade": pd.Categorical(
                rng.choice(["low", "middle", "high"], n), ["low", "middle", "high"], ordered=True
            ),
        }
    )
    X.loc[rng.random(n) < 0.05, "income"] = np.nan
    logit = (
        0.05 * (X.income.fillna(20) - 25) - 0.4 * (X.debts - 2) + (X.home == "own") + X.grade.cat.codes / 2
    )
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "good", "bad")


@pytest.mark.parametrize("rows", [True, False], ids=["columns", "leaves"])
def test_a_scorecard_scores_the_same_in_databases(rows):
    import sqlite3

    import duckdb

    X, y = applicants()
    model = hb.TreeClassifier(max_leaf_nodes=9, min_samples_leaf=40, missing="branch").fit(X, y)
    card = hb.scorecard(model, X, y, good="good") if rows else hb.scorecard(model, good="good")
    new = applicants(seed=1)[0].astype({"grade": object})
    new.loc[:9, "home"] = None
    new["id"] = range(len(new))
    wanted = dict(zip(new["id"], card.score(new).tolist(), strict=True))
    assert len(set(wanted.values())) > 5
    for dialect in ("standard", "duckdb"):
        text = hb.export(card, "sql", table="new", keep=["id"], dialect=dialect)
        answer = duckdb.sql(text).df()
        assert dict(zip(answer["id"], answer["points"].astype(int), strict=True)) == wanted
    base = sqlite3.connect(":memory:")
    new.to_sql("new", base, index=False)
    answer = pd.read_sql(hb.export(card, "sql", table="new", keep=["id"], dialect="sqlite"), base)
    assert dict(zip(answer["id"], answer["points"].astype(int), strict=True)) == wanted


def test_the_workbook_of_a_scorecard_has_the_card_and_computes_scores():
    openpyxl = pytest.importorskip("openpyxl")
    X, y = applicants()
    model = hb.TreeClassifier(max_leaf_nodes=9, min_samples_leaf=40).fit(X, y)
    card = hb.scorecard(model, X, y, good="good")
    book = openpyxl.load_workbook(io.BytesIO(hb.export(card, "xlsx")))
    page, sheet = book["card"], book["score"]
    assert page.max_row == len(card.bins) + 1
    assert page["B2"].value == card.bins[0].text
    names = [sheet.cell(k, 1).value for k in range(2, sheet.max_row)]
    for row in applicants(30, seed=2)[0].to_dict("records"):
        cells = {f"B{k}": cell(row[name]) for k, name in enumerate(names, start=2)}
        points = [Sheet(cells).value(sheet.cell(k, 3).value) for k in range(2, sheet.max_row)]
        assert sum(points) == card.score(pd.DataFrame([row]).astype({"grade": X.grade.dtype}))[0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_computes_the_same_answers(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    X, y = applicants(300)
    model = hb.TreeClassifier(max_leaf_nodes=12, min_samples_leaf=5).fit(X, y)
    book = openpyxl.Workbook()
    page = book.active
    page.append([*X.columns, "answer"])
    for k, row in enumerate(X.itertuples(index=False), start=2):
        page.append([*(None if v != v else v for v in row), hb.export(model, "excel", row=k)])
    book.save(tmp_path / "rows.xlsx")
    convert = [
        "soffice",
        "--headless",
        f"-env:UserInstallation=file://{tmp_path}/profile",
        "--convert-to",
        "csv",
    ]
    subprocess.run([*convert, "--outdir", tmp_path, tmp_path / "rows.xlsx"], check=True, timeout=120)
    said = pd.read_csv(tmp_path / "rows.csv", keep_default_na=False)["answer"].to_numpy()
    known = said != "#N/A"
    assert known.mean() > 0.9
    assert (said[known] == model.predict(X)[known]).all()
    assert (np.diff(model.tree_.route(X).start)[~known] > 1).all()
