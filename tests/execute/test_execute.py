"""A module is lowered, completed and run."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, parse
from typemeta.errors import LLVMError, MetadataError, StaleHandleError
from typemeta.execute import prepare_function, run_function
from typemeta.query import NamedAddress

TEXT = (
    TYPE_TEST
    + """
@a = global [2 x i64] zeroinitializer, !type !0
@b = global [2 x i64] zeroinitializer, !type !1
@other = global i64 0
define i1 @test(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  ret i1 %x
}
define i32 @count() {
  %x = load i64, ptr @other
  %y = add i64 %x, 1
  store i64 %y, ptr @other
  %z = trunc i64 %y to i32
  ret i32 %z
}
!0 = !{i64 0, !"T"}
!1 = !{i64 8, !"T"}
"""
)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (NamedAddress("a", 0), 1),
        (NamedAddress("a", 8), 0),
        (NamedAddress("b", 8), 1),
        (NamedAddress("b", 0), 0),
        (NamedAddress("b", 7), 0),
        (NamedAddress("other", 0), 0),
    ],
)
def test_a_lowered_test_answers(address: NamedAddress, expected: int) -> None:
    """A test that runs says whether the address is in the set."""
    assert run_function(parse(TEXT), "test", [address]) == expected


def test_a_module_can_be_run_again() -> None:
    """Each run starts afresh, and runs the function it was asked for."""
    module = parse(TEXT)
    assert run_function(module, "count") == 1
    assert run_function(module, "count") == 1
    assert run_function(module, "test", [NamedAddress("b", 8)]) == 1
    assert run_function(module, "test", [NamedAddress("b", 0)]) == 0


def test_preparing_makes_a_complete_module() -> None:
    """The module has a target, no tests, an entry point, and passes the verifier."""
    module = parse(TEXT)
    prepared = prepare_function(module, "test", [NamedAddress("a", 0)])
    assert prepared.module is module
    assert module.triple
    assert "llvm.type.test" not in module.print()
    module.verify()
    assert prepared.compile()() == 1


def test_a_compiled_function_runs_once() -> None:
    """The code is freed after its run; running it again is refused instead of jumping there."""
    run = prepare_function(parse(TEXT), "count", []).compile()
    assert run() == 1
    with pytest.raises(StaleHandleError, match="this JIT is closed"):
        run()


def test_a_prepared_function_can_be_compiled_again() -> None:
    """Each compilation is a program of its own."""
    prepared = prepare_function(parse(TEXT), "count", [])
    assert [prepared.compile()(), prepared.compile()()] == [1, 1]


def test_a_module_for_another_machine() -> None:
    """Code for a machine that this is not cannot be run."""
    module = parse('target triple = "nonsense-unknown-linux"\ndefine i32 @f() {\n  ret i32 1\n}\n')
    with pytest.raises(LLVMError, match="cannot target 'nonsense-unknown-linux'"):
        run_function(module, "f")


def test_malformed_metadata() -> None:
    """A module that cannot be lowered cannot be run."""
    with pytest.raises(MetadataError, match=r"^@a: "):
        run_function(parse(TEXT.replace('!{i64 0, !"T"}', "!{i64 0}")), "count")


def test_a_checked_load_is_refused() -> None:
    """What is not lowered yet would silently become true, so it does not run."""
    text = X86_64 + (
        "declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)\ndefine i1 @f() {\n"
        '  %x = call { ptr, i1 } @llvm.type.checked.load(ptr null, i32 0, metadata !"T")\n'
        "  %y = extractvalue { ptr, i1 } %x, 1\n  ret i1 %y\n}\n"
    )
    with pytest.raises(LLVMError, match=r"1 x llvm\.type\.checked\.load would silently become true"):
        run_function(parse(text), "f")
