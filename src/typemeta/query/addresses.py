"""Addresses as people write them: `@_ZTV1A+16`, `@f`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ADDRESS: Final = re.compile(
    r'@(?:"(?P<quoted>[^"]+)"|(?P<plain>[^+]+))(?:\+(?P<offset>0[xX][0-9a-fA-F]+|\d+))?'
)


@dataclass(frozen=True, slots=True)
class NamedAddress:
    """A byte offset from the start of a global known by name."""

    name: str
    offset: int

    def __str__(self) -> str:
        return f"@{self.name}+{self.offset}" if self.offset else f"@{self.name}"


def parse_address(text: str) -> NamedAddress:
    """Reads `@NAME`, `@NAME+16`, `@NAME+0x10`; a name that holds `+` is quoted: `@"a+b"+16`.

    Raises:
        ValueError: the text is no address.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no address; write @NAME or @NAME+OFFSET, such as @_ZTV1A+16")
    return NamedAddress(match["quoted"] or match["plain"], int(match["offset"] or "0", 0))
