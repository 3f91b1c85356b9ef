"""A lowered test answers like the set, for every candidate address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given

from tests.property.random_modules import SETTINGS, RandomModule, modules
from typemeta.execute.stubs import add_stubs
from typemeta.llvm._cdef import ffi
from typemeta.llvm.jit import Jit, read_memory
from typemeta.llvm.module import Module
from typemeta.lower.apply import apply_lowering
from typemeta.lower.plan import LowerPlan, plan_lowering
from typemeta.model import GlobalIndex, TypeIndex, TypeModel
from typemeta.model.read import read_type_model
from typemeta.query import contains

ALL_ONES = (1 << 64) - 1
NEAR = (-64, -33, -32, -16, -8, -4, -1)


def lower(random_module: RandomModule) -> tuple[Module, TypeModel, LowerPlan]:
    """Lowers a random module and verifies it."""
    module = Module.parse(random_module.text.encode(), "random.ll")
    model, anchors = read_type_model(module)
    plan = plan_lowering(model)
    apply_lowering(module, model, anchors, plan)
    module.verify()
    return module, model, plan


def addresses(jit: Jit, random_module: RandomModule) -> dict[str, int]:
    """Returns the address that the program sees for each global; 0 for a weak one that is missing."""
    table = read_memory(jit.address("candidates"), 8 * len(random_module.sizes))
    return {
        name: int.from_bytes(table[8 * index : 8 * index + 8], "little")
        for index, name in enumerate(random_module.sizes)
    }


def probes(random_module: RandomModule, address: dict[str, int]) -> set[int]:
    """Returns the addresses worth asking: in, at and around every global, null, all ones."""
    found = {0, ALL_ONES}
    for name, size in random_module.sizes.items():
        start = address[name]
        if start:
            step = 1 if size <= 64 else 4
            inside = [*range(0, size + 9, step), size - 1, size + 16, size + 32, size + 64]
            found.update((start + offset) & ALL_ONES for offset in (*NEAR, *inside))
    return found


def native_test(jit: Jit, type_: int) -> Callable[[int], bool]:
    """Returns the compiled test of a type identifier."""
    function: Any = ffi.cast("uint8_t(*)(uintptr_t)", jit.address(f"test{type_}"))
    return lambda pointer: bool(function(pointer) & 1)


@SETTINGS
@given(modules())
def test_compiled_tests_answer_like_the_sets(random_module: RandomModule) -> None:
    """For every probe the code says yes exactly if the address is that of a member."""
    module, _, _ = lower(random_module)
    assert "llvm.type.test" not in module.print()
    add_stubs(module)
    with module, Jit(module.library) as jit:
        jit.add(module)
        address = addresses(jit, random_module)
        for type_ in range(random_module.types):
            members = {
                (address[name] + offset) & ALL_ONES
                for name, offset in random_module.members.get(type_, ())
                if address[name]
            }
            test = native_test(jit, type_)
            wrong = [probe for probe in probes(random_module, address) if test(probe) != (probe in members)]
            assert not wrong, (type_, wrong)


@SETTINGS
@given(modules())
def test_the_plan_means_what_the_metadata_says(random_module: RandomModule) -> None:
    """Metadata, model and plan agree on every tested type and every place of every global laid out."""
    _, model, plan = lower(random_module)
    past_the_end = {offset for members in random_module.members.values() for _, offset in members}
    for type_ in plan.by_type:
        number = type_number(model, type_)
        for global_, record in enumerate(model.globals):
            size = random_module.sizes[record.name]
            behind = {o for o in past_the_end if (record.name, o) in random_module.members.get(number, ())}
            for offset in {*range(size), *behind}:
                truth = (record.name, offset) in random_module.members.get(number, set())
                assert contains(model, type_, GlobalIndex(global_), offset) == truth
                assert plan.contains(type_, GlobalIndex(global_), offset) == truth


def type_number(model: TypeModel, type_: TypeIndex) -> int:
    """Returns the number that a type has in the random module; nodes by order of their tests."""
    name = model.types[type_].id
    if not model.types[type_].distinct:
        return int(name.removeprefix("t"))
    return 4  # the only distinct node of up to seven types


@SETTINGS
@given(modules())
def test_a_plan_survives_json(random_module: RandomModule) -> None:
    """Writing a plan as JSON and reading it back gives the same plan; planning twice too."""
    model = TypeModel.read(Module.parse(random_module.text.encode(), "random.ll"))
    plan = plan_lowering(model)
    assert LowerPlan.from_json(plan.to_json()) == plan
    assert plan_lowering(model) == plan


@SETTINGS
@given(modules())
def test_lowering_twice_changes_nothing(random_module: RandomModule) -> None:
    """A lowered module has no tests left, so lowering it again leaves it as it is."""
    module, _, _ = lower(random_module)
    before = module.print()
    model, anchors = read_type_model(module)
    apply_lowering(module, model, anchors, plan_lowering(model))
    assert module.print() == before
