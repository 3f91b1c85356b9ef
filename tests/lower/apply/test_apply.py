"""What applying a plan does to a module as a whole, and when it refuses to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ir import X86_64, instructions, lower, parse
from typemeta.errors import PlanError, StaleHandleError
from typemeta.llvm.edit import edit
from typemeta.lower.apply import LowerStats, apply_lowering
from typemeta.lower.plan import SiteDecision, plan_lowering
from typemeta.model import TypeIdentifier
from typemeta.model.read import read_type_model

MODULE = (
    X86_64
    + """
@a = constant [4 x i64] zeroinitializer, !type !0, !type !1, !vcall_visibility !3
@b = constant i64 0, !type !0
@loose = constant i64 0, !type !4, !vcall_visibility !3
@table = global [2 x ptr] [ptr @f, ptr @g]
declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
declare void @llvm.assume(i1)
declare void @use(i1)
define void @f() !type !2 {
  ret void
}
define void @g() !type !2 {
  ret void
}
define i1 @tests(ptr %p) {
  %1 = call i1 @llvm.type.test(ptr %p, metadata !"T")
  %2 = call i1 @llvm.type.test(ptr %p, metadata !"F")
  %3 = call i1 @llvm.type.test(ptr %p, metadata !"nobody")
  %4 = call i1 @llvm.type.test(ptr @b, metadata !"T")
  %5 = call i1 @llvm.public.type.test(ptr %p, metadata !"T")
  %6 = call i1 @llvm.type.test(ptr %p, metadata !"assumed")
  call void @llvm.assume(i1 %6)
  call void @llvm.assume(i1 %6)
  %7 = call i1 @llvm.public.type.test(ptr %p, metadata !"T")
  call void @llvm.assume(i1 %7)
  %8 = call { ptr, i1 } @llvm.type.checked.load(ptr %p, i32 0, metadata !"U")
  call void @use(i1 %1)
  call void @use(i1 %2)
  call void @use(i1 %3)
  call void @use(i1 %4)
  call void @use(i1 %5)
  ret i1 %1
}
!0 = !{i64 0, !"T"}
!1 = !{i64 24, !"T"}
!2 = !{i64 0, !"F"}
!3 = !{i64 1}
!4 = !{i64 0, !"U"}
"""
)


def test_no_test_is_left() -> None:
    """Tests and their declarations are gone, folded and dropped ones too; other intrinsics stay."""
    result = lower(MODULE)
    assert "type.test" not in result.text
    assert "@llvm.type.checked.load(ptr %p, i32 0, metadata !" in result.of("tests")
    body = instructions(result.module, "tests")
    uses = [line.removeprefix("call void @use(").removesuffix(")") for line in body if "@use(" in line]
    assert uses[2:] == ["i1 false", "i1 true", "i1 true"]
    assert not any("llvm.assume" in line for line in body)
    assert "vcall_visibility" not in result.text


def test_what_was_done_is_what_was_planned() -> None:
    """The counts are those of the plan."""
    result = lower(MODULE)
    decided = {decision: result.plan.decisions.count(decision) for decision in SiteDecision}
    assert result.stats == LowerStats(tests=2, folded=3, dropped=2, variables=2, functions=2)
    assert result.stats.tests == decided[SiteDecision.TEST]
    assert result.stats.folded == decided[SiteDecision.FOLD_TRUE] + decided[SiteDecision.FOLD_FALSE]
    assert result.stats.dropped == decided[SiteDecision.DROP]
    assert result.stats.variables + result.stats.functions == len(result.plan.place)
    assert sum(decided.values()) == len(result.plan.decisions)


def test_lowering_twice_changes_nothing() -> None:
    """A lowered module has no tests, so lowering it again is no change."""
    once = lower(MODULE).text
    assert lower(once).text == once


def test_a_module_without_tests_keeps_its_globals() -> None:
    """Nothing is laid out for types that nothing tests."""
    text = X86_64 + '@a = constant i64 0, !type !0\n!0 = !{i64 0, !"T"}\n'
    result = lower(text)
    assert result.text == parse(text).print()
    assert result.stats == LowerStats(tests=0, folded=0, dropped=0, variables=0, functions=0)


def test_an_assume_with_other_users_of_its_test_stays() -> None:
    """A test that is assumed and used is lowered like any other, and the assume keeps its value."""
    result = lower(
        X86_64
        + """
