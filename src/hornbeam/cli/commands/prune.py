"""`hornbeam prune`: a smaller model of one that stands."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.commands.path import path_of
from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import Rows
from hornbeam.cli.models import Opened, facts_of, open_model, remembering, rows_for, training_rows
from hornbeam.cli.options import Outcome, folds_seed, outcomes
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.part_syntax import part_of
from hornbeam.cli.table_options import Reading, reads
from hornbeam.cli.terminal import Talk, line_of
from hornbeam.cli.text_tables import Head, size_words


@make_command(
    "prune",
    "hornbeam fit demo:robots --pruning none -o robots.tree.json",
    "hornbeam prune robots.tree.json --leaves 2 -o small.tree.json",
    "hornbeam prune robots.tree.json --method 'error-based(confidence=0.1)' -o smaller.tree.json",
)
@click.argument("model")
@click.option(
    "--leaves", type=click.IntRange(min=1), metavar="N", help="The best subtree with at most N leaves."
)
@click.option(
    "--alpha",
    type=click.FloatRange(min=0),
    metavar="A",
    help="The best subtree at a penalty of A for each leaf.",
)
@click.option(
    "--one-se", is_flag=True, help="The smallest within a standard error of the best, cross-validated."
)
@click.option("--least", is_flag=True, help="The subtree of the least cross-validated error.")
@click.option(
    "--method", metavar="PART", help="Another method: reduced-error, error-based(confidence=0.1), ..."
)
@click.option(
    "--data",
    metavar="FILE",
    help="Rows: those to learn from with --one-se and --least, others with --method.",
)
@outcomes
@click.option("-o", "--output", required=True, metavar="FILE", help="Where to save the smaller model.")
@folds_seed
@reads
@formatted
def command(
    talk: Talk,
    model: str,
    leaves: int | None,
    alpha: float | None,
    one_se: bool,  # noqa: FBT001 (click's flag)
    least: bool,  # noqa: FBT001
    method: str | None,
    data: str | None,
    outcome: Outcome,
    output: str,
    seed: int,
    reading: Reading,
    form: str,
) -> None:
    """Prune MODEL and save what is left; MODEL itself stays as it is.

    Say how: --leaves, --alpha, --one-se, --least, or another --method with its parameters in brackets.
    """
    ways = {
        "--leaves": leaves is not None,
        "--alpha": alpha is not None,
        "--one-se": one_se,
        "--least": least,
    }
    ways["--method"] = method is not None
    asked = [name for name, given in ways.items() if given]
    if len(asked) != 1:
        said = "say how" if not asked else f"{' and '.join(asked)} exclude each other: say one"
        raise click.UsageError(f"{said}: --leaves N, --alpha A, --one-se, --least or --method PART")
    opened = open_model(model)
    if method is not None:
        pruned = _by_method(opened, method, data, reading, outcome, talk)
    else:
        pruned = _by_path(opened, leaves, alpha, one_se=one_se, least=least, data=data, reading=reading,
                          outcome=outcome, seed=seed, talk=talk)  # fmt: skip
    _finish(opened, pruned, output, form, talk)


def _by_method(
    opened: Opened, method: str, data: str | None, reading: Reading, outcome: Outcome, talk: Talk
) -> Any:
    import hornbeam as hb
    from hornbeam.pruning import PRUNING

    part = part_of("--method", method, PRUNING)
    if part is None:
        raise click.UsageError("--method none prunes nothing: name a method")
    rows: Rows | None
    if data is None and not part.uses_rows:
        if not opened.facts.get("source"):
            return hb.prune(opened.model, part)
        rows = training_rows(opened, talk)[0]  # those that were grown on, for subtrees that move up
    elif data is None and opened.facts.get("holdout"):
        rows = training_rows(opened, talk)[1]
        talk.say(("pruning by the rows that fit held out", "dim"))
    elif data is None:
        raise click.UsageError(
            f"--method {method} prunes by rows that did not grow the tree: give them with --data FILE"
        )
    else:
        rows = rows_for(opened, data, reading, talk, outcome)
    assert rows is not None
    return hb.prune(opened.model, part, rows.X, rows.y, **rows.keywords())


def _by_path(
    opened: Opened,
    leaves: int | None,
    alpha: float | None,
    *,
    one_se: bool,
    least: bool,
    data: str | None,
    reading: Reading,
    outcome: Outcome,
    seed: int,
    talk: Talk,
) -> Any:
    if opened.tree.task == "density":
        raise Failure("a density tree has no errors to weigh: prune it with --pruning in hornbeam fit")
    rows = None
    if one_se or least:
        rows = rows_for(opened, data, reading, talk, outcome)
    path = path_of(opened, rows, None, cv=None, risk="error", seed=seed, talk=talk)
    rule = "1-se" if one_se else "min" if least else None
    return path.choose(rule, leaves=leaves, alpha=alpha)


def _finish(opened: Opened, pruned: Any, output: str, form: str, talk: Talk) -> None:
    import hornbeam as hb

    tree = getattr(pruned, "tree_", pruned)
    if not facts_of(tree) and opened.facts:
        pruned = remembering(pruned, opened.facts)
    hb.save(pruned, output)
    talk.say((f"saved {output}", "dim"))
    rows = [_size("before", opened.tree), _size("after", tree)]
    data = {"model": output, "before": rows[0], "after": rows[1]}
    heads = [Head(name) for name in rows[0]]
    before, after = rows

    def text() -> list[str]:
        return [line_of(sys.stdout, ("✓ ", "good"), *size_words(before), " → ", *size_words(after))]

    give(Answer("prune/1", data, heads, rows, text), form)


def _size(name: str, tree: Any) -> dict[str, Any]:
    size = tree.statistics()
    return {"tree": name, "leaves": size["leaves"], "depth": size["depth"], "nodes": size["nodes"]}
