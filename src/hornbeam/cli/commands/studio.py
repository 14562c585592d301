"""`hornbeam studio`: a tree grown and edited in the browser."""

from __future__ import annotations

import gc
import sys
import webbrowser
from typing import Any

import click

from hornbeam.cli.exit_codes import DONE, INTERRUPTED, USAGE, Failure
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import facts_answer, print_answer
from hornbeam.cli.terminal import Messages

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MEGABYTE = 1 << 20


@make_command(
    "studio",
    "hornbeam studio new.csv --target Play",
    "hornbeam studio --lecture tennis",
    "hornbeam studio tennis.studio.json --no-browser --port 8765",
)
def studio_command(
    messages: Messages,
    *,
    source: str | None = argument(metavar="[DATA|MODEL|PROJECT]"),
    target: str | None = option("Column to predict; it can also be chosen in the page.", "-t", metavar="COL"),
    lecture: str | None = option("Guided lecture to begin with: tennis, robots, ...", metavar="NAME"),
    port: int = option("Port; 0 is any that is free.", least=0, default=0),
    browser: bool | None = option("Whether to open a browser.", "--browser/--no-browser"),
    host: str = option("Address to listen at.", default="127.0.0.1", metavar="ADDRESS"),
    allow_remote: bool = option("Let other machines in, for a --host that is not this machine alone."),
    keep_alive: bool = option("Go on when the last page has been closed for 10 minutes."),
    largest_upload: int = option(
        "Largest table that the page may send, in MB.", "--upload-limit", default=200
    ),
    form: str,
) -> int:
    """Open the studio in the browser: grow, question, override, prune and hand over a tree.

    DATA is a table (csv, parquet, xlsx, arff, ...) or demo:NAME, MODEL a saved tree that says where its rows
    are, PROJECT a session that was saved (NAME.studio.json); a lecture brings its own table. Only this
    machine can reach the page, and only with the address that is printed. It ends with Ctrl-C, or when the
    last page has been closed for 10 minutes.
    """
    if host not in LOOPBACK and not allow_remote:
        raise click.UsageError(
            f"--host {host} can be reached from other machines: say --allow-remote if that is meant"
        )
    options: dict[str, Any] = {"port": port, "host": host, "remote": allow_remote, "keep_alive": keep_alive}
    given = {"data": source, "target": target, "lecture": lecture}
    server = _make(given, options | {"largest_upload": largest_upload * _MEGABYTE})
    if host not in LOOPBACK:
        messages.warn(f"other machines can reach {host}:{server.port}; whoever has the address can edit")
    url = server.url
    print_answer(facts_answer("studio/1", {"url": url, "port": server.port}, lambda: [url]), form)
    sys.stdout.flush()
    messages.info(("Ctrl-C ends the studio", "dim"))
    if browser is not False:
        webbrowser.open(server.url)
    try:
        server.run()
    except KeyboardInterrupt:
        return INTERRUPTED
    return DONE


def _make(given: dict[str, Any], options: dict[str, Any]) -> Any:
    """The server; nothing that is made on the way is garbage, so that no time is lost looking for it."""
    gc.disable()
    try:
        from hornbeam.studio.launch import make_server

        return make_server(**given, **options)
    except ImportError as missing:
        raise Failure(str(missing), None, USAGE) from None
    finally:
        gc.freeze()  # what was imported stays, and no later request has to wait until it is looked through
        gc.enable()
