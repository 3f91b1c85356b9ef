"""Numeric type identifiers: the names by which shared libraries know each other's sets. Pure."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_BYTES: Final = 8
_ARM_ARCHITECTURE: Final = re.compile(r"arm(eb)?(v[2-9].*)?|thumb(eb)?(v[4-9].*)?|xscale(eb)?")


def hash_identifier(name: str | bytes) -> int:
    """Returns clang's numeric identifier of a type identifier, as an unsigned 64-bit number.

    It is the first eight bytes of the MD5 digest of the whole name, suffixes such as `.generalized`
    included, little endian. LLVM prints it as a signed number.
    """
    data = name.encode() if isinstance(name, str) else name
    return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[:_BYTES], "little")


def is_arm_triple(triple: str) -> bool:
    """Tells the triples of 32-bit ARM, where LLVM makes `__cfi_check` Thumb code."""
    return _ARM_ARCHITECTURE.fullmatch(triple.partition("-")[0]) is not None
