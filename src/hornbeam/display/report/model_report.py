"""`hb.report`: describe a model and a table as text, Markdown, JSON or one HTML page."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import numpy as np

from hornbeam._base.atomic import write_atomically
from hornbeam.data.survival import names_of, two_columns
from hornbeam.data.suspicious_columns import describe_columns, suspicious_columns
from hornbeam.display.report.document import document_of
from hornbeam.display.report.page import framed, page_of, static_form
from hornbeam.display.rows_at_nodes import RowsAtNodes, rows_of_report, target_reader
from hornbeam.evaluation.stability_result import Stability
from hornbeam.reading.show import check_stability, show
from hornbeam.tree import words as tree_words
from hornbeam.tree.annotations import IMITATION
from hornbeam.tree.certificate import Certificate
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.tree import Tree

_SHOWN_DEPTH = 3


class Report:
    """A model and a table, described; `hornbeam.report` makes it.

    `str()` is a summary for the terminal, a notebook shows the page.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> tennis_report = hb.report(hb.id3().fit(tennis.X, tennis.y), tennis.X, tennis.y, title="Tennis")
    >>> tennis_report.to_dict()["schema"]
    'hornbeam/report/1'
    >>> tennis_report.to_html().startswith("<!doctype html>")
    True
    """

    def __init__(self, tree: Tree, document: dict[str, Any], stability: Stability | None = None) -> None:
        self.tree, self._stability = tree, stability
        self._document = document

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as a plain dict that JSON can hold; the same bytes for the same model and rows."""
        copied: dict[str, Any] = json.loads(json.dumps(self._document))
        return copied

    def to_json(self, path: Any = None) -> str:
        """Return the facts as JSON text, written to a file if there is a path."""
        return _written(json.dumps(self._document, ensure_ascii=False, allow_nan=False) + "\n", path)

    def to_html(self, path: Any = None) -> str:
        """Return one page that needs no network and no other file, written to a file if there is a path."""
        return _written(page_of(self._document, static_form(self.tree)), path)

    def __str__(self) -> str:
        document = self._document
        size = document["size"]
        lines = [document["title"], "=" * len(document["title"])]
        leaves = tree_words.number_of(size["leaves"], "leaf", "leaves")
        nodes = tree_words.number_of(size["nodes"], "node", "nodes")
        lines.append(f"{leaves}, {nodes}, depth {size['depth']}")
        if "caution" in document:
            lines.append(f"caution: {document['caution']}")
        for one in document["quality"]:
            weighted = ", weighted" if one["weighted"] else ""
            lines.append(f"{one['name']}, {tree_words.number_of(one['n'], 'row', 'rows')}{weighted}")
            for metric in one["metrics"]:
                interval = f"  (95 % interval {metric['interval']})" if metric["interval"] else ""
                lines.append(f"  {metric['name']:<24}{metric['text']}{interval}")
        used = sorted((c for c in document["columns"] if c["importance"] > 0), key=lambda c: -c["importance"])
        words = [f"{c['name']} {tree_words.percent(c['importance'])}" for c in used[:8]]
        lines.append(f"importance: {', '.join(words) or 'no column is tested'}")
        if "stability" in document:
            lines.append("; ".join(["stability", *document["stability"]["lines"]]).replace(";", ":", 1))
        shown = show(self.tree, max_depth=_SHOWN_DEPTH, stability=self._stability)
        return "\n".join([*lines, "", shown])

    def __repr__(self) -> str:
        return f"<Report {self._document['title']!r}: {self.tree!r}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        del include, exclude
        return {"text/plain": str(self), "text/html": framed(self.to_html(), static_form(self.tree), 760)}


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    validation: Any = None,
    title: str | None = None,
    rows: bool = False,
    random_state: int = 0,
    stability: Stability | None = None,
) -> Report:
    """Describe a model and the rows it was fitted on: as facts, as text, as a page to open or send.

    The page holds the tree to walk through, its rules, how good it is with intervals, its pruning path with a
    slider, the columns, and a form that predicts. It needs no network and no server.

    Parameters
    ----------
    model : fitted estimator, Tree, or the path of a saved one
    X, y : the rows to describe, usually those the model was fitted on
    sample_weight, counts : weight and number of repetitions of each row
        A row of count 3 is three rows wherever something is counted. By weights everything is weighed:
        records, shares, histograms, quantiles and metrics, whose intervals take weighted rows for (Σw)²/Σw²
        rows.
    validation : (X, y), (X, y, sample_weight), (X, y, sample_weight, counts) or None
        Other rows, whose numbers stand beside and are never mixed with those of X.
    title : str or None
        None: made from the name of y.
    rows : bool
        Whether pictures may show values of single rows (up to 200 points each); otherwise the report holds
        counts, means and quantiles only.
    random_state : int
        The seed of the choice of those rows.
    stability : Stability or None
        What `hornbeam.stability` says of this tree: how often each test is chosen again on other samples of
        the rows stands on the card of each node, and a section sums it up.

    Returns
    -------
    Report
        `to_html(path)`, `to_json(path)`, `to_dict()`, `str()`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> print(hb.report(hb.id3().fit(tennis.X, tennis.y), tennis.X, tennis.y, title="Tennis"))
    Tennis
    ======
    5 leaves, 8 nodes, depth 2
    training, 14 rows
      accuracy                1.0000  (95 % interval 0.7847 to 1.0000)
      balanced accuracy       1.0000  (95 % interval 0.7362 to 1.0000)
      AUC                     1.0000  (95 % interval 0.5655 to 1.0000)
      log loss                0.0000  (95 % interval 0.0000 to 0.0000)
      Brier score             0.0000  (95 % interval 0.0000 to 0.0000)
    importance: Humidity 37 %, Wind 37 %, Outlook 26 %
    <BLANKLINE>
    Outlook?  gain 0.247 bits  64 % Yes  n=14 (5:9)
    ├── = Overcast  → Yes  100 %  n=4 (0:4)
    ├── = Rain  Wind?  gain 0.971 bits  60 % Yes  n=5 (2:3)
    │   ├── = Strong  → No  100 %  n=2 (2:0)
    │   └── = Weak  → Yes  100 %  n=3 (0:3)
    └── = Sunny  Humidity?  gain 0.971 bits  60 % No  n=5 (3:2)
        ├── = High  → No  100 %  n=3 (3:0)
        └── = Normal  → Yes  100 %  n=2 (0:2)
    counts are No:Yes
    """
    noticed = getattr(model, "column_warning_", None)
    model = inner_model(model, for_rows=True)
    tree, who = tree_of(model), type(model).__name__
    if tree.task.is_density:
        raise ValueError(
            "a density tree has no outcome to report on: read it with hb.show(model) or hb.boxes(model)"
        )
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title={title!r} must be text, or None for one made from the name of y")
    if not isinstance(rows, bool):
        raise TypeError(f"rows={rows!r} must be True or False: whether single rows may be shown")
    if not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state={random_state!r} must be a whole number of at least 0")
    if stability is not None:
        check_stability(stability, tree)
    name = " and ".join(y) if tree.task.is_survival and names_of(y) else getattr(y, "name", None)
    if tree.task.is_survival:
        X, y = two_columns(X, y)
    sample = rows_of_report(tree, X, y, who, sample_weight, counts)
    held_out = None if validation is None else _validation_rows(tree, validation, who)
    target = name if isinstance(name, str) and name else "outcome"
    document = document_of(
        model,
        sample,
        held_out,
        validation=validation,
        title=title or (f"Decision tree for {target}" if target != "outcome" else "Decision tree"),
        target=target,
        provenance=provenance(model, tree, sample, held_out),
        caution=_describe_rows(tree, sample, y, sample_weight, counts) if noticed is None else noticed,
        rows=rows,
        seed=int(random_state),
        stability=stability,
        steps=True,
    )
    return Report(tree, document, stability)


