"""Global values are replaced inside constants, each constant built once, everything else left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from tests.ir import X86_64, definition, handle, instructions, parse
from typemeta.llvm.constants import Replacement, variables_using
from typemeta.llvm.edit import ICMP_NE, Editor, edit
from typemeta.llvm.functions import is_no_cfi
from typemeta.llvm.module import Module

HEADER = (
    X86_64
    + """
@base = external global i8
define void @f() {
entry:
  br label %block
block:
  ret void
}
define void @new() {
  ret void
}
declare extern_weak void @w()
"""
)


def replace(
    text: str,
    *,
    kept: tuple[str, ...] = (),
    opaque: Callable[[int, int], int | None] = lambda constant, held: None,
    computed: tuple[str, ...] = (),
    constants: Mapping[str, str] | None = None,
) -> Module:
    """Replaces functions in a module: by default every `@f` by `@new`.

    Args:
        text: IR text behind `HEADER`.
        kept: names of functions whose direct calls stay.
        opaque: as in Replacement.
        computed: names of functions that are replaced by `function ? @new : null`.
        constants: names of what is replaced, and by what.
    """
    module = parse(HEADER + text)
    pairs = {"f": "new"} if constants is None else constants
    with edit(module) as editor:
        new, null = handle(module, "new"), editor.null(editor.pointer_type)

        def compute(function: int) -> int:
            return editor.select(editor.compare(ICMP_NE, function, null), new, null)

        Replacement(
            editor,
            constants={handle(module, old): handle(module, by) for old, by in pairs.items()},
            computed={handle(module, name): partial(compute, handle(module, name)) for name in computed},
            kept=frozenset(handle(module, name) for name in kept),
            opaque=opaque,
        ).run()
    module.verify()
    return module


@pytest.mark.parametrize(
    "initializer",
    [
        "ptr @f",
        "[3 x ptr] [ptr @f, ptr null, ptr @f]",
        "{ { ptr, [2 x ptr] }, i8 } { { ptr, [2 x ptr] } { ptr @base, [2 x ptr] [ptr null, ptr @f] }, i8 1 }",
        "<{ i8, ptr }> <{ i8 1, ptr @f }>",
        "%named { ptr @f, i64 7 }",
        "<2 x ptr> <ptr @f, ptr null>",
        "[2 x <{ ptr }>] [<{ ptr }> <{ ptr @f }>, <{ ptr }> zeroinitializer]",
        "ptr getelementptr (i8, ptr @f, i64 3)",
        "ptr getelementptr inbounds nuw (i8, ptr @f, i64 3)",
        "ptr getelementptr nusw ({ i8, i32 }, ptr @f, i64 1, i32 1)",
        "i64 ptrtoint (ptr @f to i64)",
        "i16 ptrtoint (ptr @f to i16)",
        "i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @base to i64))",
        "i64 sub (i64 ptrtoint (ptr @base to i64), i64 ptrtoint (ptr @f to i64))",
        "i64 add (i64 ptrtoint (ptr @f to i64), i64 12)",
        "i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @x to i64)) to i32)",
        "ptr inttoptr (i64 add (i64 ptrtoint (ptr @f to i64), i64 1) to ptr)",
        "ptr addrspace(1) addrspacecast (ptr @f to ptr addrspace(1))",
        "<2 x ptr> insertelement (<2 x ptr> <ptr @base, ptr null>, ptr @f, i64 ptrtoint (ptr @base to i64))",
        "ptr extractelement (<2 x ptr> <ptr @base, ptr @f>, i64 ptrtoint (ptr @base to i64))",
    ],
)
def test_initializers(initializer: str) -> None:
    """A constant of any kind is built anew with the new function, and nothing but that changes."""
    text = f"%named = type {{ ptr, i64 }}\n@x = global {initializer}\n"
    before = definition(parse(HEADER + text), "x")
    module = replace(text)
    assert "@f" in before
    assert definition(module, "x") == before.replace("@f", "@new")


def test_relative_tables() -> None:
    """The entries of a relative vtable, differences to its own address, point to the new function."""
    entry = "i32 trunc (i64 sub (i64 ptrtoint (ptr {} to i64), i64 ptrtoint (ptr @x to i64)) to i32)"
    module = replace(f"@x = constant {{ [2 x i32] }} {{ [2 x i32] [i32 0, {entry.format('@f')}] }}\n")
    assert entry.format("@new") in definition(module, "x")


def test_constants_are_shared() -> None:
    """One constant in several places is replaced in all of them, for several values at once."""
    table = "{ [2 x ptr] } { [2 x ptr] [ptr @f, ptr @base] }"
    module = replace(
        f"@x = global {table}\n@y = global [2 x {{ [2 x ptr] }}] [{table}, {table}]\n"
        f"define {{ [2 x ptr] }} @u() {{\n  ret {table}\n}}\n",
        constants={"f": "new", "base": "x"},
    )
    for name in ("x", "y", "u"):
        text = definition(module, name)
        assert "[ptr @new, ptr @x]" in text
        assert "@f" not in text
        assert "@base" not in text


def test_a_replacement_may_hold_what_is_replaced() -> None:
    """What takes a value's place is left as it is: the new global may itself be replaced by name."""
    module = replace("@x = global [2 x ptr] [ptr @f, ptr @new]\n", constants={"f": "new", "new": "f"})
    assert "[2 x ptr] [ptr @new, ptr @f]" in definition(module, "x")


