"""How a target's jump table is written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.models import build_model, function
from typemeta.lower.plan import FunctionIndices, JumpTable, JumpTableArch, plan_lowering
from typemeta.lower.plan.exports import Exports
from typemeta.lower.plan.jump_tables import entry_text, table_attributes
from typemeta.model import ArmBranches, GlobalIndex, GlobalRecord

BOTH = ArmBranches(arm=True, thumb=True)


def plan(
    triple: str,
    *records: GlobalRecord,
    flags: dict[str, int | None] | None = None,
    branches: ArmBranches = BOTH,
    exports: Exports | None = None,
) -> JumpTable:
    """Returns the jump table of functions that are all in one tested set."""
    listed = records or (function("f"), function("g"))
    rows = [("F", record.name, 0) for record in listed]
    model = build_model(listed, rows, ["F"], triple=triple, flags=flags)
    model = replace(model, arm_branches=branches)
    (region,) = plan_lowering(model, exports=exports or Exports()).regions
    assert isinstance(region, JumpTable)
    return region


@pytest.mark.parametrize(
    ("triple", "flag", "arch", "size", "with_landing_pad"),
    [
        ("i686-pc-linux", "cf-protection-branch", JumpTableArch.X86, 8, 16),
        ("x86_64h-apple-darwin", "cf-protection-branch", JumpTableArch.X86_64, 8, 16),
        ("aarch64-unknown-linux-gnu", "branch-target-enforcement", JumpTableArch.AARCH64, 4, 8),
        ("arm64-apple-ios", "branch-target-enforcement", JumpTableArch.AARCH64, 4, 8),
        ("armv7-unknown-linux-gnueabi", "branch-target-enforcement", JumpTableArch.ARM, 4, 4),
        ("thumbv8m.main-none-eabi", "branch-target-enforcement", JumpTableArch.THUMB, 4, 8),
        ("riscv32-unknown-elf", "cf-protection-branch", JumpTableArch.RISCV32, 8, 8),
        ("riscv64-unknown-linux-gnu", "branch-target-enforcement", JumpTableArch.RISCV64, 8, 8),
        ("loongarch64-unknown-linux-gnu", "branch-target-enforcement", JumpTableArch.LOONGARCH64, 8, 8),
    ],
)
def test_sizes(triple: str, flag: str, arch: JumpTableArch, size: int, with_landing_pad: int) -> None:
    """The sizes are LLVM's; only some targets have landing pads, asked for by their own flag."""
    records = [function(name, thumb=arch is JumpTableArch.THUMB) for name in "fg"]
    for value, expected in ((None, size), (0, size), (1, with_landing_pad)):
        found = plan(triple, *records, flags={flag: value})
        assert (found.arch, found.entry_size) == (arch, expected)
        assert found.landing_pads is (expected != size)


@pytest.mark.parametrize(
    ("branches", "thumb", "arch", "size"),
    [
        (ArmBranches(arm=True), (True, True), JumpTableArch.ARM, 4),  # ARM and Thumb-1
        (ArmBranches(), (True, True), JumpTableArch.THUMB, 16),  # Thumb-1 alone
        (ArmBranches(), (False, False), JumpTableArch.ARM, 4),
        (ArmBranches(thumb=True), (True, False), JumpTableArch.THUMB, 4),
        (BOTH, (True, True, False), JumpTableArch.THUMB, 4),
        (BOTH, (True, False, False), JumpTableArch.ARM, 4),
    ],
)
def test_arm_or_thumb(branches: ArmBranches, thumb: tuple[bool, ...], arch: JumpTableArch, size: int) -> None:
    """A table is what most of its members are, Thumb if equal, if the processor has a short branch for it."""
    records = [function(f"f{index}", thumb=value) for index, value in enumerate(thumb)]
    found = plan("armv7-unknown-linux-gnueabi", *records, branches=branches)
    assert (found.arch, found.entry_size) == (arch, size)


def test_a_name_that_is_not_canonical_counts_as_arm() -> None:
    """Its symbol leads to a PLT stub, and those are ARM code."""
    records = [function(name, thumb=True, canonical=False) for name in "fg"]
    assert plan("thumbv7-linux-gnueabi", *records).arch is JumpTableArch.ARM


def test_webassembly_has_indices() -> None:
    """Sets of functions get numbers from 1, one set behind the other."""
    model = build_model(
        [function(name) for name in "fgh"],
        [("F", "f", 0), ("F", "g", 0), ("G", "h", 0)],
        ["F", "G"],
        triple="wasm32-unknown-unknown",
    )
    lowering = plan_lowering(model)
    assert lowering.regions == (
        FunctionIndices(members=(GlobalIndex(0), GlobalIndex(1)), first=1),
        FunctionIndices(members=(GlobalIndex(2),), first=3),
    )
    assert [resolution.bit_set.first for resolution in lowering.resolutions] == [1, 3]


def test_exported_functions() -> None:
    """An export needs an entry though nothing here takes its address, named if it is defined there."""
    records = [function(name, address_taken=False, canonical=False) for name in "fg"]
    found = plan("x86_64-linux", *records, exports=Exports({GlobalIndex(0): True, GlobalIndex(1): False}))
    assert (found.canonical, found.exported) == ((True, False), (True, True))


@pytest.mark.parametrize("arch", list(JumpTableArch))
def test_every_target_has_an_entry(arch: JumpTableArch) -> None:
    """An entry branches to its operand, behind a landing pad exactly if there is one."""
    table = replace(plan("x86_64-linux"), arch=arch)
    plain, padded = entry_text(table), entry_text(replace(table, landing_pads=True))
    assert "$0" in plain or "${0:c}" in plain
    assert (plain != padded) is (arch in {"i386", "x86_64", "aarch64", "thumb"})


def test_thumb_attributes() -> None:
    """The table is assembled as Thumb code with the instructions that its entries use."""
    wide = plan("thumbv7-linux", function("f", thumb=True), function("g", thumb=True))
    assert table_attributes(wide) == {"target-features": "+thumb-mode", "target-cpu": "cortex-a8"}
    padded = replace(wide, landing_pads=True)
    assert table_attributes(padded) == {"target-features": "+thumb-mode,+pacbti"}
    narrow = replace(wide, wide_branch=False)
    assert table_attributes(narrow) == {"target-features": "+thumb-mode"}
    assert entry_text(narrow).count("\n") == 7
