"""Writes outputs whole or not at all, and prints results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from typemeta.cli.isolation import Journal
from typemeta.errors import OutputError

STANDARD_OUTPUT: Final = "-"
_DESCRIPTORS: Final = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what this process has open, which must not be replaced by a file."""

_SHOWN_NAME: Final = 40
_serial = count(1)


def write_output(path: str, data: bytes, journal: Journal) -> None:
    """Writes a file by way of a temporary one beside it; `-` is standard output.

    Raises:
        OutputError: it cannot be written; what was there before still is.
    """
    with staged_output(path, data, journal):
        pass


@contextmanager
def staged_output(path: str, data: bytes, journal: Journal) -> Iterator[None]:
    """Writes a temporary file at once, and puts it in its place when the block ends well.

    A link is followed: the file behind it is replaced. Its permissions stay.

    Raises:
        OutputError: it cannot be written; what was there before still is.
    """
    if path == STANDARD_OUTPUT:
        yield
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    check_output(path)
    if _is_in_place(path):
        yield
        with _output_errors(path):
            Path(path).write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    staged = target.with_name(f".{target.name[:_SHOWN_NAME]}.{os.getpid()}.{next(_serial)}.part")
    journal.add_file(staged)
    try:
        with _output_errors(path):
            _write_new(staged, data)
            if target.exists():
                staged.chmod(target.stat().st_mode & 0o7777)
        yield
        with _output_errors(path):
            staged.replace(target)
    finally:
        with suppress(OSError):
            staged.unlink(missing_ok=True)
        journal.remove_file(staged)


def check_output(path: str) -> None:
    """Tells early, before long work, that an output cannot be written.

    Raises:
        OutputError: its folder is missing, it is a folder itself, or it may not be written.
    """
    if path == STANDARD_OUTPUT:
        return
    target = Path(os.path.realpath(path))
    with _output_errors(path):
        folder = target.parent if Path(path).is_symlink() else Path(path).parent
        if not folder.is_dir():
            fault = f"{folder} is no folder" if folder.exists() else f"the folder {folder} does not exist"
            raise OutputError(f"{path}: cannot write: {fault}")
        if target.is_dir():
            raise OutputError(f"{path}: cannot write: is a directory; name a file in it")
        if target.exists() and not os.access(target, os.W_OK):
            raise OutputError(f"{path}: cannot write: it is write-protected")
        if not _is_in_place(path) and not os.access(folder, os.W_OK):
            raise OutputError(f"{path}: cannot write: no permission to write in the folder {folder}")


def _is_in_place(path: str) -> bool:
    """Tells whether a path is to be written as it is: a device, a pipe, something that is open already."""
    if os.path.abspath(path).startswith(_DESCRIPTORS):
        return True
    with _output_errors(path):
        target = Path(path)
        return target.exists() and not target.is_file()


def _write_new(path: Path, data: bytes) -> None:
    """Writes a file that nobody else can have made."""
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(data)


@contextmanager
def _output_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot write: {reason}") from error


def printable(text: str) -> str:
    """Returns a text as one line in which nothing can command a terminal: such characters are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def print_json(document: dict[str, Any]) -> None:
    """Prints one JSON document."""
    json.dump(document, sys.stdout, indent=2, ensure_ascii=True)
    sys.stdout.write("\n")


def json_bytes(document: dict[str, Any]) -> bytes:
    """Returns a JSON document as the contents of a file."""
    return (json.dumps(document, indent=2) + "\n").encode()


def render_table(header: Sequence[str], rows: Iterable[Sequence[object]], *, right: int = 0) -> list[str]:
    """Returns the lines of a table; the first `right` columns are aligned to the right.

    The last column is never padded, so that lines have no trailing blanks.
    """
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = [
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines
