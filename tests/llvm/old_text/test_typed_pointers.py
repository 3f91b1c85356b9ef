"""Rewrites types of LLVM 2 to 14, and asks today's `opt` whether the text means what it meant."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from typemeta.errors import InputError
from typemeta.llvm.old_text.typed_pointers import has_typed_pointers, upgrade_typed_pointers

OPT = Path(sys.executable).parent / "opt"
needs_opt = pytest.mark.skipif(not OPT.exists(), reason="opt is not installed beside Python")

TYPES = [
    ("@p = global i8* null", "@p = global ptr null"),
    ("@p = global i8*null", "@p = global ptr null"),
    ("@p = global i32addrspace(3)* null", "@p = global ptr addrspace(3) null"),
    ("@p = global i8 addrspace(3)* null", "@p = global ptr addrspace(3) null"),
    ("@p = global i8 addrspace(3)** null", "@p = global ptr null"),
    ("@p = global void ()* null", "@p = global ptr null"),
    ("@p = global i8* (void (i8**)*, i32)** null", "@p = global ptr null"),
    ("@p = global{ i8*, [2 x i8*] } zeroinitializer", "@p = global{ ptr, [2 x ptr] } zeroinitializer"),
    ("@p = global{ i8 }* null", "@p = global ptr null"),
    ("@p = global <{ i8*, i8 }> undef", "@p = global <{ ptr, i8 }> undef"),
    ("@p = global [8x float*] undef", "@p = global [8x ptr] undef"),
    ("@v = global <2 x i8*> undef", "@v = global <2 x ptr> undef"),
    ("@v = global <vscale x 2 x i8*>* undef", "@v = global ptr undef"),
    ("@p = global { x86_mmx, i8* } undef", "@p = global { <1 x i64>, ptr } undef"),
    ("@l = external global { \\2*, i32 }", "@l = external global { ptr, i32 }"),
    ("%T = type { i8*, %T*, opaque* }", "%T = type { ptr, ptr, ptr }"),
    ('%"a*b" = type { %"a*b"* }', '%"a*b" = type { ptr }'),
    ("%F = type void (i8*)", "%F = type void (ptr)"),
    ("define i8* @f(i8* %x, void (i8*)* nocapture %g) {", "define ptr @f(ptr %x, ptr nocapture %g) {"),
    ("@p = global i8* bitcast (void ()* @f to i8*)", "@p = global ptr bitcast (ptr @f to ptr)"),
    (
        "@s = global { { i8*, i8 }, i8* } { { i8*, i8 } { i8* null, i8 1 }, i8* null }",
        "@s = global { { ptr, i8 }, ptr } { { ptr, i8 } { ptr null, i8 1 }, ptr null }",
    ),
    ("@i = ifunc i32 (i32), i32 (i32)* ()* @resolver", "@i = ifunc i32 (i32), ptr @resolver"),
    ("store i8* %a, i8** %b, align 8", "store ptr %a, ptr %b, align 8"),
    ("%v = va_arg i8** %ap, i32*", "%v = va_arg ptr %ap, ptr"),
    ("indirectbr i8* blockaddress(@f, %b), [label %b]", "indirectbr ptr blockaddress(@f, %b), [label %b]"),
    ("%x = landingpad { i8*, i32 } catch i8* null", "%x = landingpad { ptr, i32 } catch ptr null"),
    ("catchpad within %cs [i8* null, i32 64, i8* null]", "catchpad within %cs [ptr null, i32 64, ptr null]"),
    ('call void @f() [ "deopt"(i8* %p) ]', 'call void @f() [ "deopt"(ptr %p) ]'),
    ("!0 = !{i8* null, i32 1}", "!0 = !{ptr null, i32 1}"),
    ("call void @d(metadata i32* %x, metadata !1)", "call void @d(metadata ptr %x, metadata !1)"),
    ("!1 = !DITemplateValueParameter(value: i32* @x)", "!1 = !DITemplateValueParameter(value: ptr @x)"),
]

POINTEES = [
    ("%v = load i32* %p", "%v = load i32, ptr %p"),
    ("%v = load i8** %p, align 8, !tbaa !1", "%v = load ptr, ptr %p, align 8, !tbaa !1"),
    ("%v = load { i8*, i32 }* %p", "%v = load { ptr, i32 }, ptr %p"),
    ("%v = load void (i8*)** %p", "%v = load ptr, ptr %p"),
    ("%v = load volatile i32 addrspace(1)* %p", "%v = load volatile i32, ptr addrspace(1) %p"),
    ("%v = load atomic volatile i8* %p acquire", "%v = load atomic volatile i8, ptr %p acquire"),
    ("%v = load i32, i32* %p", "%v = load i32, ptr %p"),
    ("%P = type i8* %v = load %P %p", "%P = type ptr %v = load i8, %P %p"),
    ("%g = getelementptr %T* %p, i32 0", "%g = getelementptr %T, ptr %p, i32 0"),
    ("%g = getelementptr inbounds i8** %p, i64 1", "%g = getelementptr inbounds ptr, ptr %p, i64 1"),
    (
        "%g = getelementptr <2 x i32*> %p, <2 x i32> %i",
        "%g = getelementptr i32, <2 x ptr> %p, <2 x i32> %i",
    ),
    (
        "@q = global i32* getelementptr ([2 x i32]* @d, i32 0, i32 1)",
        "@q = global ptr getelementptr ([2 x i32], ptr @d, i32 0, i32 1)",
    ),
    (
        "@q = global i32* getelementptr inbounds ([2 x i32], [2 x i32]* @d, i32 0, i32 1)",
        "@q = global ptr getelementptr inbounds ([2 x i32], ptr @d, i32 0, i32 1)",
    ),
    ("@a = alias i32* @b", "@a = alias i32, ptr @b"),
    ("@a = alias i32, i32* @b", "@a = alias i32, ptr @b"),
    ("@a = alias void (i8*)* @f", "@a = alias void (ptr), ptr @f"),
    ("@a = alias bitcast (i32* @b to i8*)", "@a = alias i8, bitcast (ptr @b to ptr)"),
    (
        "%T = type { i8, [2 x i16] }\n@a = alias getelementptr inbounds (%T* @b, i32 0, i32 1, i32 1)",
        "%T = type { i8, [2 x i16] }\n"
        "@a = alias i16, getelementptr inbounds (%T, ptr @b, i32 0, i32 1, i32 1)",
    ),
    ("declare void @f(%T* byval, i32)", "declare void @f(ptr byval(%T), i32)"),
    ("declare void @f(i8** noalias sret align 4 %x)", "declare void @f(ptr noalias sret(ptr) align 4 %x)"),
    ("declare void @f({ i8*, i32 }* inalloca)", "declare void @f(ptr inalloca({ ptr, i32 }))"),
    ("declare void @f(i8** byval(i8*) %x)", "declare void @f(ptr byval(ptr) %x)"),
    ("call void @f(%T* byval %x)", "call void @f(ptr byval(%T) %x)"),
    (
        'call void asm "nop", "=*m,r,*&m,~{cc}"(i32* %x, i8* %y, i8** %z)',
        'call void asm "nop", "=*m,r,*&m,~{cc}"(ptr elementtype(i32) %x, ptr %y, ptr elementtype(ptr) %z)',
    ),
    (
        '%r = call i32 asm sideeffect "i32*", "=r,*m"(i32* elementtype(i32) %x)',
        '%r = call i32 asm sideeffect "i32*", "=r,*m"(ptr elementtype(i32) %x)',
    ),
    (
        "%r = call i64 @llvm.aarch64.ldxr.p0i32(i32* %x)",
        "%r = call i64 @llvm.aarch64.ldxr.p0i32(ptr elementtype(i32) %x)",
    ),
    (
        "%r = call i32 @llvm.arm.strex.p0i32(i32 1, i32* %x)",
        "%r = call i32 @llvm.arm.strex.p0i32(i32 1, ptr elementtype(i32) %x)",
    ),
    (
        "@q = global i8* getelementptr inbounds inrange(-8, 8) (i8, i8* @p, i64 8)",
        "@q = global ptr getelementptr inbounds inrange(-8, 8) (i8, ptr @p, i64 8)",
    ),
    (
        "@a = alias getelementptr ([2 x i8], [2 x i8]* @b, i32 0, i32 1)",
        "@a = alias i8, getelementptr ([2 x i8], ptr @b, i32 0, i32 1)",
    ),
]

CALLS = [
    (
        "declare i32 @printf(i8*, ...)\n%n = call i32 (i8*, ...)* @printf(i8* %s)",
        "declare i32 @printf(ptr, ...)\n%n = call i32 (ptr, ...) @printf(ptr %s)",
    ),
    (
        "declare void ()* @get()\n%f = call void ()* @get()",
        "declare ptr @get()\n%f = call ptr @get()",
    ),
    ('declare void ()* @"get"()\ncall void ()* @get()', 'declare ptr @"get"()\ncall ptr @get()'),
    ("%v = load i32* %p\ncall void ()* %f()", "%v = load i32, ptr %p\ncall void () %f()"),
    ("%v = load i32, i32* %p\ncall void ()* %f()", "%v = load i32, ptr %p\ncall ptr %f()"),
    (
        "define void @m(void ()* nocapture %f) {\ncall void ()* %f()",
        "define void @m(ptr nocapture %f) {\ncall void () %f()",
    ),
    (
        "define void @m(void ()* ()* %f) {\ncall void ()* %f()",
        "define void @m(ptr %f) {\ncall ptr %f()",
    ),
    (
        "%f = inttoptr i64 %i to i32 (i8, ...)*\ncall i32 (i8, ...)* %f(i8 1)",
        "%f = inttoptr i64 %i to ptr\ncall i32 (i8, ...) %f(i8 1)",
    ),
    (
        "call i8* (i8)* bitcast (void ()* @f to i8* (i8)*)(i8 1)",
        "call ptr (i8) bitcast (ptr @f to ptr)(i8 1)",
    ),
    ("%r = call void ()* %f()", "%r = call ptr %f()"),
    ("call void (i8)* %f(i8 1, i8 2)", "call ptr %f(i8 1, i8 2)"),
    (
        "%F = type void (i8*)\n%v = load i8* %p\ncall %F* %f(i8* null)",
        "%F = type void (ptr)\n%v = load i8, ptr %p\ncall void (ptr) %f(ptr null)",
    ),
    (
        "@a = alias void ()* @f\ntail call fastcc void ()* @a() nounwind",
        "@a = alias void (), ptr @f\ntail call fastcc void () @a() nounwind",
    ),
    (
        "declare i32 @f(...)\n%r = invoke zeroext i32 (...)* @f(i8* null) to label %a unwind label %b",
        "declare i32 @f(...)\n%r = invoke zeroext i32 (...) @f(ptr null) to label %a unwind label %b",
    ),
    ("call i32 (i8*, ...) @printf(i8* %s)", "call i32 (ptr, ...) @printf(ptr %s)"),
    ("musttail call dereferenceable(8) i8* @f()", "musttail call dereferenceable(8) ptr @f()"),
]

UNTOUCHED = [
    '@s = constant [4 x i8] c"i8*\\00"',
    '%"std::vector<int*>" = type { i32 }',
    '@"a*b" = global i32 0',
    '$"f(int*)" = comdat any',
    '!0 = !{!"_ZTSFviE*", !"load i32* %p"}',
    "; define i8* @f(i32* %p) !type",
    'module asm ".ascii \\22i8*\\22"',
    'target datalayout = "e-p:32:32"',
    'attributes #0 = { "x"="i8*" }',
    '"label*":',
    "/* void ()* and\n i8 * */ @x = global i32 0",
    '%r = call i32 asm "mov $0, $1", "=*m|r"(ptr elementtype(i32) %x)',
]

FAULTS = [
    ("@x = global i32 0\n  call void @f(i32 * )*", 2, 23, "`*` does not follow a type"),
    ("\n@p = global i8* (i32 %x)* null", 2, 22, "expected a type, found `%x`"),
    ("%v = load ptr %p\nstore i8 0, i8* %p", 1, 11, "expected a typed pointer"),
    ("%v = getelementptr ( ; i8*\n@x, i8* null", 2, 1, "expected a type, found `@x`"),
    ("call void ()* %f()", 1, 6, "cannot tell whether `void ()*` is the type of the callee"),
    ("declare void @f(ptr byval)\n@p = global i8* null", 1, 21, "`byval` does not follow"),
    ("declare void @f(i8*", 1, 16, "`(` is never closed"),
    ("@a = alias null ; i8*\n@p = global i8* null", 1, 12, "expected a typed pointer"),
    ("declare void @f(i8*, i32 byval)", 1, 26, "`byval` does not follow"),
    ("define void ; i8*\n@f, i8*", 2, 1, "expected the name of a function"),
    (
        "define void @f() {\n%x = landingpad i8* personality i8* @p\n"
        "%y = landingpad i8* personality i8* @q\n}",
        3,
        21,
        "different personalities",
    ),
    ('@p = global i8* null\n@s = constant [2 x i8] c"a* \n', 2, 27, "`*` does not"),
]

SEED = """\
target datalayout = "e-p:32:32"

