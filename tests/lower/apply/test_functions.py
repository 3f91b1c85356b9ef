"""Functions behind jump tables: what goes through the table, what does not, and what runs."""

from __future__ import annotations

import re

import pytest

from tests.ir import I386, X86_64, Lowered, definition, instructions, lower, parse
from typemeta.errors import MetadataError
from typemeta.execute import run_function
from typemeta.llvm.jit import Jit
from typemeta.llvm.target import ASSEMBLY, OBJECT, generate_code

TEST = """
declare i1 @llvm.type.test(ptr, metadata)
define i1 @test(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !"F")
  ret i1 %x
}
!0 = !{i64 0, !"F"}
"""
F = """
define i32 @f() !type !0 {
  ret i32 1
}
"""
TAKEN = "@taken = global ptr @f\n"
NOT_CANONICAL = '!llvm.module.flags = !{!1}\n!1 = !{i32 4, !"CFI Canonical Jump Tables", i32 0}\n'
BODIES = "ptr @.cfi.jumptable"


def lowered(text: str, header: str = X86_64) -> Lowered:
    """Lowers a module in which the type `F` is tested."""
    return lower(header + text + TEST)


def runs(text: str, name: str, *arguments: int) -> int | None:
    """Runs a function of a module in which the type `F` is tested."""
    return run_function(parse(X86_64 + text + TEST), name, arguments)


def entries(result: Lowered) -> list[str]:
    """Returns the targets of the jump table, in order."""
    return re.findall(r'\(ptr @("[^"]*"|[\w.$]+)\)$', result.of(".cfi.jumptable"), re.MULTILINE)


def test_the_table() -> None:
    """A naked private function holds one jump for each member, aligned to the size of an entry."""
    result = lowered(F + TAKEN + "define void @g() !type !0 {\n  ret void\n}\n@also = global ptr @g\n")
    assert result.of(".cfi.jumptable").splitlines() == [
        "define private void @.cfi.jumptable() #0 align 8 {",
        "entry:",
        '  call void asm sideeffect "jmp ${0:c}@plt\\0Aint3\\0Aint3\\0Aint3\\0A", "s"(ptr @f.cfi)',
        '  call void asm sideeffect "jmp ${0:c}@plt\\0Aint3\\0Aint3\\0Aint3\\0A", "s"(ptr @g.cfi)',
        "  unreachable",
        "}",
    ]
    assert "attributes #0 = { naked nocf_check noinline }" in result.text
    assert result.stats.functions == 2


def test_a_name_is_that_of_the_entry() -> None:
    """The body is hidden as NAME.cfi and keeps its metadata; NAME is an alias of the entry."""
    result = lowered(F + TAKEN)
    assert result.of("f") == f"@f = alias [8 x i8], {BODIES}"
    assert result.of("f.cfi") == "define hidden i32 @f.cfi() !type !0 {\n  ret i32 1\n}"
    assert result.of("taken") == "@taken = global ptr @f"


@pytest.mark.parametrize("linkage", ["", "weak ", "weak_odr ", "linkonce_odr ", "internal ", "private "])
@pytest.mark.parametrize("visibility", ["", "hidden ", "protected "])
def test_linkage_and_visibility(linkage: str, visibility: str) -> None:
    """The alias takes over both; the body keeps the linkage and is hidden, unless it is local anyway."""
    is_local = linkage in ("internal ", "private ")
    visibility = "" if is_local else visibility
    result = lowered(F.replace("define ", f"define {linkage}{visibility}") + TAKEN)
    assert result.of("f") == f"@f = {linkage}{visibility}alias [8 x i8], {BODIES}"
    hidden = "" if is_local else "hidden "
    assert result.of("f.cfi").startswith(f"define {linkage}{hidden}i32 @f.cfi()")


def test_a_comdat_is_left_to_the_others() -> None:
    """The body leaves its group, which a linker may drop; the rest of the group stays in it."""
    result = lowered(
        "$f = comdat any\n@data = linkonce_odr global i32 0, comdat($f)\n"
        "define linkonce_odr i32 @f() comdat !type !0 {\n  ret i32 1\n}\n" + TAKEN
    )
    assert "comdat" not in result.of("f.cfi")
    assert "comdat($f)" in result.of("data")


