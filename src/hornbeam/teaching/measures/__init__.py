"""Measures: every formula by which trees judge groups, splits and answers, as a plain function.

One idea: a number on a slide is one call. Groups are counts or probabilities, splits a table of counts or two
columns, answers two columns.

>>> from hornbeam.teaching import measures
>>> round(measures.entropy([9, 5]), 6)
0.940286
>>> round(measures.information_gain([[2, 3], [4, 0], [3, 2]]), 6)
0.24675
"""

from hornbeam.growing.leaves.fit_equations import m5_factor, m5_smooth
from hornbeam.teaching.measures.code_lengths import (
    cross_entropy,
    huffman_code,
    huffman_lengths,
    mean_code_length,
)
from hornbeam.teaching.measures.count_table import Tabulation, tabulate
from hornbeam.teaching.measures.gains import (
    conditional_entropy,
    gain,
    gain_ratio,
    information_gain,
    is_perfect,
    is_useless,
    split_information,
    val_branches,
    val_tree,
)
from hornbeam.teaching.measures.potentials import (
    binary_entropy,
    entropy,
    error,
    gini,
    gini_two,
    half_entropy,
    potential,
    root,
    shares,
    val,
    val_leaves,
    val_split,
)
from hornbeam.teaching.measures.prediction_errors import (
    error_rate,
    is_overfitted,
    log_loss,
    logistic,
    logistic_gradient,
    logistic_loss,
    logistic_step,
    mae,
    memorising_error,
    mse,
    rmse,
)
from hornbeam.teaching.measures.spread import (
    absolute_deviation,
    mean,
    pinball,
    poisson_deviance,
    quantile,
    sd,
    sd_after_split,
    sdr,
    variation,
)

__all__ = [
    "Tabulation", "absolute_deviation", "binary_entropy", "conditional_entropy", "cross_entropy", "entropy",
    "error", "error_rate", "gain", "gain_ratio", "gini", "gini_two", "half_entropy", "huffman_code",
    "huffman_lengths", "information_gain", "is_overfitted", "is_perfect", "is_useless", "log_loss",
    "logistic", "logistic_gradient", "logistic_loss", "logistic_step", "m5_factor", "m5_smooth", "mae",
    "mean", "mean_code_length", "memorising_error", "mse", "pinball", "poisson_deviance", "potential",
    "quantile", "rmse", "root", "sd", "sd_after_split", "sdr", "shares", "split_information", "tabulate",
    "val", "val_branches", "val_leaves", "val_split", "val_tree", "variation",
]  # fmt: skip
