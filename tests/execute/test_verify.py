"""Verification agrees with right lowerings, and finds what is wrong in wrong ones."""

from __future__ import annotations

import re

import pytest

from tests.cli.command import SETS
from tests.ir import TYPE_TEST, X86_64, parse
from typemeta.execute.verify import verify_module
from typemeta.execute.verify.command import CommandError, command_lowering
from typemeta.llvm.module import Module
from typemeta.lower.pipeline import lower_module

ONE_MEMBER = f"""{X86_64}{TYPE_TEST}
@a = constant i64 1, !type !0
@b = constant i64 2
!0 = !{{i64 0, !"A"}}
"""
PROBE = re.compile(r"(define i1 @typemeta\.probe\.\d+\(ptr %0\)) \{.*?\n\}", re.DOTALL)


def test_agrees() -> None:
    """Functions and variables, types that are tested or not: every answer is the set's."""
    result = verify_module(parse(SETS))
    assert result.differences == ()
    assert result.unprobed == 0
    assert result.types == 4
    assert result.answers == result.types * result.addresses
    assert result.addresses > 50


def test_a_type_that_nothing_tests_is_tested() -> None:
    """The probes make every named type one that is lowered."""
    result = verify_module(parse(ONE_MEMBER))
    assert (result.types, result.unprobed, result.differences) == (1, 0, ())


@pytest.mark.parametrize("said", ["true", "false"])
def test_constant_answers_are_found(said: str) -> None:
    """Always false misses exactly the members; always true takes everything else for one."""

    def lower(module: Module) -> Module:
        lower_module(module)
        text, count = PROBE.subn(rf"\1 {{\n  ret i1 {said}\n}}", module.print())
        assert count == 4
        return parse(text)

    result = verify_module(parse(SETS), lower)
    missed = {(d.type, d.address) for d in result.differences if d.expected}
    if said == "false":
        assert missed == {
            *[("typeid1", "@a+0"), ("typeid1", "@b+0"), ("typeid2", "@b+0"), ("typeid2", "@c+0")],
            *[("typeid2", "@d+4"), ("typeid3", "@e+0")],
        }
        assert len(missed) == len(result.differences)
    else:
        assert not missed
        assert len(result.differences) == result.answers - 6


def test_a_wrong_address_is_found_exactly() -> None:
    """The code compares with the wrong global: one member missed, one other address taken."""

    def lower(module: Module) -> Module:
        lower_module(module)
        right, wrong = "ptrtoint (ptr @0 to i64)", "ptrtoint (ptr @b to i64)"
        assert module.print().count(right) == 1
        return parse(module.print().replace(right, wrong))

    found = {(d.address, d.expected, d.got) for d in verify_module(parse(ONE_MEMBER), lower).differences}
    assert found == {("@a+0", True, False), ("@b+0", False, True)}


@pytest.mark.parametrize(
    ("right", "wrong", "found"),
    [
        ("and i32 13", "and i32 5", {("@b+0", True)}),
        ("and i32 13", "and i32 15", {("@d+0", False)}),
    ],
)
def test_a_flipped_bit_is_found_exactly(right: str, wrong: str, found: set[tuple[str, bool]]) -> None:
    """One bit of a bit set that is inline: the address that it stands for."""

    def lower(module: Module) -> Module:
        lower_module(module)
        probes = PROBE.finditer(module.print())
        assert sum(right in probe.group() for probe in probes) == 1
        return parse(PROBE.sub(lambda probe: probe.group().replace(right, wrong), module.print()))

    differences = verify_module(parse(SETS), lower).differences
    assert {(d.address, d.expected) for d in differences} == found
    assert {d.type for d in differences} == {"typeid2"}


def test_a_command_that_fails() -> None:
    """What the command said is in the error, and so is a command that is not there."""
    with pytest.raises(CommandError, match="ended with status 1"):
        verify_module(parse(ONE_MEMBER), command_lowering("false"))
    with pytest.raises(CommandError, match="cannot run"):
        verify_module(parse(ONE_MEMBER), command_lowering("/no/such/command"))