def test_all_members_nounwind() -> None:
    """The table is nounwind if all its functions are."""
    nounwind = F.replace("!type", "nounwind !type") + TAKEN
    assert "{ naked nocf_check noinline nounwind }" in lowered(nounwind).text
    mixed = lowered(nounwind + F.replace("@f", "@g") + "@also = global ptr @g\n")
    assert "{ naked nocf_check noinline }" in mixed.text


def test_members_stand_in_the_order_of_the_plan() -> None:
    """Entries are where the plan puts them, and tests compare with the last one."""
    names = ["f", "g", "h"]
    text = "".join(f"{F.replace('@f', f'@{name}')}@t{name} = global ptr @{name}\n" for name in names)
    result = lowered(text)
    assert entries(result) == ["f.cfi", "g.cfi", "h.cfi"]
    for index, name in enumerate(names[1:], 1):
        place = f"getelementptr inbounds ([3 x [8 x i8]], ptr @.cfi.jumptable, i32 0, i32 {index})"
        assert result.of(name) == f"@{name} = alias [8 x i8], {place}"
    assert "i64 16" in instructions(result.module, "test")[1]


def test_landing_pads() -> None:
    """With `cf-protection-branch` entries begin with endbr64 and have sixteen bytes."""
    flag = '!llvm.module.flags = !{!1}\n!1 = !{i32 8, !"cf-protection-branch", i32 1}\n'
    result = lowered(F + F.replace("@f", "@g") + TAKEN + "@also = global ptr @g\n" + flag)
    assert 'asm sideeffect "endbr64\\0Ajmp ${0:c}@plt\\0A.balign 16, 0xcc\\0A"' in result.text
    assert result.of("f") == f"@f = alias [16 x i8], {BODIES}"
    assert "align 16 {" in result.of(".cfi.jumptable")
    assert "endbr32" in lower(I386 + F + TAKEN + flag + TEST).text


@pytest.mark.parametrize("landing_pads", [False, True])
def test_entries_have_their_size_in_machine_code(landing_pads: bool) -> None:
    """In memory entries stand one behind the other, aligned, each with its jump or landing pad."""
    flag = '!llvm.module.flags = !{!1}\n!1 = !{i32 8, !"cf-protection-branch", i32 1}\n'
    names = [f"f{n}" for n in range(5)]
    text = "".join(f"{F.replace('@f', f'@{name}')}@t{name} = global ptr @{name}\n" for name in names)
    result = lowered(text + flag * landing_pads)
    size = 16 if landing_pads else 8
    with Jit(result.module.library) as jit:
        jit.add(result.module)
        addresses = [jit.address(name) for name in names]
    assert addresses[0] % size == 0
    assert addresses == [addresses[0] + size * n for n in range(5)]
    code = generate_code(result.module, OBJECT)
    if landing_pads:
        assert code.count(b"\xf3\x0f\x1e\xfa\xe9") == 5
    else:
        assert re.search(rb"(?:\xe9....\xcc\xcc\xcc){5}", code, re.DOTALL)


def test_on_i386() -> None:
    """Tests have 32 bits and entries eight bytes, and assembly can be made of it."""
    result = lower(I386 + F + F.replace("@f", "@g") + TAKEN + "@also = global ptr @g\n" + TEST)
    assert "ptrtoint ptr %p to i32" in instructions(result.module, "test")[0]
    assembly = generate_code(result.module, ASSEMBLY).decode()
    assert re.search(r"jmp\s+f\.cfi@PLT\s+int3\s+int3\s+int3", assembly, re.IGNORECASE)


def test_other_targets_are_refused() -> None:
    """A target without jump tables is an error that names a function."""
    with pytest.raises(MetadataError, match=r"^@f: functions need a jump table"):
        lower('target triple = "mips64-unknown-linux-gnu"\n' + F + TAKEN + TEST)


CALLS = """
define i32 @direct() {
  %x = call i32 @f()
  ret i32 %x
}
"""


@pytest.mark.parametrize(
    ("change", "callee"),
    [
        ("define i32", "f"),
        ("define dso_local i32", "f.cfi"),
        ("define internal i32", "f.cfi"),
        ("define hidden i32", "f.cfi"),
        ("define protected i32", "f.cfi"),
        ("define weak i32", "f"),
        ("define weak hidden i32", "f.cfi"),
        ("define linkonce_odr i32", "f"),
    ],
)
def test_direct_calls(change: str, callee: str) -> None:
    """A call goes on to the body, unless another module may replace the function: then by its name."""
    result = lowered(F.replace("define i32", change) + TAKEN + CALLS)
    assert instructions(result.module, "direct")[0] == f"%x = call i32 @{callee}()"


