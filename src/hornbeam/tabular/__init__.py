"""Tables in files: reading them with everything found out and shown, streaming them, writing them."""

from hornbeam.tabular.batching import batches
from hornbeam.tabular.errors import TableError
from hornbeam.tabular.formats import FORMATS
from hornbeam.tabular.reading import read_table
from hornbeam.tabular.sheet import Sheet
from hornbeam.tabular.writing import write_table

__all__ = ["FORMATS", "Sheet", "TableError", "batches", "read_table", "write_table"]
