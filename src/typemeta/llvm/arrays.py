"""LLVM's appending arrays (`llvm.used`, `llvm.global_ctors`, ...): taken out, changed, put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from typemeta.llvm.edit import APPENDING_LINKAGE, Editor

_CASTS: Final = (41, 60)  # LLVMBitCast, LLVMAddrSpaceCast


def take_array(editor: Editor, name: str) -> list[int] | None:
    """Removes an array variable and returns its elements, casts stripped; None if there is none."""
    c = editor.c
    variable = c.LLVMGetNamedGlobal(editor.module.ref, name.encode())
    if not variable or not c.LLVMGetInitializer(variable):
        return None
    contents = c.LLVMGetInitializer(variable)
    elements = [
        strip_casts(c, c.LLVMGetOperand(contents, index)) for index in range(c.LLVMGetNumOperands(contents))
    ]
    editor.delete_variable(variable)
    return elements


def put_pointers(editor: Editor, name: str, elements: Sequence[int]) -> None:
    """Adds `llvm.used` or `llvm.compiler.used` with these elements; nothing if there are none."""
    unique = list(dict.fromkeys(elements))
    if unique:
        _put(editor, name, editor.pointer_array(unique), editor.pointer_type, len(unique))


def append_constructor(editor: Editor, function: int, priority: int) -> None:
    """Adds an entry to `llvm.global_ctors`."""
    name = "llvm.global_ctors"
    null = editor.null(editor.pointer_type)
    entry = editor.struct([editor.constant(editor.i32, priority), function, null])
    entries = [*(take_array(editor, name) or ()), entry]
    type_ = editor.c.LLVMTypeOf(entry)
    _put(editor, name, editor.array(type_, entries), type_, len(entries))


def add_used(editor: Editor, name: str, elements: Sequence[int]) -> None:
    """Adds elements to `llvm.used` or `llvm.compiler.used`."""
    if elements:
        put_pointers(editor, name, [*(take_array(editor, name) or ()), *elements])


def take_rows(editor: Editor, name: str) -> list[tuple[int, ...]]:
    """Removes an array of structs and returns the fields of each, casts stripped."""
    c = editor.c
    rows = take_array(editor, name) or []
    return [
        tuple(strip_casts(c, c.LLVMGetOperand(row, index)) for index in range(c.LLVMGetNumOperands(row)))
        for row in rows
    ]


def array_rows(editor: Editor, name: str) -> list[int]:
    """Returns the first field of each struct in an array variable, casts stripped."""
    c = editor.c
    variable = c.LLVMGetNamedGlobal(editor.module.ref, name.encode())
    contents = c.LLVMGetInitializer(variable) if variable else 0
    if not contents or not c.LLVMIsAConstantArray(contents):
        return []
    rows = (c.LLVMGetOperand(contents, index) for index in range(c.LLVMGetNumOperands(contents)))
    return [strip_casts(c, c.LLVMGetOperand(row, 0)) for row in rows]


def set_array_rows(editor: Editor, name: str, first_fields: Mapping[int, int]) -> None:
    """Sets the first field of some structs in an array variable, by position."""
    if not first_fields:
        return
    c = editor.c
    variable = c.LLVMGetNamedGlobal(editor.module.ref, name.encode())
    contents = c.LLVMGetInitializer(variable)
    rows = [c.LLVMGetOperand(contents, index) for index in range(c.LLVMGetNumOperands(contents))]
    type_ = c.LLVMTypeOf(rows[0])
    for position, field in first_fields.items():
        fields = [
            c.LLVMGetOperand(rows[position], index) for index in range(c.LLVMGetNumOperands(rows[position]))
        ]
        rows[position] = c.LLVMConstNamedStruct(type_, [field, *fields[1:]], len(fields))
    editor.set_initializer(variable, editor.array(type_, rows))


def _put(editor: Editor, name: str, contents: int, element_type: int, count: int) -> None:
    variable = editor.add_variable(
        editor.array_type(element_type, count), name, constant=False, linkage=APPENDING_LINKAGE
    )
    editor.set_initializer(variable, contents)
    if name != "llvm.global_ctors":
        editor.c.LLVMSetSection(variable, b"llvm.metadata")


def strip_casts(c: Any, value: int) -> int:
    """Returns the constant behind pointer casts."""
    while c.LLVMIsAConstantExpr(value) and c.LLVMGetConstOpcode(value) in _CASTS:
        value = c.LLVMGetOperand(value, 0)
    return value
