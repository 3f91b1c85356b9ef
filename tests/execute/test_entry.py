"""Entry points: arguments, results, constructors, and what cannot be called."""

from __future__ import annotations

import pytest

from tests.ir import X86_64, definition, instructions, parse
from typemeta.errors import TypemetaError
from typemeta.execute import CallError, run_function
from typemeta.execute.entry import EntryPoint, add_constructor_calls, add_entry_point
from typemeta.llvm.module import Module
from typemeta.query import NamedAddress

VOID, INTEGER, POINTER = 0, 8, 12

FUNCTIONS = """
@a = global [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@unknown = external global i8
define i1 @is_odd(i64 %n) {
  %x = trunc i64 %n to i1
  ret i1 %x
}
define i8 @i8(i8 %n) {
  ret i8 %n
}
define i24 @i24(i24 %n) {
  ret i24 %n
}
define i32 @i32(i32 %n) {
  ret i32 %n
}
define i64 @i64(i64 %n) {
  ret i64 %n
}
define i1 @i1(i1 %n) {
  ret i1 %n
}
define ptr @ptr(ptr %p) {
  ret ptr %p
}
define i64 @address(i64 %n) {
  ret i64 %n
}
define i64 @load(ptr %p) {
  %x = load i64, ptr %p
  ret i64 %x
}
define void @nothing() {
  ret void
}
define i32 @subtract(i32 %a, i32 %b) {
  %x = sub i32 %a, %b
  ret i32 %x
}
define i32 @first(i32 %n, ...) {
  ret i32 %n
}
define float @float() {
  ret float 1.0
}
define { i32, i32 } @pair() {
  ret { i32, i32 } zeroinitializer
}
define i128 @wide() {
  ret i128 1
}
define i32 @takes_float(float %x) {
  ret i32 1
}
define i32 @takes_wide(i128 %x) {
  ret i32 1
}
define fastcc i32 @fast(i32 %a, i32 %b) {
  ret i32 %b
}
declare i32 @declared()
"""


def run(name: str, *arguments: int | NamedAddress) -> int | None:
    """Runs one of `FUNCTIONS`."""
    return run_function(parse(FUNCTIONS), name, arguments)


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("i1", 0, 0),
        ("i1", 1, 1),
        ("i1", -1, 1),
        ("is_odd", 3, 1),
        ("is_odd", 4, 0),
        ("i8", 127, 127),
        ("i8", 128, -128),
        ("i8", 255, -1),
        ("i8", -1, -1),
        ("i24", -2, -2),
        ("i24", 1 << 23, -(1 << 23)),
        ("i32", 2**31 - 1, 2**31 - 1),
        ("i32", 2**31, -(2**31)),
        ("i64", 2**63 - 1, 2**63 - 1),
        ("i64", -(2**63), -(2**63)),
        ("i64", 2**64 - 1, -1),
        ("ptr", 0, 0),
        ("ptr", 2**64 - 8, 2**64 - 8),
        ("ptr", -8, 2**64 - 8),
    ],
)
def test_integers_and_pointers(name: str, given: int, result: int) -> None:
    """`i1` is 0 or 1, wider integers come back signed, pointers unsigned."""
    assert run(name, given) == result


def test_void() -> None:
    """A function without a result gives None."""
    assert run("nothing") is None


def test_arguments_come_in_order() -> None:
    """Each argument goes to its parameter, whatever the calling convention."""
    assert run("subtract", 50, 8) == 42
    assert run("fast", 1, 2) == 2


def test_addresses() -> None:
    """A named address is that of the global plus the offset, for pointers and for integers."""
    assert run("load", NamedAddress("a", 0)) == 10
    assert run("load", NamedAddress("a", 24)) == 40
    module = parse(
        FUNCTIONS + "define i1 @same(i64 %n) {\n  %p = inttoptr i64 %n to ptr\n"
        "  %x = icmp eq ptr %p, getelementptr (i8, ptr @a, i64 8)\n  ret i1 %x\n}\n"
    )
    assert run_function(module, "same", [NamedAddress("a", 8)]) == 1


def test_variadic_functions() -> None:
    """A variadic function may be given more arguments than it names."""
    assert run("first", 7) == 7
    assert run("first", 7, 8, 9) == 7


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("missing", [], "test.ll has no function @missing"),
        ("a", [], "test.ll has no function @a"),
        ("declared", [], "test.ll only declares @declared; it cannot be run"),
        ("i32", [], "@i32 takes 1 argument, 0 given"),
        ("i32", [1, 2], "@i32 takes 1 argument, 2 given"),
        ("nothing", [1], "@nothing takes 0 arguments, 1 given"),
        ("subtract", [1], "@subtract takes 2 arguments, 1 given"),
        ("first", [], "@first takes 1 argument or more, 0 given"),
        ("i8", [256], "256 does not fit the i8 that @i8 takes"),
        ("i8", [-129], "-129 does not fit the i8 that @i8 takes"),
        ("i1", [2], "2 does not fit the i1 that @i1 takes"),
        ("ptr", [2**64], f"{2**64} does not fit the ptr that @ptr takes"),
        ("takes_float", [1], "@takes_float takes float; integers and addresses can be given"),
        ("takes_wide", [1], "@takes_wide takes i128; integers of up to 64 bits can be given"),
        ("load", [NamedAddress("missing", 8)], "test.ll has no @missing"),
        (
            "float",
            [],
            "@float returns float; what can be shown is integers of up to 64 bits and pointers",
        ),
        (
            "pair",
            [],
            "@pair returns { i32, i32 }; what can be shown is integers of up to 64 bits and pointers",
        ),
        ("wide", [], "@wide returns i128; what can be shown is integers of up to 64 bits and pointers"),
    ],
)
def test_calls_that_do_not_fit(name: str, arguments: list[int | NamedAddress], message: str) -> None:
    """The error says which function, what it takes, and what was given."""
    with pytest.raises(CallError) as caught:
        run(name, *arguments)
    assert str(caught.value) == message
    assert isinstance(caught.value, TypemetaError)


