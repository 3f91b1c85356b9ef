"""LLVM's own form of the tests that need more than a range check: a branch around the bit test.

    %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
    br i1 %x, label %then, label %else, !prof !0

    %in = icmp ule i64 %r, SIZE - 1                  ; %r as in tests.py
    br i1 %in, label %2, label %else, !prof !0
  2:
    %bit = ...                                       ; the bit test, in place of the call
    br i1 %bit, label %then, label %else, !prof !0

Where something stands between the test and the branch, or the result has other uses, a phi joins the
false of the range check and the bit. Here for comparison with LLVM's pass; `tests.py` has the form
without branches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from typemeta.llvm.blocks import branch_behind, incoming_value, phis, split_before
from typemeta.llvm.edit import PRIVATE_LINKAGE, Editor
from typemeta.lower.apply.tests import Emit, byte_bit_test, inline_bit_test, range_test, single_test
from typemeta.lower.plan import Resolution, ResolutionKind

_LIKELY: Final = (1048575, 1)  # LLVM's branch weights of "likely": 2^20 - 1 to 1


class BranchingTests:
    """Emits tests in LLVM's form, with an alias of the byte array for each of its uses.

    Args:
        editor: the session.
        byte_array: contents of the byte array, which is added at the end.
        avoid_reuse: each use of a byte array goes by an alias of its own (`bits_use`), so that the
            code generator is less likely to keep its address in a register between tests.
    """

    def __init__(self, editor: Editor, byte_array: bytes, *, avoid_reuse: bool = True) -> None:
        self._editor = editor
        self._byte_array = byte_array
        self._avoid_reuse = avoid_reuse
        self._placeholders: list[tuple[Resolution, int]] = []

    def emitter(self, resolution: Resolution, base: int) -> Emit:
        """Returns what emits the tests of one type identifier (not `unsat`)."""
        editor = self._editor
        last = editor.pointer_as_integer(editor.byte_offset(base, resolution.bit_set.last))
        if resolution.kind is ResolutionKind.SINGLE:
            return single_test(editor, last)
        place = range_test(editor, resolution, last)
        if resolution.kind is ResolutionKind.ALL_ONES:
            return lambda call, pointer: place(pointer)[1]
        if resolution.kind is ResolutionKind.INLINE:
            bit_test = inline_bit_test(editor, resolution)
        else:
            bit_test = self._byte_array_bit(resolution)

        def emit(call: int, pointer: int) -> int:
            index, in_range = place(pointer)
            branch = branch_behind(editor, call)
            if branch:
                _branch_around(editor, call, branch, in_range)
                editor.position_before(call)
                return bit_test(index)
            return _joined(editor, call, in_range, lambda: bit_test(index))

        return emit

    def finish(self) -> None:
        """Adds the byte array, which LLVM adds empty too, and an alias `bits` for each place in it."""
        editor = self._editor
        constant = editor.byte_constant(self._byte_array)
        type_ = editor.array_type(editor.i8, len(self._byte_array))
        array = editor.add_variable(type_, "", constant=True, linkage=PRIVATE_LINKAGE)
        editor.set_initializer(array, constant)
        largest_first = sorted(self._placeholders, key=lambda entry: -entry[0].bit_set.size)
        for resolution, placeholder in largest_first:
            place = resolution.byte_array.offset if resolution.byte_array else 0
            address = editor.element_address(type_, array, place, wide=True)
            alias = editor.add_alias(editor.i8, address, "bits", linkage=PRIVATE_LINKAGE)
            editor.replace_uses(placeholder, alias)
            editor.delete_variable(placeholder)

    def _byte_array_bit(self, resolution: Resolution) -> Callable[[int], int]:
        if resolution.byte_array is None:
            raise AssertionError("a byteArray resolution has a place in the byte array")
        editor = self._editor
        array = editor.add_variable(editor.i8, "", constant=True, linkage=PRIVATE_LINKAGE)
        self._placeholders.append((resolution, array))
        bit_test = byte_bit_test(editor, resolution.byte_array.mask)

        def emit(index: int) -> int:
            base = array
            if self._avoid_reuse:
                base = editor.add_alias(editor.i8, array, "bits_use", linkage=PRIVATE_LINKAGE)
            return bit_test(base, index)

        return emit


def _branch_around(editor: Editor, call: int, branch: int, in_range: int) -> None:
    """Splits the block before a call and goes straight to the branch's else if not in range."""
    c = editor.c
    otherwise = c.LLVMGetSuccessor(branch, 1)
    head, tail = split_before(editor, call)
    editor.position_at_end(head)
    shortcut = editor.branch_if(in_range, tail, otherwise)
    editor.copy_metadata(branch, shortcut, "prof")
    for phi in phis(editor, otherwise):
        editor.add_incoming(phi, incoming_value(editor, phi, tail), head)


def _joined(editor: Editor, call: int, in_range: int, bit_test: Callable[[], int]) -> int:
    """Emits the bit test in a block that is only entered if in range; returns the phi of both ways."""
    head, tail = split_before(editor, call)
    then = editor.insert_block(tail)
    editor.position_at_end(head)
    editor.set_branch_weights(editor.branch_if(in_range, then, tail), _LIKELY)
    editor.position_at_end(then)
    bit = bit_test()
    editor.branch(tail)
    editor.position_before(call)
    phi = editor.phi(editor.i1)
    editor.add_incoming(phi, editor.constant(editor.i1, 0), head)
    editor.add_incoming(phi, bit, then)
    return phi
