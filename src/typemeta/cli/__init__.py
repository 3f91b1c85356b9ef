"""The `typemeta` command. Each module holds one command, and no logic: that is in the library."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

from typemeta import __version__
from typemeta.cli import lower, opt, run, show, test, verify
from typemeta.cli.console import Console
from typemeta.cli.isolation import EXIT_UNUSABLE, Journal, run_isolated
from typemeta.cli.options import CommandParser, Parser
from typemeta.cli.output import printable
from typemeta.cli.reading import name_inputs
from typemeta.errors import MetadataError, TypemetaError

_SHOWN_LINES: Final = 4
_DESCRIPTION = """\
LLVM's type metadata: the sets of addresses behind control-flow integrity and
devirtualization, read from IR, bitcode and LTO objects, asked, lowered and run."""
_EPILOG = """\
exit codes: 0 done, true or nothing found; 1 false or findings; 2 wrong usage or
unusable input; 70 LLVM crashed.

typemeta COMMAND --help shows a command's options and an example."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    _open_standard_files()
    parsed, unknown = _parser().parse_known_args(arguments)
    if unknown:
        parsed.fail(f"unrecognized arguments: {' '.join(unknown)}")

    def command(journal: Journal) -> int:
        return _run(parsed, Console(journal, parsed.quiet, parsed.color))

    return command(Journal()) if parsed.debug else run_isolated(command)


def _run(parsed: argparse.Namespace, console: Console) -> int:
    gc.disable()  # a command builds large tables and ends; collecting them only costs time
    try:
        code = int(parsed.run(parsed, console))
    except TypemetaError as error:
        if parsed.debug:
            import traceback

            traceback.print_exc()
        place = f"{name_inputs(parsed.inputs)}: " if isinstance(error, MetadataError) else ""
        console.error(_in_one_line(place + str(error)))
        return EXIT_UNUSABLE
    for line in console.journal.messages:
        console.note(f"LLVM: {printable(line)}")
    return code


def _in_one_line(text: str) -> str:
    """Joins the lines of a message; LLVM's verifier writes one for each thing it dislikes."""
    lines = [printable(line.strip()) for line in text.splitlines() if line.strip()]
    more = len(lines) - _SHOWN_LINES
    return "; ".join(lines[:_SHOWN_LINES]) + (f"; and {more} lines more, see --debug" if more > 0 else "")


def _open_standard_files() -> None:
    """Lets output that goes nowhere, or to a terminal without Unicode, be no error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, for the life of the process
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="typemeta",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="show the versions of typemeta and of its LLVM")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for module in (show, test, lower, verify, run, opt):
        module.add_to(commands)
    return parser


class _Version(argparse.Action):
    """Prints typemeta's version, and which LLVM was found where; `--llvm` is not read yet then."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from typemeta.llvm.library import load

        print(f"typemeta {__version__}")
        try:
            library = load()
        except TypemetaError as error:
            parser.exit(EXIT_UNUSABLE, f"typemeta: error: {_in_one_line(str(error))}\n")
        print(f"LLVM {library.version_text} ({library.found.origin}: {library.found.path})")
        parser.exit()
