"""The verbs of an editing session build what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ir import I386, X86_64, definition, handle, instructions, parse
from typemeta.errors import StaleHandleError
from typemeta.llvm.edit import (
    EXTERNAL_LINKAGE,
    HIDDEN,
    ICMP_EQ,
    ICMP_NE,
    ICMP_ULE,
    INTERNAL_LINKAGE,
    PRIVATE_LINKAGE,
    Editor,
    edit,
)
from typemeta.llvm.functions import users
from typemeta.llvm.module import Module

BODY = """
declare void @here(ptr, i64)
define i64 @f(ptr %p, i64 %n) {
  call void @here(ptr %p, i64 %n)
  ret i64 %n
}
"""


def built(build: Callable[[Editor, int, int], object], header: str = X86_64) -> list[str]:
    """Builds something in front of a call, given the function's arguments; returns what was built."""
    module = parse(header + BODY)
    (call,) = users(module, handle(module, "here"))
    pointer, number = (module.c.LLVMGetOperand(call, index) for index in (0, 1))
    with edit(module) as editor:
        editor.position_before(call)
        build(editor, pointer, number)
    module.verify()
    return instructions(module, "f")[:-2]


BUILDERS: dict[str, Callable[[Editor, int, int], object]] = {
    "%1 = ptrtoint ptr %p to i64": lambda e, p, n: e.to_integer(p),
    "%1 = sub i64 %n, 3": lambda e, p, n: e.subtract(n, e.constant(e.int_ptr_type, 3)),
    "%1 = shl i64 %n, 3": lambda e, p, n: e.shift_left(n, e.constant(e.int_ptr_type, 3)),
    "%1 = and i64 %n, 3": lambda e, p, n: e.bit_and(n, e.constant(e.int_ptr_type, 3)),
    "%1 = trunc i64 %n to i8": lambda e, p, n: e.truncate(n, e.i8),
    "%1 = zext i64 %n to i128": lambda e, p, n: e.zero_extend(n, e.int_type(128)),
    "%1 = icmp eq i64 %n, %n": lambda e, p, n: e.compare(ICMP_EQ, n, n),
    "%1 = icmp ne ptr %p, null": lambda e, p, n: e.compare(ICMP_NE, p, e.null(e.pointer_type)),
    "%1 = icmp ule i64 %n, 5": lambda e, p, n: e.compare(ICMP_ULE, n, e.constant(e.int_ptr_type, 5)),
    "%1 = call i64 @llvm.fshr.i64(i64 %n, i64 %n, i64 3)": lambda e, p, n: e.rotate_right(
        n, e.constant(e.int_ptr_type, 3)
    ),
    "%1 = load i8, ptr %p, align 1": lambda e, p, n: e.load(e.i8, p),
    "store i64 %n, ptr %p, align 8": lambda e, p, n: e.store(n, p),
    "%1 = getelementptr i8, ptr %p, i64 %n": lambda e, p, n: e.byte_address(p, n),
    "%1 = getelementptr inbounds i64, ptr %p, i64 %n": lambda e, p, n: e.get_element(
        e.int_type(64), p, [n], 3
    ),
    "%1 = inttoptr i64 %n to ptr": lambda e, p, n: e.cast(40, n, e.pointer_type),
    "%1 = xor i64 %n, %n": lambda e, p, n: e.binary(25, n, n),
    "call void @here(ptr %p, i64 7)": lambda e, p, n: e.call(
        e.function_type(e.void_type, [e.pointer_type, e.int_type(64)]),
        e.declare("here", e.void_type),
        [p, e.constant(e.int_type(64), 7)],
    ),
    "%1 = insertvalue [2 x ptr] undef, ptr %p, 1": lambda e, p, n: e.insert_value(
        e.c.LLVMGetUndef(e.array_type(e.pointer_type, 2)), p, 1
    ),
    "%1 = insertelement <2 x ptr> undef, ptr %p, i32 1": lambda e, p, n: e.insert_element(
        e.c.LLVMGetUndef(vector_type(e)), p, e.constant(e.i32, 1)
    ),
}


@pytest.mark.parametrize("expected", BUILDERS)
def test_instructions(expected: str) -> None:
    """Each verb builds one instruction where the editor stands, with its operands in order."""
    assert built(BUILDERS[expected]) == [expected]


