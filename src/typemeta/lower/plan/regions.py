"""Lays out one disjoint set: its members in order, at their offsets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from typemeta.layout import order_by_fragments, place_padded
from typemeta.lower.plan.members import LARGEST_BIT_SET, LiveMembers
from typemeta.lower.plan.records import VariableRegion
from typemeta.model import GlobalIndex, TypeIndex, TypeModel


def order_members(
    model: TypeModel,
    live: LiveMembers,
    types: Sequence[TypeIndex],
    funnels: Sequence[Sequence[GlobalIndex]],
    members: Sequence[GlobalIndex],
) -> tuple[GlobalIndex, ...]:
    """Returns the members of one disjoint set in layout order.

    Args:
        model: the model.
        live: the memberships that count.
        types: the set's type identifiers, ordered by rank.
        funnels: the targets of each branch funnel in the set.
        members: the set's globals, in LLVM's order.
    """
    position = {member: index for index, member in enumerate(members)}
    sets = [
        sorted({position[GlobalIndex(g)] for g in model.member_global[live.rows[type_]].tolist()})
        for type_ in types
    ]
    sets += [sorted({position[target] for target in targets}) for targets in funnels]
    return tuple(members[index] for index in order_by_fragments(sets, len(members)))


def plan_variables(
    model: TypeModel, live: LiveMembers, types: Sequence[TypeIndex], ordered: tuple[GlobalIndex, ...]
) -> VariableRegion:
    """Places the variables of one disjoint set."""
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
