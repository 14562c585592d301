"""Plans that cannot be grown, because two of their parts do not go together: one sentence for each."""

from __future__ import annotations

from typing import Any

from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import Best
from hornbeam.growing.splits import Multiway


def refuse_for_order(plan: Plan, *, is_stepwise: bool) -> None:
    """Raise for what goes only with criteria that are functions of sums."""
    because = _not_of_two_branches(plan) if plan.criterion.name == "log-rank" else None
    if because:
        pass
    elif is_stepwise or not isinstance(plan.selection, Best):
        slots: dict[str, Any] = {"split": plan.split, "search": plan.search}
        slow = [slot for slot, part in slots.items() if part.method != "core"]
        slot = slow[0] if slow and isinstance(plan.selection, Best) else "selection"
        part = getattr(plan, slot)
        because = f"{slot}={part!r} is not possible: leave {slot} at its default, or"
    elif plan.missing.core_rule in (MissingRule.FRACTIONAL, MissingRule.SURROGATES):
        allowed = "'learn', 'branch', 'all-paths'" if plan.criterion.level is not None else "'learn'"
        because = f"missing={plan.missing!r} is not possible: use {allowed} or 'majority', or"
    if because:
        raise ValueError(
            f"criterion={plan.criterion!r} keeps the order of y at every node, with which {because} use"
            f" criterion={'exponential' if plan.criterion.name == 'log-rank' else 'variance'!r}"
        )


def _not_of_two_branches(plan: Plan) -> str | None:
    """Why the log-rank statistic, which compares two branches, cannot judge the splits of a plan."""
    if plan.missing.core_rule == MissingRule.BRANCH:
        return f"missing={plan.missing!r} is not possible: use 'learn' or 'majority', or"
    if plan.constraints.functionals:
        return "monotonic_cst is not possible: leave it out, or"
    if plan.limits.get("min_impurity_decrease", 0.0) > 0:
        return "min_impurity_decrease says nothing: use min_gain, the least statistic, or"
    if isinstance(plan.split, Multiway):
        return f"split={plan.split!r} is not possible: use 'binary' or 'one-vs-rest', or"
    return None


def refuse_for_draws(plan: Plan, *, is_here: bool, is_sparse: bool) -> None:
    """Raise for what does not go with tests that are drawn, one for each column."""
    refused = {
        "rows beyond memory": (not is_here, "fit a table in memory"),
        "a large sparse matrix": (is_sparse, "give X[:, some].toarray()"),
        f"criterion={plan.criterion!r}": (
            plan.criterion.name == "log-rank" or plan.criterion.method != "core",
            "use a criterion of the core that knows no times, such as 'gini' or 'variance'",
        ),
        f"selection={plan.selection!r}": (not isinstance(plan.selection, Best), "use selection='best'"),
        f"search={plan.search!r}": (plan.search.method != "core", "use search='greedy'"),
        f"missing={plan.missing!r}": (
            plan.missing.core_rule in (MissingRule.FRACTIONAL, MissingRule.SURROGATES),
            "use 'learn', 'branch', 'all-paths' or 'majority'",
        ),
    }
    for given, (is_refused, instead) in refused.items():
        if is_refused:
            raise ValueError(
                f"split={plan.split!r} draws one test for each column, which is not possible with {given}:"
                f" {instead}, or use split='binary'"
            )
