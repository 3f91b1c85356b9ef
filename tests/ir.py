"""LLVM modules for tests, made from text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from typemeta.llvm.context import Context
from typemeta.llvm.jit import Jit
from typemeta.llvm.module import Module
from typemeta.lower.apply import LowerStats, apply_lowering
from typemeta.lower.plan import LowerPlan, plan_lowering
from typemeta.model import TypeModel
from typemeta.model.read import read_type_model

X86_64 = """
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""
AARCH64 = """
target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"
"""
RISCV64 = """
target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
target triple = "riscv64-unknown-linux-gnu"
"""
I386 = """
target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
target triple = "i386-unknown-linux-gnu"
"""
TYPE_TEST = "declare i1 @llvm.type.test(ptr, metadata)\n"


def parse(text: str, name: str = "test.ll", *, context: Context | None = None) -> Module:
    """Parses IR text; the module must satisfy LLVM's verifier."""
    module = Module.parse(text.encode(), name, context=context)
    module.verify()
    return module


def handle(module: Module, name: str) -> int:
    """Returns the C handle of a function, variable or alias that must be there."""
    value = module.find(name)
    assert value is not None, f"no @{name} in\n{module.print()}"
    return value.ref


def definition(module: Module, name: str) -> str:
    """Returns the text of a global, without the comments LLVM adds."""
    value = module.find(name)
    assert value is not None, f"no @{name} in\n{module.print()}"
    return re.sub(r"^;.*\n|\s*; preds.*$", "", str(value).strip("\n"), flags=re.MULTILINE)


def instructions(module: Module, name: str) -> list[str]:
    """Returns the instructions of a function, a line each."""
    body = definition(module, name).splitlines()[1:-1]
    return [line.strip() for line in body if line.startswith("  ")]


@dataclass(frozen=True)
class Lowered:
    """A module after lowering, and what led there."""

    module: Module
    model: TypeModel
    plan: LowerPlan
    stats: LowerStats

    @property
    def text(self) -> str:
        """The module as IR text."""
        return self.module.print()

    def of(self, name: str) -> str:
        """The text of one global."""
        return definition(self.module, name)


def lower(text: str) -> Lowered:
    """Lowers a module step by step; it must satisfy LLVM's verifier before and after."""
    module = parse(text)
    model, anchors = read_type_model(module)
    plan = plan_lowering(model)
    stats = apply_lowering(module, model, anchors, plan)
    module.verify()
    return Lowered(module, model, plan, stats)


def addresses_in(module: Module, *names: str) -> list[int]:
    """Compiles a module and returns the addresses of symbols; the code is gone when this returns."""
    with Jit(module.library) as jit:
        jit.add(module)
        return [jit.address(name) for name in names]
