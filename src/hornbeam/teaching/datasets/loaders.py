"""One function for every bundled table, so that an editor can list them."""

from __future__ import annotations

from hornbeam.teaching.datasets.dataset import Dataset, load


def load_robots() -> Dataset:
    """Eight robots, allies or enemies (Pošík, slide 9).

    >>> load_robots().n_rows
    8
    """
    return load("robots")


def load_two_robots() -> Dataset:
    """The two robots of Pošík's slide 4, their heads unknown.

    >>> load_two_robots().n_rows
    2
    """
    return load("two_robots")


def load_temperature() -> Dataset:
    """Eight temperatures and whether we go out (Pošík, slide 26).

    >>> load_temperature().n_rows
    8
    """
    return load("temperature")


def load_gladiator() -> Dataset:
    """Eight students and whether they like the film Gladiator (Li).

    >>> load_gladiator().n_rows
    8
    """
    return load("gladiator")


def load_hours() -> Dataset:
    """Hours played on fourteen days, the version that gives the printed numbers (Li).

    >>> load_hours().n_rows
    14
    """
    return load("hours")


def load_hours_a() -> Dataset:
    """Hours played as printed on "Standard deviation example" (Li).

    >>> load_hours_a().n_rows
    14
    """
    return load("hours_A")


def load_hours_b() -> Dataset:
    """Hours played as printed on "Complete example dataset" (Li).

    >>> load_hours_b().n_rows
    14
    """
    return load("hours_B")


def load_huffman() -> Dataset:
    """Four symbols and how often they occur (Li).

    >>> load_huffman().n_rows
    4
    """
    return load("huffman")


def load_fig84() -> Dataset:
    """The split of figure 8.4, which the observed error cannot see (notes).

    >>> load_fig84().n_rows
    3
    """
    return load("fig84")


def load_pt_s1() -> Dataset:
    """The growing sample of the tree that stands for figure 8.6 (notes).

    >>> load_pt_s1().n_rows
    10
    """
    return load("pt_S1")


def load_pt_s2() -> Dataset:
    """The pruning sample of the tree that stands for figure 8.6 (notes).

    >>> load_pt_s2().n_rows
    10
    """
    return load("pt_S2")


def load_tennis() -> Dataset:
    """Fourteen days and whether tennis is played (Póczos, Li).

    >>> load_tennis().n_rows
    14
    """
    return load("tennis")


def load_tax() -> Dataset:
    """Five tax payers and whether they cheat (Póczos, slide 10).

    >>> load_tax().n_rows
    5
    """
    return load("tax")


def load_eighty() -> Dataset:
    """Eighty people, genuine or cheats (Póczos, slide 31).

    >>> load_eighty().n_rows
    6
    """
    return load("eighty")


def load_voting() -> Dataset:
    """A thousand votes by gender (Póczos, slides 60-62).

    >>> load_voting().n_rows
    6
    """
    return load("voting")


def load_xcount() -> Dataset:
    """Ten rows of two truth values, with counts (Póczos, slides 64-66).

    >>> load_xcount().n_rows
    4
    """
    return load("xcount")


def load_xor2() -> Dataset:
    """Exclusive or of two columns (Kerrigan).

    >>> load_xor2().n_rows
    4
    """
    return load("xor2")


def load_xor5() -> Dataset:
    """Exclusive or with three more columns (Kerrigan).

    >>> load_xor5().n_rows
    4
    """
    return load("xor5")


def load_cs178() -> Dataset:
    """Class counts at three nodes (Kerrigan).

    >>> load_cs178().n_rows
    8
    """
    return load("cs178")


def load_pinwheel() -> Dataset:
    """Five rectangles that no sequence of full cuts parts (Póczos, slide 21).

    >>> load_pinwheel().n_rows
    9
    """
    return load("pinwheel")
