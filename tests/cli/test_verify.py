"""`typemeta verify`: the exit code says whether the code and the sets agree."""

from __future__ import annotations

import json

from tests.cli.command import Typemeta


def test_agrees(typemeta: Typemeta) -> None:
    """All answers are right: exit code 0 and the counts."""
    assert typemeta.prints("verify", "sets.ll").endswith(" answers, 0 differences\n")


def test_document(typemeta: Typemeta) -> None:
    """The counts as JSON."""
    document = json.loads(typemeta.prints("verify", "--json", "sets.ll"))
    assert document["schema"] == "typemeta.verify/1"
    assert document["types"] == 4
    assert document["differences"] == []
    assert document["answers"] == document["types"] * document["addresses"]


def test_unusable_command(typemeta: Typemeta) -> None:
    """A command that fails is wrong usage, with its name."""
    done = typemeta("verify", "--with", "false", "sets.ll")
    assert done.returncode == 2
    assert "'false' ended with status 1" in done.stderr
