"""Tables in files: reading them with everything found out and shown, streaming them, writing them."""

from hornbeam.data.files.batches import batches
from hornbeam.data.files.formats import FORMATS
from hornbeam.data.files.read import read_table
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.table_file import Sheet
from hornbeam.data.files.write import write_table

__all__ = ["FORMATS", "Sheet", "TableError", "batches", "read_table", "write_table"]
