"""Reads a module's type metadata into a TypeModel, and keeps the LLVM handles that belong to it.

Each distinct metadata node is decoded once, and handles are looked up in tables, so that the cost is a
few C calls for each global and each call site.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from typemeta.errors import MetadataError, PlanError
from typemeta.llvm.arm import is_thumb, read_arm_branches
from typemeta.llvm.calls import (
    assumed_values,
    find_branch_funnels,
    find_calls,
    is_only_assumed,
    known_addresses,
)
from typemeta.llvm.functions import has_address_taken, has_string_attribute
from typemeta.llvm.metadata import (
    Attachments,
    decode_identifier,
    decode_integers,
    decode_type_nodes,
    read_attachments,
)
from typemeta.llvm.module import Module
from typemeta.llvm.values import LINKAGES, VISIBILITIES
from typemeta.llvm.variables import abi_alignment, global_name, section_name, value_size
from typemeta.model.records import (
    INTRINSICS,
    Address,
    ArmBranches,
    GlobalIndex,
    GlobalKind,
    GlobalRecord,
    SiteKind,
    TypeIdentifier,
    VCallVisibility,
)
from typemeta.model.table import Column, TypeModel

_VISIBILITY_VALUES = tuple(VCallVisibility)


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Live handles of what a TypeModel describes; stale once the module changes.

    Attributes:
        module: the module.
        model: what was read with them.
        epoch: the module's epoch when it was read.
        globals: handle of each global, by GlobalIndex.
        sites: handle of each call, by SiteIndex.
        pointers: handle of each call's tested pointer, by SiteIndex.
    """

    module: Module
    model: TypeModel
    epoch: int
    globals: Sequence[int]
    sites: Sequence[int]
    pointers: Sequence[int]

    def check(self, module: Module) -> None:
        """Raises PlanError unless the handles are of this module as it is now."""
        if module is not self.module or module.epoch != self.epoch:
            raise PlanError(f"{module.name} was changed since its type metadata was read; read it again")


def read_type_model(module: Module) -> tuple[TypeModel, Anchors]:
    """Reads types, globals, memberships and call sites.

    Raises:
        MetadataError: a `!type` node has not two operands, or its offset is no constant integer, or a
            type intrinsic's identifier is no metadata. All faults of the attachments are reported at
            once, in one message.
    """
    flags = module.flags()
    kinds = [module.context.metadata_kind(name) for name in ("type", "vcall_visibility")]
    attachments = read_attachments(module, kinds)
    identifiers = _Identifiers(module)
    member_global, member_type, member_offset = _read_memberships(module, attachments, kinds[0], identifiers)
    visibilities = _read_vcall_visibilities(module, attachments, kinds[1])
    funnels = find_branch_funnels(module)
    owners = list(dict.fromkeys([*attachments.owners, *(ref for targets in funnels for ref in targets)]))
    canonical = flags.get("CFI Canonical Jump Tables", 1) != 0
    records = [
        _read_global(module, ref, visibilities.get(index, VCallVisibility.PUBLIC), canonical)
        for index, ref in enumerate(owners)
    ]
    index_of = {ref: GlobalIndex(i) for i, ref in enumerate(owners)}
    sites = _read_sites(module, identifiers, index_of)
    model = TypeModel(
        triple=module.triple,
        pointer_bits=module.pointer_bits,
        flags=flags,
        types=tuple(identifiers.types),
        globals=tuple(records),
        member_global=member_global,
        member_type=member_type,
        member_offset=member_offset,
        site_kind=np.array(sites.kinds, np.int64),
        site_type=np.array(sites.types, np.int64),
        site_assumed=np.array(sites.assumed, np.bool_),
        site_known=sites.known,
        funnels=tuple(tuple(index_of[ref] for ref in targets) for targets in funnels),
        arm_branches=ArmBranches(*read_arm_branches(module)) if _is_arm(module) else ArmBranches(),
    )
    return model, Anchors(module, model, module.epoch, tuple(owners), sites.calls, sites.pointers)


def _is_arm(module: Module) -> bool:
    """Tells 32-bit ARM, whose jump tables are ARM or Thumb code."""
    return module.triple.startswith(("arm", "thumb", "xscale")) and not module.triple.startswith("arm64")


class _Identifiers:
    """Numbers type identifiers in order of first appearance."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._index: dict[int, int] = {}
        self._nodes = 0
        self.types: list[TypeIdentifier] = []

    def number(self, key: int) -> int:
        """Returns the TypeIndex of an identifier's handle."""
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.types)
            name = decode_identifier(self._module, key)
            self.types.append(TypeIdentifier(name if name is not None else f"!{self._nodes}", name is None))
            self._nodes += name is None
        return index

    def numbers(self, keys: Sequence[int]) -> list[int]:
        """Returns the TypeIndex of each of many handles, most of which were seen before."""
        for key in dict.fromkeys(keys):
            self.number(key)
        return [self._index[key] for key in keys]


