"""`hornbeam prune` and `hornbeam path`: a smaller model, and all sizes of a tree with their errors."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.inputs import FOLDS_SEED, ModelRequest, ModelRows, OutcomeColumns, ReadOptions
from hornbeam.cli.models import (
    OpenedModel,
    facts_of,
    named_rows,
    open_model,
    rows_for,
    training_rows,
    with_facts,
)
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.part_syntax import part_of
from hornbeam.cli.tables import Answer, Header, print_answer, short, size_words, sparkline, text_lines
from hornbeam.cli.terminal import Messages, Progress, styled_line

_MOST_STEPS = 40  # steps of a long path that are printed; machines get all
_MOST_SIGNS = 60  # of the curve below it


@make_command(
    "prune",
    "hornbeam fit demo:robots --pruning none -o robots.tree.json",
    "hornbeam prune robots.tree.json --leaves 2 -o small.tree.json",
    "hornbeam prune robots.tree.json --method 'error-based(confidence=0.1)' -o smaller.tree.json",
)
def prune_command(
    messages: Messages,
    *,
    model: str = argument(),
    leaves: int | None = option("The best subtree with at most N leaves."),
    alpha: float | None = option(
        "The best subtree at a penalty of A for each leaf.", type=click.FloatRange(min=0), metavar="A"
    ),
    one_se: bool = option("The smallest subtree within one standard error of the best, by cross-validation."),
    least: bool = option("The subtree of the least cross-validated error."),
    method: str | None = option(
        "Another method: reduced-error, error-based(confidence=0.1), ...", metavar="PART"
    ),
    data: str | None = option(
        "Table: the training rows for --one-se and --least, other rows for --method.", metavar="FILE"
    ),
    outcome: OutcomeColumns,
    output: str = option("Where to save the smaller model.", "-o", required=True, metavar="FILE"),
    seed: int = FOLDS_SEED,
    reading: ReadOptions,
    form: str,
) -> None:
    """Prune MODEL and save the smaller model; the file MODEL is not changed.

    Choose one of --leaves, --alpha, --one-se, --least, or a --method with its parameters in brackets.
    """
    import hornbeam as hb

    ways = {"--leaves": leaves, "--alpha": alpha, "--one-se": one_se or None, "--least": least or None}
    chosen = [name for name, value in (ways | {"--method": method}).items() if value is not None]
    if len(chosen) != 1:
        wrong = "say how" if not chosen else f"{' and '.join(chosen)} exclude each other: say one"
        raise click.UsageError(f"{wrong}: --leaves N, --alpha A, --one-se, --least or --method PART")
    request = ModelRequest(model=model, data=data, outcome=outcome, reading=reading)
    opened = open_model(model)
    if method is not None:
        pruned = _prune_by_method(opened, method, request, messages)
    elif opened.tree.task.is_density:
        raise Failure("a density tree has no errors to weigh: prune it with --pruning in hornbeam fit")
    else:
        rows = rows_for(opened, request, messages)[0] if one_se or least else None
        path = _path_of(opened, rows, None, messages, cv=None, risk="error", random_state=seed)
        rule = "1-se" if one_se else "min" if least else None
        pruned = path.choose(rule, leaves=leaves, alpha=alpha)
    tree = getattr(pruned, "tree_", pruned)
    if not facts_of(tree) and opened.facts:
        pruned = with_facts(pruned, opened.facts)
    hb.save(pruned, output)
    messages.info((f"saved {output}", "dim"))
    print_answer(_prune_answer(output, opened.tree, tree), form)


def _prune_by_method(opened: OpenedModel, method: str, request: ModelRequest, messages: Messages) -> Any:
    import hornbeam as hb
    from hornbeam.pruning import PRUNING

    part = part_of("--method", method, PRUNING)
    if part is None:
        raise click.UsageError("--method none prunes nothing: name a method")
    rows: ModelRows | None
    if request.data is not None:
        rows = named_rows(opened, request.data, request, messages)
    elif not part.uses_rows:
        if not opened.facts.get("source"):
            return hb.prune(opened.model, part)
        rows = training_rows(opened, messages)[0]  # those that were grown on, for subtrees that move up
    elif opened.facts.get("holdout"):
        rows = training_rows(opened, messages)[1]
        messages.info(("pruning by the rows that fit held out", "dim"))
    else:
        raise click.UsageError(
            f"--method {method} prunes by rows that did not grow the tree: give them with --data FILE"
        )
    assert rows is not None
    return hb.prune(opened.model, part, rows.X, rows.y, **rows.keywords())


def _prune_answer(output: str, tree: Any, pruned: Any) -> Answer:
    sizes = [
        {"tree": name, **{key: one.statistics()[key] for key in ("leaves", "depth", "nodes", "reading_size")}}
        for name, one in (("before", tree), ("after", pruned))
    ]
    before, after = sizes

    def text() -> list[str]:
        return [styled_line(sys.stdout, ("✓ ", "good"), *size_words(before), " → ", *size_words(after))]

    data = {"model": output, "before": before, "after": after}
    return Answer("prune/1", data, [Header(name) for name in before], sizes, text)


@make_command(
    "path",
    "hornbeam fit demo:robots --pruning none -o robots.tree.json",
    "hornbeam path robots.tree.json",
    "hornbeam path robots.tree.json demo:robots --cv 4 --format csv",
)
def path_command(
    messages: Messages,
    *,
    request: ModelRequest,
    cv: int | None = option(
        "Number of folds; 0 for none.  [default: 10 if there are training rows]", least=0
    ),
    validation: str | None = option("Table of rows the model was not fitted on.", metavar="FILE"),
    risk: str = option(
        "What is weighed against the number of leaves.",
        type=click.Choice(["error", "impurity"]),
        default="error",
    ),
    seed: int = FOLDS_SEED,
    form: str,
) -> None:
    """List the nested subtrees of MODEL, from the whole tree to its root: penalty, leaves, errors.

    The rows the model was fitted on are read again for cross-validation, unless DATA names them; rows that
    fit --holdout kept apart are measured, too. The size that the 1-SE rule chooses is marked.
    """
    no_density = "a density tree has no errors: its path is that of --pruning in hornbeam fit"
    opened = open_model(request.model, no_density=no_density)
    rows, held_out = _rows_of_path(opened, request, cv, messages)
    if validation is not None:
        held_out = named_rows(opened, validation, request, messages)
    path = _path_of(opened, rows, held_out, messages, cv=cv, risk=risk, random_state=seed)
    steps = [{"step": k, **step} for k, step in enumerate(path.as_dicts())]
    chosen = path.step("1-se") if path.cv is not None or path.validation is not None else None
    data = {"model": request.model, "risk": risk, "steps": steps, "chosen": chosen}
    headers = [Header(name) for name in steps[0] if name != "nodes"]
    print_answer(Answer("path/1", data, headers, steps, lambda: _path_text(steps, chosen)), form)
    if chosen is not None:
        smaller = f"--leaves {steps[chosen]['leaves']} -o small.tree.json"
        messages.info(("next: ", "dim"), f"hornbeam prune {request.model} {smaller}")


def _rows_of_path(
    opened: OpenedModel, request: ModelRequest, cv: int | None, messages: Messages
) -> tuple[ModelRows | None, ModelRows | None]:
    """The rows to learn from and those held out, where there are any."""
    if request.data is not None or opened.facts.get("source"):
        return rows_for(opened, request, messages)
    if cv:
        raise click.UsageError(f"{opened.path} does not say where its rows are: name the table, too")
    return None, None


def _path_of(
    opened: OpenedModel,
    rows: ModelRows | None,
    held_out: ModelRows | None,
    messages: Messages,
    *,
    cv: int | None,
    **options: Any,
) -> Any:
    """The pruning path of a model, cross-validated on its rows and measured on those held out."""
    import hornbeam as hb
    from hornbeam.tree.tree import Tree

    with Progress(messages, "cross-validating") as progress:
        if rows is not None and cv != 0 and not isinstance(opened.model, Tree):
            options |= {"X": rows.X, "y": rows.y, **rows.keywords(), "cv": cv, "progress": progress}
        if held_out is not None:
            options["validation"] = held_out.as_tuple()
        return hb.pruning_path(opened.model, **options)


def _path_text(steps: list[dict[str, Any]], chosen: int | None) -> list[str]:
    differs = any(step["training"] != step["risk"] for step in steps)
    names = [n for n in steps[0] if n not in ("step", "nodes") and (n != "training" or differs)]
    headers = [Header("", "mark", style="good"), Header("step")]
    headers += [Header(name.replace("_error", " ±"), name, spell=short) for name in names]
    rows = [{**step, "mark": "▸" if step["step"] == chosen else ""} for step in steps]
    remark = list[str]()
    if len(rows) > _MOST_STEPS:
        half, last = _MOST_STEPS // 2, len(rows) - _MOST_STEPS // 2
        near = half if chosen is None else max(half, min(chosen, last))  # the chosen step is always shown
        shown = [*range(half), *([near] if near < last else []), *range(last, len(rows))]
        hidden = f"{len(rows) - len(shown)} steps in between are not shown"
        remark = [styled_line(sys.stdout, (hidden, "dim"))]
        rows = [rows[k] for k in shown]
    curves = [
        styled_line(sys.stdout, (f"{name} error by step  ", "dim"), (_curve(steps, name), "bar"))
        for name in ("cv", "validation")
        if name in steps[0]
    ]
    if any(name.endswith("_error") for name in names):
        remark.append(styled_line(sys.stdout, ("±: one standard error of the error to its left", "dim")))
    return [*text_lines(headers, rows), *remark, *curves]


def _curve(steps: list[dict[str, Any]], name: str) -> str:
    values, most = [step[name] for step in steps], _MOST_SIGNS
    if len(values) > most:
        values = [values[k * (len(values) - 1) // (most - 1)] for k in range(most)]
    return sparkline(values)
