from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

def version() -> str: ...
def instructions() -> str: ...
def numbers_text(array: NDArray[Any]) -> bytes: ...
def take_arrays_out(text: bytes, words: list[str]) -> tuple[bytes, list[tuple[int, int, NDArray[Any]]]]: ...
def codes_of_objects(
    objects: NDArray[np.object_], gaps: tuple[object, ...], codes: NDArray[np.int32]
) -> tuple[list[str], bool] | None: ...
def codes_of_arrow(chunks: list[object], large: bool, codes: NDArray[np.int32]) -> list[str]: ...
def criteria() -> list[tuple[str, bool, str]]: ...
def round_thresholds(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    single: NDArray[np.bool_],
    middle_only: bool = False,
) -> NDArray[np.float64]: ...
def grow(
    columns: list[tuple[NDArray[Any], int, int, int]],
    n_rows: int,
    target: dict[str, Any],
    plan: dict[str, Any],
    progress: Callable[[float], object] | None,
) -> tuple[dict[str, NDArray[Any]], bool]: ...
def grow_far(
    columns: list[tuple[NDArray[Any], int, int, int]],
    target: dict[str, Any],
    plan: dict[str, Any],
    limits: dict[str, int],
    send: Callable[[bytes], bytes],
    progress: Callable[[float], object] | None,
    kept: Any | None,
) -> tuple[dict[str, NDArray[Any]], bool]: ...
def answer(
    message: bytes,
    columns: list[tuple[NDArray[Any], int, int, int]],
    n_rows: int,
    target: dict[str, Any],
    plan: dict[str, Any],
    checksums: NDArray[np.uint64] | None,
    codes: NDArray[np.uint8] | None,
    nodes: NDArray[np.uint8] | None,
) -> bytes: ...
def merge_answers(answers: list[bytes]) -> bytes: ...
def checksums(
    columns: list[tuple[NDArray[Any], int, int, int]], n_rows: int, target: dict[str, Any]
) -> NDArray[np.uint64]: ...
def cache_bytes(n_columns: int, n_rows: int) -> tuple[int, int]: ...
def grow_forest(
    columns: list[tuple[NDArray[Any], int, int, int]],
    n_rows: int,
    target: dict[str, Any],
    plan: dict[str, Any],
    seeds: NDArray[np.uint64],
    draws: tuple[NDArray[np.int64], NDArray[np.int64] | None, int] | None,
    progress: Callable[[float], object] | None,
) -> tuple[list[dict[str, NDArray[Any]]], dict[str, NDArray[Any]] | None, bool]: ...
def row_keys(
    columns: list[tuple[NDArray[Any], int, int, int]], n_rows: int, target: dict[str, Any], n_threads: int
) -> NDArray[np.uint64]: ...
def bootstrap(
    draws: tuple[NDArray[np.int64], NDArray[np.int64] | None, int], seed: int
) -> NDArray[np.int64]: ...
def surrogates(
    columns: list[tuple[NDArray[Any], int, int, int]],
    side: NDArray[np.int32],
    weight: NDArray[np.float64],
    copies: NDArray[np.int64],
    own: list[int],
    rule: dict[str, Any],
) -> dict[str, NDArray[Any]]: ...
def score_directions(
    z: NDArray[np.float32],
    width: int,
    told: dict[str, Any],
    directions: NDArray[np.float64],
    n_threads: int,
) -> NDArray[np.float64]: ...
def climb(
    z: NDArray[np.float32],
    width: int,
    told: dict[str, Any],
    starts: NDArray[np.float64],
    free: NDArray[np.uint8],
    how: tuple[float, float, int, float, float],
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]: ...
def look_ahead(
    z: NDArray[np.float32],
    width: int,
    told: dict[str, Any],
    directions: NDArray[np.float64],
    least: float,
    depth: int,
    most: int,
    budget: int,
) -> tuple[int, int, float, float]: ...
def node_stats(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    leaf: NDArray[np.int32],
    weight: NDArray[np.float64],
    values: NDArray[np.float64],
    rates: bool,
) -> NDArray[np.float64]: ...
def node_quantiles(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    leaf: NDArray[np.int32],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    levels: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def pack32(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def pack64(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def pack32_compact(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def pack64_compact(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def apply_dense(
    packed: NDArray[np.uint8], rows: NDArray[Any], n_threads: int
) -> tuple[NDArray[np.int32], bool]: ...
def apply_columns(
    arrays: dict[str, Any], columns: list[NDArray[Any]], n_rows: int, n_threads: int
) -> NDArray[np.int32]: ...
def apply_dealt(
    arrays: dict[str, Any],
    columns: list[NDArray[Any]],
    dealt: int,
    rows: NDArray[np.int64],
    orders: list[NDArray[np.int64]],
    n_threads: int,
) -> NDArray[np.int32]: ...
def apply_paths(
    arrays: dict[str, Any],
    columns: list[NDArray[Any]],
    rows: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    share: NDArray[np.float64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
def add_shap_values(
    arrays: dict[str, Any],
    columns: list[NDArray[Any]],
    shares: dict[str, NDArray[np.float64] | None],
    answers: NDArray[np.float64],
    places: NDArray[np.int64],
    points: Callable[[int], tuple[NDArray[np.float64], NDArray[np.float64]]],
    rows: tuple[int, int],
    n_threads: int,
    out: NDArray[np.float64],
) -> None: ...
def raise_subtrees(
    arrays: dict[str, Any],
    columns: list[NDArray[Any]],
    rows: dict[str, Any],
    judge: dict[str, Any],
    branches: Callable[[int, NDArray[np.int64]], NDArray[np.int64]] | None,
    limit: Callable[[float, float], float] | None,
) -> dict[str, Any]: ...
def replace_by_children(
    training_tree: dict[str, Any],
    held_tree: dict[str, Any],
    nodes: dict[str, Any],
    training: dict[str, Any],
    held: dict[str, Any],
    outcome: dict[str, Any],
) -> dict[str, NDArray[Any]]: ...
def optimal_trees(
    columns: list[tuple[NDArray[np.int32], bool, int]],
    costs: NDArray[np.int64] | tuple[NDArray[np.int64], NDArray[np.int64]],
    rows: NDArray[np.int64] | None,
    options: dict[str, Any],
    progress: Callable[[float], object] | None,
) -> list[dict[str, Any]]: ...
def smallest(
    columns: list[tuple[NDArray[np.int32], int, int]],
    classes: NDArray[np.int32],
    n_classes: int,
    plan: dict[str, Any],
) -> dict[str, Any]: ...
def weakest_links(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    risk: NDArray[np.float64],
    leaves: NDArray[np.int64],
) -> tuple[NDArray[np.float64], int]: ...
def fewest_cost(tree: dict[str, Any]) -> tuple[int, float, float]: ...
def fewest_tables(tree: dict[str, Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def fewest_leaves(
    tree: dict[str, Any], offset: NDArray[np.int64], errors: NDArray[np.float64], at: int
) -> NDArray[np.uint8]: ...
def held_out(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    until: NDArray[np.int32],
    n_strengths: int,
    rows: dict[str, Any],
    loss: dict[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]: ...
def density(
    columns: list[tuple[NDArray[Any], int, int, float, float]],
    n_rows: int,
    weights: NDArray[np.float64] | None,
    counts: NDArray[np.int64] | None,
    plan: dict[str, Any],
    progress: Callable[[float], object] | None,
) -> tuple[dict[str, NDArray[Any]], bool]: ...
def fit_models(
    tree: dict[str, Any],
    columns: list[NDArray[Any]],
    goal: dict[str, Any],
    wanted: dict[str, Any],
    n_threads: int,
) -> dict[str, NDArray[Any]]: ...
def evaluate(
    pools: dict[str, Any],
    columns: list[NDArray[Any]],
    rows: NDArray[np.int64] | None,
    leaves: NDArray[np.int32],
    own: NDArray[np.float64],
    n_threads: int,
) -> NDArray[np.float64]: ...
def class_impurities(criterion: str, counts: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]: ...
def sparse_add(
    matrix: dict[str, NDArray[Any]],
    outcome: dict[str, Any],
    rows: NDArray[np.int64],
    sign: float,
    tally: NDArray[np.float64],
) -> None: ...
def sparse_columns(
    matrix: dict[str, NDArray[Any]],
    outcome: dict[str, Any],
    tally: NDArray[np.float64],
    total: NDArray[np.float64],
    criterion: str,
    least_rows: float,
    least_weight: float,
) -> NDArray[np.int32]: ...
def sparse_block(
    matrix: dict[str, NDArray[Any]], rows: NDArray[np.int64], n_columns: int, most: int
) -> tuple[NDArray[np.int32], NDArray[Any]] | None: ...
def sparse_leaves(
    arrays: dict[str, Any],
    start: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[Any],
    n_columns: int,
) -> NDArray[np.int32]: ...
