"""The report of a lowering, derived from its plan (`lower --report`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from typemeta.lower.plan import JumpTable, LowerPlan, Resolution, ResolutionKind, SiteDecision, VariableRegion
from typemeta.model import SiteKind, TypeModel

SCHEMA: Final = "typemeta.lower/1"


def report_lowering(model: TypeModel, plan: LowerPlan, seconds: Mapping[str, float]) -> dict[str, Any]:
    """Returns the report as JSON-ready data.

    Args:
        model: the model the plan was made for.
        plan: the plan.
        seconds: what each step took.
    """
    return {
        "schema": SCHEMA,
        "layout": plan.layout,
        "types": [_type_entry(model, resolution) for resolution in plan.resolutions],
        "totals": report_totals(model, plan),
        "seconds": {step: round(value, 4) for step, value in seconds.items()},
    }


def report_totals(model: TypeModel, plan: LowerPlan) -> dict[str, Any]:
    """Returns the sums of a plan: call sites by kind, bytes laid out, jump tables."""
    variables = [region for region in plan.regions if isinstance(region, VariableRegion)]
    tables = [region for region in plan.regions if isinstance(region, JumpTable)]
    kinds = Counter({kind.value: 0 for kind in ResolutionKind})
    for resolution in plan.resolutions:
        kinds[resolution.kind.value] += resolution.call_sites
    decisions = np.frombuffer(plan.decisions, np.uint8)
    is_folded = np.isin(decisions, (SiteDecision.FOLD_FALSE, SiteDecision.FOLD_TRUE))
    call_sites = sum(kinds.values())
    return {
        "call_sites": call_sites,
        "load_free_call_sites": call_sites - _loading_sites(model, plan),
        "folded_call_sites": int(np.count_nonzero(is_folded & (model.site_kind == SiteKind.TYPE_TEST))),
        "dropped_call_sites": plan.decisions.count(SiteDecision.DROP),
        "kinds": dict(kinds),
        "variable_bytes": sum(model.globals[m].size for region in variables for m in region.members),
        "laid_out_bytes": sum(region.size for region in variables),
        "byte_array_bytes": len(plan.byte_array),
        "jump_tables": len(tables),
        "jump_table_entries": sum(len(table.members) for table in tables),
    }


def _loading_sites(model: TypeModel, plan: LowerPlan) -> int:
    """Counts the call sites whose code loads from memory: byteArray tests that were not folded."""
    loading = [r.type for r in plan.resolutions if r.kind is ResolutionKind.BYTE_ARRAY]
    has_code = np.frombuffer(plan.decisions, np.uint8) == SiteDecision.TEST
    return int(np.count_nonzero(has_code & np.isin(model.site_type, loading)))


def _type_entry(model: TypeModel, resolution: Resolution) -> dict[str, Any]:
    bits = resolution.bit_set
    has_bits = resolution.kind in (ResolutionKind.INLINE, ResolutionKind.BYTE_ARRAY)
    return {
        "id": model.types[resolution.type].id,
        "kind": resolution.kind.value,
        "members": len(bits.bits),
        "call_sites": resolution.call_sites,
        "stride": 1 << bits.align_log2 if bits.size else None,
        "size_m1": bits.size - 1 if bits.size else None,
        "bits": f"{bits.mask:#0{bits.size + 2}b}" if has_bits else None,
    }
