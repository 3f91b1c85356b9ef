"""Who uses a function, and how."""

from __future__ import annotations

import pytest

from tests.ir import handle, parse
from typemeta.llvm.functions import (
    find_dso_local,
    has_address_taken,
    has_enum_attribute,
    has_string_attribute,
    is_call,
    is_direct_call,
    is_no_cfi,
    users,
)
from typemeta.llvm.module import Module

F = "define void @f() {\nentry:\n  br label %block\nblock:\n  ret void\n}\n"


def is_taken(text: str, name: str = "f") -> bool:
    """Tells whether a function's address counts as taken."""
    module = parse(text)
    return has_address_taken(module, handle(module, name))


CALLS = {
    "no use": "",
    "a call": "define void @u() {\n  call void @f()\n  ret void\n}\n",
    "a tail call": "define void @u() {\n  musttail call void @f()\n  ret void\n}\n",
    "two calls": "define void @u() {\n  call void @f()\n  call void @f()\n  ret void\n}\n",
    "an invoke": (
        "declare i32 @p(...)\ndefine void @u() personality ptr @p {\n"
        "  invoke void @f() to label %a unwind label %b\na:\n  ret void\nb:\n"
        "  %l = landingpad { ptr, i32 } cleanup\n  ret void\n}\n"
    ),
    "a block address": "@x = global ptr blockaddress(@f, %block)\n",
    "an assume-like argument": (
        "declare ptr @llvm.invariant.start.p0(i64, ptr)\ndefine void @u() {\n"
        "  %x = call ptr @llvm.invariant.start.p0(i64 1, ptr @f)\n  ret void\n}\n"
    ),
    "an assume-like argument of an intrinsic with two types": (
        "declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)\ndefine void @u() {\n"
        "  %x = call i64 @llvm.objectsize.i64.p0(ptr @f, i1 false, i1 false, i1 false)\n  ret void\n}\n"
    ),
    "an annotation": (
        "declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)\ndefine void @u() {\n"
        "  %x = call ptr @llvm.ptr.annotation.p0.p0(ptr @f, ptr null, ptr null, i32 1, ptr null)\n"
        "  ret void\n}\n"
    ),
    "an operand bundle of an assume": (
        "declare void @llvm.assume(i1)\ndefine void @u() {\n"
        '  call void @llvm.assume(i1 true) ["align"(ptr @f, i64 8)]\n  ret void\n}\n'
    ),
    "metadata": "!m = !{!0}\n!0 = !{ptr @f}\n",
}


@pytest.mark.parametrize("case", CALLS)
def test_uses_that_do_not_take_the_address(case: str) -> None:
    """Direct calls, block addresses, arguments of intrinsics that state facts, and metadata do not count."""
    assert not is_taken(F + CALLS[case])


