"""The instruction bytes of our jump tables are those of LLVM's, on every target for which LLVM has tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.targets.toolchain import Toolchain

BTI: Final = "branch-target-enforcement"
IBT: Final = "cf-protection-branch"
MEMBERS: Final = ("exported", "local", "declared", "thumb_or_not")


@dataclass(frozen=True, slots=True)
class Target:
    """What a module is compiled for.

    Attributes:
        name: of the test.
        triple: LLVM's.
        entry_size: bytes of an entry.
        flag: a module flag that is 1.
        features: target features of every function.
        others: target features of the last function, if it has its own.
    """

    name: str
    triple: str
    entry_size: int
    flag: str = ""
    features: str = ""
    others: str | None = None


TARGETS: Final = (
    Target("x86", "i686-unknown-linux-gnu", 8),
    Target("x86-ibt", "i686-unknown-linux-gnu", 16, IBT),
    Target("x86_64", "x86_64-unknown-linux-gnu", 8),
    Target("x86_64-ibt", "x86_64-unknown-linux-gnu", 16, IBT),
    Target("x86_64-coff", "x86_64-pc-windows-msvc", 8),
    Target("arm", "armv7-unknown-linux-gnueabihf", 4),
    Target("arm-with-a-thumb-function", "armv7-unknown-linux-gnueabihf", 4, others="+thumb-mode"),
    Target("arm-mostly-thumb", "armv7-unknown-linux-gnueabihf", 4, features="+thumb-mode"),
    Target("arm-v4t", "armv4t-unknown-linux-gnueabi", 4),
    Target("thumb", "thumbv7-unknown-linux-gnueabihf", 4),
    Target("thumb-bti", "thumbv8.1m.main-unknown-none-eabi", 8, BTI),
    Target("thumb-v6m", "thumbv6m-unknown-none-eabi", 16),
    Target("thumb-v6m-bti", "thumbv6m-unknown-none-eabi", 16, BTI),
    Target("aarch64", "aarch64-unknown-linux-gnu", 4),
    Target("aarch64-bti", "aarch64-unknown-linux-gnu", 8, BTI),
    Target("aarch64-macho", "arm64-apple-macosx11.0.0", 4),
    Target("riscv32", "riscv32-unknown-linux-gnu", 8),
    Target("riscv64", "riscv64-unknown-linux-gnu", 8),
    Target("riscv64-compressed", "riscv64-unknown-linux-gnu", 8, features="+c,+relax"),
    Target("loongarch64", "loongarch64-unknown-linux-gnu", 8),
)


def module_text(target: Target) -> str:
    """Returns a module whose table has functions of every kind, with other code around them."""
    attributes = [f'"target-features"="{target.features}"' if target.features else ""] * len(MEMBERS)
    if target.others is not None:
        attributes[-1] = f'"target-features"="{target.others}"'
    exported, local, declared, last = (f"@{name}() {a}" for name, a in zip(MEMBERS, attributes, strict=True))
    flags = f'!llvm.module.flags = !{{!2}}\n!2 = !{{i32 8, !"{target.flag}", i32 1}}' if target.flag else ""
    return f"""\
target triple = "{target.triple}"
@addresses = global [4 x ptr] [{", ".join(f"ptr @{name}" for name in MEMBERS)}]

