"""Type models for tests, made by hand: no LLVM, milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from typemeta.model import (
    Address,
    GlobalIndex,
    GlobalKind,
    GlobalRecord,
    SiteKind,
    TypeIdentifier,
    TypeModel,
    VCallVisibility,
)

_RECORD = GlobalRecord(
    name="",
    kind=GlobalKind.VARIABLE,
    declaration=False,
    size=8,
    alignment=8,
    linkage="external",
    visibility="default",
    section="",
    comdat=False,
    constant=True,
    thread_local=False,
    address_taken=True,
    canonical=False,
    vcall_visibility=VCallVisibility.PUBLIC,
)


def variable(name: str, size: int = 8, alignment: int = 8, **changes: Any) -> GlobalRecord:
    """Returns a constant variable, defined here, with changes."""
    return replace(_RECORD, name=name, size=size, alignment=alignment, **changes)


def function(name: str, **changes: Any) -> GlobalRecord:
    """Returns a function, defined here, its address taken and its name canonical, with changes."""
    facts: dict[str, Any] = {
        "kind": GlobalKind.FUNCTION,
        "size": 0,
        "alignment": 1,
        "constant": False,
        "canonical": True,
    }
    return replace(_RECORD, name=name, **{**facts, **changes})


@dataclass(frozen=True)
class Site:
    """A call of a type intrinsic.

    Attributes:
        type: the type identifier.
        kind: the intrinsic.
        assumed: True if its result only feeds `llvm.assume`.
        known: the only addresses that its pointer can hold, (global, offset); None if unknown.
    """

    type: str
    kind: SiteKind = SiteKind.TYPE_TEST
    assumed: bool = False
    known: tuple[tuple[str, int], ...] | None = None


def build_model(
    globals_: Sequence[GlobalRecord],
    members: Iterable[tuple[str, str, int]] = (),
    sites: Iterable[str | Site] = (),
    *,
    triple: str = "x86_64-unknown-linux-gnu",
    pointer_bits: int = 64,
    flags: Mapping[str, int | None] | None = None,
) -> TypeModel:
    """Returns a model.

    Args:
        globals_: the globals, in the order of the model.
        members: (type identifier, global, offset) of each membership, sorted by global as LLVM has them;
            an identifier that begins with `!` is a distinct node.
        sites: call sites; a name alone is a type test of it.
        triple: target triple.
        pointer_bits: width of a pointer.
        flags: module flags.
    """
    index = {record.name: number for number, record in enumerate(globals_)}
    rows = sorted(members, key=lambda row: index[row[1]])  # stable: source order within a global
    calls = [Site(site) if isinstance(site, str) else site for site in sites]
    names = list(dict.fromkeys([*(row[0] for row in rows), *(call.type for call in calls)]))
    return TypeModel(
        triple=triple,
        pointer_bits=pointer_bits,
        flags=flags or {},
        types=tuple(TypeIdentifier(name, name.startswith("!")) for name in names),
        globals=tuple(globals_),
        member_global=np.array([index[row[1]] for row in rows], np.int64),
        member_type=np.array([names.index(row[0]) for row in rows], np.int64),
        member_offset=np.array([row[2] % 2**64 for row in rows], np.uint64),
        site_kind=np.array([call.kind for call in calls], np.int64),
        site_type=np.array([names.index(call.type) for call in calls], np.int64),
        site_assumed=np.array([call.assumed for call in calls], np.bool_),
        site_known={
            number: tuple(Address(GlobalIndex(index[name]), offset) for name, offset in call.known)
            for number, call in enumerate(calls)
            if call.known is not None
        },
    )