def vector_type(editor: Editor) -> int:
    """Returns `<2 x ptr>`."""
    null = editor.null(editor.pointer_type)
    return int(editor.c.LLVMTypeOf(editor.c.LLVMConstVector([null, null], 2)))


def test_a_select_and_an_element() -> None:
    """Operands that are instructions themselves are used as they stand."""

    def build(editor: Editor, pointer: int, number: int) -> None:
        condition = editor.compare(ICMP_NE, number, editor.constant(editor.int_ptr_type, 0))
        chosen = editor.select(condition, pointer, editor.null(editor.pointer_type))
        vector = editor.insert_element(
            editor.c.LLVMGetUndef(vector_type(editor)), chosen, editor.constant(editor.i32, 0)
        )
        editor.extract_element(vector, number)

    assert built(build) == [
        "%1 = icmp ne i64 %n, 0",
        "%2 = select i1 %1, ptr %p, ptr null",
        "%3 = insertelement <2 x ptr> undef, ptr %2, i32 0",
        "%4 = extractelement <2 x ptr> %3, i64 %n",
    ]


def test_integers_are_as_wide_as_a_pointer() -> None:
    """On a target with 4-byte pointers distances have 32 bits, and one rotation is declared once."""

    def build(editor: Editor, pointer: int, number: int) -> None:
        value = editor.to_integer(pointer)
        editor.rotate_right(editor.rotate_right(value, value), value)

    assert built(build, I386) == [
        "%1 = ptrtoint ptr %p to i32",
        "%2 = call i32 @llvm.fshr.i32(i32 %1, i32 %1, i32 %1)",
        "%3 = call i32 @llvm.fshr.i32(i32 %2, i32 %2, i32 %1)",
    ]


CONSTANTS: dict[str, Callable[[Editor, int], int]] = {
    "i1 true": lambda e, x: e.constant(e.i1, 1),
    "i8 -1": lambda e, x: e.constant(e.i8, 255),
    "i64 -8": lambda e, x: e.constant(e.int_type(64), -8),
    "ptr null": lambda e, x: e.null(e.pointer_type),
    '[3 x i8] c"a\\00b"': lambda e, x: e.byte_constant(b"a\0b"),
    "<{ ptr, i8 }> <{ ptr @x, i8 1 }>": lambda e, x: e.packed_struct([x, e.constant(e.i8, 1)]),
    "{ i8, ptr } { i8 1, ptr @x }": lambda e, x: e.struct([e.constant(e.i8, 1), x]),
    "[2 x ptr] [ptr @x, ptr null]": lambda e, x: e.pointer_array([x, e.null(e.pointer_type)]),
    '[2 x i8] c"\\01\\02"': lambda e, x: e.array(e.i8, [e.constant(e.i8, 1), e.constant(e.i8, 2)]),
    "ptr getelementptr (i8, ptr @x, i64 8)": lambda e, x: e.byte_offset(x, 8),
    "ptr getelementptr (i8, ptr @x, i64 -8)": lambda e, x: e.byte_offset(x, -8),
    "ptr getelementptr inbounds (<{ i8, i32 }>, ptr @x, i32 0, i32 1)": lambda e, x: e.element_address(
        e.packed_struct_type([e.i8, e.i32]), x, 1
    ),
    "i64 ptrtoint (ptr @x to i64)": lambda e, x: e.pointer_as_integer(x),
    "ptr inttoptr (i64 4096 to ptr)": lambda e, x: e.integer_as_pointer(
        e.constant(e.int_ptr_type, 4096), e.pointer_type
    ),
}


@pytest.mark.parametrize("expected", CONSTANTS)
def test_constants(expected: str) -> None:
    """Each verb gives the constant that LLVM prints like this."""
    module = parse(X86_64 + "@x = global [16 x i64] zeroinitializer\n")
    variable = handle(module, "x")
    with edit(module) as editor:
        constant = CONSTANTS[expected](editor, variable)
        text = module.library.take_message(module.c.LLVMPrintValueToString(constant))
    assert text == expected


def test_no_offset_is_the_base() -> None:
    """The address at offset 0 is the base itself."""
    module = parse("@x = global i8 0\n")
    variable = handle(module, "x")
    with edit(module) as editor:
        assert editor.byte_offset(variable, 0) == variable


