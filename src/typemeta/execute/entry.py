"""Adds an entry point to a module: a function that calls one function with given arguments.

    define void @typemeta.entry() {
      call void @typemeta.constructors()
      %r = call i1 @foo(ptr @a)
      store i1 %r, ptr @typemeta.result
      ret void
    }

    define void @typemeta.constructors() {
      call void @constructor()                  ; each of llvm.global_ctors, by priority
      ret void
    }

The first is written before lowering, so that an address given as an argument is lowered like any other: a
function's becomes that of its jump-table entry. The second is written after lowering, which may add a
constructor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from typemeta.errors import TypemetaError
from typemeta.llvm.edit import EXTERNAL_LINKAGE, Editor, edit
from typemeta.llvm.module import Module
from typemeta.query import NamedAddress

ENTRY: Final = "typemeta.entry"
RESULT: Final = "typemeta.result"
CONSTRUCTORS: Final = "typemeta.constructors"
_VOID, _INTEGER, _POINTER = 0, 8, 12  # LLVMTypeKind
_WIDEST: Final = 64


class CallError(TypemetaError):
    """A function cannot be called as asked."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """How to read the result.

    Attributes:
        kind: LLVMTypeKind of the result.
        bits: its width, 0 for void.
        name: name of the entry point's function.
        result: name of the variable that takes the result; unused for void.
        constructors: name of the function that runs the constructors.
    """

    kind: int
    bits: int
    name: str = ENTRY
    result: str = RESULT
    constructors: str = CONSTRUCTORS

    @property
    def size(self) -> int:
        """Bytes of the result, 0 for void."""
        return -(-self.bits // 8)

    def decode(self, memory: bytes) -> int | None:
        """Returns the result from its bytes: `i1` as 0 or 1, wider integers signed, pointers unsigned."""
        if self.kind == _VOID:
            return None
        value = int.from_bytes(memory, "little") & ((1 << self.bits) - 1)
        is_negative = self.kind == _INTEGER and self.bits > 1 and value >> (self.bits - 1)
        return value - (1 << self.bits) if is_negative else value


def add_entry_point(module: Module, function: str, arguments: Sequence[int | NamedAddress]) -> EntryPoint:
    """Adds `@typemeta.entry`, which calls a function; `add_constructor_calls` completes it.

    Args:
        module: the module.
        function: its name.
        arguments: integers, or addresses for pointers.

    Raises:
        CallError: there is no such function, or the arguments do not fit its type.
    """
    callee = module.find(function)
    if callee is None or not callee.is_function:
        raise CallError(f"{module.name} has no function @{function}")
    if callee.is_declaration:
        raise CallError(f"{module.name} only declares @{function}; it cannot be run")
    ref = callee.ref
    with edit(module) as editor:
        return _write_entry(editor, ref, function, arguments)


def _write_entry(
    editor: Editor, callee: int, function: str, arguments: Sequence[int | NamedAddress]
) -> EntryPoint:
    c = editor.c
    type_ = editor.value_type(callee)
    result_type = c.LLVMGetReturnType(type_)
    kind = c.LLVMGetTypeKind(result_type)
    if kind not in (_VOID, _INTEGER, _POINTER) or (kind == _INTEGER and _width(c, result_type) > _WIDEST):
        raise CallError(
            f"@{function} returns {_type_text(editor, result_type)}; what can be shown is integers of up to "
            f"{_WIDEST} bits and pointers"
        )
    values = _arguments(editor, type_, function, arguments)
    plain = editor.function_type(editor.void_type, [])
    constructors = editor.add_function(plain, CONSTRUCTORS, linkage=EXTERNAL_LINKAGE)
    entry = editor.add_function(plain, ENTRY, linkage=EXTERNAL_LINKAGE)
    editor.append_block(entry, "")
    editor.call(plain, constructors, [])
    returned = editor.call_as_declared(type_, callee, values)
    result = RESULT
    if kind != _VOID:
        store = editor.add_variable(result_type, RESULT, constant=False, linkage=EXTERNAL_LINKAGE)
        editor.set_initializer(store, editor.null(result_type))
        editor.store(returned, store)
        result = editor.name(store).decode()  # with a number if the module was prepared before
    editor.return_void()
    bits = {_VOID: 0, _POINTER: editor.module.pointer_bits}.get(kind)
    width = _width(c, result_type) if bits is None else bits
    return EntryPoint(kind, width, editor.name(entry).decode(), result, editor.name(constructors).decode())


def add_constructor_calls(module: Module, entry: EntryPoint) -> None:
    """Defines the function that an entry point calls first: it calls each of `llvm.global_ctors`."""
    with edit(module) as editor:
        plain = editor.function_type(editor.void_type, [])
        editor.append_block(editor.declare(entry.constructors, plain), "")
        for constructor in _constructors(editor):
            editor.call(plain, constructor, [])
        editor.return_void()


def _arguments(
    editor: Editor, type_: int, function: str, arguments: Sequence[int | NamedAddress]
) -> list[int]:
    c = editor.c
    count = c.LLVMCountParamTypes(type_)
    is_variadic = bool(c.LLVMIsFunctionVarArg(type_))
    if len(arguments) != count and not (is_variadic and len(arguments) > count):
        counted = f"{count} argument{'' if count == 1 else 's'}{' or more' if is_variadic else ''}"
        raise CallError(f"@{function} takes {counted}, {len(arguments)} given")
    types = [*editor.parameter_types(type_), *[editor.int_ptr_type] * (len(arguments) - count)]
    return [_argument(editor, t, function, value) for t, value in zip(types, arguments, strict=True)]


def _argument(editor: Editor, type_: int, function: str, value: int | NamedAddress) -> int:
    c = editor.c
    kind = c.LLVMGetTypeKind(type_)
    if kind not in (_INTEGER, _POINTER):
        raise CallError(f"@{function} takes {_type_text(editor, type_)}; integers and addresses can be given")
    bits = editor.module.pointer_bits if kind == _POINTER else _width(c, type_)
    if bits > _WIDEST:
        raise CallError(f"@{function} takes i{bits}; integers of up to {_WIDEST} bits can be given")
    if isinstance(value, NamedAddress):
        address = _address(editor, value)
        return address if kind == _POINTER else int(c.LLVMConstPtrToInt(address, type_))
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise CallError(f"{value} does not fit the {_type_text(editor, type_)} that @{function} takes")
    if kind == _POINTER:
        return editor.integer_as_pointer(editor.constant(editor.int_ptr_type, value), type_)
    return editor.constant(type_, value)


def _address(editor: Editor, address: NamedAddress) -> int:
    value = editor.module.find(address.name)
    if value is None:
        raise CallError(f"{editor.module.name} has no @{address.name}")
    return editor.byte_offset(value.ref, address.offset)


def _constructors(editor: Editor) -> list[int]:
    """Returns the functions of `llvm.global_ctors`, the lowest priority number first."""
    c = editor.c
    variable = c.LLVMGetNamedGlobal(editor.module.ref, b"llvm.global_ctors")
    contents = c.LLVMGetInitializer(variable) if variable else 0
    if not contents or not c.LLVMIsAConstantArray(contents):
        return []
    entries = [c.LLVMGetOperand(contents, index) for index in range(c.LLVMGetNumOperands(contents))]
    ranked = [(c.LLVMConstIntGetZExtValue(c.LLVMGetOperand(e, 0)), c.LLVMGetOperand(e, 1)) for e in entries]
    return [
        function
        for _, function in sorted(ranked, key=lambda entry: entry[0])
        if not c.LLVMIsAConstantPointerNull(function)
    ]


def _width(c: Any, type_: int) -> int:
    return int(c.LLVMGetIntTypeWidth(type_))


def _type_text(editor: Editor, type_: int) -> str:
    return editor.module.library.take_message(editor.c.LLVMPrintTypeToString(type_))
