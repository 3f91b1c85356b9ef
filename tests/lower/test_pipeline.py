"""Reading, planning and applying in one go."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, lower, parse
from typemeta.errors import MetadataError
from typemeta.lower.pipeline import lower_module

TEXT = (
    X86_64
    + TYPE_TEST
    + """
@a = constant i64 0, !type !0
define i1 @test(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  ret i1 %x
}
!0 = !{i64 0, !"T"}
"""
)


def test_it_is_the_three_steps() -> None:
    """The module and the plan are those of reading, planning and applying by hand."""
    module = parse(TEXT)
    plan = lower_module(module)
    by_hand = lower(TEXT)
    assert plan == by_hand.plan
    assert module.print() == by_hand.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('!0 = !{i64 0, !"T"}', "!0 = !{i64 0}"),
        ("constant i64 0, !type", 'constant i64 0, section ".x", !type'),
        ("@a = constant", "@a = thread_local constant"),
    ],
)
def test_a_module_that_cannot_be_lowered_stays_as_it_is(old: str, new: str) -> None:
    """Malformed metadata and forbidden layouts are found before anything is changed."""
    module = parse(TEXT.replace(old, new))
    before = module.print()
    with pytest.raises(MetadataError, match=r"^@a: "):
        lower_module(module)
    assert module.print() == before


def test_an_unknown_layout() -> None:
    """The layout is checked before anything is changed."""
    module = parse(TEXT)
    before = module.print()
    with pytest.raises(ValueError, match="unknown layout"):
        lower_module(module, layout="none")
    assert module.print() == before