def test_types() -> None:
    """Types print as LLVM's; a function type gives back its parameters."""
    module = parse(X86_64)
    with edit(module) as editor:
        parameters = [editor.i8, editor.pointer_type]
        type_ = editor.function_type(editor.void_type, parameters)
        assert editor.parameter_types(type_) == parameters
        assert editor.parameter_types(editor.function_type(editor.void_type, [])) == []
        texts = [
            module.library.take_message(module.c.LLVMPrintTypeToString(t))
            for t in (type_, editor.array_type(editor.i32, 3), editor.packed_struct_type(parameters))
        ]
    assert texts == ["void (i8, ptr)", "[3 x i32]", "<{ i8, ptr }>"]


def test_variables_and_functions_are_added() -> None:
    """Names, linkage, constness and alignment are as asked for."""
    module = parse(X86_64)
    with edit(module) as editor:
        variable = editor.add_variable(editor.i32, "v", constant=True, linkage=PRIVATE_LINKAGE, alignment=32)
        editor.set_initializer(variable, editor.constant(editor.i32, 7))
        assert editor.initializer(variable) == editor.constant(editor.i32, 7)
        assert editor.value_type(variable) == editor.i32
        editor.add_variable(editor.i8, "plain", constant=False, linkage=EXTERNAL_LINKAGE)
        function = editor.add_function(
            editor.function_type(editor.void_type, []), "f", linkage=INTERNAL_LINKAGE
        )
        for attribute in ("nounwind", "naked"):
            editor.add_attribute(function, attribute)
        editor.append_block(function, "entry")
        editor.return_void()
    module.verify()
    assert definition(module, "v") == "@v = private constant i32 7, align 32"
    assert definition(module, "plain") == "@plain = external global i8"
    assert definition(module, "f").startswith("define internal void @f()")
    assert "attributes #0 = { naked nounwind }" in module.print()
    assert instructions(module, "f") == ["ret void"]


def test_a_declaration_is_made_once() -> None:
    """A function that is there is found, one that is not is declared."""
    module = parse(X86_64 + "define void @there() {\n  ret void\n}\n")
    with edit(module) as editor:
        type_ = editor.function_type(editor.void_type, [])
        assert editor.declare("there", type_) == editor.c.LLVMGetNamedFunction(module.ref, b"there")
        assert editor.declare("new", type_) == editor.declare("new", type_)
    assert [(v.name, v.is_declaration) for v in module.functions()] == [("there", False), ("new", True)]


def test_an_alias_takes_over_a_name() -> None:
    """Name, linkage and visibility go to the alias, and the old global has no name."""
    module = parse(X86_64 + "@old = weak hidden global i32 1\n@target = global [2 x i32] zeroinitializer\n")
    old, target = handle(module, "old"), handle(module, "target")
    with edit(module) as editor:
        editor.replace_by_alias(old, editor.i32, editor.byte_offset(target, 4))
        assert editor.name(old) == b""
    module.verify()
    assert definition(module, "old") == (
        "@old = weak hidden alias i32, getelementptr (i8, ptr @target, i64 4)"
    )


def test_an_alias_by_itself() -> None:
    """An alias is added with linkage and visibility."""
    module = parse(X86_64 + "@x = global i32 1\n")
    variable = handle(module, "x")
    with edit(module) as editor:
        editor.add_alias(editor.i32, variable, "al", linkage=EXTERNAL_LINKAGE, visibility=HIDDEN)
    assert definition(module, "al") == "@al = hidden alias i32, ptr @x"


def test_renaming() -> None:
    """A name is any bytes; LLVM makes a taken one different."""
    module = parse(X86_64 + "@a = global i8 0\n@b = global i8 0\n")
    a, b = handle(module, "a"), handle(module, "b")
    with edit(module) as editor:
        editor.rename(a, b"\xff\0x")
        editor.rename(b, b"\xff\0x")
        assert editor.name(a) == b"\xff\0x"
        assert editor.name(b) != b"\xff\0x"


