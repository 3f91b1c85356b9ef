"""Splits LLVM IR text into tokens that can be replaced one by one, and reads the types that they spell.

Only what a rewriter needs: no instruction is known here, no name is looked up, and every character
that no replacement covers comes back as it was.

    store i8* null, i8** %"a*b" ; i8*

has the tokens `store`, `i8`, `*`, `null`, `,`, `i8`, `*`, `*`, `%"a*b"`, and two pointer types.

Source: LLVM's `LLLexer.cpp` and `LLParser::parseType`, those of LLVM 2.9 to 23.
"""

from __future__ import annotations

import enum
import re
from typing import Final, NamedTuple

from typemeta.errors import InputError

_GAP: Final = r"(?:[\ \t\r\n\f\v\0]++|;[^\n]*+|/\*.*?\*/)*+"
_WORD: Final = r"-a-zA-Z$._0-9"
_TOKEN: Final = re.compile(
    rf"""({_GAP})(
        [%@$!]?+"[^"]*+"                        # a string, or a quoted name
        | \d++(?=x) | i\d++(?![{_WORD}]*+:)     # LLVM reads `8x` and `i8addrspace` as two words
        | [%@]?+[{_WORD}]++:?+                  # a name, word, number or label
        | ![{_WORD}\\]*+                        # metadata: its name or number, or just `!`
        | .                                     # anything else, also a `"` that begins no string
        | \Z )""",
    re.ASCII | re.DOTALL | re.VERBOSE,
)
"""What lies before a token, and the token."""

_STARTS_WORD: Final = re.compile(rf'[{_WORD}"]', re.ASCII)
_ENDS_WORD: Final = re.compile(rf"[{_WORD}]\Z", re.ASCII)
_NUMBER: Final = re.compile(r"\d++|u0x[\da-fA-F]++", re.ASCII)
_SIMPLE_TYPE: Final = re.compile(
    r"i\d++|void|ptr|float|double|half|bfloat|fp128|x86_fp80|ppc_fp128|x86_mmx|x86_amx|label|metadata|token|opaque"
)
_NO_POINTEES: Final = {
    "void": "pointers to void are invalid; use i8*",
    "label": "pointers to labels are invalid",
    "metadata": "pointers to metadata are invalid",
    "token": "pointers to tokens are invalid",
    "ptr": "`ptr*` is invalid; use `ptr`",
}
_CONSTANT_FLAGS: Final = frozenset(("inbounds", "nuw", "nsw", "exact"))
_NO_ATTRIBUTE: Final = re.compile(
    r"declare|define|attributes|target|source_filename|module|deplibs|uselistorder|uselistorder_bb|type"
    r"|prefix|prologue|personality"
)
"""Words that begin the next entity of the module, or a value that belongs to a function."""
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
_MAX_DEPTH: Final = 100
_MAX_FLAGS: Final = 16
_LOOKAHEAD: Final = 8

TYPE_SUFFIXES: Final = frozenset(("*", "(", "addrspace"))
"""What makes a longer type of the type before it."""


