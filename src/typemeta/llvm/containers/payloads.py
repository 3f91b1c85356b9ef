"""Finds the LLVM IR in a file: text, bitcode, objects that carry bitcode, archives of all these.

LLVM's own readers are not used for this: they read the first module of a file only, take an empty file
for an empty module, and crash on some damaged files. Everything here is plain Python and copies nothing
but modules that must be put together anew.

    x.ll             x.ll
    libx.a           libx.a(foo.o)  libx.a(bar.o)          members without LLVM IR are skipped
    split.o          split.o  split.o#2                    two modules in one file
"""

from __future__ import annotations

import enum
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typemeta.errors import InputError
from typemeta.llvm.containers.archives import ARCHIVE_MAGIC, THIN_MAGIC, read_members
from typemeta.llvm.containers.bitstream import BITCODE_MAGIC, WRAPPER_MAGIC, split_modules
from typemeta.llvm.containers.objects import ObjectFile, read_object

_MAX_DEPTH: Final = 4
_SAMPLE_BYTES: Final = 4096
_BLANK: Final = re.compile(rb"\s*+")
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_IR_TEXT: Final = re.compile(
    rb"(?:\s|;[^\n]*+\n)*+"
    rb"(?:(?:define|declare|source_filename|target|module|attributes|uselistorder)\b|[@%!$^][-\w$.\"])"
)
"""How LLVM IR text starts. Needed in archives only, which may hold other texts."""

_FLAGS: Final = "-flto or -ffat-lto-objects"
_COMPILED: Final = f"compiled with {_FLAGS}"
_OTHER_FORMATS: Final = {
    b"\xca\xfe\xba\xbe": "is a Mach-O universal binary; take one architecture out with `lipo -thin`",
    b"MZ": f"is a Windows executable or DLL; give the objects it was linked from, {_COMPILED}",
    b"\0asm": "is a WebAssembly file, where bitcode is not looked for; compile with -flto",
    b"\0\0\xff\xff": "is a COFF import or /bigobj object, which is not supported; compile with -flto",
    b"<bigaf>\n": "is an AIX archive, which is not supported; give its members",
    b"CPCH": "is a precompiled header or module of Clang; compile with -emit-llvm instead",
    b"\xff\xfe": "is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "is UTF-16 text; save it as UTF-8",
    b"\x1f\x8b": "is compressed with gzip; decompress it first",
    b"BZh": "is compressed with bzip2; decompress it first",
    b"\xfd7zXZ\0": "is compressed with xz; decompress it first",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; decompress it first",
    b"PK\x03\x04": "is a ZIP file; unpack it first",
}


class PayloadKind(enum.Enum):
    """What LLVM's parser will find."""

    TEXT = "text"
    BITCODE = "bitcode"


@dataclass(frozen=True, slots=True)
class Payload:
    """One module as LLVM's parser takes it.

    Attributes:
        name: where it comes from: `x.o`, `libx.a(foo.o)`, `x.bc#2` for the second module of a file.
        kind: text or bitcode.
        data: the whole text or bitcode; mostly a view of the input.
    """

    name: str
    kind: PayloadKind
    data: bytes | memoryview


class NoIRError(InputError):
    """A file is sound as far as one can see, and holds no LLVM IR."""


def find_payloads(data: bytes | memoryview, name: str, *, folder: Path | None = None) -> list[Payload]:
    """Returns the modules in the contents of one input file, in file order, at least one.

    The contents decide, not the suffix of `name`. Whatever looks like text is taken for LLVM IR, so
    that LLVM reports its errors with line and column; in an archive only what starts like LLVM IR.

    Args:
        data: the file's contents.
        name: the file as the user named it.
        folder: where the file lies, for thin archives, which refer to their members by paths relative
            to themselves; None if there is none (standard input).

    Raises:
        NoIRError: the file, or every member of the archive, is something else than LLVM IR.
        InputError: it is damaged, or of a kind that cannot be read.
    """
    return _find(data, name, folder, 0)


