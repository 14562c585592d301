"""The twin reproduces the worked cases of the lectures, by their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.oracles.candidates import midpoint
from tests.oracles.text import text
from tests.oracles.twin import Node, grow, scores

ROBOTS = """head body smile neck holds class
triangle circle yes tie nothing ally
triangle triangle no nothing ball ally
circle triangle yes nothing flower ally
circle circle yes tie nothing ally
triangle square no tie ball enemy
circle square no tie sword enemy
square square yes bow nothing enemy
circle circle no bow sword enemy"""
TENNIS = """Outlook Temperature Humidity Wind Play
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No"""
GLADIATOR = """Gender Major Like
Male Math Yes
Female History No
Male CS Yes
Female Math No
Female Math No
Male CS Yes
Male History No
Female Math Yes"""
TAX = """Refund MarSt TaxInc Cheat
yes Married 50 no
no Married 90 no
no Single 60 no
no Divorced 100 yes
yes Married 110 no"""
TEMPERATURE = """Temperature Go
-20 No
-9 No
-2 Yes
5 Yes
16 Yes
26 Yes
32 No
35 No"""
XOR2 = "X1 X2 y\n0 0 0\n0 1 1\n1 0 1\n1 1 0"
XOR5 = "X1 X2 X3 X4 X5 y\n0 0 1 1 0 0\n0 1 1 0 0 1\n1 0 1 0 1 1\n1 1 0 1 0 0"
XCOUNT = "X1 X2 Y\nT T T\nT F T\nF T F\nF F T"


class Case:
    """A table written as text: the last column is the class, the others nominal unless said otherwise."""

    def __init__(
        self, source: str, split: str = "multiway", numeric: Sequence[str] = (), **given: Any
    ) -> None:
        names, *rows = [line.split() for line in source.splitlines()]
        self.names, self.domains, columns = names[:-1], [], []
        for name, cells in zip(names[:-1], zip(*rows, strict=True), strict=False):
            domain = [] if name in numeric else given.get("domains", {}).get(name) or sorted(set(cells))
            self.domains.append(domain)
            values = np.array([domain.index(c) if domain else float(c) for c in cells])
            kind = "nominal" if domain else "numeric"
            columns.append(
                {
                    "kind": kind,
                    "split": split if domain else "threshold",
                    "values": values,
                    "n_values": len(domain),
                }
            )
        answers = [row[-1] for row in rows]
        self.classes = sorted(set(answers))
        codes = np.array([self.classes.index(a) for a in answers])
        target = {"kind": "classes", "codes": codes, "n_classes": len(self.classes)}
        self.table: dict[str, Any] = {"columns": columns, "target": target, "counts": given.get("counts")}

    def root(self, **plan: Any) -> Node:
        return grow({**self.table, "plan": plan})

    def text(self, **plan: Any) -> str:
        return text(self.root(**plan), self.names, self.domains, self.classes)

    def scores(self, **plan: Any) -> list[Any]:
        return scores({**self.table, "plan": plan})


TENNIS_TREE = (
    "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)] "
    "| Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
)


def test_p20_every_midpoint_of_temperature_has_its_gain() -> None:
    found = {s[2]: s[-1] for s in Case(TEMPERATURE, numeric=["Temperature"]).scores(criterion="entropy")}
    wanted = {
        -14.5: 0.137925,
        -5.5: 0.311278,
        1.5: 0.048795,
        10.5: 0,
        21: 0.048795,
        29: 0.311278,
        33.5: 0.137925,
    }
    assert found == pytest.approx(wanted, abs=1e-6)


def test_p22_one_value_against_the_rest_on_robots() -> None:
    found = {s[:3]: s[-1] for s in Case(ROBOTS, "equals").scores(criterion="entropy")}
    body = [found[1, "equals", float(v)] for v in range(3)]
    assert body == pytest.approx([0.048795, 0.548795, 0.311278], abs=1e-6)  # circle, square, triangle


def test_p23_value_sets_of_outlook() -> None:
    found = {s[3][0]: s[-1] for s in Case(TENNIS, "subset").scores(criterion="entropy") if s[0] == 0}
    assert found == pytest.approx({(0.0,): 0.226, (0.0, 1.0): 0.102244, (0.0, 2.0): 0.003185}, abs=1e-6)


def test_p27_robots() -> None:
    case = Case(ROBOTS)
    tree = "body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]"
    root = case.root(criterion="entropy")
    assert case.text(criterion="entropy") == tree
    assert (root.depth, root.n_leaves, root.n_nodes) == (2, 4, 6)


def test_p28_an_absent_value_is_an_empty_leaf_with_the_parents_label() -> None:
    case = Case("neck class\ntie ally\ntie ally\nbow enemy", domains={"neck": ["bow", "nothing", "tie"]})
    assert case.text(criterion="entropy") == "neck[bow: enemy(0:1) | nothing: ally(0:0) | tie: ally(2:0)]"
    assert case.root(criterion="entropy").n_leaves == 3


def test_p29_conflicting_rows_end_in_majority_leaves() -> None:
    assert Case("a c\nu p\nu p\nu q\nv q\nv q\nv p").text(criterion="entropy") == "a[u: p(2:1) | v: q(1:2)]"


def test_p30_and_p101_tennis_in_any_row_order() -> None:
    head, *rows = TENNIS.splitlines()
    assert Case(TENNIS).text(criterion="entropy") == TENNIS_TREE
    assert Case("\n".join([head, *reversed(rows)])).text(criterion="entropy") == TENNIS_TREE


def test_p32_gladiator() -> None:
    tree = "Major[CS: Yes(0:2) | History: No(2:0) | Math: Gender[Female: No(2:1) | Male: Yes(0:1)]]"
    assert Case(GLADIATOR).text(criterion="entropy", min_gain=0.0) == tree


def test_p33_xor_with_and_without_a_gain_rule() -> None:
    tree = "X1[0: X2[0: 0(1:0) | 1: 1(0:1)] | 1: X2[0: 1(0:1) | 1: 0(1:0)]]"
    assert Case(XOR2).text(criterion="entropy") == tree
    assert Case(XOR2).text(criterion="entropy", min_gain=0.0) == "0(2:2)"


def test_p34_xor_with_x4() -> None:
    assert Case(XOR5).text(criterion="entropy") == "X4[0: 1(0:2) | 1: 0(2:0)]"


def test_p36_temperature_by_depth_and_by_rows() -> None:
    case = Case(TEMPERATURE, numeric=["Temperature"])
    one = "Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]"
    two = "Temperature[<=-5.5: No(2:0) | >-5.5: Temperature[<=29: Yes(0:4) | >29: No(2:0)]]"
    assert [case.text(max_depth=1), case.text(max_depth=2), case.text(min_samples_split=7)] == [one, two, one]


def test_p37_tax() -> None:
    case = Case(TAX, numeric=["TaxInc"])
    assert case.text(criterion="entropy") == "MarSt[Divorced: yes(0:1) | Married: no(3:0) | Single: no(1:0)]"
    found = {s[0]: s[-1] for s in case.scores(criterion="entropy") if s[0] < 2 or s[2] == 95.0}
    assert found == pytest.approx({0: 0.170951, 1: 0.721928, 2: 0.321928}, abs=1e-6)


def test_p39_best_first_by_number_of_leaves() -> None:
    three = "Outlook[Overcast: Yes(0:4) | Rain: Yes(2:3) | Sunny: No(3:2)]"
    four = "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)] | Sunny: No(3:2)]"
    found = [Case(TENNIS).text(criterion="entropy", max_leaf_nodes=n) for n in (3, 4, 5)]
    assert found == [three, four, TENNIS_TREE]


def test_p98_and_p99_one_class_and_trivial_columns() -> None:
    assert Case("a c\nu p\nv p\nu p\nv p").text() == "p(4)"
    assert Case("a c\nk p\nk p\nk q").text(criterion="entropy") == "p(2:1)"


def test_p100_counts_are_repeated_rows() -> None:
    head, *rows = XCOUNT.splitlines()
    counts = [2, 2, 5, 1]
    written_out = "\n".join([head, *(r for r, c in zip(rows, counts, strict=True) for _ in range(c))])
    tree = "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"
    assert Case(XCOUNT, counts=np.array(counts)).text() == Case(written_out).text() == tree


def test_p102_minimum_gain() -> None:
    case = Case(TENNIS)
    assert case.text(criterion="entropy", min_gain=0.25) == "Yes(5:9)"
    assert case.text(criterion="entropy", min_gain=0.2) == TENNIS_TREE


def test_p103_an_ordinal_column_has_two_cuts() -> None:
    size = {"kind": "ordinal", "split": "threshold", "values": np.array([0, 0, 1, 1, 1, 2, 2]), "n_values": 3}
    target = {"kind": "classes", "codes": np.array([0, 0, 1, 1, 0, 1, 0]), "n_classes": 2}
    found = [s[-1] for s in scores({"columns": [size], "target": target, "plan": {"criterion": "entropy"}})]
    assert found == pytest.approx([0.291692, 0.005978], abs=1e-6)


def hours() -> dict[str, Any]:
    outlook = [1, 1, 0, 2, 2, 2, 0, 1, 1, 2, 1, 0, 0, 2]  # Overcast, Rainy, Sunny
    played = [25, 30, 46, 45, 52, 23, 43, 35, 38, 46, 48, 52, 44, 30]
    column = {"kind": "nominal", "split": "multiway", "values": np.array(outlook), "n_values": 3}
    target = {"kind": "real", "values": np.array(played, dtype=float)}
    return {"columns": [column], "target": target, "plan": {"criterion": "sd"}}


def test_hours_played_has_the_standard_deviation_reduction_of_the_lectures() -> None:
    root = grow(hours())
    assert (root.impurity, root.gain) == pytest.approx((9.321086, 1.662150), abs=1e-6)
    assert [float(c.mean) for c in root.children if c.mean] == pytest.approx([46.25, 35.2, 39.2])


def test_root_and_error_of_figure_8_4() -> None:
    table = {
        "columns": [{"kind": "nominal", "split": "equals", "values": np.repeat([0, 1], 5), "n_values": 2}],
        "target": {"kind": "classes", "codes": np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), "n_classes": 2},
    }
    wanted = {"gini": (0.32, 0.24), "root": (0.4, 0.244949), "error": (0.2, 0.2)}
    for criterion, (before, after) in wanted.items():
        root = grow({**table, "plan": {"criterion": criterion}})
        assert (root.impurity, root.impurity - root.gain) == pytest.approx((before, after), abs=1e-6)


def test_thresholds_lie_below_the_upper_value_and_never_overflow() -> None:
    one = math.nextafter(1.0, 2.0)
    assert midpoint(1.0, one) == 1.0
    assert midpoint(-1.7e308, 1.7e308) == 0.0
    assert midpoint(5e-324, 1e-323) == 5e-324