class IRText:
    """IR text as tokens, with the replacements to be made in it.

    Attributes:
        tokens: the tokens as they were, never changed; some empty ones follow the last.
        end: number of tokens.
    """

    def __init__(self, text: str) -> None:
        found = _TOKEN.findall(text)
        self._gaps: list[str] = [gap for gap, _ in found]
        self.tokens: list[str] = [token for _, token in found]
        self.end = len(found)
        while self.end and not self.tokens[self.end - 1]:
            self.end -= 1
        self.tokens += [""] * _LOOKAHEAD
        self._gaps += [""] * _LOOKAHEAD
        self._new_tokens = list(self.tokens)
        self._new_gaps = list(self._gaps)
        self._before: dict[int, str] = {}
        self._after: dict[int, str] = {}

    def blank_before(self, index: int) -> str:
        """Returns a blank if anything stands between a token and the one before it."""
        return " " if self._gaps[index] else ""

    def original(self, start: int, stop: int) -> str:
        """Returns tokens as they were, what lies before each of them cut to one blank."""
        return "".join([self.blank_before(i) + self.tokens[i] for i in range(start, stop)])

    def replaced(self, start: int, stop: int) -> str:
        """Returns tokens with the replacements made so far, in the form of `original`."""
        return "".join([(" " if self._new_gaps[i] else "") + self._renewed(i) for i in range(start, stop)])

    def replace(self, start: int, stop: int, text: str) -> None:
        """Puts text in place of tokens; line breaks and comments between them stay."""
        self._new_tokens[start:stop] = [text] + [""] * (stop - start - 1)
        for i in range(start + 1, stop):
            self._close_gap(i)

    def replace_word(self, start: int, stop: int, word: str) -> None:
        """Puts a word in place of tokens, with blanks around it where it would touch another word."""
        if not self._gaps[start] and _ENDS_WORD.search(self.tokens[start - 1]):
            word = f" {word}"
        if not self._gaps[stop] and _STARTS_WORD.match(self.tokens[stop]):
            word = f"{word} "
        self.replace(start, stop, word)

    def remove(self, start: int, stop: int) -> None:
        """Removes tokens and the blanks that would be left over; line breaks and comments stay."""
        self.replace(start, stop, "")
        for i in range(start, stop):
            self._before.pop(i, None)
            self._after.pop(i, None)
        is_last = stop >= self.end or self._new_gaps[stop].strip(" \t") != ""
        self._close_gap(start if is_last else stop)

    def insert_before(self, index: int, text: str) -> None:
        """Puts text directly before a token; what is inserted later comes later."""
        self._before[index] = self._before.get(index, "") + text

    def insert_after(self, index: int, text: str) -> None:
        """Puts text directly behind a token; what is inserted later comes later."""
        self._after[index] = self._after.get(index, "") + text

    def render(self) -> str:
        """Returns the text with all replacements."""
        for i in self._before.keys() | self._after.keys():
            self._new_tokens[i] = self._renewed(i)
        self._before, self._after = {}, {}
        return "".join(map("".join, zip(self._new_gaps, self._new_tokens, strict=True)))

    def find_closing(self, index: int) -> int:
        """Returns where the bracket that opens at a token closes.

        Raises:
            InputError: it never does, or is no bracket.
        """
        opening = self.tokens[index]
        closing = _CLOSING.get(opening)
        if closing is None:
            raise self.error(index, "expected a bracket" + (f", found `{opening}`" if opening else ""))
        depth = 0
        for i in range(index, self.end):
            token = self.tokens[i]
            if token == opening:
                depth += 1
            elif token == closing:
                depth -= 1
                if not depth:
                    return i
        raise self.error(index, f"`{opening}` is never closed")

    def error(self, index: int, message: str) -> InputError:
        """Makes the error that something is wrong at a token."""
        index = min(index, self.end)
        before = "".join(map("".join, zip(self._gaps[:index], self.tokens, strict=False))) + self._gaps[index]
        return InputError(message, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))

    def _renewed(self, index: int) -> str:
        return self._before.get(index, "") + self._new_tokens[index] + self._after.get(index, "")

    def _close_gap(self, index: int) -> None:
        gap = self._new_gaps[index]
        if gap.isspace() and "\n" not in gap:
            self._new_gaps[index] = ""


class TypeKind(enum.Enum):
    """What a type is made of; pointers are those that name what they point to."""

    SIMPLE = "simple"
    NAMED = "named"
    ARRAY = "array"
    VECTOR = "vector"
    STRUCT = "struct"
    FUNCTION = "function"
    POINTER = "pointer"
    TARGET = "target"


class TypeNode(NamedTuple):
    """A type in the text.

    Attributes:
        kind: what it is made of.
        start: its first token.
        stop: the token behind it.
        parts: the types in it, in order; of a function the return type first.
        space: address space of a pointer, as it is written; empty if it is not.
    """

    kind: TypeKind
    start: int
    stop: int
    parts: tuple[TypeNode, ...] = ()
    space: str = ""


