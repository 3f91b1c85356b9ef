"""Calls of intrinsics, and what is known about the pointers they test."""

from __future__ import annotations

import pytest

from tests.ir import TYPE_TEST, X86_64, handle, parse
from typemeta.errors import MetadataError
from typemeta.llvm.calls import (
    assumed_values,
    constant_gep_offset,
    find_assumes,
    find_calls,
    is_only_assumed,
    known_addresses,
    resolve_address,
)
from typemeta.llvm.module import Module
from typemeta.llvm.variables import global_name

GLOBALS = """
%s = type { i8, i64, [4 x i16], { i32, i32 } }
@a = global [4 x i64] zeroinitializer
@b = global %s zeroinitializer
@arr = global [3 x %s] zeroinitializer
@declared = external global i64
define void @fn() {
  ret void
}
"""


def known(
    pointer: str, *, body: str = "", globals_: str = "", arguments: str = ""
) -> list[tuple[str, int]] | None:
    """Returns what is known of the pointer of the first test in a function."""
    module = parse(
        f"{X86_64}{GLOBALS}{globals_}{TYPE_TEST}define i1 @test({arguments}) {{\n{body}"
        f'  %x = call i1 @llvm.type.test(ptr {pointer}, metadata !"T")\n  ret i1 %x\n}}\n'
    )
    (found,) = find_calls(module, "llvm.type.test", 1).pointers
    addresses = known_addresses(module, found)
    if addresses is None:
        return None
    return [(global_name(module, ref), offset) for ref, offset in addresses]


def test_calls_come_in_use_list_order() -> None:
    """Every call is found once, the last one first as LLVM has them, with pointer and identifier."""
    module = parse(
        TYPE_TEST + "define void @f(ptr %p, ptr %q) {\n"
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n'
        '  %y = call i1 @llvm.type.test(ptr %q, metadata !"U")\n'
        '  %z = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  ret void\n}\n'
    )
    found = find_calls(module, "llvm.type.test", 1)
    texts = [module.library.take_message(module.c.LLVMPrintValueToString(ref)).strip() for ref in found.refs]
    assert [text[:2] for text in texts] in (["%x", "%y", "%z"], ["%z", "%y", "%x"])
    assert found.pointers[0] == found.pointers[2] != found.pointers[1]
    assert found.identifiers[0] == found.identifiers[2] != found.identifiers[1]


def test_the_identifier_of_a_checked_load_is_its_third_argument() -> None:
    """The position of the identifier is the caller's to say."""
    module = parse(
        "declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)\n"
        "define void @f(ptr %p) {\n"
        '  %x = call { ptr, i1 } @llvm.type.checked.load(ptr %p, i32 8, metadata !"T")\n  ret void\n}\n'
    )
    (identifier,) = find_calls(module, "llvm.type.checked.load", 2).identifiers
    assert module.c.LLVMIsAMDString(identifier)


@pytest.mark.parametrize(
    "text",
    [
        TYPE_TEST + "@x = global [1 x ptr] [ptr @llvm.type.test]\n",
        TYPE_TEST + "define void @f(ptr %p) {\n  store ptr @llvm.type.test, ptr %p\n  ret void\n}\n",
        TYPE_TEST + "declare void @g(ptr, ptr)\ndefine void @f(ptr %p) {\n"
        "  call void @g(ptr @llvm.type.test, ptr %p)\n  ret void\n}\n",
        "declare i1 @llvm.type.test(ptr)\ndefine i1 @f(ptr %p) {\n"
        "  %x = call i1 @llvm.type.test(ptr %p)\n  ret i1 %x\n}\n",
    ],
)
def test_uses_that_are_no_calls(text: str) -> None:
    """What the verifier refuses is an error, not a crash, even if nobody ran the verifier."""
    module = Module.parse(text.encode(), "x.ll")
    with pytest.raises(MetadataError, match=r"^@llvm\.type\.test: is used in a way that LLVM's verifier"):
        find_calls(module, "llvm.type.test", 1)


def test_no_calls() -> None:
    """An intrinsic that is not declared, or not called, has no calls."""
    assert find_calls(parse(""), "llvm.type.test", 1).refs == []
    assert find_calls(parse(TYPE_TEST), "llvm.type.test", 1).refs == []


