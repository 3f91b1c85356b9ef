"""Writes outputs whole or not at all, and prints results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from typemeta.cli.isolation import Journal
from typemeta.errors import OutputError

STANDARD_OUTPUT: Final = "-"


def write_output(path: str, data: bytes, journal: Journal) -> None:
    """Writes a file by way of a temporary one beside it; `-` is standard output.

    Raises:
        OutputError: it cannot be written; what was there before still is.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        _write_in_place(target, data)
        return
    staged = target.with_name(f".{target.name}.{os.getpid()}.part")
    journal.add_file(staged)
    try:
        staged.write_bytes(data)
        if target.exists():
            staged.chmod(target.stat().st_mode & 0o7777)
        staged.replace(target)
    except OSError as error:
        raise OutputError(f"{path}: cannot write: {_reason(error, target)}") from error
    finally:
        staged.unlink(missing_ok=True)
        journal.remove_file(staged)


def _write_in_place(target: Path, data: bytes) -> None:
    """Writes to something that is no regular file, such as /dev/null or a pipe."""
    try:
        target.write_bytes(data)
    except OSError as error:
        raise OutputError(f"{target}: cannot write: {_reason(error, target)}") from error


def _reason(error: OSError, target: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return f"the folder {target.parent} does not exist"
    return (error.strerror or str(error)).lower()


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
