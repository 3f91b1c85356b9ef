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
from dataclasses import dataclass
from typing import assert_never

from typemeta.llvm.edit import ICMP_EQ, ICMP_NE, ICMP_ULE, Editor
from typemeta.lower.plan import LowerPlan, Resolution, ResolutionKind

Emit = Callable[[int], int]
"""Takes a pointer's handle, emits the test where the editor stands, returns the i1's handle."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The constants of one identifier's test."""

    last: int
    rotation: int
    size_m1: int


def test_emitter(editor: Editor, plan: LowerPlan, resolution: Resolution, base: int, byte_array: int) -> Emit:
    """Returns a function that emits the tests of one type identifier.

    Args:
        editor: the session.
        plan: the plan.
        resolution: of the identifier; not `unsat`, which has no code.
        base: address constant of the region.
        byte_array: address constant of the byte array, 0 if there is none.
    """
    last = editor.pointer_as_integer(editor.byte_offset(base, resolution.bit_set.last))
    match resolution.kind:
        case ResolutionKind.SINGLE:
            return lambda pointer: editor.compare(ICMP_EQ, editor.to_integer(pointer), last)
        case ResolutionKind.ALL_ONES:
            return _range_test(editor, _parts(editor, resolution, last))
        case ResolutionKind.INLINE:
            return _inline_test(editor, resolution, _parts(editor, resolution, last))
        case ResolutionKind.BYTE_ARRAY:
            return _byte_array_test(editor, resolution, _parts(editor, resolution, last), byte_array)
        case ResolutionKind.UNSAT:
            raise AssertionError("an unsatisfiable test has no code")
        case _:
            assert_never(resolution.kind)


def _parts(editor: Editor, resolution: Resolution, last: int) -> _Parts:
    integer = editor.int_ptr_type
    return _Parts(
        last=last,
        rotation=editor.constant(integer, resolution.bit_set.align_log2),
        size_m1=editor.constant(integer, resolution.bit_set.size - 1),
    )


def _rotated(editor: Editor, parts: _Parts, pointer: int) -> int:
    """Emits the place of a pointer in the bit set; a huge number for one that is not aligned."""
    distance = editor.subtract(parts.last, editor.to_integer(pointer))
    return editor.rotate_right(distance, parts.rotation)


def _range_test(editor: Editor, parts: _Parts) -> Emit:
    return lambda pointer: editor.compare(ICMP_ULE, _rotated(editor, parts, pointer), parts.size_m1)


def _inline_test(editor: Editor, resolution: Resolution, parts: _Parts) -> Emit:
    width = 32 if resolution.bit_set.size <= 32 else 64
    type_ = editor.int_type(width)
    bits = editor.constant(type_, resolution.bit_set.mask)
    one, zero, low = editor.constant(type_, 1), editor.constant(type_, 0), editor.constant(type_, width - 1)
    pointer_bits = editor.module.pointer_bits

    def resize(place: int) -> int:
        if pointer_bits == width:
            return place
        return (editor.truncate if pointer_bits > width else editor.zero_extend)(place, type_)

    def emit(pointer: int) -> int:
        place = _rotated(editor, parts, pointer)
        in_range = editor.compare(ICMP_ULE, place, parts.size_m1)
        index = editor.bit_and(resize(place), low)
        bit = editor.bit_and(editor.shift_left(one, index), bits)
        return editor.bit_and(in_range, editor.compare(ICMP_NE, bit, zero))

    return emit


def _byte_array_test(editor: Editor, resolution: Resolution, parts: _Parts, byte_array: int) -> Emit:
    if resolution.byte_array is None:
        raise AssertionError("a byteArray resolution has a place in the byte array")
    base = editor.byte_offset(byte_array, resolution.byte_array.offset)
    mask, zero = editor.constant(editor.i8, resolution.byte_array.mask), editor.constant(editor.i8, 0)
    start = editor.constant(editor.int_ptr_type, 0)

    def emit(pointer: int) -> int:
        place = _rotated(editor, parts, pointer)
        in_range = editor.compare(ICMP_ULE, place, parts.size_m1)
        index = editor.select(in_range, place, start)
        byte = editor.load(editor.i8, editor.byte_address(base, index))
        member = editor.compare(ICMP_NE, editor.bit_and(byte, mask), zero)
        return editor.bit_and(in_range, member)

    return emit
