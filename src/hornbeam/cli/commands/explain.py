"""`hornbeam explain` and `hornbeam key`: why a row gets its answer, and its answer question by question."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from textwrap import wrap
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure, column_hint, misfit
from hornbeam.cli.inputs import ReadOptions
from hornbeam.cli.models import OpenedModel, open_model, read_like
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, facts_answer, print_answer, result_data
from hornbeam.cli.terminal import Messages, charset_of, paint, styled_line, wants_colour, width_of, write_line

UNKNOWN_VALUES = ("?", "")  # a value left open in COL=VALUE
UNKNOWN_ANSWERS = (*UNKNOWN_VALUES, "unknown")  # and in a key


@make_command(
    "explain",
    "hornbeam fit demo:tennis --recipe id3 -o tennis.tree.json",
    "hornbeam explain tennis.tree.json Outlook=Sunny Humidity=High Wind=Weak Temperature='?'",
    "hornbeam explain tennis.tree.json demo:tennis --row 3",
)
def explain_command(
    messages: Messages,
    *,
    model: str = argument(),
    values: tuple[str, ...] = argument(metavar="[COL=VALUE ... | DATA]"),
    row: int | None = option("Number of the row of DATA; the first is 1."),
    changes: int = option("Number of nearest changes shown.", least=0, default=2),
    fixed: tuple[str, ...] = option("Column that may not change; may be repeated.", metavar="COL"),
    full: bool = option("List every value of a set."),
    reading: ReadOptions,
    form: str,
) -> None:
    """Explain one prediction of MODEL: the tests passed, missing values, and the nearest other prediction.

    Give the row as COL=VALUE for each column, with ? for a missing value (columns not named are missing), or
    as row N of DATA.
    """
    import hornbeam as hb

    no_density = "a density tree has no answer to explain: explain needs a tree with a target"
    opened = open_model(model, no_density=no_density, only_tree=True)
    if row is not None:
        if len(values) != 1:
            raise click.UsageError("--row N takes one table: hornbeam explain MODEL DATA --row N")
        inputs = _read_row(opened, values[0], row, reading, messages)
    else:
        inputs = _parse_row(opened, values)
    explanation = hb.explain(opened.model, inputs, changes=changes, fixed=fixed)
    told = partial(_text, explanation, opened.facts.get("target"), full=full)
    print_answer(_answer_of(explanation, inputs, told), form)


def _read_row(
    opened: OpenedModel, source: str, row: int, reading: ReadOptions, messages: Messages
) -> dict[str, Any]:
    data = read_like(opened, source, reading, messages)
    if row > data.num_rows:
        raise Failure(f"--row {row} is not there: {source} has {data.num_rows} rows")
    inputs = data.slice(row - 1, 1).select([column.name for column in opened.tree.columns])
    values: dict[str, Any] = inputs.to_pylist()[0]
    return values


def _parse_row(opened: OpenedModel, words: tuple[str, ...]) -> dict[str, Any]:
    """The row that COL=VALUE describes; a column that is not named is unknown."""
    columns = {column.name: column for column in opened.tree.columns}
    values: dict[str, Any] = dict.fromkeys(columns)
    for word in words:
        name, sign, text = word.partition("=")
        if not sign:
            raise click.UsageError(
                f"{word!r} must be COL=VALUE; to explain a row of a table, say --row N as well"
            )
        if name not in columns:
            raise misfit(f"column {name!r} is no column of the model", column_hint(name, list(columns)))
        values[name] = None if text in UNKNOWN_VALUES else _parse_value(columns[name], text)
    return values


def _parse_value(column: Any, text: str) -> Any:
    """Text as a value of the column."""
    if column.kind == "numeric" and not column.is_time:
        try:
            return float(text)
        except ValueError:
            raise misfit(f"{column.name}={text} is no number, and the model knows numbers there") from None
    if column.is_time:
        from hornbeam.reading.key import parse_time

        try:
            return parse_time(column, text)
        except ValueError:
            raise misfit(
                f"{column.name}={text} is no time, and the model knows times there",
                "write it as 2024-01-31, 2024-01-31T12:00 or 12:00",
            ) from None
    known = {str(value): value for value in column.categories}
    return known.get(text, text)


def _answer_of(explanation: Any, row: dict[str, Any], text: Callable[[], list[str]]) -> Answer:
    data = {"row": row} | result_data(explanation)
    headers = [Header(name) for name in ("node", "text", "value", "remark")]
    return Answer("explain/1", data, headers, data["path"], text)


def _text(explanation: Any, target: str | None, *, full: bool) -> list[str]:
    """The library's text with its first line strong and what it adds dim."""
    first, *rest = explanation.text(charset_of(sys.stdout), target, full=full).splitlines()
    on = wants_colour(sys.stdout)
    answer, bracket, more = first.partition("  (")
    lines = [paint(answer, "strong", on=on) + paint(bracket + more, "dim", on=on)]
    width = width_of(sys.stdout)
    for whole in rest:
        line, *more_lines = _wrapped(whole, width) if width else [whole]
        lead, colon, tail = line.partition(": ")
        if " is missing" in line and " because " not in line:
            lines += [paint(one, "missing", on=on) for one in (line, *more_lines)]
            continue
        known = lead.strip() in ("closest change", "contributions", "not used")
        lines.append(paint(lead + colon, "dim", on=on) + tail if known else line)
        lines += more_lines
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    """A line broken between words; a number and its percent sign, a name and its value stay together."""
    for pair in (" %", " = "):
        line = line.replace(pair, pair.replace(" ", "\N{NO-BREAK SPACE}"))
    lines = wrap(line, width, subsequent_indent=" " * 11)
    return [one.replace("\N{NO-BREAK SPACE}", " ") for one in lines]