USES = """
declare void @take(ptr)
define ptr @u(i1 %c, ptr %p, i32 %n) {
entry:
  %s = select i1 %c, ptr @f, ptr %p
  %i = icmp eq ptr %s, @f
  store ptr @f, ptr %p
  call void @take(ptr @f)
  call void %s()
  br i1 %i, label %a, label %b
a:
  br label %b
b:
  %phi = phi ptr [ @f, %entry ], [ %s, %a ]
  ret ptr @f
}
"""


def test_instructions() -> None:
    """Operands of selects, comparisons, stores, arguments, phis and returns are replaced."""
    before = definition(parse(HEADER + USES), "u")
    assert definition(replace(USES), "u") == before.replace("@f", "@new")


CALLS = """
declare i32 @personality(...)
define void @u(ptr %p) personality ptr @personality {
entry:
  call void @f()
  call void @f() ["deopt"(ptr @f)]
  invoke void @f() to label %a unwind label %b
a:
  ret void
b:
  %l = landingpad { ptr, i32 } cleanup
  ret void
}
"""


def test_direct_calls_are_replaced() -> None:
    """A function that is not kept is replaced as a callee too."""
    assert instructions(replace(CALLS), "u")[:2] == [
        "call void @new()",
        'call void @new() [ "deopt"(ptr @new) ]',
    ]
    assert "invoke void @new()" in instructions(replace(CALLS), "u")


def test_direct_calls_are_kept() -> None:
    """Only the callee is kept: what the same call passes is replaced."""
    module = replace(CALLS, kept=("f",))
    assert instructions(module, "u")[:3] == [
        "call void @f()",
        'call void @f() [ "deopt"(ptr @new) ]',
        "invoke void @f()",
    ]


def test_inline_assembly_branches() -> None:
    """Operands of a callbr are replaced like those of a call."""
    module = replace(
        'define void @u() {\n  callbr void asm sideeffect "", "s,!i"(ptr @f) to label %a [label %b]\n'
        "a:\n  ret void\nb:\n  ret void\n}\n"
    )
    assert instructions(module, "u")[0] == 'callbr void asm sideeffect "", "s,!i"(ptr @new)'


def test_what_functions_carry() -> None:
    """Personality, prefix data and prologue data of a function are replaced."""
    module = replace(
        "define void @a() personality ptr @f {\n  ret void\n}\n"
        "define void @b() prefix ptr @f {\n  ret void\n}\n"
        "define void @c() prologue [2 x ptr] [ptr null, ptr @f] {\n  ret void\n}\n"
    )
    assert "personality ptr @new" in definition(module, "a")
    assert "prefix ptr @new" in definition(module, "b")
    assert "prologue [2 x ptr] [ptr null, ptr @new]" in definition(module, "c")


def test_aliases_and_ifuncs_are_left() -> None:
    """Aliases and ifuncs go on meaning the function itself."""
    module = replace(
        "@al = alias void (), ptr @f\n@at = alias i8, getelementptr (i8, ptr @f, i64 1)\n"
        "@if = ifunc void (), ptr @pick\ndefine ptr @pick() {\n  ret ptr @f\n}\n",
        constants={"f": "new", "pick": "new"},
    )
    assert definition(module, "al") == "@al = alias void (), ptr @f"
    assert definition(module, "at") == "@at = alias i8, getelementptr (i8, ptr @f, i64 1)"
    assert [str(value).strip() for value in module.ifuncs()] == ["@if = ifunc void (), ptr @pick"]


