"""Splits IR text into tokens, and puts it together again with replacements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typemeta.errors import InputError
from typemeta.llvm.old_text.ir_tokens import IRReader, IRText, TypeKind

TOKENS = [
    ('store i8* null, i8** %"a*b" ; i8*', ["store", "i8", "*", "null", ",", "i8", "*", "*", '%"a*b"']),
    ("[8x i8addrspace(1)*]", ["[", "8", "x", "i8", "addrspace", "(", "1", ")", "*", "]"]),
    ('i8x: -1: "l*": x', ["i8x:", "-1:", '"l*"', ":", "x"]),
    ('!0 = !{!"a;b", !c\\20d} /* ; */ #1', ["!0", "=", "!", "{", '!"a;b"', ",", "!c\\20d", "}", "#", "1"]),
    ("void (i8, ...)* @-x.y$1", ["void", "(", "i8", ",", "...", ")", "*", "@-x.y$1"]),
    ('c"a\nb" "', ["c", '"a\nb"', '"']),
    ("$c = comdat any", ["$c", "=", "comdat", "any"]),
    ("", []),
]


FAULTS = [
    ("void*", "1:1: pointers to void are invalid; use i8"),
    ("{ i8, label* }", "1:7: pointers to labels"),
    ("metadata*", "1:1: pointers to metadata"),
    ("[1 x token*]", "1:6: pointers to tokens"),
    ("ptr addrspace(1)*", "1:1: `ptr\\*` is invalid; use `ptr`"),
    ("{" * 101 + "}" * 101, "1:101: types are nested more than 100 levels deep"),
    ("{ i8, i8", "1:9: expected a type"),
    ("[2 x %v, 1]", "1:8: expected a type, found `,`"),
    ("[2 x null]", "1:6: expected a type, found `null`"),
    ("<{ i8 }, 1>", "1:8: expected a type, found `,`"),
    ("void (i8, ..., i8)", "1:11: expected a type, found `...`"),
    ("\\1", "1:1: expected a type"),
]


@pytest.mark.parametrize(("text", "tokens"), TOKENS)
def test_splits_as_llvm_does(text: str, tokens: list[str]) -> None:
    """Names, strings, labels and metadata are one token each; comments and blanks are none."""
    split = IRText(text)
    assert split.tokens[: split.end] == tokens
    assert not any(split.tokens[split.end :])


@given(st.text() | st.text(alphabet='ai8x:;"/* \n%@!$\\.'))
def test_loses_nothing(text: str) -> None:
    """Without replacements the text comes back."""
    assert IRText(text).render() == text


def test_keeps_what_replacements_do_not_cover() -> None:
    """Blanks inside a replaced range go, line breaks and comments stay; insertions keep their order."""
    text = IRText("a b  c ; x\n d e\tf")
    text.replace(1, 4, "B")
    text.insert_before(1, "<")
    text.insert_after(1, ">")
    text.insert_after(1, ">>")
    text.remove(4, 5)
    assert text.original(1, 4) == " b c d"
    assert text.replaced(0, 2) == "a <B>>>"
    assert text.render() == "a <B>>> ; x\n  f"


def test_separates_words() -> None:
    """A word that replaces brackets does not grow together with its neighbours."""
    text = IRText("to{}x {} ,")
    text.replace_word(1, 3, "ptr")
    text.replace_word(4, 6, "ptr")
    assert text.render() == "to ptr x ptr ,"


def test_removes_the_blank_before_a_line_end() -> None:
    """What is removed at the end of a line leaves no blank behind, also before a comment."""
    for end in ("", "\nx", " ; c\nx"):
        text = IRText(f"a b{end}")
        text.remove(1, 2)
        assert text.render() == f"a{end}"


def test_finds_places() -> None:
    """Lines and columns count from 1, and a bracket that never closes is at its own place."""
    text = IRText("a\n  (b ; )\n")
    error = text.error(2, "odd")
    assert (str(error), error.line, error.column) == ("<input>:2:4: odd", 2, 4)
    with pytest.raises(InputError, match="<input>:2:3: `\\(` is never closed"):
        text.find_closing(1)
    with pytest.raises(InputError, match="<input>:2:4: expected a bracket, found `b`"):
        text.find_closing(2)


def test_reads_types() -> None:
    """A type is as long as it can be, and knows its parts and what its name stands for."""
    text = IRText("%T = type { i8, %T* }  <2 x i32 (%T, ...) addrspace(3)*> x [2 y]")
    reader = IRReader(text)
    vector = reader.need_type(9)
    (pointer,) = vector.parts
    (function,) = pointer.parts
    assert (vector.kind, pointer.kind, function.kind) == (
        TypeKind.VECTOR,
        TypeKind.POINTER,
        TypeKind.FUNCTION,
    )
    assert (pointer.space, len(function.parts), text.tokens[vector.stop]) == ("3", 3, "x")
    assert reader.resolve(function.parts[1]).kind is TypeKind.STRUCT
    assert reader.read_type(vector.stop + 1) is None
    with pytest.raises(InputError, match="expected a type, found `=`"):
        reader.need_type(1)


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_says_what_is_no_type(text: str, message: str) -> None:
    """The error is where the type stops being one."""
    with pytest.raises(InputError, match=message):
        IRReader(IRText(text)).need_type(0)
