"""Which memberships count, and what forbids a layout."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models import Site, build_model, function, variable
from typemeta.errors import MetadataError
from typemeta.lower.plan.members import check_layout_allowed, find_live_members
from typemeta.model import GlobalIndex, GlobalKind, GlobalRecord, SiteKind


def is_live(record: GlobalRecord, flags: dict[str, int | None] | None = None) -> bool:
    """Tells whether the membership of a global counts."""
    return len(find_live_members(build_model([record], [("T", record.name, 0)], flags=flags)).rows[0]) == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"linkage": "internal"}, True),
        ({"linkage": "weak"}, True),
        ({"declaration": True}, False),
        ({"linkage": "available_externally"}, False),
        ({"linkage": "extern_weak", "declaration": True}, False),
    ],
)
def test_variables_that_the_object_file_defines_count(changes: dict[str, Any], expected: bool) -> None:
    """A variable counts if it will be defined here, whatever uses it."""
    assert is_live(variable("a", **changes)) is expected


CROSS_DSO: dict[str, int | None] = {"Cross-DSO CFI": 1}


@pytest.mark.parametrize(
    ("changes", "alone", "cross_dso"),
    [
        ({}, True, True),
        ({"declaration": True, "canonical": False}, True, True),
        ({"address_taken": False}, False, True),
        ({"address_taken": False, "linkage": "internal"}, False, False),
        ({"address_taken": False, "canonical": False}, False, False),
        ({"linkage": "internal"}, True, True),
    ],
)
def test_functions_that_can_be_called_indirectly_count(
    changes: dict[str, Any], alone: bool, cross_dso: bool
) -> None:
    """A function counts if its address is taken; with cross-DSO CFI another library may take it as well."""
    assert is_live(function("f", **changes)) is alone
    assert is_live(function("f", **changes), CROSS_DSO) is cross_dso


MODEL = build_model(
    [function("f"), function("dead", address_taken=False), variable("a"), variable("out", declaration=True)],
    [
        *(("F", "f", 0), ("F", "dead", 0), ("T", "a", 0), ("U", "a", 0), ("T", "a", 4)),
        *(("T", "out", 0), ("dead", "dead", 0)),
    ],
    [
        *("U", "F", "U", "no members"),
        Site("assumed", assumed=True),
        Site("T", assumed=True),
        Site("T", SiteKind.PUBLIC_TYPE_TEST),
        Site("dead", SiteKind.CHECKED_LOAD),
    ],
)


def names(indices: list[Any]) -> list[str]:
    """Returns the names of types."""
    return [MODEL.types[index].id for index in indices]


def test_tested_types_come_in_order_of_first_use() -> None:
    """Only tests that are lowered count: no assumed ones, no public ones, no checked loads."""
    assert names(list(find_live_members(MODEL).tested)) == ["U", "F", "no members"]


def test_rows_that_count() -> None:
    """For each type the rows that count stand in table order."""
    live = find_live_members(MODEL)
    found = {type_.id: live.rows[index].tolist() for index, type_ in enumerate(MODEL.types)}
    assert found == {"F": [0], "dead": [], "T": [3, 5], "U": [4], "no members": [], "assumed": []}


def test_ranks_are_positions_among_what_counts() -> None:
    """A type's rank is that of its last membership that counts, from one; 0 for none."""
    live = find_live_members(MODEL)
    found = {type_.id: int(live.rank[index]) for index, type_ in enumerate(MODEL.types)}
    assert found == {"F": 1, "T": 4, "U": 3, "dead": 0, "no members": 0, "assumed": 0}


def test_an_empty_model() -> None:
    """Without globals nothing counts, tested or not."""
    live = find_live_members(build_model([], [], ["T"]))
    assert ([*live.tested], live.rows[0].tolist(), live.rank.tolist()) == ([0], [], [0])


def check(*records: GlobalRecord) -> GlobalKind:
    """Checks a set of all these globals."""
    model = build_model(records, [("T", record.name, 0) for record in records], ["T"])
    return check_layout_allowed(model, [GlobalIndex(index) for index in range(len(records))])


def test_sets_of_one_kind_are_allowed() -> None:
    """A set is all variables or all functions; a function may have a section."""
    assert check(variable("a"), variable("b", linkage="weak", comdat=True)) is GlobalKind.VARIABLE
    assert check(function("f"), function("g", section=".text.hot")) is GlobalKind.FUNCTION


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thread_local": True}, "a member of a type identifier may not be thread-local"),
        ({"section": ".x"}, "a member of a type identifier may not have an explicit section (.x)"),
        ({"address_space": 3}, "a member of a type identifier may not be in address space 3"),
        (
            {"linkage": "common"},
            "a member of a type identifier may not have common linkage; compile with -fno-common",
        ),
    ],
)
def test_globals_that_may_not_be_moved(changes: dict[str, Any], message: str) -> None:
    """The error names the global and what is wrong with it."""
    with pytest.raises(MetadataError) as caught:
        check(variable("good"), variable("bad", **changes))
    assert str(caught.value) == f"@bad: {message}"
    assert caught.value.subject == "@bad"


def test_variables_and_functions_do_not_mix() -> None:
    """The error names a variable and a function of the set."""
    with pytest.raises(MetadataError) as caught:
        check(function("f"), function("g"), variable("a"), variable("b"))
    assert str(caught.value) == "@a: is in one set of types with the function @f"


def test_all_faults_of_a_set_are_told_at_once() -> None:
    """One error lists them all."""
    with pytest.raises(MetadataError) as caught:
        check(variable("a", thread_local=True), variable("b", section=".x"), function("f"))
    assert str(caught.value) == (
        "@a: a member of a type identifier may not be thread-local; "
        "@b: a member of a type identifier may not have an explicit section (.x); "
        "@a: is in one set of types with the function @f"
    )