def _describe_rows(tree: Tree, sample: RowsAtNodes, y: Any, sample_weight: Any, counts: Any) -> str:
    """Which columns mislead, judged by the rows of the report: a saved model keeps no remarks of `fit`."""
    target = target_reader(tree)(y, sample_weight, counts)
    return describe_columns(suspicious_columns(sample.table, target))


def _validation_rows(tree: Tree, validation: Any, who: str) -> RowsAtNodes:
    if not isinstance(validation, tuple | list) or not 2 <= len(validation) <= 4:
        raise ValueError(
            "validation must be a tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, counts) of"
            " rows the model was not fitted on"
        )
    X, y, *more = validation
    return rows_of_report(tree, X, y, who, *more)


def provenance(model: Any, tree: Tree, sample: RowsAtNodes, held_out: RowsAtNodes | None) -> list[list[str]]:
    """Where the report comes from, without anything that changes each time it is made."""
    facts = [["made by", f"Hornbeam {version('hornbeam')}"]]
    if not isinstance(model, Tree):
        facts.append(["model", " ".join(repr(model).split())])
    if IMITATION in tree.meta:
        facts.append(["imitation", str(tree.meta[IMITATION])])
    if (proven := Certificate.of(tree.meta)) is not None:
        facts.append(["proven", str(proven)])
    facts.append(["rows described", f"{sample.n_rows:,}"])
    if sample.copies is not None:
        facts.append(["counts", f"{sample.table.n_rows:,} rows as written stand for them"])
    if sample.weights is not None:
        total = tree_words.records(float(sample.size[0]))
        facts.append(["weights", f"records count by their weights, which sum to {total}"])
    if sample.n_rows != tree.n_rows[0] and not tree.uncounted:
        facts.append(["rows the model was fitted on", f"{int(tree.n_rows[0]):,}"])
    if held_out is not None:
        facts.append(["validation rows", f"{held_out.n_rows:,}"])
    facts.append(["criterion", str(tree.meta.get("criterion", "not known"))])
    return facts


def _written(text: str, path: Any) -> str:
    if path is not None:
        write_atomically(path, text)
    return text
