"""Reads back from a lowered module what was decided: layouts, and what the code of each test compares with.

Works on what LLVM's pass leaves behind as on what typemeta does. The tests must be plain: one test in a
function, which returns its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from typemeta.llvm.calls import known_addresses
from typemeta.llvm.module import Module
from typemeta.lower.plan import ResolutionKind

_TEST: Final = re.compile(
    r"^define i1 @test\.(\d+)\(ptr %p\) (?:#\d+ )?\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
_ADDRESS: Final = r"(?:getelementptr \(i8, ptr (?P<base>@[\w.]+), i64 (?P<offset>-?\d+)\)|(?P<alone>@[\w.]+))"
_LAST: Final = re.compile(rf"ptrtoint \(ptr {_ADDRESS} to i64\)")
_ROTATION: Final = re.compile(r"call i64 @llvm\.fshr\.i64\(i64 %\w+, i64 %\w+, i64 (\d+)\)")
_SIZE_M1: Final = re.compile(r"icmp ule i64 %\w+, (\d+)")
_SHIFT: Final = re.compile(r"shl i(32|64) 1, %\w+")
_BITS: Final = re.compile(r"and i(?:32|64) (?:(-?\d+), (%\w+)|(%\w+), (-?\d+))\n")
_BYTE: Final = re.compile(rf"getelementptr i8, ptr {_ADDRESS}, i64 %\w+")
_MASK: Final = re.compile(r"and i8 %\w+, (?:(-?\d+)|ptrtoint \(ptr inttoptr \(i8 (-?\d+) to ptr\) to i8\))\n")
_BYTES: Final = re.compile(r'constant \[\d+ x i8\] c"([^"]*)"')
_ESCAPE: Final = re.compile(rb"\\([0-9A-F]{2})")


@dataclass(frozen=True, slots=True)
class Region:
    """A combined global or a jump table: (offset, name) of its members, in order."""

    members: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class TestCode:
    """What the code of a test says.

    Attributes:
        kind: of its resolution.
        region: where its members are, None for `unsat`.
        last: byte offset of the last member in the region.
        align_log2: the rotation; 0 for `single`, which has none.
        size_m1: number of places minus one.
        width: bits of the integer that holds the bits, 0 if none does.
        mask: the bits, the last member's first; all ones for `single` and `allOnes`.
    """

    __test__ = False  # not for pytest

    kind: ResolutionKind
    region: Region | None = None
    last: int = 0
    align_log2: int = 0
    size_m1: int = 0
    width: int = 0
    mask: int = 0


@dataclass(frozen=True, slots=True)
class BytePlace:
    """Where a `byteArray` test looks: the byte of the last member, and the bit in it."""

    offset: int
    mask: int


class LoweredCode:
    """A lowered module, read back."""

    def __init__(self, module: Module, names: Iterable[str]) -> None:
        """Reads a module.

        Args:
            module: the module.
            names: the globals that may have been laid out.
        """
        self._module = module
        self._text = module.print()
        self.regions = self._read_regions(names)
        self.places: dict[int, BytePlace] = {}
        self.byte_array = b""
        self.tests = {
            int(number): self._read_test(int(number), body) for number, body in _TEST.findall(self._text)
        }

    def _read_regions(self, names: Iterable[str]) -> dict[str, Region]:
        """Finds the aliases that stand where members were, by what they are aliases of."""
        module, c = self._module, self._module.c
        members: dict[int, list[tuple[int, str]]] = {}
        for name in names:
            for symbol in (name, f"{name}.cfi_jt"):
                value = module.find(symbol)
                if value is None or not c.LLVMIsAGlobalAlias(value.ref):
                    continue
                known = known_addresses(module, c.LLVMAliasGetAliasee(value.ref))
                assert known is not None
                ((base, offset),) = known
                members.setdefault(base, []).append((offset, name))
        return {self._token(base): Region(tuple(sorted(listed))) for base, listed in members.items()}

    def _token(self, ref: int) -> str:
        """Returns how the text names a global."""
        text = self._module.library.take_message(self._module.c.LLVMPrintValueToString(ref))
        found = re.search(r"@[\w.]+", text)
        assert found is not None
        return found[0]

    def _read_test(self, number: int, body: str) -> TestCode:
        if re.fullmatch(r"\s*ret i1 false\s*", body):
            return TestCode(ResolutionKind.UNSAT)
        region, last = self._address(_only(_LAST, body))
        rotation, size = _ROTATION.search(body), _SIZE_M1.search(body)
        if rotation is None or size is None:
            assert rotation is None, body
            assert size is None, body
            assert "icmp eq i64" in body, body
            return TestCode(ResolutionKind.SINGLE, self.regions[region], last, mask=1)
        align_log2, size_m1 = int(rotation[1]), int(size[1])
        shift, byte = _SHIFT.search(body), _BYTE.search(body)
        kind, width, mask = ResolutionKind.ALL_ONES, 0, (2 << size_m1) - 1
        if shift:
            kind, width = ResolutionKind.INLINE, int(shift[1])
            mask = _inline_bits(body, width)
        elif byte:
            kind = ResolutionKind.BYTE_ARRAY
            self.places[number] = place = self._read_place(byte, body)
            mask = sum(
                bool(self.byte_array[place.offset + bit] & place.mask) << bit for bit in range(size_m1 + 1)
            )
        return TestCode(kind, self.regions[region], last, align_log2, size_m1, width, mask)

    def _read_place(self, byte: re.Match[str], body: str) -> BytePlace:
        base, offset = self._address(byte)
        found = _only(_MASK, body)
        mask = int(found[1] or found[2]) & 0xFF
        value = self._module.find(base.removeprefix("@"))  # LLVM's are aliases of an array without a name
        if value is not None and self._module.c.LLVMIsAGlobalAlias(value.ref):
            known = known_addresses(self._module, self._module.c.LLVMAliasGetAliasee(value.ref))
            assert known is not None
            base, offset = self._token(known[0][0]), offset + known[0][1]
        definition = re.search(rf"^{re.escape(base)} = .*$", self._text, re.MULTILINE)
        assert definition is not None
        self.byte_array = _contents(definition[0])
        return BytePlace(offset, mask)

    @staticmethod
    def _address(match: re.Match[str]) -> tuple[str, int]:
        return match["base"] or match["alone"], int(match["offset"] or 0)


def _only(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    (found,) = pattern.finditer(text)
    return found


def _inline_bits(body: str, width: int) -> int:
    """Returns the constant of the last `and`: the one before it keeps the shift in range."""
    *_, found = _BITS.finditer(body)
    return int(found[1] or found[4]) & ((1 << width) - 1)


def _contents(definition: str) -> bytes:
    found = _BYTES.search(definition)
    assert found is not None, definition
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), found[1].encode())
