"""Rewrites other spellings that LLVM dropped since typed pointers, and asks today's `opt` about them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from typemeta.llvm.old_text.typed_pointers import has_typed_pointers, upgrade_typed_pointers

OPT = Path(sys.executable).parent / "opt"
needs_opt = pytest.mark.skipif(not OPT.exists(), reason="opt is not installed beside Python")

SPELLINGS = [
    ("declare void @g(i8*) !type !3", "declare !type !3 void @g(ptr)"),
    (
        'declare i8* @g() #0 align 8 section "s" !type !3 !type !{i32 0, !"x"} ; c\n@x = global i8 0',
        'declare !type !3 !type !{i32 0, !"x"} ptr @g() #0 align 8 section "s" ; c\n@x = global i8 0',
    ),
    ("declare !type !3 i8* @g()", "declare !type !3 ptr @g()"),
    ("define void @e(i8*) !type !3 {", "define void @e(ptr) !type !3 {"),
    (
        "declare void @g(i8*)\n!llvm.ident = !{!0}\n!0 = !{}",
        "declare void @g(ptr)\n!llvm.ident = !{!0}\n!0 = !{}",
    ),
    ("@a = hidden alias weak i32* @b", "@a = weak hidden alias i32, ptr @b"),
    ("@a = alias linker_private i32* @b", "@a = private alias i32, ptr @b"),
    (
        "define void @f() prefix i8* null !type !1 {\n%x = landingpad { i8* } personality i8* bitcast "
        "(i32* @p to i8*)\n cleanup\n}",
        "define void @f() prefix ptr null personality ptr bitcast (ptr @p to ptr) !type !1 {\n"
        "%x = landingpad { ptr }\n cleanup\n}",
    ),
    (
        "define void @f() {\n%x = landingpad i8* personality i8* @p cleanup\n"
        "%y = landingpad i8* personality i8* @p cleanup\n}",
        "define void @f() personality ptr @p {\n%x = landingpad ptr cleanup\n%y = landingpad ptr cleanup\n}",
    ),
    (
        '!0 = metadata !{i8* null, metadata !"metadata", metadata !{metadata !1}}',
        '!0 = !{ptr null, !"metadata", !{!1}}',
    ),
    (
        "call void @d(metadata !{i8* %x}, metadata !{i8* @g}, metadata !5)",
        "call void @d(metadata ptr %x, metadata !{ptr @g}, metadata !5)",
    ),
    (
        "store i8* %x, i8** %y, !dbg !1\nret void, !dbg !2\n"
        "!1 = metadata !{i32 5}\n!2 = !DILocation(line: 1)",
        "store ptr %x, ptr %y\nret void, !dbg !2\n!1 = !{i32 5}\n!2 = !DILocation(line: 1)",
    ),
    (
        "@q = global i8** getelementptr ({ [1 x i8*] }, { [1 x i8*] }* @v, i32 0, inrange i32 0, i32 1)",
        "@q = global ptr getelementptr ({ [1 x ptr] }, ptr @v, i32 0, i32 0, i32 1)",
    ),
    ("store i8* %x, i8** %y\nuselistorder i8* null, { 1, 0 }\n}", "store ptr %x, ptr %y\n\n}"),
    ("@p = global i8* null\nuselistorder_bb @f, %b, { 1, 0 }\n", "@p = global ptr null\n\n"),
    (
        "@llvm.global_ctors = appending global [1 x { i32, void ()* }] "
        "[{ i32, void ()* } { i32 1, void ()* @f }]",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
        "[{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]",
    ),
    (
        "%0 = type { i32, void ()* }\n"
        "@llvm.global_dtors = appending global [1 x %0] [%0 { i32 1, void ()* @f }]",
        "%0 = type { i32, ptr }\n@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] "
        "[{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]",
    ),
    (
        "%x = cmpxchg i32* %p, i32 0, i32 1 singlethread release",
        '%"x.pair" = cmpxchg ptr %p, i32 0, i32 1 syncscope("singlethread") release monotonic'
        ' %x = extractvalue { i32, i1 } %"x.pair", 0',
    ),
    (
        "%x = cmpxchg i32* %p, i32 0, i32 1 acq_rel monotonic",
        "%x = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic",
    ),
    ("%v = volatile load i8* %p", "%v = load volatile i8, ptr %p"),
    ("volatile store i8 1, i8* %p", "store volatile i8 1, ptr %p"),
    ("@p = global i8* null, comdat $c\n$c = comdat any", "@p = global ptr null, comdat($c)\n$c = comdat any"),
    ("@c = global i8* null, comdat\n$c = comdat any", "@c = global ptr null, comdat\n$c = comdat any"),
    ("@p = linkonce_odr_auto_hide protected global i8* null", "@p = linkonce_odr protected global ptr null"),
    ("@p = linker_private_weak protected global i8* null", "@p = private global ptr null"),
    ("define void @f(i8*) address_safety {", "define void @f(ptr) sanitize_address {"),
    ('store [2 x i8]* %x, i8** %y\nuselistorder [2 x i8] c"ab", { 1, 0 }\n}', "store ptr %x, ptr %y\n\n}"),
    (
        "@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] zeroinitializer",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] zeroinitializer",
    ),
    ("@p = global i8* @llvm.global_ctors", "@p = global ptr @llvm.global_ctors"),
    (
        "%x = cmpxchg i8* %p, i8 0, i8 1 acquire",
        '%"x.pair" = cmpxchg ptr %p, i8 0, i8 1 acquire acquire %x = extractvalue { i8, i1 } %"x.pair", 0',
    ),
    ("cmpxchg weak i8* %p, i8 0, i8 1 seq_cst", "cmpxchg weak ptr %p, i8 0, i8 1 seq_cst seq_cst"),
    ("@p = internal hidden global i8* null", "@p = internal global ptr null"),
    (
        "@p = addrspace(3) unnamed_addr constant i8* null",
        "@p = unnamed_addr addrspace(3) constant ptr null",
    ),
    ('deplibs = [ "c" ]\n@p = global i8* null', "\n@p = global ptr null"),
]

MODULES = {
    "exceptions, aliases and constructors": (
        """
