"""Values answer while their module is as it was, and raise afterwards."""

from __future__ import annotations

import pytest

from tests.ir import parse
from typemeta.errors import StaleHandleError
from typemeta.llvm.edit import edit
from typemeta.llvm.module import Module
from typemeta.llvm.values import LINKAGES, Value

TEXT = """
@plain = global i32 1
@secret = hidden global i32 1
@shown = protected global i32 1
@0 = private constant i8 7
define void @f() {
  ret void
}
declare void @g()
"""


def find(module: Module, name: str) -> Value:
    """Returns a value that must be there."""
    value = module.find(name)
    assert value is not None
    return value


@pytest.mark.parametrize(
    "linkage",
    [
        *("available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "internal", "private"),
        "common",
    ],
)
def test_linkages_of_definitions(linkage: str) -> None:
    """Every linkage has LLVM's word."""
    assert find(parse(f"@x = {linkage} global i32 0\n"), "x").linkage == linkage


def test_other_linkages() -> None:
    """No word is external; declarations may be extern_weak; arrays may be appending."""
    assert find(parse(TEXT), "plain").linkage == "external"
    assert find(parse("@x = extern_weak global i32\n"), "x").linkage == "extern_weak"
    assert find(parse("@x = appending global [1 x i8] zeroinitializer\n"), "x").linkage == "appending"
    assert len(LINKAGES) == 17


def test_visibilities() -> None:
    """Visibility is default, hidden or protected."""
    module = parse(TEXT)
    assert [find(module, name).visibility for name in ("plain", "secret", "shown")] == [
        "default",
        "hidden",
        "protected",
    ]


def test_declarations_and_functions() -> None:
    """A declaration has no body, and a variable is no function."""
    module = parse(TEXT)
    assert [(v.is_declaration, v.is_function) for v in (find(module, n) for n in ("f", "g", "plain"))] == [
        (False, True),
        (True, True),
        (False, False),
    ]


def test_a_value_without_a_name() -> None:
    """Numbered globals have an empty name."""
    assert [v.name for v in parse(TEXT).variables()] == ["plain", "secret", "shown", ""]


def test_a_value_prints_as_ir() -> None:
    """The text of a value is LLVM's."""
    assert str(find(parse(TEXT), "secret")) == "@secret = hidden global i32 1"


def test_values_are_equal_by_identity() -> None:
    """Two look-ups of one value are equal and hash alike; values of two modules never are."""
    module, other = parse(TEXT), parse(TEXT)
    assert find(module, "f") == find(module, "f")
    assert len({find(module, "f"), find(module, "f"), find(module, "g")}) == 2
    assert find(module, "f") != find(module, "g")
    assert find(module, "f") != find(other, "f")
    assert find(module, "f") != "f"


def test_a_value_is_stale_after_an_edit() -> None:
    """Every property raises once the module was edited, even if the edit did nothing."""
    module = parse(TEXT)
    value = find(module, "f")
    with edit(module):
        pass
    for use in (
        lambda: value.ref,
        lambda: value.name,
        lambda: value.linkage,
        lambda: value.visibility,
        lambda: value.is_declaration,
        lambda: value.is_function,
        lambda: str(value),
    ):
        with pytest.raises(
            StaleHandleError, match=r"^module test\.ll was changed since this value was looked up$"
        ):
            use()
    assert find(module, "f").name == "f"


def test_a_value_is_stale_after_an_edit_that_failed() -> None:
    """An exception in an editing session makes values stale too."""
    module = parse(TEXT)
    value = find(module, "f")
    with pytest.raises(ZeroDivisionError), edit(module):
        raise ZeroDivisionError
    with pytest.raises(StaleHandleError):
        assert value.name


def test_a_value_of_a_closed_module() -> None:
    """A value whose module is closed raises instead of reading freed memory."""
    module = parse(TEXT)
    value = find(module, "f")
    module.close()
    with pytest.raises(StaleHandleError, match=r"^module test\.ll is closed$"):
        assert value.name
    with pytest.raises(StaleHandleError):
        str(value)
