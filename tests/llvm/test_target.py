"""Machine code, and what a module without a target gets."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, parse
from typemeta.errors import LLVMError
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.llvm.target import (
    ASSEMBLY,
    OBJECT,
    adopt_host_target,
    generate_code,
    host_triple,
    live_type_intrinsics,
)

FUNCTION = "define i32 @answer() {\n  ret i32 42\n}\n"
INTRINSICS = """
declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
declare { ptr, i1 } @llvm.type.checked.load.relative(ptr, i32, metadata)
"""


def test_a_module_without_a_target_gets_the_hosts() -> None:
    """Triple and data layout are set, and that is said and counts as a change."""
    module = parse(FUNCTION)
    assert adopt_host_target(module)
    assert module.triple == host_triple(load())
    assert module.data_layout.startswith("e-")
    assert module.epoch == 1
    module.verify()


def test_a_module_with_a_target_keeps_it() -> None:
    """A triple is left alone, whatever it is."""
    module = parse(f'target triple = "nonsense"\n{FUNCTION}')
    assert not adopt_host_target(module)
    assert (module.triple, module.data_layout, module.epoch) == ("nonsense", "", 0)


def test_live_intrinsics_are_counted() -> None:
    """Each of the four intrinsics is counted by its calls; a declaration alone is none."""
    assert live_type_intrinsics(parse(INTRINSICS)) == {}
    module = parse(
        INTRINSICS + "define void @f(ptr %p) {\n"
        '  %a = call i1 @llvm.type.test(ptr %p, metadata !"T")\n'
        '  %b = call i1 @llvm.type.test(ptr %p, metadata !"T")\n'
        '  %c = call i1 @llvm.public.type.test(ptr %p, metadata !"T")\n'
        '  %d = call { ptr, i1 } @llvm.type.checked.load(ptr %p, i32 0, metadata !"T")\n'
        '  %e = call { ptr, i1 } @llvm.type.checked.load.relative(ptr %p, i32 0, metadata !"T")\n'
        "  ret void\n}\n"
    )
    assert live_type_intrinsics(module) == {
        "llvm.type.test": 2,
        "llvm.public.type.test": 1,
        "llvm.type.checked.load": 1,
        "llvm.type.checked.load.relative": 1,
    }


def test_assembly_and_object() -> None:
    """Assembly has the symbol in text, an object is ELF; the module stays as it is."""
    module = parse(X86_64 + FUNCTION)
    before = module.print()
    assert b"answer:" in generate_code(module, ASSEMBLY)
    assert generate_code(module, OBJECT).startswith(b"\x7fELF")
    assert module.print() == before
    assert module.epoch == 0


def test_code_is_position_independent() -> None:
    """Another module's variable is reached through the global offset table."""
    module = parse(f"{X86_64}@v = external global i32\ndefine ptr @f() {{\n  ret ptr @v\n}}\n")
    assert b"v@GOTPCREL" in generate_code(module, ASSEMBLY)


def test_a_module_without_a_triple_is_for_the_host() -> None:
    """Code is generated for the host, and the module still names no target."""
    module = parse(FUNCTION)
    assert b"answer" in generate_code(module, ASSEMBLY)
    assert module.triple == ""


@pytest.mark.parametrize("file_type", [ASSEMBLY, OBJECT])
def test_a_live_type_test_is_refused(file_type: int) -> None:
    """Machine code with a type test in it would let everything pass."""
    module = parse(
        X86_64 + TYPE_TEST + "define i1 @f(ptr %p) {\n"
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  ret i1 %x\n}\n'
    )
    with pytest.raises(LLVMError) as caught:
        generate_code(module, file_type)
    assert str(caught.value) == (
        "test.ll: 1 x llvm.type.test would silently become true in machine code; "
        "lower them first, or write .ll or .bc"
    )


def test_an_unknown_target() -> None:
    """The error names the LLVM, the triple, and how to name another LLVM."""
    module = parse(f'target triple = "nonsense-unknown-linux"\n{FUNCTION}')
    with pytest.raises(LLVMError) as caught:
        generate_code(module, ASSEMBLY)
    library = load()
    which = f"LLVM {library.version_text} ({library.found.path})"
    assert str(caught.value).startswith(f"test.ll: {which} cannot target 'nonsense-unknown-linux': ")
    assert str(caught.value).endswith("name an LLVM that can with --llvm or TYPEMETA_LIBLLVM")


def test_bad_inline_assembly() -> None:
    """LLVM would leave the instruction out and go on; here it is an error, on one line."""
    module = parse(
        f'{X86_64}define void @f() {{\n  call void asm sideeffect "frobnicate", ""()\n  ret void\n}}\n'
    )
    with pytest.raises(LLVMError, match=r"cannot generate code: .*invalid instruction mnemonic") as caught:
        generate_code(module, OBJECT)
    assert "\n" not in str(caught.value)
    assert module.context.take_diagnostics() == []


def test_an_earlier_diagnostic_is_no_error_of_this_code() -> None:
    """What LLVM reported before does not make code generation fail."""
    module = parse(X86_64 + FUNCTION)
    broken = f'{X86_64}define void @f() {{\n  call void asm sideeffect "frobnicate", ""()\n  ret void\n}}\n'
    with pytest.raises(LLVMError):
        generate_code(Module.parse(broken.encode(), "x.ll", context=module.context), OBJECT)
    assert generate_code(module, OBJECT).startswith(b"\x7fELF")
