"""Decides how each tested type identifier is tested, given where its members are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from typemeta.errors import MetadataError
from typemeta.layout import BitSet, build_bit_sets, pack_byte_array
from typemeta.lower.plan.members import LARGEST_BIT_SET, LiveMembers
from typemeta.lower.plan.records import Region, Resolution, ResolutionKind
from typemeta.model import SiteKind, TypeIndex, TypeModel
from typemeta.model.table import Column

_EMPTY = BitSet(0, 0, 0, ())


def plan_resolutions(
    model: TypeModel,
    live: LiveMembers,
    tested: Sequence[tuple[TypeIndex, int | None]],
    regions: Sequence[Region],
    exported: frozenset[TypeIndex],
) -> tuple[tuple[Resolution, ...], bytes]:
    """Returns the resolutions, in the order of `tested`, and the byte array that they share.

    Args:
        model: the model.
        live: the memberships that count.
        tested: each tested type identifier with the region of its members; None if it has none.
        regions: the regions.
        exported: the identifiers that other modules of a ThinLTO link test.

    Raises:
        MetadataError: the members of an identifier are absurdly far apart.
    """
    start = _starts(len(model.globals), regions)
    satisfiable = [type_ for type_, region in tested if region is not None]
    rows = [live.rows[type_] for type_ in satisfiable]
    bounds = np.cumsum([0, *map(len, rows)])
    joined: Column = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    offsets = start[model.member_global[joined]] + model.member_offset[joined].view(np.int64)
    _check_spans(model, satisfiable, offsets, bounds)
    bit_sets = dict(zip(satisfiable, build_bit_sets(offsets, bounds), strict=True))
    sites = _count_sites(model)
    return _place_byte_arrays(
        [
            Resolution(
                type=type_,
                kind=_kind_of(bit_sets.get(type_, _EMPTY), model.pointer_bits),
                region=region,
                bit_set=bit_sets.get(type_, _EMPTY),
                byte_array=None,
                call_sites=sites[type_],
                exported=type_ in exported,
            )
            for type_, region in tested
        ]
    )


def _starts(count: int, regions: Sequence[Region]) -> Column:
    """Returns the offset of each global in its region: (number of globals,) int64."""
    start = np.zeros(count, np.int64)
    for region in regions:
        start[list(region.members)] = region.offsets
    return start


def _check_spans(
    model: TypeModel, types: Sequence[TypeIndex], offsets: Column, bounds: npt.NDArray[np.int64]
) -> None:
    if not types:
        return
    spans = np.maximum.reduceat(offsets, bounds[:-1]) - np.minimum.reduceat(offsets, bounds[:-1])
    # A difference that overflows is negative, and absurd as well.
    absurd = np.flatnonzero((spans >= LARGEST_BIT_SET) | (spans < 0))
    if len(absurd):
        names = ", ".join(model.types[types[index]].id for index in absurd.tolist())
        raise MetadataError(
            f"type identifier {names}",
            f"its members lie more than {LARGEST_BIT_SET} bytes apart; "
            "an offset in its !type attachments must be wrong",
        )


def _count_sites(model: TypeModel) -> list[int]:
    lowered = (model.site_kind == SiteKind.TYPE_TEST) & ~model.site_assumed
    counts: list[int] = np.bincount(model.site_type[lowered], minlength=len(model.types)).tolist()
    return counts


def _kind_of(bit_set: BitSet, pointer_bits: int) -> ResolutionKind:
    if bit_set.size == 0:
        return ResolutionKind.UNSAT
    if bit_set.is_all_ones:
        return ResolutionKind.SINGLE if bit_set.size == 1 else ResolutionKind.ALL_ONES
    return ResolutionKind.INLINE if bit_set.size <= pointer_bits else ResolutionKind.BYTE_ARRAY


def _place_byte_arrays(resolutions: list[Resolution]) -> tuple[tuple[Resolution, ...], bytes]:
    """Gives each `byteArray` resolution its place; returns the array as well."""
    large = [r for r in resolutions if r.kind is ResolutionKind.BYTE_ARRAY]
    if not large:
        return tuple(resolutions), b""
    array, places = pack_byte_array([r.bit_set.bits for r in large], [r.bit_set.size for r in large])
    place_of = {r.type: place for r, place in zip(large, places, strict=True)}
    placed = (replace(r, byte_array=place_of[r.type]) if r.type in place_of else r for r in resolutions)
    return tuple(placed), array
