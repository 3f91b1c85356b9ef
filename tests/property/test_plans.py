"""Plans depend on the module alone, survive JSON, and leave nothing to lower."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from tests.ir import parse
from tests.property.execution import lower_spec
from tests.property.ir_text import module_text
from tests.property.specs import ModuleSpec, Pointer
from tests.property.strategies import law, modules
from typemeta.lower.pipeline import lower_module
from typemeta.lower.plan import LowerPlan, plan_lowering
from typemeta.model import TypeModel


def plan_of(spec: ModuleSpec) -> LowerPlan:
    """Reads and plans a module of its own."""
    return plan_lowering(TypeModel.read(parse(module_text(spec))))


def renamed(spec: ModuleSpec) -> ModuleSpec:
    """Returns a module with other names, which sort the other way round."""
    globals_ = [*(v.name for v in spec.variables), *(f.name for f in spec.functions)]
    names = {name: f"z{len(globals_) - index:04}" for index, name in enumerate(globals_)}
    names |= {f"alias.{name}": f"alias.{new}" for name, new in names.items()}

    def pointer(old: Pointer) -> Pointer:
        return Pointer(names[old.target], old.offset)

    return replace(
        spec,
        variables=tuple(
            replace(v, name=names[v.name], pointers=tuple(map(pointer, v.pointers))) for v in spec.variables
        ),
        functions=tuple(replace(f, name=names[f.name]) for f in spec.functions),
        types=tuple(replace(t, text=f"t{len(spec.types) - i}") for i, t in enumerate(spec.types)),
        members=tuple(replace(m, owner=names[m.owner]) for m in spec.members),
        known=tuple(replace(k, first=pointer(k.first), second=pointer(k.second)) for k in spec.known),
    )


@law()
@given(modules())
def test_json(spec: ModuleSpec) -> None:
    """A plan written as JSON and read back is the same plan."""
    plan = plan_of(spec)
    assert LowerPlan.from_json(plan.to_json()) == plan


@law()
@given(modules())
def test_names_do_not_matter(spec: ModuleSpec) -> None:
    """The same module, read again, has the same plan; with other names only the fingerprint differs."""
    plan, again, other = plan_of(spec), plan_of(spec), plan_of(renamed(spec))
    assert again == plan
    assert replace(other, fingerprint=plan.fingerprint) == plan


@law(30)
@given(modules())
def test_lowering_twice(spec: ModuleSpec) -> None:
    """A lowered module has nothing left to lower: doing it again changes nothing."""
    module = lower_spec(spec).module
    text = module.print()
    plan = lower_module(module)
    assert module.print() == text
    assert (plan.regions, plan.resolutions, plan.decisions) == ((), (), b"")
