"""One file for each command, or for two that share their work; the table of them is in `hornbeam.cli.app`."""