def _find(data: bytes | memoryview, name: str, folder: Path | None, depth: int) -> list[Payload]:
    """Finds the payloads of a file, `depth` archives deep."""
    view = memoryview(data)
    magic = bytes(view[:8])
    if magic.startswith((BITCODE_MAGIC, WRAPPER_MAGIC)):
        return _find_in_bitcode(data, name)
    if magic in (ARCHIVE_MAGIC, THIN_MAGIC):
        return _find_in_archive(view, name, folder, depth)
    found = read_object(view, name)
    if found is not None:
        return _find_in_object(found, name)
    for signature, message in _OTHER_FORMATS.items():
        if magic.startswith(signature):
            raise NoIRError(message, path=name)
    return _find_in_text(data, name, is_member=depth > 0)


def _find_in_text(data: bytes | memoryview, name: str, *, is_member: bool) -> list[Payload]:
    view = memoryview(data)
    if _BLANK.fullmatch(view):
        raise NoIRError("is empty; give LLVM IR, bitcode, an object or an archive", path=name)
    if _BINARY.search(view, 0, _SAMPLE_BYTES):
        raise NoIRError(
            "is neither text nor a known kind of file; give LLVM IR, bitcode, an object or an archive",
            path=name,
        )
    if is_member and not _IR_TEXT.match(view):
        raise NoIRError("is text, but not LLVM IR", path=name)
    return [Payload(name, PayloadKind.TEXT, data)]


def _find_in_bitcode(data: bytes | memoryview, name: str) -> list[Payload]:
    modules = split_modules(memoryview(data), name)
    if len(modules) == 1 and len(modules[0]) == len(data):
        modules = [data]
    return _number(modules, name)


def _find_in_object(found: ObjectFile, name: str) -> list[Payload]:
    if not found.bitcode:
        raise NoIRError(_without_bitcode(found), path=name)
    modules = [module for section in found.bitcode for module in split_modules(section, name)]
    if not modules:
        raise NoIRError(
            f"is {found.kind} whose bitcode section is empty (-fembed-bitcode=marker); compile with {_FLAGS}",
            path=name,
        )
    return _number(modules, name)


def _without_bitcode(found: ObjectFile) -> str:
    if found.is_gcc_lto:
        return f"is {found.kind} with GCC's LTO data, not LLVM's; compile with clang"
    if found.is_linked:
        return f"is {found.kind} without bitcode; give the objects it was linked from, {_COMPILED}"
    return f"is {found.kind} without bitcode; compile with {_FLAGS}"


def _number(modules: list[bytes | memoryview], name: str) -> list[Payload]:
    """Names the modules of one file: `x`, `x#2`, `x#3`."""
    return [
        Payload(name if number == 1 else f"{name}#{number}", PayloadKind.BITCODE, module)
        for number, module in enumerate(modules, 1)
    ]


def _find_in_archive(archive: memoryview, name: str, folder: Path | None, depth: int) -> list[Payload]:
    """Collects the payloads of the members that have any."""
    if depth == _MAX_DEPTH:
        raise InputError(f"is an archive, {depth} archives deep; give it by itself", path=name)
    payloads: list[Payload] = []
    members = 0
    seen: set[Path] = set()
    for member in read_members(archive, name):
        members += 1
        member_name = f"{name}({member.name.decode(errors='backslashreplace')})"
        data = member.data if member.data is not None else _read_beside(member.name, folder, name, seen)
        try:
            payloads += _find(data, member_name, None, depth + 1)
        except NoIRError:
            continue
    if not payloads:
        raise NoIRError(
            f"is an archive without LLVM IR (members: {members}); compile with {_FLAGS}", path=name
        )
    return payloads


def _read_beside(member: bytes, folder: Path | None, name: str, seen: set[Path]) -> bytes:
    """Reads a member of a thin archive; `seen` collects the files, each of which may appear once."""
    shown = member.decode(errors="backslashreplace")
    if folder is None:
        raise InputError(
            f"is a thin archive, whose members are files beside it ({shown}, ...), and its folder is not "
            "known here; give it as a file of its own, not on standard input or inside another archive",
            path=name,
        )
    path = folder / os.fsdecode(member)
    try:
        if not path.is_file():
            raise InputError(f"is a thin archive whose member {shown} is missing; build it again", path=name)
        file = path.resolve()
        if file in seen:
            raise InputError(f"is a thin archive that lists {shown} twice; build it again", path=name)
        seen.add(file)
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"is a thin archive whose member {shown} cannot be read ({error.strerror})", path=name
        ) from error
