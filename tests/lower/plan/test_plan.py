"""The whole plan: order, decisions on call sites, and what it means."""

from __future__ import annotations

import random

import pytest

from tests.models import Site, build_model, function, variable
from typemeta.lower.plan import (
    JumpTable,
    LowerPlan,
    ResolutionKind,
    SiteDecision,
    VariableRegion,
    plan_lowering,
)
from typemeta.model import GlobalIndex, SiteKind, TypeIndex, TypeModel


def decisions(model: TypeModel) -> list[SiteDecision]:
    """Returns the decisions of a model's plan."""
    return [SiteDecision(value) for value in plan_lowering(model).decisions]


def decide(*sites: str | Site) -> list[SiteDecision]:
    """Returns what becomes of call sites in a module with a few sets."""
    model = build_model(
        [
            *(function("f"), function("called", address_taken=False)),
            *(variable("a", 16), variable("b", 16), variable("out", declaration=True)),
        ],
        [
            *(("F", "f", 0), ("F", "called", 0), ("T", "a", 0), ("T", "a", 8), ("T", "b", 0)),
            *(("T", "b", -8), ("T", "out", 0), ("U", "out", 0), ("V", "a", 0)),
        ],
        sites,
    )
    return decisions(model)


@pytest.mark.parametrize(
    ("site", "decision"),
    [
        (Site("T"), SiteDecision.TEST),
        (Site("F"), SiteDecision.TEST),
        (Site("U"), SiteDecision.FOLD_FALSE),
        (Site("nobody"), SiteDecision.FOLD_FALSE),
        (Site("T", assumed=True), SiteDecision.DROP),
        (Site("U", assumed=True), SiteDecision.DROP),
        (Site("T", SiteKind.PUBLIC_TYPE_TEST), SiteDecision.FOLD_TRUE),
        (Site("nobody", SiteKind.PUBLIC_TYPE_TEST), SiteDecision.FOLD_TRUE),
        (Site("T", SiteKind.PUBLIC_TYPE_TEST, assumed=True), SiteDecision.DROP),
        (Site("T", SiteKind.CHECKED_LOAD), SiteDecision.KEEP),
        (Site("T", SiteKind.CHECKED_LOAD_RELATIVE), SiteDecision.KEEP),
        (Site("T", known=(("a", 0),)), SiteDecision.FOLD_TRUE),
        (Site("T", known=(("a", 8), ("b", 0))), SiteDecision.FOLD_TRUE),
        (Site("T", known=(("b", -8),)), SiteDecision.FOLD_TRUE),
        (Site("F", known=(("f", 0),)), SiteDecision.FOLD_TRUE),
        (Site("T", known=(("a", 4),)), SiteDecision.TEST),
        (Site("T", known=(("a", 0), ("b", 8))), SiteDecision.TEST),
        (Site("T", known=(("out", 0),)), SiteDecision.TEST),
        (Site("F", known=(("called", 0),)), SiteDecision.TEST),
        (Site("V", known=(("b", 0),)), SiteDecision.TEST),
        (Site("U", known=(("out", 0),)), SiteDecision.FOLD_FALSE),
        (Site("T", known=(("a", 0),), assumed=True), SiteDecision.DROP),
    ],
)
def test_call_sites(site: Site, decision: SiteDecision) -> None:
    """What becomes of a call site follows from its intrinsic, its set, its users and its pointer."""
    assert decide(site) == [decision]


def test_sites_are_decided_one_by_one() -> None:
    """Each site has its decision, in the order of the model."""
    assert decide("T", Site("T", known=(("a", 0),)), "U", Site("T", assumed=True), "T") == [
        SiteDecision.TEST,
        SiteDecision.FOLD_TRUE,
        SiteDecision.FOLD_FALSE,
        SiteDecision.DROP,
        SiteDecision.TEST,
    ]


def order(model: TypeModel) -> list[tuple[str, int | None]]:
    """Returns the tested types with their regions, in the order of the plan."""
    return [(model.types[r.type].id, r.region) for r in plan_lowering(model).resolutions]


def test_sets_come_in_llvms_order() -> None:
    """Sets come as the nodes that lead them are first met, types in a set by their last membership.

    LLVM meets "second", then its member d, then "first"; uniting "late" with d's set makes "late" lead.
    """
    model = build_model(
        [variable(name) for name in "abcd"],
        [("late", "a", 0), ("early", "b", 0), ("first", "c", 0), ("late", "d", 0), ("second", "d", 0)],
        ["second", "first", "late", "early"],
    )
    assert order(model) == [("first", 0), ("late", 1), ("second", 1), ("early", 2)]
    regions = plan_lowering(model).regions
    assert [region.members for region in regions] == [(2,), (0, 3), (1,)]


def test_unsatisfiable_types_are_sets_of_their_own() -> None:
    """A type without members has no region."""
    model = build_model([variable("a")], [("T", "a", 0)], ["T", "none", "nothing"])
    assert order(model) == [("T", 0), ("none", None), ("nothing", None)]


def test_functions_and_variables_have_their_own_regions() -> None:
    """Regions come in the order of the tests."""
    model = build_model([function("f"), variable("a")], [("F", "f", 0), ("T", "a", 0)], ["T", "F"])
    assert [isinstance(region, JumpTable) for region in plan_lowering(model).regions] == [False, True]


