"""Fits of data that is read piece by piece: which parameters are possible, and how the tree is learned.

Whatever adds up over the rows can be asked of their parts. What looks at all rows at once is refused before
anything is read, by a sentence that says what to use instead.
"""

from __future__ import annotations

from typing import Any

from hornbeam.data.streams import is_from
from hornbeam.engines.dask import Dask, current_client
from hornbeam.engines.far_rows import FarRows
from hornbeam.engines.files import Files
from hornbeam.engines.pieces import FarRequest
from hornbeam.engines.ray import Ray
from hornbeam.engines.spark import Spark
from hornbeam.growing.criteria import Poisson, resolve_criterion
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.leaves.constant import Constant
from hornbeam.growing.missing import MISSING, MissingPolicy, MissingRule
from hornbeam.growing.part import resolve
from hornbeam.growing.searches import SEARCH, TreeSearch
from hornbeam.growing.selections import SELECTIONS, AverageGain, Selection
from hornbeam.growing.splits import SPLITTING, Splitting


def far_request(estimator: Any, most: float, **columns: Any) -> FarRequest:
    """The columns and weights that a fit needs; raise for what is no column, or needs all rows at once."""
    for parameter in ("row_costs", "exposure"):
        if columns.pop(parameter, None) is not None:
            raise ValueError(
                f"{parameter} needs all rows in memory: leave it out, or weigh rows by a column named by"
                " sample_weight"
            )
    for parameter, name in columns.items():
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"{parameter} must be the name of a column where y={columns['y']!r} is one: data that is read"
                " piece by piece has no other rows"
            )
    _refuse(estimator)
    return FarRequest(
        **columns,
        is_classes=estimator.task.is_classes,
        categorical_features=estimator.categorical_features,
        exclude=estimator.exclude,
        class_weight=getattr(estimator, "class_weight", None),
        most=most,
        n_jobs=estimator.n_jobs,
    )


def engine_of(engine: Any, data: Any) -> Any:
    """The engine given, or the one that the data needs."""
    if engine is None:
        if is_from("pyspark.sql", data, "DataFrame"):
            return Spark()
        if is_from("ray.data", data, "Dataset"):
            return Ray()
        has_workers = is_from("dask.dataframe", data, "DataFrame") and current_client() is not None
        return Dask() if has_workers else Files()
    if not hasattr(engine, "open"):
        raise TypeError(
            f"engine={engine!r} must be an engine of hornbeam.engines, such as Files(memory='2GB')"
        )
    return engine


def check_rows(estimator: Any, rows: FarRows) -> FarRows:
    """The rows, with totals of classes where priors or costs need them; raise if y does not suit Poisson."""
    criterion = resolve_criterion(estimator.criterion, estimator.task)
    values = rows.target.values
    if isinstance(criterion, Poisson) and values is not None and float(values.min()) < 0:
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression; use"
            " criterion='variance'"
        )
    asks = any(getattr(estimator, name, None) is not None for name in ("priors", "costs"))
    return rows.with_totals() if asks else rows


def _refuse(estimator: Any) -> None:
    """Raise for a parameter that needs all rows at once."""
    split = resolve("split", estimator.split, SPLITTING, Splitting)
    selection = resolve("selection", estimator.selection, SELECTIONS, Selection)
    search = resolve("search", estimator.search, SEARCH, TreeSearch)
    missing = resolve("missing", estimator.missing, MISSING, MissingPolicy)
    leaf = resolve("leaf", estimator.leaf, LEAVES, LeafModel)
    criterion = resolve_criterion(estimator.criterion, estimator.task)
    refused = {
        "pruning": (estimator.pruning is not None, "None, and prune the fitted model on a sample"),
        "ccp_alpha": (estimator.ccp_alpha != 0, "0.0, and prune the fitted model with hb.pruning_path"),
        "parse_dates": (estimator.parse_dates is not None, "None, and write the dates as such"),
        "criterion": (criterion.level is not None, "'variance'"),
        "selection": (selection.method != "core" or _charges(selection), "'best'"),
        "search": (search.method != "core", "'greedy'"),
        "split": (
            split.method != "core" or split.threshold_place() == "value",
            "'binary', 'multiway' or 'one-vs-rest'",
        ),
        "missing": (
            missing.core_rule in (MissingRule.FRACTIONAL, MissingRule.SURROGATES),
            "'learn', 'branch', 'majority' or 'all-paths'",
        ),
        "leaf": (not isinstance(leaf, Constant), "'constant'"),
    }
    for name, (is_refused, instead) in refused.items():
        if is_refused:
            raise ValueError(
                f"{name}={getattr(estimator, name)!r} needs all rows in memory, but the data is read piece by"
                f" piece: use {instead}"
            )


def _charges(selection: Selection) -> bool:
    return isinstance(selection, AverageGain) and selection.correction is not None
