"""Metadata, model, plan and executed code agree on every place of every global that is laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from hypothesis import given

from tests.property.execution import Lowered, lower_spec, running
from tests.property.specs import ModuleSpec
from tests.property.strategies import law, modules
from typemeta.model import GlobalIndex
from typemeta.query import contains, members_of, types_of

_PLACES_SCANNED = 48


def stays_inside(spec: ModuleSpec) -> bool:
    """Tells whether no member lies in front of its global, where another global may be."""
    return all(member.offset >= 0 for member in spec.members)


def places(lowered: Lowered) -> Iterator[tuple[GlobalIndex, int]]:
    """Yields (global, offset) of the bytes that a global takes in its region, as far as they matter."""
    sizes = {variable.name: variable.size for variable in lowered.spec.variables}
    for global_ in lowered.plan.place:
        name = lowered.model.globals[global_].name
        members = {m.offset for m in lowered.spec.members if m.owner == name}
        size = sizes.get(name, 8)
        near = {offset + step for offset in members for step in (-1, 1)} | {*range(_PLACES_SCANNED), size - 1}
        for offset in sorted(members | {offset for offset in near if 0 <= offset < size}):
            yield global_, offset


@law()
@given(modules())
def test_the_model_is_the_metadata(spec: ModuleSpec) -> None:
    """The model's rows are the module's attachments, duplicates and all, in each global's order."""
    model = lower_spec(spec).model
    for index, record in enumerate(model.globals):
        listed = [(m.offset & 0xFFFFFFFFFFFFFFFF, m.type) for m in spec.members if m.owner == record.name]
        rows = list(types_of(model, GlobalIndex(index)))
        assert [offset for offset, _ in rows] == [offset for offset, _ in listed]
        assert len(set(zip((t for _, t in rows), (t for _, t in listed), strict=True))) == len(
            {type_ for _, type_ in listed}
        )
    assert Counter(model.member_global.tolist()).total() == len(spec.members)


@law()
@given(modules().filter(stays_inside))
def test_every_link_answers_alike(spec: ModuleSpec) -> None:
    """The set, the model's answer, the plan's answer and the executed answer are one."""
    lowered = lower_spec(spec)
    model, plan = lowered.model, lowered.plan
    with running(lowered) as program:
        asked = [(g, o) for g, o in places(lowered) if program.bases.get(model.globals[g].name)]
        probes = np.array([program.bases[model.globals[g].name] + o for g, o in asked], np.uint64)
        executed = program.answers(probes)
    for index, test in enumerate(spec.tests):
        type_ = lowered.type_of[test.type]
        truth = {(m.owner, m.offset) for m in spec.members if m.type == test.type}
        in_set = {(model.globals[a.global_].name, a.offset) for a in members_of(model, type_)}
        assert in_set == truth
        for row, (global_, offset) in enumerate(asked):
            is_member = (model.globals[global_].name, offset) in truth
            answers = {
                "model": contains(model, type_, global_, offset),
                "plan": plan.contains(type_, global_, offset),
                "code": bool(executed[row, index]),
            }
            expected = dict.fromkeys(answers, is_member)
            assert answers == expected, f"type {test.type}, @{model.globals[global_].name}+{offset}"
