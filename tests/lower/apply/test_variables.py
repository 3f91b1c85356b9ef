"""Variables in combined globals: names, contents, and everything that points at them, are kept."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, lower, parse
from typemeta.llvm.jit import Jit, read_memory
from typemeta.llvm.module import Module

TEST = (
    TYPE_TEST
    + """
define i1 @test(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  ret i1 %x
}
!0 = !{i64 0, !"T"}
"""
)


def test_variables_become_aliases_into_one_global() -> None:
    """Members stand at their padded offsets, zeros between them, and keep their names and types."""
    result = lower(
        X86_64 + "@a = constant [3 x i64] [i64 1, i64 2, i64 3], !type !0\n"
        "@b = constant i32 4, !type !0\n@c = constant { i8, i16 } { i8 5, i16 6 }, !type !0\n" + TEST
    )
    type_ = "{ [3 x i64], [8 x i8], i32, [0 x i8], { i8, i16 } }"
    assert (
        f"private constant {type_} {{ [3 x i64] [i64 1, i64 2, i64 3], [8 x i8] zeroinitializer, i32 4"
        in (result.text)
    )
    assert result.of("a") == "@a = alias [3 x i64], ptr @0"
    assert result.of("b") == f"@b = alias i32, getelementptr inbounds ({type_}, ptr @0, i32 0, i32 2)"
    assert (
        result.of("c") == f"@c = alias {{ i8, i16 }}, getelementptr inbounds ({type_}, ptr @0, i32 0, i32 4)"
    )
    assert result.stats.variables == 3


@pytest.mark.parametrize(
    "linkage", ["", "internal ", "private ", "linkonce ", "linkonce_odr ", "weak ", "weak_odr "]
)
@pytest.mark.parametrize("visibility", ["", "hidden ", "protected "])
def test_linkage_and_visibility_are_kept(linkage: str, visibility: str) -> None:
    """An alias has the linkage and the visibility of its variable."""
    if linkage in ("internal ", "private "):
        visibility = ""
    result = lower(f"{X86_64}@a = {linkage}{visibility}constant i32 4, !type !0\n{TEST}")
    assert result.of("a") == f"@a = {linkage}{visibility}alias i32, ptr @0"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("constant", "constant", "constant"),
        ("constant", "global", "global"),
        ("global", "constant", "global"),
        ("global", "global", "global"),
    ],
)
def test_a_written_member_makes_all_writable(first: str, second: str, expected: str) -> None:
    """The combined global is constant only if all members are."""
    result = lower(f"{X86_64}@a = {first} i32 1, !type !0\n@b = {second} i32 2, !type !0\n{TEST}")
    assert f"@0 = private {expected} {{" in result.text


def test_variables_of_other_sets_stay() -> None:
    """Declarations, untested types and variables without a type are left alone."""
    others = (
        "@out = external constant i32, !type !0\n@loose = constant i32 1, !type !1\n@plain = global i32 1\n"
    )
    result = lower(X86_64 + "@a = constant i32 4, !type !0\n" + others + TEST + '!1 = !{i64 0, !"U"}\n')
    assert result.of("out") == "@out = external constant i32, !type !0"
    assert result.of("loose") == "@loose = constant i32 1, !type !1"
    assert result.of("plain") == "@plain = global i32 1"


def test_disjoint_sets_are_combined_apart() -> None:
    """Two sets that share nothing become two globals."""
    result = lower(
        X86_64
        + "@a = constant i32 1, !type !0\n@b = constant i32 2, !type !1\n"
        + TEST
        + '!1 = !{i64 0, !"U"}\n'
        "define i1 @other(ptr %p) {\n"
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"U")\n  ret i1 %x\n}\n'
    )
    assert "@0 = private constant { i32 } { i32 2 }" in result.text
    assert "@1 = private constant { i32 } { i32 1 }" in result.text


def test_uses_follow() -> None:
    """Code, other initializers, aliases, llvm.used and metadata name what they named before."""
    result = lower(
        X86_64
        + """
