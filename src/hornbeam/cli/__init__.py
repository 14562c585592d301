"""The command line, `hornbeam`: one file per command in `commands/`, one table of them in `command_table`.

One idea: stdout is the answer, stderr the talk, and the exit code says how it ended (`failing`). Nothing here
learns, reads or computes: each command calls a public function and prints what it returns.
"""

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; the script `hornbeam` calls this.

    >>> main(["theory", "catalan", "5"])
    42
    0
    """
    from hornbeam.cli.app import run

    return run(arguments)
