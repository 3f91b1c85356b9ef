"""`typemeta verify`: does the lowered code say what the sets say?"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from typemeta.cli.options import add_command, add_inputs, add_json
from typemeta.cli.output import print_json, printable
from typemeta.cli.reading import read_inputs

if TYPE_CHECKING:
    from typemeta.cli.console import Console

SCHEMA = "typemeta.verify/1"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "verify",
        _verify,
        summary="executes every lowered type test and compares with the sets; exit 0 or 1",
        description=(
            "Lowers in memory, compiles with LLVM's JIT, executes the test of every type\n"
            "identifier on candidate addresses, and compares the answers with the sets. Types\n"
            "that nothing tests are tested too. The program itself is not run."
        ),
        example=(
            "  typemeta verify examples/seed.ll\n"
            '  typemeta verify --with "opt -passes=lowertypetests" examples/seed.ll'
        ),
    )
    add_inputs(parser)
    parser.add_argument(
        "--with",
        dest="command",
        metavar="COMMAND",
        help="lower with this command, which reads bitcode on its standard input and writes bitcode",
    )
    add_json(parser)


def _verify(arguments: argparse.Namespace, console: Console) -> int:
    module = read_inputs(arguments, console)
    from typemeta.execute.verify import verify_module
    from typemeta.execute.verify.command import command_lowering
    from typemeta.lower.pipeline import lower_module

    lower = lower_module if arguments.command is None else command_lowering(arguments.command)
    with console.step("verify", f"verifying {module.name}"):
        result = verify_module(module, lower)
    if arguments.json:
        counts = {"types": result.types, "unprobed": result.unprobed}
        counts |= {"addresses": result.addresses, "answers": result.answers}
        print_json({"schema": SCHEMA, **counts, "differences": [asdict(d) for d in result.differences]})
    else:
        for d in result.differences:
            words = f"{d.type} {d.address}: expected {d.expected}, got {d.got}"
            print(printable(words))
        print(
            f"{result.types} types, {result.addresses} addresses, {result.answers} answers, "
            f"{len(result.differences)} differences"
        )
    return 1 if result.differences else 0
