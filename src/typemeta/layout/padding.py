"""Places variables one behind the other in a combined global, with LLVM's padding.

Each variable is padded to the next power of two, which makes the members' offsets share a large
alignment and the bit sets small; where that would cost more than 32 bytes, to a multiple of 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_PADDING: Final = 32


def place_padded(sizes: Sequence[int], alignments: Sequence[int]) -> tuple[list[int], int]:
    """Returns the offset of each variable, and the bytes that all of them take.

    Args:
        sizes: bytes of each variable, in layout order.
        alignments: alignment of each in bytes, a power of two.
    """
    offsets: list[int] = []
    end = padding = 0
    for size, alignment in zip(sizes, alignments, strict=True):
        start = align_to(end + padding, alignment)
        offsets.append(start)
        end = start + size
        padding = _padding_behind(size)
    return offsets, end


def align_to(offset: int, alignment: int) -> int:
    """Returns the smallest multiple of `alignment` that is not below `offset`."""
    return -(-offset // alignment) * alignment


def _padding_behind(size: int) -> int:
    if size == 0:
        return 0
    padding = (1 << (size - 1).bit_length()) - size
    return padding if padding <= MOST_PADDING else align_to(size, MOST_PADDING) - size
