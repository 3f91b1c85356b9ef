from __future__ import annotations

import pytest

from typemeta.errors import InputError
from typemeta.summary.yaml_nodes import Node, parse_number, parse_yaml


def parsed(text: str | bytes) -> Node:
    """Returns the root of a file that has one."""
    root = parse_yaml(text, "s.yaml")
    assert root is not None
    return root


def keys(text: str) -> list[str]:
    """Returns the keys of a mapping."""
    return [key.key() for key, _ in parsed(text).entries()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a: 1\n- [",
            r"s.yaml:2:1: not YAML: while parsing a block mapping, expected <block end>, but found '-'",
        ),
        ("a: 'x", r"s.yaml:1:6: not YAML: while scanning a quoted scalar, found unexpected end of stream"),
        ("a: 1\n\tb: 2", r"s.yaml:2:1: not YAML: .*found character '\\t' that cannot start any token"),
        ("a: \x01", r"s.yaml:1: not YAML: character U\+0001 is not allowed"),
        ("a:\n b: \ud800", r"s.yaml:2: not YAML: character U\+D800 is not allowed"),
        (b"a:\n  \xff: 1", r"s.yaml:2: not UTF-8 text, so no YAML"),
        ("--- {}\n--- {}", r"s.yaml:2:1: not YAML: expected a single document.* but found another document"),
        ("a: &x 1\nb: *x", r"s.yaml:2:4: not YAML: module summaries have no YAML aliases"),
        ("&x [*x]", r"s.yaml:1:5: not YAML: module summaries have no YAML aliases"),
        ("[" * 1000, r"s.yaml: nested too deeply to be a module summary"),
        (f"a:\n  {'k' * 2000}\n  b: 1", r"s.yaml:3:4: not YAML: mapping values are not allowed here"),
    ],
)
def test_what_is_no_yaml(text: str | bytes, message: str) -> None:
    """Each fault is reported with the file and, where known, line and column."""
    with pytest.raises(InputError, match=f"^{message}"):
        parse_yaml(text, "s.yaml")


def test_keys_may_be_long() -> None:
    """A mangled C++ name can be longer than YAML wants keys to be."""
    name = "N" * 5000
    assert keys(f"{name}: 1\nb: 2") == [name, "b"]


def test_a_key_without_a_colon_is_reported_at_its_place() -> None:
    """It is not mistaken for a key because it may be long."""
    with pytest.raises(
        InputError, match=r"^s\.yaml:3:1: not YAML: while scanning a simple key, could not find"
    ):
        parse_yaml("a: 1\nb\nc: 2", "s.yaml")


def test_tabs_in_plain_text() -> None:
    """Inside of a text tabs belong to it; before a comment they do not."""
    root = parsed("a: x\ty \t z\nb: x y")
    assert [value.text() for _, value in root.entries()] == ["x\ty \t z", "x y"]


def test_delete_is_a_character() -> None:
    """LLVM does not escape it."""
    assert [value.text() for _, value in parsed('a: "x\x7fy"').entries()] == ["x\x7fy"]


def test_tags_have_no_meaning() -> None:
    """Nothing is made of them, and everything is text."""
    (item,) = parsed("[!!python/object/apply:os.abort [x]]").items()
    assert [part.text() for part in item.items()] == ["x"]


@pytest.mark.parametrize("text", ["", "0x", "0b2", "0o8", "09", "1 ", "٣", "1" * 401])
def test_no_numbers(text: str) -> None:
    """Other digits, blanks and too long ones are none."""
    assert parse_number(text) is None