@a = constant i64 0, !type !0
declare i1 @llvm.type.test(ptr, metadata)
declare void @llvm.assume(i1)
define i1 @test(ptr %p) {
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  call void @llvm.assume(i1 %x)
  ret i1 %x
}
!0 = !{i64 0, !"T"}
"""
    )
    assert instructions(result.module, "test")[1:] == [
        "%2 = icmp eq i64 %1, ptrtoint (ptr @0 to i64)",
        "call void @llvm.assume(i1 %2)",
        "ret i1 %2",
    ]


def test_handles_are_stale_afterwards() -> None:
    """Applying is a change: what was looked up before cannot be used, nor applied again."""
    module = parse(MODULE)
    value = module.find("a")
    assert value is not None
    model, anchors = read_type_model(module)
    plan = plan_lowering(model)
    apply_lowering(module, model, anchors, plan)
    with pytest.raises(StaleHandleError):
        assert value.name
    before = module.print()
    with pytest.raises(PlanError, match=r"^test\.ll was changed since its type metadata was read"):
        apply_lowering(module, model, anchors, plan)
    assert module.print() == before


def test_a_module_that_changed_is_refused() -> None:
    """An edit after reading makes the handles worthless; nothing is changed then."""
    module = parse(MODULE)
    model, anchors = read_type_model(module)
    with edit(module):
        pass
    before = module.print()
    with pytest.raises(PlanError, match=r"read it again$"):
        apply_lowering(module, model, anchors, plan_lowering(model))
    assert module.print() == before


def test_another_module_is_refused() -> None:
    """Handles of one module are not applied to another, even if both were read from one text."""
    module, other = parse(MODULE), parse(MODULE)
    model, anchors = read_type_model(module)
    before = other.print()
    with pytest.raises(PlanError):
        apply_lowering(other, model, anchors, plan_lowering(model))
    assert other.print() == before


def test_a_plan_of_another_model_is_refused() -> None:
    """The fingerprint tells; nothing is changed then, not even in part."""
    module = parse(MODULE)
    model, anchors = read_type_model(module)
    before = module.print()
    for other in (
        replace(model, types=(TypeIdentifier("x", False), *model.types[1:])),
        replace(model, site_assumed=~model.site_assumed),
        read_type_model(parse(MODULE.replace("i64 24", "i64 16")))[0],
    ):
        with pytest.raises(PlanError, match=r"^the plan was not made for test\.ll as it is now; plan again$"):
            apply_lowering(module, model, anchors, plan_lowering(other))
    assert module.print() == before


def test_a_plan_that_decides_on_too_few_sites_is_refused() -> None:
    """A damaged plan is noticed before anything is changed."""
    module = parse(MODULE)
    model, anchors = read_type_model(module)
    plan = plan_lowering(model)
    before = module.print()
    with pytest.raises(PlanError):
        apply_lowering(module, model, anchors, replace(plan, decisions=plan.decisions[:-1]))
    assert module.print() == before


def test_a_model_of_another_module_is_refused() -> None:
    """Plan and model agree, but the handles are of another module: nothing is changed."""
    module = parse(MODULE)
    _, anchors = read_type_model(module)
    other = read_type_model(parse(MODULE.replace("i64 24", "i64 16")))[0]
    before = module.print()
    with pytest.raises(PlanError):
        apply_lowering(module, other, anchors, plan_lowering(other))
    assert module.print() == before


def test_a_saved_plan_is_as_good() -> None:
    """A plan that went through JSON gives the same module."""
    module = parse(MODULE)
    model, anchors = read_type_model(module)
    plan = plan_lowering(model)
    apply_lowering(module, model, anchors, type(plan).from_json(plan.to_json()))
    assert module.print() == lower(MODULE).text
