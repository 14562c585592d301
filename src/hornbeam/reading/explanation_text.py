"""An explanation in words, as the terminal shows it.

One idea: the answer and how sure it is; because of which tests; what was odd; what would change it; what each
column added; what was not used. One line each where it fits::

    survived  54 %  (40 of 74 training records at leaf #6; 95 % 43–65)
      because  Sex = female  and  Pclass > 2.5 (it is 3)  and  Fare ≤ 24.81 (it is 8.05)
      Age is missing but was not needed
      closest change: Fare > 24.81 → died 93 %
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hornbeam.data.formatting import class_text, share_text, visible
from hornbeam.tree import words
from hornbeam.tree.words import UNICODE, Signs, rows_text

if TYPE_CHECKING:
    from hornbeam.reading.explain import Explanation
    from hornbeam.reading.explanation_steps import Reached, Remark

_WIDTH = 110
_MOST_LEAVES = 10  # of more leaves the heaviest are listed
_MOST_COLUMNS = 8  # of more columns that were not used the first are listed
_MOST_SHARES = 5  # of more columns that add something the largest are listed


def write_explanation(
    explanation: Explanation, signs: Signs, target: str | None = None, *, full: bool = False
) -> str:
    """The whole text."""
    lines = [_headline(explanation, signs, target), *_because(explanation, signs)]
    if len(explanation.reached) == 1 and explanation.reached[0].equation is not None:
        lines.append(f"   answer  {explanation.reached[0].equation}")
    if len(explanation.reached) > 1:
        lines.append(f"  {len(explanation.reached)} leaves were reached; their answers by weight:")
        lines += [_leaf_line(explanation, leaf, target) for leaf in explanation.reached[:_MOST_LEAVES]]
        if len(explanation.reached) > _MOST_LEAVES:
            lines.append(f"    and {len(explanation.reached) - _MOST_LEAVES} lighter ones")
    lines += [f"  {text}" for text in _odd(explanation.remarks)]
    if explanation.changes:
        dot = " · " if signs is UNICODE else " | "
        changes = [change.text(signs, target, full=full) for change in explanation.changes]
        lines.append(f"  closest change: {f' {dot} '.join(changes)}")
    lines += _shares(explanation)
    if explanation.unused:
        more = len(explanation.unused) - _MOST_COLUMNS
        rest = f" and {more} more" if more > 0 else ""
        lines.append(f"  not asked: {', '.join(map(visible, explanation.unused[:_MOST_COLUMNS]))}{rest}")
    return "\n".join(lines)


def _headline(explanation: Explanation, signs: Signs, target: str | None) -> str:
    text = _answer_text(explanation.answer, target, is_label=explanation.probabilities is not None)
    if explanation.reached[0].survival:
        text = f"risk {text}"
    if explanation.probabilities is not None:
        text += f"  {words.percent(explanation.probabilities[explanation.answer])}"
    if len(explanation.reached) == 1 and explanation.in_support:
        text += f"  ({_grounds(explanation, explanation.reached[0], signs)})"
    if explanation.probabilities is not None:
        others = sorted(
            (
                (-p, class_text(c, target))
                for c, p in explanation.probabilities.items()
                if c != explanation.answer and p > 0
            )
        )
        text += "".join(f"  {share_text(name, words.percent(-p))}" for p, name in others[:5])
    return text


def _grounds(explanation: Explanation, leaf: Reached, signs: Signs) -> str:
    """What the answer rests on: so many training records of the leaf."""
    if not leaf.n_rows:
        return f"leaf #{leaf.leaf}, which has no training records"
    records = "record" if leaf.n_rows == 1 else "records"
    if leaf.count is not None and leaf.interval is not None:
        dash = "–" if signs is UNICODE else "-"
        shown = f"{words.records(leaf.count)} of {words.records(explanation.leaf_weight)}"
        text = f"{shown} training {records} at leaf #{leaf.leaf}"
        low, high = (f"{100 * end:.0f}" for end in leaf.interval)
        return f"{text}; 95 % {low}{dash}{high}"
    spread = "" if leaf.spread is None or leaf.equation else f"; {signs.spread} {words.amount(leaf.spread)}"
    survival = f"; {leaf.survival}" if leaf.survival else ""
    return f"{leaf.n_rows:,} training {records} at leaf #{leaf.leaf}{spread}{survival}"


def _because(explanation: Explanation, signs: Signs) -> list[str]:
    """The steps on one line if they fit, else below each other."""
    if not explanation.path:
        return []
    steps = [step.worded(step.shown if signs is UNICODE else step.text) for step in explanation.path]
    line = f"  because  {'  and  '.join(steps)}"
    if len(line) <= _WIDTH:
        return [line]
    return [f"  {'because' if k == 0 else '    and'}  {step}" for k, step in enumerate(steps)]


def _leaf_line(explanation: Explanation, leaf: Reached, target: str | None) -> str:
    label = _answer_text(leaf.answer, target, is_label=explanation.probabilities is not None)
    if leaf.equation is not None:
        label += f" = {leaf.equation}"
    when = " and ".join(leaf.conditions) or "always"
    return f"    {leaf.weight:.3f}  {label} from {rows_text(leaf.n_rows)}: {when}"


def _shares(explanation: Explanation) -> list[str]:
    """What each column added, in percent of probability or in the units of the target."""
    contributions = explanation.contributions
    if contributions is None or not contributions.largest_first():
        return []
    of_class = explanation.probabilities is not None
    some = contributions.largest_first()[:_MOST_SHARES]
    base = words.percent(contributions.base) if of_class else words.amount(contributions.base)
    pieces = [f"{visible(name)} {_signed(value, of_class=of_class)}" for name, value in some]
    left = len(contributions.largest_first()) - len(some)
    rest = f", and {left} more" if left else ""
    return [f"  contributions: {base} without knowing the row, {', '.join(pieces)}{rest}"]


def _signed(value: float, *, of_class: bool) -> str:
    sign = "-" if value < 0 else "+"
    if of_class:
        return f"{sign}{100 * abs(value):.0f} %" if abs(value) >= 0.005 else f"{sign}{100 * abs(value):.1g} %"
    return f"{sign}{words.amount(abs(value))}"


def _answer_text(value: Any, target: str | None, *, is_label: bool) -> str:
    return class_text(value, target) if is_label else words.amount(float(value))


def _odd(remarks: Sequence[Remark]) -> list[str]:
    """What is odd about the row; several gaps that no test asked for are one line."""
    idle = [remark.column for remark in remarks if remark.kind == "missing" and not remark.needed]
    lines = [
        remark.text
        for remark in remarks
        if (not remark.needed and remark.kind != "missing") or remark.kind == "outside"
    ]
    if len(idle) == 1:
        return [f"{idle[0]} is missing but was not needed", *lines]
    if idle:
        more = len(idle) - _MOST_COLUMNS
        shown = [*idle[:_MOST_COLUMNS], f"{more} more"] if more > 0 else idle
        lines.insert(0, f"{', '.join(shown[:-1])} and {shown[-1]} are missing but were not needed")
    return lines
