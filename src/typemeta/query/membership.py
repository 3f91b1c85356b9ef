"""Questions on sets of addresses: is it in, what is in, in what is it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import numpy as np

from typemeta.errors import TypemetaError
from typemeta.model import Address, GlobalIndex, TypeIndex, TypeModel


class UnknownNameError(TypemetaError):
    """A question names a type identifier or global that the module does not have."""


def find_type(model: TypeModel, name: str) -> TypeIndex:
    """Returns the type identifier shown as `name`.

    Raises:
        UnknownNameError: there is none; the message offers similar names.
    """
    found = model.type_index.get(name)
    if found is None:
        raise UnknownNameError(f"no type identifier {name}{_similar(name, list(model.type_index))}")
    return found


def find_global(model: TypeModel, name: str) -> GlobalIndex:
    """Returns the global with type metadata called `name`, without `@`.

    Raises:
        UnknownNameError: there is none; the message offers similar names.
    """
    found = model.global_index.get(name)
    if found is None:
        similar = _similar(name, list(model.global_index))
        raise UnknownNameError(f"no global @{name} with type metadata{similar}")
    return found


def contains(model: TypeModel, type_: TypeIndex, global_: GlobalIndex, offset: int) -> bool:
    """Tells whether the address `global_ + offset` is in a type identifier's set."""
    rows = model.rows_of_type(type_)
    wanted = np.uint64(offset & 0xFFFFFFFFFFFFFFFF)
    return bool(np.any((model.member_global[rows] == global_) & (model.member_offset[rows] == wanted)))


def members_of(model: TypeModel, type_: TypeIndex) -> list[Address]:
    """Returns the set of a type identifier, each address once, by global's name and offset."""
    rows = model.rows_of_type(type_)
    pairs = set(zip(model.member_global[rows].tolist(), model.member_offset[rows].tolist(), strict=True))
    return [
        Address(GlobalIndex(global_), offset)
        for global_, offset in sorted(pairs, key=lambda pair: (model.globals[pair[0]].name, pair))
    ]


def types_of(model: TypeModel, global_: GlobalIndex) -> Iterator[tuple[int, TypeIndex]]:
    """Yields (offset, type identifier) of the memberships of a global, in source order."""
    rows = model.rows_of_global(global_)
    for offset, type_ in zip(
        model.member_offset[rows].tolist(), model.member_type[rows].tolist(), strict=True
    ):
        yield offset, TypeIndex(type_)


def _similar(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
