"""Options that commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from typemeta.cli.isolation import EXIT_UNUSABLE

if TYPE_CHECKING:
    from typemeta.cli.console import Console

Command = Callable[[argparse.Namespace, "Console"], int]
"""Runs a command; returns its exit code."""

_PROTECTED: Final = "\0"  # no argument of a process can hold it
_PLAIN: Final = {
    **{word: word for word in ("-q", "--quiet", "--debug", "-h", "--help", "--version")},
    "-help": "--help",
    "-version": "--version",
}
_WITH_VALUE: Final = ("--llvm", "--color")
INPUT_HELP: Final = (
    "IR text, bitcode, an LTO or fat object, an archive of these, or - for standard input; "
    "several are linked in memory first, as LTO would"
)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the process."""
        self.exit(EXIT_UNUSABLE, f"typemeta: error: {message}; see `{self.prog} --help`\n")


class CommandParser(Parser):
    """The parser of one command: options may stand between the inputs, as in `lower a.o -o x.o b.o`.

    Attributes:
        leaves_words: read only the options that all commands have, and leave the rest in `words`.
    """

    leaves_words = False
    _is_inner = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parses options first and the rest afterwards, which calls this method again."""
        if self._is_inner:
            return super().parse_known_args(args, namespace)
        if self.leaves_words:
            own, words = _separate(args)
            parsed, unknown = super().parse_known_args(own, namespace)
            parsed.words = words
            return parsed, unknown
        self._is_inner = True
        try:
            parsed, unknown = self.parse_known_intermixed_args(_protect(args), namespace)
        finally:
            self._is_inner = False
        for name, value in vars(parsed).items():
            if isinstance(value, list):
                setattr(parsed, name, [word.removeprefix(_PROTECTED) for word in value])
            elif isinstance(value, str):
                setattr(parsed, name, value.removeprefix(_PROTECTED))
        return parsed, unknown


def _separate(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the general options of typemeta among the words of another program, and the others.

    With one dash, as in `-debug`, an option is the other program's, but for `-q` and those that ask for help.
    """
    own: list[str] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others += [word, *rest]
        elif word in _PLAIN:
            own.append(_PLAIN[word])
        elif word in _WITH_VALUE:
            own += [word, *(value for value, _ in zip(rest, "1", strict=False))]
        elif word.partition("=")[0] in _WITH_VALUE:
            own.append(word)
        else:
            others.append(word)
    return own, others


def _protect(words: Sequence[str]) -> list[str]:
    """Marks what stands behind `--`, which argparse does not remember from the first time to the second."""
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *(_PROTECTED + word for word in words[place + 1 :])]


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Command,
    *,
    summary: str,
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    """Adds a command with the options that all commands have."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # an abbreviation that scripts use would change its meaning with a new option
    )
    parser.set_defaults(run=run, fail=parser.error)
    shared = parser.add_argument_group("general options")
    shared.add_argument("-q", "--quiet", action="store_true", help="no notes and no progress on stderr")
    shared.add_argument("--debug", action="store_true", help="show tracebacks, and do not fork")
    shared.add_argument("--llvm", metavar="PATH", help="the libLLVM to use (LLVM 19 to 23)")
    shared.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour output (default: auto)"
    )
    return parser


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Adds the INPUT... arguments."""
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help=INPUT_HELP)


def add_json(parser: argparse._ActionsContainer) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
