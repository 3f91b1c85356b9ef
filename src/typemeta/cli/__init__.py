"""The `typemeta` command. Each module holds one command, and no logic: that is in the library."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence

from typemeta import __version__
from typemeta.cli import lower, run, show, test
from typemeta.cli.console import Console
from typemeta.cli.isolation import Journal, run_isolated
from typemeta.errors import TypemetaError

EXIT_UNUSABLE = 2
_DESCRIPTION = """\
LLVM's type metadata: the sets of addresses behind control-flow integrity and
devirtualization, read from IR, bitcode and LTO objects, asked, lowered and run."""
_EPILOG = """\
exit codes: 0 done, true or nothing found; 1 false or findings; 2 wrong usage or
unusable input; 70 LLVM crashed.

typemeta COMMAND --help shows a command's options and an example."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    parser = _parser()
    parsed = parser.parse_args(arguments)

    def command(journal: Journal) -> int:
        return _run(parsed, Console(journal, parsed.quiet, parsed.color))

    if parsed.debug:
        return command(Journal())
    return run_isolated(command, debug=False)


def _run(parsed: argparse.Namespace, console: Console) -> int:
    gc.disable()  # a command builds large tables and ends; collecting them only costs time
    try:
        return int(parsed.run(parsed, console))
    except TypemetaError as error:
        if parsed.debug:
            raise
        console.clear()
        print(f"typemeta: {console.style('error:', 'red', sys.stderr)} {error}", file=sys.stderr)
        return EXIT_UNUSABLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="typemeta",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show the versions of typemeta and of its LLVM")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (show, test, lower, run):
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
            print(f"LLVM: {error}")
            parser.exit(EXIT_UNUSABLE)
        print(f"LLVM {library.version_text} ({library.found.origin}: {library.found.path})")
        parser.exit()