define void {exported} !type !0 {{
  ret void
}}
define internal void {local} !type !0 !type !1 {{
  ret void
}}
declare !type !0 !type !1 void {declared}
define hidden void {last} !type !0 {{
  ret void
}}
define i1 @test(ptr %p) {attributes[0]} {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"all")
  ret i1 %x
}}
define i1 @test_some(ptr %p) {attributes[0]} {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"some")
  ret i1 %x
}}
declare i1 @llvm.type.test(ptr, metadata)
{flags}
!0 = !{{i64 0, !"all"}}
!1 = !{{i64 0, !"some"}}
"""


@dataclass(frozen=True, slots=True)
class Modules:
    """One module, lowered by typemeta and by LLVM: bitcode or text."""

    ours: Path
    theirs: Path


def lower_both(tools: Toolchain, target: Target, folder: Path) -> Modules:
    """Lowers the module of a target in both ways."""
    source, ours, theirs = folder / "source.ll", folder / "ours.bc", folder / "theirs.bc"
    tools.run("opt", "-S", "-passes=verify", "-o", source, input=module_text(target))  # adds the data layout
    tools.lower(source, ours)
    tools.run("opt", "-passes=lowertypetests", source, "-o", theirs)
    return Modules(ours, theirs)


def without_plt(tools: Toolchain, module: Path) -> Path:
    """Returns a copy whose entries jump to the function and not to its entry in the linkage table."""
    text = tools.run("opt", "-S", "-passes=verify", module)
    assert "@plt" in text
    changed = module.with_suffix(".direct.ll")
    changed.write_text(text.replace("@plt", ""))
    return changed


_ENTRIES: Final = ("exported", "local", "declared.cfi_jt", "thumb_or_not")
_SYMBOL: Final = re.compile(r"^([0-9a-f]+) <_?(.*)>:$")
_LINE: Final = re.compile(
    r"^\s*([0-9a-f]+):\s+(?:((?:[0-9a-f]{2,8} )*[0-9a-f]{2,8})(?=\s)|([A-Z]\w+\s+\S.*))", re.ASCII
)


def read_table(tools: Toolchain, target: Target, module: Path) -> list[tuple[int, str]]:
    """Compiles a module; returns the bytes and the relocations of its table, by place in the table."""
    compiled = module.with_suffix(".o")
    tools.run("llc", "-relocation-model=pic", "-filetype=obj", module, "-o", compiled)
    lines = tools.run("llvm-objdump", "-d", "-r", "--show-all-symbols", compiled).splitlines()
    symbols = {found[2]: int(found[1], 16) for found in map(_SYMBOL.match, lines) if found}
    entries = sorted(symbols[name] for name in _ENTRIES)
    assert [entry - entries[0] for entry in entries] == [target.entry_size * index for index in range(4)]
    found = []
    for match in filter(None, map(_LINE.match, lines)):
        place = int(match[1], 16) - entries[0]
        if 0 <= place < target.entry_size * len(MEMBERS):
            found.append((place, match[2] or match[3]))
    return found


def check_tables(tools: Toolchain, target: Target, modules: Modules) -> None:
    """Entries have the same instructions and the same relocations, at the same places."""
    ours, theirs = (read_table(tools, target, path) for path in (modules.ours, modules.theirs))
    assert ours == theirs
    shown = "".join(text.replace(" ", "") for _, text in theirs if not re.match("[A-Z]", text))
    assert len(shown) == 2 * target.entry_size * len(MEMBERS), "every byte of the table was compared"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_same_bytes(tools: Toolchain, target: Target, tmp_path: Path) -> None:
    """Compiled by the same LLVM, our table and its own are the same."""
    check_tables(tools, target, lower_both(tools, target, tmp_path))


def test_x86_64_macho(tools: Toolchain, tmp_path: Path) -> None:
    """Mach-O has no `@plt`, and LLVM's assembler refuses its own entries; without it they are the same."""
    target = Target("x86_64-macho", "x86_64-apple-macosx11.0.0", 8)
    modules = lower_both(tools, target, tmp_path)
    with pytest.raises(AssertionError, match="unsupported symbol modifier"):
        read_table(tools, target, modules.theirs)
    check_tables(tools, target, Modules(*(without_plt(tools, m) for m in (modules.ours, modules.theirs))))


@pytest.mark.parametrize("bits", [32, 64])
def test_webassembly(tools: Toolchain, bits: int, tmp_path: Path) -> None:
    """Functions have the same indices, as assembly: LLVM cannot write them into an object."""
    modules = lower_both(tools, Target("wasm", f"wasm{bits}-unknown-unknown", 1), tmp_path)
    ours, theirs = (
        re.findall(r"^(\w[^:\s]*):|^\s*(\.indidx\s+\d+)", tools.run("llc", path, "-o", "-"), re.MULTILINE)
        for path in (modules.ours, modules.theirs)
    )
    assert ours == theirs
    assert sum(bool(index) for _, index in theirs) == 3, "one for each function with a body"


def test_no_others(tools: Toolchain, tmp_path: Path) -> None:
    """Hexagon has no jump tables: LLVM ends with an error, and so does typemeta."""
    target = Target("hexagon", "hexagon-unknown-linux-musl", 0)
    source = tmp_path / "source.ll"
    tools.run("opt", "-S", "-passes=verify", "-o", source, input=module_text(target))
    with pytest.raises(AssertionError, match=r"(?i)unsupported architecture for jump tables"):
        tools.run("opt", "-passes=lowertypetests", source, "-o", tmp_path / "theirs.bc")
    with pytest.raises(
        AssertionError, match="need a jump table, and there is none for target triple 'hexagon"
    ):
        tools.lower(source, tmp_path / "ours.bc")
