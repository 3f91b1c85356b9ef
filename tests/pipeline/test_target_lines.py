"""IR text gets another target without its lines moving."""

from __future__ import annotations

import pytest

from typemeta.pipeline.target_lines import choose_target, retarget_text

LAYOUTS = {"old": "e-p:64:64", "new": "e-p:32:32"}
TEXT = b"""\
; target triple = "comment"
target datalayout = "e-said"
target triple = "old"
@x = global i32 0
"""


def infer(triple: str) -> str:
    """The layouts of two triples."""
    return LAYOUTS.get(triple, "")


@pytest.mark.parametrize(
    ("said", "asked", "expected"),
    [
        (("", ""), ("", ""), ("", "")),
        (("old", ""), ("", ""), ("old", "e-p:64:64")),
        (("old", "e-said"), ("", ""), ("old", "e-said")),
        (("old", "e-said"), ("new", ""), ("new", "e-said")),
        (("old", "e-said"), ("new", "e-asked"), ("new", "e-asked")),
        (("", ""), ("new", ""), ("new", "e-p:32:32")),
        (("", ""), ("", "e-asked"), ("", "e-asked")),
        (("unknown", ""), ("", ""), ("unknown", "")),
    ],
)
def test_choice(said: tuple[str, str], asked: tuple[str, str], expected: tuple[str, str]) -> None:
    """What was asked for wins, then what the module says, then what fits its triple."""
    assert choose_target(*said, *asked, infer) == expected


def test_unchanged() -> None:
    """A text that says all that is wanted stays the very same."""
    assert retarget_text(TEXT, "", "", infer) is TEXT
    assert retarget_text(TEXT, "old", "e-said", infer) is TEXT


def test_another_target() -> None:
    """The new lines stand before all; the old ones leave empty lines."""
    text = retarget_text(TEXT, "new", "e-asked", infer)
    assert text == (
        b'target triple = "new" target datalayout = "e-asked" ; target triple = "comment"\n'
        b"\n\n@x = global i32 0\n"
    )
    assert text.count(b"\n") == TEXT.count(b"\n")


def test_layout_alone() -> None:
    """A text without a triple can have a layout."""
    assert retarget_text(b"@x = global i32 0", "", "e-asked", infer) == (
        b'target datalayout = "e-asked" @x = global i32 0'
    )
