"""The command line, `hornbeam`: the commands are in `commands/`, the table of them in `app`.

One idea: the answer goes to stdout, messages go to stderr, and the exit code says how the run ended
(`exit_codes`). Nothing here learns or computes: each command calls a public function and prints its result.
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
