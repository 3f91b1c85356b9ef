"""Runs LLVM's own passes."""

from __future__ import annotations

from typemeta.llvm.module import Module


def run_passes(module: Module, pipeline: str, *, machine: int = 0, verify_each: bool = False) -> None:
    """Runs a pipeline as `opt -passes=` takes it, such as `globaldce` or `default<O2>`.

    Args:
        module: what to change.
        pipeline: the passes.
        machine: a target machine (`target.pass_machine`), which passes ask what code costs; 0 for none.
        verify_each: run LLVM's verifier after each pass; a broken module ends the process.

    Raises:
        LLVMError: LLVM does not know a pass, or a pass failed.
    """
    c = module.c
    options = c.LLVMCreatePassBuilderOptions()
    try:
        c.LLVMPassBuilderOptionsSetVerifyEach(options, verify_each)
        error = c.LLVMRunPasses(module.ref, pipeline.encode(), machine, options)
    finally:
        c.LLVMDisposePassBuilderOptions(options)
        module.changed()
    module.library.check_error(error, f"{module.name}: passes {pipeline}")
