"""What errors say, and the fields they carry."""

from __future__ import annotations

import pytest

from typemeta import errors
from typemeta.errors import InputError, LinkError, MetadataError, TypemetaError


@pytest.mark.parametrize(
    ("path", "line", "column", "message"),
    [
        ("a.ll", 3, 7, "a.ll:3:7: is bad"),
        ("a.ll", 3, 0, "a.ll:3: is bad"),
        ("a.ll", 0, 0, "a.ll: is bad"),
        (None, 3, 7, "<input>:3:7: is bad"),
        (None, 0, 0, "is bad"),
    ],
)
def test_input_errors_stand_at_a_place(path: str | None, line: int, column: int, message: str) -> None:
    """File, line and column come first, as far as they are known, and are fields as well."""
    error = InputError("is bad", path=path, line=line, column=column)
    assert str(error) == message
    assert (error.path, error.line, error.column) == (path, line, column)


def test_metadata_errors_name_their_subject() -> None:
    """The global or call site comes first."""
    error = MetadataError("@_ZTV1A", "is malformed")
    assert (str(error), error.subject) == ("@_ZTV1A: is malformed", "@_ZTV1A")


def test_link_errors_may_name_a_symbol() -> None:
    """The symbol that two modules define is a field."""
    assert LinkError("twice", symbol="f").symbol == "f"
    assert LinkError("another reason").symbol is None


def test_every_error_is_one_of_ours() -> None:
    """Catching TypemetaError catches all that a user can act on."""
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    assert len(found) >= 8
    assert all(issubclass(value, TypemetaError) for value in found)
