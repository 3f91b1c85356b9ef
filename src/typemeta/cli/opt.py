"""`typemeta opt`: stands where LLVM's `opt` stands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from typemeta import __version__
from typemeta.cli.isolation import EXIT_CRASH, EXIT_UNUSABLE
from typemeta.cli.options import CommandParser, add_command
from typemeta.cli.output import STANDARD_OUTPUT, check_output, staged_output
from typemeta.errors import LLVMError, TypemetaError

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.llvm.library import Library
    from typemeta.llvm.module import Module
    from typemeta.pipeline import LLVMPasses, OptOptions, OurPass

_NAME: Final = "typemeta opt"
_DESCRIPTION: Final = """\
Takes opt's own command line, and does the passes lowertypetests and drop-type-tests
itself; other passes are run by LLVM, in the order given. An option may have one dash or
two; its value follows = or is the next word. Without INPUT, or with -, standard input is
read; without -o, standard output is written."""
_OPTIONS: Final = """\
options of opt that typemeta reads itself:
  -passes=PIPELINE, -p PIPELINE      passes such as 'lowertypetests,default<O2>'
  -O0 -O1 -O2 -O3                    the pipeline default<O...>
  -S                                 write IR text instead of bitcode
  -o FILE                            where to write; - is standard output
  -disable-output, -f                write no module; write bitcode to a terminal, too
  -mtriple=TRIPLE, -data-layout=TEXT what the module shall be for, whatever it says
  -mcpu=NAME, -mattr=+A,-B           the same for its functions
  -disable-verify, -verify-each      do not verify the module; verify it after each pass
  -lowertypetests-summary-action=none|import|export
  -lowertypetests-read-summary=FILE, -lowertypetests-write-summary=FILE
  -lowertypetests-drop-type-tests=none|assume|all
  -lowertypetests-avoid-reuse=BOOL, -lowertypetests-jump-table-debug-info=BOOL
any other option, such as -inline-threshold=5, is LLVM's; what only the program opt knows,
such as --thinlto-bc, is left to LLVM's opt if the pipeline has no pass of typemeta's."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser."""
    parser = add_command(
        commands,
        "opt",
        _opt,
        summary="stands in for LLVM's opt: lowertypetests here, other passes in LLVM",
        description=_DESCRIPTION,
        example=(
            "  typemeta opt -S -passes=lowertypetests program.ll\n"
            "  typemeta opt -passes='globaldce,lowertypetests,default<O2>' program.bc -o lowered.bc\n"
            "  typemeta opt -S -passes=lowertypetests -lowertypetests-summary-action=export \\\n"
            "      -lowertypetests-read-summary=in.yaml -lowertypetests-write-summary=out.yaml x.bc"
            f"\n\n{_OPTIONS}"
        ),
    )
    assert isinstance(parser, CommandParser)
    parser.leaves_words = True
    parser.usage = f"{_NAME} [OPTION...] [INPUT]"
    parser.add_argument("--version", action="store_true", help="show the versions as opt does")
    parser.set_defaults(inputs=["-"])


def _opt(arguments: argparse.Namespace, console: Console) -> int:
    from typemeta.llvm.library import load

    if arguments.version:
        return _print_versions(load(arguments.llvm))
    from typemeta.pipeline import OurPass, parse_command_line, parse_pipeline

    library = load(arguments.llvm)
    library.on_fatal_error(console.journal.fail)
    options = parse_command_line(arguments.words, _asker(library))
    arguments.inputs = [options.input]
    steps = parse_pipeline(options.passes)
    _check(options)
    if options.for_program:
        console.journal.pass_messages()
        return _leave_to_program(library, arguments.words, options, steps)
    if options.for_llvm:
        _set_llvm_options(library, options.for_llvm, console)
    if any(not isinstance(step, OurPass) for step in steps):
        console.journal.pass_messages()  # passes such as print<domtree> write to standard error
    return _work(library, options, steps, console)


