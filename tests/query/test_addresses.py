"""Addresses as people write them."""

from __future__ import annotations

import pytest

from typemeta.query import NamedAddress, parse_address


@pytest.mark.parametrize(
    ("text", "name", "offset"),
    [
        ("@f", "f", 0),
        ("@_ZTV1A+16", "_ZTV1A", 16),
        ("@_ZTV1A+0x10", "_ZTV1A", 16),
        ("@_ZTV1A+0XfF", "_ZTV1A", 255),
        ("@a+0", "a", 0),
        ('@"a+b"', "a+b", 0),
        ('@"a+b"+16', "a+b", 16),
        ('@"plain"+8', "plain", 8),
        ("@with space+8", "with space", 8),
        ("@a$b.c", "a$b.c", 0),
        ("@f-1", "f-1", 0),
        ("@a@b", "a@b", 0),
    ],
)
def test_addresses(text: str, name: str, offset: int) -> None:
    """A name behind an @, and perhaps an offset, decimal or hexadecimal; quotes allow a + in the name."""
    assert parse_address(text) == NamedAddress(name, offset)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "f",
        "f+8",
        "@f+",
        "@+8",
        "@f+8x",
        "@f++8",
        "@f+-8",
        "@f+8+8",
        '@""',
        '@"a"b',
        '@"a',
        "@f+0x",
        " @f",
    ],
)
def test_no_addresses(text: str) -> None:
    """Anything else is refused with an example."""
    with pytest.raises(
        ValueError, match="is no address; write @NAME or @NAME\\+OFFSET, such as @_ZTV1A\\+16"
    ) as caught:
        parse_address(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (NamedAddress("f", 0), "@f"),
        (NamedAddress("a", 16), "@a+16"),
        (NamedAddress("a+b", 0), '@"a+b"'),
        (NamedAddress("a+b", 8), '@"a+b"+8'),
    ],
)
def test_addresses_are_written_as_they_are_read(address: NamedAddress, text: str) -> None:
    """The text of an address is read back as the address."""
    assert str(address) == text
    assert parse_address(text) == address


@pytest.mark.parametrize("digits", ["08", "007"])
def test_leading_zeros(digits: str) -> None:
    """A decimal offset may have leading zeros: it is no octal number."""
    assert parse_address(f"@a+{digits}") == NamedAddress("a", int(digits))
