"""Modules that broke a law once. Each law that they broke tries them first."""

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
