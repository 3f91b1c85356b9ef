"""The numbers by which summaries know global values and type identifiers."""

from __future__ import annotations

import hashlib

from typemeta.summary.records import CfiFunction


def guid(name: str) -> int:
    """Returns the GUID of a type identifier, or of a global value with external linkage; 64 bits.

    It is `GlobalValue::getGUIDAssumingExternalLinkage`: the first 8 bytes of the name's MD5, little endian.
    """
    digest = hashlib.md5(name.encode("utf-8", "surrogateescape"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little")


def function_guid(name: str) -> int:
    r"""Returns the GUID of a function that other modules can name.

    Args:
        name: as in the module; a leading `\1`, which keeps the mangler away, does not count.
    """
    return guid(name.removeprefix("\x01"))


def cfi_function(name: str) -> CfiFunction:
    """Returns the entry of a function in `cfi_function_defs` or `cfi_function_decls`."""
    return CfiFunction(name, function_guid(name))
