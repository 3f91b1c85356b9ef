"""Reads the module that `opt` works on, for the target that its command line names."""

from __future__ import annotations

from functools import partial

from typemeta.llvm.context import Context
from typemeta.llvm.edit import Editor
from typemeta.llvm.functions import has_string_attribute, string_attribute
from typemeta.llvm.library import Library
from typemeta.llvm.module import Module
from typemeta.llvm.reading import Note, Progress, read_module
from typemeta.llvm.target import has_target, normalize_triple, target_data_layout
from typemeta.pipeline.command_line import OptOptions
from typemeta.pipeline.data_layouts import known_layout
from typemeta.pipeline.target_lines import choose_target, retarget_text

_KNOWS_ALL_LAYOUTS = 23
"""The first LLVM that gives a module the layout of its triple although it has no such target."""


def read_opt_input(
    options: OptOptions, *, context: Context, note: Note | None = None, progress: Progress | None = None
) -> Module:
    """Reads the input with the triple and the data layout that it shall have.

    Raises:
        InputError: it cannot be read.
    """
    library = context.library
    triple = normalize_triple(library, options.triple) if options.triple else ""
    infer = partial(infer_data_layout, library)
    module = read_module(
        [options.input],
        context=context,
        note=note,
        progress=progress,
        edit_text=lambda text: retarget_text(text, triple, options.data_layout, infer),
    )
    said = module.triple, module.data_layout
    wanted = choose_target(*said, triple, options.data_layout, infer)
    if wanted != said:  # bitcode
        module.set_target(*wanted)
    if module.triple and (options.cpu or options.features):
        set_processor(module, options.cpu, options.features)
    return module


def infer_data_layout(library: Library, triple: str) -> str:
    """Returns the data layout of a triple; empty if neither this LLVM nor we know it."""
    if has_target(library, triple):
        return target_data_layout(library, triple, triple)
    return known_layout(triple) if library.version[0] >= _KNOWS_ALL_LAYOUTS else ""


def set_processor(module: Module, cpu: str, features: str) -> None:
    """Says in each function what it is compiled for: a processor if it names none, and more features."""
    editor = Editor(module)
    for function in list(module.functions()):
        ref = function.ref
        if cpu and not has_string_attribute(module, ref, "target-cpu"):
            editor.add_string_attribute(ref, "target-cpu", cpu)
        if features:
            before = string_attribute(module, ref, "target-features")
            joined = f"{before},{features}" if before else features
            editor.add_string_attribute(ref, "target-features", joined)