TAKEN = {
    "a variable": "@x = global ptr @f\n",
    "inside a constant": "@x = global { i32, [2 x ptr] } { i32 0, [2 x ptr] [ptr null, ptr @f] }\n",
    "a constant expression": "@x = global i64 ptrtoint (ptr @f to i64)\n",
    "llvm.used": '@llvm.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"\n',
    "llvm.compiler.used": (
        '@llvm.compiler.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"\n'
    ),
    "a store": "define void @u(ptr %p) {\n  store ptr @f, ptr %p\n  ret void\n}\n",
    "a return": "define ptr @u() {\n  ret ptr @f\n}\n",
    "a comparison": "define i1 @u(ptr %p) {\n  %x = icmp eq ptr %p, @f\n  ret i1 %x\n}\n",
    "an argument": "declare void @take(ptr)\ndefine void @u() {\n  call void @take(ptr @f)\n  ret void\n}\n",
    "an operand bundle": (
        'declare void @g()\ndefine void @u() {\n  call void @g() ["deopt"(ptr @f)]\n  ret void\n}\n'
    ),
    "an operand bundle of its own call": (
        'define void @u() {\n  call void @f() ["deopt"(ptr @f)]\n  ret void\n}\n'
    ),
    "a call of another type": "define void @u() {\n  call void @f(i32 1)\n  ret void\n}\n",
    "an alias": "@al = alias void (), ptr @f\n",
    "an intrinsic that is not assume-like": (
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndefine void @u() {\n"
        "  call void @llvm.memset.p0.i64(ptr @f, i8 0, i64 1, i1 false)\n  ret void\n}\n"
    ),
    "no_cfi": "@x = global ptr no_cfi @f\n",
    "dso_local_equivalent": "@x = global ptr dso_local_equivalent @f\n",
}


@pytest.mark.parametrize("case", TAKEN)
def test_uses_that_take_the_address(case: str) -> None:
    """Everything that may let the address out counts, llvm.used too."""
    assert is_taken(F + TAKEN[case])


def test_a_call_that_passes_its_own_callee() -> None:
    """A function that is callee and argument of one call is taken."""
    text = "declare void @f(ptr)\ndefine void @u() {\n  call void @f(ptr @f)\n  ret void\n}\n"
    assert is_taken(text)
    assert not is_taken(text.replace("ptr @f)", "ptr null)"))


def test_a_variadic_function_called_without_its_dots() -> None:
    """A call of a varargs function by another type takes the address, one by its own type does not."""
    text = "declare void @f(...)\ndefine void @u() {\n  call void (...) @f()\n  ret void\n}\n"
    assert not is_taken(text)
    assert is_taken(text.replace("void (...) @f", "void @f"))


def test_a_personality_takes_the_address() -> None:
    """A personality function is used by the functions it serves."""
    assert is_taken("declare i32 @f(...)\ndefine void @u() personality ptr @f {\n  ret void\n}\n")


USES = """
declare i32 @p(...)
define void @u(ptr %q) personality ptr @p {
  call void @f()
  call void %q()
  store ptr @f, ptr %q
  call void @take(ptr @f)
  invoke void @f() to label %a unwind label %b
a:
  callbr void @f() to label %c []
b:
  %l = landingpad { ptr, i32 } cleanup
  ret void
c:
  ret void
}
declare void @take(ptr)
"""


def test_users_come_once_for_each_use() -> None:
    """The users of a function are its instructions and constants."""
    module = parse(F + "@x = global [2 x ptr] [ptr @f, ptr @f]\n")
    found = list(users(module, handle(module, "f")))
    assert len(found) == 2
    assert len(set(found)) == 1
    assert list(users(module, handle(module, "x"))) == []


def test_kinds_of_calls() -> None:
    """Calls, invokes and callbrs are calls; a call through or with the function is no direct one."""
    module = Module.parse((F + USES).encode(), "x.ll")
    function = handle(module, "f")
    found = {}
    for user in users(module, function):
        text = module.library.take_message(module.c.LLVMPrintValueToString(user)).split("\n")[0].strip()
        found[text] = (is_call(module.c, user), is_direct_call(module.c, user, function))
    assert found == {
        "call void @f()": (True, True),
        "store ptr @f, ptr %q, align 8": (False, False),
        "call void @take(ptr @f)": (True, False),
        "invoke void @f()": (True, True),
        "callbr void @f()": (True, True),
    }


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ("ptr no_cfi @f", True),
        ("ptr dso_local_equivalent @f", False),
        ('ptr dso_local_equivalent @" no_cfi "', False),
        ("ptr blockaddress(@f, %block)", False),
        ("i64 ptrtoint (ptr @f to i64)", False),
        ("[1 x ptr] [ptr no_cfi @f]", False),
        ("{ ptr } { ptr no_cfi @f }", False),
        ("<1 x ptr> <ptr no_cfi @f>", False),
        ("ptr @f", False),
    ],
)
def test_no_cfi(constant: str, expected: bool) -> None:
    """Only the constant itself is `no_cfi`, not what holds one, and not what is called so."""
    module = parse(f'{F}declare void @" no_cfi "()\n@x = global {constant}\n')
    initializer = module.c.LLVMGetInitializer(handle(module, "x"))
    assert is_no_cfi(module, initializer) is expected


