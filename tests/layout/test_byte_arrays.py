"""Large bit sets share a byte array, eight to a byte."""

from __future__ import annotations

import random

import pytest

from typemeta.layout import ByteArrayPlace, pack_byte_array


@pytest.mark.parametrize(
    ("bits", "sizes", "array", "places"),
    [
        ([], [], b"", ()),
        ([[0, 2]], [3], b"\1\0\1", (ByteArrayPlace(0, 1),)),
        ([[0], [0, 1]], [1, 2], b"\3\1", (ByteArrayPlace(0, 2), ByteArrayPlace(0, 1))),
        ([[]], [2], b"\0\0", (ByteArrayPlace(0, 1),)),
    ],
)
def test_small_cases(
    bits: list[list[int]], sizes: list[int], array: bytes, places: tuple[ByteArrayPlace, ...]
) -> None:
    """The largest set is placed first; places stand in the order of the arguments."""
    assert pack_byte_array(bits, sizes) == (array, places)


def test_the_ninth_set_goes_behind_the_shortest() -> None:
    """Eight sets fill the eight bits of the first bytes, the next one follows where most room is."""
    sizes = [80, 79, 78, 77, 76, 75, 74, 73, 10, 9]
    array, places = pack_byte_array([[0]] * 10, sizes)
    assert [place.mask for place in places] == [1, 2, 4, 8, 16, 32, 64, 128, 128, 64]
    assert [place.offset for place in places] == [0] * 8 + [73, 74]
    assert len(array) == 83
    assert (array[0], array[73], array[74]) == (0xFF, 0x80, 0x40)


def test_every_set_is_read_back() -> None:
    """Through its place each set shows exactly its members, and no two sets share a bit."""
    chance = random.Random(4)
    for count in (1, 7, 8, 9, 40):
        sizes = [chance.randrange(1, 200) for _ in range(count)]
        bits = [sorted(chance.sample(range(size), chance.randrange(size + 1))) for size in sizes]
        array, places = pack_byte_array(bits, sizes)
        taken: set[tuple[int, int]] = set()
        for members, size, place in zip(bits, sizes, places, strict=True):
            read = [n for n in range(size) if array[place.offset + n] & place.mask]
            assert read == members
            cells = {(place.offset + n, place.mask) for n in range(size)}
            assert not cells & taken
            taken |= cells
        assert len(array) == max(offset for offset, _ in taken) + 1