@a = internal global i32 0, !type !0
@b = internal global i32 0, !type !0, !type !1
@c = internal global i32 0, !type !1
@d = internal global [2 x i32] [i32 0, i32 0], !type !2

define void @e() !type !3 {
  ret void
}

define void @f() {
  ret void
}

declare void @g() !type !3

!0 = !{i32 0, !"typeid1"}
!1 = !{i32 0, !"typeid2"}
!2 = !{i32 4, !"typeid2"}
!3 = !{i32 0, !"typeid3"}

declare i1 @llvm.type.test(i8* %ptr, metadata %typeid) nounwind readnone

define i1 @foo(i32* %p) {
  %pi8 = bitcast i32* %p to i8*
  %x = call i1 @llvm.type.test(i8* %pi8, metadata !"typeid1")
  ret i1 %x
}

define i1 @bar(i32* %p) {
  %pi8 = bitcast i32* %p to i8*
  %x = call i1 @llvm.type.test(i8* %pi8, metadata !"typeid2")
  ret i1 %x
}

define i1 @baz(void ()* %p) {
  %pi8 = bitcast void ()* %p to i8*
  %x = call i1 @llvm.type.test(i8* %pi8, metadata !"typeid3")
  ret i1 %x
}

define void @main() {
  %a1 = call i1 @foo(i32* @a) ; returns 1
  %b1 = call i1 @foo(i32* @b) ; returns 1
  %c1 = call i1 @foo(i32* @c) ; returns 0
  %a2 = call i1 @bar(i32* @a) ; returns 0
  %b2 = call i1 @bar(i32* @b) ; returns 1
  %c2 = call i1 @bar(i32* @c) ; returns 1
  %d02 = call i1 @bar(i32* getelementptr ([2 x i32]* @d, i32 0, i32 0)) ; returns 0
  %d12 = call i1 @bar(i32* getelementptr ([2 x i32]* @d, i32 0, i32 1)) ; returns 1
  %e = call i1 @baz(void ()* @e) ; returns 1
  %f = call i1 @baz(void ()* @f) ; returns 0
  %g = call i1 @baz(void ()* @g) ; returns 1
  ret void
}
"""
"""The example at the end of LLVM's page on type metadata, of the time of LLVM 3.9."""

