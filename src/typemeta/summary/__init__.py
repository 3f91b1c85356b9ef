"""LLVM's module summary as far as type metadata needs it. Pure data; nothing here loads LLVM."""

from typemeta.summary.guid import cfi_function, function_guid, guid
from typemeta.summary.liveness import (
    address_taken_guids,
    has_exported_definition,
    is_address_taken,
    is_guid_live,
    live_type_tests,
)
from typemeta.summary.read import read_summary
from typemeta.summary.records import (
    ByArgKind,
    ByArgResolution,
    CfiFunction,
    ConstVCall,
    GlobalValueSummary,
    ModuleSummary,
    ResolutionKind,
    TypeIdSummary,
    TypeTestResolution,
    VFuncId,
    WholeProgramDevirtKind,
    WholeProgramDevirtResolution,
)
from typemeta.summary.write import write_summary

__all__ = [
    "ByArgKind",
    "ByArgResolution",
    "CfiFunction",
    "ConstVCall",
    "GlobalValueSummary",
    "ModuleSummary",
    "ResolutionKind",
    "TypeIdSummary",
    "TypeTestResolution",
    "VFuncId",
    "WholeProgramDevirtKind",
    "WholeProgramDevirtResolution",
    "address_taken_guids",
    "cfi_function",
    "function_guid",
    "guid",
    "has_exported_definition",
    "is_address_taken",
    "is_guid_live",
    "live_type_tests",
    "read_summary",
    "write_summary",
]