def test_metadata_is_left() -> None:
    """Metadata speaks of the function itself, attached or not."""
    module = replace("@x = global ptr @f, !mine !0\n!named = !{!0}\n!0 = !{ptr @f}\n")
    assert definition(module, "x") == "@x = global ptr @new, !mine !0"
    assert "!0 = !{ptr @f}" in module.print()


def test_block_addresses_are_left() -> None:
    """The address of a block goes on being in the function, even inside a constant that changes."""

    def refuse(constant: int, held: int) -> int | None:
        raise AssertionError("nobody is asked about the address of a block")

    text = "@x = global { ptr, ptr } { ptr blockaddress(@f, %block), ptr @f }\n"
    module = replace(text, opaque=refuse)
    assert definition(module, "x") == "@x = global { ptr, ptr } { ptr blockaddress(@f, %block), ptr @new }"


def test_opaque_constants_are_asked_for() -> None:
    """`no_cfi` and `dso_local_equivalent` are asked for once each, with the function they hold."""
    asked: list[tuple[bool, str]] = []
    text = (
        "@x = global { ptr, ptr } { ptr no_cfi @f, ptr dso_local_equivalent @f }\n"
        "@y = global i64 ptrtoint (ptr dso_local_equivalent @f to i64)\n@z = global ptr no_cfi @f\n"
        "@direct = global ptr dso_local_equivalent @f\n"
    )
    module = parse(HEADER + text)
    function, new, base = (handle(module, name) for name in ("f", "new", "base"))

    def opaque(constant: int, held: int) -> int | None:
        is_body = is_no_cfi(module, constant)
        asked.append((is_body, "f" if held == function else "another"))
        return None if is_body else base

    with edit(module) as editor:
        Replacement(editor, {function: new}, {}, frozenset(), opaque).run()
    module.verify()
    assert (False, "f") in asked
    assert (True, "f") in asked
    assert {held for _, held in asked} == {"f"}
    assert [is_body for is_body, _ in asked].count(False) == 1
    assert definition(module, "x") == "@x = global { ptr, ptr } { ptr no_cfi @f, ptr @base }"
    assert definition(module, "y") == "@y = global i64 ptrtoint (ptr @base to i64)"
    assert definition(module, "direct") == "@direct = global ptr @base"
    assert definition(module, "z") == "@z = global ptr no_cfi @f"


def test_computed_values_are_built_at_each_use() -> None:
    """Code in front of each use computes the value."""
    module = replace(
        "declare void @take(ptr, i64)\ndefine void @u(ptr %p) {\n  store ptr @w, ptr %p\n"
        "  call void @take(ptr @f, i64 add (i64 ptrtoint (ptr @w to i64), i64 1))\n  ret void\n}\n",
        computed=("w",),
    )
    assert instructions(module, "u") == [
        "%1 = icmp ne ptr @w, null",
        "%2 = select i1 %1, ptr @new, ptr null",
        "store ptr %2, ptr %p, align 8",
        "%3 = icmp ne ptr @w, null",
        "%4 = select i1 %3, ptr @new, ptr null",
        "%5 = ptrtoint ptr %4 to i64",
        "%6 = add i64 %5, 1",
        "call void @take(ptr @new, i64 %6)",
        "ret void",
    ]


@pytest.mark.parametrize(
    ("type_", "constant", "step"),
    [
        ("[2 x ptr]", "[ptr @w, ptr @f]", "%4 = insertvalue [2 x ptr] %3, ptr @new, 1"),
        ("{ i8, ptr }", "{ i8 5, ptr @w }", "%3 = insertvalue { i8, ptr } { i8 5, ptr undef }, ptr %2, 1"),
        ("<2 x ptr>", "<ptr @w, ptr null>", "%4 = insertelement <2 x ptr> %3, ptr null, i32 1"),
        (
            "{ [1 x ptr], ptr }",
            "{ [1 x ptr] [ptr @w], ptr null }",
            "%3 = insertvalue [1 x ptr] undef, ptr %2, 0",
        ),
        ("ptr", "getelementptr nuw (i8, ptr @w, i64 4)", "%3 = getelementptr nuw i8, ptr %2, i64 4"),
        ("i64", "ptrtoint (ptr @w to i64)", "%3 = ptrtoint ptr %2 to i64"),
        (
            "i64",
            "sub (i64 ptrtoint (ptr @w to i64), i64 ptrtoint (ptr @base to i64))",
            "%4 = sub i64 %3, ptrtoint (ptr @base to i64)",
        ),
    ],
)
def test_computed_values_inside_constants(type_: str, constant: str, step: str) -> None:
    """A constant that holds a computed value becomes code, in arrays, structs, vectors and expressions."""
    module = replace(f"define {type_} @u() {{\n  ret {type_} {constant}\n}}\n", computed=("w",))
    found = instructions(module, "u")
    assert step in found
    assert [line for line in found if "@w" in line] == ["%1 = icmp ne ptr @w, null"]


