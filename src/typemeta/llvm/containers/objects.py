"""Finds the sections of native object files that hold bitcode: ELF, COFF, and Mach-O.

    .llvm.lto           clang -flto -ffat-lto-objects; preferred, as lld does (--fat-lto-objects)
    .llvmbc             clang -fembed-bitcode, or an LTO link with -lto-embed-bitcode
    __LLVM,__bitcode    the same in Mach-O

Only names, offsets, and sizes of sections are read: in time linear in the headers, with every offset
checked against the file. Why no library: docs/decisions/0006-containers.md.

Source: the ELF specification (gABI), Microsoft's PE and COFF specification, Apple's `mach-o/loader.h`,
and LLVM's `IRObjectFile::findBitcodeInObject`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from typemeta.errors import InputError

_ELF_MAGIC: Final = b"\x7fELF"
_ELF_KINDS: Final = {
    2: "an ELF executable",
    3: "an ELF shared library or executable",
    4: "an ELF core file",
}
_MACHO_MAGICS: Final = {
    b"\xce\xfa\xed\xfe": ("<", False),
    b"\xcf\xfa\xed\xfe": ("<", True),
    b"\xfe\xed\xfa\xce": (">", False),
    b"\xfe\xed\xfa\xcf": (">", True),
}
_MACHO_KINDS: Final = {1: "a Mach-O object", 2: "a Mach-O executable", 6: "a Mach-O dynamic library"}
_COFF_MACHINES: Final = (0x014C, 0x8664, 0x01C0, 0x01C4, 0xAA64, 0xA641, 0xA64E)

_PREFERRED: Final = (b".llvm.lto", b".llvmbc", b"__bitcode")
_NAMES: Final = re.compile(rb"\.llvm(?:\.lto|bc)(?=\0)")
_SHT_NOBITS: Final = 8
_SHF_COMPRESSED: Final = 1 << 11
_SHN_XINDEX: Final = 0xFFFF

_Section = tuple[bytes, int, int]
"""Name, offset and size of a section that holds bitcode."""


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """What matters in a native object file.

    Attributes:
        kind: for messages, with its article ("an ELF object").
        is_linked: it is no object but what a linker made of objects.
        bitcode: contents of its bitcode sections in file order, all of one name; empty if it has none.
        is_gcc_lto: it holds GCC's intermediate code, which LLVM cannot read.
    """

    kind: str
    is_linked: bool
    bitcode: tuple[memoryview, ...]
    is_gcc_lto: bool = False


def read_object(data: memoryview, name: str) -> ObjectFile | None:
    """Reads an ELF, COFF or Mach-O file; None if it is none of them.

    Args:
        data: the whole file.
        name: shown in messages.

    Raises:
        InputError: it is truncated or malformed, or its bitcode is compressed.
    """
    magic = bytes(data[:4])
    try:
        if magic == _ELF_MAGIC:
            return _read_elf(data, name)
        if magic in _MACHO_MAGICS:
            return _read_macho(data, *_MACHO_MAGICS[magic])
        if _is_coff(data):
            return ObjectFile("a COFF object", False, _contents(data, list(_coff_sections(data))))
    except _BrokenError as error:
        message = f"is a truncated or malformed object file: {error}; build it again"
        raise InputError(message, path=name) from error
    return None


class _BrokenError(Exception):
    """A header points outside the file, or contradicts another one."""


def _unpack(form: str, data: memoryview, offset: int, what: str) -> tuple[Any, ...]:
    size = struct.calcsize(form)
    return struct.unpack(form, _slice(data, offset, size, what))


def _slice(data: memoryview, offset: int, size: int, what: str) -> memoryview:
    if offset + size > len(data):
        raise _BrokenError(f"{what} at offset {offset} runs past the end")
    return data[offset : offset + size]


def _contents(data: memoryview, sections: list[_Section]) -> tuple[memoryview, ...]:
    """Returns the contents of the sections that have the best of the names."""
    found = {section_name for section_name, _, _ in sections}
    best = next((section_name for section_name in _PREFERRED if section_name in found), None)
    chosen = [(offset, size) for section_name, offset, size in sections if section_name == best]
    if sum(size for _, size in chosen) > len(data):
        raise _BrokenError("its bitcode sections overlap or run past the end")
    return tuple(_slice(data, offset, size, "a bitcode section") for offset, size in chosen)


def _read_elf(data: memoryview, name: str) -> ObjectFile:
    ident = _slice(data, 0, 16, "the ELF header")
    order = {1: "<", 2: ">"}.get(ident[5])
    if order is None or ident[4] not in (1, 2):
        raise _BrokenError("unknown ELF class or byte order")
    is_64 = ident[4] == 2
    (file_type,) = _unpack(f"{order}H", data, 16, "the ELF header")
    names, headers = _elf_tables(data, order, is_64)
    wanted = {match.start(): match[0] for match in _NAMES.finditer(names)}
    sections = []
    if wanted:
        for header in headers:
            section_name = wanted.get(header[0])
            if section_name is None or header[1] == _SHT_NOBITS:
                continue
            if header[2] & _SHF_COMPRESSED:
                raise InputError(_compressed(section_name.decode()), path=name)
            sections.append((section_name, header[4], header[5]))
    is_gcc_lto = re.search(rb"\.gnu\.lto_", names) is not None
    kind = _ELF_KINDS.get(file_type, "an ELF object")
    return ObjectFile(kind, file_type in _ELF_KINDS, _contents(data, sections), is_gcc_lto)


def _elf_tables(data: memoryview, order: str, is_64: bool) -> tuple[memoryview, Iterator[tuple[Any, ...]]]:
    """Returns the section names and the section headers, both empty if the file has no sections.

    A header is (name, type, flags, address, offset, size, link, ...).
    """
    form = f"{order}IIQQQQIIQQ" if is_64 else f"{order}10I"
    offset_form, offset_at, counts_at = ("Q", 40, 58) if is_64 else ("I", 32, 46)
    (table_at,) = _unpack(order + offset_form, data, offset_at, "the ELF header")
    entry_size, count, names_index = _unpack(f"{order}3H", data, counts_at, "the ELF header")
    if table_at == 0:
        return data[:0], iter(())
    if entry_size != struct.calcsize(form):
        raise _BrokenError(f"section headers of {entry_size} bytes")
    # Counts that do not fit into the ELF header are in the first section header.
    first = _unpack(form, data, table_at, "the section header table")
    count = count or first[5]
    names_index = first[6] if names_index == _SHN_XINDEX else names_index
    table = _slice(data, table_at, count * entry_size, "the section header table")
    if names_index == 0:
        return data[:0], iter(())
    names = _unpack(form, table, names_index * entry_size, "the section name table's header")
    return _slice(data, names[4], names[5], "the section name table"), struct.iter_unpack(form, table)


def _compressed(section_name: str) -> str:
    return (
        f"has its bitcode compressed; decompress it with "
        f"`llvm-objcopy --compress-sections={section_name}=none`"
    )


def _is_coff(data: memoryview) -> bool:
    """Tells whether a file looks like a COFF object, which has no magic number.

    The machine is known, and there is no optional header, which only images have.
    """
    if len(data) < 20:
        return False
    machine, optional_header_bytes = struct.unpack("<H14xH", data[:18])
    return machine in _COFF_MACHINES and optional_header_bytes == 0


def _coff_sections(data: memoryview) -> Iterator[_Section]:
    """Yields the bitcode sections; names longer than 8 bytes are `/` and an offset in the string table."""
    count, symbols_at, symbols = _unpack("<2xH4xII", data, 0, "the COFF header")
    strings_at = symbols_at + 18 * symbols
    table = _slice(data, 20, 40 * count, "the section table")
    for field, size, offset in struct.iter_unpack("<8s8xII16x", table):
        section_name = field.rstrip(b"\0")
        if section_name.startswith(b"/") and section_name[1:].isdigit():
            match = _NAMES.match(data, strings_at + int(section_name[1:]))
            section_name = match[0] if match is not None else b""
        if section_name in _PREFERRED:
            yield section_name, offset, size


def _read_macho(data: memoryview, order: str, is_64: bool) -> ObjectFile:
    file_type, count, size = _unpack(f"{order}12x3I", data, 0, "the Mach-O header")
    commands = _slice(data, 32 if is_64 else 28, size, "the load command table")
    sections = list(_macho_sections(commands, count, order, is_64))
    kind = _MACHO_KINDS.get(file_type, "a linked Mach-O file")
    return ObjectFile(kind, file_type != 1, _contents(data, sections))


def _macho_sections(commands: memoryview, count: int, order: str, is_64: bool) -> Iterator[_Section]:
    """Yields the sections `__LLVM,__bitcode` of all segments."""
    segment, header_bytes, form = (0x19, 72, "16s16s8xQI28x") if is_64 else (0x1, 56, "16s16s4xII24x")
    section_bytes = struct.calcsize(order + form)
    position = 0
    for _ in range(count):
        command, size = _unpack(f"{order}II", commands, position, "a load command")
        if size < 8:
            raise _BrokenError("a load command of less than 8 bytes")
        body = _slice(commands, position, size, "a load command")
        position += size
        if command != segment:
            continue
        (sections,) = _unpack(f"{order}I", body, header_bytes - 8, "a segment's header")
        table = _slice(body, header_bytes, sections * section_bytes, "a segment's section table")
        for field, owner, section_size, offset in struct.iter_unpack(order + form, table):
            if (owner.rstrip(b"\0"), field.rstrip(b"\0")) == (b"__LLVM", b"__bitcode"):
                yield b"__bitcode", offset, section_size
