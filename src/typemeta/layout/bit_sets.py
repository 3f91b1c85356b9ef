"""The bit set of a type identifier: which aligned offsets of a region are members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class BitSet:
    """A set of byte offsets: every `1 << align_log2` bytes from `first`, `size` places, those in `bits`.

    Attributes:
        first: lowest offset in the set, bytes from the start of the region.
        align_log2: log2 of the distance of neighbouring places.
        size: number of places from the first to the last member, 0 for the empty set.
        bits: places that are members, counted from the *last*, ascending.
    """

    first: int
    align_log2: int
    size: int
    bits: tuple[int, ...]

    @property
    def last(self) -> int:
        """Highest offset in the set."""
        return self.first + ((self.size - 1) << self.align_log2)

    @property
    def is_all_ones(self) -> bool:
        """True if every place is a member."""
        return len(self.bits) == self.size > 0

    @property
    def mask(self) -> int:
        """The bits as one integer, bit 0 for the last member."""
        return sum(1 << bit for bit in self.bits)


def build_bit_sets(offsets: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> list[BitSet]:
    """Returns for each of many sets the smallest bit set that holds exactly its offsets.

    Args:
        offsets: shape (n,), byte offsets, those of one set behind those of another; within a set in any
            order, duplicates allowed.
        starts: shape (k + 1,), strictly increasing from 0 to n: set i is `offsets[starts[i]:starts[i + 1]]`.

    Raises:
        ValueError: a set is empty, or `starts` does not cover `offsets`.
    """
    counts = np.diff(starts)
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(offsets) or np.any(counts < 1):
        raise ValueError("starts must rise strictly from 0 to the number of offsets")
    if len(counts) == 0:
        return []
    lasts = np.maximum.reduceat(offsets, starts[:-1])
    firsts = np.minimum.reduceat(offsets, starts[:-1])
    owner = np.repeat(np.arange(len(counts)), counts)
    distances = lasts[owner] - offsets
    aligns = _trailing_zeros(np.bitwise_or.reduceat(distances, starts[:-1]))
    bits = distances >> aligns[owner]
    order = np.lexsort((bits, owner))
    bits, owner = bits[order], owner[order]
    is_new = np.ones(len(bits), np.bool_)
    is_new[1:] = (bits[1:] != bits[:-1]) | (owner[1:] != owner[:-1])
    bounds = np.searchsorted(owner[is_new], np.arange(len(counts) + 1)).tolist()
    kept = bits[is_new].tolist()
    sizes = ((lasts - firsts) >> aligns) + 1
    return [
        BitSet(first, align, size, tuple(kept[begin:end]))
        for first, align, size, begin, end in zip(
            firsts.tolist(), aligns.tolist(), sizes.tolist(), bounds[:-1], bounds[1:], strict=True
        )
    ]


def _trailing_zeros(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the number of trailing zero bits of each value, 0 for 0."""
    lowest = values & -values
    _, exponents = np.frexp(lowest.astype(np.float64))  # exact: each is a power of two
    return np.where(values == 0, 0, exponents.astype(np.int64) - 1)