def test_attributes() -> None:
    """String and enum attributes are found by name, on the function only."""
    module = parse(
        'define void @f(ptr nonnull %p) nounwind "cfi-canonical-jump-table" {\n  ret void\n}\n'
        "declare void @g()\n"
    )
    f, g = handle(module, "f"), handle(module, "g")
    assert has_string_attribute(module, f, "cfi-canonical-jump-table")
    assert not has_string_attribute(module, f, "cfi")
    assert not has_string_attribute(module, g, "cfi-canonical-jump-table")
    assert has_enum_attribute(module, f, "nounwind")
    assert not has_enum_attribute(module, f, "nonnull")
    assert not has_enum_attribute(module, g, "nounwind")


NAMES = (
    *("plain", "with.dots", "with-dash", "_x1", '"with$dollar"', '"$s1"', '"has space"', '"1digit"'),
    *(
        '"at@sign"',
        '"caf\\C3\\A9"',
        '"no\\FFutf8"',
        '"\\01mangled"',
        '"quo\\22te"',
        '"back\\5Cslash"',
        '"\\7F"',
    ),
)


@pytest.mark.parametrize("count", [1, 15, 16, 40])
def test_explicit_dso_local(count: int) -> None:
    """Every second function is marked, under names of all sorts; few and many functions give the same."""
    names = [*NAMES, *(f"more{n}" for n in range(count))][:count] if count > 1 else ["plain"]
    lines = [
        f"define {'dso_local ' if number % 2 == 0 else ''}i32 @{name}(ptr %p) {{\n  ret i32 0\n}}\n"
        for number, name in enumerate(names)
    ]
    module = parse("".join(lines))
    functions = [value.ref for value in module.functions()]
    assert find_dso_local(module, functions) == frozenset(functions[::2])


@pytest.mark.parametrize("name", NAMES)
def test_dso_local_under_any_name(name: str) -> None:
    """Quoted, escaped and foreign names are found, in a short text and in a whole module."""
    few = parse(f"define dso_local void @{name}() {{\n  ret void\n}}\n")
    functions = [value.ref for value in few.functions()]
    assert find_dso_local(few, functions) == frozenset(functions)
    fillers = "".join(f"define void @filler{n}() {{\n  ret void\n}}\n" for n in range(20))
    many = parse(f"{fillers}define dso_local void @{name}() {{\n  ret void\n}}\n")
    functions = [value.ref for value in many.functions()]
    assert find_dso_local(many, functions) == frozenset(functions[-1:])


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("define internal void @f() {\n  ret void\n}\n", True),
        ("define private void @f() {\n  ret void\n}\n", True),
        ("define hidden void @f() {\n  ret void\n}\n", True),
        ("define protected void @f() {\n  ret void\n}\n", True),
        ("declare hidden void @f()\n", True),
        ("declare extern_weak hidden void @f()\n", False),
        ("declare extern_weak dso_local void @f()\n", True),
        ("define void @f() {\n  ret void\n}\n", False),
        ("define weak void @f() {\n  ret void\n}\n", False),
        ("define weak dso_local void @f() {\n  ret void\n}\n", True),
        ("declare dso_local void @f()\n", True),
        ("declare dso_preemptable void @f()\n", False),
        ('define void @f() "dso_local" {\n  ret void\n}\n', False),
        ("define dso_local noundef nonnull ptr @f() {\n  ret ptr @f\n}\n", True),
    ],
)
def test_implied_dso_local(declaration: str, expected: bool) -> None:
    """Local linkage and visibility imply it, extern_weak does not, and only the word itself says it."""
    module = parse(declaration)
    function = handle(module, "f")
    assert find_dso_local(module, [function]) == (frozenset([function]) if expected else frozenset())


def test_a_marked_callee_is_not_a_marked_function() -> None:
    """The text of a body does not confuse the search."""
    fillers = "".join(f"declare void @filler{n}()\n" for n in range(20))
    module = parse(
        f"{fillers}define dso_local void @g() {{\n  ret void\n}}\n"
        'define void @f() {\n  call void @g()\n  call void asm "define dso_local void @f(", ""()\n'
        "  ret void\n}\n"
    )
    functions = [value.ref for value in module.functions()]
    assert find_dso_local(module, functions) == frozenset([handle(module, "g")])
    assert find_dso_local(module, []) == frozenset()
