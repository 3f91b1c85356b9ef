"""Which memberships take part in lowering, and what forbids a global to be laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from typemeta.errors import MetadataError
from typemeta.lower.plan.exports import NO_EXPORTS, Exports
from typemeta.model import GlobalIndex, GlobalKind, GlobalRecord, SiteKind, TypeIndex, TypeModel
from typemeta.model.table import Column

LARGEST_BIT_SET: Final = 1 << 28
"""Bytes between two members beyond which an offset is surely nonsense; a byte array could be as large."""


@dataclass(frozen=True, slots=True)
class LiveMembers:
    """The memberships that lowering sees, and the tested type identifiers.

    Attributes:
        tested: type identifiers with a test that is lowered, here or elsewhere, in order of first use.
        rows: for each type identifier (by TypeIndex) its membership rows that count, in table order.
        rank: for each type identifier the position of its last membership that counts, plus one; 0 if
            it has none. LLVM orders identifiers and sets by it.
    """

    tested: list[TypeIndex]
    rows: list[Column]
    rank: Column


def find_live_members(model: TypeModel, exports: Exports = NO_EXPORTS) -> LiveMembers:
    """Selects memberships as LLVM does.

    A variable counts if the object file will define it. A function counts if its address is taken:
    nothing else can reach an indirect call. With cross-DSO CFI an exported function may also be
    taken by another library, and in a ThinLTO link by another module.
    """
    cross_dso = "Cross-DSO CFI" in model.flags
    counts = np.array([_counts(record, cross_dso) for record in model.globals], np.bool_)
    counts[list(exports.functions)] = True
    live = np.flatnonzero(counts[model.member_global]) if len(counts) else np.zeros(0, np.int64)
    types = model.member_type[live]
    order = np.argsort(types, kind="stable")
    starts = np.searchsorted(types[order], np.arange(len(model.types) + 1))
    rows = [live[order[starts[i] : starts[i + 1]]] for i in range(len(model.types))]
    rank = np.zeros(len(model.types), np.int64)
    rank[types] = np.arange(1, len(live) + 1)  # a later row overwrites an earlier one
    lowered = (model.site_kind == SiteKind.TYPE_TEST) & ~model.site_assumed
    tested = list(dict.fromkeys([*model.site_type[lowered].tolist(), *exports.types]))
    return LiveMembers([TypeIndex(index) for index in tested], rows, rank)


def _counts(record: GlobalRecord, cross_dso: bool) -> bool:
    if record.kind is GlobalKind.VARIABLE:
        return not record.is_declaration_for_linker
    return record.address_taken or (cross_dso and record.canonical and not record.is_local)


def check_layout_allowed(model: TypeModel, members: list[GlobalIndex]) -> GlobalKind:
    """Returns what a disjoint set consists of.

    Raises:
        MetadataError: a member may not be moved, or the set mixes variables and functions. All
            faults of the set are reported at once.
    """
    faults = [
        (model.globals[index].name, fault) for index in members if (fault := _fault(model.globals[index]))
    ]
    kinds = {model.globals[index].kind for index in members}
    if len(kinds) > 1:
        variable = next(i for i in members if model.globals[i].kind is GlobalKind.VARIABLE)
        function = next(i for i in members if model.globals[i].kind is GlobalKind.FUNCTION)
        name = model.globals[function].name
        faults.append((model.globals[variable].name, f"is in one set of types with the function @{name}"))
    if faults:
        (subject, message), *others = faults
        raise MetadataError(f"@{subject}", message + "".join(f"; @{name}: {text}" for name, text in others))
    return kinds.pop()


def _fault(record: GlobalRecord) -> str | None:
    if record.thread_local:
        return "a member of a type identifier may not be thread-local"
    if record.address_space:
        return f"a member of a type identifier may not be in address space {record.address_space}"
    if record.linkage == "common":
        return "a member of a type identifier may not have common linkage; compile with -fno-common"
    if record.kind is GlobalKind.VARIABLE and record.section:
        return f"a member of a type identifier may not have an explicit section ({record.section})"
    return None
