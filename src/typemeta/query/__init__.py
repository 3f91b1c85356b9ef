"""Questions on a TypeModel, answered without LLVM."""

from typemeta.query.addresses import NamedAddress, parse_address
from typemeta.query.membership import (
    UnknownNameError,
    contains,
    find_global,
    find_type,
    members_of,
    types_of,
)

__all__ = [
    "NamedAddress",
    "UnknownNameError",
    "contains",
    "find_global",
    "find_type",
    "members_of",
    "parse_address",
    "types_of",
]
