"""Contexts own modules, number metadata kinds and collect diagnostics."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.ir import parse
from typemeta.errors import LLVMError, StaleHandleError
from typemeta.llvm.context import Context, Diagnostic
from typemeta.llvm.module import Module
from typemeta.llvm.passes import run_passes

TEXT = "define void @f() {\n  ret void\n}\n"


def test_closing_a_context_closes_its_modules() -> None:
    """Every module of a closed context raises, and so do their values."""
    context = Context()
    modules = [parse(TEXT, context=context) for _ in range(3)]
    value = modules[0].find("f")
    assert value is not None
    context.close()
    for module in modules:
        with pytest.raises(StaleHandleError, match=r"^module test\.ll is closed$"):
            module.print()
    with pytest.raises(StaleHandleError):
        assert value.name
    assert not context.is_open


def test_a_closed_context_is_refused() -> None:
    """Nothing can be done in a closed context, and closing it again does nothing."""
    context = Context()
    context.close()
    context.close()
    with pytest.raises(StaleHandleError, match=r"^this LLVM context is closed$"):
        assert context.ref
    with pytest.raises(StaleHandleError):
        context.metadata_kind("a kind that was not asked for before")
    with pytest.raises(StaleHandleError):
        Module.parse(TEXT.encode(), "x.ll", context=context)


def test_a_context_closes_with_its_block() -> None:
    """`with` closes it, also when an exception leaves the block."""
    contexts = [Context(), Context()]
    with contexts[0]:
        assert [context.is_open for context in contexts] == [True, True]
    with pytest.raises(ZeroDivisionError), contexts[1]:
        raise ZeroDivisionError
    assert [context.is_open for context in contexts] == [False, False]


def test_a_module_keeps_its_context() -> None:
    """A module whose context nobody else holds can still be used."""
    module = parse(TEXT)
    gc.collect()
    assert module.context.is_open
    assert "@f" in module.print()


def test_contexts_and_modules_are_freed() -> None:
    """Nothing keeps a context alive once it and its modules are dropped, its callback included."""
    module = parse(TEXT)
    context, seen = module.context, weakref.ref(module)
    watched = weakref.ref(context)
    del module, context
    gc.collect()
    assert seen() is None
    assert watched() is None


def test_metadata_kinds_have_numbers() -> None:
    """A kind has one number in a context, and two kinds have two."""
    context = Context()
    assert context.metadata_kind("type") == context.metadata_kind("type") == 19
    assert context.metadata_kind("mine") != context.metadata_kind("yours")


def test_diagnostics_are_collected_and_taken_once() -> None:
    """What LLVM reports is kept with its severity until it is taken."""
    with Context() as context:
        module = parse("define i32 @f() {\n  ret i32 1\n}\n", context=context)
        other = parse(
            '@f = global i32 0\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"x", i32 1}\n', context=context
        )
        clashing = parse('!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"x", i32 2}\n', context=context)
        other.link_in(clashing)
        taken = context.take_diagnostics()
        assert [d.severity for d in taken] == ["warning"]
        assert "'x'" in taken[0].text
        assert context.take_diagnostics() == []
        assert module.find("f") is not None


def test_a_diagnostic_is_a_severity_and_a_text() -> None:
    """Diagnostics compare by what they say."""
    assert Diagnostic("error", "x") == Diagnostic("error", "x") != Diagnostic("warning", "x")


def test_an_error_in_one_context_is_not_seen_in_another() -> None:
    """Each context has its own diagnostics."""
    first, second = parse(TEXT), parse(TEXT)
    with pytest.raises(LLVMError):
        run_passes(first, "no-such-pass")
    assert second.context.take_diagnostics() == []
