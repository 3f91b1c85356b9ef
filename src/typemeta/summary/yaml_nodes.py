"""YAML as LLVM's `yaml::Input` understands it: untyped text in mappings and sequences, with places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

import yaml

from typemeta.errors import InputError

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a YAML file.

    Attributes:
        yaml: what PyYAML read; every scalar is text.
        path: the file as the user named it.
    """

    yaml: yaml.Node
    path: str

    def fail(self, message: str) -> NoReturn:
        """Raises an InputError at this place."""
        mark = self.yaml.start_mark
        raise InputError(message, path=self.path, line=mark.line + 1, column=mark.column + 1)

    @property
    def is_empty(self) -> bool:
        """True where a key or dash has nothing behind it."""
        return isinstance(self.yaml, yaml.ScalarNode) and not self.yaml.value and self.yaml.style is None

    @property
    def is_mapping(self) -> bool:
        """True for a mapping that has brackets or keys."""
        return isinstance(self.yaml, yaml.MappingNode)

    def text(self) -> str:
        """Returns the text of a scalar."""
        if not isinstance(self.yaml, yaml.ScalarNode):
            self.fail("expected a single value")
        if self.is_empty:
            self.fail("the value is missing")
        return str(self.yaml.value)

    def number(self, maximum: int) -> int:
        """Returns a scalar that is a number from 0 to `maximum`: decimal, 0x, 0b, 0o, or octal after 0."""
        value = parse_number(self.text())
        if value is None or value > maximum:
            self.fail(f"expected a number from 0 to {maximum}, not {_shown(self.text())}")
        return value

    def flag(self) -> bool:
        """Returns a scalar that is a truth value."""
        value = _FLAGS.get(self.text())
        if value is None:
            self.fail(f"expected true or false, not {_shown(self.text())}")
        return value

    def choice(self, values: Mapping[str, Value]) -> Value:
        """Returns what a scalar stands for; it has to be one of the keys."""
        if self.text() not in values:
            self.fail(f"expected one of {', '.join(values)}, not {_shown(self.text())}")
        return values[self.text()]

    def items(self) -> list[Node]:
        """Returns the items of a sequence."""
        if self.is_empty:
            return []
        if not isinstance(self.yaml, yaml.SequenceNode):
            self.fail("expected a sequence")
        return [Node(item, self.path) for item in self.yaml.value]

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Yields the keys and values of a mapping, in the order of the file; no key comes twice."""
        if self.is_empty:
            return
        if not isinstance(self.yaml, yaml.MappingNode):
            self.fail("expected a mapping")
        seen = set()
        for key_yaml, value_yaml in self.yaml.value:
            key = Node(key_yaml, self.path)
            if not isinstance(key_yaml, yaml.ScalarNode):
                key.fail("expected a single value as key")
            if key_yaml.value in seen:
                key.fail(f"the key {_shown(key_yaml.value)} is there twice")
            seen.add(key_yaml.value)
            yield key, Node(value_yaml, self.path)

    def key(self) -> str:
        """Returns the text of a key, which may be empty."""
        return str(self.yaml.value)

    def fields(self, readers: Mapping[str, tuple[str, Callable[[Node], object]]]) -> dict[str, object]:
        """Returns the values of a mapping whose keys are known.

        Args:
            readers: by key, the name of the value in the result and the function that reads it.
        """
        found = {}
        for key, value in self.entries():
            if key.key() not in readers:
                key.fail(f"unknown key {_shown(key.key())}; expected one of {', '.join(readers)}")
            name, read = readers[key.key()]
            found[name] = read(value)
        return found


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


_SHOWN: Final = 60  # characters of a faulty value that a message repeats
_FLAGS: Final = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"), False),
}
_NUMBER: Final = re.compile(
    r"0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0o?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*)"
)
_BASES: Final = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_MAXIMUM_DIGITS: Final = 400  # far more than a 64-bit number needs, and cheap to convert


def parse_number(text: str) -> int | None:
    """Returns a number as LLVM reads it, None if it is none."""
    match = _NUMBER.fullmatch(text) if len(text) <= _MAXIMUM_DIGITS else None
    if match is None or match.lastgroup is None:
        return None
    return int(match[match.lastgroup], _BASES[match.lastgroup])


def parse_yaml(text: str | bytes, path: str) -> Node | None:
    """Returns the root of a YAML file, None if there is nothing in it.

    Raises:
        InputError: it is not UTF-8 text, not YAML, more than one document, or uses YAML aliases.
    """
    decoded = _decode(text, path) if isinstance(text, bytes) else text
    try:
        root = _Loader(decoded).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        message = ", ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"not YAML: {message}", path=path, line=line, column=column) from error
    except yaml.reader.ReaderError as error:
        line = decoded.count("\n", 0, error.position) + 1
        message = f"not YAML: character U+{ord(decoded[error.position]):04X} is not allowed"
        raise InputError(message, path=path, line=line) from error
    except RecursionError as error:
        raise InputError("nested too deeply to be a module summary", path=path) from error
    return None if root is None else Node(root, path)


def _decode(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text, so no YAML", path=path, line=line) from error


class _Loader(yaml.BaseLoader):
    """Reads what LLVM writes, which PyYAML alone does not: DEL, tabs in plain text, and long keys."""

    def check_printable(self, data: str) -> None:
        """Refuses characters that YAML does not allow; it does allow DEL, which PyYAML refuses."""
        super().check_printable(data.replace("\x7f", " "))

    def stale_possible_simple_keys(self) -> None:
        """Forgets keys of earlier lines, but no key for its length: C++ names can exceed 1,024 letters."""
        keys = self.possible_simple_keys
        stale = [level for level, key in keys.items() if key.line != self.line]
        if any(keys[level].required for level in stale):
            super().stale_possible_simple_keys()  # raises, with the place
        for level in stale:
            del keys[level]

    def scan_plain_spaces(self, indent: int, start_mark: yaml.Mark) -> list[str]:
        """Takes blanks with tabs in them for a part of the text, if more of it follows on the line."""
        length = 0
        while self.peek(length) in " \t":
            length += 1
        blanks = self.prefix(length)
        if "\t" in blanks and self.peek(length) not in "\0\r\n\x85\u2028\u2029#":
            self.forward(length)
            return [blanks]
        return super().scan_plain_spaces(indent, start_mark) or []

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuses YAML aliases: LLVM never writes them, and a few can stand for more than fits in memory."""
        if self.check_event(yaml.AliasEvent):
            mark = self.current_event.start_mark
            raise yaml.MarkedYAMLError(problem="module summaries have no YAML aliases", problem_mark=mark)
        return super().compose_node(parent, index)
