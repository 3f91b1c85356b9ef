"""Modules: parsing, printing, verifying, linking, looking up, and what is refused after a change."""

from __future__ import annotations

import pytest

from tests.ir import I386, X86_64, parse
from typemeta.errors import InputError, LinkError, LLVMError, StaleHandleError
from typemeta.llvm.context import Context
from typemeta.llvm.edit import edit
from typemeta.llvm.module import Module

TEXT = """
@v = global i32 1
@w = external global i8
@al = alias i32, ptr @v
@res = ifunc void (), ptr @pick
define void @f() {
  ret void
}
declare void @g()
define internal ptr @pick() {
  ret ptr @f
}
"""


def test_parsed_text_prints_as_the_same_module() -> None:
    """Text that is printed and parsed again prints alike."""
    once = parse(TEXT).print()
    assert "define void @f()" in once
    assert parse(once).print() == once


def test_bitcode_round_trip() -> None:
    """Bitcode holds what the text holds."""
    module = parse(TEXT)
    code = module.bitcode()
    assert code.startswith(b"BC\xc0\xde")
    assert Module.parse(code, "test.ll").print() == module.print()


def test_parsing_takes_any_bytes() -> None:
    """A view of a larger buffer is parsed as it is, without a zero byte behind it."""
    data = TEXT.encode()
    module = Module.parse(memoryview(b"xx" + data + b"yy")[2:-2], "x.ll")
    assert module.print() == Module.parse(data, "x.ll").print()


def test_a_parse_error_has_line_and_column() -> None:
    """LLVM's position becomes the error's, and its text is one line."""
    with pytest.raises(InputError) as caught:
        Module.parse(b"define void @f() {\n  rat void\n}\n", "bad.ll")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("bad.ll", 2, 3)
    assert str(caught.value) == "bad.ll:2:3: expected instruction opcode"


def test_a_parse_error_in_a_file_with_colons_in_its_name() -> None:
    """A name that looks like a position does not confuse the position."""
    with pytest.raises(InputError) as caught:
        Module.parse(b"\n\n    what\n", "a:1:2.ll")
    assert (caught.value.line, caught.value.column) == (3, 5)
    assert str(caught.value).startswith("a:1:2.ll:3:5: ")


