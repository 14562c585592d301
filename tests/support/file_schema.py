"""The JSON Schemas of `*.tree.json` and `*.forest.json`, made from the tables of a Tree's arrays.

    python -m tests.support.file_schema

writes `tree.schema.json` and `forest.schema.json`, the documents that describe the format for other tools,
into the package and the documentation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam.data.columns import KINDS as COLUMN_KINDS
from hornbeam.io.forest_file import SHARED
from hornbeam.io.load import ENTRY, FOREST_FORMAT
from hornbeam.io.model_file import CONTAINERS, DTYPES, PATH
from hornbeam.tree.arrays import KINDS, NODE_ARRAYS, POLICY, POOLS, TASKS, Pool
from hornbeam.tree.dicts import FORMAT, VERSIONS

Schema = dict[str, Any]
PLACES = ("src/hornbeam/io", "docs/reference")
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


@cache
def schema() -> Schema:
    """The schema of a tree, as a dict.

    >>> schema()["properties"]["format"]
    {'const': 'hornbeam-tree'}
    """
    return {
        "$schema": _DRAFT,
        "title": "A decision tree of Hornbeam, with the estimator that learned it if there is one",
        **_object(
            {
                "format": {"const": FORMAT},
                "version": {"enum": list(VERSIONS)},
                ENTRY: {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
                "estimator": _ref("estimator"),
                **_facts(),
                **_outputs(),
                "center": {"type": "number"},  # of version 1
                **_arrays(),
            },
            optional=(ENTRY, "estimator", "outputs", "center"),
        ),
        "$defs": _definitions(),
    }


@cache
def forest_schema() -> Schema:
    """The schema of a forest: what its trees share, then what each has of its own.

    >>> forest_schema()["properties"]["format"]
    {'const': 'hornbeam-forest'}
    """
    different = {name: fact for name, fact in _facts().items() if name in SHARED[2:]}
    own = {**different, "center": {"type": "number"}, **_arrays()}  # the center: of version 1
    tree = _object(own, optional=[*different, "center"])
    return {
        "$schema": _DRAFT,
        "title": "A forest of decision trees of Hornbeam",
        **_object(
            {
                "format": {"const": FOREST_FORMAT},
                "version": {"enum": list(VERSIONS)},
                ENTRY: {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
                "estimator": _ref("estimator"),
                **_facts(),
                **_outputs(),
                "trees": _list(_ref("tree")),
            },
            optional=(ENTRY, "outputs"),
        ),
        "$defs": {**_definitions(), "tree": tree},
    }


def _facts() -> Schema:
    """What a tree is besides its nodes."""
    return {
        "task": {"enum": list(TASKS)},
        "classes": {"anyOf": [{"type": "null"}, _list(_ref("label"))]},
        "columns": _list(_ref("column")),
        "policy": _object({name: {"enum": list(values)} for name, values in POLICY.items()}),
        "meta": {"type": "object"},
    }


def _outputs() -> Schema:
    """What several targets are; not there where there is one."""
    entries = {"name": {"type": "string"}, "task": {"enum": list(TASKS)}, "classes": _facts()["classes"]}
    return {"outputs": _list(_object(entries))}


def _arrays() -> Schema:
    """The nodes of a tree."""
    pools = _object({pool.name: _pool(pool) for pool in POOLS}, optional=[pool.name for pool in POOLS])
    return {
        "expressions": _by_node({"type": "string"}),
        "nodes": _object({name: _node_array(name) for name in NODE_ARRAYS}),
        "pools": pools,
    }


def _definitions() -> Schema:
    return {
        "double": {"anyOf": [{"type": "number"}, {"enum": [None, "inf", "-inf"]}]},
        **{t: _whole(t) for t in ("int8", "int32", "int64")},
        "label": {"anyOf": [{"type": ["string", "number", "boolean"]}, _ref("typed")]},
        "typed": _object({"type": {"type": "string"}, "value": {}}),
        "category": {"anyOf": [{"type": ["string", "number", "boolean"]}, _ref("moment")]},
        "moment": {
            "type": "object",
            "properties": {
                **{name: {"type": "string"} for name in ("datetime", "zone", "date", "time", "float")},
                "timedelta": {"type": "integer"},
            },
            "additionalProperties": False,
        },
        "column": _object(
            {
                "name": {"type": "string"},
                "kind": {"enum": list(COLUMN_KINDS)},
                "categories": _list(_ref("category")),
                "display": {"type": "string"},
                "low": _ref("double"),
                "high": _ref("double"),
                "has_missing": {"type": "boolean"},
            }
        ),
        "array": _object({"dtype": {"enum": list(DTYPES)}, "values": {"type": "array"}}),
        "estimator": _object(
            {
                "class": {"type": "string"},
                "parameters": {"type": "object"},
                "has_names": {"type": "boolean"},
                "labels": _ref("array"),
                "output_labels": _list({"anyOf": [{"type": "null"}, _ref("array")]}),
                "judged": _object({"oob_score": {"type": "number"}, "oob_error": {"type": "number"}}),
                "container": {"enum": list(CONTAINERS)},
                "path": _object(
                    {
                        **{name: _list(_ref("double")) for name in PATH if name != "leaves"},
                        "leaves": _list(_ref("int64")),
                        "chosen": _ref("int64"),
                    },
                    optional=("score", "error"),
                ),
            },
            optional=("labels", "output_labels", "judged", "container", "path"),
        ),
    }


def documents() -> dict[str, str]:
    """The texts of the schemas by the names of their files."""
    schemas = {"tree.schema.json": schema(), "forest.schema.json": forest_schema()}
    return {
        name: json.dumps(document, indent=1, ensure_ascii=False) + "\n" for name, document in schemas.items()
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(properties: Schema, optional: Sequence[str] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _by_node(items: Schema) -> Schema:
    return {"type": "object", "patternProperties": {"^[0-9]{1,9}$": items}, "additionalProperties": False}


def _whole(dtype: str) -> Schema:
    limits = np.iinfo(dtype)
    return {"type": "integer", "minimum": int(limits.min), "maximum": int(limits.max)}


def _element(dtype: type[np.generic]) -> Schema:
    return _ref("double" if issubclass(dtype, np.floating) else np.dtype(dtype).name)


def _node_array(name: str) -> Schema:
    if name == "kind":
        return _list({"enum": list(KINDS)})
    array = NODE_ARRAYS[name]
    one = _list(_element(array.dtype))
    return one if array.width == 1 else _list(one)


def _pool(pool: Pool) -> Schema:
    arrays = {array: _list(_element(dtype)) for array, dtype in pool.arrays.items()}
    return _object({pool.offset: _list(_ref("int64")), **arrays})


if __name__ == "__main__":
    for place in PLACES:
        for name, text in documents().items():
            (Path(__file__).parents[2] / place / name).write_text(text, encoding="utf-8")
