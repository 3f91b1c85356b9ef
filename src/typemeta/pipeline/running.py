"""Runs a pipeline: our passes are done by typemeta, the others by LLVM, in the order given."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from typemeta.errors import TypemetaError
from typemeta.llvm.library import Library
from typemeta.llvm.module import Module
from typemeta.llvm.passes import run_passes
from typemeta.llvm.reading import Note, Progress, read_bytes
from typemeta.llvm.target import pass_machine
from typemeta.pipeline.command_line import OptOptions
from typemeta.pipeline.text import DROP, LOWER, LLVMPasses, OurPass

if TYPE_CHECKING:
    from typemeta.summary import ModuleSummary


def run_pipeline(
    module: Module,
    steps: Sequence[OurPass | LLVMPasses],
    options: OptOptions,
    *,
    note: Note,
    progress: Progress,
) -> str | None:
    """Runs passes on a module; verifies it before and after, unless told not to.

    Args:
        module: what to change.
        steps: the passes.
        options: what goes for all of them.
        note: called with what a user should know.
        progress: called with what is done next.

    Returns:
        The module summary that the last `lowertypetests` leaves, as YAML; None if none is to be written.

    Raises:
        LLVMError: LLVM does not know a pass, a pass failed, or the module is broken.
        MetadataError: its type metadata is malformed.
        InputError: the module summary cannot be read.
    """
    summary: str | None = None
    _verify(module, options, progress)
    with _machine_for(module, steps, options, note) as machine:
        for step in steps:
            match step:
                case LLVMPasses(text):
                    progress(f"applying {text} to {module.name}")
                    run_passes(module, text, machine=machine, verify_each=options.verify_each)
                case OurPass(name, parameter):
                    progress(f"applying {name} to {module.name}")
                    summary = _run_ours(module, name, parameter, options) or summary
    _verify(module, options, progress)
    return summary


def run_program(library: Library, words: Sequence[str], wanted: Sequence[str]) -> int:
    """Runs LLVM's own program `opt`; returns its exit code.

    Args:
        library: its version is that of the program, which stands beside it.
        words: the command line.
        wanted: the options that only the program understands.

    Raises:
        TypemetaError: there is no such program.
    """
    program = find_program(library)
    if program is None:
        raise TypemetaError(
            f"{' '.join(wanted)}: only LLVM's program opt can do this, and there is none beside "
            f"{library.found.path}; install LLVM's tools of this version"
        )
    return subprocess.run([program, *words], check=False).returncode


def find_program(library: Library) -> Path | None:
    """Returns the program `opt` of the installation that a libLLVM belongs to."""
    for place in (library.found.path, os.path.realpath(library.found.path)):
        program = Path(place).parent.parent / "bin" / "opt"
        if os.access(program, os.X_OK):
            return program
    return None


@contextmanager
def _machine_for(
    module: Module, steps: Sequence[OurPass | LLVMPasses], options: OptOptions, note: Note
) -> Iterator[int]:
    """Yields the target machine that LLVM's passes need; 0 if there are none, or no machine."""
    if not any(isinstance(step, LLVMPasses) for step in steps):
        yield 0
        return
    with pass_machine(module, cpu=options.cpu, features=options.features) as machine:
        if module.triple and not machine:
            note(f"this LLVM has no target for {module.triple}: its passes do not know what code costs there")
        yield machine


def _verify(module: Module, options: OptOptions, progress: Progress) -> None:
    if not options.disable_verify:
        progress(f"verifying {module.name}")
        module.verify()


def _run_ours(module: Module, name: str, parameter: str, options: OptOptions) -> str | None:
    from typemeta.lower.lower_type_tests import DropTests, SummaryAction, lower_type_tests

    if name == DROP:
        lower_type_tests(module, drop=DropTests(parameter or DropTests.ALL))
        return None
    assert name == LOWER
    summary = _read_summary(options)
    lower_type_tests(
        module,
        drop=DropTests(options.drop_type_tests),
        action=SummaryAction(options.summary_action),
        summary=summary,
        avoid_reuse=options.avoid_reuse,
        jump_table_debug_info=options.jump_table_debug_info,
    )
    if not options.summary_to_write:
        return None
    from typemeta.summary.write import write_summary

    return write_summary(summary)


def _read_summary(options: OptOptions) -> ModuleSummary:
    """Returns the summary to import from or to export to; an empty one if none is to be read."""
    from typemeta.summary import ModuleSummary

    if not options.summary_to_read:
        return ModuleSummary()
    from typemeta.summary.read import read_summary

    return read_summary(read_bytes(options.summary_to_read), options.summary_to_read)
