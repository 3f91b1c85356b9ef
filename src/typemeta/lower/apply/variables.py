"""Combines variables into one global, at the offsets of the plan.

    @_ZTV1A = constant { [3 x ptr] } ..., !type !0
    @_ZTV1B = constant { [4 x ptr] } ..., !type !0, !type !1

    @0 = private constant { { [3 x ptr] }, [8 x i8], { [4 x ptr] } } ...
    @_ZTV1A = alias { [3 x ptr] }, ptr @0
    @_ZTV1B = alias { [4 x ptr] }, getelementptr inbounds (..., ptr @0, i32 0, i32 2)

Padding of any size, zero too, stands before every member but the first, as LLVM writes it: member N is
element 2 N.

Initializers are read only after all uses were replaced: they may refer to each other, and replacing
uses inside a finished huge struct would build it anew for each member.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from typemeta.llvm.calls import known_addresses
from typemeta.llvm.edit import PRIVATE_LINKAGE, Editor
from typemeta.llvm.values import LINKAGES
from typemeta.llvm.variables import value_size
from typemeta.lower.plan import VariableRegion
from typemeta.model.read import Anchors

_INTERPOSABLE = frozenset({"linkonce", "weak"})
"""Linkages that let another module replace a definition."""


@dataclass(frozen=True, slots=True)
class CombinedGlobal:
    """A combined global that has no contents yet.

    Attributes:
        region: its plan.
        members: handles of the variables, in layout order.
        gaps: bytes of padding in front of each member but the first, and behind the last.
        type: struct of members and paddings.
        packed: True if members are less aligned than their types, so that the struct must be packed.
        variable: the combined global.
    """

    region: VariableRegion
    members: tuple[int, ...]
    gaps: tuple[int, ...]
    type: int
    packed: bool
    variable: int


def create_combined(editor: Editor, anchors: Anchors, region: VariableRegion) -> CombinedGlobal:
    """Adds the combined global of a region; its members stay as they are."""
    members = tuple(anchors.globals[member] for member in region.members)
    gaps = _gaps(region, [value_size(editor.module, member) for member in members])
    types = list(_interleave(editor, gaps, [editor.value_type(member) for member in members], null=False))
    type_ = editor.struct_type(types)
    packed = not _has_offsets(editor, type_, region)
    if packed:
        type_ = editor.packed_struct_type(types)
    variable = editor.add_variable(
        type_, "", constant=region.constant, linkage=PRIVATE_LINKAGE, alignment=region.alignment
    )
    return CombinedGlobal(region, members, gaps, type_, packed, variable)


def _has_offsets(editor: Editor, struct: int, region: VariableRegion) -> bool:
    """Tells whether a struct's members, every other element, lie where the region has them."""
    offset, layout = editor.c.LLVMOffsetOfElement, editor.c.LLVMGetModuleDataLayout(editor.module.ref)
    return all(offset(layout, struct, 2 * index) == place for index, place in enumerate(region.offsets))


def replace_members(editor: Editor, combined: CombinedGlobal) -> None:
    """Replaces every use of the members by aliases into the combined global."""
    for index, member in enumerate(combined.members):
        address = editor.element_address(combined.type, combined.variable, 2 * index)
        if LINKAGES[editor.c.LLVMGetLinkage(member)] in _INTERPOSABLE:
            _redirect_aliases(editor, member, address)
        editor.replace_uses(member, editor.replace_by_alias(member, editor.value_type(member), address))


def _redirect_aliases(editor: Editor, member: int, address: int) -> None:
    """Makes aliases of a member aliases of its new address: none may be of an interposable alias."""
    for alias in editor.module.aliases():
        known = known_addresses(editor.module, editor.c.LLVMAliasGetAliasee(alias.ref))
        if known and known[0][0] == member:
            editor.c.LLVMAliasSetAliasee(alias.ref, editor.byte_offset(address, known[0][1]))


def move_contents(editor: Editor, combined: CombinedGlobal) -> None:
    """Moves the members' initializers into the combined global and removes the members."""
    initializers = [editor.initializer(member) for member in combined.members]
    contents = list(_interleave(editor, combined.gaps, initializers, null=True))
    make = editor.packed_struct if combined.packed else editor.struct
    editor.set_initializer(combined.variable, make(contents))
    for member in combined.members:
        editor.delete_variable(member)


def _gaps(region: VariableRegion, sizes: Sequence[int]) -> tuple[int, ...]:
    ends = [offset + size for offset, size in zip(region.offsets, sizes, strict=True)]
    return tuple(start - end for start, end in zip([*region.offsets[1:], region.size], ends, strict=True))


def _interleave(editor: Editor, gaps: Sequence[int], items: Sequence[int], *, null: bool) -> Iterator[int]:
    """Yields the items, padding behind each: the padding's types, or (`null`) its zeros."""
    for index, (item, gap) in enumerate(zip(items, gaps, strict=True), 1):
        yield item
        if gap or index < len(items):
            padding = editor.array_type(editor.i8, gap)
            yield editor.null(padding) if null else padding
