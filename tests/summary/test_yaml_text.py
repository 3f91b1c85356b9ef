from __future__ import annotations

import pytest

from typemeta.summary.yaml_text import Items, Mapping, Numbers, document, key_text, scalar_text


@pytest.mark.parametrize(
    "text", ["_ZTS1A", "a b", "a,b", "a\tb", "y", "1_000", "0b1", "1.2.3", "e5", "2001-01-01"]
)
def test_plain_values(text: str) -> None:
    """Letters, digits and a few signs stand without quotes."""
    assert scalar_text(text) == text


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a:b", "a/b", "-x", "true", "null", "~", "12", "0x1f", "1e5", ".5", "-.inf"]
)
def test_values_in_single_quotes(text: str) -> None:
    """Everything else, and what could be taken for a number or a truth value."""
    assert scalar_text(text) == f"'{text}'"


def test_single_quotes_are_doubled() -> None:
    """Inside of single quotes."""
    assert scalar_text("it's") == "'it''s'"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", '"a\\nb"'),
        ("\x01f", '"\\x01f"'),
        ('\0"\\', '"\\0\\"\\\\"'),
        ("\xe9\t", '"\xe9\\t"'),
        ("\x7f\xad", '"\x7f\xad"'),
        ("\x85\xa0\u2028\u2029", '"\\N\\_\\L\\P"'),
        ("\x81\u200b\U0010ffff", '"\\x81\\u200B\\U0010FFFF"'),
    ],
)
def test_values_in_double_quotes(text: str, written: str) -> None:
    """Control characters and everything that is not ASCII."""
    assert scalar_text(text) == written


@pytest.mark.parametrize("text", ["true", "null", "12", "0x1f", "1,2"])
def test_keys_are_text_anyway(text: str) -> None:
    """A key is not taken for a number."""
    assert key_text(text) == text


@pytest.mark.parametrize("text", ["", "-1", "a: b", "~"])
def test_keys_in_quotes(text: str) -> None:
    """The other reasons for quotes hold for keys too."""
    assert key_text(text) == f"'{text}'"


def test_values_stand_in_a_column() -> None:
    """Unless the key is too long, with one blank then."""
    root = Mapping([("A", "1"), ("QuiteALongKeyForThis", "2"), ("Nothing", Mapping([]))])
    assert document(root) == "---\nA:               1\nQuiteALongKeyForThis: 2\nNothing:         {}\n...\n"


def test_items_stand_behind_dashes() -> None:
    """The first key of an item shares the line with the dash."""
    item = Mapping([("A", Mapping([("B", "1")])), ("C", "2")])
    assert document(Mapping([("K", Items([item, item]))])).splitlines() == [
        *("---", "K:"),
        *("  - A:", "      B:               1", "    C:               2") * 2,
        "...",
    ]


def test_long_lists_are_broken_behind_column_70() -> None:
    """With a blank at the end of the line, and the next below the first number."""
    lines = document(Mapping([("K", Numbers([2**64 - 1] * 4 + [1]))])).splitlines()
    assert lines[1:-1] == [
        "K:               [ 18446744073709551615, 18446744073709551615, 18446744073709551615, ",
        "                   18446744073709551615, 1 ]",
    ]
