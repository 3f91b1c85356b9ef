"""Compiled modules in memory."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from tests.ir import parse
from typemeta.errors import LLVMError, StaleHandleError
from typemeta.llvm.jit import Jit, call_void, is_in_process, read_memory
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.llvm.target import adopt_host_target

COUNTER = """
@count = global i32 40
define void @increase() {
  %x = load i32, ptr @count
  %y = add i32 %x, 1
  store i32 %y, ptr @count
  ret void
}
"""
CALLER = """
declare void @increase()
define void @twice() {
  call void @increase()
  call void @increase()
  ret void
}
"""


def native(text: str, name: str = "test.ll") -> Module:
    """Parses a module for this machine."""
    module = parse(text, name)
    adopt_host_target(module)
    return module


def test_code_runs() -> None:
    """A function is called at its address, and memory shows what it did."""
    with Jit(load()) as jit:
        jit.add(native(COUNTER))
        call_void(jit.address("increase"))
        assert read_memory(jit.address("count"), 4) == (41).to_bytes(4, "little")
        call_void(jit.address("increase"))
        assert read_memory(jit.address("count"), 4) == (42).to_bytes(4, "little")


def test_modules_see_each_other() -> None:
    """Code of one module calls that of another, in whichever order they come."""
    with Jit(load()) as jit:
        jit.add(native(CALLER))
        jit.add(native(COUNTER))
        call_void(jit.address("twice"))
        assert read_memory(jit.address("count"), 1) == b"\x2a"


def test_two_jits_are_apart() -> None:
    """Each JIT has its own copy of code and data."""
    with Jit(load()) as one, Jit(load()) as two:
        for jit in (one, two):
            jit.add(native(COUNTER))
        call_void(one.address("increase"))
        assert read_memory(one.address("count"), 1) == b"\x29"
        assert read_memory(two.address("count"), 1) == b"\x28"


def test_code_calls_into_this_process() -> None:
    """Symbols that no module defines are looked for in the process."""
    with Jit(load()) as jit:
        jit.add(
            native(
                "declare i32 @abs(i32)\n@x = global i32 0\ndefine void @f() {\n  %x = call i32 @abs(i32 -9)\n"
                "  store i32 %x, ptr @x\n  ret void\n}\n"
            )
        )
        call_void(jit.address("f"))
        assert read_memory(jit.address("x"), 4) == b"\x09\0\0\0"


def test_a_module_stays_as_it_is() -> None:
    """Compiling does not change the module, and it can go while its code runs."""
    module = native(COUNTER)
    before = module.print()
    with Jit(load()) as jit:
        jit.add(module)
        assert module.print() == before
        module.context.close()
        call_void(jit.address("increase"))
        assert read_memory(jit.address("count"), 1) == b"\x29"


def test_a_symbol_that_is_nowhere() -> None:
    """Asking for it is an error that names it."""
    with Jit(load()) as jit:
        jit.add(native(COUNTER))
        with pytest.raises(LLVMError, match=r"^cannot run no_such_symbol: .*no_such_symbol"):
            jit.address("no_such_symbol")


def test_a_symbol_that_needs_one_that_is_nowhere() -> None:
    """Linking what needs a missing symbol is an error that names the missing one."""
    with Jit(load()) as jit:
        jit.add(native(CALLER.replace("increase", "no_such_symbol")))
        with pytest.raises(LLVMError, match=r"^cannot run twice: "):
            jit.address("twice")


def test_a_symbol_twice() -> None:
    """A second definition of a symbol is refused with the module's name."""
    with Jit(load()) as jit:
        jit.add(native(COUNTER))
        with pytest.raises(LLVMError, match=r"^cannot load the code of second\.ll: .*(count|increase)"):
            jit.add(native(COUNTER, "second.ll"))


def test_a_closed_jit_is_refused() -> None:
    """Nothing can be done with a closed JIT, opening its block included; closing twice does nothing."""
    jit = Jit(load())
    jit.add(native(COUNTER))
    jit.close()
    jit.close()
    with pytest.raises(StaleHandleError, match=r"^this JIT is closed$"):
        jit.address("increase")
    with pytest.raises(StaleHandleError):
        jit.add(native(COUNTER))
    with pytest.raises(StaleHandleError), jit:
        raise AssertionError("the block must not open")


def test_a_jit_closes_with_its_block() -> None:
    """`with` frees the code, also when an exception leaves the block."""
    jits = [Jit(load()), Jit(load())]
    with jits[0]:
        assert jits[0].ref
    with pytest.raises(ZeroDivisionError), jits[1]:
        raise ZeroDivisionError
    for jit in jits:
        with pytest.raises(StaleHandleError):
            jit.address("anything")


PRINTING = """
import os
from typemeta.llvm.jit import Jit, call_void
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.llvm.target import adopt_host_target

text = b'''
@text = constant [6 x i8] c"hello\\00"
declare i32 @puts(ptr)
define void @f() {
  %x = call i32 @puts(ptr @text)
  ret void
}
'''
module = Module.parse(text, "x.ll")
adopt_host_target(module)
with Jit(load()) as jit:
    jit.add(module)
    call_void(jit.address("f"))
os._exit(0)
"""


def test_what_code_prints_comes_out() -> None:
    """The C library's buffer is written when the call returns, not when the process ends."""
    done = subprocess.run([sys.executable, "-c", PRINTING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "hello\n")


def test_memory_of_this_process() -> None:
    """Bytes are read where they are, zeros included."""
    buffer = ctypes.create_string_buffer(b"a\0b", 3)
    assert read_memory(ctypes.addressof(buffer), 3) == b"a\0b"
    assert read_memory(ctypes.addressof(buffer), 0) == b""


def test_symbols_of_this_process() -> None:
    """Functions of libc are there, anything else is not."""
    assert is_in_process("abs")
    assert not is_in_process("no_such_symbol_anywhere")
