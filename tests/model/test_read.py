"""Every column of a model, read from modules written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ir import I386, TYPE_TEST, X86_64, parse
from typemeta.errors import MetadataError, PlanError
from typemeta.llvm.edit import edit
from typemeta.model import (
    Address,
    GlobalIndex,
    GlobalKind,
    GlobalRecord,
    SiteKind,
    TypeModel,
    VCallVisibility,
)
from typemeta.model.read import read_type_model

MODULE = (
    X86_64
    + """
$group = comdat any
@plain = global i32 0
@b = constant [4 x i64] zeroinitializer, align 32, !type !0, !type !1, !type !0
@a = internal global i32 0, section ".mine", !type !1
@local = thread_local global i16 0, !type !1
@out = external hidden constant { ptr, i8 }, !type !0
@vt = linkonce_odr protected constant [3 x ptr] zeroinitializer, comdat($group), !vcall_visibility !2
@far = external addrspace(1) global i8, !type !0
@taken = global ptr @f
define void @f() align 16 !type !3 {
  ret void
}
declare !type !3 extern_weak void @w()
define internal void @called() !type !3 {
  call void @w()
  ret void
}
define available_externally void @av() !type !3 {
  call void @called()
  ret void
}
!0 = !{i64 0, !"T"}
!1 = !{i64 8, !"U"}
!2 = !{i64 1}
!3 = !{i64 0, !"F"}
"""
)


def read(text: str) -> TypeModel:
    """Returns the model of a text."""
    return read_type_model(parse(text))[0]


def members(model: TypeModel) -> list[tuple[str, str, int]]:
    """Returns the memberships as (type, global, offset)."""
    rows = zip(model.member_type, model.member_global, model.member_offset, strict=True)
    return [
        (model.types[type_].id, model.globals[global_].name, int(offset)) for type_, global_, offset in rows
    ]


def test_memberships_stand_in_llvms_order() -> None:
    """Functions come first, then variables, each in module order; duplicates and source order are kept."""
    assert members(read(MODULE)) == [
        ("F", "f", 0),
        ("F", "w", 0),
        ("F", "called", 0),
        ("F", "av", 0),
        ("T", "b", 0),
        ("U", "b", 8),
        ("T", "b", 0),
        ("U", "a", 8),
        ("U", "local", 8),
        ("T", "out", 0),
        ("T", "far", 0),
    ]


def test_columns_have_their_types() -> None:
    """The columns are integers of 64 bits, offsets unsigned."""
    model = read(MODULE)
    assert {str(column.dtype) for column in (model.member_global, model.member_type)} == {"int64"}
    assert str(model.member_offset.dtype) == "uint64"
    assert {str(column.dtype) for column in (model.site_kind, model.site_type)} == {"int64"}
    assert str(model.site_assumed.dtype) == "bool"


def test_globals_are_those_with_type_metadata() -> None:
    """Whatever carries `!type` or `!vcall_visibility` is a global of the model, nothing else is."""
    assert [record.name for record in read(MODULE).globals] == [
        *("f", "w", "called", "av", "b", "a", "local", "out", "vt", "far"),
    ]


RECORDS: dict[str, dict[str, Any]] = {
    "b": {"size": 32, "alignment": 32, "constant": True},
    "a": {"size": 4, "alignment": 4, "linkage": "internal", "section": ".mine"},
    "local": {"size": 2, "alignment": 2, "thread_local": True},
    "out": {"declaration": True, "size": 16, "alignment": 8, "visibility": "hidden", "constant": True},
    "vt": {
        "size": 24,
        "alignment": 8,
        "linkage": "linkonce_odr",
        "visibility": "protected",
        "comdat": True,
        "constant": True,
        "vcall_visibility": VCallVisibility.LINKAGE_UNIT,
    },
    "far": {"declaration": True, "size": 1, "alignment": 1, "address_space": 1},
}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "f": {"alignment": 16, "address_taken": True, "canonical": True},
    "w": {"declaration": True, "linkage": "extern_weak"},
    "called": {"linkage": "internal", "canonical": True},
    "av": {"linkage": "available_externally"},
}


@pytest.mark.parametrize("name", RECORDS)
def test_variables(name: str) -> None:
    """Every fact of a variable."""
    model = read(MODULE)
    expected = {
        "name": name,
        "kind": GlobalKind.VARIABLE,
        "declaration": False,
        "linkage": "external",
        "visibility": "default",
        "section": "",
        "comdat": False,
        "constant": False,
        "thread_local": False,
        "address_taken": True,
        "canonical": False,
        "vcall_visibility": VCallVisibility.PUBLIC,
        **RECORDS[name],
    }
    assert model.globals[model.global_index[name]] == GlobalRecord(**expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    """Every fact of a function: its address counts as taken only if something but a call uses it."""
    model = read(MODULE)
    expected = {
        "name": name,
        "kind": GlobalKind.FUNCTION,
        "declaration": False,
        "size": 0,
        "alignment": 1,
        "linkage": "external",
        "visibility": "default",
        "section": "",
        "comdat": False,
        "constant": False,
        "thread_local": False,
        "address_taken": False,
        "canonical": False,
        "vcall_visibility": VCallVisibility.PUBLIC,
        **FUNCTIONS[name],
    }
    assert model.globals[model.global_index[name]] == GlobalRecord(**expected)


def test_sizes_follow_the_data_layout() -> None:
    """On i386 a pointer has 4 bytes, and the model says how wide it is."""
    model = read(I386 + '@a = constant [3 x ptr] zeroinitializer, !type !0\n!0 = !{i64 0, !"T"}\n')
    assert (model.globals[0].size, model.globals[0].alignment) == (12, 4)
    assert (model.pointer_bits, model.triple) == (32, "i386-unknown-linux-gnu")


@pytest.mark.parametrize(
    ("value", "visibility"),
    [
        (0, VCallVisibility.PUBLIC),
        (1, VCallVisibility.LINKAGE_UNIT),
        (2, VCallVisibility.TRANSLATION_UNIT),
    ],
)
def test_vcall_visibility(value: int, visibility: VCallVisibility) -> None:
    """The number in `!vcall_visibility` is public, linkage-unit or translation-unit."""
    model = read(f"@a = global i8 0, !vcall_visibility !0\n!0 = !{{i64 {value}}}\n")
    assert model.globals[0].vcall_visibility is visibility


@pytest.mark.parametrize("node", ["!{}", "!{i64 3}", "!{i64 -1}", '!{!"x"}', "!{null}"])
def test_bad_vcall_visibility(node: str) -> None:
    """Any other number, and anything that is no number, is an error that names the variable."""
    with pytest.raises(MetadataError) as caught:
        read(f"@a = global i8 0, !vcall_visibility !0\n!0 = {node}\n")
    assert str(caught.value) == "@a: !vcall_visibility must hold 0, 1 or 2"
    assert caught.value.subject == "@a"


def test_types_come_by_first_appearance() -> None:
    """Types are numbered as attachments name them, then as tests do, kind by kind."""
    model = read(
        X86_64
        + TYPE_TEST
        + """
