"""`python -m hornbeam`: the command line."""

from hornbeam.cli import main

raise SystemExit(main())
