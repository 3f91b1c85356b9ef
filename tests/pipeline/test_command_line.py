"""The command line of opt: dashes, values, switches, inputs, what is LLVM's."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from typemeta.errors import TypemetaError
from typemeta.pipeline.command_line import OptOptions, parse_command_line

LLVM = {"inline-threshold": True, "print-after-all": False, "stats": False}


def parse(*words: str) -> OptOptions:
    """Parses a command line for an LLVM that has a few options."""
    return parse_command_line(words, LLVM.get)


def changed(*words: str) -> dict[str, Any]:
    """What a command line sets to another value than the usual one."""
    usual = asdict(OptOptions())
    return {name: value for name, value in asdict(parse(*words)).items() if value != usual[name]}


def refused(*words: str) -> str:
    """Why a command line is refused."""
    with pytest.raises(TypemetaError) as caught:
        parse(*words)
    return str(caught.value)


def test_nothing() -> None:
    """Without words it is a copy of standard input to standard output, as bitcode."""
    assert changed() == {}
    assert parse().input == parse().output == "-"


@pytest.mark.parametrize(
    "words",
    [
        ("-passes=a,b", "x.ll"),
        ("--passes=a,b", "x.ll"),
        ("-passes", "a,b", "x.ll"),
        ("x.ll", "--passes", "a,b"),
        ("-p", "a,b", "x.ll"),
        ("-p=a,b", "x.ll"),
        ("-passes=c", "x.ll", "-passes=a,b"),
        ("-passes=a,b", "--", "x.ll"),
    ],
)
def test_spellings(words: tuple[str, ...]) -> None:
    """One dash or two, a value behind `=` or in the next word, at any place; the last one counts."""
    assert changed(*words) == {"passes": "a,b", "input": "x.ll"}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("-S", {"is_text": True}),
        ("-S=1", {"is_text": True}),
        ("-S=TRUE", {"is_text": True}),
        ("-S=false", {}),
        ("-f", {"force": True}),
        ("-disable-output", {"disable_output": True}),
        ("-disable-verify", {"disable_verify": True}),
        ("-verify-each", {"verify_each": True}),
        ("-o=x", {"output": "x"}),
        ("-mtriple=i686", {"triple": "i686"}),
        ("-data-layout=e-p:32:32", {"data_layout": "e-p:32:32"}),
        ("-mcpu=skylake", {"cpu": "skylake"}),
        ("-mattr=+a,-b", {"features": "+a,-b"}),
        ("-O2", {"passes": "default<O2>"}),
        ("-lowertypetests-summary-action=import", {"summary_action": "import"}),
        ("-lowertypetests-read-summary=r", {"summary_to_read": "r"}),
        ("-lowertypetests-write-summary=w", {"summary_to_write": "w"}),
        ("-lowertypetests-drop-type-tests=assume", {"drop_type_tests": "assume"}),
        ("-lowertypetests-avoid-reuse=0", {"avoid_reuse": False}),
        ("-lowertypetests-jump-table-debug-info=false", {"jump_table_debug_info": False}),
        ("-inline-threshold=5", {"for_llvm": ["-inline-threshold=5"]}),
        ("--stats", {"for_llvm": ["--stats"]}),
        ("--thinlto-bc", {"for_program": ["--thinlto-bc"]}),
        ("-passes-ep-peephole=x", {"for_program": ["-passes-ep-peephole=x"]}),
        ("-", {}),
        ("x.ll", {"input": "x.ll"}),
    ],
)
def test_each(word: str, expected: dict[str, Any]) -> None:
    """What each option sets."""
    assert changed(word) == expected


def test_value_of_an_option_of_llvm() -> None:
    """LLVM is asked whether the next word is an option's value or the input."""
    words = ("-inline-threshold", "5", "-print-after-all", "x.ll")
    assert changed(*words) == {"for_llvm": ["-inline-threshold=5", "-print-after-all"], "input": "x.ll"}


def test_words_of_the_program() -> None:
    """With an option that only LLVM's program knows, it is not for us to count inputs."""
    words = ("-load", "plugin.so", "x.ll")
    assert parse(*words).for_program == ["-load"]


def test_what_looks_like_an_option_behind_two_dashes() -> None:
    """Behind `--` a word is an input whatever it looks like."""
    assert changed("-S", "--", "-S") == {"is_text": True, "input": "-S"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-nosuch"], "-nosuch: neither opt nor LLVM has such an option"),
        (["--nosuch=5"], "--nosuch=5: neither opt nor LLVM has such an option"),
        (["-o"], "-o must have a value, as in -o=VALUE"),
        (["-inline-threshold"], "-inline-threshold must have a value, as in -inline-threshold=VALUE"),
        (["-S=maybe"], "-S takes true or false, not 'maybe'"),
        (
            ["-lowertypetests-summary-action=both"],
            "-lowertypetests-summary-action takes none, import or export, not 'both'",
        ),
        (["a.ll", "-S", "-"], "opt reads one module, and these are 2: a.ll -"),
        (
            ["-O1", "-passes=a"],
            "-O1 and -passes= exclude each other; write -passes='default<O1>,...'",
        ),
    ],
)
def test_refused(words: list[str], reason: str) -> None:
    """What is wrong is named as it was written."""
    assert refused(*words) == reason
