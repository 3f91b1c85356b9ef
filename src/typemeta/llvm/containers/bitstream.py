"""Takes bitcode apart into modules, one per piece that LLVM's parser reads by itself.

Only the frame of the bitstream is read, eight bytes per top-level block. A file of two modules, as
`clang -flto=thin -fsplit-lto-unit` and `llvm-cat -b` write it, and the two pieces made of it:

    BC C0DE  IDENTIFICATION MODULE  IDENTIFICATION MODULE  SYMTAB  STRTAB
    BC C0DE  IDENTIFICATION MODULE  STRTAB
    BC C0DE  IDENTIFICATION MODULE  STRTAB

An identification block stays right before its module, since function offsets in the module count from
there. LLVM's C API parses the first module of such a file only, hence this split.

Source: LLVM's BitCodeFormat document, and `getBitcodeFileContents` of its BitcodeReader for the string
table (it serves every module before it that has none yet) and for bytes after the last block.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final

from typemeta.errors import InputError

BITCODE_MAGIC: Final = b"BC\xc0\xde"
WRAPPER_MAGIC: Final = b"\xde\xc0\x17\x0b"

_MODULE: Final = 8
_IDENTIFICATION: Final = 13
_STRTAB: Final = 23
_BLOCK_NAMES: Final = {_MODULE: "module", _IDENTIFICATION: "identification", _STRTAB: "string table"}
_ENTER_SUBBLOCK: Final = 1
_HEADER_BYTES: Final = 8
_UNUSED_BITS: Final = ~0x1DFF & 0xFFFFFFFF
"""Bits of a block's first word that no writer sets: both VBR continuation bits and the padding."""

_ZEROS: Final = re.compile(rb"\0*+")
_MAX_GROWTH: Final = 16
"""Modules that share a string table each get a copy of it; all copies may take this many times the file."""


@dataclass(slots=True)
class _Span:
    """Where a module, and the string table that serves it, lie in the data."""

    start: int
    end: int
    strtab: tuple[int, int] | None = None


def split_modules(data: memoryview, name: str) -> list[bytes | memoryview]:
    """Returns every module in bitcode, in file order, each a complete bitcode file.

    Args:
        data: bitcode with or without a wrapper; several bitcode files one after the other, with zeros
            between and behind them, are allowed (`ld -r` makes such sections).
        name: shown in messages.

    Returns:
        Views of `data` where a bitcode file holds one module, new bytes where it holds more. Empty if
        `data` is empty or all zeros. O(size of `data`) plus the copies, which are bounded.

    Raises:
        InputError: it is truncated or malformed, or has bytes that are no bitcode.
    """
    modules: list[bytes | memoryview] = []
    position = _skip_zeros(data, 0)
    while position < len(data):
        if _has_at(data, position, WRAPPER_MAGIC):
            position = _skip_wrapper(data, position, name)
        if not _has_at(data, position, BITCODE_MAGIC):
            if modules and len(data) - position < _HEADER_BYTES:
                break  # what an archiver pads with; LLVM ignores as much
            raise InputError(f"has bytes that are no bitcode at offset {position}; build it again", path=name)
        spans, end = _read_spans(data, position, name)
        modules += _cut(data, position, end, spans, name)
        position = _skip_zeros(data, end)
    return modules


def _has_at(data: memoryview, position: int, magic: bytes) -> bool:
    return bytes(data[position : position + len(magic)]) == magic


def _skip_zeros(data: memoryview, position: int) -> int:
    match = _ZEROS.match(data, position)
    assert match is not None  # it matches the empty string
    return match.end()


def _skip_wrapper(data: memoryview, position: int, name: str) -> int:
    """Returns where the bitcode in a wrapper starts (magic, version, offset, size, CPU type)."""
    header = data[position : position + 20]
    if len(header) < 20:
        raise InputError("is truncated: it ends in the bitcode wrapper's header; build it again", path=name)
    _, _, offset, size, _ = struct.unpack("<5I", header)
    missing = position + offset + size - len(data)
    if missing > 0:
        raise InputError(
            f"is truncated: its bitcode wrapper promises {missing} bytes more; build it again", path=name
        )
    start = position + int(offset)
    if not _has_at(data, start, BITCODE_MAGIC):
        raise InputError("is a bitcode wrapper without bitcode; build it again", path=name)
    return start


def _read_spans(data: memoryview, start: int, name: str) -> tuple[list[_Span], int]:
    """Walks the top-level blocks of one bitstream; returns its modules and where its last block ends."""
    spans: list[_Span] = []
    identification: int | None = None
    position = start + len(BITCODE_MAGIC)
    while position < len(data) and data[position] & 3 == _ENTER_SUBBLOCK:
        block, end = _read_block(data, position, name)
        if block == _IDENTIFICATION:
            identification = position
        elif block == _MODULE:
            spans.append(_Span(position if identification is None else identification, end))
            identification = None
        elif block == _STRTAB:
            _serve(spans, (position, end))
        position = end
    return spans, position


def _read_block(data: memoryview, position: int, name: str) -> tuple[int, int]:
    """Returns a block's number and its end.

    Abbreviation id (2 bits), block number (VBR8), width of its abbreviations (VBR4), padding to 32 bits;
    then the length in words.
    """
    header = data[position : position + _HEADER_BYTES]
    if len(header) < _HEADER_BYTES:
        raise InputError(
            f"is truncated: it ends in the header of the block at offset {position}; build it again",
            path=name,
        )
    word, words = struct.unpack("<II", header)
    if word & _UNUSED_BITS:
        raise InputError(f"is malformed bitcode: bad block header at offset {position}", path=name)
    block = int(word >> 2 & 0x7F)
    end = position + _HEADER_BYTES + 4 * int(words)
    if end > len(data):
        kind = _BLOCK_NAMES.get(block, f"number {block}")
        raise InputError(
            f"is truncated: the block ({kind}) at offset {position} runs {end - len(data)} bytes past the "
            "end; build it again",
            path=name,
        )
    return block, end


def _serve(spans: list[_Span], strtab: tuple[int, int]) -> None:
    """Gives a string table to the modules before it that have none."""
    for span in reversed(spans):
        if span.strtab is not None:
            break
        span.strtab = strtab


def _cut(data: memoryview, start: int, end: int, spans: list[_Span], name: str) -> list[bytes | memoryview]:
    """Makes one bitcode file per module of the bitstream at data[start:end]."""
    if not spans:
        raise InputError("is bitcode without a module; build it again", path=name)
    if len(spans) == 1:
        return [data[start:end]]
    copied = sum(span.strtab[1] - span.strtab[0] for span in spans if span.strtab)
    if copied > _MAX_GROWTH * (end - start):
        raise InputError(
            f"holds {len(spans)} modules that share a large string table; give the files it was made of",
            path=name,
        )
    return [_join(data, span) for span in spans]


def _join(data: memoryview, span: _Span) -> bytes:
    strtab_start, strtab_end = span.strtab or (0, 0)
    return b"".join((BITCODE_MAGIC, data[span.start : span.end], data[strtab_start:strtab_end]))
