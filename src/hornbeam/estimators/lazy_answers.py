"""Lazy answers: predictions for data that is not computed yet, computed together with it.

    dask DataFrame        a column, or for probabilities a frame; as many partitions, the same index
    Spark DataFrame, Ray  the frame or dataset with new columns
    polars LazyFrame      a LazyFrame of the new columns

The columns are called as `hornbeam predict` calls them: prediction, probability_<class>, leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.streams import is_from


@dataclass(frozen=True)
class AnswerColumns:
    """A method of a fitted model, as a function from rows to named columns."""

    model: Any
    method: str  # predict, predict_proba or apply

    @property
    def _outputs(self) -> Any:
        """The targets, if there are several."""
        trees = getattr(self.model, "trees_", None)
        first = getattr(self.model, "tree_", None) if trees is None else trees[0]
        return () if self.method == "apply" else getattr(first, "outputs", ())

    def of_no_rows(self) -> dict[str, AnyArray]:
        """The columns without rows: their names and types."""
        if self.method == "apply":
            trees = getattr(self.model, "trees_", None)
            names = ["leaf"] if trees is None else [f"leaf_{i}" for i in range(len(trees))]
            return {name: np.empty(0, dtype=np.int32) for name in names}
        labels = getattr(self.model, "classes_", np.empty(0))
        outputs = self._outputs
        if outputs:
            known = labels if isinstance(labels, list) else [None] * len(outputs)
            each = [
                (one.name, np.empty(0) if own is None else own)
                for one, own in zip(outputs, known, strict=True)
            ]
            if self.method == "predict":
                return {f"prediction_{name}": own[:0] for name, own in each}
            return {
                f"probability_{name}_{label}": np.empty(0) for name, own in each for label in own.tolist()
            }
        if self.method == "predict":
            return {"prediction": labels[:0]}
        return {f"probability_{label}": np.empty(0) for label in labels.tolist()}

    def of(self, rows: Any) -> dict[str, AnyArray]:
        """The columns of some rows that are in memory."""
        columns = self.of_no_rows()
        if len(rows) == 0:
            return columns
        answer = getattr(self.model, self.method)(rows)
        if isinstance(answer, list):  # of several targets; numbers have no probabilities
            answer = np.concatenate([own for own in answer if own is not None], axis=1)
        if answer.dtype.kind == "O" and answer.ndim == 2:  # of several kinds side by side
            return dict(zip(columns, (np.array(own.tolist()) for own in answer.T), strict=True))
        return dict(zip(columns, [answer] if answer.ndim == 1 else answer.T, strict=True))


def is_lazy(X: Any) -> bool:
    """Whether X is a frame whose rows are not computed yet; asking imports nothing.

    >>> is_lazy({"age": [1, 2]})
    False
    """
    return any(is_from(module, X, name) for module, name in _KINDS)


def lazy_answer(model: Any, method: str, X: Any) -> Any:
    """What a method of a fitted model says of rows that are not computed yet."""
    answer = next(answer for (module, name), answer in _KINDS.items() if is_from(module, X, name))
    return answer(X, AnswerColumns(model, method))


def _of_dask(X: Any, answers: AnswerColumns) -> Any:
    return X.map_partitions(_of_pandas, answers, meta=_of_pandas(X._meta, answers))


def _of_pandas(rows: Any, answers: AnswerColumns) -> Any:
    import pandas as pd

    columns = answers.of(rows)
    if answers.method == "predict_proba" or len(columns) > 1:
        return pd.DataFrame(columns, index=rows.index)
    ((name, values),) = columns.items()
    return pd.Series(values, index=rows.index, name=name)


def _of_lazy_frame(X: Any, answers: AnswerColumns) -> Any:
    import polars as pl

    schema = pl.DataFrame(_plain(answers.of_no_rows())).schema
    return X.map_batches(
        lambda rows: pl.DataFrame(_plain(answers.of(rows)), schema=schema),
        schema=schema,
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
    )


def _plain(columns: dict[str, AnyArray]) -> dict[str, Any]:
    """Columns of text as arrays that are known to be text where they have no rows."""
    return {name: a.astype(str) if a.dtype.kind == "O" else a for name, a in columns.items()}


def _of_ray(X: Any, answers: AnswerColumns) -> Any:
    def with_columns(rows: Any) -> Any:
        return _appended(rows, answers)

    return X.map_batches(with_columns, batch_format="pyarrow")


def _appended(rows: Any, answers: AnswerColumns) -> Any:
    """A table of Arrow with new columns."""
    import pyarrow as pa

    for name, values in _plain(answers.of(rows)).items():
        rows = rows.append_column(name, pa.array(values))
    return rows


def _of_spark(X: Any, answers: AnswerColumns) -> Any:
    from pyspark.sql.types import StructField, StructType

    taken = [name for name in answers.of_no_rows() if name in X.columns]
    if taken:
        raise ValueError(f"the frame has a column {taken[0]!r} already: rename it, or leave it out")
    kinds = [StructField(name, _spark_type(a.dtype)) for name, a in answers.of_no_rows().items()]
    return X.mapInArrow(_with_columns(answers), StructType([*X.schema.fields, *kinds]))


def _with_columns(answers: AnswerColumns) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def batches(of: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in of:
            yield from _appended(pa.Table.from_batches([batch]), answers).to_batches()

    return batches


def _spark_type(kind: np.dtype[Any]) -> Any:
    from pyspark.sql import types

    by_kind = {"f": types.DoubleType, "b": types.BooleanType, "i": types.LongType, "u": types.LongType}
    return types.IntegerType() if kind == np.int32 else by_kind.get(kind.kind, types.StringType)()


_KINDS: dict[tuple[str, str], Callable[[Any, AnswerColumns], Any]] = {
    ("dask.dataframe", "DataFrame"): _of_dask,
    ("pyspark.sql", "DataFrame"): _of_spark,
    ("polars", "LazyFrame"): _of_lazy_frame,
    ("ray.data", "Dataset"): _of_ray,
}
