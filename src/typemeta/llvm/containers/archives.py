"""Reads the members of `ar` archives: GNU (System V), BSD (Darwin), COFF, and thin ones.

A header of 60 bytes before each member, `name/ date uid gid mode size` and a grave accent, newline;
what a name means depends on who wrote it:

    foo.o/         GNU: the name                      foo.o      BSD: the name
    /17            GNU, COFF: at byte 17 of member `//`
    #1/20          BSD: the first 20 bytes of the member's contents
    /  //  /SYM64/  __.SYMDEF...                      tables, no members

Source: `ar(5)` of FreeBSD, and LLVM's `Archive.cpp`, whose strictness is ours. Why no library:
docs/decisions/0006-containers.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from typemeta.errors import InputError

ARCHIVE_MAGIC: Final = b"!<arch>\n"
THIN_MAGIC: Final = b"!<thin>\n"

_HEADER: Final = re.compile(rb"(.{16}).{32}(?=.{12}\Z)(\d+) *`\n", re.DOTALL)
_HEADER_BYTES: Final = 60
_LONG_NAME: Final = re.compile(rb"([^\n\0]{1,4096}+)[\n\0]")
_TABLE: Final = re.compile(rb"/(?!\d)|__\.SYMDEF")
_BSD_TABLE: Final = b"__.SYMDEF"


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archive.

    Attributes:
        name: as stored, without what an archiver adds; in a thin archive a path relative to it.
        data: its contents; None in a thin archive, where they are in the file `name`.
    """

    name: bytes
    data: memoryview | None


def read_members(archive: memoryview, name: str) -> Iterator[Member]:
    """Yields the members of an archive in file order, symbol and name tables left out.

    Args:
        archive: the whole archive; must start with `ARCHIVE_MAGIC` or `THIN_MAGIC`.
        name: shown in messages.

    Raises:
        InputError: the archive is truncated or malformed; raised where the fault is reached.
    """
    is_thin = bytes(archive[: len(THIN_MAGIC)]) == THIN_MAGIC
    long_names = b""
    position = len(ARCHIVE_MAGIC)
    while position < len(archive):
        field, size = _read_header(archive, position, name)
        is_table = _TABLE.match(field) is not None
        start = position + _HEADER_BYTES
        end = start if is_thin and not is_table else start + size
        if end > len(archive):
            raise InputError(
                f"is a truncated archive: the member at offset {position} runs {end - len(archive)} bytes "
                "past the end; build it again",
                path=name,
            )
        body = archive[start:end]
        if field == b"//":
            long_names = bytes(body)
        elif not is_table:
            member_name, skip = _resolve_name(field, body, long_names, name)
            if not member_name.startswith(_BSD_TABLE):
                yield Member(member_name, None if is_thin else body[skip:])
        position = end + end % 2


def _read_header(archive: memoryview, position: int, name: str) -> tuple[bytes, int]:
    """Returns the name field, blanks stripped, and the size field of a member's header."""
    match = _HEADER.fullmatch(archive, position, position + _HEADER_BYTES)
    if match is None:
        raise InputError(
            f"is a malformed or truncated archive: bad member header at offset {position}; build it again",
            path=name,
        )
    return match[1].rstrip(b" "), int(match[2])


def _resolve_name(field: bytes, body: memoryview, long_names: bytes, name: str) -> tuple[bytes, int]:
    """Returns a member's name and how many bytes of its contents the name takes."""
    scheme, _, digits = field.rpartition(b"/")
    if scheme == b"#1" and digits.isdigit():
        length = int(digits)
        if 0 < length <= len(body):
            return bytes(body[:length]).rstrip(b"\0"), length
    elif field.startswith(b"/"):
        match = _LONG_NAME.match(long_names, int(digits)) if digits.isdigit() else None
        if match is not None:
            return match[1].removesuffix(b"/"), 0
    elif field:
        return field.removesuffix(b"/"), 0
    shown = field.decode("ascii", "backslashreplace")
    if field.startswith(b"/") and b":" in digits:
        raise InputError(
            f"is a thin archive that refers to members of another archive ({shown!r}); give that archive",
            path=name,
        )
    raise InputError(f"is a malformed archive: no name behind the member name {shown!r}", path=name)
