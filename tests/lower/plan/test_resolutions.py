"""Kinds of resolutions and where they change over."""

from __future__ import annotations

import pytest

from tests.models import Site, build_model, function, variable
from typemeta.errors import MetadataError
from typemeta.layout import BitSet
from typemeta.lower.plan import Resolution, ResolutionKind, plan_lowering
from typemeta.lower.plan.members import LARGEST_BIT_SET
from typemeta.model import SiteKind, TypeIndex


def resolve(offsets: list[int], *, pointer_bits: int = 64) -> Resolution:
    """Returns the resolution of a type whose members are these offsets of one large variable."""
    model = build_model(
        [variable("a", 4096)], [("T", "a", offset) for offset in offsets], ["T"], pointer_bits=pointer_bits
    )
    (found,) = plan_lowering(model).resolutions
    return found


@pytest.mark.parametrize(
    ("offsets", "kind", "bit_set"),
    [
        ([16], ResolutionKind.SINGLE, BitSet(16, 0, 1, (0,))),
        ([16, 16], ResolutionKind.SINGLE, BitSet(16, 0, 1, (0,))),
        ([0, 8], ResolutionKind.ALL_ONES, BitSet(0, 3, 2, (0, 1))),
        ([0, 40], ResolutionKind.INLINE, BitSet(0, 3, 6, (0, 5))),
        ([0, 4000], ResolutionKind.BYTE_ARRAY, BitSet(0, 5, 126, (0, 125))),
        ([64, 0, 128], ResolutionKind.ALL_ONES, BitSet(0, 6, 3, (0, 1, 2))),
        ([0, 8, 24], ResolutionKind.INLINE, BitSet(0, 3, 4, (0, 2, 3))),
        ([8 * n for n in range(400)], ResolutionKind.ALL_ONES, BitSet(0, 3, 400, tuple(range(400)))),
    ],
)
def test_kinds(offsets: list[int], kind: ResolutionKind, bit_set: BitSet) -> None:
    """One address is single, a gapless set allOnes whatever its size, others keep their bits."""
    found = resolve(offsets)
    assert (found.kind, found.bit_set) == (kind, bit_set)


@pytest.mark.parametrize(
    ("pointer_bits", "places", "kind"),
    [
        (64, 32, ResolutionKind.INLINE),
        (64, 33, ResolutionKind.INLINE),
        (64, 64, ResolutionKind.INLINE),
        (64, 65, ResolutionKind.BYTE_ARRAY),
        (32, 31, ResolutionKind.INLINE),
        (32, 32, ResolutionKind.INLINE),
        (32, 33, ResolutionKind.BYTE_ARRAY),
    ],
)
def test_a_bit_set_that_fits_a_pointer_is_inline(
    pointer_bits: int, places: int, kind: ResolutionKind
) -> None:
    """A set of as many places as a pointer has bits is inline, one more needs the byte array."""
    found = resolve([0, 8, 8 * (places - 1)], pointer_bits=pointer_bits)
    assert (found.bit_set.size, found.kind) == (places, kind)
    assert (found.byte_array is None) is (kind is not ResolutionKind.BYTE_ARRAY)


def test_an_identifier_without_members_is_unsatisfiable() -> None:
    """A type that only declarations and never-taken functions are in has no region and no bits."""
    model = build_model(
        [function("f", address_taken=False), variable("out", declaration=True), variable("a")],
        [("F", "f", 0), ("D", "out", 0), ("T", "a", 0)],
        ["F", "D", "none at all", "T"],
    )
    kinds = {
        model.types[r.type].id: (r.kind, r.region, r.bit_set.size) for r in plan_lowering(model).resolutions
    }
    unsat = (ResolutionKind.UNSAT, None, 0)
    assert kinds == {"F": unsat, "D": unsat, "none at all": unsat, "T": (ResolutionKind.SINGLE, 0, 1)}


def test_byte_arrays_are_shared() -> None:
    """Large sets stand in one byte array, each in its bits, and are read back from it."""
    rows = [(f"T{n}", "a", offset) for n in range(10) for offset in (0, 8, 8 * (70 + n))]
    model = build_model([variable("a", 4096)], rows, [f"T{n}" for n in range(10)])
    plan = plan_lowering(model)
    assert {r.kind for r in plan.resolutions} == {ResolutionKind.BYTE_ARRAY}
    for resolution in plan.resolutions:
        place, bits = resolution.byte_array, resolution.bit_set
        assert place is not None
        read = [n for n in range(bits.size) if plan.byte_array[place.offset + n] & place.mask]
        assert tuple(read) == bits.bits
    assert len(plan.byte_array) == 73 + 72 == 74 + 71


def test_call_sites_are_counted() -> None:
    """Tests that are lowered count; assumed and public ones and checked loads do not."""
    model = build_model(
        [variable("a")],
        [("T", "a", 0)],
        [
            *("T", "T", "U"),
            Site("T", assumed=True),
            Site("T", SiteKind.PUBLIC_TYPE_TEST),
            Site("T", SiteKind.CHECKED_LOAD),
            Site("T", known=(("a", 0),)),
        ],
    )
    plan = plan_lowering(model)
    assert {model.types[r.type].id: r.call_sites for r in plan.resolutions} == {"T": 3, "U": 1}
    assert set(plan.by_type) == {TypeIndex(0), TypeIndex(1)}


def test_members_may_be_far_apart_and_far_out() -> None:
    """Only the distance of members counts, not where they are; 128 MB is not absurd yet."""
    found = [resolve([1 << 20, (1 << 20) + (1 << 27)]), resolve([(1 << 29) + 8, (1 << 29) + 16])]
    assert [resolution.bit_set.size for resolution in found] == [2, 2]
    assert LARGEST_BIT_SET == 1 << 28


@pytest.mark.parametrize("offset", [LARGEST_BIT_SET, 1 << 40, 2**63 - 8, 2**63, -LARGEST_BIT_SET])
def test_absurd_offsets(offset: int) -> None:
    """Members that lie absurdly far apart are an error that names the type, not a huge array."""
    model = build_model([variable("a", 8)], [("T", "a", 0), ("T", "a", offset), ("U", "a", 0)], ["T", "U"])
    with pytest.raises(MetadataError) as caught:
        plan_lowering(model)
    assert str(caught.value) == (
        f"type identifier T: its members lie more than {LARGEST_BIT_SET} bytes apart; "
        "an offset in its !type attachments must be wrong"
    )


def test_all_absurd_types_are_named() -> None:
    """Several types with absurd offsets are one error."""
    rows = [(name, "a", offset) for name in ("T", "U") for offset in (0, 1 << 40)]
    with pytest.raises(MetadataError, match=r"^type identifier T, U: "):
        plan_lowering(build_model([variable("a")], rows, ["T", "U"]))