def test_the_layout_must_be_known() -> None:
    """Another layout than LLVM's is a caller's mistake."""
    with pytest.raises(ValueError, match=r"^unknown layout 'dense'; there is 'llvm'$"):
        plan_lowering(build_model([]), layout="dense")


def test_an_empty_module() -> None:
    """Nothing to lower is a plan that does nothing."""
    model = build_model([variable("a")], [("T", "a", 0)])
    plan = plan_lowering(model)
    assert plan == LowerPlan(
        fingerprint=model.fingerprint,
        layout="llvm",
        regions=(),
        resolutions=(),
        decisions=b"",
        byte_array=b"",
    )


def random_model(seed: int) -> TypeModel:
    """Returns a model of some variables and functions, each with a few types, each type tested."""
    chance = random.Random(seed)
    variables = [
        variable(f"v{n}", chance.choice((0, 8, 24, 40, 136, 700))) for n in range(chance.randrange(1, 9))
    ]
    functions = [function(f"f{n}", address_taken=chance.random() < 0.8) for n in range(chance.randrange(4))]
    rows = [
        (f"T{chance.randrange(6)}", record.name, chance.choice((0, 8, 16, record.size)) % (record.size + 1))
        for record in variables
        for _ in range(chance.randrange(4))
    ]
    rows += [(f"F{chance.randrange(2)}", record.name, 0) for record in functions]
    types = list(dict.fromkeys(row[0] for row in rows))
    return build_model([*functions, *variables], rows, types, pointer_bits=chance.choice((32, 64)))


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_means_what_the_model_says(seed: int) -> None:
    """For every tested type and every byte of every global the plan contains exactly the members."""
    model = random_model(seed)
    plan = plan_lowering(model)
    live = {
        (int(t), int(g), int(o))
        for t, g, o in zip(model.member_type, model.member_global, model.member_offset, strict=True)
        if model.globals[g].address_taken
    }
    for resolution in plan.resolutions:
        for global_, record in enumerate(model.globals):
            for offset in range(max(record.size + 1, 8)):
                if offset >= record.size and (resolution.type, global_, offset) not in live:
                    continue  # past the end, where another global may begin
                answer = plan.contains(resolution.type, GlobalIndex(global_), offset)
                assert answer is ((resolution.type, global_, offset) in live)


@pytest.mark.parametrize("seed", range(60))
def test_nothing_overlaps(seed: int) -> None:
    """Members of a region keep their alignment and do not overlap, and every tested member has a place."""
    model = random_model(seed)
    plan = plan_lowering(model)
    for region in plan.regions:
        spans = sorted(zip(region.offsets, region.members, strict=True))
        sizes = [8 if isinstance(region, JumpTable) else model.globals[m].size for _, m in spans]
        ends = [offset + size for (offset, _), size in zip(spans, sizes, strict=True)]
        assert all(offset % model.globals[m].alignment == 0 for offset, m in spans)
        assert all(end <= start for end, (start, _) in zip(ends[:-1], spans[1:], strict=True))
        if isinstance(region, VariableRegion):
            assert ends[-1] <= region.size
    assert len(plan.place) == sum(len(region.members) for region in plan.regions)


def test_the_same_model_gives_the_same_plan() -> None:
    """Planning twice gives equal plans, byte for byte."""
    for seed in range(10):
        assert plan_lowering(random_model(seed)).to_json() == plan_lowering(random_model(seed)).to_json()


def test_each_kind_answers_for_neighbours() -> None:
    """Places between, before and behind the members are no members, for each kind of resolution."""
    model = build_model(
        [variable("a", 1024)],
        [
            *(("single", "a", 16), ("allOnes", "a", 16), ("allOnes", "a", 48), ("allOnes", "a", 80)),
            *(("inline", "a", 16), ("inline", "a", 24), ("inline", "a", 40)),
            *(("byteArray", "a", 16), ("byteArray", "a", 24), ("byteArray", "a", 1016)),
        ],
        ["single", "allOnes", "inline", "byteArray"],
    )
    plan = plan_lowering(model)
    members = {
        "single": {16},
        "allOnes": {16, 48, 80},
        "inline": {16, 24, 40},
        "byteArray": {16, 24, 1016},
    }
    for index, type_ in enumerate(model.types):
        assert plan.by_type[TypeIndex(index)].kind is ResolutionKind(type_.id)
        found = {n for n in range(-64, 1200) if plan.contains(TypeIndex(index), GlobalIndex(0), n)}
        assert found == members[type_.id]


def test_a_global_of_another_region_is_no_member() -> None:
    """A plan answers False for globals that are not laid out with the type, and for unsatisfiable types."""
    model = build_model(
        [variable("a"), variable("b"), variable("loose")],
        [("T", "a", 0), ("U", "b", 0), ("untested", "loose", 0)],
        ["T", "U", "none"],
    )
    plan = plan_lowering(model)
    answers = {
        (type_.id, record.name): plan.contains(TypeIndex(t), GlobalIndex(g), 0)
        for t, type_ in enumerate(model.types)
        for g, record in enumerate(model.globals)
        if TypeIndex(t) in plan.by_type
    }
    assert {pair for pair, answer in answers.items() if answer} == {("T", "a"), ("U", "b")}
    with pytest.raises(KeyError):
        plan.contains(TypeIndex(model.type_index["untested"]), GlobalIndex(0), 0)
