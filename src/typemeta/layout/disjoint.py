"""Parts type identifiers and their members into disjoint sets.

Two identifiers that share a member, directly or through others, must be laid out together. The order
in which a set lists its members is LLVM's (`EquivalenceClasses`): uniting appends the second set's
list to the first's. LLVM's layout depends on it, so ours does too.
"""

from __future__ import annotations

from collections.abc import Sequence


def find_disjoint_sets(members: Sequence[Sequence[int]], size: int) -> list[tuple[list[int], list[int]]]:
    """Parts groups that share members, directly or not, from those that do not.

    Args:
        members: for each group (a type identifier) its members (globals), in the order in which LLVM
            meets them; groups come in the order of their first use. Values in [0, size); duplicates
            are allowed.
        size: number of possible members.

    Returns:
        (groups, members) of each set, sets in the order of their first group; groups ascending,
        members in LLVM's order. O(total size of the groups), nearly.
    """
    union = _Union(size + len(members))
    for group, listed in enumerate(members):
        for member in listed:
            union.unite(size + group, member)
    sets = []
    for group in range(len(members)):
        if union.find(size + group) == size + group:
            nodes = union.nodes_of(size + group)
            sets.append((sorted(n - size for n in nodes if n >= size), [n for n in nodes if n < size]))
    return sorted(sets)


class _Union:
    """Union-find whose classes are linked lists, the list of the second argument appended to the first's."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._next = [-1] * size
        self._tail = list(range(size))

    def find(self, node: int) -> int:
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def unite(self, first: int, second: int) -> None:
        first, second = self.find(first), self.find(second)
        if first != second:
            self._parent[second] = first
            self._next[self._tail[first]] = second
            self._tail[first] = self._tail[second]

    def nodes_of(self, leader: int) -> list[int]:
        nodes = []
        while leader >= 0:
            nodes.append(leader)
            leader = self._next[leader]
        return nodes