def test_a_quoted_name_keeps_its_direct_calls() -> None:
    """Names that LLVM quotes are told dso_local like others."""
    result = lowered((F.replace("define", "define dso_local") + TAKEN + CALLS).replace("@f", '@"f$x"'))
    assert instructions(result.module, "direct")[0] == '%x = call i32 @"f$x.cfi"()'


def test_invokes_and_their_arguments() -> None:
    """A direct invoke keeps its callee, and its arguments go through the table."""
    result = lowered(
        F.replace("define i32 @f()", "define dso_local i32 @f(ptr %p)")
        + """
declare i32 @personality(...)
define i32 @caller() personality ptr @personality {
  %x = invoke i32 @f(ptr @f) to label %ok unwind label %bad
ok:
  ret i32 %x
bad:
  %l = landingpad { ptr, i32 } cleanup
  ret i32 0
}
"""
    )
    assert "%x = invoke i32 @f.cfi(ptr @f)" in instructions(result.module, "caller")


USES = """
@plain = global ptr @f
@nested = constant { i32, [2 x ptr] } { i32 0, [2 x ptr] [ptr @f, ptr null] }
@relative = constant i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @relative to i64))
define ptr @select(i1 %c, ptr %p) {
  %x = select i1 %c, ptr @f, ptr %p
  ret ptr %x
}
define ptr @phi(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi ptr [ @f, %entry ], [ null, %a ]
  ret ptr %x
}
define void @pass() {
  call void @take(ptr @f)
  ret void
}
define void @bundle() {
  call void @take(ptr null) [ "deopt"(ptr @f) ]
  ret void
}
define i1 @compare(ptr %p) {
  %x = icmp eq ptr %p, @f
  ret i1 %x
}
define void @store(ptr %p) {
  store ptr @f, ptr %p, align 8
  ret void
}
define void @assembly() {
  callbr void asm sideeffect "", "s,!i"(ptr @f)
          to label %a [label %a]
a:
  ret void
}
declare void @take(ptr)
"""


@pytest.mark.parametrize("canonical", [True, False])
def test_uses_of_the_address(canonical: bool) -> None:
    """Every use of the address is one of the entry: by name if it is canonical, else by its address."""
    before = parse(X86_64 + F + USES + TEST)
    result = lowered(F + USES + ("" if canonical else NOT_CANONICAL))
    for name in (
        *("plain", "nested", "relative", "select", "phi"),
        *("pass", "bundle", "compare", "store", "assembly"),
    ):
        expected = definition(before, name)
        assert "@f" in expected
        entry = "@f" if canonical else "@.cfi.jumptable"
        assert result.of(name) == expected.replace("@f", entry)


def test_a_personality_function() -> None:
    """A function with a type may be a personality; that is a use like others."""
    text = F.replace("@f()", "@f(...)").replace("ret i32 1", "ret i32 0")
    result = lowered(f"{text}define void @u() personality ptr @f {{\n  ret void\n}}\n")
    assert "personality ptr @f {" in result.of("u")
    assert result.of("f").endswith(BODIES)


SPEAKING_OF_THE_BODY = """
@alias = alias i32 (), ptr @f
@weak = weak hidden alias i32 (), ptr @f
@ifunc = ifunc i32 (), ptr @resolver
@resolver_taken = global ptr @resolver
define internal ptr @resolver() !type !0 {
  ret ptr @f
}
@llvm.used = appending global [2 x ptr] [ptr @f, ptr @taken], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @note, ptr @note, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @taken, ptr @note, ptr @note, i32 2, ptr null }], section "llvm.metadata"
@note = private constant [2 x i8] c"n\\00"
@no_cfi = global ptr no_cfi @f
@label = global ptr blockaddress(@f, %block)
!named = !{!2}
!2 = !{ptr @f}
"""
F_WITH_BLOCK = """
define i32 @f() !type !0 {
entry:
  br label %block
block:
  ret i32 1
}
"""


