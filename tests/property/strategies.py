"""Strategies that draw modules, and the settings of every law.

`TYPEMETA_FUZZ=1` tries thousands of new examples instead of some fixed ones.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.property.specs import (
    POINTER_SIZE,
    Definition,
    Function,
    KnownTest,
    Member,
    ModuleSpec,
    Pointer,
    Shape,
    Test,
    TypeName,
    Variable,
)

IS_FUZZING: Final = os.environ.get("TYPEMETA_FUZZ") == "1"

_LARGEST: Final = 300
_SIZES: Final = st.one_of(
    st.sampled_from([0, 1, 4, 8, 16, 24, 31, 32, 33, 40, 64, 65, 96, 100, 128, 129, 256]),
    st.integers(0, _LARGEST),
)
_LINKAGES: Final = (
    "",
    "internal",
    "private",
    "linkonce_odr",
    "weak",
    "hidden",
    "weak_odr hidden",
    "dso_local",
)
_ALIGNMENTS: Final = (None, 1, 2, 4, 8, 16, 32, 64)
_STRIDES: Final = (1, 2, 4, 8, 16)


def law(examples: int = 60) -> settings:
    """Returns the settings of a law: as many examples in a normal run, fifty times as many when fuzzing."""
    return settings(
        max_examples=examples * 50 if IS_FUZZING else examples,
        deadline=None,
        derandomize=not IS_FUZZING,
        database=None,
        print_blob=IS_FUZZING,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
        ],
    )


@st.composite
def modules(draw: st.DrawFn, *, like_llvm: bool = False) -> ModuleSpec:
    """Draws a module.

    Args:
        draw: Hypothesis's.
        like_llvm: only what LLVM lowers exactly as well: no empty variables, no types aligned less than
            is natural, no aliases of variables that can be replaced, no member outside its variable.
    """
    variables = draw(_variables(like_llvm))
    functions = draw(_functions())
    variables = _pointing(draw, variables, functions)
    sets = draw(_sets(variables, functions, like_llvm))
    populated = sorted({member.type for member in sets.members})
    any_type = st.sampled_from(range(len(sets.types)))
    tested = draw(st.lists(any_type | st.sampled_from(populated or [0]), min_size=1, max_size=8))
    tests = tuple(Test(type_, draw(st.sampled_from(Shape))) for type_ in tested)
    return ModuleSpec(
        variables=variables,
        functions=functions,
        types=sets.types,
        members=sets.members,
        tests=tests,
        known=draw(_known(variables, functions, sets)),
        constant_bases=draw(st.booleans()),
        flags=draw(_flags()),
    )


def _flags() -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries(
        {},
        optional={"CFI Canonical Jump Tables": st.sampled_from([0, 1]), "cf-protection-branch": st.just(1)},
    )


@st.composite
def _variables(draw: st.DrawFn, like_llvm: bool) -> tuple[Variable, ...]:
    drawn = [draw(_variable(f"v{index}", like_llvm)) for index in range(draw(st.integers(0, 7)))]
    if draw(st.integers(0, 3)) == 3:  # many small ones, for sets with more than 64 places
        size = draw(st.sampled_from([1, 8, 16, 24]))
        drawn += [
            Variable(name=f"w{i}", size=size, linkage="internal") for i in range(draw(st.integers(30, 90)))
        ]
    return tuple(draw(st.permutations(drawn)) if len(drawn) < 10 else drawn)


@st.composite
def _variable(draw: st.DrawFn, name: str, like_llvm: bool) -> Variable:
    size = draw(_SIZES.filter(bool) if like_llvm else _SIZES)
    linkage = draw(st.sampled_from(_LINKAGES))
    defined = draw(st.sampled_from([Definition.HERE] * 9 + [Definition.ELSEWHERE, Definition.BOTH]))
    alignment = draw(st.sampled_from(_ALIGNMENTS))
    is_here = defined is Definition.HERE
    may_have_alias = is_here and not (like_llvm and linkage == "weak")
    may_be_natural = size % 8 == 0 and not (like_llvm and alignment and alignment < 8)
    return Variable(
        name=draw(_names(name)),
        size=size,
        alignment=alignment,
        constant=draw(st.booleans()),
        linkage=linkage if is_here else "",
        natural=may_be_natural and draw(st.booleans()),
        defined=defined,
        comdat=is_here and "odr" in linkage and draw(st.booleans()),
        alias=draw(st.none() | st.integers(0, size)) if may_have_alias else None,
    )


def _names(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from([name] * 9 + [f'{name} "é\\+1'])


@st.composite
def _functions(draw: st.DrawFn) -> tuple[Function, ...]:
    drawn = [draw(_function(f"f{index}", index)) for index in range(draw(st.integers(0, 7)))]
    if draw(st.integers(0, 7)) == 7:
        drawn += [Function(name=f"g{i}", value=100 + i, linkage="internal") for i in range(70)]
    return tuple(drawn)


@st.composite
def _function(draw: st.DrawFn, name: str, value: int) -> Function:
    defined = draw(st.sampled_from([Definition.HERE] * 6 + list(Definition)))
    linkage = draw(st.sampled_from(_LINKAGES))
    is_here = defined is Definition.HERE
    return Function(
        name=draw(_names(name)),
        value=value + 1,
        linkage=linkage if is_here else "",
        defined=defined,
        taken=draw(st.sampled_from([True, True, True, False])),
        called=draw(st.booleans()),
        alias=is_here and draw(st.integers(0, 3)) == 3,
        canonical=is_here and draw(st.booleans()),
        comdat=is_here and "odr" in linkage and draw(st.booleans()),
    )


def _pointing(
    draw: st.DrawFn, variables: tuple[Variable, ...], functions: tuple[Function, ...]
) -> tuple[Variable, ...]:
    """Makes some variables point to others, to themselves and to functions."""
    names = [*(v.name for v in variables), *(f.name for f in functions)]
    result = []
    for variable in variables:
        slots = min(variable.size // POINTER_SIZE, 4)
        if slots and variable.defined is not Definition.ELSEWHERE and draw(st.booleans()):
            pointer = st.builds(Pointer, st.sampled_from(names), st.sampled_from([0, 0, 0, 8, 1]))
            listed = draw(st.lists(pointer, min_size=1, max_size=slots))
            result.append(replace(variable, pointers=tuple(listed)))
        else:
            result.append(variable)
    return tuple(result)


@dataclass(frozen=True)
class _Sets:
    types: tuple[TypeName, ...]
    members: tuple[Member, ...]


@st.composite
def _sets(
    draw: st.DrawFn, variables: tuple[Variable, ...], functions: tuple[Function, ...], like_llvm: bool
) -> _Sets:
    """Draws type identifiers and members: a type is of variables or of functions, never of both."""
    places = draw(_places(variables, like_llvm))
    offsets = st.sampled_from([0, 0, 0, 0, 0, 4, 7])
    entries = [(function.name, draw(offsets)) for function in functions]
    families = [draw(_families(places)), draw(_families(entries))]
    sets = [set_ for family in draw(st.permutations(families)) for set_ in family]
    members = [Member(owner, type_, offset) for type_, set_ in enumerate(sets) for owner, offset in set_]
    if 0 < len(members) < 60:
        members += draw(st.lists(st.sampled_from(members), max_size=2))  # duplicates
        members = draw(st.permutations(members))
        members = [
            replace(m, bits=32) if m.offset >= 0 and draw(st.integers(0, 9)) == 9 else m for m in members
        ]
    types = [draw(_type(index)) for index in range(len(sets) + 1)]  # the last one has no members
    return _Sets(tuple(types), tuple(members))


@st.composite
def _places(draw: st.DrawFn, variables: tuple[Variable, ...], like_llvm: bool) -> list[tuple[str, int]]:
    """Draws the addresses that the sets choose from: (variable, offset)."""
    places = []
    for variable in variables:
        if variable.name.startswith("w"):
            places.append((variable.name, 0))
            continue
        inside = st.integers(0, max(variable.size - 1, 0))
        aligned = inside.map(lambda offset: offset & ~7)
        outside = st.sampled_from([variable.size, variable.size + 1, variable.size + 40, -1, -8])
        offset = inside | aligned if like_llvm else st.one_of(inside, aligned, inside, aligned, outside)
        places += [(variable.name, o) for o in draw(st.lists(offset, min_size=1, max_size=4))]
        if draw(st.integers(0, 5)) == 5:  # a row of places in one variable
            places += [(variable.name, o) for o in range(0, variable.size, draw(st.sampled_from(_STRIDES)))]
    return places


@st.composite
def _families(draw: st.DrawFn, places: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Draws sets of places: nested, disjoint, crossing, or without any relation."""
    if not places:
        return []
    sets: list[list[tuple[str, int]]] = []
    for _ in range(draw(st.integers(1, 5))):
        whole = draw(st.sampled_from([places, *sets])) or places
        begin = draw(st.just(0) | st.integers(0, len(whole) - 1))
        end = draw(st.just(len(whole)) | st.integers(begin + 1, len(whole)))
        step = draw(st.sampled_from([1, 1, 1, 2, 3]))
        chosen = whole[begin:end:step]
        if len(chosen) > 2 and draw(st.booleans()):
            dropped = draw(st.sets(st.sampled_from(chosen), max_size=3))
            chosen = [place for place in chosen if place not in dropped]
        sets.append(chosen)
    return sets


