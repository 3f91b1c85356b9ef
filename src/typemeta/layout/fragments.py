"""Orders the members of a disjoint set so that those of one type identifier stand close together.

This is LLVM's order (`GlobalLayoutBuilder`): each set becomes a fragment that swallows the fragments
its members are in already, the smallest sets first.
"""

from __future__ import annotations

from collections.abc import Sequence


def order_by_fragments(sets: Sequence[Sequence[int]], size: int) -> list[int]:
    """Returns the members in layout order.

    Args:
        sets: one ascending sequence without duplicates for each type identifier, values in [0, size).
        size: number of members, each of which is in at least one set.

    Returns:
        A permutation of range(size): `order[new] == old`. Ties between sets of equal size are broken
        by their position. O(total size of the sets times the depth of their nesting).
    """
    fragments: list[list[int]] = [[]]
    fragment_of = [0] * size
    for members in sorted(sets, key=len):
        fragment: list[int] = []
        for member in members:
            old = fragment_of[member]
            if old == 0:
                fragment.append(member)
            else:  # the fragment is taken over whole, and is empty for its other members
                fragment += fragments[old]
                fragments[old] = []
        for member in fragment:
            fragment_of[member] = len(fragments)
        fragments.append(fragment)
    return [member for fragment in fragments for member in fragment]
