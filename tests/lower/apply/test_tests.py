"""The code of a test: what it is, and what it answers when it runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.ir import I386, TYPE_TEST, X86_64, Lowered, instructions, lower
from typemeta.llvm.jit import Jit
from typemeta.llvm.target import adopt_host_target
from typemeta.lower.plan import ResolutionKind


def program(header: str, size: int, **types: Sequence[int]) -> str:
    """Returns a module with one variable, types with members in it, and a function that tests each type."""
    rows = [(name, offset) for name, offsets in types.items() for offset in offsets]
    attachments = "".join(f", !type !{n}" for n in range(len(rows)))
    lines = [f"{header}@a = global [{size} x i8] zeroinitializer, align 16{attachments}\n", TYPE_TEST]
    for name in types:
        lines.append(
            f"define i1 @{name}(ptr %p) {{\n"
            f'  %x = call i1 @llvm.type.test(ptr %p, metadata !"{name}")\n  ret i1 %x\n}}\n'
        )
    lines += [f'!{n} = !{{i64 {offset}, !"{name}"}}\n' for n, (name, offset) in enumerate(rows)]
    return "".join(lines)


KINDS: dict[str, list[int]] = {
    "unsat": [],
    "single": [16],
    "allOnes": [16, 48, 80, 112],
    "inline": [16, 24, 40, 264],
    "narrow": [4, 8, 16],
    "wide": [16, 24, 16 + 8 * 32],
    "widest": [0, 8, 8 * 31, 8 * 32, 8 * 63],
    "byteArray": [16, 24, 1016],
    "bytes": [1, 2, 3, 9],
    "large": [8 * n for n in range(100) if n != 50],
}


def test_the_code_of_each_kind() -> None:
    """One comparison, a rotation and a comparison, a bit of a constant, or a bit of a byte."""
    result = lower(program(X86_64, 1024, **KINDS))
    last = "ptrtoint (ptr getelementptr (i8, ptr @0, i64 {}) to i64)"
    code = {name: instructions(result.module, name) for name in KINDS}
    assert code["unsat"] == ["ret i1 false"]
    assert code["single"] == [
        "%1 = ptrtoint ptr %p to i64",
        f"%2 = icmp eq i64 %1, {last.format(16)}",
        "ret i1 %2",
    ]
    assert code["allOnes"] == [
        "%1 = ptrtoint ptr %p to i64",
        f"%2 = sub i64 {last.format(112)}, %1",
        "%3 = call i64 @llvm.fshr.i64(i64 %2, i64 %2, i64 5)",
        "%4 = icmp ule i64 %3, 3",
        "ret i1 %4",
    ]
    assert code["inline"][2:] == [
        "%3 = call i64 @llvm.fshr.i64(i64 %2, i64 %2, i64 3)",
        "%4 = icmp ule i64 %3, 31",
        "%5 = trunc i64 %3 to i32",
        "%6 = and i32 %5, 31",
        "%7 = shl i32 1, %6",
        "%8 = and i32 -805306367, %7",
        "%9 = icmp ne i32 %8, 0",
        "%10 = and i1 %4, %9",
        "ret i1 %10",
    ]
    assert code["byteArray"][3:] == [
        "%4 = icmp ule i64 %3, 125",
        "%5 = select i1 %4, i64 %3, i64 0",
        "%6 = getelementptr i8, ptr @bits, i64 %5",
        "%7 = load i8, ptr %6, align 1",
        "%8 = and i8 %7, 1",
        "%9 = icmp ne i8 %8, 0",
        "%10 = and i1 %4, %9",
        "ret i1 %10",
    ]
    assert result.of("bits").startswith("@bits = private constant [126 x i8] c")


def test_a_set_of_more_than_32_places_is_one_word_of_64() -> None:
    """An inline set of up to 64 places tests a bit of a 64-bit constant."""
    result = lower(program(X86_64, 1024, wide=[0, 8, 8 * 63]))
    assert "%6 = shl i64 1, %5" in instructions(result.module, "wide")
    assert "%5 = and i64 %3, 63" in instructions(result.module, "wide")


def test_on_i386_everything_has_32_bits() -> None:
    """Distances and rotations are as wide as a pointer, and 33 places need the byte array."""
    result = lower(program(I386, 1024, inline=[0, 8, 8 * 31], byteArray=[0, 8, 8 * 32]))
    assert instructions(result.module, "inline") == [
        "%1 = ptrtoint ptr %p to i32",
        "%2 = sub i32 ptrtoint (ptr getelementptr (i8, ptr @0, i32 248) to i32), %1",
        "%3 = call i32 @llvm.fshr.i32(i32 %2, i32 %2, i32 3)",
        "%4 = icmp ule i32 %3, 31",
        "%5 = and i32 %3, 31",
        "%6 = shl i32 1, %5",
        "%7 = and i32 -1073741823, %6",
        "%8 = icmp ne i32 %7, 0",
        "%9 = and i1 %4, %8",
        "ret i1 %9",
    ]
    assert "%5 = select i1 %4, i32 %3, i32 0" in instructions(result.module, "byteArray")


def test_on_a_target_with_narrow_pointers() -> None:
    """A place of 16 bits is extended to the width of the constant."""
    result = lower(program('target datalayout = "e-p:16:16"\n', 64, inline=[0, 8, 24]))
    assert instructions(result.module, "inline")[4:7] == [
        "%5 = zext i16 %3 to i32",
        "%6 = and i32 %5, 31",
        "%7 = shl i32 1, %6",
    ]


@contextmanager
def compiled(result: Lowered, names: Sequence[str]) -> Iterator[tuple[int, dict[str, Callable[[int], bool]]]]:
    """Compiles a module; gives the address of `@a` and callables of type tests."""
    adopt_host_target(result.module)
    prototype = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_uint64)
    with Jit(result.module.library) as jit:
        jit.add(result.module)
        yield jit.address("a"), {name: prototype(jit.address(name)) for name in names}


def test_every_kind_answers_exactly_for_its_members() -> None:
    """Run on every byte of the region and around it, a test says yes for the members alone."""
    result = lower(program("", 1024, **KINDS))
    kinds = {result.model.types[r.type].id: r.kind for r in result.plan.resolutions}
    assert set(kinds.values()) == set(ResolutionKind)
    with compiled(result, list(KINDS)) as (base, tests):
        for name, test in tests.items():
            found = [offset for offset in range(-300, 1400) if test(base + offset)]
            assert found == sorted(KINDS[name])


@pytest.mark.parametrize("name", KINDS)
def test_addresses_far_away_are_no_members(name: str) -> None:
    """Null, the ends of the address space, and addresses whose low bits look right are no members."""
    result = lower(program("", 1024, **KINDS))
    with compiled(result, [name]) as (base, tests):
        for shift in range(11, 64):
            for offset in (0, 8, 16, 24):
                assert not tests[name]((base + offset + (1 << shift)) % 2**64)
                assert not tests[name]((base + offset - (1 << shift)) % 2**64)
        for address in (0, 1, 2**64 - 1, 2**63):
            assert not tests[name](address)


def test_the_code_stands_where_the_call_was() -> None:
    """Blocks, phis and the rest of a function stay as they are: the result takes the call's place."""
    text = program(X86_64, 64, T=[0, 8, 24]).replace(
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  ret i1 %x\n',
        """  %before = load i8, ptr %p
  br label %loop
loop:
  %q = phi ptr [ %p, %0 ], [ %next, %loop ]
  %x = call i1 @llvm.type.test(ptr %q, metadata !"T")
  %next = getelementptr i8, ptr %q, i64 8
  br i1 %x, label %loop, label %end
end:
  %y = phi i1 [ %x, %loop ]
  ret i1 %y
""",
    )
    code = instructions(lower(text).module, "T")
    assert code[:3] == [
        "%before = load i8, ptr %p, align 1",
        "br label %loop",
        "%q = phi ptr [ %p, %0 ], [ %next, %loop ]",
    ]
    assert code[3] == "%1 = ptrtoint ptr %q to i64"
    assert code[-4:] == [
        "%next = getelementptr i8, ptr %q, i64 8",
        "br i1 %10, label %loop, label %end",
        "%y = phi i1 [ %10, %loop ]",
        "ret i1 %y",
    ]
