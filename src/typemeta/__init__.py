"""LLVM's type metadata system as a Python library.

    import typemeta

    module = typemeta.read_module(["program.bc"])
    model = typemeta.TypeModel.read(module)
    typemeta.lower_module(module)

Names are loaded when first used, so that pure parts do not load LLVM and a start costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typemeta.cross_dso.cfi_check import build_cfi_check as build_cfi_check
    from typemeta.cross_dso.identifiers import hash_identifier as hash_identifier
    from typemeta.errors import InputError as InputError
    from typemeta.errors import LinkError as LinkError
    from typemeta.errors import LLVMError as LLVMError
    from typemeta.errors import MetadataError as MetadataError
    from typemeta.errors import PlanError as PlanError
    from typemeta.errors import StaleHandleError as StaleHandleError
    from typemeta.errors import TypemetaError as TypemetaError
    from typemeta.execute import run_function as run_function
    from typemeta.llvm.context import Context as Context
    from typemeta.llvm.module import Module as Module
    from typemeta.llvm.passes import run_passes as run_passes
    from typemeta.llvm.reading import read_module as read_module
    from typemeta.llvm.target import adopt_host_target as adopt_host_target
    from typemeta.llvm.writing import OutputKind as OutputKind
    from typemeta.llvm.writing import write_module as write_module
    from typemeta.lower.apply import apply_lowering as apply_lowering
    from typemeta.lower.pipeline import lower_module as lower_module
    from typemeta.lower.plan import LowerPlan as LowerPlan
    from typemeta.lower.plan import plan_lowering as plan_lowering
    from typemeta.lower.report import report_lowering as report_lowering
    from typemeta.model import TypeModel as TypeModel
    from typemeta.model.read import read_type_model as read_type_model
    from typemeta.query import contains as contains
    from typemeta.query import find_type as find_type
    from typemeta.query import members_of as members_of
    from typemeta.query import types_of as types_of

__version__ = "0.1.0"

_HOMES = {
    "Context": "llvm.context",
    "InputError": "errors",
    "LLVMError": "errors",
    "LinkError": "errors",
    "LowerPlan": "lower.plan",
    "MetadataError": "errors",
    "Module": "llvm.module",
    "OutputKind": "llvm.writing",
    "PlanError": "errors",
    "StaleHandleError": "errors",
    "TypeModel": "model",
    "TypemetaError": "errors",
    "adopt_host_target": "llvm.target",
    "apply_lowering": "lower.apply",
    "build_cfi_check": "cross_dso.cfi_check",
    "contains": "query",
    "find_type": "query",
    "hash_identifier": "cross_dso.identifiers",
    "lower_module": "lower.pipeline",
    "members_of": "query",
    "plan_lowering": "lower.plan",
    "read_module": "llvm.reading",
    "read_type_model": "model.read",
    "report_lowering": "lower.report",
    "run_function": "execute",
    "run_passes": "llvm.passes",
    "types_of": "query",
    "write_module": "llvm.writing",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'typemeta' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"typemeta.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
