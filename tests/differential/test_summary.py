"""Summaries in YAML are those that `opt` reads and writes, and mean to typemeta what they mean to LLVM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.property.strategies import law
from tests.summary.strategies import summaries
from typemeta.summary import (
    GlobalValueSummary,
    ModuleSummary,
    TypeIdSummary,
    address_taken_guids,
    cfi_function,
    guid,
    has_exported_definition,
    is_address_taken,
    is_guid_live,
    live_type_tests,
)
from typemeta.summary.read import read_summary
from typemeta.summary.write import write_summary

OPT: Final = Path(sys.executable).parent / "opt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder for the summaries of this module's examples, one after the other."""
    return tmp_path_factory.mktemp("summaries")


def through_opt(summary: str, folder: Path, *, action: str, module: str = "") -> str:
    """Returns the summary that `opt` writes after it has read one and lowered a module with it."""
    source, result = folder / "in.yaml", folder / "out.yaml"
    source.write_bytes(summary.encode())
    options = {"summary-action": action, "read-summary": source, "write-summary": result}
    command: list[str | Path] = [OPT, "-disable-output", "-passes=lowertypetests"]
    command += [f"-lowertypetests-{name}={value}" for name, value in options.items()]
    subprocess.run(command, input=module, text=True, check=True, capture_output=True)
    return result.read_bytes().decode()


_LETTERS: Final = [
    *map(chr, range(256)),
    *"\u0301\u200b\u2028\u2029\ud7ff\ue000\ufeff\uffff\U0001f600\U0010ffff",
]

EVERY_LETTER: Final = ModuleSummary(
    type_ids={name: TypeIdSummary() for letter in _LETTERS for name in (letter, f"a{letter}b")},
    cfi_function_decls={cfi_function(f"{letter}b") for letter in _LETTERS},
)


@law(30)
@example(EVERY_LETTER)
@given(summaries)
def test_summaries_are_written_as_opt_writes_them(folder: Path, summary: ModuleSummary) -> None:
    """What `opt` makes of our text is our text, byte for byte."""
    once = through_opt(write_summary(summary), folder, action="import")
    assert write_summary(read_summary(once, "out.yaml")) == once
    assert write_summary(summary) == once


def test_every_form_of_number_and_truth_value_means_the_same(folder: Path) -> None:
    """Numbers in four bases, words for yes and no, and keys that are missing."""
    text = """
    GlobalValueMap:
      0x2A: [ { Live: y, Local: On, Refs: [ 0b11, 0o17, 017, 0X1f, '12' ] }, {} ]
      7: [ { Live: OFF, TypeTestAssumeConstVCalls: [ {}, { Args: [] } ] }, { Aliasee: 42, Refs: [ 1 ] } ]
      8: [ { Aliasee: 9 } ]
      10:
    TypeIdMap:
      a:
      b: { TTRes: , WPDRes: { 010: , 0x10: { ResByArg: { '2,': {}, '0x1,2': {}, '': {} } } } }
    """
    expected = through_opt(text, folder, action="import")
    assert write_summary(read_summary(text, "in.yaml")) == expected


FUNCTIONS: Final = tuple(f"f{number}" for number in range(6))
"""Functions of `cfi.functions`; those of even number are defined, the others declared."""

TYPES: Final = tuple(f"t{number}" for number in range(4))

_GUIDS: Final = (*map(guid, FUNCTIONS), 1, 2**64 - 1)


def exporting_module(cross_dso: bool) -> str:
    """Returns a regular LTO module that knows FUNCTIONS, and has one variable of each of TYPES."""
    variables = [
        f"@v_{name} = constant i64 0, !type !{{i64 0, !{name!r}}}".replace("'", '"') for name in TYPES
    ]
    functions = [f'!{{!"{name}", i8 {number % 2}, !0}}' for number, name in enumerate(FUNCTIONS)]
    nodes = [f"!{number} = {node}" for number, node in enumerate(functions, 2)]
    return "\n".join(
        [
            *('target datalayout = "e-p:64:64"', 'target triple = "x86_64-unknown-linux-gnu"', *variables),
            "define i1 @tested(ptr %p) {",
            '  %x = call i1 @llvm.type.test(ptr %p, metadata !"f")',
            *("  ret i1 %x", "}", "declare i1 @llvm.type.test(ptr, metadata)"),
            *('!0 = !{i64 0, !"f"}', '!1 = !{i32 4, !"Cross-DSO CFI", i32 1}', *nodes),
            f"!cfi.functions = !{{{', '.join(f'!{number}' for number in range(2, 2 + len(functions)))}}}",
            *(["!llvm.module.flags = !{!1}"] if cross_dso else []),
        ]
    )


@st.composite
def linked(draw: st.DrawFn) -> ModuleSummary:
    """Draws a summary of functions and aliases; each alias, as in a link, stands for something known."""
    functions = st.builds(
        GlobalValueSummary,
        linkage=st.sampled_from((0, 5, 7)),
        live=st.booleans(),
        refs=st.lists(st.sampled_from(_GUIDS), max_size=2),
        type_tests=st.lists(st.sampled_from(TYPES).map(guid), max_size=2),
    )
    known = draw(st.lists(st.sampled_from(_GUIDS), min_size=1, unique=True))
    aliases = st.builds(GlobalValueSummary, live=st.booleans(), aliasee=st.sampled_from(known))
    copies = st.lists(functions | functions | aliases, min_size=1, max_size=2)
    return ModuleSummary(
        global_values={number: draw(copies) for number in known},
        with_global_value_dead_stripping=draw(st.booleans()),
    )


@law(60)
@given(linked(), st.booleans())
def test_the_same_is_live_exported_and_tested(folder: Path, summary: ModuleSummary, cross_dso: bool) -> None:
    """`opt` exports the types that live functions test, and the functions whose addresses are taken."""
    text = through_opt(write_summary(summary), folder, action="export", module=exporting_module(cross_dso))
    result = read_summary(text, "out.yaml")

    taken = address_taken_guids(summary)
    exported = {
        name
        for number, name in enumerate(FUNCTIONS)
        if is_guid_live(summary, guid(name))
        and (
            is_address_taken(summary, guid(name), taken)
            or (cross_dso and number % 2 == 0 and has_exported_definition(summary, guid(name)))
        )
    }
    assert set(result.type_ids) == {name for name in TYPES if guid(name) in live_type_tests(summary)}
    assert result.cfi_function_defs == {cfi_function(name) for name in exported & set(FUNCTIONS[::2])}
    assert result.cfi_function_decls == {cfi_function(name) for name in exported & set(FUNCTIONS[1::2])}
