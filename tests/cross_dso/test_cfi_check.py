"""`__cfi_check` is the one of LLVM's `cross-dso-cfi` pass, character by character."""

from __future__ import annotations

import random

import pytest

from tests.cross_dso.opt import run_opt
from tests.ir import I386, X86_64, definition, parse
from typemeta.cross_dso.cfi_check import build_cfi_check
from typemeta.errors import MetadataError
from typemeta.llvm.module import Module
from typemeta.llvm.passes import run_passes

FLAG = '!llvm.module.flags = !{!100}\n!100 = !{i32 4, !"Cross-DSO CFI", i32 1}\n'
STUB = "define weak void @__cfi_check(i64 noundef %0, ptr noundef %1, ptr %2) local_unnamed_addr"
ARM = 'target datalayout = "e-m:e-p:32:32-i64:64-v128:64:128-a:0:32-n32-S64"\ntarget triple = "armv7-linux"\n'
AVR = 'target datalayout = "e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-n8:16-a:8"\ntarget triple = "avr"\n'
NAMES = ("_ZTSFvvE", "_ZTSFivE.generalized", "_ZTS1A")
TARGETS = (
    *(
        "x86_64-unknown-linux-gnu",
        "i386-unknown-linux-gnu",
        "aarch64-linux-android",
        "armv7-linux-androideabi",
    ),
    *("thumbv7-linux-android", "riscv64-unknown-linux-gnu", "loongarch64-unknown-linux-gnu", "wasm32-wasi"),
    *("hexagon-unknown-linux-musl", "x86_64-pc-windows-msvc", "arm64-apple-ios", ""),
)

CASES = {
    "nothing": "",
    "variables_and_functions": """
@v = constant i8 0, !type !0, !type !1
@w = external constant i8, !type !2
define void @f() !type !3 !type !1 {
  ret void
}
declare !type !4 void @g()
!0 = !{i64 16, !"_ZTS1A"}
!1 = !{i64 16, i64 333}
!2 = !{i64 16, i64 -1}
!3 = !{i64 0, i64 0}
!4 = !{i64 0, i64 9223372036854775807}
""",
    "no_numbers": """
@v = constant i8 0, !type !0, !type !1, !type !2, !type !3, !type !4
!0 = !{i64 0, i32 7}
!1 = !{i64 0, i128 7}
!2 = !{i64 0, !{i64 7}}
!3 = !{i64 0, !5}
!4 = !{i64 0, double 7.0}
!5 = distinct !{}
""",
    "stub": f"""
{STUB} #0 align 8192 !type !1 !mine !2 {{
  call void @llvm.trap()
  unreachable
}}
declare void @llvm.trap()
define weak_odr hidden void @__cfi_check_fail(ptr, ptr) !type !1 {{
  ret void
}}
attributes #0 = {{ nounwind "target-features"="+sse2" "target-cpu"="x86-64" }}
!1 = !{{i64 0, i64 4711}}
!2 = !{{}}
""",
    "stub_with_control_flow": f"""
@block = global ptr blockaddress(@__cfi_check, %b)
{STUB} personality ptr @p {{
a:
  br label %b
b:
  %x = phi i64 [ %0, %a ], [ %y, %b ]
  %y = add i64 %x, 1
  %i = invoke i64 @h(i64 %y) to label %b unwind label %pad
pad:
  %l = landingpad {{ ptr, i32 }} cleanup
  %e = extractvalue {{ ptr, i32 }} %l, 1
  ret void
}}
declare i32 @p(...)
declare i64 @h(i64)
""",
    "stub_with_tokens": f"""
{STUB} personality ptr @__CxxFrameHandler3 {{
  invoke void @h() to label %done unwind label %dispatch
dispatch:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %t = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %t to label %done
done:
  ret void
}}
declare void @h()
declare i32 @__CxxFrameHandler3(...)
""",
    "hidden_internal_in_a_comdat": """
$c = comdat any
define internal void @__cfi_check(i64, ptr, ptr) section "s" comdat($c) {
  ret void
}
""",
    "prefix_and_prologue": """
define hidden void @__cfi_check(i64, ptr, ptr) prefix i32 1 prologue i8 2 {
  ret void
}
""",
    "declared": "declare void @__cfi_check(i64, ptr, ptr) nounwind\n@use = global ptr @__cfi_check\n",
    "handler_of_another_type": "declare fastcc i32 @__cfi_check_fail(i32)\n",
    "handler_is_an_alias": """
@__cfi_check_fail = alias void (ptr, ptr), ptr @f
define void @f(ptr, ptr) {
  ret void
}
""",
    "test_is_declared": """
declare i1 @llvm.type.test(ptr, metadata)
define i1 @t(ptr %p) !type !1 {
  %x = call i1 @llvm.type.test(ptr %p, metadata i64 5)
  ret i1 %x
}
!1 = !{i64 0, i64 5}
""",
    "functions_of_other_modules": """
!cfi.functions = !{!0, !1, !6}
!0 = !{!"f", i8 0, !2, !4}
!1 = !{!"g", i8 1, !3, !5}
!2 = !{i64 0, !"typeid1"}
!3 = !{i64 0, !"typeid2"}
!4 = !{i64 0, i64 1234}
!5 = !{i64 0, i64 5678}
!6 = !{!"h", i8 2}
""",
    "functions_with_guids": '!cfi.functions = !{!0}\n!0 = !{!"f", i8 0, i64 77, !1}\n!1 = !{i64 0, i64 3}\n',
    "debug_info": f"""
{STUB} !dbg !2 {{
    #dbg_value(i64 %0, !5, !DIExpression(), !6)
  ret void, !dbg !6
}}
!llvm.dbg.cu = !{{!0}}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DISubroutineType(types: !4)
!4 = !{{}}
!5 = !DILocalVariable(name: "id", arg: 1, scope: !2, file: !1, line: 1)
!6 = !DILocation(line: 1, column: 2, scope: !2)
""",
}


