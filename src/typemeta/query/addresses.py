"""Addresses as people write them: `@_ZTV1A+16`, `@f`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ADDRESS: Final = re.compile(
    r'@(?:"(?P<quoted>[^"]+)"|(?P<plain>[^+"][^+]*))(?:\+(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<decimal>\d+)))?'
)


@dataclass(frozen=True, slots=True)
class NamedAddress:
    """A byte offset from the start of a global known by name."""

    name: str
    offset: int

    def __str__(self) -> str:
        name = f'"{self.name}"' if "+" in self.name else self.name
        return f"@{name}+{self.offset}" if self.offset else f"@{name}"


def parse_address(text: str) -> NamedAddress:
    """Reads `@NAME`, `@NAME+16`, `@NAME+0x10`; a name that holds `+` is quoted: `@"a+b"+16`.

    Raises:
        ValueError: the text is no address.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no address; write @NAME or @NAME+OFFSET, such as @_ZTV1A+16")
    offset = int(match["hex"], 16) if match["hex"] else int(match["decimal"] or "0")
    return NamedAddress(match["quoted"] or match["plain"], offset)
