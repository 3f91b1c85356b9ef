"""Facts of the records that follow from others."""

from __future__ import annotations

import pytest

from tests.models import function, variable
from typemeta.model import GlobalKind, SiteKind, VCallVisibility
from typemeta.model.records import INTRINSICS


@pytest.mark.parametrize(
    ("linkage", "is_local"),
    [("internal", True), ("private", True), ("external", False), ("weak", False), ("linkonce_odr", False)],
)
def test_local_linkage(linkage: str, is_local: bool) -> None:
    """Only internal and private globals are out of other modules' reach."""
    assert variable("a", linkage=linkage).is_local is is_local


@pytest.mark.parametrize(
    ("declaration", "linkage", "expected"),
    [
        (True, "external", True),
        (True, "extern_weak", True),
        (False, "available_externally", True),
        (False, "external", False),
        (False, "weak", False),
    ],
)
def test_declaration_for_the_linker(declaration: bool, linkage: str, expected: bool) -> None:
    """The object file defines neither declarations nor what is available externally."""
    record = function("f", declaration=declaration, linkage=linkage)
    assert record.is_declaration_for_linker is expected


def test_intrinsics_have_names() -> None:
    """Each kind of call site is a call of one intrinsic."""
    assert {kind: kind.intrinsic for kind in SiteKind} == INTRINSICS
    assert SiteKind.CHECKED_LOAD.intrinsic == "llvm.type.checked.load"


def test_words_are_those_of_the_documents() -> None:
    """Enumerators are the words that `show --json` prints."""
    assert [str(kind) for kind in GlobalKind] == ["variable", "function"]
    assert [str(value) for value in VCallVisibility] == ["public", "linkage-unit", "translation-unit"]
