"""LLVM's module summary as far as type metadata needs it. Pure data; nothing here loads LLVM.

`typemeta.summary.read` and `typemeta.summary.write` turn YAML into it and back. They are not imported here:
who only lowers needs no PyYAML, which takes 15 ms to load.
"""

from typemeta.summary.guid import cfi_function, function_guid, guid
from typemeta.summary.liveness import (
    address_taken_guids,
    has_exported_definition,
    is_address_taken,
    is_guid_live,
    live_type_tests,
)
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
]
