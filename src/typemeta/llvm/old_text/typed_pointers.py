r"""Rewrites LLVM IR text with typed pointers (LLVM 2 to 14) into text that LLVM 17 and newer understand.

    %v = load i32* %p                          %v = load i32, ptr %p
    call i32 (i8*, ...)* @printf(i8* %s)       call i32 (ptr, ...) @printf(ptr %s)
    declare void @g(%T* sret) !type !3         declare !type !3 void @g(ptr sret(%T))

LLVM still takes `i8*` for `ptr`, but it has forgotten everything else that a pointer's type said: it
refuses the first and the last of these lines, and takes the second, without a word, for a call that
returns a pointer. So text with typed pointers should come here before LLVM sees it.

Only types and the spellings listed here change. Strings, quoted names, comments, everything else and all
line breaks come back as they were, so that LLVM's diagnostics point at the right line.

Types, anywhere in the text:
    T*, T addrspace(n)*, \n*     become `ptr`, `ptr addrspace(n)`; LLVM 2 wrote \n for the type n levels up
    x86_mmx                      becomes `<1 x i64>`, as in LLVM's own upgrade of bitcode
What a pointer no longer says and so must be written elsewhere:
    load, getelementptr, alias   get the type before the pointer, which LLVM <= 3.6 took from the pointer
    call, invoke, callbr         `R (A)* %f` becomes `R (A) %f` where it is the type of the callee; since
                                 LLVM 3.7 it is the type of the result. What decides is the declaration or
                                 type of the callee, the arguments, and which loads the text has
    byval, sret, inalloca, preallocated     get their type: `sret(T)`
    inline asm with indirect operands, and the intrinsics in `_TYPED_OPERANDS`, get `elementtype(T)`
Other spellings that LLVM no longer reads: listed in `old_spellings`; `declare ... !type !3` is one of them.

What LLVM upgrades by itself is left to it, such as names of intrinsics (`llvm.memcpy.p0i8.p0i8.i64`) and
`readnone`, and what it refuses for other reasons stays, to be reported by it at its line: constant
expressions that it dropped, debug info of LLVM 3.6 to 3.9, globals without a name, `malloc`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from typemeta.llvm.old_text.ir_tokens import TYPE_SUFFIXES, IRReader, IRText, TypeKind, TypeNode
from typemeta.llvm.old_text.old_spellings import OldSpellings

_ASTERISK: Final = re.compile(r'(?:[^*";/]++|"[^"]*+"|;[^\n]*+|/\*(?s:.*?)\*/|/)*+\*')
"""Text up to the first asterisk that is neither in a string nor in a comment."""

_POINTEE_ATTRIBUTES: Final = ("byval", "sret", "inalloca", "preallocated")
_ORDERS: Final = ("atomic", "volatile")
_GEP_FLAGS: Final = ("inbounds", "nusw", "nuw")
_CASTS: Final = ("bitcast", "inttoptr", "addrspacecast")
_TAIL_MARKS: Final = ("tail", "musttail", "notail")
_ASM_FLAGS: Final = ("sideeffect", "alignstack", "inteldialect", "unwind")
_TYPED_OPERANDS: Final = {
    "@llvm.preserve.array.access.index.": 0,
    "@llvm.preserve.struct.access.index.": 0,
    "@llvm.experimental.gc.statepoint.": 2,
    "@llvm.aarch64.ldxr.": 0,
    "@llvm.aarch64.ldaxr.": 0,
    "@llvm.aarch64.stxr.": 1,
    "@llvm.aarch64.stlxr.": 1,
    "@llvm.arm.ldrex.": 0,
    "@llvm.arm.ldaex.": 0,
    "@llvm.arm.strex.": 1,
    "@llvm.arm.stlex.": 1,
}
"""Intrinsics that must know what one of their arguments points to, and which."""


def has_typed_pointers(text: str) -> bool:
    """Tells whether an asterisk stands outside of strings and comments: no LLVM since 17 writes one."""
    return "*" in text and _ASTERISK.match(text) is not None


def upgrade_typed_pointers(text: str) -> str:
    """Returns the same module with opaque pointers; text without typed pointers comes back as it is.

    Raises:
        InputError: something cannot be rewritten with certainty; says where.
    """
    return _Upgrade(text).run() if has_typed_pointers(text) else text


@dataclass(frozen=True, slots=True)
class _Call:
    """A call whose type, a pointer to a function, may be that of the callee or that of the result.

    Attributes:
        node: the type.
        function: what it points to.
        has_name: the result is used.
        body: position of the `define` it stands in.
        locals: pointers to functions among the local values there, as far as they were met.
    """

    node: TypeNode
    function: TypeNode
    has_name: bool
    body: int
    locals: dict[str, TypeNode]


class _Upgrade:
    """One pass over the tokens. Methods named for a word get its position, and return where to go on."""

    def __init__(self, text: str) -> None:
        self._text = IRText(text)
        self._tokens = self._text.tokens
        self._reader = IRReader(self._text)
        self._spellings = OldSpellings(self._text, self._reader)
        self._actions: Final[dict[str, Callable[[int], int]]] = {
            **self._spellings.actions,
            **dict.fromkeys(("call", "invoke", "callbr"), self._call),
            **dict.fromkeys(("declare", "define"), self._function),
            **dict.fromkeys(_POINTEE_ATTRIBUTES, self._pointee_attribute),
            **dict.fromkeys(("{", "[", "<", "\\", "x86_mmx"), self._maybe_type),
            "load": self._load,
            "getelementptr": self._getelementptr,
            "alias": self._alias,
            "asm": self._asm,
            "*": self._stray_asterisk,
        }
        self._latest: TypeNode | None = None
        self._loads_old = self._loads_new = False
        self._results: dict[str, TypeNode] = {}
        self._body = 0
        self._locals: dict[str, TypeNode] = {}
        self._calls: list[_Call] = []

    def run(self) -> str:
        """Returns the text rewritten."""
        self._scan(0, self._text.end)
        for call in self._calls:
            self._rewrite_call(call)
        self._spellings.finish()
        return self._text.render()

    def _scan(self, index: int, stop: int) -> None:
        """Rewrites what stands in a range of tokens."""
        tokens, actions = self._tokens, self._actions
        while index < stop:
            action = actions.get(tokens[index])
            if action is not None:
                index = action(index)
            elif tokens[index + 1] in TYPE_SUFFIXES and self._reader.starts_type(index):
                index = self._accept(self._reader.need_type(index))
            else:
                index += 1

    # Types

    def _maybe_type(self, index: int) -> int:
        """Takes a bracket for a type if it can be one, else for a constant, body or metadata node."""
        token = self._tokens[index]
        is_node = token == "{" and self._tokens[index - 1] == "!"
        node = None if is_node else self._reader.read_type(index)
        if node is not None:
            return self._accept(node)
        if token == "{":
            self._spellings.open_brace(index)
        return index + 1

    def _accept(self, node: TypeNode) -> int:
        """Rewrites a type, and notes what it says of the value behind it."""
        self._rewrite(node)
        self._latest = node
        if self._function_behind(node) is not None:
            self._note_local(node)
        return node.stop

    def _note_local(self, node: TypeNode) -> None:
        """Notes the type of the local value that follows it, or is a parameter with it."""
        at = node.stop
        while self._tokens[at].isalpha() and self._tokens[at + 1] != "(":
            at += 1
        if self._tokens[at + 1] != "=":  # the next instruction
            self._locals[self._tokens[at]] = node

    def _rewrite(self, node: TypeNode) -> None:
        if node.kind is TypeKind.POINTER or self._is_mmx(node):
            self._text.replace_word(node.start, node.stop, self._spell(node))
        else:
            for part in node.parts:
                self._rewrite(part)

    def _spell(self, node: TypeNode) -> str:
        """Returns how a type is written today, on one line."""
        if node.kind is TypeKind.POINTER:
            return f"ptr addrspace({node.space})" if node.space else "ptr"
        if self._is_mmx(node):
            return "<1 x i64>"
        text = self._text
        pieces, at = [], node.start
        for part in node.parts:
            pieces += [text.original(at, part.start), text.blank_before(part.start), self._spell(part)]
            at = part.stop
        return "".join([*pieces, text.original(at, node.stop)]).strip()

    def _is_mmx(self, node: TypeNode) -> bool:
        return node.kind is TypeKind.SIMPLE and self._tokens[node.start] == "x86_mmx"

    def _pointee(self, node: TypeNode) -> TypeNode | None:
        """Returns what a pointer, or each pointer in a vector, points to."""
        node = self._reader.resolve(node)
        if node.kind is TypeKind.VECTOR:
            node = self._reader.resolve(node.parts[0])
        return node.parts[0] if node.kind is TypeKind.POINTER else None

    def _function_behind(self, node: TypeNode) -> TypeNode | None:
        """Returns the function type that a pointer points to, if it does."""
        node = self._reader.resolve(node)
        if node.kind is not TypeKind.POINTER:
            return None
        pointee = self._reader.resolve(node.parts[0])
        return pointee if pointee.kind is TypeKind.FUNCTION else None

    def _is_same(self, first: TypeNode, second: TypeNode) -> bool:
        return self._tokens[first.start : first.stop] == self._tokens[second.start : second.stop]

    def _name(self, index: int) -> str:
        return self._tokens[index].replace('"', "")

    def _stray_asterisk(self, index: int) -> int:
        raise self._text.error(index, "`*` does not follow a type")

    # Where the type that a pointer points to must be written out

    def _load(self, index: int) -> int:
        start = index + 1
        while self._tokens[start] in _ORDERS:
            start += 1
        return self._write_pointee(start)

    def _getelementptr(self, index: int) -> int:
        start = index + 1
        while self._tokens[start] in _GEP_FLAGS:
            start += 1
        if self._tokens[start] == "inrange":
            start = self._text.find_closing(start + 1) + 1
        return self._write_pointee(start + 1 if self._tokens[start] == "(" else start)

    def _write_pointee(self, index: int) -> int:
        """Writes the type that a pointer points to before its own, unless a type stands there already."""
        node = self._reader.need_type(index)
        if self._tokens[node.stop] == ",":
            self._loads_new = True
            return index
        self._loads_old = True
        self._insert_type(index, self._pointee(node))
        return index

    def _insert_type(self, index: int, node: TypeNode | None) -> None:
        if node is None:
            raise self._text.error(index, "expected a typed pointer, or a type and a comma")
        self._text.insert_before(index, self._spell(node) + ", ")

    def _pointee_attribute(self, index: int) -> int:
        if self._tokens[index + 1] == "(":
            return index + 1
        node = self._latest
        if node is None or not node.stop <= index < self._reader.skip_attributes(node.stop):
            raise self._text.error(index, f"`{self._tokens[index]}` does not follow a typed pointer")
        pointee = self._pointee(node)
        if pointee is None:
            raise self._text.error(index, f"`{self._tokens[index]}` does not follow a typed pointer")
        self._text.insert_after(index, f"({self._spell(pointee)})")
        return index + 1

    def _alias(self, index: int) -> int:
        start = self._spellings.move_linkage(index)
        node = self._reader.read_type(start)
        if node is None:
            self._insert_type(start, self._pointee_of_constant(start))
            return start
        if self._tokens[node.stop] != ",":
            self._insert_type(start, self._pointee(node))
        function = self._function_behind(node) or self._reader.resolve(node)
        if function.kind is TypeKind.FUNCTION:
            self._results[self._name(self._reader.find_equals(index) - 1)] = function.parts[0]
        return start

    def _pointee_of_constant(self, index: int) -> TypeNode | None:
        """Returns what a cast or getelementptr of LLVM <= 3.7, which has no type before it, points to."""
        if self._tokens[index] == "getelementptr":
            return self._element(index)
        cast = self._cast_type(index)
        return cast and self._pointee(cast)

    def _cast_type(self, index: int) -> TypeNode | None:
        """Returns what a cast, instruction or constant, casts to; None if it is no cast to a pointer."""
        if self._tokens[index] not in _CASTS:
            return None
        operand = self._reader.need_type(index + (2 if self._tokens[index + 1] == "(" else 1))
        to = self._reader.skip_value(operand.stop)
        return self._reader.need_type(to + 1) if self._tokens[to] == "to" else None

    def _element(self, index: int) -> TypeNode | None:
        """Walks the indexes of a constant getelementptr."""
        tokens = self._tokens
        base = self._reader.need_type(index + (2 if tokens[index + 1] == "(" else 3))  # inbounds (
        found = self._pointee(base)
        if tokens[base.stop] == ",":
            found, base = base, self._reader.need_type(base.stop + 1)
        at = self._reader.skip_value(base.stop) + 3
        while found is not None and tokens[at] == ",":
            found = self._part(self._reader.resolve(found), tokens[at + 2])
            at += 3
        return found

    def _part(self, node: TypeNode, number: str) -> TypeNode | None:
        """Returns the type of a field or element."""
        if node.kind is TypeKind.STRUCT:
            return node.parts[int(number)] if number.isdigit() and int(number) < len(node.parts) else None
        return node.parts[0] if node.kind in (TypeKind.ARRAY, TypeKind.VECTOR) else None

    def _asm(self, index: int) -> int:
        """Types the arguments that an inline assembler reads or writes through."""
        stop = self._skip_asm(index)
        constraints = self._tokens[stop - 1]
        if self._tokens[stop] == "(" and constraints[:1] == '"':
            for operand in _find_indirect(constraints.strip('"')):
                self._add_element_type(stop, operand)
        return index + 1

    def _skip_asm(self, index: int) -> int:
        """Returns the token behind the constraints of an inline assembler."""
        index += 1
        while self._tokens[index] in _ASM_FLAGS:
            index += 1
        return index + 3

    def _add_element_type(self, opening: int, operand: int) -> None:
        arguments = self._find_arguments(opening)
        if operand >= len(arguments):
            return
        start, stop = arguments[operand]
        node = self._reader.read_type(start)
        pointee = node and self._pointee(node)
        if node and pointee and "elementtype" not in self._tokens[start:stop]:
            self._text.insert_after(node.stop - 1, f" elementtype({self._spell(pointee)})")

    def _find_arguments(self, opening: int) -> list[tuple[int, int]]:
        """Returns where the arguments of a call start and stop."""
        closing = self._text.find_closing(opening)
        arguments = []
        start = at = opening + 1
        while start < closing:
            while at < closing and self._tokens[at] != ",":
                at = self._text.find_closing(at) + 1 if self._tokens[at] in ("(", "[", "{", "<") else at + 1
            arguments.append((start, at))
            start = at = at + 1
        return arguments

    # Functions and calls

    def _function(self, index: int) -> int:
        """Rewrites a declaration or the head of a definition up to its parameters."""
        start = self._reader.skip_attributes(index + 1)
        while self._tokens[start][:1] == "!":
            start = self._reader.skip_attributes(self._reader.skip_metadata(start + 1))
        self._scan(index + 1, start)
        node = self._reader.need_type(start)
        self._accept(node)
        if self._tokens[node.stop + 1] != "(":
            raise self._text.error(node.stop, "expected the name of a function and its parameters")
        self._results[self._name(node.stop)] = node
        if self._tokens[index] == "declare":
            self._spellings.move_attachments(index, node.stop + 1)
        else:
            self._spellings.enter_function(index)
            self._body, self._locals = index, {}
        return node.stop + 1

    def _call(self, index: int) -> int:
        tokens = self._tokens
        start = self._reader.skip_attributes(index + 1)
        self._scan(index + 1, start)
        node = self._reader.need_type(start)
        function = self._function_behind(node)
        if function is None:
            self._loads_new |= node.kind is TypeKind.FUNCTION
            self._rewrite(node)
        else:
            before = index - 1 if tokens[index - 1] not in _TAIL_MARKS else index - 2
            self._calls.append(_Call(node, function, tokens[before] == "=", self._body, self._locals))
        callee = node.stop
        for name, operand in _TYPED_OPERANDS.items() if tokens[callee].startswith("@llvm.") else ():
            if tokens[callee].startswith(name):
                self._add_element_type(callee + 1, operand)
        return callee + 1 if tokens[callee][:1] in ("@", "%") else callee

    def _rewrite_call(self, call: _Call) -> None:
        node, function = call.node, call.function
        if not self._is_type_of_callee(call):
            self._rewrite(node)
        elif function.start == node.start:
            self._rewrite(function)
            self._text.replace(function.stop, node.stop, "")
        else:  # a name stands for it
            self._text.replace_word(node.start, node.stop, self._spell(function))

    def _is_type_of_callee(self, call: _Call) -> bool:
        """Tells whether the type of a call is that of the callee (LLVM <= 3.6), not that of the result."""
        known = self._results.get(self._name(call.node.stop))
        result = call.function.parts[0]
        if known is not None and self._is_same(known, call.node):
            return False
        if known is not None and self._is_same(known, result):
            return True
        if (call.has_name and self._tokens[result.start : result.stop] == ["void"]) or not self._fits(call):
            return False
        callee = self._find_type_of_callee(call)
        if callee is not None and self._is_same(callee, call.node):
            return True
        function = callee and self._function_behind(callee)
        if function and self._is_same(function.parts[0], call.node):
            return False
        if self._loads_old != self._loads_new:
            return self._loads_old
        spelling = self._text.original(call.node.start, call.node.stop).strip()
        raise self._text.error(
            call.node.start,
            f"cannot tell whether `{spelling}` is the type of the callee, as in LLVM <= 3.6, or of the "
            "result; declare the callee, or drop the `*`",
        )

    def _fits(self, call: _Call) -> bool:
        """Tells whether the arguments of a call can be those of its type."""
        callee = call.node.stop
        is_asm = self._tokens[callee] == "asm"
        opening = self._skip_asm(callee) if is_asm else self._reader.skip_value(callee)
        if self._tokens[opening] != "(":
            return True
        arguments = len(self._find_arguments(opening))
        parameters = call.function.parts[1:]
        if parameters and self._tokens[parameters[-1].start] == "...":
            return arguments >= len(parameters) - 1
        return arguments == len(parameters)

    def _find_type_of_callee(self, call: _Call) -> TypeNode | None:
        """Returns the type of a callee that is a local value or a cast, if it is easily found."""
        tokens = self._tokens
        index = call.node.stop
        if tokens[index] in call.locals:
            return call.locals[tokens[index]]
        if tokens[index][:1] == "%":
            index = next(i for i in range(call.body, index + 1) if tokens[i] == tokens[index]) + 2
        return self._cast_type(index)


def _find_indirect(constraints: str) -> list[int]:
    """Returns which arguments of an inline assembler are indirect (`=*m`), as LLVM counts arguments."""
    indirect, argument = [], 0
    for constraint in constraints.split(",") if constraints else ():
        is_indirect = constraint.lstrip("=")[:1] == "*"
        if constraint[:1] in ("~", "!") or (constraint[:1] == "=" and not is_indirect):
            continue
        if is_indirect:
            indirect.append(argument)
        argument += 1
    return indirect
