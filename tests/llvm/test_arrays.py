"""LLVM's appending arrays: taken out, changed, put back."""

from __future__ import annotations

from tests.ir import definition, handle, parse
from typemeta.llvm.arrays import (
    add_used,
    append_constructor,
    array_rows,
    put_pointers,
    set_array_rows,
    strip_casts,
    take_array,
    take_rows,
)
from typemeta.llvm.edit import edit

FUNCTIONS = "define void @f() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n@x = global i8 0\n"
USED = '@llvm.used = appending global [2 x ptr] [ptr @f, ptr @x], section "llvm.metadata"\n'
CTORS = (
    "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] "
    "[{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }, { i32, ptr, ptr } { i32 5, ptr @g, ptr @x }]\n"
)
ANNOTATIONS = (
    "@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] ["
    "{ ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @x, ptr @x, i32 7, ptr null }, "
    "{ ptr, ptr, ptr, i32, ptr } { ptr @g, ptr @x, ptr @x, i32 8, ptr null }"
    '], section "llvm.metadata"\n'
)


def test_taking_an_array_removes_it() -> None:
    """The elements come in order, and the variable is gone."""
    module = parse(FUNCTIONS + USED)
    expected = [handle(module, "f"), handle(module, "x")]
    with edit(module) as editor:
        assert take_array(editor, "llvm.used") == expected
    assert module.find("llvm.used") is None


def test_taking_an_array_that_is_not_there() -> None:
    """No variable, or one that is only declared, gives None and changes nothing."""
    module = parse(FUNCTIONS + "@llvm.compiler.used = external global [1 x ptr]\n")
    before = module.print()
    with edit(module) as editor:
        assert take_array(editor, "llvm.used") is None
        assert take_array(editor, "llvm.compiler.used") is None
    assert module.print() == before


def test_casts_are_stripped() -> None:
    """Elements behind address-space casts are the globals themselves."""
    module = parse(
        "@far = addrspace(1) global i8 0\n@llvm.used = appending global [1 x ptr] "
        '[ptr addrspacecast (ptr addrspace(1) @far to ptr)], section "llvm.metadata"\n'
    )
    far = handle(module, "far")
    with edit(module) as editor:
        assert take_array(editor, "llvm.used") == [far]
        assert strip_casts(module.c, far) == far


def test_putting_pointers_back() -> None:
    """What was taken and put back is the same text; duplicates are put once, an empty list not at all."""
    module = parse(FUNCTIONS + USED)
    before = definition(module, "llvm.used")
    with edit(module) as editor:
        elements = take_array(editor, "llvm.used") or []
        put_pointers(editor, "llvm.used", [*elements, *elements])
        put_pointers(editor, "llvm.compiler.used", [])
    module.verify()
    assert definition(module, "llvm.used") == before
    assert module.find("llvm.compiler.used") is None


def test_adding_to_used() -> None:
    """New elements come behind the old ones, whether or not there are any; none changes nothing."""
    module = parse(FUNCTIONS + USED)
    with edit(module) as editor:
        g = editor.c.LLVMGetNamedFunction(module.ref, b"g")
        add_used(editor, "llvm.used", [g])
        add_used(editor, "llvm.compiler.used", [g])
    assert "[ptr @f, ptr @x, ptr @g]" in definition(module, "llvm.used")
    assert "[1 x ptr] [ptr @g]" in definition(module, "llvm.compiler.used")
    before = module.print()
    with edit(module) as editor:
        add_used(editor, "llvm.used", [])
    assert module.print() == before


def test_appending_a_constructor() -> None:
    """The list is made if there is none, and grows at the end otherwise, in no special section."""
    module = parse(FUNCTIONS)
    for name, priority in (("f", 0), ("g", 7)):
        function = handle(module, name)
        with edit(module) as editor:
            append_constructor(editor, function, priority)
    module.verify()
    assert definition(module, "llvm.global_ctors") == (
        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] "
        "[{ i32, ptr, ptr } { i32 0, ptr @f, ptr null }, { i32, ptr, ptr } { i32 7, ptr @g, ptr null }]"
    )


def test_rows_are_taken_with_their_fields() -> None:
    """Each struct gives all its fields; no list gives no rows."""
    module = parse(FUNCTIONS + CTORS)
    f, g, x = (handle(module, name) for name in ("f", "g", "x"))
    with edit(module) as editor:
        null = editor.null(editor.pointer_type)
        assert take_rows(editor, "llvm.global_ctors") == [
            (editor.constant(editor.i32, 65535), f, null),
            (editor.constant(editor.i32, 5), g, x),
        ]
        assert take_rows(editor, "llvm.global_ctors") == []


def test_first_fields() -> None:
    """The first field of each row is read without removing anything; other contents have no rows."""
    module = parse(
        FUNCTIONS
        + ANNOTATIONS
        + "@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer\n"
    )
    expected = [handle(module, "f"), handle(module, "g")]
    before = module.print()
    with edit(module) as editor:
        assert array_rows(editor, "llvm.global.annotations") == expected
        assert array_rows(editor, "llvm.global_ctors") == []
        assert array_rows(editor, "llvm.global_dtors") == []
    assert module.print() == before


def test_setting_first_fields() -> None:
    """One row gets another first field, and nothing else changes."""
    module = parse(FUNCTIONS + ANNOTATIONS)
    before, g = definition(module, "llvm.global.annotations"), handle(module, "g")
    with edit(module) as editor:
        set_array_rows(editor, "llvm.global.annotations", {0: g})
    module.verify()
    assert definition(module, "llvm.global.annotations") == before.replace("{ ptr @f,", "{ ptr @g,")
    with edit(module) as editor:
        set_array_rows(editor, "llvm.global.annotations", {})
        set_array_rows(editor, "llvm.no.such.array", {})