@pytest.mark.parametrize("canonical", [True, False])
def test_what_speaks_of_the_body(canonical: bool) -> None:
    """Aliases, ifuncs, used lists, annotations, no_cfi, block addresses and metadata keep the body."""
    result = lowered(F_WITH_BLOCK + TAKEN + SPEAKING_OF_THE_BODY + ("" if canonical else NOT_CANONICAL))
    body = "@f.cfi" if canonical else "@f"
    resolver = "@resolver.cfi" if canonical else "@resolver"
    assert result.of("alias") == f"@alias = alias i32 (), ptr {body}"
    assert result.of("weak") == f"@weak = weak hidden alias i32 (), ptr {body}"
    assert [str(value).strip() for value in result.module.ifuncs()] == [
        f"@ifunc = ifunc i32 (), ptr {resolver}"
    ]
    assert f"ptr {body}, ptr @taken" in result.of("llvm.used")
    assert f"[1 x ptr] [ptr {body}]" in result.of("llvm.compiler.used")
    assert f"{{ ptr {body}, ptr @note" in result.of("llvm.global.annotations")
    assert result.of("no_cfi") == f"@no_cfi = global ptr no_cfi {body}"
    assert result.of("label") == f"@label = global ptr blockaddress({body}, %block)"
    assert f"= !{{ptr {body}}}" in result.text


def test_a_dso_local_equivalent_is_the_entry() -> None:
    """It is the table's entry itself, which cannot be replaced at run time."""
    result = lowered(F + TAKEN + "@local = global ptr dso_local_equivalent @f\n")
    assert result.of("local") == f"@local = global {BODIES}"


def test_names_that_are_not_canonical() -> None:
    """The function keeps its name and its body; the entry is called NAME.cfi_jt and used."""
    result = lowered(F + TAKEN + CALLS + NOT_CANONICAL)
    assert result.of("f").startswith("define i32 @f() !type")
    assert result.of("f.cfi_jt") == f"@f.cfi_jt = internal alias [8 x i8], {BODIES}"
    assert result.of("taken") == f"@taken = global {BODIES}"
    assert "[1 x ptr] [ptr @f.cfi_jt]" in result.of("llvm.used")
    assert instructions(result.module, "direct")[0] == "%x = call i32 @f()"
    assert entries(result) == ["f"]


def test_the_canonical_attribute() -> None:
    """`cfi-canonical-jump-table` makes one function canonical in a module that is not."""
    text = F.replace("!type", '"cfi-canonical-jump-table" !type') + F.replace("@f", "@g")
    result = lowered(text + TAKEN + "@also = global ptr @g\n" + NOT_CANONICAL)
    assert entries(result) == ["f.cfi", "g"]
    assert result.of("taken") == "@taken = global ptr @f"
    assert "ptr @.cfi.jumptable, i32 0, i32 1" in result.of("also")


def test_a_name_that_is_taken() -> None:
    """If the module has a NAME.cfi already, the body gets a number."""
    result = lowered(F + TAKEN + "define void @f.cfi() {\n  ret void\n}\n")
    assert entries(result) == ["f.cfi.1"]
    assert result.of("f.cfi") == "define void @f.cfi() {\n  ret void\n}"


def test_functions_without_a_name() -> None:
    """An unnamed function goes through the table like others."""
    result = lowered("define internal i32 @0() !type !0 {\n  ret i32 1\n}\n@taken = global ptr @0\n")
    alias = next(value for value in result.module.aliases())
    assert alias.name == ""
    assert str(alias).strip() == f"@0 = internal alias [8 x i8], {BODIES}"
    assert (
        runs(
            "define internal i32 @0() !type !0 {\n  ret i32 7\n}\n@taken = global ptr @0\n"
            "define i32 @call() {\n  %p = load ptr, ptr @taken\n  %x = call i32 %p()\n  ret i32 %x\n}\n",
            "call",
        )
        == 7
    )


DECLARED = "declare !type !0 i32 @f()\n"


def test_external_functions() -> None:
    """A declared function has an entry that jumps to it; its own name stays its own."""
    result = lowered(DECLARED + TAKEN + CALLS)
    assert result.of("f") == "declare !type !0 i32 @f()"
    assert result.of("taken") == f"@taken = global {BODIES}"
    assert result.of("f.cfi_jt") == f"@f.cfi_jt = internal alias [8 x i8], {BODIES}"
    assert instructions(result.module, "direct")[0] == "%x = call i32 @f()"


def test_available_externally() -> None:
    """A body that is only there to be inlined is external to the linker."""
    result = lowered(F.replace("define", "define available_externally") + TAKEN + CALLS)
    assert result.of("f").startswith("define available_externally i32 @f()")
    assert result.of("taken") == f"@taken = global {BODIES}"


