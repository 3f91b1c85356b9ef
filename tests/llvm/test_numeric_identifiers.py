"""Numbers in the place of names."""

from __future__ import annotations

import pytest

from tests.ir import parse
from typemeta.errors import MetadataError
from typemeta.llvm.numeric_identifiers import read_numeric_identifiers

TEXT = """
@v = constant i8 0, !type !0, !type !1, !type !2
@w = external constant i8, !type !3, !type !1
define void @f() !type !4 !type !5 {
  ret void
}
!cfi.functions = !{!6}
!0 = !{i64 0, !"name"}
!1 = !{i64 0, i64 -1}
!2 = !{i64 8, i64 2}
!3 = !{i64 8, i64 3}
!4 = !{i64 0, i64 4}
!5 = !{i64 0, i64 2}
!6 = !{!"g", i8 0, !0, !3, !7}
!7 = !{i64 0, i64 7}
"""


def test_order_and_sign() -> None:
    """Functions first, then variables, then functions of other modules; each number once, unsigned."""
    assert read_numeric_identifiers(parse(TEXT)) == [4, 2, 2**64 - 1, 3, 7]


@pytest.mark.parametrize("identifier", ["i32 1", "i128 1", "!{i64 1}", "!9", "double 1.0", "ptr @v", '!"1"'])
def test_other_identifiers(identifier: str) -> None:
    """Only a plain 64-bit integer is a number."""
    text = f"@v = constant i8 0, !type !0\n!0 = !{{i64 0, {identifier}}}\n!9 = distinct !{{}}\n"
    assert read_numeric_identifiers(parse(text)) == []


def test_no_metadata() -> None:
    """An empty module has none."""
    assert read_numeric_identifiers(parse("")) == []


@pytest.mark.parametrize("node", ["!{i64 0}", '!{!"x", i64 1}', "!{i64 0, null}"])
def test_malformed_attachments(node: str) -> None:
    """A malformed node is reported with its global."""
    with pytest.raises(MetadataError, match=r"^@v: .* !type node"):
        read_numeric_identifiers(parse(f"@v = constant i8 0, !type !0\n!0 = {node}\n"))


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ('!{!"f", i8 0, !"T"}', "must be !type nodes"),
        ('!{!"f", i8 0, i64 7, i64 8}', "must be !type nodes"),
        ('!{!"f", i8 0, !{i64 1}}', "must be !type nodes|must have 2 operands"),
        ('!{!"f", i8 0, !{i64 1, i64 2, i64 3}}', "must have 2 operands"),
    ],
)
def test_malformed_functions(operands: str, message: str) -> None:
    """What LLVM's pass would crash on is reported."""
    module = parse(f"!cfi.functions = !{{!0}}\n!0 = {operands}\n")
    with pytest.raises(MetadataError, match=rf"^!cfi.functions: .*({message})"):
        read_numeric_identifiers(module)