ASSUMES = (
    TYPE_TEST
    + """
declare void @llvm.assume(i1)
declare void @use(i1)
define void @f(ptr %p, i1 %c) {
  %only = call i1 @llvm.type.test(ptr %p, metadata !"T")
  call void @llvm.assume(i1 %only)
  call void @llvm.assume(i1 %only)
  %both = call i1 @llvm.type.test(ptr %p, metadata !"T")
  call void @llvm.assume(i1 %both)
  call void @use(i1 %both)
  %unused = call i1 @llvm.type.test(ptr %p, metadata !"T")
  call void @llvm.assume(i1 %c)
  ret void
}
"""
)


def named_calls(module: Module) -> dict[str, int]:
    """Returns the type tests by the name of their result."""
    refs = find_calls(module, "llvm.type.test", 1).refs
    return {global_name(module, ref).removeprefix("@"): ref for ref in refs}


def test_assumed_values() -> None:
    """The conditions of assumes are found, whatever they are."""
    module = parse(ASSUMES)
    calls = named_calls(module)
    conditions = assumed_values(module)
    assert {name for name, ref in calls.items() if ref in conditions} == {"only", "both"}
    assert len(conditions) == 3
    assert assumed_values(parse("")) == set()


def test_only_assumed() -> None:
    """A value that anything else uses is not only assumed; one without uses trivially is."""
    module = parse(ASSUMES)
    calls = named_calls(module)
    assert {name: is_only_assumed(module, ref) for name, ref in calls.items()} == {
        "only": True,
        "both": False,
        "unused": True,
    }


def test_the_assumes_of_a_test() -> None:
    """Each assume is listed once, even if it uses the value twice."""
    module = parse(
        TYPE_TEST + "declare void @llvm.assume(i1)\ndefine void @f(ptr %p) {\n"
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  call void @llvm.assume(i1 %x)\n'
        '  call void @llvm.assume(i1 true) ["ignore"(i1 %x, i1 %x)]\n  ret void\n}\n'
    )
    (call,) = find_calls(module, "llvm.type.test", 1).refs
    assert len(find_assumes(module, call)) == 2
    assert is_only_assumed(module, call)


@pytest.mark.parametrize(
    ("pointer", "address"),
    [
        ("@a", ("@a", 0)),
        ("@fn", ("@fn", 0)),
        ("@declared", ("@declared", 0)),
        ("getelementptr (i8, ptr @a, i64 8)", ("@a", 8)),
        ("getelementptr inbounds (i64, ptr @a, i32 3)", ("@a", 24)),
        ("getelementptr (i8, ptr @a, i64 -8)", ("@a", -8)),
        ("getelementptr ([4 x i64], ptr @a, i64 1, i64 2)", ("@a", 48)),
        ("getelementptr (%s, ptr @b, i64 0, i32 1)", ("@b", 8)),
        ("getelementptr (%s, ptr @b, i64 0, i32 2, i64 3)", ("@b", 22)),
        ("getelementptr (%s, ptr @b, i64 0, i32 3, i32 1)", ("@b", 28)),
        ("getelementptr ([3 x %s], ptr @arr, i64 0, i64 2, i32 1)", ("@arr", 72)),
        ("getelementptr (i8, ptr @fn, i64 3)", ("@fn", 3)),
    ],
)
def test_constant_addresses(pointer: str, address: tuple[str, int]) -> None:
    """A global and any constant offset from it are known, struct fields and arrays included."""
    assert known(pointer) == [address]


@pytest.mark.parametrize(
    ("body", "address"),
    [
        ("  %p = getelementptr %s, ptr @b, i64 1, i32 1\n", ("@b", 40)),
        ("  %q = getelementptr i8, ptr @a, i64 8\n  %p = getelementptr i64, ptr %q, i64 1\n", ("@a", 16)),
        ("  %q = bitcast ptr @a to ptr\n  %p = getelementptr i8, ptr %q, i64 8\n", ("@a", 8)),
        ("  %p = bitcast ptr getelementptr (i8, ptr @a, i64 8) to ptr\n", ("@a", 8)),
    ],
)
def test_addresses_computed_by_instructions(body: str, address: tuple[str, int]) -> None:
    """Offsets and casts are followed in instructions as in constants, and add up."""
    assert known("%p", body=body) == [address]


def test_a_select_has_both_arms() -> None:
    """A select may be either arm, each with the offsets in front of it and behind it."""
    body = (
        "  %q = getelementptr i8, ptr @b, i64 4\n  %s1 = select i1 %c, ptr @a, ptr %q\n"
        "  %p = getelementptr i8, ptr %s1, i64 8\n"
    )
    assert known("%p", body=body, arguments="i1 %c") == [("@a", 8), ("@b", 12)]


