"""The type model as JSON-ready data (`show --json`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from typemeta.model.records import GlobalIndex, SiteKind, TypeIndex
from typemeta.model.table import TypeModel

SCHEMA: Final = "typemeta.show/1"


def describe_model(model: TypeModel, *, inputs: Sequence[str], llvm: str) -> dict[str, Any]:
    """Returns all of a model's facts.

    Args:
        model: the model.
        inputs: what it was read from, as the user named it.
        llvm: version of the LLVM that read it.
    """
    return {
        "schema": SCHEMA,
        "inputs": list(inputs),
        "triple": model.triple,
        "llvm": llvm,
        "flags": dict(model.flags),
        "types": _types(model),
        "globals": [_global(model, GlobalIndex(index)) for index in range(len(model.globals))],
    }


def _types(model: TypeModel) -> list[dict[str, Any]]:
    tests = model.site_counts(SiteKind.TYPE_TEST).tolist()
    public = model.site_counts(SiteKind.PUBLIC_TYPE_TEST).tolist()
    loads = model.site_counts(SiteKind.CHECKED_LOAD) + model.site_counts(SiteKind.CHECKED_LOAD_RELATIVE)
    return [
        {
            "id": type_.id,
            "distinct": type_.distinct,
            "members": _members(model, TypeIndex(index)),
            "type_tests": tests[index],
            "checked_loads": int(loads[index]),
            "public_type_tests": public[index],
        }
        for index, type_ in enumerate(model.types)
    ]


def _members(model: TypeModel, type_: TypeIndex) -> list[dict[str, Any]]:
    """Returns a set's members by name of the global, then offset; duplicates once."""
    rows = model.rows_of_type(type_)
    pairs = set(zip(model.member_global[rows].tolist(), model.member_offset[rows].tolist(), strict=True))
    named = sorted((model.globals[global_].name, offset) for global_, offset in pairs)
    return [{"global": name, "offset": offset} for name, offset in named]


def _global(model: TypeModel, global_: GlobalIndex) -> dict[str, Any]:
    record = model.globals[global_]
    rows = model.rows_of_global(global_)
    types, offsets = model.member_type[rows].tolist(), model.member_offset[rows].tolist()
    return {
        "name": record.name,
        "kind": record.kind.value,
        "declaration": record.declaration,
        "size": record.size,
        "linkage": record.linkage,
        "vcall_visibility": record.vcall_visibility.value,
        "types": [
            {"id": model.types[type_].id, "offset": offset}
            for type_, offset in zip(types, offsets, strict=True)
        ],
    }
