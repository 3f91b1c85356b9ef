"""Rows by type and by global, counts, and the fingerprint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.ir import parse
from tests.models import Site, build_model, function, variable
from typemeta.model import Address, GlobalIndex, SiteKind, TypeIdentifier, TypeIndex, TypeModel
from typemeta.model.read import read_type_model

MODEL = build_model(
    [function("f"), variable("a", 16), variable("b"), variable("empty")],
    [("F", "f", 0), ("T", "a", 0), ("U", "a", 8), ("T", "a", 0), ("T", "b", 0), ("!0", "b", 0)],
    ["T", "U", Site("T", SiteKind.PUBLIC_TYPE_TEST), "T", Site("only tested")],
)


def test_rows_of_a_type() -> None:
    """The rows of a type stand in table order, duplicates included; one without members has none."""
    rows = {type_.id: MODEL.rows_of_type(TypeIndex(i)).tolist() for i, type_ in enumerate(MODEL.types)}
    assert rows == {"F": [0], "T": [1, 3, 4], "U": [2], "!0": [5], "only tested": []}


def test_rows_of_a_global() -> None:
    """The rows of a global stand in source order; one without members has none."""
    rows = {g.name: MODEL.rows_of_global(GlobalIndex(i)).tolist() for i, g in enumerate(MODEL.globals)}
    assert rows == {"f": [0], "a": [1, 2, 3], "b": [4, 5], "empty": []}


def test_counts() -> None:
    """Sites and members are counted by type, zeros included."""
    assert MODEL.site_counts(SiteKind.TYPE_TEST).tolist() == [0, 2, 1, 0, 1]
    assert MODEL.site_counts(SiteKind.PUBLIC_TYPE_TEST).tolist() == [0, 1, 0, 0, 0]
    assert MODEL.site_counts(SiteKind.CHECKED_LOAD).tolist() == [0] * 5
    assert MODEL.member_counts().tolist() == [1, 3, 1, 1, 0]


def test_sites_of_a_kind() -> None:
    """Sites of one kind are found by position."""
    assert MODEL.sites(SiteKind.TYPE_TEST).tolist() == [0, 1, 3, 4]
    assert MODEL.sites(SiteKind.PUBLIC_TYPE_TEST).tolist() == [2]
    assert MODEL.sites(SiteKind.CHECKED_LOAD_RELATIVE).tolist() == []


def test_an_empty_model() -> None:
    """A module without type metadata has a model without rows."""
    model = build_model([])
    assert model.member_counts().tolist() == []
    assert model.site_counts(SiteKind.TYPE_TEST).tolist() == []
    assert model.type_index == {}
    assert model.global_index == {}


def test_names_lead_to_types_and_globals() -> None:
    """Types are found as they are shown, globals by name."""
    assert MODEL.type_index == {"F": 0, "T": 1, "U": 2, "!0": 3, "only tested": 4}
    assert MODEL.global_index == {"f": 0, "a": 1, "b": 2, "empty": 3}


def test_a_name_wins_over_a_node() -> None:
    """A type that is called like a node is shown is the one that the name finds."""
    for types in (
        (TypeIdentifier("!0", True), TypeIdentifier("!0", False)),
        (TypeIdentifier("!0", False), TypeIdentifier("!0", True)),
    ):
        model = replace(build_model([]), types=types)
        assert not model.types[model.type_index["!0"]].distinct


def test_globals_without_a_name_are_not_found() -> None:
    """No name leads to a global that has none."""
    assert build_model([variable("")]).global_index == {}


def test_equal_models_have_equal_fingerprints() -> None:
    """Reading one text twice gives one fingerprint, in any context."""
    text = '@a = constant [2 x i64] zeroinitializer, !type !0\n!0 = !{i64 8, !"T"}\n'
    first, second = (read_type_model(parse(text))[0] for _ in range(2))
    assert first.fingerprint == second.fingerprint
    assert len(first.fingerprint) == 64


def with_global(**changes: Any) -> TypeModel:
    """Returns `MODEL` with one global changed."""
    globals_ = list(MODEL.globals)
    globals_[1] = replace(globals_[1], **changes)
    return replace(MODEL, globals=tuple(globals_))


VARIANTS: dict[str, TypeModel] = {
    "triple": replace(MODEL, triple="i386"),
    "pointer bits": replace(MODEL, pointer_bits=32),
    "a flag": replace(MODEL, flags={"cf-protection-branch": 1}),
    "a flag's value": replace(MODEL, flags={"cf-protection-branch": 0}),
    "a type's name": replace(MODEL, types=(TypeIdentifier("G", False), *MODEL.types[1:])),
    "a type that is a node": replace(MODEL, types=(TypeIdentifier("F", True), *MODEL.types[1:])),
    "a member's global": replace(MODEL, member_global=np.array([0, 1, 1, 1, 1, 2])),
    "a member's type": replace(MODEL, member_type=np.array([0, 1, 2, 1, 2, 3])),
    "a member's offset": replace(MODEL, member_offset=np.array([0, 0, 9, 0, 0, 0], np.uint64)),
    "a site's kind": replace(MODEL, site_kind=np.array([0, 0, 0, 0, 0])),
    "a site's type": replace(MODEL, site_type=np.array([1, 1, 1, 1, 4])),
    "an assumed site": replace(MODEL, site_assumed=np.array([True, False, False, False, False])),
    "a known site": replace(MODEL, site_known={0: (Address(GlobalIndex(1), 0),)}),
    "another known address": replace(MODEL, site_known={0: (Address(GlobalIndex(1), 8),)}),
    "another known site": replace(MODEL, site_known={1: (Address(GlobalIndex(1), 0),)}),
    "name": with_global(name="c"),
    "kind": with_global(kind=MODEL.globals[0].kind),
    "declaration": with_global(declaration=True),
    "size": with_global(size=24),
    "alignment": with_global(alignment=16),
    "linkage": with_global(linkage="internal"),
    "section": with_global(section=".x"),
    "constant": with_global(constant=False),
    "thread-local": with_global(thread_local=True),
    "address taken": with_global(address_taken=False),
    "canonical": with_global(canonical=True),
    "address space": with_global(address_space=1),
}


def test_every_fact_that_a_plan_depends_on_changes_the_fingerprint() -> None:
    """Models that differ in anything a plan uses have different fingerprints."""
    fingerprints = {case: model.fingerprint for case, model in VARIANTS.items()}
    assert MODEL.fingerprint not in fingerprints.values()
    assert len(set(fingerprints.values())) == len(fingerprints)


@pytest.mark.parametrize("text", ["", "define void @f() {\n  ret void\n}\n"])
def test_read_is_the_model_of_a_module(text: str) -> None:
    """`TypeModel.read` gives what `read_type_model` gives, without the handles."""
    assert TypeModel.read(parse(text)).fingerprint == read_type_model(parse(text))[0].fingerprint
