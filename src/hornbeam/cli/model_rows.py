"""The rows a model learns from or is measured on, taken from a table by what its columns are for.

One idea: what is guessed (the target, the task, columns that only name rows) is guessed here and reported by
the command; an option overrides each guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hornbeam.cli.estimator_options import TASKS
from hornbeam.cli.exit_codes import Failure, list_names, usage_error
from hornbeam.cli.table_inputs import OutcomeColumns, ReadOptions, check_column, read_source, source_name
from hornbeam.cli.tables import percent, short
from hornbeam.cli.terminal import Messages

_MOST_CLASSES = 20  # whole numbers with more different values are taken for amounts
_FEWEST_ROWS = 20  # from fewer rows, no column is taken for an identifier


@dataclass(frozen=True)
class ModelRows:
    """What a model is fitted or measured on, in the words of `fit`."""

    X: Any
    y: Any
    weight: Any = None
    counts: Any = None

    def keywords(self) -> dict[str, Any]:
        """Weights and counts, those there are, as `fit` takes them."""
        both = {"sample_weight": self.weight, "counts": self.counts}
        return {name: value for name, value in both.items() if value is not None}

    def as_tuple(self) -> tuple[Any, Any, Any, Any]:
        """X, y, weights and counts, as a parameter `validation` takes them."""
        return self.X, self.y, self.weight, self.counts

    @property
    def n_rows(self) -> int:
        """Rows as written."""
        return int(self.X.num_rows)

    def take(self, rows: Any) -> ModelRows:
        """Some of the rows, by an Arrow or numpy array of their positions."""
        import numpy as np

        columns = [None if column is None else column.take(rows) for column in (self.X, self.y)]
        numbers = [None if array is None else array[np.asarray(rows)] for array in (self.weight, self.counts)]
        return ModelRows(*columns, *numbers)


def split_rows(data: Any, source: str, outcome: OutcomeColumns, drop: Sequence[str] = ()) -> ModelRows:
    """The columns of an Arrow table by what they are for."""
    from hornbeam.data.files import TableFile

    target, weight, counts = outcome.target, outcome.weight, outcome.counts
    for name in (target, weight, counts, *drop):
        if name is not None:
            check_column(name, data, source)
    X, y, weights, copies = TableFile(data, {}).split(target, drop=tuple(drop), weight=weight, counts=counts)
    if X.num_columns == 0:
        raise Failure(f"{source_name(source)} has no column left to learn from")
    return ModelRows(X, y, weights, copies)


def bundled_counts(data: Any, source: str) -> str | None:
    """The column in which a bundled table says how often its rows stand for themselves."""
    return "count" if source.startswith("demo:") and "count" in data.column_names else None


def read_rows(
    source: str,
    reading: ReadOptions,
    outcome: OutcomeColumns,
    messages: Messages,
    drop: Sequence[str] = (),
    *,
    density: bool = False,
) -> tuple[ModelRows, OutcomeColumns]:
    """The rows of a file whose outcome is known, and the columns that are no inputs, also guessed ones."""
    sheet = read_source(source, reading, messages)
    target = None if density else target_of(outcome.target, sheet, source)
    counts = outcome.counts or bundled_counts(sheet.data, source)
    outcome = OutcomeColumns(target, outcome.weight, counts)
    rows = split_rows(sheet.data, source, outcome, drop)
    return (rows if target is None else rows_with_target(rows, target, messages)), outcome


def target_of(target: str | None, sheet: Any, source: str) -> str:
    """The column to predict: that of the option, or what the file itself names."""
    if target is not None or sheet.target_hint:
        return str(target if target is not None else sheet.target_hint)
    raise usage_error(
        f"which column of {source_name(source)} is to be predicted? say --target COL",
        f"its columns are {list_names(sheet.data.column_names)}",
    )


def rows_with_target(rows: ModelRows, target: str, messages: Messages) -> ModelRows:
    """The rows whose outcome is known."""
    unknown = rows.y.null_count
    if not unknown:
        return rows
    if unknown == len(rows.y):
        raise Failure(f"the target {target!r} is missing in every row")
    import pyarrow.compute as pc

    messages.warn(f"the target {target!r} is missing in {unknown} of {len(rows.y)} rows, which are left out")
    return rows.take(pc.indices_nonzero(pc.is_valid(rows.y)))


def task_of(option: str | None, y: Any) -> str:
    """What is to be learned: that of the option, or what the values look like."""
    if option is not None:
        return TASKS[option]
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if not (pt.is_integer(y.type) or pt.is_floating(y.type) or pt.is_decimal(y.type)):
        return "classes"
    distinct = pc.unique(y).drop_null()
    if pt.is_floating(y.type) and not bool(pc.all(pc.equal(pc.floor(distinct), distinct)).as_py()):
        return "real"
    few = len(distinct) <= 2 or (len(distinct) <= _MOST_CLASSES and 5 * len(distinct) <= len(y))
    return "classes" if few and not pt.is_decimal(y.type) else "real"


def without_identifiers(rows: ModelRows, declared: str | None) -> tuple[ModelRows, list[str]]:
    """The rows without columns that only name them, and these names; at least one column stays."""
    names = identifier_columns(rows.X, declared)
    if not names or len(names) == rows.X.num_columns:
        return rows, []
    return replace(rows, X=rows.X.drop_columns(names)), names


def identifier_columns(X: Any, declared: str | None) -> list[str]:
    """Columns that only name rows: text that hardly repeats, whole numbers that count the rows.

    Columns that --columns declares are left as they are.
    """
    from hornbeam.data.files.request import declarations

    if X.num_rows < _FEWEST_ROWS:
        return []
    declared_names = declarations(declared)
    names = [name for name in X.column_names if name not in declared_names]
    return [name for name in names if _only_names_rows(X.column(name))]


def _only_names_rows(column: Any) -> bool:
    import pyarrow.compute as pc
    import pyarrow.types as pt

    known = len(column) - column.null_count
    if known < _FEWEST_ROWS:
        return False
    distinct = pc.count_distinct(decoded(column)).as_py()
    if pt.is_integer(column.type):
        return distinct == known and _counts_up(column)
    return _is_text(column.type) and bool(2 * distinct > known)


def _counts_up(column: Any) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    import numpy as np

    values = column.combine_chunks()
    if values.null_count or values[0].as_py() not in (0, 1):
        return False
    return bool((np.diff(np.asarray(values).astype(np.int64)) == 1).all())


def _is_text(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind))


def decoded(column: Any) -> Any:
    """A column with text instead of a dictionary of text."""
    import pyarrow.types as pt

    return column.cast(column.type.value_type) if pt.is_dictionary(column.type) else column


def measure_model(model: Any, rows: ModelRows) -> dict[str, Any]:
    """The first metrics of a model on rows, with intervals: error, or RMSE and R2, or log likelihood."""
    if rows.y is None:
        return {"log_likelihood": {"value": float(model.score(rows.X))}}
    from hornbeam.evaluation import evaluate

    evaluation = evaluate(model, rows.X, rows.y, **rows.keywords())
    if evaluation.task == "real":
        names = [name for name in ("rmse", "r2") if name in evaluation.metrics]
        return {name: evaluation[name].to_dict() for name in names}
    accuracy = evaluation["accuracy"].to_dict()
    ends = {"low": accuracy.get("high"), "high": accuracy.get("low")}
    interval = {name: None if value is None else 1.0 - value for name, value in ends.items()}
    return {"error": {"value": 1.0 - evaluation["accuracy"].value, **interval}}


def metric_words(name: str, metrics: dict[str, Any], *, interval: bool) -> list[Any]:
    """Metrics as words of a line; with `interval` its ends, too."""
    words: list[Any] = []
    for key, metric in metrics.items():
        spell = percent if key == "error" else short
        title = {"error": "error", "rmse": "RMSE", "r2": "R²"}.get(key, key.replace("_", " "))
        words += ["   " if words else f"{name} ", f"{title} ", (spell(metric["value"]), "number")]
        if interval and metric.get("low") is not None:
            low, high = (spell(metric[end]).removesuffix(" %") for end in ("low", "high"))
            words.append((f"  (95 % {low}–{high})", "dim"))
    return words
