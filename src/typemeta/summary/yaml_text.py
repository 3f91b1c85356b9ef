"""YAML as LLVM's `yaml::Output` sets it: indentation, columns, line breaks and quotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from typemeta.errors import OutputError

VALUE_COLUMN: Final = 16  # values stand this far behind where the key and its colon begin
WRAP_COLUMN: Final = 70  # a list goes on in the next line behind this column


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with values, one a line.

    Attributes:
        entries: keys as they are to be written (see `key_text`), with their values; a value that is a
            string is written as it is (see `scalar_text`).
    """

    entries: Sequence[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence of mappings, each behind a dash.

    Attributes:
        items: at least one, none of them without entries.
    """

    items: Sequence[Mapping]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A sequence of numbers in brackets.

    Attributes:
        numbers: at least one.
    """

    numbers: Sequence[int]


Value = str | Mapping | Items | Numbers
"""What stands behind a key."""


def document(root: Mapping) -> str:
    """Returns a document of its own, with the marks where it begins and ends."""
    return "\n".join(["---", *_mapping_lines(root, 0), "...", ""])


def _mapping_lines(mapping: Mapping, indent: int) -> Iterator[str]:
    for key, value in mapping.entries:
        head = " " * indent + f"{key}:"
        column = indent + max(len(key) + 2, VALUE_COLUMN + 1)
        if isinstance(value, str):
            yield head.ljust(column) + value
        elif isinstance(value, Numbers):
            yield head.ljust(column) + _numbers_text(value, column)
        elif isinstance(value, Items):
            yield head
            for item in value.items:
                yield from _item_lines(item, indent + 2)
        elif value.entries:
            yield head
            yield from _mapping_lines(value, indent + 2)
        else:
            yield head.ljust(column) + "{}"


def _item_lines(item: Mapping, indent: int) -> Iterator[str]:
    first, *others = _mapping_lines(item, indent + 2)
    yield " " * indent + "- " + first[indent + 2 :]
    yield from others


def _numbers_text(sequence: Numbers, start: int) -> str:
    """Returns the list; `start` is the column of its opening bracket."""
    parts, column = ["[ "], start + 2
    for number in sequence.numbers:
        if len(parts) > 1:
            parts.append(", ")
            column += 2
        if column > WRAP_COLUMN:
            parts.append("\n" + " " * (start + 2))
            column = start + 2
        parts.append(str(number))
        column += len(parts[-1])
    return "".join([*parts, " ]"])


_PLAIN: Final = re.compile(r"[0-9A-Za-z_^., \t-]*")
_INDICATORS: Final = frozenset("-?:\\,[]{}#&*!|>'\"%@`")
_SPACES: Final = frozenset(" \t\n\v\f\r")
_NOT_STRINGS: Final = re.compile(
    r"null|Null|NULL|~|true|True|TRUE|false|False|FALSE"
    r"|\.nan|\.NaN|\.NAN|[-+]?(\.inf|\.Inf|\.INF)|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
)


def key_text(key: str) -> str:
    """Returns a key, in quotes where LLVM sets them; a key is text even if it looks like a number.

    Raises:
        OutputError: it is not UTF-8 text.
    """
    return _quoted(key, _is_plain(key))


def scalar_text(value: str) -> str:
    """Returns a string as a value, in quotes where LLVM sets them.

    Raises:
        OutputError: it is not UTF-8 text.
    """
    return _quoted(value, _is_plain(value) and not _NOT_STRINGS.fullmatch(value))


def _is_plain(text: str) -> bool:
    return bool(text) and text[0] not in _INDICATORS and bool(_PLAIN.fullmatch(text))


def _quoted(text: str, plain: bool) -> str:
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise OutputError(f"the name {text!a} is not UTF-8 text, so a summary in YAML cannot hold it")
    if any((c < " " and c != "\t") or c >= "\x7f" for c in text):
        return '"' + "".join(map(_escaped, text)) + '"'
    if plain and text[0] not in _SPACES and text[-1] not in _SPACES:
        return text
    return "'" + text.replace("'", "''") + "'"


_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    "\x85": "\\N",
    "\xa0": "\\_",
    "\u2028": "\\L",
    "\u2029": "\\P",
}
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Co", "Cn", "Zl", "Zp"))


def _escaped(char: str) -> str:
    """Returns a character inside of double quotes.

    A character that is newer than this Python's tables is escaped, where LLVM may know it and not escape
    it: the file then says the same in other bytes.
    """
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    if code < 0x20:
        return f"\\x{code:02X}"
    # LLVM does not escape DEL, and shows the soft hyphen though it is a format character.
    if code in (0x7F, 0xAD) or unicodedata.category(char) not in _INVISIBLE:
        return char
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
