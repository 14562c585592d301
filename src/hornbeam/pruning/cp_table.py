"""A pruning path as rpart prints it: penalties and errors as shares of the root's, the root first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam._base.types import Floats, Longs
from hornbeam.data.formatting import aligned
from hornbeam.data.shown_result import TabularResult
from hornbeam.tree.words import amount

if TYPE_CHECKING:
    from hornbeam.pruning.nested_subtrees import PruningPath


@dataclass(frozen=True, eq=False)
class CpTable(TabularResult):
    """rpart's table of complexities; `str()` is what `printcp` prints, `to_frame()` the table.

    Attributes
    ----------
    root_error : float
        The error of the root as a leaf, of which all others are shares.
    n : int
        The training rows.
    cp : array
        The complexity parameter: the least penalty for each test, as a share of the root's error, at which
        the subtree is the best.
    splits : array
        The number of tests.
    error : array
        rel error: that of the training rows.
    xerror, xstd : array or None
        The cross-validated error and its standard error; None without cross-validation.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = hb.TreeClassifier(min_samples_leaf=7, min_samples_split=20).fit(X, y)
    >>> print(hb.pruning_path(model, X, y, cv=10).cp_table())
    Root node error: 100/150 = 0.66667
    <BLANKLINE>
    n= 150
    <BLANKLINE>
         CP  nsplit  rel error  xerror     xstd
    1  0.50       0       1.00    1.00  0.05774
    2  0.44       1       0.50    0.50  0.05774
    3  0.00       2       0.06    0.12  0.03323
    """

    root_error: float
    n: int
    cp: Floats
    splits: Longs
    error: Floats
    xerror: Floats | None = None
    xstd: Floats | None = None

    @classmethod
    def of(cls, path: PruningPath) -> CpTable:
        """The table of a path."""
        order = slice(None, None, -1)
        root, error = float(path.risk[-1]), float(path.training[-1])
        if not (root > 0 and error > 0):
            raise ValueError("the root of this tree makes no error, of which others could be shares")
        beside = (None if v is None else v[order] / error for v in (path.cv, path.cv_error))
        splits = (path.nodes - path.leaves)[order]
        rows = int(path.tree.n_rows[0])
        return cls(error, rows, path.alpha[order] / root, splits, path.risk[order] / root, *beside)

    def columns(self) -> dict[str, list[Any]]:
        """The table by the names of its columns in rpart."""
        named = {"CP": self.cp, "nsplit": self.splits, "rel error": self.error}
        named |= {} if self.xerror is None else {"xerror": self.xerror}
        named |= {} if self.xstd is None else {"xstd": self.xstd}
        return {name: values.tolist() for name, values in named.items()}

    def __str__(self) -> str:
        wrong = self.root_error * self.n
        of_all = f"{amount(wrong)}/{self.n} = " if abs(wrong - round(wrong)) < 1e-6 * max(wrong, 1.0) else ""
        columns = self.columns()
        texts = {
            name: [str(v) for v in values] if name == "nsplit" else _alike(values)
            for name, values in columns.items()
        }
        rows = [["", *columns]]
        rows += [[str(k + 1), *(texts[name][k] for name in columns)] for k in range(len(self.cp))]
        table = aligned(rows, right=range(len(columns) + 1))
        return "\n".join([f"Root node error: {of_all}{self.root_error:.5g}", "", f"n= {self.n}", "", *table])


def _alike(values: list[float]) -> list[str]:
    """Numbers with as many decimals as the one that needs most to show four digits, at most five."""
    digits = max((len(f"{value:.5f}".rstrip("0").split(".")[1]) for value in values), default=0)
    return [f"{value:.{max(digits, 2)}f}" for value in values]
