"""What Kerrigan prints about exclusive or and class vectors; claims of others about exclusive or."""

from __future__ import annotations

from collections.abc import Iterator

from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.fact import Fact, fact
from hornbeam.teaching.reproduce.lecture_numbers import best, builddt, gains


def xor2() -> Iterator[Fact]:
    """Exclusive or: what no single column gains, and what stopping early makes of it."""
    data = datasets.load("xor2")
    for column, gained in gains(data).items():
        yield fact("xor2", f"gain of {column}", "Kerrigan, XOR", "", gained)
    pairs = list(zip(data.X["X1"], data.X["X2"], strict=True))
    yield fact(
        "xor2", "gain of X1 and X2 together", "Póczos, slide 44", "", measures.information_gain(pairs, data.y)
    )
    drop = measures.gain(data.X["X1"], data.y, potential="gini")
    yield fact("xor2", "decrease of Gini by any split", "notes, 8.1.6", "> 0", drop, "E17")
    full, stopped = builddt(data).tree_, builddt(data, min_gain=1e-9).tree_
    yield fact("xor2", "leaves, one for each example", "Póczos, slide 26", "4", full.n_leaves)
    yield fact("xor2", "tree", "Kerrigan, XOR", "", full.text())
    yield fact("xor2", "tree if no gain means a leaf", "Li, ID3", "", stopped.text(), "E14")


def xor5() -> Iterator[Fact]:
    """Exclusive or with three more columns."""
    data = datasets.load("xor5")
    found = gains(data)
    for column, gained in found.items():
        yield fact("xor5", f"gain of {column}", "Kerrigan, Adding more variables", "", gained)
    yield fact("xor5", "column that tells all", "Kerrigan, An even simpler tree", "", best(found))
    yield fact("xor5", "tree", "Kerrigan, An even simpler tree", "", builddt(data).tree_.text())


def cs178() -> Iterator[Fact]:
    """Class probabilities of twelve points; two Gini indices."""
    data = datasets.load("cs178")
    found = measures.tabulate(data.X["node"], data.y, counts=data.counts)
    nodes = dict(zip(found.branches, found.counts, strict=True))
    where = "Kerrigan, ClassProbabilityVector"
    shares = measures.shares(nodes["vector"]).tolist()
    for label, printed, share in zip(found.classes, ("0.5", "0.333", "0.167", "0"), shares, strict=True):
        yield fact("cs178", f"P(class {label})", where, printed, share)
    for number, node, printed in (("0.9, 0.1", "first", "0.18"), ("0.6, 0.4", "second", "0.48")):
        gini = measures.gini(nodes[node])
        yield fact(
            "cs178", f"Gini index of ({number})", "Kerrigan, Examples of the Gini index", printed, gini
        )