@llvm.global_ctors = appending global [1 x { i32, void ()* }]
  [{ i32, void ()* } { i32 1, void ()* @f }]
@a = alias weak hidden void ()* @f
declare i32 @p(...)
define void @f() {
  invoke void @a() to label %ok unwind label %bad
ok:
  ret void
bad:
  %x = landingpad { i8*, i32 } personality i8* bitcast (i32 (...)* @p to i8*) catch i8* null
  resume { i8*, i32 } %x
}
""",
        """
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
  [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]
@a = weak hidden alias void (), ptr @f
declare i32 @p(...)
define void @f() personality ptr @p {
  invoke void @a() to label %ok unwind label %bad
ok:
  ret void
bad:
  %x = landingpad { ptr, i32 } catch ptr null
  resume { ptr, i32 } %x
}
""",
    ),
    "metadata and atomics": (
        """
@v = constant { [2 x i8*] } zeroinitializer, !type !0
declare void @g(i8*) !type !1
define i32 @f(i32* %p) {
  %1 = cmpxchg i32* %p, i32 0, i32 1 acq_rel
  fence singlethread seq_cst
  call void @llvm.dbg.value(metadata !{i32 %1}, i64 0, metadata !2), !dbg !3
  store i8** getelementptr ({ [2 x i8*] }* @v, i32 0, inrange i32 0, i32 1), i8*** undef
  ret i32 %1, !dbg !3
}
declare void @llvm.dbg.value(metadata, i64, metadata)
!0 = metadata !{i64 0, metadata !"a*"}
!1 = metadata !{i64 0, metadata !2}
!2 = metadata !{i32* null}
!3 = metadata !{i32 1, i32 2, metadata !2, null}
""",
        """
@v = constant { [2 x ptr] } zeroinitializer, !type !0
declare !type !1 void @g(ptr)
define i32 @f(ptr %p) {
  %"1.pair" = cmpxchg ptr %p, i32 0, i32 1 acq_rel acquire
  %1 = extractvalue { i32, i1 } %"1.pair", 0
  fence syncscope("singlethread") seq_cst
  store ptr getelementptr ({ [2 x ptr] }, ptr @v, i32 0, i32 0, i32 1), ptr undef
  ret i32 %1
}
!0 = !{i64 0, !"a*"}
!1 = !{i64 0, !2}
!2 = !{ptr null}
""",
    ),
}
"""Old modules, and the same written for today's LLVM."""


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_rewrites(old: str, new: str) -> None:
    """Each old spelling becomes today's, on as many lines, and stays as it is after that."""
    assert upgrade_typed_pointers(old) == new
    assert upgrade_typed_pointers(new) == new
    assert old.count("\n") == new.count("\n")
    assert not has_typed_pointers(new)


@needs_opt
@pytest.mark.parametrize("name", MODULES)
def test_means_what_it_meant(name: str) -> None:
    """LLVM reads the same module from rewritten text as from text written for it."""
    old, new = MODULES[name]
    assert _print_module(upgrade_typed_pointers(old)) == _print_module(new)


def _print_module(text: str) -> str:
    """Returns a module as `opt` prints it once it has read and verified it."""
    done = subprocess.run([OPT, "-S", "-o", "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return re.sub(r"^;.*\n", "", done.stdout, flags=re.MULTILINE)
