"""Attachments in bulk, and what their nodes hold."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ir import handle, parse
from typemeta.errors import LLVMError
from typemeta.llvm import metadata
from typemeta.llvm.metadata import (
    decode_identifier,
    decode_integers,
    decode_type_nodes,
    read_attachments,
)
from typemeta.llvm.module import Module

TEXT = """
@plain = global i32 0
@a = global i32 0, !type !0, !type !1, !type !0, !vcall_visibility !2, !mine !3
@b = external global i32, !type !1
@c = global i32 0, !vcall_visibility !2
@d = global i32 0, !mine !3
define void @f() !type !1 {
  ret void
}
declare !type !0 void @g()
!0 = !{i64 0, !"T"}
!1 = !{i64 8, !"U"}
!2 = !{i64 1}
!3 = !{}
"""


def kinds(module: Module, *names: str) -> list[int]:
    """Returns the numbers of metadata kinds."""
    return [module.context.metadata_kind(name) for name in names]


def type_nodes(text: str) -> tuple[Module, list[int]]:
    """Returns the nodes of all `!type` attachments."""
    module = parse(text)
    kind = kinds(module, "type")
    return module, read_attachments(module, kind).node.tolist()


def test_owners_are_functions_then_variables_in_module_order() -> None:
    """Only globals that carry a wanted kind are owners; declarations count."""
    module = parse(TEXT)
    found = read_attachments(module, kinds(module, "type", "vcall_visibility"))
    assert found.owners == [handle(module, name) for name in ("f", "g", "a", "b", "c")]


def test_columns_keep_source_order_and_duplicates() -> None:
    """Each attachment has its owner, its kind and its node; those of one kind stand in source order."""
    module = parse(TEXT)
    type_kind, vcall = kinds(module, "type", "vcall_visibility")
    found = read_attachments(module, [type_kind, vcall])
    assert found.owner.tolist() == [0, 1, 2, 2, 2, 2, 3, 4]
    assert found.kinds.tolist() == [type_kind] * 5 + [vcall, type_kind, vcall]
    nodes = found.node.tolist()
    assert nodes[2] == nodes[4] == nodes[1] != nodes[3]
    assert nodes[3] == nodes[0] == nodes[6]
    assert nodes[5] == nodes[7]


def test_one_kind_of_several() -> None:
    """`of_kind` selects rows, and their owners stay numbered alike."""
    module = parse(TEXT)
    type_kind, vcall = kinds(module, "type", "vcall_visibility")
    owner, node = read_attachments(module, [type_kind, vcall]).of_kind(vcall)
    assert owner.tolist() == [2, 4]
    assert len(set(node.tolist())) == 1


def test_kinds_that_are_not_asked_for() -> None:
    """A global that carries other kinds only is no owner."""
    module = parse(TEXT)
    assert read_attachments(module, kinds(module, "mine")).owners == [handle(module, n) for n in ("a", "d")]


@pytest.mark.parametrize("text", ["", "@a = global i32 0\n", "@a = global i32 0, !mine !0\n!0 = !{}\n"])
def test_no_attachments(text: str) -> None:
    """A module without attachments of the kind gives empty columns."""
    module = parse(text)
    found = read_attachments(module, kinds(module, "type"))
    assert (found.owners, found.owner.tolist(), found.node.tolist(), found.kinds.tolist()) == ([], [], [], [])


def test_another_layout_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the array did not look as expected, that would be an error and not wrong data."""
    swapped = np.dtype([("node", "<u8"), ("kind", "<u4"), ("padding", "<u4")])
    monkeypatch.setattr(metadata, "ENTRY", swapped)
    module = parse(TEXT)
    with pytest.raises(LLVMError, match="lays out metadata attachments in a way that typemeta does not know"):
        read_attachments(module, kinds(module, "type"))


def test_named_identifiers() -> None:
    """Offset and identifier come from the node, one identifier has one handle, its name is its text."""
    module, nodes = type_nodes(
        "@a = global i32 0, !type !0, !type !1, !type !2\n"
        '!0 = !{i64 0, !"T"}\n!1 = !{i32 4, !"T"}\n!2 = !{i64 -8, !"caf\\C3\\A9"}\n'
    )
    decoded = decode_type_nodes(module, nodes)
    assert decoded.offsets == [0, 4, 2**64 - 8]
    assert decoded.identifiers[0] == decoded.identifiers[1] != decoded.identifiers[2]
    assert decoded.faults == {}
    names = [decode_identifier(module, identifier) for identifier in decoded.identifiers]
    assert names == ["T", "T", "café"]


