from __future__ import annotations

from typemeta.summary import GlobalValueSummary, ModuleSummary, ResolutionKind, TypeIdSummary


def test_a_type_identifier_is_inserted_once() -> None:
    """The second request returns what the first one inserted, with what was filled in since."""
    summary = ModuleSummary()
    summary.get_or_insert_type_id("t").type_test.kind = ResolutionKind.INLINE
    summary.get_or_insert_type_id("u")
    assert summary.get_or_insert_type_id("t").type_test.kind is ResolutionKind.INLINE
    assert list(summary.type_ids) == ["t", "u"]


def test_a_new_type_identifier_says_nothing() -> None:
    """Until a pass fills it in, tests of it stay as they are."""
    inserted = ModuleSummary().get_or_insert_type_id("t")
    assert inserted == TypeIdSummary()
    assert inserted.type_test.kind is ResolutionKind.UNKNOWN


def test_summaries_share_nothing() -> None:
    """What is filled into one does not show up in the next."""
    ModuleSummary().get_or_insert_type_id("t")
    assert not ModuleSummary().type_ids
    TypeIdSummary().type_test.size_m1 = 7
    assert TypeIdSummary().type_test.size_m1 == 0


def test_local_linkages() -> None:
    """Internal and private, by LLVM's numbers."""
    assert [n for n in range(11) if GlobalValueSummary(linkage=n).has_local_linkage] == [7, 8]
