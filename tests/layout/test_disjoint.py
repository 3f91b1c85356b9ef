"""Groups that share members stay together, all others are parted."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from typemeta.layout import find_disjoint_sets


def naive(members: Sequence[Sequence[int]]) -> list[tuple[list[int], set[int]]]:
    """Merges groups that share a member until none do."""
    sets = [({group}, set(listed)) for group, listed in enumerate(members)]
    merged = True
    while merged:
        merged = False
        for first, second in itertools.combinations(sets, 2):
            if first[1] & second[1]:
                sets.remove(second)
                first[0].update(second[0])
                first[1].update(second[1])
                merged = True
                break
    return sorted((sorted(groups), listed) for groups, listed in sets)


@pytest.mark.parametrize(
    ("members", "size", "expected"),
    [
        ([], 3, []),
        ([[]], 3, [([0], [])]),
        ([[1]], 3, [([0], [1])]),
        ([[0], [2]], 3, [([0], [0]), ([1], [2])]),
        ([[0, 1], [1, 2]], 3, [([0, 1], [0, 1, 2])]),
        ([[1, 1, 0, 1]], 2, [([0], [1, 0])]),
        ([[0], [1], [0, 1]], 2, [([0, 1, 2], [0, 1])]),
        ([[0], [1], [1, 0]], 2, [([0, 1, 2], [1, 0])]),
        ([[2], [], [2]], 3, [([1], []), ([0, 2], [2])]),
    ],
)
def test_small_cases(
    members: list[list[int]], size: int, expected: list[tuple[list[int], list[int]]]
) -> None:
    """Groups ascend; uniting appends the second list to the first, whose leader is then met earlier.

    In the last case the third group, met last, leads its set.
    """
    assert find_disjoint_sets(members, [], size) == [(groups, [], listed) for groups, listed in expected]


@pytest.mark.parametrize(
    ("members", "links", "expected"),
    [
        ([], [[0, 1]], [([], [0], [0, 1])]),
        ([[0], [1]], [[0, 1]], [([0, 1], [0], [0, 1])]),
        ([[0], [1]], [[1]], [([0], [], [0]), ([1], [0], [1])]),
        ([[0]], [[2, 1], [1, 0]], [([0], [0, 1], [2, 1, 0])]),
    ],
)
def test_links_unite_members(
    members: list[list[int]],
    links: list[list[int]],
    expected: list[tuple[list[int], list[int], list[int]]],
) -> None:
    """Members of a link are in one set, whether or not a group holds any of them."""
    assert find_disjoint_sets(members, links, 3) == expected


def agree_with_naive(members: Sequence[Sequence[int]], size: int) -> None:
    """Compares with merging by hand, whatever the order of the sets."""
    found = find_disjoint_sets(members, [], size)
    assert sorted((groups, set(listed)) for groups, _, listed in found) == naive(members)
    assert all(len(listed) == len(set(listed)) for _, _, listed in found)


def test_all_small_inputs() -> None:
    """All ways to give three groups subsets of three members agree with merging by hand."""
    subsets = [list(chosen) for n in range(4) for chosen in itertools.combinations(range(3), n)]
    for members in itertools.product(subsets, repeat=3):
        agree_with_naive(members, 3)


def test_random_inputs() -> None:
    """Larger inputs, members in any order and repeated, agree as well."""
    chance = random.Random(1)
    for _ in range(100):
        size = chance.randrange(1, 20)
        members = [
            [chance.randrange(size) for _ in range(chance.randrange(5))] for _ in range(chance.randrange(12))
        ]
        agree_with_naive(members, size)


def test_a_long_chain() -> None:
    """Many groups that overlap one after the other are one set, found without deep recursion."""
    count = 20_000
    ((groups, _, members),) = find_disjoint_sets([[n, n + 1] for n in range(count)], [], count + 1)
    assert groups == list(range(count))
    assert members == list(range(count + 1))