MODULES = {
    "loads and addresses": (
        """
%T = type { i8*, [2 x %T*] }
@t = global %T zeroinitializer
@q = global %T** getelementptr inbounds (%T* @t, i32 0, i32 1, i32 1)
define i8* @f(%T addrspace(1)* %p, <2 x i32*> %v) {
  %a = getelementptr inbounds %T addrspace(1)* %p, i64 0, i32 0
  %b = load volatile i8* addrspace(1)* %a, align 8
  %c = getelementptr <2 x i32*> %v, <2 x i64> <i64 1, i64 2>
  %d = load atomic i8* %b seq_cst, align 1
  volatile store i8 %d, i8* %b
  ret i8* %b
}
""",
        """
%T = type { ptr, [2 x ptr] }
@t = global %T zeroinitializer
@q = global ptr getelementptr inbounds (%T, ptr @t, i32 0, i32 1, i32 1)
define ptr @f(ptr addrspace(1) %p, <2 x ptr> %v) {
  %a = getelementptr inbounds %T, ptr addrspace(1) %p, i64 0, i32 0
  %b = load volatile ptr, ptr addrspace(1) %a, align 8
  %c = getelementptr i32, <2 x ptr> %v, <2 x i64> <i64 1, i64 2>
  %d = load atomic i8, ptr %b seq_cst, align 1
  store volatile i8 %d, ptr %b
  ret ptr %b
}
""",
    ),
    "calls": (
        """
declare i32 @printf(i8*, ...)
declare void ()* @get(i32)
define void @f(void (i32)* %fp, i8* %s) {
  %n = call i32 (i8*, ...)* @printf(i8* %s, i32 1)
  call void (i32)* %fp(i32 2)
  %g = call void ()* @get(i32 3)
  tail call void %g()
  call void bitcast (void (i32)* @h to void (i8*)*)(i8* %s)
  ret void
}
define void @h(i32 %x) { ret void }
""",
        """
declare i32 @printf(ptr, ...)
declare ptr @get(i32)
define void @f(ptr %fp, ptr %s) {
  %n = call i32 (ptr, ...) @printf(ptr %s, i32 1)
  call void %fp(i32 2)
  %g = call ptr @get(i32 3)
  tail call void %g()
  call void @h(ptr %s)
  ret void
}
define void @h(i32 %x) { ret void }
""",
    ),
    "attributes and assembler": (
        """
%T = type { i32, i8* }
define void @f(%T* noalias sret %r, %T* byval align 8 %a) nounwind readnone {
  call void asm sideeffect "", "=*m,*m,~{memory}"(%T* %r, %T* %a)
  call void @f(%T* sret %r, %T* byval align 8 %a)
  ret void
}
""",
        """
%T = type { i32, ptr }
define void @f(ptr noalias sret(%T) %r, ptr byval(%T) align 8 %a) nounwind memory(none) {
  call void asm sideeffect "", "=*m,*m,~{memory}"(ptr elementtype(%T) %r, ptr elementtype(%T) %a)
  call void @f(ptr sret(%T) %r, ptr byval(%T) align 8 %a)
  ret void
}
""",
    ),
    "intrinsics": (
        """
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i32, i1)
declare i64 @llvm.objectsize.i64.p0i8(i8*, i1)
define i64 @f(i8* %p, i8* %q) {
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %q, i64 8, i32 4, i1 false)
  %n = call i64 @llvm.objectsize.i64.p0i8(i8* %p, i1 true)
  ret i64 %n
}
""",
        """
define i64 @f(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 8, i1 false)
  %n = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 true, i1 false, i1 false)
  ret i64 %n
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
""",
    ),
}
"""Old modules, and the same written for today's LLVM."""

