"""Members of one set stand close together, as LLVM orders them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from typemeta.layout import order_by_fragments


@pytest.mark.parametrize(
    ("sets", "size", "expected"),
    [
        ([], 0, []),
        ([[0]], 1, [0]),
        ([[0, 1, 2]], 3, [0, 1, 2]),
        ([[0, 2], [1]], 3, [1, 0, 2]),
        ([[0, 1, 2, 3], [1, 3]], 4, [0, 1, 3, 2]),
        ([[0, 1], [1, 2]], 3, [0, 1, 2]),
        ([[0, 2], [0, 1, 2, 3]], 4, [0, 2, 1, 3]),
        ([[0, 1], [2, 3], [1, 3]], 4, [0, 1, 2, 3]),
    ],
)
def test_small_cases(sets: list[list[int]], size: int, expected: list[int]) -> None:
    """The smallest sets come first, and each set takes over the fragments of its members whole."""
    assert order_by_fragments(sets, size) == expected


def test_the_order_is_a_permutation() -> None:
    """Every member stands exactly once, for all families of up to three sets of four members."""
    subsets = [list(chosen) for n in range(1, 5) for chosen in itertools.combinations(range(4), n)]
    for count in (1, 2, 3):
        for sets in itertools.combinations(subsets, count):
            if set().union(*sets) == {0, 1, 2, 3}:
                assert sorted(order_by_fragments(sets, 4)) == [0, 1, 2, 3]


def is_run(order: Sequence[int], members: Sequence[int]) -> bool:
    """Tells whether members stand next to each other."""
    places = sorted(order.index(member) for member in members)
    return places == list(range(places[0], places[0] + len(places)))


def test_nested_sets_become_runs() -> None:
    """Sets that are nested or disjoint, as single inheritance makes them, become runs."""
    chance = random.Random(2)
    for _ in range(200):
        size = chance.randrange(1, 12)
        sets = [list(range(size))]
        pending = [list(range(size))]
        while pending:
            members = pending.pop()
            if len(members) > 1:
                chance.shuffle(members)
                cut = chance.randrange(1, len(members))
                parts = [sorted(members[:cut]), sorted(members[cut:])]
                sets += parts
                pending += parts
        order = order_by_fragments(sets, size)
        assert all(is_run(order, members) for members in sets)


def test_ties_are_broken_by_position() -> None:
    """Sets of equal size are taken in the order they are given."""
    assert order_by_fragments([[2, 3], [0, 1]], 4) == [2, 3, 0, 1]
    assert order_by_fragments([[0, 1], [2, 3]], 4) == [0, 1, 2, 3]