def built(text: str, name: str = "<stdin>") -> str:
    """Returns a module with its `__cfi_check` as text; it must satisfy LLVM's verifier."""
    module = parse(text, name)
    assert build_cfi_check(module)
    module.verify()
    return module.print()


@pytest.mark.parametrize("target", ["", X86_64, I386, ARM], ids=["none", "x86_64", "i386", "arm"])
@pytest.mark.parametrize("name", CASES)
def test_as_opt_does(name: str, target: str) -> None:
    """The whole module is the one that `opt` prints."""
    text = target + FLAG + CASES[name]
    assert built(text) == run_opt(text)


def test_functions_in_another_address_space() -> None:
    """AVR has its functions in address space 1; the pointers passed to them are plain ones."""
    text = f"{AVR}{FLAG}@v = constant i8 0, !type !0\n!0 = !{{i64 0, i64 7}}\n"
    assert "addrspace(1)" in run_opt(text)
    assert built(text) == run_opt(text)


@pytest.mark.parametrize("value", ["i32 0", "i64 5", '!"yes"'])
def test_the_flag_counts_whatever_its_value(value: str) -> None:
    """LLVM only asks whether the flag is there."""
    text = f'!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"Cross-DSO CFI", {value}}}\n'
    assert built(text) == run_opt(text)


def test_without_the_flag_nothing_is_done() -> None:
    """A module without the flag stays as it is, and its handles stay good."""
    module = parse("@v = constant i8 0, !type !0\n!0 = !{i64 0, i64 1}\n")
    before, epoch = module.print(), module.epoch
    assert not build_cfi_check(module)
    assert (module.print(), module.epoch) == (before, epoch)


def random_module(random_: random.Random) -> str:
    """Returns a module with functions and variables under names and numbers, and perhaps a stub."""
    numbers = [random_.choice([random_.getrandbits(64) - 2**63, random_.randrange(4)]) for _ in range(6)]
    identifiers = [
        *(f"i64 {number}" for number in numbers),
        *(f'!"{name}"' for name in NAMES),
        "i32 3",
        "!99",
    ]
    nodes = [f"!{i} = !{{i64 {8 * random_.randrange(3)}, {x}}}" for i, x in enumerate(identifiers)]

    def types() -> list[str]:
        return [f"!type !{random_.randrange(len(nodes))}" for _ in range(random_.randrange(5))]

    lines = [f'target triple = "{random_.choice(TARGETS)}"']
    for index in range(random_.randrange(12)):
        if random_.random() < 0.5:
            attached = "".join(f", {type_}" for type_ in types())
            kind = random_.choice(["constant i64 0", "external global i64", "internal global i64 1"])
            lines.append(f"@v{index} = {kind}{attached}")
        elif random_.random() < 0.5:
            lines.append(f"declare {' '.join(types())} void @f{index}()")
        else:
            lines.append(f"define void @f{index}() {' '.join(types())} {{\n  ret void\n}}")
    if random_.random() < 0.5:
        lines.append(f"{STUB} {' '.join(types())} {{\n  ret void\n}}")
    if random_.random() < 0.3:
        lines.append(
            f'!cfi.functions = !{{!90}}\n!90 = !{{!"x", i8 0, !{random_.randrange(len(nodes))}, !0}}'
        )
    return "\n".join([*lines, *nodes, "!99 = distinct !{}", FLAG])


@pytest.mark.parametrize("seed", range(8))
def test_random_modules(seed: int) -> None:
    """On fifty modules a seed the pass and `build_cfi_check` print the same."""
    random_ = random.Random(seed)
    lengths = set()
    for _ in range(50):
        text = random_module(random_)
        expected = Module.parse(text.encode(), "random.ll")
        run_passes(expected, "cross-dso-cfi")
        assert built(text, "random.ll") == expected.print(), text
        lengths.add(definition(expected, "__cfi_check").count("\ntest"))
    assert len(lengths) > 4  # the modules differ in how many numbers they have


@pytest.mark.parametrize(
    "line",
    [
        "@__cfi_check = global i32 0",
        "@__cfi_check = alias void (i64, ptr, ptr), ptr @f",
        "declare void @__cfi_check(i64, ptr)",
        "declare i32 @__cfi_check(i64, ptr, ptr)",
        "declare void @__cfi_check(i64, ptr, ptr, ...)",
    ],
)
def test_something_else_of_that_name(line: str) -> None:
    """Where LLVM crashes or writes a broken module, the symbol is named, and nothing is changed."""
    text = f"{FLAG}{line}\ndefine void @f(i64, ptr, ptr) {{\n  ret void\n}}\n"
    module = parse(text)
    before = module.print()
    with pytest.raises(MetadataError, match=r"^@__cfi_check: must be a function void \(i64, ptr, ptr\)"):
        build_cfi_check(module)
    assert module.print() == before


def test_malformed_metadata() -> None:
    """Where LLVM crashes, the global is named, and nothing is changed."""
    module = parse(f"{FLAG}@v = constant i8 0, !type !0\n!0 = !{{i64 0}}\n")
    before = module.print()
    with pytest.raises(MetadataError, match=r"^@v: a !type node must have 2 operands"):
        build_cfi_check(module)
    assert module.print() == before
