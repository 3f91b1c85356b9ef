"""Finds calls of intrinsics and what their arguments are known to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from typemeta.errors import MetadataError
from typemeta.llvm.module import Module
from typemeta.llvm.values import LINKAGES, LOCAL_LINKAGES
from typemeta.llvm.variables import global_name

_GEP_OPCODE: Final = 29  # LLVMGetElementPtr; the same in LLVM 19 to 23
_BITCAST_OPCODE: Final = 41  # LLVMBitCast
_STRUCT_KIND: Final = 10  # LLVMStructTypeKind
_SELECT_DEPTH: Final = 6
_LONGEST_CHAIN: Final = 100  # of offsets, casts and aliases in a row
_FIXED_LINKAGES: Final = LOCAL_LINKAGES | {"external", "linkonce_odr", "weak_odr"}


@dataclass(frozen=True, slots=True)
class IntrinsicCalls:
    """Calls of a type intrinsic, column by column, in use-list order, as LLVM sees them.

    Attributes:
        refs: handle of each call.
        pointers: handle of its argument 0, the tested pointer.
        identifiers: handle of its type identifier.
    """

    refs: list[int]
    pointers: list[int]
    identifiers: list[int]


def find_calls(module: Module, intrinsic: str, position: int) -> IntrinsicCalls:
    """Returns the calls of a type intrinsic.

    Args:
        module: the module.
        intrinsic: its name.
        position: which argument is the type identifier.

    Raises:
        MetadataError: it is used in a way that LLVM's verifier refuses, with which nothing can be done.
    """
    c = module.c
    function = c.LLVMGetNamedFunction(module.ref, intrinsic.encode())
    user, operand, following = c.LLVMGetUser, c.LLVMGetOperand, c.LLVMGetNextUse
    is_call, callee, count = c.LLVMIsACallInst, c.LLVMGetCalledValue, c.LLVMGetNumArgOperands
    use = c.LLVMGetFirstUse(function) if function else 0
    refs, pointers, identifiers = [], [], []
    while use:
        call = user(use)
        if not is_call(call) or callee(call) != function or count(call) <= position:
            raise MetadataError(f"@{intrinsic}", "is used in a way that LLVM's verifier refuses")
        refs.append(call)
        pointers.append(operand(call, 0))
        identifiers.append(operand(call, position))
        use = following(use)
    return IntrinsicCalls(refs, pointers, identifiers)


def find_branch_funnels(module: Module) -> list[list[int]]:
    """Returns for each `llvm.icall.branch.funnel`, in use-list order, the globals its targets lie in.

    Raises:
        MetadataError: a call is malformed, or the target is not x86-64, which alone has branch funnels.
    """
    c, subject = module.c, "llvm.icall.branch.funnel"
    function = c.LLVMGetNamedFunction(module.ref, subject.encode())
    use = c.LLVMGetFirstUse(function) if function else 0
    funnels = []
    while use:
        call = c.LLVMGetUser(use)
        use = c.LLVMGetNextUse(use)
        if not module.triple.startswith("x86_64"):
            raise MetadataError(subject, f"not supported on this target ({module.triple or 'no triple'})")
        count = c.LLVMGetNumArgOperands(call)
        if count % 2 != 1:
            raise MetadataError(subject, f"number of arguments should be odd, there are {count}")
        targets = [known_addresses(module, c.LLVMGetOperand(call, index)) for index in range(1, count, 2)]
        if not all(known and len(known) == 1 for known in targets):
            raise MetadataError(subject, "Expected branch funnel operand to be global value")
        funnels.append([known[0][0] for known in targets if known])
    return funnels


def assumed_values(module: Module) -> set[int]:
    """Returns the conditions of all calls of `llvm.assume`."""
    c = module.c
    assume = c.LLVMGetNamedFunction(module.ref, b"llvm.assume")
    use = c.LLVMGetFirstUse(assume) if assume else 0
    conditions = set()
    while use:
        conditions.add(c.LLVMGetOperand(c.LLVMGetUser(use), 0))
        use = c.LLVMGetNextUse(use)
    return conditions


def is_only_assumed(module: Module, call: int) -> bool:
    """Tells whether every user of a value is an `llvm.assume`."""
    c = module.c
    assume = c.LLVMGetNamedFunction(module.ref, b"llvm.assume")
    use = c.LLVMGetFirstUse(call)
    while use:
        user = c.LLVMGetUser(use)
        if not c.LLVMIsACallInst(user) or c.LLVMGetCalledValue(user) != assume:
            return False
        use = c.LLVMGetNextUse(use)
    return True


def find_assumes(module: Module, call: int) -> list[int]:
    """Returns the users of a test that only feeds `llvm.assume`, each once."""
    c = module.c
    found: dict[int, None] = {}
    use = c.LLVMGetFirstUse(call)
    while use:
        found[c.LLVMGetUser(use)] = None
        use = c.LLVMGetNextUse(use)
    return list(found)


def known_addresses(module: Module, pointer: int) -> list[tuple[int, int]] | None:
    """Returns the only addresses a pointer can hold, if they are known when compiling.

    Looks through constant offsets, bit casts and selects, as LLVM's lowering does, and through aliases
    of variables. An alias of a function is not looked through: it goes on leading to the function's
    body when all other addresses become those of a jump-table entry.

    Returns:
        (handle of a global object, byte offset) for each possibility, or None if it is not known.
    """
    if module.c.LLVMIsALoadInst(pointer):  # nearly every vtable pointer is one
        return None
    return _known(module.c, module.c.LLVMGetModuleDataLayout(module.ref), pointer, 0, _SELECT_DEPTH)


def resolve_address(module: Module, value: int) -> tuple[str, int] | None:
    """Returns (name, byte offset) of the global that a global or an alias stands for; None if unknown."""
    layout = module.c.LLVMGetModuleDataLayout(module.ref)
    known = _known(module.c, layout, value, 0, _SELECT_DEPTH, function_aliases=True)
    if known is None or len(known) != 1:
        return None
    ref, offset = known[0]
    return global_name(module, ref).removeprefix("@"), offset


def _known(
    c: Any, layout: int, value: int, offset: int, depth: int, function_aliases: bool = False
) -> list[tuple[int, int]] | None:
    is_alias = False
    for _ in range(_LONGEST_CHAIN):  # in unreachable code a chain can be a circle
        if c.LLVMIsAGlobalVariable(value) or c.LLVMIsAFunction(value):
            is_body = is_alias and not function_aliases and c.LLVMIsAFunction(value)
            return None if is_body else [(value, offset)]
        if c.LLVMIsAGlobalAlias(value):
            if LINKAGES[c.LLVMGetLinkage(value)] not in _FIXED_LINKAGES:
                return None  # another module may give the alias another meaning
            value, is_alias = c.LLVMAliasGetAliasee(value), True
        elif _is_operation(c, value, c.LLVMIsAGetElementPtrInst, _GEP_OPCODE):
            step = constant_gep_offset(c, layout, value)
            if step is None:
                return None
            value, offset = c.LLVMGetOperand(value, 0), offset + step
        elif _is_operation(c, value, c.LLVMIsABitCastInst, _BITCAST_OPCODE):
            value = c.LLVMGetOperand(value, 0)
        else:
            break
    if depth and c.LLVMIsASelectInst(value):
        arms = [_known(c, layout, c.LLVMGetOperand(value, arm), offset, depth - 1) for arm in (1, 2)]
        return None if None in arms else [address for arm in arms if arm for address in arm]
    return None


def _is_operation(c: Any, value: int, is_instruction: Any, opcode: int) -> bool:
    """Tells an operation in either form, instruction or constant expression."""
    if c.LLVMIsAConstantExpr(value):
        return bool(c.LLVMGetConstOpcode(value) == opcode)
    return bool(is_instruction(value))


def constant_gep_offset(c: Any, layout: int, gep: int) -> int | None:
    """Returns the byte offset of a `getelementptr` whose indices are all constant, else None."""
    current = c.LLVMGetGEPSourceElementType(gep)
    total = 0
    for position in range(1, c.LLVMGetNumOperands(gep)):
        index = c.LLVMIsAConstantInt(c.LLVMGetOperand(gep, position))
        if not index:
            return None
        number = c.LLVMConstIntGetSExtValue(index)
        if position == 1:
            total += number * c.LLVMABISizeOfType(layout, current)
            continue
        if c.LLVMGetTypeKind(current) == _STRUCT_KIND:
            total += c.LLVMOffsetOfElement(layout, current, number)
            current = c.LLVMStructGetTypeAtIndex(current, number)
        else:
            current = c.LLVMGetElementType(current)
            total += number * c.LLVMABISizeOfType(layout, current)
    return total
