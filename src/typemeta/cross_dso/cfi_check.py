"""Builds `__cfi_check`, as LLVM's `cross-dso-cfi` pass does.

    define void @__cfi_check(i64 %CallSiteTypeId, ptr %Addr, ptr %CFICheckFailData) align 4096 {
    entry:
      switch i64 %CallSiteTypeId, label %fail [ i64 ID, label %test ... ]
    exit:
      ret void
    fail:
      call void @__cfi_check_fail(ptr %CFICheckFailData, ptr %Addr)
      br label %exit
    test:
      %0 = call i1 @llvm.type.test(ptr %Addr, metadata i64 ID)
      br i1 %0, label %exit, label %fail

A caller in another shared library that does not know a pointer's target calls it with the numeric
identifier of the set that the pointer must be in. The run-time library finds it by its alignment.
Lowering must come afterwards: it lowers the tests in here like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from typemeta.cross_dso.identifiers import is_arm_triple
from typemeta.errors import MetadataError
from typemeta.llvm.bodies import delete_body, name_parameters
from typemeta.llvm.edit import Editor, edit
from typemeta.llvm.module import Module
from typemeta.llvm.numeric_identifiers import read_numeric_identifiers

_ALIGNMENT: Final = 4096
_LIKELY: Final = (1048575, 1)  # LLVM's branch weights of "likely"
_CHECK, _FAIL = "__cfi_check", "__cfi_check_fail"


def build_cfi_check(module: Module) -> bool:
    """Gives a module with the flag `Cross-DSO CFI` its `__cfi_check`; returns whether it has the flag.

    A definition that is there (clang emits a weak one, so that the linker knows the symbol) loses its
    body, its attachments and its linkage, and keeps its attributes. Handles of the module become stale.

    Raises:
        MetadataError: its type metadata is malformed, or `__cfi_check` is something else than a function
            `void (i64, ptr, ptr)`; nothing is changed then.
    """
    if "Cross-DSO CFI" not in module.flags():
        return False
    identifiers = read_numeric_identifiers(module)
    with edit(module) as editor:
        check = _take_over(editor)
        _fill(editor, check, identifiers)
    return True


def _take_over(editor: Editor) -> int:
    """Returns `__cfi_check` without a body, with the properties that it must have."""
    c, module = editor.c, editor.module
    type_ = editor.function_type(
        editor.void_type, [editor.int_type(64), editor.pointer_type, editor.pointer_type]
    )
    existing = module.find(_CHECK)
    if existing and not (existing.is_function and editor.value_type(existing.ref) == type_):
        raise MetadataError(
            f"@{_CHECK}", "must be a function void (i64, ptr, ptr), since cross-DSO CFI calls it"
        )
    check = editor.declare(_CHECK, type_)
    delete_body(editor, check)
    c.LLVMSetAlignment(check, _ALIGNMENT)
    if is_arm_triple(module.triple):
        editor.add_string_attribute(check, "target-features", "+thumb-mode")
    return check


def _fill(editor: Editor, check: int, identifiers: Sequence[int]) -> None:
    """Builds the body; blocks, calls and constants come in LLVM's order, which numbers and names them."""
    identifier, address, data = name_parameters(editor, check, "CallSiteTypeId", "Addr", "CFICheckFailData")
    entry = editor.append_block(check, "entry")
    exit_ = editor.append_block(check, "exit")
    editor.return_void()
    fail = editor.append_block(check, "fail")
    fail_type = editor.function_type(editor.void_type, [editor.pointer_type, editor.pointer_type])
    existing = editor.module.find(_FAIL)  # an alias serves as well
    handler = existing.ref if existing else editor.declare(_FAIL, fail_type)
    editor.call(fail_type, handler, [data, address])
    editor.branch(exit_)
    editor.position_at_end(entry)
    switch = editor.switch(identifier, fail, len(identifiers))
    for number in identifiers:
        block = editor.append_block(check, "test")
        editor.set_branch_weights(editor.branch_if(_test(editor, address, number), exit_, fail), _LIKELY)
        editor.add_case(switch, editor.constant(editor.int_type(64), number), block)


def _test(editor: Editor, address: int, number: int) -> int:
    """Builds the test of one set."""
    test = editor.intrinsic("llvm.type.test", [])
    identifier = editor.constant_as_metadata(editor.int_type(64), number)
    return editor.call(editor.value_type(test), test, [address, identifier])