def _type(index: int) -> st.SearchStrategy[TypeName]:
    names = [TypeName(f"_ZTS{index}T")] * 6 + [TypeName(f'{index} "quoted\\" é'), TypeName(f"n{index}", True)]
    return st.sampled_from([*names, TypeName(f"n{index}", True)])


@st.composite
def _known(
    draw: st.DrawFn,
    variables: tuple[Variable, ...],
    functions: tuple[Function, ...],
    sets: _Sets,
) -> tuple[KnownTest, ...]:
    """Draws tests of addresses that are known when compiling, members and others."""
    weak = {f.name for f in functions if f.defined in (Definition.WEAKLY, Definition.NOWHERE)}
    members = [m for m in sets.members if m.owner not in weak]
    if not members:
        return ()
    every = [*(v.name for v in variables), *(f.name for f in functions)]
    names = [name for name in every if name not in weak]
    aliased = {v.name for v in variables if v.alias is not None} | {f.name for f in functions if f.alias}
    somewhere = st.builds(Pointer, st.sampled_from(names), st.sampled_from([0, 0, 0, -1, 1, 4, 8, 16]))
    tests = []
    for _ in range(draw(st.integers(0, 3))):
        member = draw(st.sampled_from(members))
        ways = [Pointer(member.owner, member.offset)]
        ways += [Pointer(f"alias.{m.owner}", m.offset) for m in members if m.owner in aliased]
        ways += [Pointer(m.owner, m.offset) for m in members[:8]]
        address = st.sampled_from(ways[:1]) | st.sampled_from(ways) | somewhere
        tests.append(KnownTest(member.type, draw(address), draw(address)))
    return tuple(tests)
