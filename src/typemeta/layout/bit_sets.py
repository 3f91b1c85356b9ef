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


def build_bit_set(offsets: npt.NDArray[np.int64]) -> BitSet:
    """Returns the smallest bit set that holds exactly these offsets.

    Args:
        offsets: shape (n,), byte offsets in any order; duplicates are allowed.
    """
    if not len(offsets):
        return BitSet(0, 0, 0, ())
    distances = np.unique(offsets.max() - offsets)
    combined = int(np.bitwise_or.reduce(distances))
    align_log2 = (combined & -combined).bit_length() - 1 if combined else 0
    bits = distances >> align_log2
    return BitSet(int(offsets.min()), align_log2, int(bits[-1]) + 1, tuple(bits.tolist()))
