"""How good a model is, and which of two is better: measures with intervals, on rows or by folds."""

from hornbeam.evaluation.compare import Comparison, compare
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.evaluate import evaluate
from hornbeam.evaluation.evaluation_result import Evaluation

__all__ = ["Comparison", "Estimate", "Evaluation", "compare", "evaluate"]