def test_phis_get_their_values_from_the_edge() -> None:
    """A computed value that arrives at a phi is computed at the end of the block it comes from."""
    module = replace(
        "define ptr @u(i1 %c, ptr %p) {\nentry:\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n"
        "  %x = phi ptr [ @w, %entry ], [ %p, %a ]\n  ret ptr %x\n}\n",
        computed=("w",),
    )
    assert instructions(module, "u") == [
        "%0 = icmp ne ptr @w, null",
        "%1 = select i1 %0, ptr @new, ptr null",
        "br i1 %c, label %a, label %b",
        "br label %b",
        "%x = phi ptr [ %1, %entry ], [ %p, %a ]",
        "ret ptr %x",
    ]


def test_a_switch_that_arrives_twice_brings_one_value() -> None:
    """Two edges from one block to a phi bring the same computed value, as LLVM demands."""
    module = replace(
        "define ptr @u(i32 %n) {\nentry:\n"
        "  switch i32 %n, label %other [ i32 1, label %b\n i32 2, label %b ]\nother:\n  br label %b\nb:\n"
        "  %x = phi ptr [ @w, %entry ], [ @w, %entry ], [ @f, %other ]\n  ret ptr %x\n}\n",
        computed=("w",),
    )
    text = definition(module, "u")
    assert "phi ptr [ %1, %entry ], [ %1, %entry ], [ @new, %other ]" in text
    assert text.count("icmp") == 1


def test_constants_that_need_code_and_others_are_told_apart() -> None:
    """A constant with no computed value in it stays a constant, shared or not."""
    module = replace(
        "@x = global [1 x ptr] [ptr @f]\ndefine { [1 x ptr], [1 x ptr] } @u() {\n"
        "  ret { [1 x ptr], [1 x ptr] } { [1 x ptr] [ptr @f], [1 x ptr] [ptr @w] }\n}\n",
        computed=("w",),
    )
    assert definition(module, "x") == "@x = global [1 x ptr] [ptr @new]"
    assert "{ [1 x ptr] [ptr @new], [1 x ptr] undef }" in definition(module, "u")


def test_many_uses_in_one_constant() -> None:
    """Thousands of functions in one table are replaced in one go."""
    count = 3000
    functions = "".join(f"declare void @f{n}()\n" for n in range(count))
    table = ", ".join(f"ptr @f{n}" for n in range(count))
    module = replace(
        f"{functions}@x = global [{count} x ptr] [{table}]\n",
        constants={f"f{n}": f"f{count - 1 - n}" for n in range(count)},
    )
    expected = ", ".join(f"ptr @f{n}" for n in reversed(range(count)))
    assert definition(module, "x") == f"@x = global [{count} x ptr] [{expected}]"


def test_variables_that_hold_a_constant() -> None:
    """Initializers are found through any constant, each variable once; code does not count."""
    module = parse(
        HEADER + "@a = global ptr @w\n@b = global { i32, [2 x ptr] } { i32 0, [2 x ptr] [ptr @w, ptr @w] }\n"
        "@c = global i64 ptrtoint (ptr @w to i64)\n@d = global ptr @a\n@e = global ptr @f\n"
        "define ptr @u() {\n  ret ptr @w\n}\n@g = global ptr dso_local_equivalent @w\n"
    )

    def names(editor: Editor, constant: int) -> set[str]:
        found = variables_using(editor, constant)
        assert len(found) == len(set(found))
        return {editor.name(variable).decode() for variable in found}

    with edit(module) as editor:
        assert names(editor, handle(module, "w")) == {"a", "b", "c", "g"}
        assert names(editor, handle(module, "a")) == {"d"}
        assert names(editor, handle(module, "d")) == set()
