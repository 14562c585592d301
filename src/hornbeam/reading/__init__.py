"""Reading a tree: as indented text (`show`), as rules (`rules`), and along the path of one row (`explain`).

Everything here takes an estimator or a Tree and looks at the Tree only.
"""

from hornbeam.reading._common import tree_of
from hornbeam.reading.conditions import Condition
from hornbeam.reading.explain import Explanation, explain
from hornbeam.reading.probabilities import probabilities
from hornbeam.reading.rules import Rule, rules
from hornbeam.reading.show import show
from hornbeam.reading.surrogates import SurrogateTest, surrogates

__all__ = [
    "Condition",
    "Explanation",
    "Rule",
    "SurrogateTest",
    "explain",
    "probabilities",
    "rules",
    "show",
    "surrogates",
    "tree_of",
]
