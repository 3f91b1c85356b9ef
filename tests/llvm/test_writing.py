"""The kinds of output files."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, parse
from typemeta.errors import LLVMError
from typemeta.llvm.module import Module
from typemeta.llvm.writing import OutputKind, write_module

TEXT = X86_64 + '@"caf\\E9" = global i8 1\ndefine void @f() {\n  ret void\n}\n'
TESTED = (
    X86_64 + TYPE_TEST + "define i1 @f(ptr %p) {\n"
    '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  ret i1 %x\n}\n'
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.ll", OutputKind.TEXT),
        ("a.bc", OutputKind.BITCODE),
        ("/x.o/a.s", OutputKind.ASSEMBLY),
        ("a.tar.o", OutputKind.OBJECT),
        ("-", OutputKind.TEXT),
    ],
)
def test_the_suffix_says_the_kind(path: str, kind: OutputKind) -> None:
    """The last suffix counts, and standard output is text."""
    assert OutputKind.of_path(path) is kind


@pytest.mark.parametrize("path", ["a", "a.txt", "", ".ll", "a.LL", "ll"])
def test_other_suffixes(path: str) -> None:
    """A path that names no kind is refused."""
    with pytest.raises(ValueError, match="OutputKind"):
        OutputKind.of_path(path)


def test_machine_code() -> None:
    """Assembly and objects are machine code."""
    assert {kind for kind in OutputKind if kind.is_machine_code} == {OutputKind.ASSEMBLY, OutputKind.OBJECT}


def test_text_and_bitcode_hold_the_module() -> None:
    """Both read back as the same module."""
    module = parse(TEXT)
    for kind in (OutputKind.TEXT, OutputKind.BITCODE):
        written = write_module(module, kind)
        assert written.startswith(b"BC") is (kind is OutputKind.BITCODE)
        assert Module.parse(written, "test.ll").print() == module.print()


def test_machine_code_has_the_symbol() -> None:
    """Assembly is text, an object is ELF."""
    module = parse(TEXT)
    assert b"\nf:" in write_module(module, OutputKind.ASSEMBLY)
    assert write_module(module, OutputKind.OBJECT).startswith(b"\x7fELF")


@pytest.mark.parametrize("kind", OutputKind)
def test_live_type_tests(kind: OutputKind) -> None:
    """A type test can be written as IR only."""
    module = parse(TESTED)
    if kind.is_machine_code:
        with pytest.raises(LLVMError, match=r"1 x llvm\.type\.test would silently become true"):
            write_module(module, kind)
    else:
        assert write_module(module, kind)
