"""Defines what a module needs and nothing defines, so that it can be run.

    declare void @g()

    define void @g() {                        ; says "called @g, which nothing defines" and stops
      %0 = call i32 @fflush(ptr null)
      %1 = call i64 @write(i32 2, ptr @..., i64 ...)
      call void @_exit(i32 2)
      unreachable
    }

A variable becomes zeros. Written after lowering: for the lowering the symbol is external.
"""

from __future__ import annotations

from typing import Final

from typemeta.llvm.edit import EXTERN_WEAK_LINKAGE, EXTERNAL_LINKAGE, PRIVATE_LINKAGE, Editor, edit
from typemeta.llvm.jit import is_in_process
from typemeta.llvm.module import Module

EXIT_STATUS: Final = 2
_STANDARD_ERROR: Final = 2


def add_stubs(module: Module) -> list[str]:
    """Defines the symbols that neither the module nor this process defines; returns their names.

    A weak symbol that is missing stays missing: its address is null.
    """
    c = module.c
    missing = [
        value.ref
        for values in (module.functions(), module.variables())
        for value in values
        if value.is_declaration
        and c.LLVMGetFirstUse(value.ref)
        and c.LLVMGetLinkage(value.ref) != EXTERN_WEAK_LINKAGE
        and not value.name.startswith("llvm.")
        and not is_in_process(value.name)
    ]
    names = []
    with edit(module) as editor:
        for ref in missing:
            names.append(editor.name(ref).decode(errors="replace"))
            if c.LLVMIsAFunction(ref):
                _define_function(editor, ref, names[-1])
            elif c.LLVMTypeIsSized(editor.value_type(ref)):
                editor.set_initializer(ref, editor.null(editor.value_type(ref)))
            else:
                _replace_opaque(editor, ref)
    return names


def _replace_opaque(editor: Editor, variable: int) -> None:
    """Puts a byte in the place of a variable whose type nobody knows; only its address can be used."""
    name = editor.name(variable)
    byte = editor.add_variable(editor.i8, "", constant=False, linkage=EXTERNAL_LINKAGE)
    editor.set_initializer(byte, editor.null(editor.i8))
    editor.replace_uses(variable, byte)
    editor.delete_variable(variable)
    editor.rename(byte, name)


def _define_function(editor: Editor, function: int, name: str) -> None:
    text = f"typemeta: called @{name}, which nothing defines\n".encode()
    message = editor.add_variable(
        editor.array_type(editor.i8, len(text)), "", constant=True, linkage=PRIVATE_LINKAGE
    )
    editor.set_initializer(message, editor.byte_constant(text))
    i64 = editor.int_type(64)
    write_type = editor.function_type(i64, [editor.i32, editor.pointer_type, i64])
    flush_type = editor.function_type(editor.i32, [editor.pointer_type])
    exit_type = editor.function_type(editor.void_type, [editor.i32])
    editor.append_block(function, "")
    arguments = [editor.constant(editor.i32, _STANDARD_ERROR), message, editor.constant(i64, len(text))]
    editor.call(flush_type, editor.declare("fflush", flush_type), [editor.null(editor.pointer_type)])
    editor.call(write_type, editor.declare("write", write_type), arguments)
    editor.call(exit_type, editor.declare("_exit", exit_type), [editor.constant(editor.i32, EXIT_STATUS)])
    editor.unreachable()
