"""One file per command; the table of them is `hornbeam.cli.command_table`."""
