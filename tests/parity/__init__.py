"""Runs LLVM's own lit tests with `typemeta opt` in the place of `opt`: `python -m tests.parity --help`."""
