"""Puts the code of a test in the place of each `llvm.type.test` call.

    %x = call i1 @llvm.type.test(ptr %p, metadata !"T")

    single     %x = icmp eq i64 %p, LAST
    allOnes    %d = sub i64 LAST, %p ; %r = fshr(%d, %d, ALIGN) ; %x = icmp ule i64 %r, SIZE - 1
    inline     ... ; %b = and iN (shl iN 1, %r & N - 1), BITS ; %x = and i1 (icmp ne %b, 0), (icmp ule ...)
    byteArray  ... ; %i = select i1 (icmp ule ...), i64 %r, i64 0 ; load i8 BYTES + %i ; and MASK ; ...

The distance is taken from the *last* member, so that the offset that the subtraction needs is in the
address constant and x86 can fold it. The code stands in the call's own block: no block is split, so
phis, loops and landing pads stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from typemeta.llvm.edit import ICMP_EQ, ICMP_NE, ICMP_ULE, PRIVATE_LINKAGE, Editor
from typemeta.lower.plan import Resolution, ResolutionKind

Emit = Callable[[int, int], int]
"""Takes the handles of a call and of its pointer, emits the test where the editor stands, in front of the
call, and returns the i1's handle."""


RangeTest = Callable[[int], tuple[int, int]]
"""Takes a pointer, returns its place in the bit set (huge if it is not aligned) and whether that is in it."""


class StraightTests:
    """Emits tests without branches.

    Args:
        editor: the session.
        byte_array: contents of the byte array; empty if there is none.
    """

    def __init__(self, editor: Editor, byte_array: bytes) -> None:
        self._editor = editor
        self._byte_array = 0
        if byte_array:
            type_ = editor.array_type(editor.i8, len(byte_array))
            self._byte_array = editor.add_variable(type_, "bits", constant=True, linkage=PRIVATE_LINKAGE)
            editor.set_initializer(self._byte_array, editor.byte_constant(byte_array))

    def emitter(self, resolution: Resolution, base: int) -> Emit:
        """Returns what emits the tests of one type identifier.

        Args:
            resolution: of the identifier; not `unsat`, which has no code.
            base: address constant of the region.
        """
        editor = self._editor
        last = editor.pointer_as_integer(editor.byte_offset(base, resolution.bit_set.last))
        if resolution.kind is ResolutionKind.SINGLE:
            return single_test(editor, last)
        place = range_test(editor, resolution, last)
        if resolution.kind is ResolutionKind.ALL_ONES:
            return lambda call, pointer: place(pointer)[1]
        if resolution.kind is ResolutionKind.INLINE:
            return self._inline_test(resolution, place)
        return self._byte_array_test(resolution, place)

    def finish(self) -> None:
        """Ends the tests; nothing is left to do."""

    def _inline_test(self, resolution: Resolution, place: RangeTest) -> Emit:
        bit_test = inline_bit_test(self._editor, resolution)

        def emit(call: int, pointer: int) -> int:
            index, in_range = place(pointer)
            return self._editor.bit_and(in_range, bit_test(index))

        return emit

    def _byte_array_test(self, resolution: Resolution, place: RangeTest) -> Emit:
        if resolution.byte_array is None:
            raise AssertionError("a byteArray resolution has a place in the byte array")
        editor = self._editor
        base = editor.byte_offset(self._byte_array, resolution.byte_array.offset)
        bit_test = byte_bit_test(editor, resolution.byte_array.mask)
        start = editor.constant(editor.int_ptr_type, 0)

        def emit(call: int, pointer: int) -> int:
            index, in_range = place(pointer)
            return editor.bit_and(in_range, bit_test(base, editor.select(in_range, index, start)))

        return emit


def single_test(editor: Editor, last: int) -> Emit:
    """Returns what compares a pointer with the only member."""
    return lambda call, pointer: editor.compare(ICMP_EQ, editor.to_integer(pointer), last)


def range_test(editor: Editor, resolution: Resolution, last: int) -> RangeTest:
    """Returns what finds a pointer's place in the bit set."""
    integer = editor.int_ptr_type
    rotation = editor.constant(integer, resolution.bit_set.align_log2)
    size_m1 = editor.constant(integer, resolution.bit_set.size - 1)

    def emit(pointer: int) -> tuple[int, int]:
        distance = editor.subtract(last, editor.to_integer(pointer))
        place = editor.rotate_right(distance, rotation)
        return place, editor.compare(ICMP_ULE, place, size_m1)

    return emit


def inline_bit_test(editor: Editor, resolution: Resolution) -> Callable[[int], int]:
    """Returns what tests a bit of a constant of 32 or 64 bits, which x86 does in one instruction."""
    width = 32 if resolution.bit_set.size <= 32 else 64
    type_ = editor.int_type(width)
    bits = editor.constant(type_, resolution.bit_set.mask)
    one, zero, low = editor.constant(type_, 1), editor.constant(type_, 0), editor.constant(type_, width - 1)
    pointer_bits = editor.module.pointer_bits

    def resize(place: int) -> int:
        if pointer_bits == width:
            return place
        return (editor.truncate if pointer_bits > width else editor.zero_extend)(place, type_)

    def emit(place: int) -> int:
        index = editor.bit_and(resize(place), low)
        return editor.compare(ICMP_NE, editor.bit_and(bits, editor.shift_left(one, index)), zero)

    return emit


def byte_bit_test(editor: Editor, mask: int) -> Callable[[int, int], int]:
    """Returns what tests a bit of a byte of the byte array, given the array's address and an index."""
    bit, zero = editor.constant(editor.i8, mask), editor.constant(editor.i8, 0)

    def emit(base: int, index: int) -> int:
        byte = editor.load(editor.i8, editor.byte_address(base, index))
        return editor.compare(ICMP_NE, editor.bit_and(byte, bit), zero)

    return emit
