"""An estimator as plain values that JSON can hold, and back: its class, its parameters, its labels.

One idea: a part is written by its name and looked up in a literal table of known parts, never by where it
could be imported from, so reading a file runs nothing but the constructors of those parts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_n_jobs, unknown_name
from hornbeam.estimators.base import TreeModel, label_places
from hornbeam.estimators.density import TreeDensity
from hornbeam.estimators.density.density_pruning import PRUNING as DENSITY_PRUNING
from hornbeam.estimators.density.density_pruning import DensityPath
from hornbeam.estimators.estimator_parameters import SLOTS
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.estimators.tree_outputs import TreeOutputs
from hornbeam.estimators.tree_survival import TreeSurvival
from hornbeam.growing.part import Part
from hornbeam.growing.splits import PerColumn, Predicates
from hornbeam.tree.dicts import array_to_list, plain_to_value, value_to_plain
from hornbeam.tree.json_values import check_choice, check_entries, check_number, check_type, list_to_array
from hornbeam.tree.outputs import Output
from hornbeam.tree.tree import Tree

# The element types an array may have; "str" is text of any width.
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "str", "object"),
)


def _saved_name(slot: str, part: type[Part]) -> str:
    """The class name of a part; of a selection without the word, as files have always had it."""
    return part.__name__.removesuffix("Selection") if slot == "selection" else part.__name__


# Every part of every slot, and those that no single word stands for. Methods of pruning say so, since some
# share their names with parts of other slots; those of densities do, too.
PARTS: Mapping[str, type[Part]] = {
    **{
        ("pruning." if slot == "pruning" else "") + _saved_name(slot, part): part
        for slot, table in SLOTS.items()
        for part in table.values()
    },
    **{part.__name__: part for part in (PerColumn, Predicates)},
    **{f"density.{part.__name__.removeprefix('Density')}": part for part in DENSITY_PRUNING.values()},
}
_NAMES: Mapping[type[Part], str] = {part: name for name, part in PARTS.items()}


def parameter_to_plain(name: str, value: Any) -> Any:
    """A parameter as something JSON can hold; what cannot be written is refused by the parameter's name.

    >>> from hornbeam.parts import AllPaths
    >>> parameter_to_plain("missing", AllPaths(vote="leaf"))
    {'type': 'part', 'value': {'part': 'AllPaths', 'parameters': {'vote': 'leaf'}}}
    """
    if isinstance(value, Part):
        if type(value) not in _NAMES:
            raise ValueError(
                f"{name}={value!r} is a part of your own, which a file cannot hold: save the tree alone, as"
                " hb.save(model.tree_, path)"
            )
        given = value.get_params(deep=False)
        inner = {key: parameter_to_plain(f"{name}__{key}", v) for key, v in given.items()}
        return {"type": "part", "value": {"part": _NAMES[type(value)], "parameters": inner}}
    tree = value if isinstance(value, Tree) else getattr(value, "tree_", None)
    if isinstance(tree, Tree):
        return {"type": "tree", "value": tree.to_dict()}
    if isinstance(value, np.ndarray):
        return {"type": "array", "value": array_to_plain(value)}
    if isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
        if set(value) != {"type", "value"}:
            return {k: parameter_to_plain(f"{name}[{k!r}]", v) for k, v in value.items()}
    elif isinstance(value, list | tuple):
        items = [parameter_to_plain(f"{name}[{k}]", v) for k, v in enumerate(value)]
        return items if isinstance(value, list) else {"type": "tuple", "value": items}
    try:
        return value_to_plain(value)
    except TypeError:
        what = "a Python function" if callable(value) else f"of type {type(value).__name__}"
        raise ValueError(
            f"{name}={value!r} is {what}, which a file cannot hold: set a plain value with set_params before"
            " saving, or save the tree alone, as hb.save(model.tree_, path)"
        ) from None


def plain_to_parameter(plain: Any) -> Any:
    """The inverse of `parameter_to_plain`.

    >>> plain_to_parameter({"type": "part", "value": {"part": "AllPaths", "parameters": {"vote": "leaf"}}})
    AllPaths(vote='leaf')
    """
    if isinstance(plain, list):
        return [plain_to_parameter(v) for v in plain]
    if not isinstance(plain, dict):
        return plain
    if set(plain) != {"type", "value"}:
        return {k: plain_to_parameter(v) for k, v in plain.items()}
    read = _READ.get(plain["type"])
    return plain_to_value(plain) if read is None else read(plain["value"])


def array_to_plain(array: Any) -> dict[str, Any]:
    """A small array with its element type.

    >>> array_to_plain(np.array(["no", "yes"]))
    {'dtype': 'str', 'values': ['no', 'yes']}
    """
    dtype = "str" if array.dtype.kind in "UT" else array.dtype.name
    if dtype not in DTYPES:
        raise ValueError(f"an array of {array.dtype} cannot be saved: types are {', '.join(DTYPES)}")
    return {"dtype": dtype, "values": value_to_plain(array.tolist())}


def plain_to_array(plain: Any, place: str = "array") -> Any:
    """The inverse of `array_to_plain`; `place` is where it stands in a file."""
    check_entries(plain, place, ("dtype", "values"))
    check_choice(plain["dtype"], f"{place}.dtype", DTYPES)
    check_type(plain["values"], f"{place}.values", "an array")
    values = plain_to_value(plain["values"])
    if plain["dtype"] != "object":
        return np.array(values, dtype=plain["dtype"])
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _part(value: Any) -> Part:
    check_entries(value, "part", ("part", "parameters"))
    check_type(value["part"], "part.part", "a string")
    check_type(value["parameters"], "part.parameters", "an object")
    if value["part"] not in PARTS:
        raise ValueError(f"a part is called {value['part']!r}: known parts are {', '.join(sorted(PARTS))}")
    kind, parameters = PARTS[value["part"]], value["parameters"]
    unknown = unknown_name(kind, parameters)
    if unknown is not None:
        raise ValueError(unknown)
    try:
        inspect.signature(kind).bind(**parameters)
    except TypeError as fault:
        raise ValueError(f"the part {value['part']} cannot be made: {fault}") from None
    part = kind(**{k: plain_to_parameter(v) for k, v in parameters.items()})
    part.check()
    return part


def _tuple(value: Any) -> tuple[Any, ...]:
    check_type(value, "tuple", "an array")
    return tuple(plain_to_parameter(v) for v in value)


_READ: Mapping[str, Callable[[Any], Any]] = {
    "part": _part,
    "tree": Tree.from_dict,
    "array": plain_to_array,
    "tuple": _tuple,
}


# ---- fitted estimators -----------------------------------------------------------------------------------


# The kinds of table that a density draws: words of estimators.density.drawn_rows, and names of libraries.
CONTAINERS = ("array", "columns", "records", "pandas", "polars", "pyarrow")
LATER = ("exclude", "parse_dates")  # parameters that 0.1.0 did not know: written only if they are set
PATH = ("alpha", "leaves", "loss", "score", "error")
ESTIMATORS: Mapping[str, type[TreeModel]] = {
    estimator.__name__: estimator
    for estimator in (TreeClassifier, TreeRegressor, TreeDensity, TreeSurvival, TreeOutputs)
}


def estimator_to_plain(model: Any, known: Mapping[str, type[Any]]) -> dict[str, Any]:
    """The class of a fitted estimator, its parameters, its labels, and whether its columns had names."""
    name = type(model).__name__
    if known.get(name) is not type(model):
        raise ValueError(
            f"a {name} is nothing a file can hold; an estimator of Hornbeam or a Tree is: save its tree, as"
            " hb.save(model.tree_, path)"
        )
    given = model.get_params(deep=False)
    plain = {
        "class": name,
        "parameters": {
            key: parameter_to_plain(key, value)
            for key, value in given.items()
            if key not in LATER or value is not None
        },
        "has_names": hasattr(model, "feature_names_in_"),
    }
    labels = getattr(model, "classes_", None)
    if isinstance(labels, list):
        plain["output_labels"] = [None if own is None else array_to_plain(own) for own in labels]
    elif labels is not None:
        plain["labels"] = array_to_plain(labels)
    return plain


def plain_to_estimator(plain: Any, known: Mapping[str, type[Any]], task: str) -> Any:
    """The estimator with its parameters, not fitted yet; `task` is that of the tree or trees beside it."""
    required, optional = (
        ("class", "parameters", "has_names"),
        ("labels", "output_labels", "judged", "container", "path"),
    )
    check_entries(plain, "estimator", required, optional)
    for entry, allowed in zip(required, ("a string", "an object", "a boolean"), strict=True):
        check_type(plain[entry], f"estimator.{entry}", allowed)
    name = plain["class"]
    if name not in known:
        raise ValueError(f"an estimator is called {name!r}: known ones are {', '.join(sorted(known))}")
    wanted = known[name].task
    if wanted != task and not getattr(known[name], "mixes_tasks", False):
        raise ValueError(f"a {name} needs a tree with task={wanted!r}, but it has task={task!r}")
    model = known[name](**{key: plain_to_parameter(v) for key, v in plain["parameters"].items()})
    check_n_jobs(model.n_jobs)
    return model


def plain_to_labels(
    model: Any, plain: Mapping[str, Any], classes: Sequence[Any], outputs: Sequence[Output] = ()
) -> None:
    """Give a classifier its labels; of several targets those of each."""
    if (
        outputs
        and isinstance(plain.get("output_labels"), list)
        and len(plain["output_labels"]) == len(outputs)
    ):
        place = "estimator.output_labels"
        labels = [None if own is None else plain_to_array(own, place) for own in plain["output_labels"]]
        for own, output in zip(labels, outputs, strict=True):
            label_places(
                np.empty(0) if own is None else own, output.classes or ()
            )  # refuses what does not fit
        model.set_output_labels(labels)
        return
    if outputs or "labels" not in plain:
        raise ValueError(f"a {type(model).__name__} needs its labels")
    model.set_labels(plain_to_array(plain["labels"], "estimator.labels"), classes)


def model_to_plain(model: TreeModel) -> dict[str, Any]:
    """What a file holds of a fitted estimator besides its tree."""
    plain = estimator_to_plain(model, ESTIMATORS)
    if isinstance(model, TreeDensity):
        plain["container"] = model._container if model._container in CONTAINERS else "pyarrow"
        path = model.path_
        if path is not None:
            arrays = {name: getattr(path, name) for name in PATH}
            lists = {name: array_to_list(a) for name, a in arrays.items() if a is not None}
            plain["path"] = lists | {"chosen": int(path.chosen)}
    return plain


def plain_to_model(plain: Mapping[str, Any], tree: Tree) -> TreeModel:
    """The fitted estimator of a tree."""
    model: TreeModel = plain_to_estimator(plain, ESTIMATORS, tree.task)
    model.tree_ = tree
    model.n_features_in_ = len(tree.columns)
    if plain["has_names"]:
        model.feature_names_in_ = np.array([column.name for column in tree.columns], dtype=object)
    if isinstance(model, (TreeClassifier, TreeOutputs)):
        plain_to_labels(model, plain, tree.classes or (), tree.outputs)
    if isinstance(model, TreeDensity):
        _check_box(tree)
        model._container = plain.get("container", "array")
        check_choice(model._container, "estimator.container", CONTAINERS)
        model.path_ = _path(plain["path"]) if "path" in plain else None
    else:
        model.pruning_ = None  # what was decided about nodes that are gone is not kept
    return model


def _check_box(tree: Tree) -> None:
    """A TreeDensity knows the box of its root on every column, in order."""
    n = len(tree.columns)
    if tree.box_offset[1] != n or tree.box_column[:n].tolist() != list(range(n)):
        raise ValueError("the root of a TreeDensity needs a box with every column, in order")


def _path(plain: Any) -> DensityPath:
    check_entries(plain, "estimator.path", (*PATH[:3], "chosen"), PATH[3:])
    check_number(plain["chosen"], "estimator.path.chosen", np.int64)
    arrays = {
        name: list_to_array(
            plain[name], f"estimator.path.{name}", np.int64 if name == "leaves" else np.float64
        )
        for name in PATH
        if name in plain
    }
    n = len(arrays["alpha"])
    if any(len(array) != n for array in arrays.values()) or not 0 <= plain["chosen"] < n:
        raise ValueError("estimator.path needs lists of one length, and a chosen place among them")
    return DensityPath(**arrays, chosen=plain["chosen"])
