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
from typemeta.lower.plan.exports import NO_EXPORTS, Exports
from typemeta.lower.plan.jump_tables import plan_functions
from typemeta.lower.plan.members import LiveMembers, check_layout_allowed, find_live_members
from typemeta.lower.plan.records import (
    FunctionIndices,
    JumpTable,
    JumpTableArch,
    LowerPlan,
    Region,
    Resolution,
    ResolutionKind,
    SiteDecision,
    VariableRegion,
)
from typemeta.lower.plan.regions import order_members, plan_variables
from typemeta.lower.plan.resolutions import plan_resolutions
from typemeta.model import Address, GlobalIndex, GlobalKind, SiteKind, TypeIndex, TypeModel
from typemeta.model.table import Column

__all__ = [
    "Exports",
    "FunctionIndices",
    "JumpTable",
    "JumpTableArch",
    "LowerPlan",
    "Region",
    "Resolution",
    "ResolutionKind",
    "SiteDecision",
    "VariableRegion",
    "plan_lowering",
]


def plan_lowering(
    model: TypeModel, *, layout: str = "llvm", exports: Exports = NO_EXPORTS, keep_hints: bool = False
) -> LowerPlan:
    """Decides how every type test of a module is lowered.

    Args:
        model: the module's type model.
        layout: `llvm`, LLVM's own order and padding.
        exports: what other modules of a ThinLTO link need.
        keep_hints: leave tests that only feed `llvm.assume`, and public ones, to later passes, as
            LLVM's LowerTypeTests does.

    Raises:
        MetadataError: a member of a tested set may not be laid out (thread-local, explicit section,
            variables and functions in one set, no jump table for the target).
        ValueError: an unknown layout.
    """
    if layout != "llvm":
        raise ValueError(f"unknown layout {layout!r}; there is 'llvm'")
    live = find_live_members(model, exports)
    regions: list[Region] = []
    tested: list[tuple[TypeIndex, int | None]] = []
    for types, funnels, members in _ordered_sets(model, live):
        if members:
            ordered = order_members(model, live, types, funnels, members)
            regions.append(_plan_region(model, live, types, ordered, exports, _next_index(regions)))
        tested += [(type_, len(regions) - 1 if members else None) for type_ in types]
    resolutions, byte_array = plan_resolutions(model, live, tested, regions, frozenset(exports.types))
    return LowerPlan(
        fingerprint=model.fingerprint,
        layout=layout,
        regions=tuple(regions),
        resolutions=resolutions,
        decisions=_decide_sites(model, live, {r.type: r.kind for r in resolutions}, keep_hints),
        byte_array=byte_array,
    )


def _plan_region(
    model: TypeModel,
    live: LiveMembers,
    types: Sequence[TypeIndex],
    ordered: tuple[GlobalIndex, ...],
    exports: Exports,
    first_index: int,
) -> Region:
    if check_layout_allowed(model, list(ordered)) is GlobalKind.VARIABLE:
        return plan_variables(model, live, types, ordered)
    return plan_functions(model, ordered, exports, first_index)


def _next_index(regions: Sequence[Region]) -> int:
    """Returns the first free index of WebAssembly's function table; index 0 is the null pointer."""
    return 1 + sum(len(region.members) for region in regions if isinstance(region, FunctionIndices))


def _ordered_sets(
    model: TypeModel, live: LiveMembers
) -> Iterator[tuple[Sequence[TypeIndex], Sequence[Sequence[GlobalIndex]], Sequence[GlobalIndex]]]:
    """Yields the types, branch funnels and members of each disjoint set, in LLVM's order."""
    members = [model.member_global[live.rows[type_]].tolist() for type_ in live.tested]
    for groups, links, globals_ in find_disjoint_sets(members, model.funnels, len(model.globals)):
        types = sorted((live.tested[group] for group in groups), key=lambda type_: live.rank[type_])
        funnels = [model.funnels[link] for link in links]
        yield types, funnels, [GlobalIndex(index) for index in globals_]


def _decide_sites(
    model: TypeModel, live: LiveMembers, kinds: dict[TypeIndex, ResolutionKind], keep_hints: bool
) -> bytes:
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
    if keep_hints:
        decisions[model.site_assumed | (model.site_kind == SiteKind.PUBLIC_TYPE_TEST)] = SiteDecision.KEEP
    return decisions.tobytes()


def _addresses(model: TypeModel, rows: Column) -> set[Address]:
    globals_ = model.member_global[rows].tolist()
    offsets = model.member_offset[rows].view(np.int64).tolist()
    return {Address(GlobalIndex(g), offset) for g, offset in zip(globals_, offsets, strict=True)}
