"""One small table as every library holds it, and columns of single tables."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from hornbeam.data.columns import Column
from hornbeam.data.table import Table

BIG = 2**53 + 1  # the first whole number float64 cannot hold
PEOPLE = {
    "age": [30.5, None, 41.0],
    "city": ["Brno", None, "Aš"],
    "member": [True, False, None],
    "visits": [3, 1, 2],
    "paid": [Decimal("1.10"), Decimal("2"), None],
    "since": [dt.date(2020, 1, 1), None, dt.date(2021, 6, 1)],
    "seen": [dt.datetime(2024, 5, 1, 13, 30), None, dt.datetime(2024, 5, 2)],
    "stay": [dt.timedelta(hours=5), dt.timedelta(days=-1), None],
}
FRAMES = {
    "dict": lambda: dict(PEOPLE),
    "records": lambda: [{k: v[i] for k, v in PEOPLE.items() if v[i] is not None} for i in range(3)],
    "pandas": lambda: pd.DataFrame(PEOPLE),
    "pandas nullable": lambda: pd.DataFrame(PEOPLE).convert_dtypes(),
    "polars": lambda: pl.DataFrame(PEOPLE),
    "pyarrow": lambda: pa.table(PEOPLE),
    "record batch": lambda: pa.record_batch(pa.table(PEOPLE).to_batches()[0].columns, names=list(PEOPLE)),
    "chunked pyarrow": lambda: pa.concat_tables([pa.table(PEOPLE).slice(0, 1), pa.table(PEOPLE).slice(1)]),
    "object array": lambda: np.array(list(zip(*PEOPLE.values(), strict=True)), dtype=object),
    "rows": lambda: list(zip(*PEOPLE.values(), strict=True)),
}


def column_of(values, **options) -> Column:
    return Table.learn({"x": values}, **options).columns[0]


def codes_of(values, **options) -> list[int]:
    return Table.learn({"x": values}, **options).arrays[0].tolist()
