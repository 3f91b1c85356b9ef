"""`typemeta show`: what type metadata a module has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from typemeta.cli.options import add_command, add_inputs, add_json
from typemeta.cli.output import print_json, printable, render_table
from typemeta.cli.reading import read_inputs, read_model

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.model import TypeModel

_DEFAULT_LIMIT = 20


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "show",
        _show,
        summary="type identifiers with members and call sites, globals with their types",
        description=(
            "Shows the type metadata of a module: how many type identifiers, members and\n"
            "call sites there are, and the largest sets. --type lists one set, --global the\n"
            "types of one function or variable; --json prints everything there is."
        ),
        example=(
            "  typemeta show program.bc\n"
            "  typemeta show program.bc --type _ZTS5Shape\n"
            "  typemeta show libdraw.a --json | jq '.types | length'"
        ),
    )
    add_inputs(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--type", metavar="TYPE", help="list the members of this type identifier")
    what.add_argument("--global", metavar="NAME", dest="global_", help="list the types of this global")
    add_json(what)
    parser.add_argument(
        "-n",
        "--limit",
        type=_count,
        default=_DEFAULT_LIMIT,
        metavar="N",
        help=f"how many type identifiers to list (default: {_DEFAULT_LIMIT}; 0: all)",
    )


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError(f"{count} is negative; 0 lists all")
    return count


def _show(arguments: argparse.Namespace, console: Console) -> int:
    module = read_inputs(arguments, console)
    model, _ = read_model(module, console)
    if arguments.json:
        from typemeta.model.document import describe_model

        print_json(describe_model(model, inputs=arguments.inputs, llvm=module.library.version_text))
    elif arguments.type is not None:
        _show_type(model, arguments.type, console)
    elif arguments.global_ is not None:
        _show_global(model, arguments.global_, console)
    else:
        facts = {"inputs": " ".join(arguments.inputs), "llvm": module.library.version_text}
        _show_summary(model, facts, arguments.limit, console)
    return 0


def _show_summary(model: TypeModel, facts: dict[str, str], limit: int, console: Console) -> None:
    from typemeta.model import SiteKind

    tests, public = model.site_counts(SiteKind.TYPE_TEST), model.site_counts(SiteKind.PUBLIC_TYPE_TEST)
    loads = model.site_counts(SiteKind.CHECKED_LOAD) + model.site_counts(SiteKind.CHECKED_LOAD_RELATIVE)
    members = model.member_counts()
    print(
        f"{console.style(printable(facts['inputs']), 'bold')}: "
        f"{printable(model.triple) or 'no target triple'}, LLVM {facts['llvm']}"
    )
    print(
        f"{len(model.types)} type identifiers, {len(model.member_type)} members, "
        f"{len(model.globals)} globals with type metadata; {int(tests.sum())} type tests, "
        f"{int(loads.sum())} checked loads, {int(public.sum())} public type tests"
    )
    for name, value in model.flags.items():
        shown_value = "(not an integer)" if value is None else value
        print(console.style(printable(f"flag {name} = {shown_value}"), "dim"))
    order = sorted(range(len(model.types)), key=lambda i: (-members[i], -tests[i], i))
    shown = order[: limit or None]
    rows = [(members[i], tests[i], loads[i], printable(model.types[i].id)) for i in shown]
    if rows:
        print()
        header, *lines = render_table(("members", "tests", "loads", "type identifier"), rows, right=3)
        print(console.style(header, "bold"), *lines, sep="\n")
    if len(shown) < len(order):
        print(console.style(f"... and {len(order) - len(shown)} more; --limit 0 lists all", "dim"))


def _show_type(model: TypeModel, name: str, console: Console) -> None:
    from typemeta.model import SiteKind
    from typemeta.query import find_type, members_of

    type_ = find_type(model, name)
    members = members_of(model, type_)
    counts = ", ".join(
        f"{int(model.site_counts(kind)[type_])} {kind.intrinsic}"
        for kind in SiteKind
        if model.site_counts(kind)[type_]
    )
    print(f"{console.style(printable(name), 'bold')}: {len(members)} members; {counts or 'no call sites'}")
    for member in members:
        record = model.globals[member.global_]
        note = "  (declaration)" if record.declaration else ""
        print(f"  @{printable(record.name)}+{member.offset}{note}")


def _show_global(model: TypeModel, name: str, console: Console) -> None:
    from typemeta.query import find_global, types_of

    global_ = find_global(model, name.removeprefix("@"))
    record = model.globals[global_]
    what = "declaration" if record.declaration else f"{record.size} bytes" if record.size else "defined"
    shown_name = console.style("@" + printable(record.name), "bold")
    print(
        f"{shown_name}: {record.kind.value}, {what}, {record.linkage}, "
        f"vcall visibility {record.vcall_visibility.value}"
    )
    for offset, type_ in types_of(model, global_):
        print(f"  +{offset}  {printable(model.types[type_].id)}")
