"""Options that all commands have, and what is said of wrong ones."""

from __future__ import annotations

import argparse

import pytest

from tests.cli.command import Typemeta
from typemeta.cli import _parser

COMMANDS = ("show", "test", "lower", "run")


def parse(*arguments: str) -> argparse.Namespace:
    """Parses a command line that is right."""
    parsed, unknown = _parser().parse_known_args(arguments)
    assert unknown == []
    return parsed


def wrong(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that is said of a wrong command line."""
    with pytest.raises(SystemExit) as stop:
        _parser().parse_known_args(arguments)
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    [line] = printed.err.splitlines()
    assert line.startswith("typemeta: error: ")
    return line.removeprefix("typemeta: error: ")


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ((), (False, False, None, "auto")),
        (("-q",), (True, False, None, "auto")),
        (("--quiet", "--debug"), (True, True, None, "auto")),
        (("--llvm", "lib.so", "--color", "always"), (False, False, "lib.so", "always")),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_shared_options(command: str, options: tuple[str, ...], facts: tuple[object, ...]) -> None:
    """Every command has them, before and behind its arguments."""
    words = {"show": ["x"], "test": ["x", "T", "@a"], "lower": ["x", "-o", "y.bc"], "run": ["x", "f"]}[
        command
    ]
    for line in ([command, *options, *words], [command, *words, *options]):
        parsed = parse(*line)
        assert (parsed.quiet, parsed.debug, parsed.llvm, parsed.color) == facts
        assert parsed.inputs == (["x", "f"] if command == "run" else ["x"])


def test_options_between_inputs() -> None:
    """Options may stand between the inputs, as compilers have it."""
    assert parse("lower", "a.o", "-o", "x.o", "b.o").inputs == ["a.o", "b.o"]
    parsed = parse("test", "a.o", "b.o", "--json", "T", "-q", "@x")
    assert (parsed.inputs, parsed.type, parsed.address) == (["a.o", "b.o"], "T", "@x")
    parsed = parse("run", "a.ll", "f", "--json", "-1", "-2")
    assert parsed.inputs == ["a.ll", "f", "-1", "-2"]  # parted by what is a file


def test_words_behind_two_dashes() -> None:
    """Behind `--` nothing is an option, wherever the options stood."""
    assert parse("show", "--json", "a", "--", "-b", "--", "--type").inputs == ["a", "-b", "--", "--type"]
    assert parse("run", "a", "--", "f", "-1").inputs == ["a", "f", "-1"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ((), "the following arguments are required: COMMAND; see `typemeta --help`"),
        (("show",), "the following arguments are required: INPUT; see `typemeta show --help`"),
        (("test", "a", "T"), "the following arguments are required: ADDRESS; see `typemeta test --help`"),
        (("show", "a", "--llvm"), "argument --llvm: expected one argument; see `typemeta show --help`"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], line: tuple[str, ...], message: str) -> None:
    """What is missing is named, with the help to read."""
    assert wrong(capsys, *line) == message


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown command: those that there are."""
    message = wrong(capsys, "frobnicate")
    assert "invalid choice: 'frobnicate'" in message
    assert all(command in message for command in COMMANDS)


def test_color_has_three_values(capsys: pytest.CaptureFixture[str]) -> None:
    """`--color` says what it takes."""
    message = wrong(capsys, "show", "a", "--color", "yes")
    assert all(choice in message for choice in ("--color", "auto", "always", "never"))


@pytest.mark.parametrize("option", ["--foo", "--lim", "--js", "-x"])
def test_unknown_option(typemeta: Typemeta, option: str) -> None:
    """An unknown option is refused; an abbreviation is unknown, since a new option could change it."""
    message = typemeta.refuses("show", "sets.ll", option)
    assert message == f"unrecognized arguments: {option}; see `typemeta show --help`"


@pytest.mark.parametrize("command", COMMANDS)
def test_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Every command's help has an example of that command, and the options that all have."""
    with pytest.raises(SystemExit) as stop:
        _parser().parse_known_args([command, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    example = text.partition("\nexample:\n")[2]
    assert example.splitlines()[0].startswith(f"  typemeta {command} ")
    assert all(option in text for option in ("--quiet", "--debug", "--llvm PATH", "--color", "--json"))


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_parse(command: str) -> None:
    """The examples are command lines that the parser takes."""
    [parser] = [
        action.choices[command]
        for action in _parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    examples = str(parser.epilog).splitlines()[1:]
    assert examples
    for example in examples:
        words = example.split("  prints ")[0].partition(" | ")[0].split()
        assert words[:2] == ["typemeta", command]
        assert parse(*words[1:]).inputs
