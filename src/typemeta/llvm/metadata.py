"""Reads metadata attachments of a whole module in bulk.

`LLVMGlobalCopyAllMetadata` hands back an array of {u32 kind; u32 padding; void *node}. Reading that
array as bytes costs one C call for each global instead of three for each attachment. The layout is
no part of LLVM's promised interface, so it is compared with LLVM's own accessors once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from typemeta.errors import LLVMError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.module import CONSTANT_AS_METADATA, Module

ENTRY: Final = np.dtype([("kind", "<u4"), ("padding", "<u4"), ("node", "<u8")])


@dataclass(frozen=True, slots=True, eq=False)
class Attachments:
    """Metadata attached to the global objects of a module.

    Attributes:
        owners: handles of the global objects that carry one of the kinds asked for: functions first,
            then variables, each in module order (LLVM's `global_objects()`).
        kinds: (n,) int, metadata kind of each attachment, in the order of the owners, and for one
            owner in LLVM's (ascending kinds, of one kind in source order).
        owner: (n,) int, index into `owners`.
        node: (n,) uint64, handle of the metadata node.
    """

    owners: list[int]
    kinds: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int64]
    node: npt.NDArray[np.uint64]

    def of_kind(self, kind: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """Returns `owner` and `node` of the attachments of one kind."""
        chosen = self.kinds == kind
        return self.owner[chosen], self.node[chosen]


def read_attachments(module: Module, kinds: Sequence[int]) -> Attachments:
    """Reads the attachments of certain kinds on all functions and variables.

    Args:
        module: the module.
        kinds: metadata kind numbers (`Context.metadata_kind`).
    """
    c = module.c
    copied: list[tuple[int, bytes]] = []
    length = ffi.new("size_t *")
    copy, dispose, view = c.LLVMGlobalCopyAllMetadata, c.LLVMDisposeValueMetadataEntries, ffi.buffer
    for first, following in (
        (c.LLVMGetFirstFunction, c.LLVMGetNextFunction),
        (c.LLVMGetFirstGlobal, c.LLVMGetNextGlobal),
    ):
        ref = first(module.ref)
        while ref:
            entries = copy(ref, length)
            if length[0]:
                if not copied:
                    _check_layout(c, entries)
                copied.append((ref, view(entries, ENTRY.itemsize * length[0])[:]))
            dispose(entries)
            ref = following(ref)
    return _select(copied, kinds)


def _select(copied: list[tuple[int, bytes]], kinds: Sequence[int]) -> Attachments:
    """Keeps the attachments of the wanted kinds and the globals that have any."""
    table = np.frombuffer(b"".join(data for _, data in copied), ENTRY)
    counts = np.array([len(data) // ENTRY.itemsize for _, data in copied], np.int64)
    owner = np.repeat(np.arange(len(copied)), counts)
    wanted = np.isin(table["kind"], np.array(kinds, np.uint32))
    present, owner = np.unique(owner[wanted], return_inverse=True)
    return Attachments(
        owners=[copied[index][0] for index in present.tolist()],
        kinds=table["kind"][wanted].astype(np.int64),
        owner=owner.astype(np.int64),
        node=table["node"][wanted],
    )


def _check_layout(c: Any, entries: Any) -> None:
    kind, _, node = np.frombuffer(ffi.buffer(entries, ENTRY.itemsize)[:], ENTRY)[0].item()
    if (kind, node) != (
        c.LLVMValueMetadataEntriesGetKind(entries, 0),
        c.LLVMValueMetadataEntriesGetMetadata(entries, 0),
    ):
        raise LLVMError("this libLLVM lays out metadata attachments in a way that typemeta does not know")


@dataclass(frozen=True, slots=True)
class TypeNodes:
    """Decoded `!{offset, identifier}` nodes, column by column.

    Attributes:
        offsets: byte offset of each node; 0 for a malformed one.
        identifiers: a number that stands for the type identifier: equal to the handle of the metadata
            operand of the tests that test it.
        faults: what is wrong with the malformed ones, by position, in LLVM's words where it has some.
    """

    offsets: list[int]
    identifiers: list[int]
    faults: dict[int, str]


def decode_type_nodes(module: Module, nodes: Sequence[int]) -> TypeNodes:
    """Decodes the nodes of `!type` attachments, malformed ones too.

    The verifier lets malformed nodes pass, and `LLVMGetMDNodeOperands` writes past a buffer that is
    too short, so the operands are counted first.
    """
    c, context = module.c, module.context.ref
    as_value, count, fetch = c.LLVMMetadataAsValue, c.LLVMGetMDNodeNumOperands, c.LLVMGetMDNodeOperands
    as_integer, number, is_string = c.LLVMIsAConstantInt, c.LLVMConstIntGetZExtValue, c.LLVMIsAMDString
    operands = ffi.new("LLVMValueRef[2]")
    offsets, identifiers, faults = [], [], {}
    for position, node in enumerate(nodes):
        offset = identifier = 0
        value = as_value(context, node)
        if count(value) != 2:
            faults[position] = (
                f"a !type node must have 2 operands (offset, type identifier), this one has {count(value)}"
            )
        else:
            fetch(value, operands)
            integer = as_integer(operands[0]) if operands[0] else 0
            identifier = operands[1]
            if not integer:
                faults[position] = _offset_fault(c, operands[0])
            elif not identifier:
                faults[position] = "the type identifier of a !type node must not be null"
            else:
                offset = number(integer)
                if not is_string(identifier):
                    identifier = _identifier_key(module, identifier)
        offsets.append(offset)
        identifiers.append(identifier)
    return TypeNodes(offsets, identifiers, faults)


def _offset_fault(c: Any, operand: int) -> str:
    what = "an integer constant" if operand and c.LLVMIsConstant(operand) else "a constant"
    return f"the offset of a !type node must be {what}"


def decode_identifier(module: Module, identifier: int) -> str | None:
    """Returns the name of a type identifier, or None for one that is a node."""
    c = module.c
    if identifier < 0 or not c.LLVMIsAMDString(identifier):
        return None
    length = ffi.new("unsigned *")
    text = c.LLVMGetMDString(identifier, length)
    return bytes(ffi.buffer(text, length[0])).decode(errors="backslashreplace")


def decode_integers(module: Module, node: int) -> list[int | None]:
    """Returns the operands of a node; None stands for one that is no constant integer."""
    c = module.c
    value = c.LLVMMetadataAsValue(module.context.ref, node)
    count = c.LLVMGetMDNodeNumOperands(value)
    operands = ffi.new("LLVMValueRef[]", max(count, 1))
    c.LLVMGetMDNodeOperands(value, operands)
    found = [c.LLVMIsAConstantInt(operands[i]) if operands[i] else 0 for i in range(count)]
    return [int(c.LLVMConstIntGetZExtValue(number)) if number else None for number in found]


def _identifier_key(module: Module, operand: int) -> int:
    """Returns the handle that a test of this identifier has as its operand.

    A plain constant stands in a test as metadata. A node that holds nothing but one constant is
    folded into that constant by `MetadataAsValue`, in tests too, so LLVM never finds a test for it;
    its key is negative, which no handle is.
    """
    c = module.c
    if c.LLVMIsConstant(operand):
        return int(c.LLVMMetadataAsValue(module.context.ref, c.LLVMValueAsMetadata(operand)))
    is_folded = c.LLVMGetMetadataKind(c.LLVMValueAsMetadata(operand)) == CONSTANT_AS_METADATA
    return -operand if is_folded else operand