def test_uses_are_replaced_and_values_removed() -> None:
    """After replacing its uses, in constants too, a global or an instruction can go."""
    module = parse(
        X86_64 + "@a = global i8 0\n@b = global i8 0\n@t = global [1 x ptr] [ptr @a]\n"
        "define void @gone() {\n  ret void\n}\n" + BODY
    )
    a, b, gone = (handle(module, name) for name in ("a", "b", "gone"))
    (call,) = users(module, handle(module, "here"))
    with edit(module) as editor:
        editor.replace_uses(a, b)
        editor.delete_variable(a)
        editor.delete_function(gone)
        editor.erase(call)
    module.verify()
    assert module.find("a") is None
    assert module.find("gone") is None
    assert definition(module, "t") == "@t = global [1 x ptr] [ptr @b]"
    assert instructions(module, "f") == ["ret i64 %n"]


def test_one_kind_of_metadata_is_erased() -> None:
    """All attachments of the kind go, those of others stay."""
    module = parse(
        "@a = global i8 0, !type !0, !type !1, !vcall_visibility !2\n"
        '!0 = !{i64 0, !"T"}\n!1 = !{i64 0, !"U"}\n!2 = !{i64 1}\n'
    )
    a = handle(module, "a")
    with edit(module) as editor:
        editor.erase_metadata(a, "type")
        editor.erase_metadata(a, "no such kind")
    assert definition(module, "a") == "@a = global i8 0, !vcall_visibility !0"


def test_a_call_as_declared() -> None:
    """Calling convention and parameter attributes of the function come to the call."""
    module = parse(X86_64 + "declare fastcc zeroext i8 @g(ptr nonnull byval(i64), i16 signext)\n" + BODY)
    g, here = handle(module, "g"), handle(module, "here")
    (call,) = users(module, here)
    pointer = module.c.LLVMGetOperand(call, 0)
    with edit(module) as editor:
        editor.position_before(call)
        editor.call_as_declared(editor.value_type(g), g, [pointer, editor.constant(editor.int_type(16), 5)])
    module.verify()
    assert instructions(module, "f")[0] == (
        "%1 = call fastcc zeroext i8 @g(ptr nonnull byval(i64) %p, i16 signext 5)"
    )


def test_inline_assembly_and_unreachable() -> None:
    """Inline assembly is called like a function; its text is in AT&T dialect with side effects."""

    def build(editor: Editor, pointer: int, number: int) -> None:
        type_ = editor.function_type(editor.void_type, [editor.pointer_type])
        editor.call(type_, editor.inline_asm(type_, "nop ${0:c}", "s"), [editor.null(editor.pointer_type)])

    assert built(build) == ['call void asm sideeffect "nop ${0:c}", "s"(ptr null)']
    module = parse(X86_64)
    with edit(module) as editor:
        function = editor.add_function(
            editor.function_type(editor.void_type, []), "f", linkage=EXTERNAL_LINKAGE
        )
        editor.append_block(function, "entry")
        editor.unreachable()
    assert instructions(module, "f") == ["unreachable"]


def test_new_code_takes_over_the_source_position() -> None:
    """What is built in front of an instruction has its debug location."""
    module = parse(
        X86_64 + "declare void @here(ptr)\ndefine void @f(ptr %p) !dbg !3 {\n"
        "  call void @here(ptr %p), !dbg !5\n  ret void\n}\n"
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: LineTablesOnly)\n"
        '!1 = !{i32 2, !"Debug Info Version", i32 3}\n!2 = !DIFile(filename: "a.c", directory: "/")\n'
        '!3 = distinct !DISubprogram(name: "f", file: !2, type: !4, unit: !0, spFlags: DISPFlagDefinition)\n'
        "!4 = !DISubroutineType(types: !{})\n!5 = !DILocation(line: 42, scope: !3)\n"
    )
    (call,) = users(module, handle(module, "here"))
    pointer = module.c.LLVMGetOperand(call, 0)
    with edit(module) as editor:
        editor.position_before(call)
        editor.to_integer(pointer)
    assert instructions(module, "f")[0].startswith("%1 = ptrtoint ptr %p to i64, !dbg !")


def test_an_edit_is_a_change() -> None:
    """Every session makes the module one epoch older, when it ends."""
    module = parse(BODY)
    for epoch in (1, 2, 3):
        with edit(module):
            assert module.epoch == epoch - 1
        assert module.epoch == epoch


def test_a_closed_module_cannot_be_edited() -> None:
    """Opening a session on a closed module raises."""
    module: Module = parse(BODY)
    module.close()
    with pytest.raises(StaleHandleError), edit(module):
        raise AssertionError("the session must not open")