def _read_memberships(
    module: Module, attachments: Attachments, kind: int, identifiers: _Identifiers
) -> tuple[Column, Column, npt.NDArray[np.uint64]]:
    """Returns the membership columns: global, type, offset."""
    owner, node = attachments.of_kind(kind)
    handles, first, inverse = np.unique(node, return_index=True, return_inverse=True)
    decoded = decode_type_nodes(module, handles.tolist())
    if decoded.faults:
        _raise_faults(module, attachments.owners, owner, inverse, decoded.faults)
    numbers = np.zeros(len(handles), np.int64)
    for index in np.argsort(first).tolist():  # by first appearance: handles depend on the address space
        numbers[index] = identifiers.number(decoded.identifiers[index])
    offsets = np.array(decoded.offsets, np.uint64)
    return owner, numbers[inverse], offsets[inverse]


def _raise_faults(
    module: Module, owners: list[int], owner: Column, inverse: Column, faults: dict[int, str]
) -> None:
    """Raises one MetadataError that lists every malformed attachment."""
    found = dict.fromkeys(
        (global_name(module, owners[row_owner]), fault)
        for row_owner, row_node in zip(owner.tolist(), inverse.tolist(), strict=True)
        if (fault := faults.get(row_node))
    )
    (subject, message), *others = found
    more = "".join(f"; {name}: {text}" for name, text in others)
    raise MetadataError(subject, message + more)


def _read_vcall_visibilities(
    module: Module, attachments: Attachments, kind: int
) -> dict[int, VCallVisibility]:
    """Returns the vcall visibility by owner index; operand 0 of the attachment is the value."""
    found = {}
    owner, node = attachments.of_kind(kind)
    for index, handle in zip(owner.tolist(), node.tolist(), strict=True):
        value = (decode_integers(module, handle) or [None])[0]
        if value is None or value >= len(_VISIBILITY_VALUES):
            name = global_name(module, attachments.owners[index])
            raise MetadataError(name, "!vcall_visibility must hold 0, 1 or 2")
        found[index] = _VISIBILITY_VALUES[value]
    return found


def _read_global(module: Module, ref: int, visibility: VCallVisibility, canonical: bool) -> GlobalRecord:
    c = module.c
    is_function = bool(c.LLVMIsAFunction(ref))
    declaration = bool(c.LLVMIsDeclaration(ref))
    linkage = LINKAGES[c.LLVMGetLinkage(ref)]
    defined = not declaration and linkage != "available_externally"
    return GlobalRecord(
        name=global_name(module, ref).removeprefix("@"),
        kind=GlobalKind.FUNCTION if is_function else GlobalKind.VARIABLE,
        declaration=declaration,
        size=0 if is_function else value_size(module, ref),
        alignment=c.LLVMGetAlignment(ref) or (1 if is_function else abi_alignment(module, ref)),
        linkage=linkage,
        visibility=VISIBILITIES[c.LLVMGetVisibility(ref)],
        section=section_name(module, ref),
        comdat=bool(c.LLVMGetComdat(ref)),
        constant=not is_function and bool(c.LLVMIsGlobalConstant(ref)),
        thread_local=not is_function and bool(c.LLVMIsThreadLocal(ref)),
        address_taken=not is_function or has_address_taken(module, ref),
        canonical=is_function
        and defined
        and (canonical or has_string_attribute(module, ref, "cfi-canonical-jump-table")),
        vcall_visibility=visibility,
        address_space=c.LLVMGetPointerAddressSpace(c.LLVMTypeOf(ref)),
        thumb=is_function and _is_arm(module) and is_thumb(module, ref),
    )


class _Sites:
    """Call-site columns while they grow."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.pointers: list[int] = []
        self.kinds: list[int] = []
        self.types: list[int] = []
        self.assumed: list[bool] = []
        self.known: dict[int, tuple[Address, ...]] = {}


def _read_sites(module: Module, identifiers: _Identifiers, globals_: dict[int, GlobalIndex]) -> _Sites:
    sites = _Sites()
    conditions = assumed_values(module)
    for kind in SiteKind:
        position = 2 if kind >= SiteKind.CHECKED_LOAD else 1
        calls = find_calls(module, INTRINSICS[kind], position)
        for site, pointer in enumerate(calls.pointers, len(sites.calls)):
            known = _known(module, pointer, globals_)
            if known is not None:
                sites.known[site] = known
        is_test = kind in (SiteKind.TYPE_TEST, SiteKind.PUBLIC_TYPE_TEST)
        sites.calls += calls.refs
        sites.pointers += calls.pointers
        sites.kinds += [kind] * len(calls.refs)
        sites.types += identifiers.numbers(calls.identifiers)
        sites.assumed += [
            is_test and call in conditions and is_only_assumed(module, call) for call in calls.refs
        ]
    return sites


def _known(module: Module, pointer: int, globals_: dict[int, GlobalIndex]) -> tuple[Address, ...] | None:
    """Returns the possible addresses of a pointer as Addresses; None if one has no type metadata."""
    addresses = known_addresses(module, pointer)
    if addresses is None or any(ref not in globals_ for ref, _ in addresses):
        return None
    return tuple(Address(globals_[ref], offset) for ref, offset in addresses)
