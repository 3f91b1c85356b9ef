"""Names, sections, sizes and alignments of globals."""

from __future__ import annotations

import pytest

from tests.ir import I386, X86_64, handle, parse
from typemeta.llvm.variables import abi_alignment, global_name, section_name, value_size


@pytest.mark.parametrize(
    ("name", "shown"),
    [("plain", "@plain"), ('"a b"', "@a b"), ('"caf\\C3\\A9"', "@café"), ('"\\FF"', "@\ufffd"), ("0", "@")],
)
def test_names(name: str, shown: str) -> None:
    """A name is shown with its @, bytes that are no UTF-8 replaced; a numbered global is @ alone."""
    module = parse(f"@{name} = global i8 0\n")
    (value,) = module.variables()
    assert global_name(module, value.ref) == shown


def test_sections() -> None:
    """An explicit section is its text, none is empty."""
    module = parse('@a = global i8 0, section ".data.x"\n@b = global i8 0\n')
    assert section_name(module, handle(module, "a")) == ".data.x"
    assert section_name(module, handle(module, "b")) == ""


@pytest.mark.parametrize(
    ("type_", "on_x86_64", "on_i386"),
    [
        ("i1", (1, 1), (1, 1)),
        ("i64", (8, 8), (8, 4)),
        ("ptr", (8, 8), (4, 4)),
        ("{ ptr, i8 }", (16, 8), (8, 4)),
        ("<{ ptr, i8 }>", (9, 1), (5, 1)),
        ("[3 x i16]", (6, 2), (6, 2)),
        ("{}", (0, 1), (0, 1)),
        ("[0 x ptr]", (0, 8), (0, 4)),
        ("opaque", (0, 1), (0, 1)),
    ],
)
def test_sizes_and_alignments(type_: str, on_x86_64: tuple[int, int], on_i386: tuple[int, int]) -> None:
    """Size and ABI alignment follow the data layout; an opaque type has none."""
    for header, expected in ((X86_64, on_x86_64), (I386, on_i386)):
        module = parse(f"{header}%t = type {type_}\n@x = external global %t\n")
        variable = handle(module, "x")
        assert (value_size(module, variable), abi_alignment(module, variable)) == expected
