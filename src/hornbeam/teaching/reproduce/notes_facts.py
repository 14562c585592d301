"""What the notes print about potentials, and what stands for the figure whose counts are lost."""

from __future__ import annotations

from collections.abc import Iterator

from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.fact import Fact, fact
from hornbeam.teaching.reproduce.lecture_numbers import errors

_POTENTIALS = {"error": "error", "gini": "Gini", "half-entropy": "half entropy", "root": "variance function"}


def fig84() -> Iterator[Fact]:
    """Figure 8.4: a split that the observed error cannot see."""
    data = datasets.load("fig84")
    found = measures.tabulate(data.X["h"], data.y, counts=data.counts)
    ones = found.classes.index(1)
    sizes, fractions = found.counts.sum(axis=1), found.counts[:, ones] / found.counts.sum(axis=1)
    u, r, p = float(sizes[1] / sizes.sum()), float(fractions[1]), float(fractions[0])
    q = float(found.counts[:, ones].sum() / sizes.sum())
    yield fact("fig84", "share of the rows that go one way", "notes, 8.1.6", "0.5", u)
    yield fact("fig84", "fractions in the halves", "notes, figure 8.4", "", f"{p:g} and {r:g}")
    printed = {"error": ("0.20", "0.20"), "gini": ("0.32", "0.24")}
    for name, words in _POTENTIALS.items():
        before, after = printed.get(name, ("", ""))
        where = "notes, 8.1.6" if name == "error" else "notes, 8.1.7"
        yield fact("fig84", f"{words} before", where, before, measures.potential(q, name))
        yield fact("fig84", f"{words} after", where, after, measures.val_split(u, r, p, name))
    gap = measures.potential(0.5, "gini") - measures.potential(0.5, "error")
    yield fact("fig84", "val - error of an even leaf", "notes, 8.1.6", "> 0", gap, "E17")


def pt_s1() -> Iterator[Fact]:
    """The tree in place of figure 8.6, on the sample that grows it."""
    tree, where = datasets.load_tree("pt"), "notes, figure 8.6"
    yield fact("pt_S1", "tree", where, "", tree.text())
    yield fact("pt_S1", "rows", where, "", int(tree.n_rows[0]))
    yield fact("pt_S1", "errors", where, "", errors(tree, datasets.load("pt_S1")))
    for name, words in _POTENTIALS.items():
        yield fact("pt_S1", f"val(T), {words}", where, "", measures.val_tree(tree, name))


def pt_s2() -> Iterator[Fact]:
    """The same tree on the sample that prunes it."""
    data, where = datasets.load("pt_S2"), "notes, figure 8.6"
    yield fact("pt_S2", "rows", where, "", sum(data.counts or []))
    yield fact("pt_S2", "errors of the full tree", where, "", errors(datasets.load_tree("pt"), data))