@a = constant [2 x ptr] [ptr @b, ptr @a], !type !0
@b = constant [2 x ptr] [ptr getelementptr (i8, ptr @a, i64 8), ptr null], !type !0
@table = global { i32, ptr } { i32 1, ptr @a }
@alias = alias ptr, getelementptr (i8, ptr @b, i64 8)
@llvm.used = appending global [1 x ptr] [ptr @b], section "llvm.metadata"
define ptr @get() {
  ret ptr getelementptr (i8, ptr @b, i64 8)
}
"""
        + TEST
    )
    assert (
        "[2 x ptr] [ptr @b, ptr @a], [0 x i8] zeroinitializer, "
        "[2 x ptr] [ptr getelementptr (i8, ptr @a, i64 8), ptr null]" in result.text
    )
    assert result.of("table") == "@table = global { i32, ptr } { i32 1, ptr @a }"
    assert result.of("alias") == "@alias = alias ptr, getelementptr (i8, ptr @b, i64 8)"
    assert "[1 x ptr] [ptr @b]" in result.of("llvm.used")
    assert "ret ptr getelementptr (i8, ptr @b, i64 8)" in result.of("get")


def test_variables_without_a_name() -> None:
    """An unnamed variable is moved, and what points at it points there."""
    result = lower(X86_64 + "@0 = private constant i32 7, !type !0\n@p = global ptr @0\n" + TEST)
    assert "@0 = private constant { i32 } { i32 7 }" in result.text
    assert result.of("p") == "@p = global ptr @1"
    assert "@1 = private alias i32, ptr @0" in result.text


def test_vcall_visibility_is_erased_everywhere() -> None:
    """No variable keeps it, moved or not: dead code elimination would take vtables for dead."""
    result = lower(
        X86_64 + "@a = constant i32 1, !type !0, !vcall_visibility !1\n"
        "@loose = constant i32 1, !type !2, !vcall_visibility !1\n!1 = !{i64 1}\n"
        + '!2 = !{i64 0, !"U"}\n'
        + TEST
    )
    assert "vcall_visibility" not in result.text
    assert "!type" in result.of("loose")


def load(module: Module, name: str, size: int) -> tuple[int, bytes]:
    """Returns the address of a symbol in compiled code, and bytes there."""
    with Jit(module.library) as jit:
        jit.add(module)
        address = jit.address(name)
        return address, read_memory(address, size)


def test_alignment_and_contents_hold_in_machine_code() -> None:
    """In memory each variable is where its alignment wants it, with its bytes."""
    names = {"a": (3, 1), "b": (8, 64), "c": (5, 2), "d": (40, 16)}
    text = "".join(
        f'@{name} = constant [{size} x i8] c"{chr(ord(name)) * size}", align {alignment}, !type !0\n'
        for name, (size, alignment) in names.items()
    )
    result = lower(X86_64 + text + TEST)
    for name, (size, alignment) in names.items():
        address, contents = load(result.module, name, size)
        assert address % alignment == 0
        assert contents == name.encode() * size


def test_an_alias_of_a_member_stays_at_its_address() -> None:
    """Symbols that another alias gives keep their distance in memory."""
    result = lower(
        X86_64 + "@a = constant [2 x i64] [i64 1, i64 2], !type !0\n@b = constant i64 3, !type !0\n"
        "@inside = alias i64, getelementptr (i8, ptr @a, i64 8)\n" + TEST
    )
    assert load(result.module, "inside", 8)[1] == (2).to_bytes(8, "little")


@pytest.mark.parametrize("linkage", ["weak", "linkonce"])
def test_aliases_of_what_may_be_replaced(linkage: str) -> None:
    """LLVM allows no alias of an interposable alias: such aliases point into the combined global."""
    result = lower(
        X86_64
        + f"""
@a = {linkage} constant [3 x i64] [i64 1, i64 2, i64 3], !type !0
@b = {linkage} constant i64 4, !type !0
@start = alias i64, ptr @a
@inside = hidden alias i64, getelementptr (i8, ptr @a, i64 16)
@of_alias = alias i64, ptr @inside
@of_b = alias i64, ptr @b
@unrelated = alias i64, ptr @data
@data = global i64 0
@use = global [2 x ptr] [ptr @a, ptr @inside]
"""
        + TEST
    )
    element = "getelementptr inbounds ({ [3 x i64], [8 x i8], i64 }, ptr @0, i32 0, i32 2)"
    assert result.of("start") == "@start = alias i64, ptr @0"
    assert result.of("of_b") == f"@of_b = alias i64, {element}"
    assert result.of("unrelated") == "@unrelated = alias i64, ptr @data"
    assert "[ptr @a, ptr @inside]" in result.of("use")
    assert load(result.module, "inside", 8)[1] == (3).to_bytes(8, "little")
    assert load(result.module, "of_alias", 8)[1] == (3).to_bytes(8, "little")
    assert result.of("inside").startswith("@inside = hidden alias i64, ")
    assert result.of("a").startswith(f"@a = {linkage} alias [3 x i64], ")


def test_many_variables() -> None:
    """Hundreds of variables in one set become one global and as many aliases."""
    count = 500
    text = "".join(f"@v{n} = constant [{n % 7 + 1} x i64] zeroinitializer, !type !0\n" for n in range(count))
    result = lower(X86_64 + text + TEST)
    assert result.stats.variables == count
    assert len(list(parse(result.text).aliases())) == count
