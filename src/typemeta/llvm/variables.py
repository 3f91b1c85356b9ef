"""Questions about global values that need more than one C call."""

from __future__ import annotations

from typemeta.llvm._cdef import ffi
from typemeta.llvm.module import Module


def global_name(module: Module, ref: int) -> str:
    """Returns a global's name with its `@`, as messages show it; `@` alone if it has none."""
    length = ffi.new("size_t *")
    name = module.c.LLVMGetValueName2(ref, length)
    return "@" + bytes(ffi.buffer(name, length[0])).decode(errors="replace")


def section_name(module: Module, ref: int) -> str:
    """Returns the explicit section of a global, or an empty text."""
    name = module.c.LLVMGetSection(ref)
    return "" if name == ffi.NULL else bytes(ffi.string(name)).decode(errors="replace")


def value_size(module: Module, ref: int) -> int:
    """Returns the bytes that a variable's type takes by the data layout; 0 for an unsized type."""
    c = module.c
    value_type = c.LLVMGlobalGetValueType(ref)
    if not c.LLVMTypeIsSized(value_type):
        return 0
    return int(c.LLVMABISizeOfType(c.LLVMGetModuleDataLayout(module.ref), value_type))


def abi_alignment(module: Module, ref: int) -> int:
    """Returns the ABI alignment of a variable's type; 1 for an unsized type."""
    c = module.c
    value_type = c.LLVMGlobalGetValueType(ref)
    if not c.LLVMTypeIsSized(value_type):
        return 1
    return int(c.LLVMABIAlignmentOfType(c.LLVMGetModuleDataLayout(module.ref), value_type))