WEAK = "declare !type !0 extern_weak i32 @f()\n"


def test_weak_functions_are_tested_where_they_are_used() -> None:
    """The address of a function that may be missing is its entry if it is there, else null."""
    result = lowered(WEAK + "define ptr @get() {\n  ret ptr @f\n}\n" + CALLS)
    assert instructions(result.module, "get") == [
        "%1 = icmp ne ptr @f, null",
        f"%2 = select i1 %1, {BODIES}, ptr null",
        "ret ptr %2",
    ]
    assert instructions(result.module, "direct")[0] == "%x = call i32 @f()"


def test_weak_functions_in_data() -> None:
    """Data that holds such an address is filled in by a constructor that runs before all others."""
    result = lowered(WEAK + "@t = constant { i32, ptr } { i32 5, ptr @f }, align 16\n@x = global ptr @f\n")
    assert result.of("t") == "@t = global { i32, ptr } zeroinitializer, align 16"
    assert result.of("x") == "@x = global ptr null"
    assert "[{ i32, ptr, ptr } { i32 0, ptr @__cfi_global_var_init, ptr null }]" in result.text
    code = instructions(result.module, "__cfi_global_var_init")
    assert sum(line.startswith("store ") for line in code) == 2
    assert code[-1] == "ret void"
    assert 'section ".text.startup"' in result.of("__cfi_global_var_init")


def test_weak_functions_in_annotations() -> None:
    """An annotation of such a function needs no constructor: it speaks of the function itself."""
    annotated = """
@note = private constant [2 x i8] c"n\\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @note, ptr @note, i32 1, ptr null }], section "llvm.metadata"
define ptr @get() {
  ret ptr @f
}
"""
    result = lowered(WEAK + annotated)
    assert "{ ptr @f, ptr @note" in result.of("llvm.global.annotations")
    assert "__cfi_global_var_init" not in result.text


PROGRAM = """
@table = constant [3 x ptr] [ptr @f, ptr @g, ptr @missing]
@number = global i32 0
define i32 @f() !type !0 {
  ret i32 11
}
define internal i32 @g() !type !0 {
  ret i32 22
}
define i32 @other() {
  ret i32 33
}
declare !type !0 extern_weak i32 @missing()
define ptr @at(i32 %n) {
  %slot = getelementptr [3 x ptr], ptr @table, i32 0, i32 %n
  %p = load ptr, ptr %slot
  ret ptr %p
}
define i32 @call(i32 %n) {
  %p = call ptr @at(i32 %n)
  %x = call i32 %p()
  ret i32 %x
}
define i1 @member(i32 %n) {
  %p = call ptr @at(i32 %n)
  %x = call i1 @test(ptr %p)
  ret i1 %x
}
define i1 @is_null(i32 %n) {
  %p = call ptr @at(i32 %n)
  %x = icmp eq ptr %p, null
  ret i1 %x
}
define i1 @same() {
  %p = call ptr @at(i32 0)
  %x = icmp eq ptr %p, @f
  ret i1 %x
}
define i1 @weak_is_null() {
  %x = icmp eq ptr @missing, null
  ret i1 %x
}
define i1 @other_is_member() {
  %x = call i1 @test(ptr @other)
  ret i1 %x
}
define i1 @between() {
  %p = call ptr @at(i32 0)
  %q = getelementptr i8, ptr %p, i64 4
  %x = call i1 @test(ptr %q)
  ret i1 %x
}
define i32 @direct() {
  %x = call i32 @g()
  ret i32 %x
}
"""


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("call", (0,), 11),
        ("call", (1,), 22),
        ("direct", (), 22),
        ("member", (0,), 1),
        ("member", (1,), 1),
        ("member", (2,), 0),
        ("is_null", (0,), 0),
        ("is_null", (2,), 1),
        ("same", (), 1),
        ("weak_is_null", (), 1),
        ("other_is_member", (), 0),
        ("between", (), 0),
    ],
)
@pytest.mark.parametrize("canonical", [True, False])
def test_programs_run_as_before(
    function: str, arguments: tuple[int, ...], expected: int, canonical: bool
) -> None:
    """Calls through pointers reach their functions, members pass, others do not, missing stays null."""
    program = PROGRAM + ("" if canonical else NOT_CANONICAL)
    assert runs(program, function, *arguments) == expected


