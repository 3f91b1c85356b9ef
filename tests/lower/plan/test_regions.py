"""Layout of one disjoint set."""

from __future__ import annotations

import pytest

from tests.models import build_model, function, variable
from typemeta.errors import MetadataError
from typemeta.lower.plan import JumpTable, JumpTableArch, Region, VariableRegion, plan_lowering
from typemeta.model import GlobalRecord, TypeModel


def region(model: TypeModel) -> Region:
    """Returns the only region of a model's plan."""
    (found,) = plan_lowering(model).regions
    return found


def variables(*records: GlobalRecord, members: list[tuple[str, str, int]] | None = None) -> VariableRegion:
    """Returns the region of variables that are all in one tested set."""
    rows = members or [("T", record.name, 0) for record in records]
    found = region(build_model(records, rows, ["T"]))
    assert isinstance(found, VariableRegion)
    return found


def test_variables_are_padded() -> None:
    """Variables stand in order, each padded to a power of two."""
    found = variables(variable("a", 24), variable("b", 40), variable("c", 8))
    assert (found.members, found.offsets, found.size) == ((0, 1, 2), (0, 32, 96), 104)


def test_the_largest_alignment_counts() -> None:
    """The region is aligned for each of its members."""
    found = variables(variable("a", 8, 4), variable("b", 8, 64), variable("c", 8, 1))
    assert (found.alignment, found.offsets) == (64, (0, 64, 72))


@pytest.mark.parametrize("written", [(), (0,), (1,), (0, 1)])
def test_a_region_is_constant_if_all_its_members_are(written: tuple[int, ...]) -> None:
    """One member that is written makes the whole region writable."""
    found = variables(*(variable(f"v{n}", constant=n not in written) for n in range(2)))
    assert found.constant is (not written)


def test_members_of_the_smaller_set_stand_together() -> None:
    """The order is that of LLVM's fragments: smaller sets first."""
    model = build_model(
        [variable(name) for name in "abcd"],
        [("T", "a", 0), ("T", "b", 0), ("U", "b", 0), ("T", "c", 0), ("T", "d", 0), ("U", "d", 0)],
        ["T", "U"],
    )
    assert region(model).members == (0, 1, 3, 2)


def test_an_untested_type_has_no_say() -> None:
    """Types that nothing tests neither order members nor bring them in."""
    model = build_model(
        [variable(name) for name in "abcd"],
        [("T", "a", 0), ("T", "b", 0), ("U", "b", 0), ("T", "c", 0), ("U", "d", 0)],
        ["T"],
    )
    assert region(model).members == (0, 1, 2)


def test_an_address_one_past_the_end_gets_room() -> None:
    """A set that holds the end of a variable must not hold the start of the next one."""
    found = variables(variable("a", 8), variable("b", 8), members=[("T", "a", 8), ("T", "b", 4)])
    assert found.offsets == (0, 16)
    assert found.size == 24


def test_an_empty_variable_gets_room() -> None:
    """A variable without bytes has an address of its own."""
    found = variables(variable("a", 0, 1), variable("b", 0, 1), variable("c", 8))
    assert found.offsets == (0, 1, 8)


def test_a_member_beyond_the_end_gets_room() -> None:
    """All bytes up to the address are reserved."""
    found = variables(variable("a", 8, 1), variable("b", 8, 1), members=[("T", "a", 20), ("T", "b", 0)])
    assert found.offsets == (0, 32)


def test_an_untested_type_needs_no_room() -> None:
    """Addresses of types that nothing tests are not laid out."""
    model = build_model(
        [variable("a", 8), variable("b", 8)], [("T", "a", 0), ("U", "a", 8), ("T", "b", 0)], ["T"]
    )
    assert region(model).offsets == (0, 8)


def jump_table(
    *records: GlobalRecord,
    triple: str = "x86_64-unknown-linux-gnu",
    flags: dict[str, int | None] | None = None,
) -> JumpTable:
    """Returns the jump table of functions that are all in one tested set."""
    model = build_model(
        records, [("F", record.name, 0) for record in records], ["F"], triple=triple, flags=flags
    )
    found = region(model)
    assert isinstance(found, JumpTable)
    return found


def test_entries_stand_one_behind_the_other() -> None:
    """Each function has an entry of eight bytes."""
    found = jump_table(function("f"), function("g", declaration=True), function("h"))
    assert (found.members, found.entry_size, found.offsets) == ((0, 1, 2), 8, (0, 8, 16))
    assert not found.landing_pads


@pytest.mark.parametrize(("value", "size"), [(1, 16), (2, 16), (0, 8), (None, 8)])
def test_landing_pads_make_entries_larger(value: int | None, size: int) -> None:
    """With `cf-protection-branch` entries begin with a landing pad and have sixteen bytes."""
    found = jump_table(function("f"), function("g"), flags={"cf-protection-branch": value})
    assert (found.entry_size, found.landing_pads, found.offsets) == (size, size == 16, (0, size))


@pytest.mark.parametrize(
    ("triple", "arch"),
    [
        ("x86_64-unknown-linux-gnu", JumpTableArch.X86_64),
        ("x86_64", JumpTableArch.X86_64),
        ("i386-unknown-linux-gnu", JumpTableArch.X86),
        ("i686-pc-windows-msvc", JumpTableArch.X86),
    ],
)
def test_targets_with_jump_tables(triple: str, arch: JumpTableArch) -> None:
    """The first part of the triple says which instructions the entries are."""
    assert jump_table(function("f"), triple=triple).arch is arch


@pytest.mark.parametrize("triple", ["mips64-unknown-linux-gnu", "i86-x", "ia64-linux", "armadillo-x"])
def test_targets_without_jump_tables(triple: str) -> None:
    """The error names a function, the triple, and which targets have one."""
    with pytest.raises(MetadataError) as caught:
        jump_table(function("f"), triple=triple)
    assert str(caught.value) == (
        f"@f: functions need a jump table, and there is none for target triple '{triple}'; there is one for "
        "i386, x86_64, arm, thumb, aarch64, riscv32, riscv64, loongarch64, wasm32 and wasm64"
    )


def test_functions_without_a_target() -> None:
    """A module without a triple is told so; variables need no target."""
    with pytest.raises(MetadataError, match="there is none for a module without a target triple"):
        jump_table(function("f"), triple="")
    model = build_model([variable("a")], [("T", "a", 0)], ["T"], triple="")
    assert region(model).members == (0,)
