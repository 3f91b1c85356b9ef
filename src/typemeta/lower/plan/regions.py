"""Lays out one disjoint set: its members in order, at their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from typemeta.errors import MetadataError
from typemeta.layout import order_by_fragments, place_padded
from typemeta.lower.plan.members import LARGEST_BIT_SET, LiveMembers, check_layout_allowed
from typemeta.lower.plan.records import JumpTable, JumpTableArch, VariableRegion
from typemeta.model import GlobalIndex, GlobalKind, TypeIndex, TypeModel

_ENTRY_SIZE: Final = 8
_ENTRY_SIZE_WITH_LANDING_PAD: Final = 16


def plan_region(
    model: TypeModel, live: LiveMembers, types: Sequence[TypeIndex], members: Sequence[GlobalIndex]
) -> VariableRegion | JumpTable:
    """Orders and places the members of one disjoint set.

    Args:
        model: the model.
        live: the memberships that count.
        types: the set's type identifiers, ordered by rank.
        members: the set's globals, in LLVM's order.

    Raises:
        MetadataError: a member may not be laid out.
    """
    kind = check_layout_allowed(model, list(members))
    position = {member: index for index, member in enumerate(members)}
    sets = [
        sorted({position[GlobalIndex(g)] for g in model.member_global[live.rows[type_]].tolist()})
        for type_ in types
    ]
    ordered = tuple(members[index] for index in order_by_fragments(sets, len(members)))
    if kind is GlobalKind.FUNCTION:
        return _plan_jump_table(model, ordered)
    return _plan_variables(model, live, types, ordered)


def _plan_variables(
    model: TypeModel, live: LiveMembers, types: Sequence[TypeIndex], ordered: tuple[GlobalIndex, ...]
) -> VariableRegion:
    records = [model.globals[index] for index in ordered]
    extents = _extents(model, live, types)
    sizes = [max(record.size, extents.get(index, 0)) for index, record in zip(ordered, records, strict=True)]
    offsets, size = place_padded(sizes, [record.alignment for record in records])
    return VariableRegion(
        members=ordered,
        offsets=tuple(offsets),
        size=size,
        alignment=max(record.alignment for record in records),
        constant=all(record.constant for record in records),
    )


def _extents(model: TypeModel, live: LiveMembers, types: Sequence[TypeIndex]) -> dict[GlobalIndex, int]:
    """Returns for members whose sets hold addresses at or past their end how many bytes they must take.

    Without this such an address would be that of the next member too (an empty variable's only
    address, for one), and a test could not tell them apart.
    """
    extents: dict[GlobalIndex, int] = {}
    for type_ in types:
        rows = live.rows[type_]
        for member, offset in zip(
            model.member_global[rows].tolist(), model.member_offset[rows].view(np.int64).tolist(), strict=True
        ):
            if model.globals[member].size <= offset < LARGEST_BIT_SET:
                extents[GlobalIndex(member)] = max(extents.get(GlobalIndex(member), 0), offset + 1)
    return extents


def _plan_jump_table(model: TypeModel, ordered: tuple[GlobalIndex, ...]) -> JumpTable:
    landing_pads = bool(model.flags.get("cf-protection-branch"))
    return JumpTable(
        members=ordered,
        arch=_jump_table_arch(model, ordered[0]),
        entry_size=_ENTRY_SIZE_WITH_LANDING_PAD if landing_pads else _ENTRY_SIZE,
        landing_pads=landing_pads,
    )


def _jump_table_arch(model: TypeModel, example: GlobalIndex) -> JumpTableArch:
    arch = model.triple.split("-", 1)[0]
    if arch == "x86_64":
        return JumpTableArch.X86_64
    if len(arch) == 4 and arch[0] == "i" and arch.endswith("86"):
        return JumpTableArch.X86
    target = f"target triple '{model.triple}'" if model.triple else "a module without a target triple"
    raise MetadataError(
        f"@{model.globals[example].name}",
        f"functions need a jump table, and there is none for {target}; x86_64 and i386 to i686 have one",
    )
