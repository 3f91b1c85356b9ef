"""Constructors and destructors end up where ELF linkers look."""

from __future__ import annotations

import re

import pytest

from typemeta.llvm.init_arrays import use_init_arrays
from typemeta.llvm.module import Module
from typemeta.llvm.target import ASSEMBLY, generate_code

TEXT = """
target triple = "x86_64-unknown-linux-gnu"
$key = comdat any
@key = linkonce_odr global i32 0, comdat
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @plain, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @early, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @keyed, ptr @key }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @last, ptr null }]
define internal void @plain() { ret void }
define internal void @early() { ret void }
define internal void @keyed() { ret void }
define internal void @last() { ret void }
"""


def sections_of(assembly: str) -> dict[str, str]:
    """Returns for each function the section in which a pointer to it stands."""
    found: dict[str, str] = {}
    section = ""
    for line in assembly.splitlines():
        if match := re.match(r"\s*\.section\s+(.*)", line):
            section = match[1]
        if match := re.match(r"\s*\.quad\s+(\w+)", line):
            found[match[1]] = section
    return found


def test_each_list_goes_to_its_section() -> None:
    """Constructors go to .init_array, by priority and comdat, destructors to .fini_array, none to .ctors."""
    sections = sections_of(generate_code(Module.parse(TEXT.encode(), "x.ll"), ASSEMBLY).decode())
    assert {name: text.split(",")[0] for name, text in sections.items()} == {
        "plain": ".init_array",
        "early": ".init_array.00200",
        "keyed": ".init_array",
        "last": ".fini_array",
    }
    assert ",key,comdat" in sections["keyed"]
    assert "comdat" not in sections["plain"]


def test_the_module_itself_keeps_its_lists() -> None:
    """Code generation works on a copy: the module still has its constructors afterwards."""
    module = Module.parse(TEXT.encode(), "x.ll")
    before = module.print()
    generate_code(module, ASSEMBLY)
    assert module.print() == before


@pytest.mark.parametrize("triple", ["x86_64-apple-macosx", "x86_64-pc-windows-msvc"])
def test_other_formats_are_left_alone(triple: str) -> None:
    """Only ELF has .init_array."""
    module = Module.parse(TEXT.replace("x86_64-unknown-linux-gnu", triple).encode(), "x.ll")
    before = module.print()
    use_init_arrays(module)
    assert module.print() == before


def test_a_module_without_constructors_stays_as_it_is() -> None:
    """Nothing is added where there is nothing to move."""
    module = Module.parse(b'target triple = "x86_64-unknown-linux-gnu"\n', "x.ll")
    before = module.print()
    use_init_arrays(module)
    assert module.print() == before