def test_a_select_with_an_unknown_arm_is_unknown() -> None:
    """One unknown arm makes the pointer unknown."""
    assert known("%p", body="  %p = select i1 %c, ptr @a, ptr %q\n", arguments="i1 %c, ptr %q") is None


def test_nested_selects() -> None:
    """Selects of selects are followed six deep, no deeper: the possibilities double with each."""

    def chain(depth: int) -> list[tuple[str, int]] | None:
        lines = ["  %s0 = select i1 %c, ptr @a, ptr @b\n"]
        lines += [f"  %s{n} = select i1 %c, ptr %s{n - 1}, ptr @fn\n" for n in range(1, depth)]
        return known(f"%s{depth - 1}", body="".join(lines), arguments="i1 %c")

    assert chain(6) == [("@a", 0), ("@b", 0), *[("@fn", 0)] * 5]
    assert chain(7) is None


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("", "ptr %p"),
        ("  %p = load ptr, ptr @a\n", ""),
        ("  %p = inttoptr i64 4096 to ptr\n", ""),
        ("  %p = getelementptr i64, ptr @a, i64 %i\n", "i64 %i"),
        ("  %p = getelementptr [4 x i64], ptr @a, i64 0, i64 %i\n", "i64 %i"),
        ("  %p = call ptr @make()\n", ""),
    ],
)
def test_unknown_pointers(body: str, arguments: str) -> None:
    """Arguments, loads, results and variable offsets are not known."""
    assert known("%p", body=body, arguments=arguments, globals_="declare ptr @make()\n") is None


def test_null_is_unknown() -> None:
    """Null is no address of a global."""
    assert known("null") is None


@pytest.mark.parametrize(
    ("linkage", "is_fixed"),
    [
        ("", True),
        ("internal ", True),
        ("private ", True),
        ("linkonce_odr ", True),
        ("weak_odr ", True),
        ("weak ", False),
        ("linkonce ", False),
    ],
)
def test_aliases(linkage: str, is_fixed: bool) -> None:
    """An alias is known to be its aliasee only if no other module may give it another meaning."""
    globals_ = f"@al = {linkage}alias i64, getelementptr (i8, ptr @a, i64 8)\n"
    pointer = "getelementptr (i8, ptr @al, i64 8)"
    assert known(pointer, globals_=globals_) == ([("@a", 16)] if is_fixed else None)


def test_an_alias_of_an_alias() -> None:
    """Aliases are followed to the end, unless the first may change."""
    fixed = "@one = alias i64, getelementptr (i8, ptr @a, i64 8)\n@two = alias i64, ptr @one\n"
    assert known("@two", globals_=fixed) == [("@a", 8)]
    assert known("@two", globals_=fixed.replace("@two = ", "@two = weak ")) is None


def test_a_circle_in_unreachable_code_ends() -> None:
    """An unreachable pointer may be defined by itself, which must not be followed for ever."""
    text = (
        TYPE_TEST + "define i1 @f() {\n  ret i1 false\ndead:\n  %p = getelementptr i8, ptr %q, i64 8\n"
        "  %q = bitcast ptr %p to ptr\n"
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")\n  br label %dead\n}\n'
    )
    module = parse(text)
    (pointer,) = find_calls(module, "llvm.type.test", 1).pointers
    assert known_addresses(module, pointer) is None


def test_offsets_use_the_data_layout() -> None:
    """On a target with 4-byte pointers a field behind a pointer lies at 4."""
    module = parse(
        'target datalayout = "e-p:32:32"\n@a = global { ptr, i32 } zeroinitializer\n'
        "define ptr @f() {\n  %p = getelementptr { ptr, i32 }, ptr @a, i32 0, i32 1\n  ret ptr %p\n}\n"
    )
    block = module.c.LLVMGetEntryBasicBlock(handle(module, "f"))
    gep = module.c.LLVMGetOperand(module.c.LLVMGetBasicBlockTerminator(block), 0)
    layout = module.c.LLVMGetModuleDataLayout(module.ref)
    assert constant_gep_offset(module.c, layout, gep) == 4


def test_resolving_a_named_address() -> None:
    """A global is itself, an alias its aliasee, one that may change is unknown."""
    module = parse(
        "@a = global [4 x i64] zeroinitializer\n@al = alias i64, getelementptr (i8, ptr @a, i64 8)\n"
        "@w = weak alias i64, ptr @a\n"
    )
    assert resolve_address(module, handle(module, "a")) == ("a", 0)
    assert resolve_address(module, handle(module, "al")) == ("a", 8)
    assert resolve_address(module, handle(module, "w")) is None