@make_command(
    "key",
    "hornbeam fit demo:tennis --recipe id3 -o tennis.tree.json",
    "hornbeam key tennis.tree.json --answer Sunny --answer High",
    "hornbeam key tennis.tree.json --answer '?' --answer Weak --answer Normal",
)
def key_command(
    messages: Messages,
    *,
    model: str = argument(),
    answers: tuple[str, ...] = option(
        "Answer to the next question, ? if unknown; may be repeated.", "--answer", metavar="VALUE"
    ),
    form: str,
) -> None:
    """Ask only the questions needed to reach a prediction, like a key for determining plants.

    Answer with a value, its number in the list, or ? if it is unknown; "back" takes the last answer back.
    Answers may also come from --answer or, one on each line, from stdin.
    """
    import hornbeam as hb

    no_density = "a density tree has no answer to find: a key needs a tree with a target"
    opened = open_model(model, no_density=no_density, only_tree=True)
    key = hb.key(opened.tree)
    waiting = list(answers)
    while not key.done:
        text = waiting.pop(0) if waiting else _next_answer(key, messages)
        if text is None:
            break
        _give_answer(key, text, messages, is_option=bool(answers))
    if waiting:
        messages.warn(f"{len(waiting)} of the answers were not needed")
    print_answer(_answer(key, opened.facts.get("target")), form)


def _next_answer(key: Any, messages: Messages) -> str | None:
    """The next answer: asked of a person on a terminal, or read from stdin; None at its end."""
    options = [str(value) for value in key.options]
    words: list[Any] = [(key.question, "strong"), "  "]
    if options:
        for k, option in enumerate(options, 1):
            words += [(f"{k} ", "number"), option, "   "]
    else:
        words += [("a number", "dim"), "   "]
    words += [("? unknown", "dim")]
    if sys.stdin.isatty():
        write_line(sys.stderr, *words)
        click.echo(styled_line(sys.stderr, ("> ", "good")), nl=False, err=True)
    else:
        messages.detail(*words)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _give_answer(key: Any, text: str, messages: Messages, *, is_option: bool) -> None:
    """Give the key an answer; one it cannot use is an error or, on a terminal, asked again."""
    options = key.options
    try:
        if text.lower() == "back":
            key.back()
        elif text in UNKNOWN_ANSWERS and text not in map(str, options):
            key.answer(None)
        elif options and text.isdigit() and text not in map(str, options) and 1 <= int(text) <= len(options):
            key.answer(options[int(text) - 1])
        else:
            key.answer(text)
    except ValueError as fault:
        if is_option or not sys.stdin.isatty():
            raise Failure(str(fault)) from None
        messages.warn(str(fault))


def _answer(key: Any, target: str | None) -> Answer:
    result = key.result
    questions = [{"column": name, "answer": value} for name, value in key.asked]
    data = {"answer": result.answer, "probability": result.probability, "probabilities": result.probabilities}
    data |= {"leaves": list(result.leaves), "asked": questions, "open": key.question}

    def text() -> list[str]:
        answers = ", ".join(f"{name} = {'?' if value is None else value}" for name, value in key.asked)
        remark = (f"   ({answers})" if answers else "", "dim")
        lines = [styled_line(sys.stdout, (result.text(target), "strong"), remark)]
        if key.question:
            lines.append(styled_line(sys.stdout, (f"not asked any more: {key.question}", "dim")))
        return lines

    return facts_answer("key/1", data, text)
