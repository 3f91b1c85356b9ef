"""Removing bodies, and naming parameters."""

from __future__ import annotations

import pytest

from tests.ir import handle, parse
from typemeta.llvm.bodies import delete_body, name_parameters
from typemeta.llvm.edit import edit

LOOP = """
@block = global ptr blockaddress(@f, %b)
define internal i64 @f(i64 %n) nounwind personality ptr @p !mine !0 {
a:
  br label %b
b:
  %x = phi i64 [ %n, %a ], [ %y, %b ]
  %y = add i64 %x, 1
  %c = icmp eq i64 %y, 0
  br i1 %c, label %b, label %d
d:
  ret i64 %x
}
declare i32 @p(...)
!0 = !{}
"""


def test_a_body_goes_with_all_that_belongs_to_it() -> None:
    """Blocks, attachments and personality go; attributes stay; nobody else can define it by chance."""
    module = parse(LOOP)
    with edit(module) as editor:
        delete_body(editor, handle(module, "f"))
    module.verify()
    text = module.print()
    assert "declare dso_local i64 @f(i64) #0\n" in text
    assert "attributes #0 = { nounwind }" in text
    assert "@block = global ptr inttoptr (i32 1 to ptr)" in text


def test_a_declaration_stays_one() -> None:
    """There is nothing to remove."""
    module = parse("declare extern_weak void @f()")
    with edit(module) as editor:
        delete_body(editor, handle(module, "f"))
    assert "declare void @f()" in module.print()


@pytest.mark.parametrize("names", [(), ("first",), ("first", "second")])
def test_parameters_are_named_from_the_front(names: tuple[str, ...]) -> None:
    """Parameters behind the named ones keep what they have."""
    module = parse("define void @f(i32 %a, ptr %b) {\n  ret void\n}")
    with edit(module) as editor:
        parameters = name_parameters(editor, handle(module, "f"), *names)
    assert len(set(parameters)) == len(names)
    first, second = (*names, *("a", "b")[len(names) :])
    assert f"define void @f(i32 %{first}, ptr %{second})" in module.print()
