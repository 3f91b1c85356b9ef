"""The report of a lowering, and that its totals add up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models import Site, build_model, function, variable
from typemeta.lower.plan import SiteDecision, plan_lowering
from typemeta.lower.report import report_lowering, report_totals
from typemeta.model import SiteKind

MODEL = build_model(
    [function("f"), function("g"), variable("a", 1024), variable("b", 8), variable("c", 24)],
    [
        *(("F", "f", 0), ("F", "g", 0), ("T", "a", 0), ("T", "a", 8), ("T", "a", 1000)),
        *(("U", "a", 16), ("V", "b", 0), ("V", "a", 16), ("W", "c", 0), ("W", "c", 8), ("W", "c", 24)),
    ],
    [
        *("F", "F", "T", "T", "T", "U", "W", "none", "none"),
        Site("T", known=(("a", 0),)),
        Site("F", known=(("f", 0),)),
        Site("V", assumed=True),
        Site("T", SiteKind.CHECKED_LOAD),
    ],
)
PLAN = plan_lowering(MODEL)


def test_the_whole_report() -> None:
    """Exactly the keys of the contract, types in the order of the plan, seconds rounded."""
    report = report_lowering(MODEL, PLAN, {"parse": 0.123456, "plan": 1})
    entries = {entry["id"]: entry for entry in report.pop("types")}
    assert report == {
        "schema": "typemeta.lower/1",
        "layout": "llvm",
        "totals": report_totals(MODEL, PLAN),
        "seconds": {"parse": 0.1235, "plan": 1},
    }
    assert list(entries) == [MODEL.types[resolution.type].id for resolution in PLAN.resolutions]
    facts = {name: tuple(entry.values())[1:] for name, entry in entries.items()}
    assert facts.pop("T")[:5] == ("byteArray", 3, 4, 8, 125)
    assert facts == {
        "none": ("unsat", 0, 2, None, None, None),
        "F": ("allOnes", 2, 3, 8, 1, None),
        "U": ("single", 1, 1, 1, 0, None),
        "W": ("inline", 3, 1, 8, 3, "0b1101"),
    }
    assert list(entries["T"]) == ["id", "kind", "members", "call_sites", "stride", "size_m1", "bits"]


def test_bits_are_written_in_full() -> None:
    """The bits of a set have as many digits as it has places, the first member in front."""
    report = report_lowering(MODEL, PLAN, {})
    bits = next(entry["bits"] for entry in report["types"] if entry["id"] == "T")
    assert bits == "0b11" + "0" * 123 + "1"


def test_totals() -> None:
    """Every number of the totals, counted by hand."""
    assert report_totals(MODEL, PLAN) == {
        "call_sites": 11,
        "load_free_call_sites": 8,
        "folded_call_sites": 4,
        "dropped_call_sites": 1,
        "kinds": {"unsat": 2, "single": 1, "allOnes": 3, "inline": 1, "byteArray": 4},
        "variable_bytes": 1024 + 24,
        "laid_out_bytes": 1024 + 25,
        "byte_array_bytes": 126,
        "jump_tables": 1,
        "jump_table_entries": 2,
    }


def test_totals_add_up() -> None:
    """Kinds sum to the call sites, and those to what was decided for type tests."""
    totals = report_totals(MODEL, PLAN)
    decided = {decision: PLAN.decisions.count(decision) for decision in SiteDecision}
    assert sum(totals["kinds"].values()) == totals["call_sites"]
    assert totals["call_sites"] == decided[SiteDecision.TEST] + totals["folded_call_sites"]
    assert totals["load_free_call_sites"] <= totals["call_sites"]
    assert totals["call_sites"] == sum(resolution.call_sites for resolution in PLAN.resolutions)


def test_public_tests_are_no_call_sites() -> None:
    """Public tests that are not checked are in none of the numbers that speak of type tests."""
    model = build_model(
        [variable("a")],
        [("T", "a", 0)],
        ["T", Site("T", SiteKind.PUBLIC_TYPE_TEST), Site("U", SiteKind.PUBLIC_TYPE_TEST)],
    )
    totals = report_totals(model, plan_lowering(model))
    assert (totals["call_sites"], totals["folded_call_sites"]) == (1, 0)


@pytest.mark.parametrize("model", [build_model([]), MODEL])
def test_the_report_is_json(model: Any) -> None:
    """The report is plain data that JSON can hold and give back."""
    report = report_lowering(model, plan_lowering(model), {"plan": 0.5})
    assert json.loads(json.dumps(report)) == report
