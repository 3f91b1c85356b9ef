"""`typemeta run`: lowers in memory, compiles, calls a function."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from typemeta.cli.options import INPUT_HELP, add_command, add_json
from typemeta.cli.output import print_json
from typemeta.cli.reading import read_inputs
from typemeta.errors import TypemetaError

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.query import NamedAddress

SCHEMA = "typemeta.run/1"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "run",
        _run,
        summary="lowers in memory, compiles with LLVM's JIT, calls a function",
        description=(
            "Lowers the type tests in memory, compiles the module with LLVM's JIT, runs its\n"
            "constructors, calls FUNCTION and prints what it returns. FUNCTION is the first\n"
            "argument that is no existing file; @FUNCTION is never taken for a file. A\n"
            "function that nothing defines gets a stub that stops with its name if called."
        ),
        example=(
            "  typemeta run examples/seed.ll foo @a      prints 1\n"
            "  typemeta run examples/seed.ll bar @d+4    prints 1\n"
            "  typemeta run a.bc b.bc add 2 40"
        ),
    )
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help=INPUT_HELP)
    parser.add_argument("function", metavar="FUNCTION", nargs="?", help="the function to call")
    parser.add_argument(
        "arguments", metavar="ARG", nargs="*", help="integers, or addresses such as @a or @a+8 for pointers"
    )
    add_json(parser)


def _run(arguments: argparse.Namespace, console: Console) -> int:
    inputs, function, values = _split([*arguments.inputs, arguments.function, *arguments.arguments])
    arguments.inputs = inputs
    module = read_inputs(arguments, console)
    from typemeta.execute import prepare_function

    triple = module.triple
    with console.step("lower", f"lowering {module.name}"):
        prepared = prepare_function(module, function, values)
    if not triple:
        console.note(f"{module.name} names no target; taken for this machine's, {module.triple}")
    with console.step("compile", f"compiling {module.name}"):
        ready = prepared.compile()
    console.journal.begin_program(f"@{function} of {module.name}")
    result = ready()
    if arguments.json:
        print_json({"schema": SCHEMA, "function": function, "result": result})
    elif result is not None:
        print(result)
    return 0


def _split(words: list[str | None]) -> tuple[list[str], str, list[int | NamedAddress]]:
    """Parts the command line into inputs, function and arguments."""
    given = [word for word in words if word is not None]
    count = 1
    while count < len(given) and not given[count].startswith("@") and _is_input(given[count]):
        count += 1
    if count == len(given):
        raise TypemetaError(
            "name the function to call behind the inputs: typemeta run INPUT... FUNCTION [ARG...]"
        )
    function = given[count]
    return given[:count], function.removeprefix("@"), [_value(text, function) for text in given[count + 1 :]]


def _is_input(word: str) -> bool:
    return word == "-" or (os.path.exists(word) and not os.path.isdir(word))


def _value(text: str, function: str) -> int | NamedAddress:
    from typemeta.query import parse_address

    try:
        return parse_address(text) if text.startswith("@") else int(text, 0)
    except ValueError as error:
        taken = "" if function.startswith("@") else f"; FUNCTION is {function!r}, since no file is called so"
        raise TypemetaError(f"{text!r} is neither an integer nor an address such as @a+8{taken}") from error
