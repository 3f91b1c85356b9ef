"""Applies a lowering plan to a module. Decides nothing.

The order matters: the code of the tests is built while all handles are still those that were read;
then variables are combined, then functions redirected.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from typemeta.errors import PlanError
from typemeta.llvm.calls import find_assumes
from typemeta.llvm.edit import Editor, edit
from typemeta.llvm.module import Module
from typemeta.lower.apply.branches import BranchingTests
from typemeta.lower.apply.function_indices import set_function_indices
from typemeta.lower.apply.functions import JumpTableFunction, create_jump_table, redirect_functions
from typemeta.lower.apply.tests import Emit, StraightTests
from typemeta.lower.apply.variables import CombinedGlobal, create_combined, move_contents, replace_members
from typemeta.lower.plan import (
    FunctionIndices,
    JumpTable,
    LowerPlan,
    ResolutionKind,
    SiteDecision,
    VariableRegion,
)
from typemeta.model import SiteKind, TypeIndex, TypeModel
from typemeta.model.read import Anchors

__all__ = ["CodeForm", "LowerStats", "apply_lowering"]


class CodeForm(enum.Enum):
    """How the lowered module looks."""

    STRAIGHT = "straight"  # tests without a branch; what only lowering needed is removed
    LLVM = "llvm"  # as LLVM's pass leaves it: bit tests are branched around, declarations stay


@dataclass(frozen=True, slots=True)
class LowerStats:
    """What an apply did, for comparison with its plan.

    Attributes:
        tests: call sites that got code.
        folded: call sites that became a constant.
        dropped: call sites removed with their `llvm.assume`.
        variables: variables moved into combined globals.
        functions: functions redirected to jump tables.
    """

    tests: int
    folded: int
    dropped: int
    variables: int
    functions: int


def apply_lowering(
    module: Module,
    model: TypeModel,
    anchors: Anchors,
    plan: LowerPlan,
    *,
    form: CodeForm = CodeForm.STRAIGHT,
    avoid_reuse: bool = True,
) -> LowerStats:
    """Lowers the type tests of a module as planned.

    Afterwards, in the straight form, no `llvm.type.test` and no `llvm.public.type.test` is left, and
    `!vcall_visibility` is erased: without the tests GlobalDCE would take vtables for dead.

    Args:
        module: the module, as it was when `anchors` were read.
        model: its model.
        anchors: the handles that belong to the model.
        plan: made from the model.
        form: how the code of a test looks.
        avoid_reuse: in LLVM's form, an alias of the byte array for each use.

    Raises:
        PlanError: the plan or the handles belong to another module, or the module was changed since
            they were read. Nothing is changed then.
    """
    anchors.check(module)
    is_of_model = plan.fingerprint == model.fingerprint == anchors.model.fingerprint
    if not is_of_model or len(plan.decisions) != len(anchors.sites):
        raise PlanError(f"the plan was not made for {module.name} as it is now; plan again")
    with edit(module) as editor:
        combined: list[CombinedGlobal] = []
        tables: list[JumpTableFunction] = []
        bases: list[int] = []
        for region in plan.regions:
            match region:
                case JumpTable():
                    tables.append(create_jump_table(editor, anchors, region))
                    bases.append(tables[-1].function)
                case VariableRegion():
                    combined.append(create_combined(editor, anchors, region))
                    bases.append(combined[-1].variable)
                case FunctionIndices():
                    set_function_indices(editor, anchors, region)
                    bases.append(editor.null(editor.pointer_type))  # the index is the address
        tests: StraightTests | BranchingTests
        if form is CodeForm.STRAIGHT:
            tests = StraightTests(editor, plan.byte_array)
        else:
            tests = BranchingTests(editor, plan.byte_array, avoid_reuse=avoid_reuse)
        emitters = {
            r.type: tests.emitter(r, bases[r.region])
            for r in plan.resolutions
            if r.region is not None and r.kind is not ResolutionKind.UNSAT
        }
        counts = _apply_sites(editor, model, anchors, plan, emitters)
        tests.finish()
        for entry in combined:
            replace_members(editor, entry)
        for entry in combined:
            move_contents(editor, entry)
        if tables:
            redirect_functions(editor, tables)
        if form is CodeForm.STRAIGHT:
            _clean_up(editor)
    return LowerStats(
        tests=counts[SiteDecision.TEST],
        folded=counts[SiteDecision.FOLD_FALSE] + counts[SiteDecision.FOLD_TRUE],
        dropped=counts[SiteDecision.DROP],
        variables=sum(len(entry.members) for entry in combined),
        functions=sum(len(table.members) for table in tables),
    )


def _apply_sites(
    editor: Editor, model: TypeModel, anchors: Anchors, plan: LowerPlan, emitters: Mapping[TypeIndex, Emit]
) -> dict[SiteDecision, int]:
    """Replaces the call sites; returns how many met each decision."""
    false, true = editor.constant(editor.i1, 0), editor.constant(editor.i1, 1)
    counts = dict.fromkeys(SiteDecision, 0)
    types = model.site_type.tolist()
    test, fold_false, fold_true, drop, keep = (
        SiteDecision.TEST,
        SiteDecision.FOLD_FALSE,
        SiteDecision.FOLD_TRUE,
        SiteDecision.DROP,
        SiteDecision.KEEP,
    )
    for site, decision in enumerate(map(SiteDecision, plan.decisions)):
        counts[decision] += 1
        call = anchors.sites[site]
        if decision is test:
            editor.position_before(call)
            editor.replace_uses(call, emitters[TypeIndex(types[site])](call, anchors.pointers[site]))
        elif decision is fold_false:
            editor.replace_uses(call, false)
        elif decision is fold_true:
            editor.replace_uses(call, true)
        elif decision is drop:
            for assume in find_assumes(editor.module, call):
                editor.erase(assume)
        if decision is not keep:
            editor.erase(call)
    return counts


def _clean_up(editor: Editor) -> None:
    """Removes the declarations that nothing uses any more, and `!vcall_visibility`."""
    c, module = editor.c, editor.module
    for kind in (SiteKind.TYPE_TEST, SiteKind.PUBLIC_TYPE_TEST):
        declaration = c.LLVMGetNamedFunction(module.ref, kind.intrinsic.encode())
        if declaration and not c.LLVMGetFirstUse(declaration):
            editor.delete_function(declaration)
    for variable in module.variables():
        editor.erase_metadata(variable.ref, "vcall_visibility")
