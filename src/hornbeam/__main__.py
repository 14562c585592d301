"""`python -m hornbeam`: the command line."""

from hornbeam.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
