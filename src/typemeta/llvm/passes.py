"""Runs LLVM's own passes."""

from __future__ import annotations

from typemeta.llvm.module import Module


def run_passes(module: Module, pipeline: str) -> None:
    """Runs a pipeline as `opt -passes=` takes it, such as `globaldce` or `default<O2>`.

    Raises:
        LLVMError: LLVM does not know a pass, or a pass failed.
    """
    c = module.c
    options = c.LLVMCreatePassBuilderOptions()
    try:
        error = c.LLVMRunPasses(module.ref, pipeline.encode(), 0, options)
    finally:
        c.LLVMDisposePassBuilderOptions(options)
        module.changed()
    module.library.check_error(error, f"{module.name}: passes {pipeline}")
