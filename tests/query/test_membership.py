"""Questions on sets of addresses."""

from __future__ import annotations

import pytest

from tests.models import build_model, function, variable
from typemeta.errors import TypemetaError
from typemeta.model import Address, GlobalIndex, TypeIndex
from typemeta.query import (
    UnknownNameError,
    contains,
    find_global,
    find_type,
    members_of,
    types_of,
)

ROWS = [
    ("_ZTS1A", "_ZTV1B", 16),
    ("_ZTS1B", "_ZTV1B", 16),
    ("_ZTS1A", "_ZTV1B", 16),
    ("_ZTS1A", "_ZTV1A", 16),
    ("_ZTS1C", "_ZTV1A", 48),
    ("_ZTS1C", "_ZTV1A", -8),
    ("!0", "f", 0),
]
MODEL = build_model([function("f"), variable("_ZTV1B", 32), variable("_ZTV1A", 64)], ROWS, ["tested only"])


def test_contains_agrees_with_the_rows() -> None:
    """An address is in a set exactly if a row says so, asked for every type, global and offset."""
    for type_ in range(len(MODEL.types)):
        for global_ in range(len(MODEL.globals)):
            for offset in range(-10, 66):
                row = (MODEL.types[type_].id, MODEL.globals[global_].name, offset)
                assert contains(MODEL, TypeIndex(type_), GlobalIndex(global_), offset) is (row in ROWS)


def test_members_come_by_name_and_offset() -> None:
    """The set of a type lists each address once, by the name of the global, then by offset."""
    names = {type_.id: index for index, type_ in enumerate(MODEL.types)}
    members = {name: members_of(MODEL, TypeIndex(index)) for name, index in names.items()}
    assert members == {
        "_ZTS1A": [Address(GlobalIndex(2), 16), Address(GlobalIndex(1), 16)],
        "_ZTS1B": [Address(GlobalIndex(1), 16)],
        "_ZTS1C": [Address(GlobalIndex(2), 48), Address(GlobalIndex(2), 2**64 - 8)],
        "!0": [Address(GlobalIndex(0), 0)],
        "tested only": [],
    }


def test_types_come_in_source_order() -> None:
    """The memberships of a global are told as they are attached, duplicates included."""
    found = [(offset, MODEL.types[type_].id) for offset, type_ in types_of(MODEL, GlobalIndex(1))]
    assert found == [(16, "_ZTS1A"), (16, "_ZTS1B"), (16, "_ZTS1A")]
    assert [type(offset) for offset, _ in found] == [int] * 3


def test_names_are_found() -> None:
    """Types as they are shown, nodes too, and globals without their @."""
    assert MODEL.types[find_type(MODEL, "_ZTS1B")].id == "_ZTS1B"
    assert MODEL.types[find_type(MODEL, "!0")].distinct
    assert MODEL.globals[find_global(MODEL, "_ZTV1A")].name == "_ZTV1A"


def test_a_type_that_is_not_there() -> None:
    """The error offers up to three similar names, and none if there is none."""
    with pytest.raises(UnknownNameError) as caught:
        find_type(MODEL, "_ZTS1X")
    head, offered = str(caught.value).removesuffix("?").split("; did you mean ")
    assert head == "no type identifier _ZTS1X"
    assert sorted(offered.split(" or ")) == ["_ZTS1A", "_ZTS1B", "_ZTS1C"]
    with pytest.raises(
        UnknownNameError, match=r"^no type identifier tested onyl; did you mean tested only\?$"
    ):
        find_type(MODEL, "tested onyl")
    with pytest.raises(UnknownNameError, match=r"^no type identifier something else$"):
        find_type(MODEL, "something else")
    many = build_model([], [], [f"name{n}" for n in range(9)])
    with pytest.raises(UnknownNameError) as caught:
        find_type(many, "name")
    assert str(caught.value).count(" or ") == 2


def test_a_global_that_is_not_there() -> None:
    """The error says that only globals with type metadata can be asked for."""
    with pytest.raises(UnknownNameError) as caught:
        find_global(MODEL, "_ZTV1")
    assert str(caught.value).startswith("no global @_ZTV1 with type metadata; did you mean _ZTV1")
    with pytest.raises(UnknownNameError, match=r"^no global @xyz with type metadata$"):
        find_global(MODEL, "xyz")
    assert isinstance(caught.value, TypemetaError)


def test_an_empty_model() -> None:
    """In a module without type metadata nothing is found."""
    with pytest.raises(UnknownNameError, match=r"^no type identifier T$"):
        find_type(build_model([]), "T")
