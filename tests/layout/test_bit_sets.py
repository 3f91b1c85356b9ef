"""A bit set holds exactly the offsets that it was built from."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from typemeta.layout import BitSet, build_bit_sets


def build(*sets: Sequence[int]) -> list[BitSet]:
    """Builds the bit sets of lists."""
    starts = np.cumsum([0, *map(len, sets)])
    return build_bit_sets(np.array([n for offsets in sets for n in offsets], np.int64), starts)


def holds(bits: BitSet, offset: int) -> bool:
    """Tells membership as a test does: distance from the last, divided, looked up."""
    distance = bits.last - offset
    place, rest = divmod(distance, 1 << bits.align_log2)
    return rest == 0 and 0 <= place < bits.size and bool(bits.mask >> place & 1)


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ([0], BitSet(0, 0, 1, (0,))),
        ([16], BitSet(16, 0, 1, (0,))),
        ([16, 16], BitSet(16, 0, 1, (0,))),
        ([0, 8], BitSet(0, 3, 2, (0, 1))),
        ([24, 0], BitSet(0, 3, 4, (0, 3))),
        ([16, 48, 80], BitSet(16, 5, 3, (0, 1, 2))),
        ([16, 48, 112], BitSet(16, 5, 4, (0, 2, 3))),
        ([1, 2], BitSet(1, 0, 2, (0, 1))),
        ([-8, 8], BitSet(-8, 4, 2, (0, 1))),
    ],
)
def test_small_cases(offsets: list[int], expected: BitSet) -> None:
    """The distance of two places is the largest power of two that divides all distances."""
    assert build(offsets) == [expected]


def test_all_sets_of_few_offsets() -> None:
    """For all subsets of ten places, exactly the members are in, neighbours and the rest are not."""
    chosen = [subset for n in range(1, 11) for subset in itertools.combinations(range(10), n)]
    for scale, shift in ((1, 0), (8, 16)):
        sets = [[n * scale + shift for n in subset] for subset in chosen]
        for offsets, bits in zip(sets, build(*sets), strict=True):
            tried = range(shift - 2 * scale, shift + 13 * scale)
            assert [offset for offset in tried if holds(bits, offset)] == offsets


def test_many_sets_at_once_are_as_one_by_one() -> None:
    """Sets of random offsets, unsorted and with duplicates, do not influence each other."""
    chance = random.Random(3)
    sets = [[chance.randrange(-64, 4096) for _ in range(chance.randrange(1, 9))] for _ in range(300)]
    together = build(*sets)
    assert together == [build(offsets)[0] for offsets in sets]
    for offsets, bits in zip(sets, together, strict=True):
        assert (bits.first, bits.last) == (min(offsets), max(offsets))
        assert {bits.last - (bit << bits.align_log2) for bit in bits.bits} == set(offsets)
        assert list(bits.bits) == sorted(set(bits.bits))
        assert bits.size - 1 == bits.bits[-1]


def test_huge_distances() -> None:
    """Offsets of 64 bits are exact."""
    assert build([0, 1 << 62]) == [BitSet(0, 62, 2, (0, 1))]
    assert build([1, (1 << 53) + 2]) == [BitSet(1, 0, (1 << 53) + 2, (0, (1 << 53) + 1))]


def test_facts() -> None:
    """A set is all ones if no place is missing; the empty set is not, and has no bits."""
    assert BitSet(0, 3, 2, (0, 1)).is_all_ones
    assert not BitSet(0, 3, 3, (0, 2)).is_all_ones
    assert not BitSet(0, 0, 0, ()).is_all_ones
    assert BitSet(0, 0, 0, ()).mask == 0
    assert BitSet(0, 3, 4, (0, 3)).mask == 0b1001
    assert BitSet(16, 3, 4, (0, 3)).last == 40


def test_no_sets() -> None:
    """No sets are no bit sets."""
    assert build() == []


@pytest.mark.parametrize(
    ("offsets", "starts"),
    [
        ([1, 2], [0, 1]),
        ([1, 2], [1, 2]),
        ([1, 2], [0, 1, 1, 2]),
        ([1, 2], [0, 2, 1, 2]),
        ([1], []),
        ([1], [0]),
    ],
)
def test_bounds_must_cover_the_offsets(offsets: list[int], starts: list[int]) -> None:
    """Empty sets, gaps and bounds out of order are a caller's mistake."""
    with pytest.raises(ValueError, match="starts must rise strictly from 0 to the number of offsets"):
        build_bit_sets(np.array(offsets, np.int64), np.array(starts, np.int64))
