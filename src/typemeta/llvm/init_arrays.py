"""Puts constructors and destructors where ELF linkers look for them.

A target machine made through LLVM's C API emits `llvm.global_ctors` into `.ctors`, and there is no
function to ask for `.init_array`. Linkers such as lld do not convert one into the other, so such
constructors would never run. Here each becomes a pointer of its own in the right section:

    @llvm.global_ctors = appending global [1 x ...] [{ i32 65535, ptr @init, ptr null }]

    @0 = internal global ptr @init, section ".init_array"      ; and listed in llvm.compiler.used
"""

from __future__ import annotations

from typing import Final

from typemeta.llvm.arrays import add_used, take_rows
from typemeta.llvm.edit import INTERNAL_LINKAGE, Editor, edit
from typemeta.llvm.module import Module

_LISTS: Final = {"llvm.global_ctors": ".init_array", "llvm.global_dtors": ".fini_array"}
_DEFAULT_PRIORITY: Final = 65535
_NOT_ELF: Final = ("apple", "darwin", "macos", "ios", "windows", "win32", "wasm", "aix", "cygwin")


def use_init_arrays(module: Module) -> None:
    """Moves a module's constructors and destructors into `.init_array` and `.fini_array`, if it is ELF."""
    if any(word in module.triple for word in _NOT_ELF):
        return
    with edit(module) as editor:
        added = [
            _add_entry(editor, section, *row)
            for name, section in _LISTS.items()
            for row in take_rows(editor, name)
        ]
        add_used(editor, "llvm.compiler.used", added)


def _add_entry(editor: Editor, section: str, priority: int, function: int, key: int) -> int:
    """Adds one pointer; `key` is the global whose comdat the entry belongs to, if any."""
    c = editor.c
    number = c.LLVMConstIntGetZExtValue(priority)
    name = section if number == _DEFAULT_PRIORITY else f"{section}.{number:05}"
    entry = editor.add_variable(editor.pointer_type, "", constant=False, linkage=INTERNAL_LINKAGE)
    editor.set_initializer(entry, function)
    c.LLVMSetSection(entry, name.encode())
    if c.LLVMIsAGlobalValue(key):
        c.LLVMSetComdat(entry, c.LLVMGetComdat(key))
    return entry
