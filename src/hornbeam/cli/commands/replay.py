"""`hornbeam replay`: the edits of a studio's project done again on another table."""

from __future__ import annotations

from hornbeam._base.atomic import write_atomically
from hornbeam.cli.exit_codes import DONE, MISFIT
from hornbeam.cli.inputs import refuse_input_as_output
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import facts_answer, print_answer
from hornbeam.cli.terminal import Messages


@make_command(
    "replay",
    "hornbeam replay tennis.studio.json -o tennis.tree.json",
    "hornbeam replay tennis.studio.json --data new.csv -o new.tree.json",
    "hornbeam replay tennis.studio.json --data new.csv --format json",
)
def replay_command(
    messages: Messages,
    *,
    project: str = argument(),
    data: str | None = option("Table to edit on.  [default: the project's own]", metavar="DATA"),
    output: str | None = option("Where to save the tree.", "-o", metavar="FILE"),
    form: str,
) -> int:
    """Do the edits of PROJECT (NAME.studio.json) again, without a browser, and save the tree.

    On the same table the tree is the same, byte by byte. On another one an edit whose node is not reached as
    before, or that is not possible there, is left out and named; the exit code is then 4.
    """
    from pathlib import Path

    from hornbeam.studio.data_source import DataSource
    from hornbeam.studio.opening import read_json
    from hornbeam.studio.output import model_bytes
    from hornbeam.studio.project import project_source, replay_project

    path = Path(project)
    facts = read_json(path.read_bytes(), path.name)
    source = project_source(facts, path) if data is None else DataSource.of(data)
    session, refused = replay_project(facts, source)
    for sentence in refused:
        messages.warn(f"not possible on this table: {sentence}")
    view = session.view()
    if output is not None:
        refuse_input_as_output(output, project, data)
        write_atomically(output, model_bytes(session, view))
    told = {"leaves": view.tree.n_leaves, "edits": len(session.revisions) - 1, "impossible": refused}
    text = f"{told['leaves']} leaves after {told['edits']} edits; {len(refused)} were not possible"
    print_answer(facts_answer("replay/1", {**told, "output": output}, lambda: [text]), form)
    return MISFIT if refused else DONE
