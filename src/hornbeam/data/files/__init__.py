"""Tables in files: reading them with everything found out and shown, streaming them, writing them."""

from hornbeam.data.files.formats import FORMATS
from hornbeam.data.files.read import batches, read_table
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.table_file import TableFile
from hornbeam.data.files.write import write_table

__all__ = ["FORMATS", "TableError", "TableFile", "batches", "read_table", "write_table"]