def test_a_broken_bitcode_has_no_position() -> None:
    """Truncated bitcode is an InputError in LLVM's words, on one line, with the file's name once."""
    code = parse(TEXT).bitcode()
    with pytest.raises(InputError) as caught:
        Module.parse(code[: len(code) // 2], "half.bc")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("half.bc", 0, 0)
    assert str(caught.value).count("half.bc") == 1
    assert "\n" not in str(caught.value)


def test_a_failed_parse_leaves_the_context_usable() -> None:
    """After an error the context parses the next module."""
    with Context() as context:
        with pytest.raises(InputError):
            Module.parse(b"nonsense", "x.ll", context=context)
        assert parse(TEXT, context=context).find("f") is not None


def test_a_closed_module_is_refused() -> None:
    """Every use of a closed module raises; closing twice does nothing."""
    module = parse(TEXT)
    module.close()
    module.close()
    assert repr(module) == "<Module 'test.ll' closed>"
    for use in (
        module.print,
        module.bitcode,
        module.verify,
        module.clone,
        module.flags,
        lambda: module.triple,
        lambda: module.data_layout,
        lambda: module.pointer_bits,
        lambda: module.find("f"),
        lambda: list(module.functions()),
        lambda: list(module.variables()),
        lambda: list(module.aliases()),
        lambda: list(module.ifuncs()),
        lambda: module.set_target("x", ""),
    ):
        with pytest.raises(StaleHandleError, match=r"^module test\.ll is closed$"):
            use()


def test_a_module_closes_with_its_block() -> None:
    """`with` closes the module and leaves its context open."""
    with parse(TEXT) as module:
        assert repr(module) == "<Module 'test.ll'>"
    assert repr(module) == "<Module 'test.ll' closed>"
    assert module.context.is_open


def test_iteration_is_refused_after_a_close() -> None:
    """An iterator over a module's values does not walk through freed memory."""
    module = parse(TEXT)
    functions = module.functions()
    next(functions)
    module.close()
    with pytest.raises(StaleHandleError):
        next(functions)


def test_iteration_is_refused_after_a_change() -> None:
    """An iterator does not go on from a value that an edit may have removed."""
    module = parse(TEXT)
    functions = module.functions()
    next(functions)
    with edit(module):
        pass
    with pytest.raises(StaleHandleError, match="was changed"):
        next(functions)


def test_lookup_by_name() -> None:
    """Functions, variables and aliases are found by name, everything else is None."""
    module = parse(TEXT)
    found = {name: module.find(name) for name in ("f", "v", "w", "al", "missing", "")}
    assert {name: value and value.name for name, value in found.items()} == {
        "f": "f",
        "v": "v",
        "w": "w",
        "al": "al",
        "missing": None,
        "": None,
    }


def test_names_of_any_bytes_are_found() -> None:
    """A name in another encoding than UTF-8 is found by its surrogate-escaped text."""
    module = parse('@"caf\\E9" = global i8 0\n@"a b" = global i8 0\n')
    assert module.find(b"caf\xe9".decode(errors="surrogateescape")) is not None
    assert module.find("a b") is not None


def test_values_in_module_order() -> None:
    """Each kind of global is listed in the order of the module."""
    module = parse(TEXT)
    assert [v.name for v in module.functions()] == ["f", "g", "pick"]
    assert [v.name for v in module.variables()] == ["v", "w"]
    assert [v.name for v in module.aliases()] == ["al"]
    assert [v.name for v in module.ifuncs()] == ["res"]


@pytest.mark.parametrize(("header", "bits"), [("", 64), (X86_64, 64), (I386, 32)])
def test_pointer_width(header: str, bits: int) -> None:
    """The data layout says how wide a pointer is; without one it is LLVM's default."""
    assert parse(header).pointer_bits == bits


def test_target_is_read_and_set() -> None:
    """Triple and data layout are empty until they are set, and setting them is a change."""
    module = parse("")
    assert (module.triple, module.data_layout, module.epoch) == ("", "", 0)
    module.set_target("i686-pc-linux-gnu", "e-p:32:32")
    assert (module.triple, module.data_layout, module.epoch) == ("i686-pc-linux-gnu", "e-p:32:32", 1)
    assert module.pointer_bits == 32


def test_module_flags() -> None:
    """Integer flags have their value, others None, and a module without flags has none."""
    module = parse(
        '!llvm.module.flags = !{!0, !1, !2}\n!0 = !{i32 1, !"wchar_size", i32 4}\n'
        '!1 = !{i32 1, !"a list", !{}}\n!2 = !{i32 4, !"zero", i32 0}\n'
    )
    assert module.flags() == {"wchar_size": 4, "a list": None, "zero": 0}
    assert parse(TEXT).flags() == {}


def test_the_verifier_speaks() -> None:
    """A module that breaks a rule is refused with the verifier's words and the module's name."""
    module = Module.parse(
        b"define i32 @f() {\nb:\n  %x = add i32 %y, 1\n  %y = add i32 1, 2\n  ret i32 %x\n}\n", "x.ll"
    )
    with pytest.raises(LLVMError) as caught:
        module.verify()
    assert str(caught.value).startswith(
        "x.ll: LLVM's verifier refuses the module: Instruction does not dominate"
    )


def test_a_clone_is_another_module() -> None:
    """Changing a clone leaves the original, and both live in one context."""
    module = parse(TEXT)
    copy = module.clone()
    assert (copy.context, copy.name) == (module.context, module.name)
    copy.set_target("x86_64-unknown-linux-gnu", "")
    assert module.triple == ""
    copy.close()
    assert module.find("f") is not None


def test_linking_resolves_declarations() -> None:
    """The linked module holds both halves, and the source is closed."""
    with Context() as context:
        module = parse(
            "declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}\n", context=context
        )
        other = parse("define void @g() {\n  ret void\n}\n", "other.ll", context=context)
        old = module.find("g")
        assert old is not None
        module.link_in(other)
        assert [(v.name, v.is_declaration) for v in module.functions()] == [("f", False), ("g", False)]
        with pytest.raises(StaleHandleError):
            other.print()
        with pytest.raises(StaleHandleError, match="was changed since this value was looked up"):
            assert old.name


def test_a_clash_is_named() -> None:
    """Two definitions of one symbol are a LinkError with the symbol; the destination can still be used."""
    with Context() as context:
        module = parse("@twice = global i8 0\n", context=context)
        other = parse("@twice = global i8 1\n", "other.ll", context=context)
        with pytest.raises(LinkError) as caught:
            module.link_in(other)
        assert caught.value.symbol == "twice"
        assert str(caught.value).startswith("cannot link other.ll: Linking globals named 'twice'")
        assert module.find("twice") is not None
        with pytest.raises(StaleHandleError):
            other.print()


def test_other_link_errors_name_no_symbol() -> None:
    """Module flags that contradict each other are a LinkError in LLVM's words."""
    flag = '!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"mode", i32 {}}}\n'
    with Context() as context:
        module = parse(flag.format(1), context=context)
        with pytest.raises(LinkError, match=r"^cannot link other\.ll: .*'mode'.*conflicting") as caught:
            module.link_in(parse(flag.format(2), "other.ll", context=context))
        assert caught.value.symbol is None


def test_modules_of_two_contexts_are_not_linked() -> None:
    """LLVM would crash on them, so it is a ValueError, and both stay open."""
    module, other = parse(TEXT), parse("")
    with pytest.raises(ValueError, match="one context"):
        module.link_in(other)
    assert module.find("f") is not None
    assert other.print()