declare i1 @llvm.public.type.test(ptr, metadata)
@a = global i8 0, !type !1, !type !0
define void @f(ptr %p) !type !2 {
  %x = call i1 @llvm.public.type.test(ptr %p, metadata !"public only")
  %y = call i1 @llvm.type.test(ptr %p, metadata !"tested only")
  %z = call i1 @llvm.type.test(ptr %p, metadata !"first")
  ret void
}
!0 = !{i64 0, !"first"}
!1 = !{i64 0, !"second"}
!2 = !{i64 0, !"function"}
"""
    )
    assert [type_.id for type_ in model.types] == [
        *("function", "second", "first", "tested only", "public only"),
    ]
    assert not any(type_.distinct for type_ in model.types)


def test_nodes_are_numbered_as_they_appear() -> None:
    """A node is a type by identity, shown as `!N`; names do not take a number."""
    model = read(
        TYPE_TEST
        + """
@a = global i8 0, !type !0, !type !1, !type !2, !type !3
define void @f(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !6)
  %y = call i1 @llvm.type.test(ptr %p, metadata !5)
  ret void
}
!0 = !{i64 0, !4}
!1 = !{i64 0, !"name"}
!2 = !{i64 1, !5}
!3 = !{i64 2, !4}
!4 = distinct !{}
!5 = distinct !{}
!6 = distinct !{}
"""
    )
    assert [(type_.id, type_.distinct) for type_ in model.types] == [
        ("!0", True),
        ("name", False),
        ("!1", True),
        ("!2", True),
    ]
    assert model.member_type.tolist() == [0, 1, 2, 0]
    assert sorted(model.site_type.tolist()) == [2, 3]


def test_a_constant_is_an_identifier() -> None:
    """A test of a constant is a test of the type with that constant."""
    model = read(
        TYPE_TEST + "@a = global i8 0, !type !0\ndefine i1 @f(ptr %p) {\n"
        "  %x = call i1 @llvm.type.test(ptr %p, metadata i64 5)\n  ret i1 %x\n}\n!0 = !{i64 0, i64 5}\n"
    )
    assert (len(model.types), model.site_type.tolist(), model.types[0].distinct) == (1, [0], True)


def test_a_node_of_one_constant_is_tested_by_nobody() -> None:
    """LLVM folds such a node in a test, so that it never finds the test; neither do we."""
    model = read(
        TYPE_TEST + "@a = global i8 0, !type !0\ndefine i1 @f(ptr %p) {\n"
        "  %x = call i1 @llvm.type.test(ptr %p, metadata !1)\n  ret i1 %x\n}\n"
        "!0 = !{i64 0, !1}\n!1 = !{i64 5}\n"
    )
    assert (model.member_type.tolist(), model.site_type.tolist()) == ([0], [1])


SITES = (
    X86_64
    + """
declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
declare { ptr, i1 } @llvm.type.checked.load.relative(ptr, i32, metadata)
declare void @llvm.assume(i1)
@a = global [2 x i64] zeroinitializer, !type !0
@plain = global i64 0
define i1 @f(ptr %p, i1 %c) {
  %l = call { ptr, i1 } @llvm.type.checked.load(ptr %p, i32 8, metadata !"L")
  %r = call { ptr, i1 } @llvm.type.checked.load.relative(ptr %p, i32 8, metadata !"R")
  %u = call i1 @llvm.public.type.test(ptr %p, metadata !"P")
  %assumed = call i1 @llvm.type.test(ptr %p, metadata !"assumed")
  call void @llvm.assume(i1 %assumed)
  %publicly = call i1 @llvm.public.type.test(ptr %p, metadata !"public assumed")
  call void @llvm.assume(i1 %publicly)
  %unused = call i1 @llvm.type.test(ptr %p, metadata !"unused")
  %known = call i1 @llvm.type.test(ptr getelementptr (i8, ptr @a, i64 8), metadata !"known")
  %s = select i1 %c, ptr @a, ptr getelementptr (i8, ptr @a, i64 -8)
  %two = call i1 @llvm.type.test(ptr %s, metadata !"two")
  %without = call i1 @llvm.type.test(ptr @plain, metadata !"without metadata")
  %x = or i1 %known, %two
  ret i1 %x
}
!0 = !{i64 0, !"known"}
"""
)


def test_call_sites() -> None:
    """Sites come kind by kind; assumed tests and known pointers are marked."""
    model = read(SITES)
    kinds = {model.types[t].id: SiteKind(k) for t, k in zip(model.site_type, model.site_kind, strict=True)}
    assert kinds == {
        "known": SiteKind.TYPE_TEST,
        "two": SiteKind.TYPE_TEST,
        "assumed": SiteKind.TYPE_TEST,
        "unused": SiteKind.TYPE_TEST,
        "without metadata": SiteKind.TYPE_TEST,
        "P": SiteKind.PUBLIC_TYPE_TEST,
        "public assumed": SiteKind.PUBLIC_TYPE_TEST,
        "L": SiteKind.CHECKED_LOAD,
        "R": SiteKind.CHECKED_LOAD_RELATIVE,
    }
    assert model.site_kind.tolist() == sorted(model.site_kind.tolist())
    names = [model.types[type_].id for type_ in model.site_type.tolist()]
    assert {name for name, flag in zip(names, model.site_assumed, strict=True) if flag} == {
        "assumed",
        "public assumed",
    }
    a = GlobalIndex(model.global_index["a"])
    assert {names[site]: addresses for site, addresses in model.site_known.items()} == {
        "known": (Address(a, 8),),
        "two": (Address(a, 0), Address(a, -8)),
    }


def test_handles_belong_to_the_sites() -> None:
    """Each site has its call and its pointer, each global its handle."""
    module = parse(SITES)
    model, anchors = read_type_model(module)
    assert len(anchors.sites) == len(anchors.pointers) == len(model.site_kind)
    assert [module.c.LLVMGetOperand(call, 0) for call in anchors.sites] == list(anchors.pointers)
    value = module.find("a")
    assert value is not None
    assert list(anchors.globals) == [value.ref]


def test_handles_are_refused_after_a_change() -> None:
    """Handles are of one module as it was when it was read."""
    module, other = parse(SITES), parse(SITES)
    _, anchors = read_type_model(module)
    anchors.check(module)
    with pytest.raises(PlanError, match=r"^test\.ll was changed since its type metadata was read; read it"):
        anchors.check(other)
    with edit(module):
        pass
    with pytest.raises(PlanError):
        anchors.check(module)


COUNT = "a !type node must have 2 operands (offset, type identifier), this one has"


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("!{i64 0}", f"{COUNT} 1"),
        ("!{}", f"{COUNT} 0"),
        ('!{i64 0, !"T", i1 0}', f"{COUNT} 3"),
        ('!{!"0", !"T"}', "the offset of a !type node must be a constant"),
        ('!{ptr null, !"T"}', "the offset of a !type node must be an integer constant"),
        ("!{i64 0, null}", "the type identifier of a !type node must not be null"),
    ],
)
def test_malformed_type_metadata(node: str, message: str) -> None:
    """The error names the global and says what is wrong with its node."""
    with pytest.raises(MetadataError) as caught:
        read(f"@good = global i8 0\n@bad = global i8 0, !type !0\n!0 = {node}\n")
    assert str(caught.value) == f"@bad: {message}"
    assert caught.value.subject == "@bad"


def test_all_faults_are_told_at_once() -> None:
    """Several malformed attachments are one error, in module order, each global and fault once."""
    with pytest.raises(MetadataError) as caught:
        read(
            "@a = global i8 0, !type !0, !type !0, !type !1\n@b = global i8 0, !type !0\n"
            "define void @f() !type !1 {\n  ret void\n}\n"
            '!0 = !{}\n!1 = !{i64 undef, !"T"}\n'
        )
    offset = "the offset of a !type node must be an integer constant"
    assert str(caught.value) == f"@f: {offset}; @a: {COUNT} 0; @a: {offset}; @b: {COUNT} 0"


def test_flags() -> None:
    """Module flags come with the model."""
    model = read(
        '!llvm.module.flags = !{!0, !1}\n!0 = !{i32 4, !"Cross-DSO CFI", i32 1}\n!1 = !{i32 1, !"x", !{}}\n'
    )
    assert model.flags == {"Cross-DSO CFI": 1, "x": None}


@pytest.mark.parametrize(
    ("flag", "attribute", "canonical"),
    [
        (None, "", True),
        (1, "", True),
        (0, "", False),
        (0, '"cfi-canonical-jump-table"', True),
        (1, '"cfi-canonical-jump-table"', True),
    ],
)
def test_canonical_jump_tables(flag: int | None, attribute: str, canonical: bool) -> None:
    """A defined function is canonical unless the module says no, and then if its attribute says yes."""
    text = (
        f"define void @f() {attribute} !type !0 {{\n  ret void\n}}\ndeclare !type !0 void @d() {attribute}\n"
    )
    text += '!0 = !{i64 0, !"T"}\n'
    if flag is not None:
        text += f'!llvm.module.flags = !{{!1}}\n!1 = !{{i32 4, !"CFI Canonical Jump Tables", i32 {flag}}}\n'
    records = {record.name: record.canonical for record in read(text).globals}
    assert records == {"f": canonical, "d": False}


def test_a_module_without_type_metadata() -> None:
    """Nothing to read is an empty model, not an error."""
    model = read("@a = global i8 0\n")
    assert (model.types, model.globals, model.member_type.tolist(), model.site_type.tolist()) == (
        (),
        (),
        [],
        [],
    )