CONSTRUCTORS = """
@order = global i32 0
@llvm.global_ctors = appending global [5 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @third, ptr null },
  { i32, ptr, ptr } { i32 100, ptr @first, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr null, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @second, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @fourth, ptr null }]
define internal void @append(i32 %digit) {
  %x = load i32, ptr @order
  %y = mul i32 %x, 10
  %z = add i32 %y, %digit
  store i32 %z, ptr @order
  ret void
}
define i32 @read() {
  %x = load i32, ptr @order
  ret i32 %x
}
""" + "".join(
    f"define internal void @{name}() {{\n  call void @append(i32 {digit})\n  ret void\n}}\n"
    for digit, name in enumerate(("first", "second", "third", "fourth"), 1)
)


def test_constructors_run_by_priority() -> None:
    """The lowest number first, equal ones in the order of the list, null ones not at all."""
    assert run_function(parse(CONSTRUCTORS), "read") == 1234


def test_constructors_that_lowering_adds_run_first() -> None:
    """Data that holds the address of a function that may be missing is filled in before all else."""
    text = (
        X86_64
        + """
@table = global [2 x ptr] [ptr @missing, ptr @f]
@seen = global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 1, ptr @call, ptr null }]
declare i1 @llvm.type.test(ptr, metadata)
declare !type !0 extern_weak i32 @missing()
define i32 @f() !type !0 {
  ret i32 7
}
define internal void @call() {
  %p = load ptr, ptr getelementptr (i8, ptr @table, i64 8)
  %there = call i1 @llvm.type.test(ptr %p, metadata !"F")
  br i1 %there, label %go, label %end
go:
  %x = call i32 %p()
  store i32 %x, ptr @seen
  br label %end
end:
  ret void
}
define i32 @read() {
  %x = load i32, ptr @seen
  ret i32 %x
}
!0 = !{i64 0, !"F"}
"""
    )
    module = parse(text)
    entry = add_entry_point(module, "read", [])
    add_constructor_calls(module, entry)
    assert "call void @call()" in instructions(module, entry.constructors)
    assert run_function(parse(text), "read") == 7


@pytest.mark.parametrize(
    "constructors",
    [
        "",
        "@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer\n",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] zeroinitializer\n",
    ],
)
def test_no_constructors(constructors: str) -> None:
    """Without constructors nothing runs before the function."""
    assert run_function(parse(FUNCTIONS + constructors), "i32", [5]) == 5


def test_the_entry_point() -> None:
    """It calls the constructors, then the function, and stores the result."""
    module = parse(FUNCTIONS)
    entry = add_entry_point(module, "subtract", [1, 2])
    assert entry == EntryPoint(INTEGER, 32)
    assert entry.size == 4
    assert instructions(module, "typemeta.entry") == [
        "call void @typemeta.constructors()",
        "%1 = call i32 @subtract(i32 1, i32 2)",
        "store i32 %1, ptr @typemeta.result, align 4",
        "ret void",
    ]
    assert definition(module, "typemeta.result") == "@typemeta.result = global i32 0"


def test_the_call_is_as_the_function_wants_it() -> None:
    """Calling convention and parameter attributes are the function's."""
    module = parse("define fastcc zeroext i8 @f(i8 signext %n) {\n  ret i8 %n\n}\n")
    add_entry_point(module, "f", [5])
    assert instructions(module, "typemeta.entry")[1] == "%1 = call fastcc zeroext i8 @f(i8 signext 5)"


@pytest.mark.parametrize(
    ("entry", "size"),
    [
        (EntryPoint(VOID, 0), 0),
        (EntryPoint(INTEGER, 1), 1),
        (EntryPoint(INTEGER, 8), 1),
        (EntryPoint(INTEGER, 9), 2),
        (EntryPoint(INTEGER, 64), 8),
        (EntryPoint(POINTER, 32), 4),
    ],
)
def test_sizes_of_results(entry: EntryPoint, size: int) -> None:
    """A result takes as many whole bytes as it needs."""
    assert entry.size == size


@pytest.mark.parametrize(
    ("entry", "memory", "result"),
    [
        (EntryPoint(VOID, 0), b"", None),
        (EntryPoint(INTEGER, 1), b"\x01", 1),
        (EntryPoint(INTEGER, 1), b"\xff", 1),
        (EntryPoint(INTEGER, 8), b"\xff", -1),
        (EntryPoint(INTEGER, 9), b"\xff\x00", 255),
        (EntryPoint(INTEGER, 9), b"\xff\xff", -1),
        (EntryPoint(INTEGER, 32), b"\x01\x02\x00\x00", 513),
        (EntryPoint(POINTER, 32), b"\xff\xff\xff\xff", 2**32 - 1),
        (EntryPoint(POINTER, 64), b"\xff" * 8, 2**64 - 1),
    ],
)
def test_results_are_decoded(entry: EntryPoint, memory: bytes, result: int | None) -> None:
    """Bits beyond the width do not count, integers are signed, pointers and `i1` are not."""
    assert entry.decode(memory) == result


def test_a_failed_call_leaves_the_module_usable() -> None:
    """After an error another function can be run."""
    module: Module = parse(FUNCTIONS)
    with pytest.raises(CallError):
        run_function(module, "i32", [])
    assert run_function(module, "i32", [3]) == 3
