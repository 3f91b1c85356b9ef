"""Tests, a package so that they share `tests.ir` (modules from text) and `tests.models` (models by hand)."""
