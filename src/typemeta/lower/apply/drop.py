"""Removes type tests instead of lowering them: in a program without CFI they only were hints."""

from __future__ import annotations

from typemeta.llvm.calls import find_assumes, find_calls
from typemeta.llvm.edit import edit
from typemeta.llvm.module import Module
from typemeta.model import SiteKind


def drop_type_tests(module: Module) -> bool:
    """Removes every `llvm.type.test` and `llvm.public.type.test`; returns whether the module declares any.

    An `llvm.assume` of a test goes with it; any other use becomes true. `!vcall_visibility` is erased:
    without the tests GlobalDCE would take vtables for dead.

    Raises:
        MetadataError: a test is used in a way that LLVM's verifier refuses.
    """
    kinds = [kind for kind in (SiteKind.TYPE_TEST, SiteKind.PUBLIC_TYPE_TEST) if module.find(kind.intrinsic)]
    if not kinds:
        return False
    calls = [call for kind in kinds for call in find_calls(module, kind.intrinsic, 1).refs]
    assume = module.find("llvm.assume")
    callee = assume.ref if assume else 0
    with edit(module) as editor:
        true = editor.constant(editor.i1, 1)
        for call in calls:
            for user in find_assumes(module, call):
                if editor.c.LLVMIsACallInst(user) and editor.c.LLVMGetCalledValue(user) == callee:
                    editor.erase(user)
            editor.replace_uses(call, true)
            editor.erase(call)
        for variable in module.variables():
            editor.erase_metadata(variable.ref, "vcall_visibility")
    return True
