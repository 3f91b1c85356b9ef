"""The type model: everything a module says about type metadata, read once. Pure data.

The membership table is three columns, one row for each `!type` attachment: global, type, offset.
Rows stand in LLVM's order: functions before variables, each in module order, and the attachments of
one global in source order. Duplicates are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from typemeta.model.records import (
    Address,
    ArmBranches,
    GlobalIndex,
    GlobalRecord,
    SiteKind,
    TypeIdentifier,
    TypeIndex,
)

if TYPE_CHECKING:
    from typemeta.llvm.module import Module

Column = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class TypeModel:
    """Types, globals, memberships and call sites of one module.

    Attributes:
        triple: target triple, or empty.
        pointer_bits: width of a pointer.
        flags: module flags; None for one that is no integer.
        types: type identifiers in order of first appearance, in attachments first, then in tests.
        globals: functions and variables that carry `!type` or `!vcall_visibility`.
        member_global: (n,) int64, GlobalIndex of each membership.
        member_type: (n,) int64, TypeIndex of each membership.
        member_offset: (n,) uint64, byte offset of each membership.
        site_kind: (m,) int64, SiteKind of each call site; sites of one kind stand in LLVM's use-list order.
        site_type: (m,) int64, TypeIndex of each call site.
        site_assumed: (m,) bool, True for a test that only feeds `llvm.assume`.
        site_known: the only addresses a tested pointer can hold, for sites where that is known.
        funnels: the targets of each `llvm.icall.branch.funnel`, in LLVM's use-list order.
        arm_branches: on 32-bit ARM, the branches that jump tables may use.
    """

    triple: str
    pointer_bits: int
    flags: Mapping[str, int | None]
    types: tuple[TypeIdentifier, ...]
    globals: tuple[GlobalRecord, ...]
    member_global: Column
    member_type: Column
    member_offset: npt.NDArray[np.uint64]
    site_kind: Column
    site_type: Column
    site_assumed: npt.NDArray[np.bool_]
    site_known: Mapping[int, tuple[Address, ...]]
    funnels: tuple[tuple[GlobalIndex, ...], ...] = ()
    arm_branches: ArmBranches = field(default_factory=ArmBranches)

    @classmethod
    def read(cls, module: Module) -> TypeModel:
        """Reads the type metadata of a module.

        Raises:
            MetadataError: a `!type` attachment or a call of a type intrinsic is malformed.
        """
        from typemeta.model.read import read_type_model  # the one door to LLVM, opened only here

        return read_type_model(module)[0]

    @cached_property
    def _by_type(self) -> tuple[Column, Column]:
        """Membership rows sorted by type, and where each type's rows begin (one entry more than types)."""
        order = np.argsort(self.member_type, kind="stable")
        starts = np.searchsorted(self.member_type[order], np.arange(len(self.types) + 1))
        return order, starts

    @cached_property
    def _by_global(self) -> tuple[Column, Column]:
        order = np.argsort(self.member_global, kind="stable")
        starts = np.searchsorted(self.member_global[order], np.arange(len(self.globals) + 1))
        return order, starts

    @cached_property
    def type_index(self) -> Mapping[str, TypeIndex]:
        """Types by the name they are shown with; a named type wins over a node."""
        named = sorted(range(len(self.types)), key=lambda index: not self.types[index].distinct)
        return {self.types[index].id: TypeIndex(index) for index in named}

    @cached_property
    def global_index(self) -> Mapping[str, GlobalIndex]:
        """Globals by name; those without a name are left out."""
        return {g.name: GlobalIndex(index) for index, g in enumerate(self.globals) if g.name}

    def rows_of_type(self, type_: TypeIndex) -> Column:
        """Returns the membership rows of a type, in table order."""
        order, starts = self._by_type
        return order[starts[type_] : starts[type_ + 1]]

    def rows_of_global(self, global_: GlobalIndex) -> Column:
        """Returns the membership rows of a global, in table order."""
        order, starts = self._by_global
        return order[starts[global_] : starts[global_ + 1]]

    def sites(self, kind: SiteKind) -> Column:
        """Returns the call sites of one kind, in LLVM's order."""
        return np.flatnonzero(self.site_kind == kind)

    def site_counts(self, kind: SiteKind) -> Column:
        """Returns how many call sites of one kind name each type: (number of types,) int64."""
        return np.bincount(self.site_type[self.site_kind == kind], minlength=len(self.types))

    def member_counts(self) -> Column:
        """Returns how many memberships name each type: (number of types,) int64."""
        return np.bincount(self.member_type, minlength=len(self.types))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything a plan depends on; equal for equal models."""
        digest = hashlib.sha256()
        for column in (
            self.member_global,
            self.member_type,
            self.member_offset,
            self.site_kind,
            self.site_type,
            self.site_assumed,
        ):
            digest.update(column.tobytes())
            digest.update(b"|")
        target = [self.triple, str(self.pointer_bits)]
        names = [f"{type_.id}:{type_.distinct:d}" for type_ in self.types]
        facts = [
            f"{g.name}:{g.kind}:{g.size}:{g.alignment}:{g.linkage}:{g.section}:{g.address_space}"
            for g in self.globals
        ]
        bits = [
            f"{g.declaration:d}{g.constant:d}{g.thread_local:d}{g.address_taken:d}{g.canonical:d}{g.thumb:d}"
            for g in self.globals
        ]
        known = [
            f"{site}:{[(address.global_, address.offset) for address in addresses]}"
            for site, addresses in sorted(self.site_known.items())
        ]
        others = [str(self.funnels), str(self.arm_branches)]
        for lines in (target, names, facts, bits, map(str, sorted(self.flags.items())), known, others):
            digest.update("\n".join(lines).encode(errors="surrogateescape") + b"|")
        return digest.hexdigest()
