"""What Kerrigan prints about exclusive or and class vectors, and what the notes after Mansour print."""

from __future__ import annotations

from collections.abc import Iterator

from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.fact import PrintedFact
from hornbeam.teaching.reproduce.lecture_numbers import best, builddt, errors, gains


def xor2() -> Iterator[PrintedFact]:
    """Exclusive or: what no single column gains, and what stopping early makes of it."""
    data = datasets.load("xor2")
    for column, gained in gains(data).items():
        yield f"gain of {column}", "Kerrigan, XOR", "", gained
    pairs = list(zip(data.X["X1"], data.X["X2"], strict=True))
    yield "gain of X1 and X2 together", "Póczos, slide 44", "", measures.information_gain(pairs, data.y)
    drop = measures.gain(data.X["X1"], data.y, potential="gini")
    yield "decrease of Gini by any split", "notes, 8.1.6", "> 0", drop, "E17"
    full, stopped = builddt(data).tree_, builddt(data, min_gain=1e-9).tree_
    yield "leaves, one for each example", "Póczos, slide 26", "4", full.n_leaves
    yield "tree", "Kerrigan, XOR", "", full.text()
    yield "tree if no gain means a leaf", "Li, ID3", "", stopped.text(), "E14"


def xor5() -> Iterator[PrintedFact]:
    """Exclusive or with three more columns."""
    data = datasets.load("xor5")
    column_gains = gains(data)
    for column, gained in column_gains.items():
        yield f"gain of {column}", "Kerrigan, Adding more variables", "", gained
    yield "column that tells all", "Kerrigan, An even simpler tree", "", best(column_gains)
    yield "tree", "Kerrigan, An even simpler tree", "", builddt(data).tree_.text()


def cs178() -> Iterator[PrintedFact]:
    """Class probabilities of twelve points; two Gini indices."""
    data = datasets.load("cs178")
    table = measures.tabulate(data.X["node"], data.y, counts=data.counts)
    nodes = dict(zip(table.branches, table.counts, strict=True))
    where = "Kerrigan, ClassProbabilityVector"
    shares = measures.shares(nodes["vector"]).tolist()
    for label, printed, share in zip(table.classes, ("0.5", "0.333", "0.167", "0"), shares, strict=True):
        yield f"P(class {label})", where, printed, share
    for number, node, printed in (("0.9, 0.1", "first", "0.18"), ("0.6, 0.4", "second", "0.48")):
        gini = measures.gini(nodes[node])
        yield f"Gini index of ({number})", "Kerrigan, Examples of the Gini index", printed, gini


# ---- the notes after Mansour -----------------------------------------------------------------------------


_POTENTIALS = {"error": "error", "gini": "Gini", "half-entropy": "half entropy", "root": "variance function"}


def fig84() -> Iterator[PrintedFact]:
    """Figure 8.4: a split that the observed error cannot see."""
    data = datasets.load("fig84")
    table = measures.tabulate(data.X["h"], data.y, counts=data.counts)
    ones = table.classes.index(1)
    sizes, fractions = table.counts.sum(axis=1), table.counts[:, ones] / table.counts.sum(axis=1)
    u, r, p = float(sizes[1] / sizes.sum()), float(fractions[1]), float(fractions[0])
    q = float(table.counts[:, ones].sum() / sizes.sum())
    yield "share of the rows that go one way", "notes, 8.1.6", "0.5", u
    yield "fractions in the halves", "notes, figure 8.4", "", f"{p:g} and {r:g}"
    printed = {"error": ("0.20", "0.20"), "gini": ("0.32", "0.24")}
    for name, words in _POTENTIALS.items():
        before, after = printed.get(name, ("", ""))
        where = "notes, 8.1.6" if name == "error" else "notes, 8.1.7"
        yield f"{words} before", where, before, measures.potential(q, name)
        yield f"{words} after", where, after, measures.val_split(u, r, p, name)
    gap = measures.potential(0.5, "gini") - measures.potential(0.5, "error")
    yield "val - error of an even leaf", "notes, 8.1.6", "> 0", gap, "E17"


def pt_s1() -> Iterator[PrintedFact]:
    """The tree in place of figure 8.6, on the sample that grows it."""
    tree, where = datasets.load_tree("pt"), "notes, figure 8.6"
    yield "tree", where, "", tree.text()
    yield "rows", where, "", int(tree.n_rows[0])
    yield "errors", where, "", errors(tree, datasets.load("pt_S1"))
    for name, words in _POTENTIALS.items():
        yield f"val(T), {words}", where, "", measures.val_tree(tree, name)


def pt_s2() -> Iterator[PrintedFact]:
    """The same tree on the sample that prunes it."""
    data, where = datasets.load("pt_S2"), "notes, figure 8.6"
    yield "rows", where, "", sum(data.counts or [])
    yield "errors of the full tree", where, "", errors(datasets.load_tree("pt"), data)
