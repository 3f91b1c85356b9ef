"""Questions about functions: who uses them, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from typemeta.llvm._cdef import ffi
from typemeta.llvm.module import Module
from typemeta.llvm.variables import global_name

_FUNCTION_INDEX: Final = 0xFFFFFFFF  # LLVMAttributeFunctionIndex
_ASSUME_LIKE: Final = frozenset(
    {
        "llvm.assume",
        "llvm.pseudoprobe",
        "llvm.sideeffect",
        "llvm.dbg.assign",
        "llvm.dbg.declare",
        "llvm.dbg.value",
        "llvm.dbg.label",
        "llvm.invariant.start",
        "llvm.invariant.end",
        "llvm.lifetime.start",
        "llvm.lifetime.end",
        "llvm.experimental.noalias.scope.decl",
        "llvm.objectsize",
        "llvm.ptr.annotation",
        "llvm.var.annotation",
    }
)
_PRINT_WHOLE_MODULE: Final = 16  # functions from which on one print of the module is cheaper
_HEADER: Final = re.compile(r"^(?:define|declare) ([^@\n]*)@(\"(?:[^\"\\]|\\.)*\"|[-\w$.]+)", re.MULTILINE)


def users(module: Module, ref: int) -> Iterator[int]:
    """Yields the user of each use of a value, once for each use; do not change uses meanwhile."""
    c = module.c
    use = c.LLVMGetFirstUse(ref)
    while use:
        yield c.LLVMGetUser(use)
        use = c.LLVMGetNextUse(use)


def is_call(c: Any, user: int) -> bool:
    """Tells a call, invoke or callbr."""
    return bool(c.LLVMIsACallInst(user) or c.LLVMIsAInvokeInst(user) or c.LLVMIsACallBrInst(user))


def is_direct_call(c: Any, user: int, function: int) -> bool:
    """Tells a call, invoke or callbr whose callee is `function`."""
    return is_call(c, user) and bool(c.LLVMGetCalledValue(user) == function)


def has_address_taken(module: Module, function: int) -> bool:
    """Tells whether a function is used other than as the callee of a call (LLVM's `hasAddressTaken`).

    Uses by block addresses do not count, nor do arguments of intrinsics that only state facts.
    """
    c = module.c
    is_plain_call, callee_of = c.LLVMIsACallInst, c.LLVMGetCalledValue
    type_of, following, user_of = c.LLVMGetCalledFunctionType, c.LLVMGetNextUse, c.LLVMGetUser
    value_type = c.LLVMGlobalGetValueType(function)
    calls: list[int] = []
    use = c.LLVMGetFirstUse(function)
    while use:
        user = user_of(use)
        use = following(use)
        if is_plain_call(user) or is_call(c, user):
            if callee_of(user) == function:
                if type_of(user) != value_type:
                    return True
                calls.append(user)
            elif not _is_assume_like(module, user):
                return True
        elif not c.LLVMIsABlockAddress(user):
            return True
    return len(set(calls)) < len(calls)  # the callee of a call that also passes it


def _is_assume_like(module: Module, call: int) -> bool:
    c = module.c
    if not c.LLVMIsAIntrinsicInst(call):
        return False
    name = global_name(module, c.LLVMGetCalledValue(call)).removeprefix("@")
    return any(name == known or name.startswith(f"{known}.") for known in _ASSUME_LIKE)


def is_no_cfi(module: Module, user: int) -> bool:
    """Tells a `no_cfi` constant, which only its text gives away: LLVM's C API has no name for it."""
    c = module.c
    if not c.LLVMIsConstant(user) or c.LLVMIsAGlobalValue(user) or c.LLVMIsAConstantExpr(user):
        return False
    if c.LLVMIsAConstantArray(user) or c.LLVMIsAConstantStruct(user) or c.LLVMIsAConstantVector(user):
        return False
    text: str = module.library.take_message(c.LLVMPrintValueToString(user))
    return " no_cfi " in f" {text.partition('@')[0]}"  # the name may be any text


def has_string_attribute(module: Module, function: int, key: str) -> bool:
    """Tells whether a function has a string attribute."""
    encoded = key.encode()
    return bool(module.c.LLVMGetStringAttributeAtIndex(function, _FUNCTION_INDEX, encoded, len(encoded)))


def string_attribute(module: Module, function: int, key: str) -> str:
    """Returns the value of a function's string attribute, empty if it has none."""
    c, encoded = module.c, key.encode()
    attribute = c.LLVMGetStringAttributeAtIndex(function, _FUNCTION_INDEX, encoded, len(encoded))
    if not attribute:
        return ""
    length = ffi.new("unsigned *")
    return bytes(ffi.buffer(c.LLVMGetStringAttributeValue(attribute, length), length[0])).decode()


def has_enum_attribute(module: Module, function: int, name: str) -> bool:
    """Tells whether a function has an attribute such as `nounwind`."""
    kind = module.c.LLVMGetEnumAttributeKindForName(name.encode(), len(name))
    return bool(module.c.LLVMGetEnumAttributeAtIndex(function, _FUNCTION_INDEX, kind))


def find_dso_local(module: Module, functions: Sequence[int]) -> frozenset[int]:
    """Returns those of the functions that no other module can replace at run time.

    Local linkage and a visibility other than default imply it. An explicit `dso_local` can only be
    read from printed text: LLVM's C API does not have it.
    """
    c = module.c
    local = {ref for ref in functions if _is_implied_dso_local(c, ref)}
    asked = [ref for ref in functions if ref not in local]
    if not asked:
        return frozenset(local)
    if len(asked) < _PRINT_WHOLE_MODULE:
        take = module.library.take_message
        text = "\n".join(take(c.LLVMPrintValueToString(ref)).lstrip() for ref in asked)
    else:
        text = module.print()
    marked = {match[2] for match in _HEADER.finditer(text) if "dso_local" in match[1].split()}
    local.update(ref for ref in asked if _printed_name(module, ref) in marked)
    return frozenset(local)


def _is_implied_dso_local(c: Any, ref: int) -> bool:
    linkage = c.LLVMGetLinkage(ref)
    return linkage in (8, 9) or (c.LLVMGetVisibility(ref) != 0 and linkage != 12)


def _printed_name(module: Module, ref: int) -> str:
    """Returns a function's name as LLVM prints it, quoted and escaped byte by byte where it must be."""
    length = ffi.new("size_t *")
    name = bytes(ffi.buffer(module.c.LLVMGetValueName2(ref, length), length[0]))
    if re.fullmatch(rb"[-a-zA-Z._][-\w.]*", name):
        return name.decode()
    return f'"{"".join(map(_escape, name))}"'


def _escape(byte: int) -> str:
    if byte == ord("\\"):
        return "\\\\"
    return chr(byte) if 0x20 <= byte < 0x7F and byte != ord('"') else f"\\{byte:02X}"


__all__ = [
    "find_dso_local",
    "has_address_taken",
    "has_enum_attribute",
    "has_string_attribute",
    "is_call",
    "is_direct_call",
    "is_no_cfi",
    "string_attribute",
    "users",
]