class IRReader:
    """Reads what stands at a token: types by recursive descent, and how far other things reach."""

    def __init__(self, text: IRText) -> None:
        self._text = text
        self._tokens = text.tokens
        self._depth = 0
        self._definitions: dict[str, TypeNode] | None = None
        self._furthest = 0
        """Where the last type that could not be read stopped making sense."""

    def starts_type(self, index: int) -> bool:
        """Tells whether a token, if a suffix of types follows it, begins a type."""
        token = self._tokens[index]
        return token[:1] == "%" or _SIMPLE_TYPE.fullmatch(token) is not None

    def skip_attributes(self, index: int) -> int:
        """Returns the first token that is no attribute, linkage, calling convention, section or comdat.

        Stops before what carries a value (`prefix`, `personality`), before types and metadata.
        """
        tokens = self._tokens
        while True:
            token = tokens[index]
            if token[:1] == '"' or (token[:1] == "$" and tokens[index + 1] != "="):
                index += 3 if tokens[index + 1] == "=" else 1
            elif token == "#":
                index += 2
            elif self._is_attribute(token):
                index += 1
                if tokens[index] == "(":
                    index = self._text.find_closing(index) + 1
                elif tokens[index].isdigit():
                    index += 1
            else:
                return index

    def skip_value(self, index: int) -> int:
        """Returns the token behind a constant or name, which stands without its type."""
        tokens = self._tokens
        if tokens[index] in ("{", "[", "<"):
            return self._text.find_closing(index) + 1
        if tokens[index] == "c":
            return index + 2
        operands = index + 1
        while tokens[operands] in _CONSTANT_FLAGS:
            operands += 1
        if tokens[index].isalpha() and tokens[operands] == "(":
            return self._text.find_closing(operands) + 1
        return index + 1

    def find_equals(self, index: int) -> int:
        """Returns where the `=` before a word of an entity stands; the word itself if there is none."""
        places = range(index, max(index - _MAX_FLAGS, 0), -1)
        return next((i for i in places if self._tokens[i] == "="), index)

    def skip_metadata(self, index: int) -> int:
        """Returns the token behind a metadata node: `!1`, `!{...}` or `!DISubprogram(...)`."""
        if self._tokens[index + 1] in ("{", "("):
            return self._text.find_closing(index + 1) + 1
        return index + 1

    def need_type(self, index: int) -> TypeNode:
        """Returns the longest type that starts at a token.

        Raises:
            InputError: there is none.
        """
        node = self.read_type(index)
        if node is None:
            found = self._tokens[self._furthest]
            message = f"expected a type, found `{found}`" if found else "expected a type"
            raise self._text.error(self._furthest, message)
        return node

    def resolve(self, node: TypeNode) -> TypeNode:
        """Returns the type that a name stands for, if the text defines it and it is not opaque."""
        if self._definitions is None:
            self._definitions = self._read_definitions()
        for _ in range(_MAX_DEPTH):
            if node.kind is not TypeKind.NAMED:
                break
            node = self._definitions.get(self._tokens[node.start], node)
        return node

    def read_type(self, index: int) -> TypeNode | None:
        """Returns the longest type that starts at a token, or None if there is none.

        Raises:
            InputError: it is a type that LLVM never had (`void*`), or is nested too deeply.
        """
        if self._depth == _MAX_DEPTH:
            raise self._text.error(index, f"types are nested more than {_MAX_DEPTH} levels deep")
        self._depth += 1
        try:
            node = self._read_first(index)
            while node is not None and self._tokens[node.stop] in TYPE_SUFFIXES:
                longer = self._read_suffix(node)
                if longer is node:
                    break
                node = longer
        finally:
            self._depth -= 1
        return node

    def _read_definitions(self) -> dict[str, TypeNode]:
        tokens = self._tokens
        places = (i for i, token in enumerate(tokens) if token == "type" and tokens[i - 1] == "=")
        return {tokens[i - 2]: node for i in places if (node := self.read_type(i + 1)) is not None}

    def _is_attribute(self, token: str) -> bool:
        return (
            token[:1].isalpha()
            and token[-1] != ":"
            and not _NO_ATTRIBUTE.fullmatch(token)
            and not _SIMPLE_TYPE.fullmatch(token)
        )

    def _read_first(self, index: int) -> TypeNode | None:
        tokens = self._tokens
        token = tokens[index]
        self._furthest = index
        if token[:1] == "%":
            return TypeNode(TypeKind.NAMED, index, index + 1)
        if _SIMPLE_TYPE.fullmatch(token):
            stop = self._skip_space(index + 1) if token == "ptr" else index + 1
            return TypeNode(TypeKind.SIMPLE, index, stop)
        if token == "{":
            return self._read_struct(index, index + 1)
        if token == "[":
            return self._read_sequence(TypeKind.ARRAY, index, index + 1, "]")
        if token == "<":
            return self._read_angle(index)
        if token == "\\" and tokens[index + 1].isdigit() and tokens[index + 2] == "*":
            return TypeNode(TypeKind.SIMPLE, index, index + 2)  # LLVM 2: the type n levels up
        if token == "target" and tokens[index + 1] == "(":
            return TypeNode(TypeKind.TARGET, index, self._text.find_closing(index + 1) + 1)
        return None

    def _skip_space(self, index: int) -> int:
        """Steps over `addrspace(n)`."""
        tokens = self._tokens
        if tokens[index] == "addrspace" and tokens[index + 1] == "(" and tokens[index + 3] == ")":
            return index + 4
        return index

    def _read_struct(self, start: int, index: int) -> TypeNode | None:
        found = self._read_list(index, "}")
        return found and TypeNode(TypeKind.STRUCT, start, found[1], found[0])

    def _read_angle(self, index: int) -> TypeNode | None:
        """Reads `<{ ... }>`, `<n x T>` or `<vscale x n x T>`."""
        tokens = self._tokens
        if tokens[index + 1] == "{":
            node = self._read_struct(index, index + 2)
            if node is None:
                return None
            self._furthest = node.stop
            return node._replace(stop=node.stop + 1) if tokens[node.stop] == ">" else None
        scaled = tokens[index + 1] == "vscale" and tokens[index + 2] == "x"
        return self._read_sequence(TypeKind.VECTOR, index, index + (3 if scaled else 1), ">")

    def _read_sequence(self, kind: TypeKind, start: int, index: int, closing: str) -> TypeNode | None:
        if not (_NUMBER.fullmatch(self._tokens[index]) and self._tokens[index + 1] == "x"):
            return None
        element = self.read_type(index + 2)
        if element is None:
            return None
        self._furthest = element.stop
        if self._tokens[element.stop] != closing:
            return None
        return TypeNode(kind, start, element.stop + 1, (element,))

    def _read_list(self, index: int, closing: str) -> tuple[tuple[TypeNode, ...], int] | None:
        """Reads types up to a bracket; returns them and the token behind it."""
        parts: list[TypeNode] = []
        if self._tokens[index] == closing:
            return (), index + 1
        while True:
            part = self._read_ellipsis(index, closing) or self.read_type(index)
            if part is None:
                return None
            parts.append(part)
            self._furthest = part.stop
            if self._tokens[part.stop] == closing:
                return tuple(parts), part.stop + 1
            if self._tokens[part.stop] != ",":
                return None
            index = part.stop + 1

    def _read_ellipsis(self, index: int, closing: str) -> TypeNode | None:
        """Reads the `...` that ends the parameters of a function; it stands for no type."""
        if self._tokens[index] == "..." and closing == self._tokens[index + 1] == ")":
            return TypeNode(TypeKind.SIMPLE, index, index + 1)
        return None

    def _read_suffix(self, node: TypeNode) -> TypeNode | None:
        """Reads what makes a pointer or function type of a type; returns the type itself if nothing does."""
        tokens = self._tokens
        if tokens[node.stop] == "(":
            found = self._read_list(node.stop + 1, ")")
            return found and TypeNode(TypeKind.FUNCTION, node.start, found[1], (node, *found[0]))
        star = self._skip_space(node.stop)
        if tokens[star] != "*":
            return node
        problem = _NO_POINTEES.get(tokens[node.start]) if node.kind is TypeKind.SIMPLE else None
        if problem:
            raise self._text.error(node.start, problem)
        space = tokens[star - 2] if star > node.stop else ""
        return TypeNode(TypeKind.POINTER, node.start, star + 1, (node,), space)
