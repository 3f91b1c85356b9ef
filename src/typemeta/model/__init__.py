"""The type model: pure records and columns. `model.read` fills it from a module.

`read` is not re-exported here: pure code that imports the records must not load LLVM.
"""

from typemeta.model.records import (
    Address,
    ArmBranches,
    GlobalIndex,
    GlobalKind,
    GlobalRecord,
    SiteIndex,
    SiteKind,
    TypeIdentifier,
    TypeIndex,
    VCallVisibility,
)
from typemeta.model.table import TypeModel

__all__ = [
    "Address",
    "ArmBranches",
    "GlobalIndex",
    "GlobalKind",
    "GlobalRecord",
    "SiteIndex",
    "SiteKind",
    "TypeIdentifier",
    "TypeIndex",
    "TypeModel",
    "VCallVisibility",
]