def _work(
    library: Library, options: OptOptions, steps: Sequence[OurPass | LLVMPasses], console: Console
) -> int:
    from typemeta.llvm.context import Context
    from typemeta.pipeline.reading import read_opt_input
    from typemeta.pipeline.running import run_pipeline

    with console.step("parse", f"reading {options.input}"):
        module = read_opt_input(options, context=Context(library), note=console.note, progress=console.stage)
    console.kept.append(module)
    with console.step("passes", f"applying passes to {module.name}"):
        summary = run_pipeline(module, steps, options, note=console.note, progress=console.stage)
    _report(module, console)
    with console.step("write", f"writing {options.output}"), ExitStack() as staged:
        if summary is not None:
            staged.enter_context(staged_output(options.summary_to_write, summary.encode(), console.journal))
        if not options.disable_output and not _spares_terminal(options, console):
            data = _contents(module, options)
            staged.enter_context(staged_output(options.output, data, console.journal))
    return 0


def _asker(library: Library) -> Callable[[str], bool | None]:
    """Returns what tells whether an option must have a value; it asks LLVM when it is first called."""
    known: dict[str, bool] = {}

    def must_have_value(name: str) -> bool | None:
        from typemeta.llvm.options import known_options

        known.update(known or known_options(library))
        return known.get(name)

    return must_have_value


def _set_llvm_options(library: Library, words: Sequence[str], console: Console) -> None:
    """Sets options of LLVM.

    Raises:
        TypemetaError: LLVM dislikes a value.
    """
    from typemeta.llvm.options import set_options

    console.journal.begin_options()
    set_options(library, _NAME, words)
    complaints = console.journal.messages
    if complaints:
        raise TypemetaError("; ".join(line.removeprefix(f"{_NAME}: ") for line in complaints))


def _contents(module: Module, options: OptOptions) -> bytes:
    from typemeta.llvm.writing import OutputKind, write_module

    return write_module(module, OutputKind.TEXT if options.is_text else OutputKind.BITCODE)


def _check(options: OptOptions) -> None:
    """Tells what cannot be written before the work begins."""
    for path in ("" if options.disable_output else options.output, options.summary_to_write):
        if path:
            check_output(path)


def _leave_to_program(
    library: Library, words: list[str], options: OptOptions, steps: Sequence[OurPass | LLVMPasses]
) -> int:
    """Runs LLVM's `opt` for options that its library does not have."""
    from typemeta.pipeline import OurPass
    from typemeta.pipeline.running import run_program

    ours = [step.name for step in steps if isinstance(step, OurPass)]
    wanted = " ".join(options.for_program)
    if ours:
        raise TypemetaError(
            f"{wanted}: only LLVM's program opt can do this, and it would run its own {ours[0]}; "
            f"run {ours[0]} first, and then a second time with {wanted}"
        )
    code = run_program(library, words, options.for_program)
    if code < 0:
        return EXIT_CRASH
    return EXIT_UNUSABLE if code else 0


def _spares_terminal(options: OptOptions, console: Console) -> bool:
    """Tells whether output is bitcode that would go to a terminal, and says what to do."""
    goes_there = options.output == STANDARD_OUTPUT and sys.stdout.isatty()
    if options.is_text or options.force or not goes_there:
        return False
    console.note(
        "a terminal cannot show bitcode: write text with -S, name a file with -o, or force it with -f"
    )
    return True


def _report(module: Module, console: Console) -> None:
    """Passes on what LLVM reported while passes ran.

    Raises:
        LLVMError: it reported an error.
    """
    diagnostics = module.context.take_diagnostics()
    errors = [found.text for found in diagnostics if found.severity == "error"]
    if errors:
        raise LLVMError(f"{module.name}: {'; '.join(errors)}")
    for found in diagnostics:
        console.note(f"LLVM {found.severity}: {found.text}")


def _print_versions(library: Library) -> int:
    print(f"typemeta {__version__}, in the place of opt\n  LLVM version {library.version_text}")
    return 0