SPACES = st.sampled_from([("", ""), (" addrspace(3)", " addrspace(3)")])
SCALARS = st.sampled_from(["i1", "i8", "i64", "float", "x86_fp80", "%T", '%"a*b"', "%0", "{}", "[0 x i8]"])


def _grow(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    """Makes longer types of types; each is (old spelling, spelling of today)."""
    pointers = st.builds(lambda t, s: (f"{t[0]}{s[0]}*", f"ptr{s[1]}"), inner, SPACES)
    arrays = st.builds(lambda t, n: (f"[{n} x {t[0]}]", f"[{n} x {t[1]}]"), inner, st.integers(0, 9))
    vectors = st.builds(lambda t: (f"<2 x {t[0]}*>", "<2 x ptr>"), inner)
    lists = st.lists(inner, min_size=1, max_size=3).map(
        lambda ts: tuple(map(", ".join, zip(*ts, strict=True)))
    )
    structs = lists.map(lambda t: (f"{{ {t[0]} }}", f"{{ {t[1]} }}"))
    packed = lists.map(lambda t: (f"<{{{t[0]}}}>", f"<{{{t[1]}}}>"))
    functions = st.builds(
        lambda r, t, dots: (f"{r[0]} ({t[0]}{dots})*", "ptr"), inner, lists, st.sampled_from(["", ", ..."])
    )
    return pointers | arrays | vectors | structs | packed | functions


TYPE_PAIRS = st.recursive(SCALARS.map(lambda t: (t, t)), _grow, max_leaves=8)


@pytest.mark.parametrize(("old", "new"), [*TYPES, *POINTEES, *CALLS])
def test_rewrites(old: str, new: str) -> None:
    """Each old spelling becomes today's, on as many lines, and stays as it is after that."""
    assert upgrade_typed_pointers(old) == new
    assert upgrade_typed_pointers(new) == new
    assert old.count("\n") == new.count("\n")
    assert not has_typed_pointers(new)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_leaves_strings_names_and_comments(text: str) -> None:
    """An asterisk that belongs to no type is not seen, and not touched beside one that does."""
    assert not has_typed_pointers(text)
    assert upgrade_typed_pointers(text) == text
    assert upgrade_typed_pointers(f"@p = global i8* null\n{text}\n@q = global i8* null") == (
        f"@p = global ptr null\n{text}\n@q = global ptr null"
    )


@pytest.mark.parametrize(("old", "new"), [*TYPES, *POINTEES])
def test_sees_typed_pointers(old: str, new: str) -> None:
    """Text is old exactly if something in it points to something named."""
    assert has_typed_pointers(old)
    assert has_typed_pointers(f'; "comment\n@s = constant [1 x i8] c"*" {old}')
    assert not has_typed_pointers(new)


def test_keeps_line_breaks_and_comments_within_types() -> None:
    """A type on several lines leaves its line breaks and comments behind."""
    old = "define void (i8*, ; first\r\n  i32\n)\n\n* @f(i8\t*%x) {\n ret void ()*\n@g ; end *"
    assert upgrade_typed_pointers(old) == "define ptr ; first\r\n  \n\n\n @f(ptr%x) {\n ret ptr\n@g ; end *"


def test_keeps_bytes_that_are_no_text() -> None:
    """What the caller could not decode comes back."""
    old = b'@p = global i8* null, section "\xff*" ; \xfe\r\n'.decode(errors="surrogateescape")
    assert upgrade_typed_pointers(old) == old.replace("i8*", "ptr")


@pytest.mark.parametrize(("text", "line", "column", "message"), FAULTS)
def test_says_where_it_is_at_a_loss(text: str, line: int, column: int, message: str) -> None:
    """What cannot be rewritten for certain is an error with its place."""
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        upgrade_typed_pointers(text)
    assert (caught.value.line, caught.value.column, caught.value.path) == (line, column, None)


@settings(deadline=None)
@given(TYPE_PAIRS)
def test_rewrites_any_type(pair: tuple[str, str]) -> None:
    """A type is rewritten alike wherever it stands, and as the type that a pointer pointed to."""
    old, new = pair
    for before, after in (
        (f"@x = global {old}* undef, i8*", "@x = global ptr undef, ptr"),
        (f"%x = type {{ {old}, i8* }}", f"%x = type {{ {new}, ptr }}"),
        (f"define {old} @f({old}* %x)", f"define {new} @f(ptr %x)"),
        (f"%v = load {old}* %p", f"%v = load {new}, ptr %p"),
        (f"%v = getelementptr {old} addrspace(2)* %p", f"%v = getelementptr {new}, ptr addrspace(2) %p"),
        (f"declare void @f({old}* byval)", f"declare void @f(ptr byval({new}))"),
        (f"@a = alias {old}* @b", f"@a = alias {new}, ptr @b"),
        (f"!0 = !{{{old}* null}}", "!0 = !{ptr null}"),
    ):
        assert upgrade_typed_pointers(before) == after
        assert "*" not in after.replace('"a*b"', "")


@given(st.text(alphabet='i8*(){}[]<>,%@!"= \nx;\\', max_size=30))
@example("call void asm i8*")
@example("load i8* (")
@example("@a = alias getelementptr i8*")
def test_never_fails_otherwise(text: str) -> None:
    """Whatever the text, it is rewritten, or the error says where."""
    fault = None
    try:
        upgraded = upgrade_typed_pointers(text)
    except InputError as error:
        fault = error
    if fault:
        assert min(fault.line, fault.column) > 0
    else:
        assert not has_typed_pointers(upgraded)
        assert upgraded.count("\n") == text.count("\n")


def _print_module(text: str) -> str:
    """Returns a module as `opt` prints it once it has read and verified it."""
    done = subprocess.run([OPT, "-S", "-o", "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return re.sub(r"^;.*\n", "", done.stdout, flags=re.MULTILINE)


@needs_opt
@pytest.mark.parametrize("name", MODULES)
def test_means_what_it_meant(name: str) -> None:
    """LLVM reads the same module from rewritten text as from text written for it."""
    old, new = MODULES[name]
    assert _print_module(upgrade_typed_pointers(old)) == _print_module(new)


@needs_opt
def test_reads_the_example_of_the_manual() -> None:
    """The example on type metadata, as printed, becomes a module with all its types and tests."""
    printed = _print_module(upgrade_typed_pointers(SEED))
    assert "declare !type !3 void @g()" in printed
    assert "call i1 @bar(ptr getelementptr ([2 x i32], ptr @d, i32 0, i32 1))" in printed
    assert printed.count("call i1 @llvm.type.test(ptr %pi8, metadata") == 3
    assert printed.count("call i1 @ba") == 8


@needs_opt
def test_keeps_the_lines_of_diagnostics() -> None:
    """LLVM's complaint about rewritten text names the line of the original."""
    text = "define void @f(i8* byval\n   %p) {\n  %x = load i8* %p\n  %y = nonsense\n}"
    done = subprocess.run(
        [OPT], input=upgrade_typed_pointers(text), capture_output=True, text=True, check=False
    )
    assert "<stdin>:4:8: error: expected instruction opcode" in done.stderr
