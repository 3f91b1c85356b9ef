"""Reads the numeric type identifiers of a module: `i64` constants in the place of a name.

!0 = !{i64 0, !"_ZTSFivE"}                  ; known within one link
!1 = !{i64 0, i64 -7206486385519735401}     ; the same set, known to other shared libraries
!cfi.functions = !{!{!"f", i8 0, !0, !1}}   ; a function of another module of a ThinLTO link
"""

from __future__ import annotations

from typing import Final

import numpy as np

from typemeta.errors import MetadataError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.metadata import decode_type_nodes, read_attachments
from typemeta.llvm.module import CONSTANT_AS_METADATA, Module
from typemeta.llvm.variables import global_name

_IDENTIFIER_BITS: Final = 64
_CFI_FUNCTIONS: Final = "cfi.functions"
_FIRST_TYPE: Final = 2  # behind name and linkage; since LLVM 23 behind the function's GUID too


def read_numeric_identifiers(module: Module) -> list[int]:
    """Returns the numeric identifiers of all memberships, unsigned, each once, in LLVM's order.

    Those of functions come first, then those of variables, then those of `cfi.functions`.

    Raises:
        MetadataError: a `!type` node or an operand of `cfi.functions` is malformed.
    """
    kind = module.context.metadata_kind("type")
    attachments = read_attachments(module, [kind])
    owner, nodes = attachments.of_kind(kind)
    _, first = np.unique(nodes, return_index=True)
    first.sort()
    subjects = [global_name(module, attachments.owners[index]) for index in owner[first].tolist()]
    listed = _listed_nodes(module)
    subjects += [f"!{_CFI_FUNCTIONS}"] * len(listed)
    decoded = decode_type_nodes(module, [*nodes[first].tolist(), *listed])
    for position, fault in decoded.faults.items():
        raise MetadataError(subjects[position], fault)
    numbers = [_number(module, identifier) for identifier in decoded.identifiers]
    return list(dict.fromkeys(number for number in numbers if number is not None))


def _number(module: Module, identifier: int) -> int | None:
    """Returns the number that an identifier's handle stands for; None for a name or a node."""
    c = module.c
    if identifier < 0 or c.LLVMIsAMDString(identifier):
        return None
    if c.LLVMGetMetadataKind(c.LLVMValueAsMetadata(identifier)) != CONSTANT_AS_METADATA:
        return None
    integer = c.LLVMIsAConstantInt(c.LLVMGetOperand(identifier, 0))
    if not integer or c.LLVMGetIntTypeWidth(c.LLVMTypeOf(integer)) != _IDENTIFIER_BITS:
        return None
    return int(c.LLVMConstIntGetZExtValue(integer))


def _listed_nodes(module: Module) -> list[int]:
    """Returns the `!type` nodes in the operands of `cfi.functions`."""
    c, name = module.c, _CFI_FUNCTIONS.encode()
    count = c.LLVMGetNamedMetadataNumOperands(module.ref, name)
    functions = ffi.new("LLVMValueRef[]", max(count, 1))
    c.LLVMGetNamedMetadataOperands(module.ref, name, functions)
    return [node for function in functions[0:count] for node in _types_of_function(module, function)]


def _types_of_function(module: Module, function: int) -> list[int]:
    c, subject = module.c, f"!{_CFI_FUNCTIONS}"
    count = c.LLVMGetMDNodeNumOperands(function)
    if count < _FIRST_TYPE:
        raise MetadataError(subject, f"an operand must hold a name and a linkage, one holds {count} operands")
    operands = ffi.new("LLVMValueRef[]", count)
    c.LLVMGetMDNodeOperands(function, operands)
    types = list(operands[_FIRST_TYPE:count])
    if types and types[0] and c.LLVMIsAConstantInt(types[0]):
        types = types[1:]
    if not all(type_ and c.LLVMIsAMDNode(type_) for type_ in types):
        raise MetadataError(subject, "what follows a function's name and linkage must be !type nodes")
    return [int(c.LLVMValueAsMetadata(type_)) for type_ in types]
