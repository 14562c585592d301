"""Theory: how many trees there are, how many examples they need, and what their errors promise.

One idea: a formula is a function, and every function's docstring names the constant in it. Logarithms are
natural unless `base` says otherwise.

>>> from hornbeam.teaching import theory
>>> theory.boolean_functions(2), theory.trees_by_leaves(3, 3)
(16, 144)
>>> theory.sample_size_by_leaves(10, 5, epsilon=0.1, delta=0.05)
916
"""

from hornbeam._base.error_limits import (
    c45_deviate,
    expected_errors,
    srm_guarantee,
    srm_penalty,
    srm_score,
    upper_limit,
)
from hornbeam.teaching.theory.bounds import (
    ValidationSize,
    VCBounds,
    Work,
    error_bound,
    error_gap,
    log_size_to_reach,
    sample_size,
    sample_size_by_depth,
    sample_size_by_leaves,
    validation_sample_size,
    vc_boolean,
    vc_general,
    work,
)
from hornbeam.teaching.theory.bounds_report import TheoryReport, report
from hornbeam.teaching.theory.measured_gamma import MeasuredGamma, measured_gamma
from hornbeam.teaching.theory.shattering import Shattering, shattering
from hornbeam.teaching.theory.tree_counts import (
    boolean_functions,
    boolean_instances,
    catalan,
    log_boolean_functions,
    log_trees_by_depth,
    log_trees_by_leaves,
    log_trees_by_leaves_bound,
    trees_by_depth,
    trees_by_leaves,
)

__all__ = [
    "MeasuredGamma", "Shattering", "TheoryReport", "VCBounds", "ValidationSize", "Work", "boolean_functions",
    "boolean_instances", "c45_deviate", "catalan", "error_bound", "error_gap", "expected_errors",
    "log_boolean_functions", "log_size_to_reach", "log_trees_by_depth", "log_trees_by_leaves",
    "log_trees_by_leaves_bound", "measured_gamma", "report", "sample_size", "sample_size_by_depth",
    "sample_size_by_leaves", "shattering", "srm_guarantee", "srm_penalty", "srm_score", "trees_by_depth",
    "trees_by_leaves", "upper_limit", "validation_sample_size", "vc_boolean", "vc_general", "work",
]  # fmt: skip
