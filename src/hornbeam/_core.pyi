from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

def version() -> str: ...
def uses_avx2() -> bool: ...
def criteria() -> list[tuple[str, bool, str]]: ...
def grow(
    columns: list[tuple[NDArray[Any], int, int, int]],
    n_rows: int,
    target: dict[str, Any],
    plan: dict[str, Any],
    progress: Callable[[float], object] | None,
) -> tuple[dict[str, NDArray[Any]], float, bool]: ...
def surrogates(
    columns: list[tuple[NDArray[Any], int, int, int]],
    side: NDArray[np.int32],
    weight: NDArray[np.float64],
    own: list[int],
    rule: dict[str, Any],
) -> dict[str, NDArray[Any]]: ...
def pack32(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def pack64(arrays: dict[str, Any]) -> NDArray[np.uint8]: ...
def apply_dense(
    packed: NDArray[np.uint8], rows: NDArray[Any], n_threads: int
) -> tuple[NDArray[np.int32], bool]: ...
def apply_columns(
    arrays: dict[str, Any], columns: list[NDArray[Any]], n_rows: int, n_threads: int
) -> NDArray[np.int32]: ...
def apply_paths(
    arrays: dict[str, Any],
    columns: list[NDArray[Any]],
    rows: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    share: NDArray[np.float64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
def smallest(
    columns: list[tuple[NDArray[np.int32], int, int]],
    classes: NDArray[np.int32],
    n_classes: int,
    plan: dict[str, Any],
) -> dict[str, Any]: ...
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
