"""How good a model is, and which of two is better: measures with intervals, on rows or by folds."""

from hornbeam.evaluating.compare import Comparison, compare
from hornbeam.evaluating.evaluate import Evaluation, evaluate
from hornbeam.evaluating.intervals import Estimate

__all__ = ["Comparison", "Estimate", "Evaluation", "compare", "evaluate"]
