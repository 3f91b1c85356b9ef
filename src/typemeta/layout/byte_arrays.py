"""Packs the bit sets that are too large for an integer into one byte array, eight to a byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ByteArrayPlace:
    """Where a bit set lives in the byte array: bit `mask` of the bytes from `offset` on."""

    offset: int
    mask: int


def pack_byte_array(
    bits: Sequence[Sequence[int]], sizes: Sequence[int]
) -> tuple[bytes, tuple[ByteArrayPlace, ...]]:
    """Packs bit sets, the largest first, each into the bit column that is filled least (as LLVM does).

    Args:
        bits: for each bit set the places that are members, each below its size.
        sizes: number of places of each.

    Returns:
        The byte array, and the place of each bit set in the order of the arguments.
    """
    filled = [0] * 8
    places = [ByteArrayPlace(0, 0)] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        column = min(range(8), key=filled.__getitem__)
        places[index] = ByteArrayPlace(filled[column], 1 << column)
        filled[column] += sizes[index]
    array = np.zeros(max(filled), np.uint8)
    for members, place in zip(bits, places, strict=True):
        array[np.array(members, np.int64) + place.offset] |= place.mask
    return array.tobytes(), tuple(places)
