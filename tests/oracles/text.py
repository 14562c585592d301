"""K13: the canonical text of a twin's tree, for the worked cases of the lectures and for messages."""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles.twin import Node


def text(
    node: Node, names: Sequence[str], domains: Sequence[Sequence[str]], classes: Sequence[str] = ()
) -> str:
    """`attr[branch: subtree | branch: subtree]`, leaf `label(c1:c2)`; regression leaf `mean(n=...)`."""
    if not node.children:
        return _leaf(node, classes)
    head, labels = _test(node, names, domains)
    parts = [
        f"{label}: {text(c, names, domains, classes)}" for label, c in zip(labels, node.children, strict=True)
    ]
    if node.absent:
        parts = _with_absent(node, parts, domains[node.column], classes)
    return f"{head}[{' | '.join(parts)}]"


def _leaf(node: Node, classes: Sequence[str]) -> str:
    if node.mean is not None:
        return f"{float(node.mean):.4f}(n={node.n_rows})"
    return f"{classes[node.label]}({':'.join(f'{w:g}' for w in node.stats)})"


def _with_absent(node: Node, parts: list[str], domain: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Empty leaves put where the domain has their values; a Missing branch stays last."""
    present = [codes[0] for codes in node.branches if codes]
    empty = (
        "empty" if node.mean is not None else f"{classes[node.label]}({':'.join('0' for _ in node.stats)})"
    )
    at = dict(zip(present, parts, strict=False)) | {v: f"{domain[v]}: {empty}" for v in node.absent}
    return [at[v] for v in sorted(at)] + parts[len(present) :]


def _test(node: Node, names: Sequence[str], domains: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
    name, domain = names[node.column], domains[node.column]
    last = ["Missing"] if node.own_missing else []
    if node.kind == "threshold":
        cut = f"{node.threshold:.17g}" if not domain else str(domain[max(node.branches[0])])
        labels = [f"<={cut}", f">{cut}"][: len(node.children) - len(last)]
    elif node.kind == "equals":
        name, labels = (
            f"{name}={domain[int(node.threshold)]}",
            ["yes", "no"][: len(node.children) - len(last)],
        )
    elif node.kind == "multiway":
        labels = [domain[codes[0]] for codes in node.branches if codes]
    else:
        sets = node.branches[:-1] if last else node.branches
        labels = ["{" + ",".join(str(domain[v]) for v in codes) + "}" for codes in sets]
    labels += last
    if node.missing >= 0 and not last:
        labels[node.missing] += " or Missing"
    return name, labels
