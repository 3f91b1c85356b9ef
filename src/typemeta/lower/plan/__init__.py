"""Plans the lowering of type tests: a pure function from a TypeModel to a LowerPlan.

    %x = call i1 @llvm.type.test(ptr %p, metadata !"_ZTS1A")     ; before

    %d = sub i64 ptrtoint (ptr @last to i64), %p                 ; after: distance from the last member,
    %r = call i64 @llvm.fshr.i64(i64 %d, i64 %d, i64 5)          ; rotated by the alignment,
    %x = icmp ule i64 %r, 6                                      ; compared, and perhaps looked up

Source: "Type Metadata" and "Control Flow Integrity Design Documentation" of LLVM; order, padding and
thresholds are those of LLVM's LowerTypeTests pass, so that `--layout llvm` gives LLVM's resolutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from typemeta.layout import find_disjoint_sets
from typemeta.lower.plan.members import LiveMembers, find_live_members
from typemeta.lower.plan.records import (
    JumpTable,
    JumpTableArch,
    LowerPlan,
    Resolution,
    ResolutionKind,
    SiteDecision,
    VariableRegion,
)
from typemeta.lower.plan.regions import plan_region
from typemeta.lower.plan.resolutions import plan_resolutions
from typemeta.model import Address, GlobalIndex, SiteKind, TypeIndex, TypeModel
from typemeta.model.table import Column

__all__ = [
    "JumpTable",
    "JumpTableArch",
    "LowerPlan",
    "Resolution",
    "ResolutionKind",
    "SiteDecision",
    "VariableRegion",
    "plan_lowering",
]


def plan_lowering(model: TypeModel, *, layout: str = "llvm") -> LowerPlan:
    """Decides how every type test of a module is lowered.

    Args:
        model: the module's type model.
        layout: `llvm`, LLVM's own order and padding.

    Raises:
        MetadataError: a member of a tested set may not be laid out (thread-local, explicit section,
            variables and functions in one set, no jump table for the target).
        ValueError: an unknown layout.
    """
    if layout != "llvm":
        raise ValueError(f"unknown layout {layout!r}; there is 'llvm'")
    live = find_live_members(model)
    regions: list[VariableRegion | JumpTable] = []
    tested: list[tuple[TypeIndex, int | None]] = []
    for types, members in _ordered_sets(model, live):
        if members:
            regions.append(plan_region(model, live, types, members))
        tested += [(type_, len(regions) - 1 if members else None) for type_ in types]
    resolutions, byte_array = plan_resolutions(model, live, tested, regions)
    return LowerPlan(
        fingerprint=model.fingerprint,
        layout=layout,
        regions=tuple(regions),
        resolutions=resolutions,
        decisions=_decide_sites(model, live, {r.type: r.kind for r in resolutions}),
        byte_array=byte_array,
    )


def _ordered_sets(
    model: TypeModel, live: LiveMembers
) -> Iterator[tuple[Sequence[TypeIndex], Sequence[GlobalIndex]]]:
    """Yields the disjoint sets in LLVM's order: by the last membership of any of their types."""
    members = [model.member_global[live.rows[type_]].tolist() for type_ in live.tested]
    sets = find_disjoint_sets(members, len(model.globals))
    ranked = []
    for groups, globals_ in sets:
        types = sorted((live.tested[group] for group in groups), key=lambda type_: live.rank[type_])
        ranked.append((max(live.rank[type_] for type_ in types), types, globals_))
    ranked.sort(key=lambda entry: entry[0])
    for _, types, globals_ in ranked:
        yield types, [GlobalIndex(index) for index in globals_]


def _decide_sites(model: TypeModel, live: LiveMembers, kinds: dict[TypeIndex, ResolutionKind]) -> bytes:
    """Returns a SiteDecision for each call site."""
    decisions = np.full(len(model.site_kind), SiteDecision.KEEP, np.uint8)
    decisions[model.site_kind == SiteKind.PUBLIC_TYPE_TEST] = SiteDecision.FOLD_TRUE
    tests = model.site_kind == SiteKind.TYPE_TEST
    unsat = [type_ for type_, kind in kinds.items() if kind is ResolutionKind.UNSAT]
    decisions[tests] = SiteDecision.TEST
    decisions[tests & np.isin(model.site_type, unsat)] = SiteDecision.FOLD_FALSE
    member_sets: dict[int, set[Address]] = {}
    for site, addresses in model.site_known.items():
        if decisions[site] == SiteDecision.TEST:
            type_ = int(model.site_type[site])
            if type_ not in member_sets:
                member_sets[type_] = _addresses(model, live.rows[type_])
            if member_sets[type_].issuperset(addresses):
                decisions[site] = SiteDecision.FOLD_TRUE
    decisions[model.site_assumed] = SiteDecision.DROP
    return decisions.tobytes()


def _addresses(model: TypeModel, rows: Column) -> set[Address]:
    globals_ = model.member_global[rows].tolist()
    offsets = model.member_offset[rows].view(np.int64).tolist()
    return {Address(GlobalIndex(g), offset) for g, offset in zip(globals_, offsets, strict=True)}
