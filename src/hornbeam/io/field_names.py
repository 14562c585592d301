"""The words of files: types of arrays, what forests share, what densities keep.

One idea: the schema is made of these words alone, so that reading a tree needs nothing of what learns.
"""

# The element types an array may have; "str" is text of any width.
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "str", "object"),
)
FOREST_FORMAT = "hornbeam-forest"
SHARED = ("task", "classes", "columns", "policy", "meta")  # written once; the last three unless they differ
# What a density draws its rows as: hornbeam.estimators.density.sampling's words, and the libraries of frames.
CONTAINERS = ("array", "columns", "records", "pandas", "polars", "pyarrow")
PATH = ("alpha", "leaves", "loss", "score", "error")
