"""The plan as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models import build_model, function, variable
from typemeta.errors import PlanError
from typemeta.lower.plan import LowerPlan, ResolutionKind, SiteDecision, plan_lowering

MODEL = build_model(
    [function("f"), function("g"), variable("a", 1024), variable("b", 8, constant=False)],
    [
        *(("F", "f", 0), ("F", "g", 0), ("T", "a", 0), ("T", "a", 8), ("T", "a", 1000)),
        *(("U", "a", 16), ("V", "b", 0), ("V", "a", 16), ("W", "a", 0), ("W", "a", 8), ("W", "a", 24)),
    ],
    ["F", "T", "U", "V", "W", "none", "T"],
    flags={"cf-protection-branch": 1},
)
PLAN = plan_lowering(MODEL)


def test_the_sample_has_everything() -> None:
    """The plan that these tests use has both kinds of regions and all kinds of resolutions."""
    assert len(PLAN.regions) == 2
    assert {resolution.kind for resolution in PLAN.resolutions} == set(ResolutionKind)


def test_the_numbers_of_decisions_are_a_format() -> None:
    """Saved plans hold them, so they stay what they are."""
    assert {decision.name: decision.value for decision in SiteDecision} == {
        "KEEP": 0,
        "FOLD_FALSE": 1,
        "FOLD_TRUE": 2,
        "TEST": 3,
        "DROP": 4,
    }


def test_round_trip() -> None:
    """A plan that is written and read is the same plan, with the same meaning."""
    read = LowerPlan.from_json(PLAN.to_json())
    assert read == PLAN
    assert read.to_json() == PLAN.to_json()
    assert (read.place, read.by_type) == (PLAN.place, PLAN.by_type)


def test_the_document() -> None:
    """The document has a schema, words instead of numbers, and bytes in hexadecimal."""
    document = json.loads(PLAN.to_json())
    assert list(document) == [
        *("schema", "fingerprint", "layout", "regions", "resolutions", "decisions", "byte_array"),
    ]
    assert document["schema"] == "typemeta.lower-plan/1"
    assert document["fingerprint"] == MODEL.fingerprint
    assert document["regions"][0] == {
        "kind": "jump-table",
        "members": [0, 1],
        "arch": "x86_64",
        "entry_size": 16,
        "landing_pads": True,
        "wide_branch": True,
        "canonical": [True, True],
        "exported": [False, False],
    }
    assert document["regions"][1] == {
        "kind": "variables",
        "members": [2, 3],
        "offsets": [0, 1024],
        "size": 1032,
        "alignment": 8,
        "constant": False,
    }
    assert {entry["kind"] for entry in document["resolutions"]} == {
        *("unsat", "single", "allOnes", "inline", "byteArray"),
    }
    assert bytes.fromhex(document["decisions"]) == PLAN.decisions
    assert bytes.fromhex(document["byte_array"]) == PLAN.byte_array


def changed(*path: str | int, to: Any = None) -> str:
    """Returns the document with one value changed, or removed."""
    document: Any = json.loads(PLAN.to_json())
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return json.dumps(document)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "7",
        "null",
        "{}",
        changed("fingerprint"),
        changed("regions"),
        changed("regions", to=7),
        changed("regions", 0, "arch", to="mips"),
        changed("regions", 0, "kind"),
        changed("regions", 1, "offsets", to=7),
        changed("resolutions", 0, "kind", to="guess"),
        changed("resolutions", 0, "bit_set", to=[]),
        changed("resolutions", 1, "bit_set", "bits"),
        changed("decisions", to="xyz"),
        changed("byte_array", to=7),
    ],
)
def test_documents_that_are_no_plan(text: str) -> None:
    """Anything that cannot be read as a plan is a PlanError, never another exception."""
    with pytest.raises(PlanError, match=r"^not a lowering plan: "):
        LowerPlan.from_json(text)


def test_a_document_of_another_schema() -> None:
    """The error says what the document is, and what was wanted."""
    with pytest.raises(PlanError) as caught:
        LowerPlan.from_json(changed("schema", to="typemeta.lower/1"))
    assert str(caught.value) == "this is a typemeta.lower/1, not a typemeta.lower-plan/1"


def test_plans_are_compared_by_value() -> None:
    """Two plans are equal if all their decisions are."""
    assert LowerPlan.from_json(changed("layout", to="other")) != PLAN
    assert LowerPlan.from_json(changed("resolutions", 0, "call_sites", to=99)) != PLAN
