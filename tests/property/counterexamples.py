"""Modules that a law tries before random ones: those that broke it once, and those at a boundary."""

from __future__ import annotations

from tests.property.specs import (
    Function,
    KnownTest,
    Member,
    ModuleSpec,
    Pointer,
    Test,
    TypeName,
    Variable,
)

_T = (TypeName("T"),)

ALIAS_OF_A_WEAK_VARIABLE = ModuleSpec(
    variables=(Variable(name="v", size=1, linkage="weak", alias=0),),
    types=_T,
    members=(Member("v", 0),),
    tests=(Test(0),),
)
"""The variable became a weak alias, of which there may be no alias."""

ALIAS_OF_A_MEMBER_FUNCTION = ModuleSpec(
    functions=(Function(name="f", value=1, alias=True),),
    types=_T,
    members=(Member("f", 0),),
    tests=(Test(0),),
    known=(KnownTest(0, Pointer("alias.f"), Pointer("f")),),
)
"""The alias still leads to the function's body, but a test of it was folded to true."""

BOUNDARIES = ModuleSpec(
    variables=(Variable(name="v", size=300),),
    types=tuple(TypeName(f"{places} places") for places in (1, 2, 32, 33, 64, 65)),
    members=(
        *(Member("v", type_, 2) for type_ in range(6)),
        *(Member("v", type_, 3) for type_ in range(1, 6)),
        *(Member("v", type_, 1 + places) for type_, places in ((2, 32), (3, 33), (4, 64), (5, 65))),
    ),
    tests=tuple(map(Test, range(6))),
)
"""Bit sets that just fit, and just do not fit, the integers they are kept in."""
