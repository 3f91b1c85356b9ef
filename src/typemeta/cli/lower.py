"""`typemeta lower`: lowers every type test."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from typemeta.cli.options import add_command, add_inputs, add_json
from typemeta.cli.output import (
    STANDARD_OUTPUT,
    check_output,
    json_bytes,
    print_json,
    printable,
    render_table,
    staged_output,
    write_output,
)
from typemeta.cli.reading import read_inputs, read_model
from typemeta.errors import TypemetaError

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.llvm.module import Module
    from typemeta.llvm.writing import OutputKind
    from typemeta.lower.plan import LowerPlan
    from typemeta.model import TypeModel


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "lower",
        _lower,
        summary="lowers every llvm.type.test",
        description=(
            "Lays out the members of each tested set, puts code in the place of every\n"
            "llvm.type.test, and sends function addresses through jump tables. The output's\n"
            "kind follows its suffix: .ll text, .bc bitcode, .s assembly, .o object."
        ),
        example=(
            "  typemeta lower program.bc -o program.o --report report.json\n"
            "  typemeta lower a.o b.o -o lowered.bc\n"
            "  typemeta lower program.bc --plan"
        ),
    )
    add_inputs(parser)
    parser.add_argument("-o", "--output", metavar="OUTPUT", help="where to write; - is standard output")
    parser.add_argument("--emit", choices=("ll", "bc", "s", "o"), help="kind of output, whatever its suffix")
    parser.add_argument(
        "--layout",
        choices=("llvm",),
        default="llvm",
        help="how members are ordered and padded: llvm, as LLVM does (the default)",
    )
    parser.add_argument("--plan", action="store_true", help="show what would be done, and do nothing")
    parser.add_argument("--report", metavar="FILE", help="write what was done as JSON")
    add_json(parser)


def _lower(arguments: argparse.Namespace, console: Console) -> int:
    kind = _output_kind(arguments)
    _check_outputs(arguments)
    module = read_inputs(arguments, console)
    from typemeta.llvm.target import adopt_host_target, live_type_intrinsics
    from typemeta.lower.apply import apply_lowering
    from typemeta.lower.plan import plan_lowering
    from typemeta.lower.report import report_lowering

    if adopt_host_target(module):
        console.note(f"{module.name} names no target; taken for this machine's, {module.triple}")
    model, anchors = read_model(module, console)
    with console.step("plan", f"planning the layout of {module.name}"):
        plan = plan_lowering(model, layout=arguments.layout)
    with ExitStack() as unfinished:  # the output comes to its place when the report is written too
        if kind is None:
            _print_plan(model, plan, arguments, console)
        else:
            with console.step("apply", f"lowering {module.name}"):
                apply_lowering(module, model, anchors, plan)
            left = live_type_intrinsics(module)
            if left and not kind.is_machine_code:
                listed = ", ".join(f"{count} x {name}" for name, count in left.items())
                console.note(f"left as they are, since they are not type tests: {listed}")
            unfinished.enter_context(_write(module, arguments.output, kind, console))
        report = report_lowering(model, plan, console.seconds)
        if arguments.report:
            write_output(arguments.report, json_bytes(report), console.journal)
    if arguments.json and not arguments.plan:
        print_json(report)
    return 0


def _output_kind(arguments: argparse.Namespace) -> OutputKind | None:
    """Returns what to write; None if nothing is written (`--plan`)."""
    from typemeta.llvm.writing import OutputKind

    if arguments.plan:
        return None
    if not arguments.output:
        raise TypemetaError("lower writes a file: name it with -o OUTPUT, or use --plan")
    if arguments.emit:
        return OutputKind(arguments.emit)
    try:
        return OutputKind.of_path(arguments.output)
    except ValueError as error:
        raise TypemetaError(
            f"{arguments.output}: the suffix does not tell what to write; use .ll, .bc, .s or .o, or --emit"
        ) from error


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Tells what cannot be written before the work begins."""
    if arguments.report == "":
        raise TypemetaError("the name of the report is empty; an unset variable of a script?")
    outputs = [path for path in (not arguments.plan and arguments.output, arguments.report) if path]
    for path in outputs:
        check_output(path)
    printed = arguments.json or arguments.plan
    if printed + outputs.count(STANDARD_OUTPUT) > 1:
        raise TypemetaError(
            "only one of -o -, --report -, --json and --plan can have standard output; name a file"
        )


def _write(module: Module, output: str, kind: OutputKind, console: Console) -> ExitStack:
    """Writes the module beside its place; it is put there when the returned context ends well."""
    from typemeta.llvm.writing import write_module

    with console.step("verify", f"verifying {module.name}"):
        module.verify()
    with console.step("write", f"writing {output}"), ExitStack() as staged:
        staged.enter_context(staged_output(output, write_module(module, kind), console.journal))
        return staged.pop_all()


def _print_plan(model: TypeModel, plan: LowerPlan, arguments: argparse.Namespace, console: Console) -> None:
    if arguments.json:
        print(plan.to_json())
        return
    from typemeta.lower.report import report_lowering

    report = report_lowering(model, plan, {})
    rows = [
        (entry["kind"], entry["call_sites"], entry["members"], _shape(entry), printable(entry["id"]))
        for entry in report["types"]
    ]
    header, *lines = render_table(("kind", "call sites", "members", "places", "type identifier"), rows)
    print(console.style(header, "bold"), *lines, sep="\n")
    print()
    for line in _totals(report["totals"]):
        print(line)


def _shape(entry: dict[str, Any]) -> str:
    """Returns a bit set's extent: how many places, and how far apart."""
    return "-" if entry["size_m1"] is None else f"{entry['size_m1'] + 1} x {entry['stride']} bytes"


def _totals(totals: dict[str, Any]) -> list[str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in totals["kinds"].items())
    return [
        f"{totals['call_sites']} call sites: {kinds}",
        f"{totals['load_free_call_sites']} without a load from memory, {totals['folded_call_sites']} folded",
        f"{totals['variable_bytes']} bytes of variables in {totals['laid_out_bytes']} bytes, "
        f"{totals['byte_array_bytes']} bytes of byte arrays",
        f"{totals['jump_table_entries']} entries in {totals['jump_tables']} jump tables",
    ]
