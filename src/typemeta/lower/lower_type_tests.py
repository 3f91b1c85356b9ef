"""LLVM's LowerTypeTests pass, as `opt -passes=lowertypetests` runs it."""

from __future__ import annotations

import enum

import numpy as np

from typemeta.errors import TypemetaError
from typemeta.llvm.module import Module
from typemeta.lower.apply import CodeForm, apply_lowering
from typemeta.lower.apply.drop import drop_type_tests
from typemeta.lower.plan import plan_lowering
from typemeta.model import SiteKind
from typemeta.model.read import read_type_model
from typemeta.summary import ModuleSummary


class DropTests(enum.StrEnum):
    """Which type tests are removed instead of lowered; LLVM's words (`lowertypetests::DropTestKind`)."""

    NONE = "none"
    ASSUME = "assume"
    ALL = "all"


class SummaryAction(enum.StrEnum):
    """What is done with a module summary; LLVM's words (`PassSummaryAction`)."""

    NONE = "none"
    IMPORT = "import"
    EXPORT = "export"


def lower_type_tests(
    module: Module,
    *,
    drop: DropTests = DropTests.NONE,
    action: SummaryAction = SummaryAction.NONE,
    summary: ModuleSummary | None = None,
    avoid_reuse: bool = True,
    jump_table_debug_info: bool = True,
) -> bool:
    """Does to a module what LLVM's pass does; returns whether it changed it.

    Unlike `lower_module` it leaves alone what LLVM leaves to other passes: tests that only feed
    `llvm.assume`, `llvm.public.type.test`, `!vcall_visibility`.

    Args:
        module: the module.
        drop: remove tests instead. LLVM's pass does the same for `assume` and `all`.
        action: import resolutions from the summary, or export them to it.
        summary: changed by an export.
        avoid_reuse: an alias of the byte array for each use of it.
        jump_table_debug_info: give jump tables debug information.

    Raises:
        TypemetaError: resolutions are to be imported or exported.
        MetadataError: its type metadata is malformed, or forbids the layout; nothing is changed then.
    """
    if drop is not DropTests.NONE:
        return drop_type_tests(module)
    if action is not SummaryAction.NONE:
        raise TypemetaError(f"{module.name}: lowertypetests cannot {action} resolutions yet")
    model, anchors = read_type_model(module)
    if not np.any(model.site_kind == SiteKind.TYPE_TEST) and not model.funnels:
        return False
    plan = plan_lowering(model, keep_hints=True)
    apply_lowering(module, model, anchors, plan, form=CodeForm.LLVM, avoid_reuse=avoid_reuse)
    return True
