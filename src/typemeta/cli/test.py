"""`typemeta test`: is an address in a set?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from typemeta.cli.options import add_command, add_inputs, add_json
from typemeta.cli.output import print_json, printable
from typemeta.cli.reading import read_inputs, read_model
from typemeta.errors import TypemetaError

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.llvm.module import Module
    from typemeta.model import TypeModel
    from typemeta.query import NamedAddress

SCHEMA = "typemeta.test/1"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "test",
        _test,
        summary="is an address in a type identifier's set? exit 0 or 1",
        description=(
            "Tells whether an address is in the set of a type identifier: exit code 0 if it\n"
            "is, 1 if it is not. The answer comes from the metadata; nothing is lowered."
        ),
        example=(
            "  typemeta test program.bc _ZTS5Shape @_ZTV6Circle+16\n"
            "  typemeta test program.bc _ZTSFvvE @callback"
        ),
    )
    add_inputs(parser)
    parser.add_argument("type", metavar="TYPE", help="_ZTS1A, or !7 for a node without a name")
    parser.add_argument("address", metavar="ADDRESS", help="@NAME or @NAME+OFFSET")
    add_json(parser)


def _test(arguments: argparse.Namespace, console: Console) -> int:
    from typemeta.query import contains, find_type, parse_address

    try:
        address = parse_address(arguments.address)
    except ValueError as error:
        raise TypemetaError(str(error)) from error
    module = read_inputs(arguments, console)
    model, _ = read_model(module, console)
    type_ = find_type(model, arguments.type)
    base = _resolve(module, model, address)
    is_member = base is not None and contains(model, type_, model.global_index[base.name], base.offset)
    if arguments.json:
        print_json(
            {
                "schema": SCHEMA,
                "type": arguments.type,
                "global": address.name,
                "offset": address.offset,
                "member": is_member,
            }
        )
    else:
        answer = console.style("true", "green") if is_member else console.style("false", "red")
        fact = f"{address} is {'' if is_member else 'not '}in {arguments.type}"
        print(f"{answer}: {printable(fact)}")
    return 0 if is_member else 1


def _resolve(module: Module, model: TypeModel, address: NamedAddress) -> NamedAddress | None:
    """Returns the address from the global behind aliases; None if that has no type metadata."""
    from typemeta.llvm.calls import resolve_address
    from typemeta.query import NamedAddress, find_global

    value = module.find(address.name)
    if value is None:
        find_global(model, address.name)  # raises, and offers similar names
        raise TypemetaError(f"{module.name} has no global @{address.name}")
    name, offset = resolve_address(module, value.ref) or (address.name, 0)
    return NamedAddress(name, offset + address.offset) if name in model.global_index else None
