"""What nothing defines gets a stub, and a stub that is called says so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ir import definition, parse
from typemeta.execute import run_function
from typemeta.execute.stubs import add_stubs

UNDEFINED = """
%opaque = type opaque
@number = external global i32
@table = external global [4 x ptr]
@per_thread = external thread_local global i64
@strange = external global %opaque
@weak_data = extern_weak global i32
@unused_data = external global i32
@defined = global i32 7
declare i32 @missing(i32)
declare void @"odd name"(...)
declare extern_weak void @weak()
declare void @unused()
declare i32 @abs(i32)
declare i8 @llvm.bitreverse.i8(i8)
define i32 @read() {
  %x = load i32, ptr @number
  ret i32 %x
}
define ptr @strange_address() {
  ret ptr @strange
}
define i64 @read_per_thread() {
  %x = load i64, ptr @per_thread
  ret i64 %x
}
define i8 @uses() {
  %p = load ptr, ptr @table
  %a = call i32 @missing(i32 1)
  call void (...) @"odd name"()
  %b = icmp ne ptr @weak, @weak_data
  %c = call i32 @abs(i32 1)
  %d = call i8 @llvm.bitreverse.i8(i8 1)
  ret i8 %d
}
"""


def test_what_is_missing_is_defined() -> None:
    """Used symbols that are nowhere get a definition; weak ones, unused ones and libc's do not."""
    module = parse(UNDEFINED)
    assert sorted(add_stubs(module)) == ["missing", "number", "odd name", "per_thread", "strange", "table"]
    module.verify()
    assert definition(module, "number") == "@number = global i32 0"
    assert definition(module, "table") == "@table = global [4 x ptr] zeroinitializer"
    assert definition(module, "per_thread") == "@per_thread = thread_local global i64 0"
    assert definition(module, "strange") == "@strange = global i8 0"
    for name in ("weak", "unused", "abs", "llvm.bitreverse.i8", "weak_data", "unused_data"):
        value = module.find(name)
        assert value is not None
        assert value.is_declaration
    assert add_stubs(module) == []


def test_undefined_data_is_zero() -> None:
    """A variable that nothing defines reads as zero, and an opaque one has an address."""
    assert run_function(parse(UNDEFINED), "read") == 0
    assert run_function(parse(UNDEFINED), "strange_address") != 0


PROGRAM = """
import sys
from typemeta.execute import run_function
from typemeta.llvm.module import Module

text = b'''
@text = constant [6 x i8] c"hello\\00"
declare i32 @puts(ptr)
declare i32 @"no such function"(i32, ...)
define i32 @f(i1 %call) {
  br i1 %call, label %yes, label %no
yes:
  %y = call i32 @puts(ptr @text)
  %x = call i32 (i32, ...) @"no such function"(i32 1, i64 2)
  ret i32 %x
no:
  ret i32 7
}
'''
print("before", flush=True)
print(run_function(Module.parse(text, "x.ll"), "f", [int(sys.argv[1])]))
print("after")
"""


@pytest.mark.parametrize("call", [False, True])
def test_a_stub_stops_the_process_with_its_name(call: bool) -> None:
    """A stub that is not called does nothing; one that is called says its name and ends with status 2.

    What the program printed before is not lost.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(int(call))], capture_output=True, text=True, check=False
    )
    if call:
        assert done.returncode == 2
        assert done.stderr == "typemeta: called @no such function, which nothing defines\n"
        assert done.stdout == "before\nhello\n"
    else:
        assert (done.returncode, done.stderr, done.stdout) == (0, "", "before\n7\nafter\n")
