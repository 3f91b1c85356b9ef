"""The page on module summaries says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from typemeta.summary.read import read_summary
from typemeta.summary.write import write_summary

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "summary.md").read_text()


def block(language: str) -> str:
    """Returns the one example in a language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def test_the_file_is_as_we_write_it() -> None:
    """Reading and writing it changes nothing."""
    assert write_summary(read_summary(block("yaml"), "page.yaml")) == block("yaml")


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fills in how a type is tested that a live function tests."""
    monkeypatch.chdir(tmp_path)
    program = block("python").replace("_ZTS1A", "typeid1")
    Path("in.yaml").write_text(block("yaml"))
    exec(compile(program, "page.py", "exec"), {})
    assert Path("out.yaml").read_text() == block("yaml").replace("AllOnes", "Single")
