"""Reads, plans and applies in one go."""

from __future__ import annotations

from typemeta.llvm.module import Module
from typemeta.lower.apply import apply_lowering
from typemeta.lower.plan import LowerPlan, plan_lowering
from typemeta.model.read import read_type_model


def lower_module(module: Module, *, layout: str = "llvm") -> LowerPlan:
    """Lowers every type test of a module; returns the plan that was applied.

    Raises:
        MetadataError: its type metadata is malformed, or forbids the layout; nothing is changed then.
    """
    model, anchors = read_type_model(module)
    plan = plan_lowering(model, layout=layout)
    apply_lowering(module, model, anchors, plan)
    return plan