def test_a_weak_function_that_is_there() -> None:
    """A weak function that the process has is called through its entry, and is a member."""
    text = """
declare !type !0 extern_weak i32 @abs(i32)
@table = global [1 x ptr] [ptr @abs]
define i32 @call() {
  %p = load ptr, ptr @table
  %x = call i32 %p(i32 -5)
  ret i32 %x
}
define i1 @member() {
  %p = load ptr, ptr @table
  %x = call i1 @test(ptr %p)
  ret i1 %x
}
define i1 @through_the_table() {
  %p = load ptr, ptr @table
  %x = icmp eq ptr %p, @abs
  ret i1 %x
}
"""
    assert runs(text, "call") == 5
    assert runs(text, "member") == 1
    assert runs(text, "through_the_table") == 1


def test_arguments_and_results_pass_through_the_table() -> None:
    """An entry is a jump: arguments in registers and on the stack, and the result, are not touched."""
    parameters = ", ".join(f"i64 %a{n}" for n in range(10))
    body = "  %s0 = add i64 %a0, 0\n" + "".join(f"  %s{n} = add i64 %s{n - 1}, %a{n}\n" for n in range(1, 10))
    arguments = ", ".join(f"i64 {10**n}" for n in range(10))
    text = f"define i64 @f({parameters}) !type !0 {{\n{body}  ret i64 %s9\n}}\n" + TAKEN
    text += "define i64 @call() {\n  %p = load ptr, ptr @taken\n"
    text += f"  %x = call i64 %p({arguments})\n  ret i64 %x\n}}\n"
    assert runs(text, "call") == 1111111111


def test_two_sets_have_two_tables() -> None:
    """Functions of different types are in different tables, and a pointer passes only its own test."""
    text = (
        F + TAKEN + F.replace("@f", "@g").replace("!0", "!3") + "@also = global ptr @g\n"
        'define i1 @other(ptr %p) {\n  %x = call i1 @llvm.type.test(ptr %p, metadata !"G")\n  ret i1 %x\n}\n'
        '!3 = !{i64 0, !"G"}\n'
        "define i1 @f_is_g() {\n  %p = load ptr, ptr @taken\n  %x = call i1 @other(ptr %p)\n  ret i1 %x\n}\n"
        "define i1 @g_is_g() {\n  %p = load ptr, ptr @also\n  %x = call i1 @other(ptr %p)\n  ret i1 %x\n}\n"
    )
    assert runs(text, "f_is_g") == 0
    assert runs(text, "g_is_g") == 1
    assert lowered(text).stats.functions == 2


def test_functions_and_variables_together() -> None:
    """A vtable that is laid out may hold functions that go through a table."""
    text = (
        F + "@vtable = constant [2 x ptr] [ptr null, ptr @f], !type !3\n"
        'define i1 @of(ptr %p) {\n  %x = call i1 @llvm.type.test(ptr %p, metadata !"V")\n  ret i1 %x\n}\n'
        "define i1 @slot() {\n  %p = load ptr, ptr getelementptr (i8, ptr @vtable, i64 8)\n"
        "  %x = call i1 @test(ptr %p)\n  ret i1 %x\n}\n"
        '!3 = !{i64 8, !"V"}\n'
    )
    assert runs(text, "slot") == 1
    result = lowered(text)
    assert "[2 x ptr] [ptr null, ptr @f]" in result.text
    assert (result.stats.variables, result.stats.functions) == (1, 1)


def test_many_functions() -> None:
    """A table of hundreds of entries is made in one go, and every entry is a member."""
    count = 600
    text = "".join(f"define internal i32 @f{n}() !type !0 {{\n  ret i32 {n}\n}}\n" for n in range(count))
    text += f"@table = global [{count} x ptr] [{', '.join(f'ptr @f{n}' for n in range(count))}]\n"
    text += f"""
define i1 @all() {{
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr [{count} x ptr], ptr @table, i32 0, i32 %n
  %p = load ptr, ptr %slot
  %member = call i1 @test(ptr %p)
  %called = call i32 %p()
  %right = icmp eq i32 %called, %n
  %good = and i1 %member, %right
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, {count}
  %go = and i1 %good, %more
  br i1 %go, label %loop, label %end
end:
  ret i1 %good
}}
"""
    assert runs(text, "all") == 1
