"""Offsets in a combined global."""

from __future__ import annotations

import itertools

import pytest

from typemeta.layout import place_padded
from typemeta.layout.padding import align_to


@pytest.mark.parametrize(
    ("sizes", "alignments", "offsets", "end"),
    [
        ([], [], [], 0),
        ([24], [8], [0], 24),
        ([24, 24], [8, 8], [0, 32], 56),
        ([16, 16], [8, 8], [0, 16], 32),
        ([33, 8], [1, 1], [0, 64], 72),
        ([72, 8], [8, 8], [0, 96], 104),
        ([96, 8], [8, 8], [0, 128], 136),
        ([100, 8], [4, 4], [0, 128], 136),
        ([136, 8], [8, 8], [0, 160], 168),
        ([1, 1, 1], [1, 1, 1], [0, 1, 2], 3),
        ([3, 8], [1, 64], [0, 64], 72),
        ([0, 8, 0], [1, 8, 1], [0, 0, 8], 8),
    ],
)
def test_small_cases(sizes: list[int], alignments: list[int], offsets: list[int], end: int) -> None:
    """Each variable is padded to a power of two, or to 32 bytes where that would cost more than 32."""
    assert place_padded(sizes, alignments) == (offsets, end)


def test_laws() -> None:
    """Offsets are aligned, variables do not overlap, and padding keeps to its limit."""
    for sizes in itertools.product((0, 1, 8, 24, 40, 72, 130), repeat=3):
        for alignments in itertools.product((1, 8, 16), repeat=3):
            offsets, end = place_padded(sizes, alignments)
            assert all(offset % alignment == 0 for offset, alignment in zip(offsets, alignments, strict=True))
            ends = [offset + size for offset, size in zip(offsets, sizes, strict=True)]
            assert end == ends[-1]
            for before, after, alignment in zip(ends[:-1], offsets[1:], alignments[1:], strict=True):
                assert 0 <= after - before < 32 + alignment


def test_padded_sizes_share_an_alignment() -> None:
    """Variables of one size start at multiples of the next power of two, up to 64."""
    for size in range(1, 65):
        offsets, _ = place_padded([size] * 4, [1] * 4)
        stride = 1 << (size - 1).bit_length()
        assert offsets == [0, stride, 2 * stride, 3 * stride]


@pytest.mark.parametrize(("offset", "alignment", "expected"), [(0, 8, 0), (1, 8, 8), (8, 8, 8), (9, 1, 9)])
def test_align_to(offset: int, alignment: int, expected: int) -> None:
    """The next multiple, the offset itself if it is one."""
    assert align_to(offset, alignment) == expected
