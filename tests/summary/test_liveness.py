from __future__ import annotations

import pytest

from typemeta.summary import (
    GlobalValueSummary,
    ModuleSummary,
    address_taken_guids,
    has_exported_definition,
    is_address_taken,
    is_guid_live,
    live_type_tests,
)


def stripped(values: dict[int, list[GlobalValueSummary]]) -> ModuleSummary:
    """Returns a summary after dead stripping."""
    return ModuleSummary(global_values=values, with_global_value_dead_stripping=True)


LIVE, DEAD = GlobalValueSummary(live=True), GlobalValueSummary()


@pytest.mark.parametrize(
    ("copies", "live"),
    [([LIVE], True), ([DEAD], False), ([DEAD, LIVE], True), ([DEAD, DEAD], False), ([], True)],
)
def test_a_value_is_live_if_a_copy_is(copies: list[GlobalValueSummary], live: bool) -> None:
    """One live copy is enough, and a value of which nothing is known is taken for live."""
    assert is_guid_live(stripped({7: copies}), 7) is live
    assert is_guid_live(stripped({7: copies}), 8)


def test_before_dead_stripping_everything_is_live() -> None:
    """The marks mean nothing then, for liveness and for tests."""
    summary = ModuleSummary(global_values={7: [GlobalValueSummary(type_tests=[3])]})
    assert is_guid_live(summary, 7)
    assert live_type_tests(summary) == [3]


@pytest.mark.parametrize(
    ("copy", "exported"),
    [
        (GlobalValueSummary(live=True), True),
        (GlobalValueSummary(live=True, linkage=7), False),
        (GlobalValueSummary(live=False), False),
    ],
)
@pytest.mark.parametrize("was_stripped", [False, True])
def test_exported_definitions(copy: GlobalValueSummary, exported: bool, was_stripped: bool) -> None:
    """A copy has to be marked live, even before dead stripping, and not local."""
    summary = ModuleSummary(global_values={7: [copy]}, with_global_value_dead_stripping=was_stripped)
    assert has_exported_definition(summary, 7) is exported
    assert not has_exported_definition(summary, 8)


def test_addresses_are_taken_by_live_values() -> None:
    """The mark counts even before dead stripping."""
    values = {1: [GlobalValueSummary(live=True, refs=[10, 11])], 2: [GlobalValueSummary(refs=[12])]}
    assert address_taken_guids(stripped(values)) == {10, 11}
    assert address_taken_guids(ModuleSummary(global_values=values)) == {10, 11}


def test_an_alias_passes_its_address_on() -> None:
    """Who refers to an alias takes the address of the function behind it, and of its other aliases."""
    values = {
        1: [GlobalValueSummary(live=True, refs=[5])],
        4: [GlobalValueSummary(live=True)],
        5: [GlobalValueSummary(live=True, aliasee=4)],
        6: [GlobalValueSummary(live=True, aliasee=4)],
        7: [GlobalValueSummary(live=True, aliasee=99)],
    }
    summary = stripped(values)
    taken = address_taken_guids(summary)
    assert taken == {4, 5}
    assert [guid for guid in (1, 4, 5, 6, 7, 99) if is_address_taken(summary, guid, taken)] == [4, 5, 6]


def test_type_tests_come_in_llvms_order() -> None:
    """By GUID of the function, by copy, as the summary has them; each once."""
    values = {
        9: [GlobalValueSummary(live=True, type_tests=[1])],
        2: [
            GlobalValueSummary(live=True, type_tests=[8, 3]),
            GlobalValueSummary(live=True, type_tests=[5, 8]),
        ],
        4: [GlobalValueSummary(type_tests=[6])],
    }
    assert live_type_tests(stripped(values)) == [8, 3, 5, 1]


def test_a_live_alias_stands_for_its_functions_tests() -> None:
    """The function's own mark does not count then; only its first copy does."""
    values = {
        1: [GlobalValueSummary(live=True, aliasee=2)],
        2: [GlobalValueSummary(type_tests=[6]), GlobalValueSummary(type_tests=[7])],
        3: [GlobalValueSummary(live=True, aliasee=1), GlobalValueSummary(live=True, aliasee=99)],
    }
    assert live_type_tests(stripped(values)) == [6]
