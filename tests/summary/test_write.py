from __future__ import annotations

import pytest

from typemeta.errors import OutputError
from typemeta.summary import (
    CfiFunction,
    GlobalValueSummary,
    ModuleSummary,
    ResolutionKind,
    TypeIdSummary,
    TypeTestResolution,
    guid,
)
from typemeta.summary.write import write_summary


def test_an_empty_summary() -> None:
    """Maps are written even if empty, sequences are not."""
    assert write_summary(ModuleSummary()).splitlines() == [
        "---",
        "GlobalValueMap:  {}",
        "TypeIdMap:       {}",
        "WithGlobalValueDeadStripping: false",
        "...",
    ]


def test_kinds_have_a_capital() -> None:
    """LLVM's YAML has the words of its textual IR with a capital."""
    summary = ModuleSummary()
    for kind in ResolutionKind:
        summary.type_ids[kind] = TypeIdSummary(type_test=TypeTestResolution(kind=kind))
    written = [line.split()[1] for line in write_summary(summary).splitlines() if "Kind:" in line]
    assert set(written) == {"Unknown", "Unsat", "Single", "AllOnes", "Inline", "ByteArray"}


def test_everything_is_in_order() -> None:
    """Values by GUID, type identifiers by GUID of their names, functions by name and GUID."""
    summary = ModuleSummary(
        global_values={2**64 - 1: [GlobalValueSummary()], 5: [GlobalValueSummary()]},
        type_ids={name: TypeIdSummary() for name in ("a", "b", "c", "d")},
        cfi_function_decls={CfiFunction("g", 1), CfiFunction("f", 2), CfiFunction("f", 1)},
    )
    lines = [line.strip() for line in write_summary(summary).splitlines()]
    assert lines.index("5:") < lines.index(f"{2**64 - 1}:")
    assert [line[0] for line in lines if line in ("a:", "b:", "c:", "d:")] == sorted("abcd", key=guid)
    names = [line.split()[-1] for line in lines[lines.index("CfiFunctionDecls:") + 1 : -1]]
    assert names == ["f", "1", "f", "2", "g", "1"]


def test_an_alias_is_its_flags_and_what_it_stands_for() -> None:
    """And one of a value without summary is left out, as is a value that has no copies then."""
    values = {
        1: [GlobalValueSummary()],
        2: [GlobalValueSummary(live=True, aliasee=1)],
        3: [GlobalValueSummary(aliasee=9)],
        4: [],
    }
    text = write_summary(ModuleSummary(global_values=values))
    assert "      Aliasee:         1\nTypeIdMap" in text
    assert text.count("Linkage") == 2
    assert "\n  3:" not in text
    assert "\n  4:" not in text


def test_names_that_are_no_text_are_refused() -> None:
    """YAML cannot hold them; LLVM would write another name."""
    name = b"caf\xe9".decode(errors="surrogateescape")
    with pytest.raises(
        OutputError, match=r"^the name 'caf.udce9' is not UTF-8 text, so a summary in YAML cannot hold it$"
    ):
        write_summary(ModuleSummary(type_ids={name: TypeIdSummary()}))
    with pytest.raises(OutputError, match="is not UTF-8 text"):
        write_summary(ModuleSummary(cfi_function_defs={CfiFunction(name, 1)}))