def test_names_of_any_bytes() -> None:
    """Bytes that are no UTF-8 are shown escaped; an empty name is a name."""
    module, nodes = type_nodes(
        '@a = global i32 0, !type !0, !type !1\n!0 = !{i64 0, !"\\FF"}\n!1 = !{i64 0, !""}\n'
    )
    identifiers = decode_type_nodes(module, nodes).identifiers
    assert [decode_identifier(module, identifier) for identifier in identifiers] == ["\\xff", ""]


def test_nodes_are_identifiers_without_a_name() -> None:
    """A distinct node stands for itself."""
    module, nodes = type_nodes(
        "@a = global i32 0, !type !0, !type !1, !type !2\n"
        "!0 = !{i64 0, !3}\n!1 = !{i64 8, !4}\n!2 = !{i64 16, !3}\n!3 = distinct !{}\n!4 = distinct !{}\n"
    )
    decoded = decode_type_nodes(module, nodes)
    assert decoded.offsets == [0, 8, 16]
    assert decoded.identifiers[0] == decoded.identifiers[2] != decoded.identifiers[1]
    assert [decode_identifier(module, identifier) for identifier in decoded.identifiers] == [None] * 3


def test_constants_are_identifiers() -> None:
    """A constant in the place of a name is an identifier of its own, alike for alike constants."""
    module, nodes = type_nodes(
        "@a = global i32 0, !type !0, !type !1, !type !2\n"
        "!0 = !{i64 0, i64 5}\n!1 = !{i64 8, i64 5}\n!2 = !{i64 0, i32 5}\n"
    )
    decoded = decode_type_nodes(module, nodes)
    assert decoded.faults == {}
    assert decoded.identifiers[0] == decoded.identifiers[1] != decoded.identifiers[2]
    assert decode_identifier(module, decoded.identifiers[0]) is None


def test_a_node_of_one_constant_is_no_constant() -> None:
    """LLVM's API shows such a node as the constant; the two identifiers are kept apart."""
    module, nodes = type_nodes(
        "@a = global i32 0, !type !0, !type !1\n!0 = !{i64 0, !2}\n!1 = !{i64 0, i64 5}\n!2 = !{i64 5}\n"
    )
    folded, plain = decode_type_nodes(module, nodes).identifiers
    assert folded != plain
    assert decode_identifier(module, folded) is None


@pytest.mark.parametrize(
    ("node", "fault"),
    [
        ("!{}", "a !type node must have 2 operands (offset, type identifier), this one has 0"),
        ("!{i64 0}", "a !type node must have 2 operands (offset, type identifier), this one has 1"),
        (
            '!{i64 0, !"T", i64 1}',
            "a !type node must have 2 operands (offset, type identifier), this one has 3",
        ),
        ('!{!"T", !"T"}', "the offset of a !type node must be a constant"),
        ('!{!9, !"T"}', "the offset of a !type node must be a constant"),
        ('!{null, !"T"}', "the offset of a !type node must be a constant"),
        ('!{ptr @a, !"T"}', "the offset of a !type node must be an integer constant"),
        ('!{float 0.0, !"T"}', "the offset of a !type node must be an integer constant"),
        ('!{i64 undef, !"T"}', "the offset of a !type node must be an integer constant"),
        ("!{i64 0, null}", "the type identifier of a !type node must not be null"),
    ],
)
def test_malformed_nodes(node: str, fault: str) -> None:
    """Every way to be malformed has its sentence, and the nodes beside are decoded all the same."""
    module, nodes = type_nodes(
        f'@a = global i32 0, !type !0, !type !1, !type !2\n!0 = !{{i64 4, !"T"}}\n!1 = {node}\n'
        '!2 = !{i64 8, !"T"}\n!9 = distinct !{}\n'
    )
    decoded = decode_type_nodes(module, nodes)
    assert decoded.faults == {1: fault}
    assert (decoded.offsets[0], decoded.offsets[2]) == (4, 8)
    assert decoded.identifiers[0] == decoded.identifiers[2]


@pytest.mark.parametrize(
    ("node", "values"),
    [
        ("!{}", []),
        ("!{i64 1}", [1]),
        ('!{i64 0, !"x", i64 2}', [0, None, 2]),
        ("!{null, ptr @a, i8 -1}", [None, None, 255]),
    ],
)
def test_integers_of_a_node(node: str, values: list[int | None]) -> None:
    """Integer operands have their value, all others None, and no operand count is too small or large."""
    module = parse(f"@a = global i32 0, !mine !0\n!0 = {node}\n")
    (handle_of_node,) = read_attachments(module, kinds(module, "mine")).node.tolist()
    assert decode_integers(module, handle_of_node) == values
