"""Verification agrees with right lowerings, and finds what is wrong in wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ir import TYPE_TEST, X86_64, parse
from typemeta.execute.verify import verify_module
from typemeta.llvm.module import Module
from typemeta.lower.pipeline import lower_module

SEED = Path(__file__).parents[2] / "examples" / "seed.ll"


def seed() -> Module:
    return parse(SEED.read_text())


def test_agrees() -> None:
    result = verify_module(seed())
    assert result.differences == ()
    assert result.types == 3 and result.addresses > 20
    assert result.answers == result.types * result.addresses


@pytest.mark.parametrize("said", ["true", "false"])
def test_constant_answers_are_found(said: str) -> None:
    def lower(module: Module) -> Module:
        lower_module(module)
        head, *functions = module.print().split("define ")
        kept = [
            f"i1 @typemeta.probe.{f.split('probe.')[1][0]}(ptr %0) {{ ret i1 {said} }}\n"
            if f.startswith("i1 @typemeta.probe.")
            else f
            for f in functions
        ]
        return parse("define ".join([head, *kept]))

    result = verify_module(seed(), lower)
    assert result.differences
    assert {d.got for d in result.differences} == {said == "true"}
    if said == "false":
        found = {(d.type, d.address) for d in result.differences}
        assert ("typeid1", "@a+0") in found and ("typeid2", "@d+4") in found


def test_a_wrong_bound_is_found_exactly() -> None:
    text = f"""{X86_64}{TYPE_TEST}
@a = constant i64 1, !type !0
@b = constant i64 2
!0 = !{{i64 0, !"A"}}
"""

    def lower(module: Module) -> Module:
        lower_module(module)
        changed = module.print().replace("ptrtoint (ptr @a to i64)", "ptrtoint (ptr @b to i64)")
        return parse(changed)

    result = verify_module(parse(text), lower)
    assert [(d.address, d.expected) for d in result.differences] in (
        [("@a+0", True), ("@b+0", False)],
        [("@b+0", False), ("@a+0", True)],
    ), result
