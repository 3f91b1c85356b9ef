"""Parts type identifiers and their members into disjoint sets.

Two identifiers that share a member, directly or through others, must be laid out together. The order
in which a set lists its members is LLVM's (`EquivalenceClasses`): uniting appends the second set's
list to the first's. LLVM's layout depends on it, so ours does too.
"""

from __future__ import annotations

from collections.abc import Sequence


def find_disjoint_sets(
    members: Sequence[Sequence[int]], links: Sequence[Sequence[int]], size: int
) -> list[tuple[list[int], list[int], list[int]]]:
    """Parts groups that share members, directly or not, from those that do not.

    Args:
        members: for each group (a type identifier) its members (globals), in the order in which LLVM
            meets them; groups come in the order of their first use. Values in [0, size); duplicates
            are allowed.
        links: sequences of members that must be in one set even if no group holds them all (the
            targets of a branch funnel); none is empty.
        size: number of possible members.

    Returns:
        (groups, links, members) of each set; sets in LLVM's order: that in which the node that leads a
        set was first met. Groups and links ascending, members in LLVM's order. O(total size), nearly.
    """
    union = _Union(size + len(members) + len(links))
    for group, listed in enumerate(members, size):
        union.meet(group)
        for member in listed:
            union.meet(member)
            union.unite(group, member)
    for link, listed in enumerate(links, size + len(members)):
        for member in listed:
            union.meet(member)
            union.unite(listed[0], member)
        union.meet(link)
        union.unite(listed[0], link)
    sets = []
    for leader in union.met:
        if union.find(leader) == leader:
            nodes = union.nodes_of(leader)
            groups = sorted(n - size for n in nodes if size <= n < size + len(members))
            linked = sorted(n - size - len(members) for n in nodes if n >= size + len(members))
            sets.append((groups, linked, [n for n in nodes if n < size]))
    return sets


class _Union:
    """Union-find whose classes are linked lists, the list of the second argument appended to the first's."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._next = [-1] * size
        self._tail = list(range(size))
        self.met: dict[int, None] = {}

    def meet(self, node: int) -> None:
        self.met[node] = None

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
