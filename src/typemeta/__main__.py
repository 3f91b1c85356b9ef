"""Lets `python -m typemeta` run the command line."""

import sys

from typemeta.cli import main

if __name__ == "__main__":
    sys.exit(main())
