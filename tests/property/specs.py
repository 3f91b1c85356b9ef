"""Modules with type metadata as data: what a strategy draws, what a law knows about it, and its IR text.

    @v0 = internal constant <{ ptr, [9 x i8] }> <{ ptr @f0, [9 x i8] c"..." }>, align 4, !type !0, !type !1
    define i1 @test.0(ptr %p) { ... llvm.type.test ... }     one function for each test, in several shapes
    @bases = global [2 x ptr] [ptr @v0, ptr @f0]              the addresses as the program sees them
    define void @drive(ptr %probes, i64 %count, ptr %out)     every test on every probe: one native call

What the module only declares is defined in a companion module.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis.vendor.pretty import RepresentationPrinter

TARGET = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""
POINTER_SIZE = 8


class Definition(enum.StrEnum):
    """Where a global is defined."""

    HERE = "here"
    ELSEWHERE = "elsewhere"  # declared; the companion defines it
    BOTH = "both"  # available_externally; the companion defines it
    WEAKLY = "weakly"  # extern_weak; the companion defines it
    NOWHERE = "nowhere"  # extern_weak, and nothing defines it: its address is null


class Shape(enum.StrEnum):
    """What the code around a test looks like."""

    PLAIN = "plain"
    BRANCH = "branch"
    SELECT = "select"
    LOOP = "loop"
    SWITCH = "switch"
    TWICE = "twice"
    INVOKE = "invoke"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a global plus an offset in bytes."""

    target: str
    offset: int = 0

    def __str__(self) -> str:
        base = f"ptr {at(self.target)}"
        return f"ptr getelementptr (i8, {base}, i64 {self.offset})" if self.offset else base


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable of `size` bytes: pointers first, then bytes that tell where they are.

    Attributes:
        name: without `@`.
        size: bytes.
        alignment: explicit, or None.
        constant: True if it is never written.
        linkage: LLVM's words in front of `constant`, visibility included.
        pointers: what its first bytes point to.
        natural: True for a struct that is not packed, so that its type has an alignment.
        defined: where; only HERE, ELSEWHERE and BOTH.
        comdat: True to put it into a comdat of its name.
        alias: offset of an alias into it, or None.
    """

    name: str
    size: int
    alignment: int | None = None
    constant: bool = True
    linkage: str = ""
    pointers: tuple[Pointer, ...] = ()
    natural: bool = False
    defined: Definition = Definition.HERE
    comdat: bool = False
    alias: int | None = None

    @property
    def least_alignment(self) -> int:
        """What the address must be a multiple of."""
        natural = POINTER_SIZE if self.natural and self.pointers else 1
        return self.alignment or natural

    @property
    def filling(self) -> bytes:
        """The bytes behind the pointers."""
        return bytes(range(1, 252))[: self.size - POINTER_SIZE * len(self.pointers)].ljust(
            self.size - POINTER_SIZE * len(self.pointers), b"\xfb"
        )

    def type_and_contents(self) -> tuple[str, str]:
        """Returns the type and the initializer."""
        filling = "".join(f"\\{byte:02X}" for byte in self.filling)
        types = ["ptr"] * len(self.pointers)
        values = [str(pointer) for pointer in self.pointers]
        if self.filling or not self.natural:
            types.append(f"[{len(self.filling)} x i8]")
            values.append(f'{types[-1]} c"{filling}"' if self.filling else f"{types[-1]} zeroinitializer")
        opening, closing = ("{", "}") if self.natural else ("<{", "}>")
        return f"{opening} {', '.join(types)} {closing}", f"{opening} {', '.join(values)} {closing}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function that takes nothing and returns `value`.

    Attributes:
        name: without `@`.
        value: what it returns.
        linkage: LLVM's words in front of the result, visibility and `dso_local` included.
        defined: where.
        taken: True if `@bases` holds its address.
        called: True if `@call.NAME` calls it directly.
        alias: True if there is an alias of it; HERE only.
        canonical: True for the attribute `cfi-canonical-jump-table`; HERE only.
        comdat: True to put it into a comdat of its name; HERE only.
    """

    name: str
    value: int
    linkage: str = ""
    defined: Definition = Definition.HERE
    taken: bool = True
    called: bool = False
    alias: bool = False
    canonical: bool = False
    comdat: bool = False


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type identifier: a name, or a distinct node."""

    text: str
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One `!type` attachment; `bits` is the width of the offset's integer."""

    owner: str
    type: int
    offset: int = 0
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Test:
    """A function `i1 test.N(ptr)`."""

    __test__ = False  # not for pytest

    type: int
    shape: Shape = Shape.PLAIN


@dataclass(frozen=True, slots=True)
class KnownTest:
    """A function `i1 known.N(i1)` that tests the first address or the second, which it names."""

    __test__ = False

    type: int
    first: Pointer
    second: Pointer


@dataclass(frozen=True, kw_only=True)
class ModuleSpec:
    """A module. Members stand in the order in which each global lists its attachments."""

    variables: tuple[Variable, ...] = ()
    functions: tuple[Function, ...] = ()
    types: tuple[TypeName, ...] = ()
    members: tuple[Member, ...] = ()
    tests: tuple[Test, ...] = ()
    known: tuple[KnownTest, ...] = ()
    constant_bases: bool = False
    flags: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"module\n{self.text()}\nwith companion\n{self.companion()}"

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        printer.text(repr(self))

    @property
    def taken_functions(self) -> tuple[Function, ...]:
        """The functions whose address the module takes; `@bases` has all of them."""
        named = {pointer.target for variable in self.variables for pointer in variable.pointers}
        named |= {pointer.target for test in self.known for pointer in (test.first, test.second)}
        return tuple(f for f in self.functions if f.taken or f.alias or f.name in named)

    @property
    def bases(self) -> tuple[str, ...]:
        """The names whose addresses `@bases` holds."""
        aliases = [f"alias.{v.name}" for v in self.variables if v.alias is not None]
        aliases += [f"alias.{f.name}" for f in self.functions if f.alias]
        variables = [v.name for v in self.variables]
        return (*variables, *(f.name for f in self.taken_functions), *aliases)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Functions defined here whose address is taken; `@bodies` says where they really are."""
        return tuple(f.name for f in self.taken_functions if f.defined is Definition.HERE)

    def counted(self, type_: int) -> list[Member]:
        """Returns the members of a type that can be laid out: variables defined here, functions taken."""
        owners = {v.name for v in self.variables if v.defined is Definition.HERE}
        owners |= {f.name for f in self.taken_functions}
        return [m for m in self.members if m.type == type_ and m.owner in owners]

    def text(self) -> str:
        """Returns the module as IR text."""
        parts = [
            TARGET,
            *(f"{comdat(v.name)} = comdat any" for v in self.variables if v.comdat),
            *(f"{comdat(f.name)} = comdat any" for f in self.functions if f.comdat),
            *map(self._variable, self.variables),
            *map(self._alias, self.variables),
            *map(self._function, self.functions),
            *(f"{at(f'alias.{f.name}')} = alias i32 (), ptr {at(f.name)}" for f in self.functions if f.alias),
            *map(_caller, self.functions),
            self._tables(),
            *(self._test(index, test) for index, test in enumerate(self.tests)),
            *(self._known(index, test) for index, test in enumerate(self.known)),
            _driver(len(self.tests)),
            _known_driver(len(self.known)),
            *self._nodes(),
            "define void @start() {\n  ret void\n}",
            "declare i1 @llvm.type.test(ptr, metadata)",
        ]
        return "\n".join(filter(None, parts))

    def companion(self) -> str:
        """Returns the module that defines what this one only declares."""
        elsewhere = (Definition.ELSEWHERE, Definition.BOTH, Definition.WEAKLY)
        lines = [TARGET]
        for variable in self.variables:
            if variable.defined in elsewhere:
                bytes_ = f"[{max(variable.size, 1)} x i8] zeroinitializer"
                lines.append(f"{at(variable.name)} = global {bytes_}, align {variable.least_alignment}")
        for function in self.functions:
            if function.defined in elsewhere:
                lines.append(f"define i32 {at(function.name)}() {{\n  ret i32 {function.value}\n}}")
        return "\n".join(lines)

    def _attachments(self, owner: str) -> str:
        return "".join(f"!type !{i} " for i, m in enumerate(self.members) if m.owner == owner)

    def _variable(self, variable: Variable) -> str:
        type_, contents = variable.type_and_contents()
        kind = "constant" if variable.constant else "global"
        external = variable.defined is Definition.ELSEWHERE
        linkage = {
            Definition.HERE: variable.linkage,
            Definition.ELSEWHERE: "external",
            Definition.BOTH: "available_externally",
        }[variable.defined]
        parts = [f"{at(variable.name)} = {linkage} {kind} {type_}{'' if external else ' ' + contents}"]
        if variable.comdat:
            parts.append(f"comdat({comdat(variable.name)})")
        if variable.alignment:
            parts.append(f"align {variable.alignment}")
        parts += self._attachments(variable.name).replace("!type", ",!type").strip(", ").split(" ,")
        return ", ".join(part for part in parts if part)

    def _alias(self, variable: Variable) -> str:
        if variable.alias is None:
            return ""
        # The JIT's linker gives an alias the size of its aliasee, which may lie behind its end.
        linkage = "private" if variable.alias else "internal" if variable.constant else ""
        return (
            f"{at(f'alias.{variable.name}')} = {linkage} alias i8, {Pointer(variable.name, variable.alias)}"
        )

    def _function(self, function: Function) -> str:
        attachments, name = self._attachments(function.name), at(function.name)
        match function.defined:
            case Definition.HERE | Definition.BOTH:
                here = function.defined is Definition.HERE
                linkage = function.linkage if here else "available_externally"
                attribute = '"cfi-canonical-jump-table" ' if function.canonical else ""
                group = f"comdat({comdat(function.name)}) " if function.comdat else ""
                head = f"define {linkage} i32 {name}() {attribute}{group}{attachments}"
                return f"{head}{{\n  ret i32 {function.value}\n}}"
            case Definition.ELSEWHERE:
                return f"declare {attachments}i32 {name}()"
            case Definition.WEAKLY | Definition.NOWHERE:
                return f"declare {attachments}extern_weak i32 {name}()"

    def _tables(self) -> str:
        kind = "constant" if self.constant_bases else "global"
        bases = ", ".join(f"ptr {at(name)}" for name in self.bases)
        bodies = ", ".join(f"ptr no_cfi {at(name)}" for name in self.bodies)
        return (
            f"@bases = {kind} [{len(self.bases)} x ptr] [{bases}]\n"
            f"@bodies = global [{len(self.bodies)} x ptr] [{bodies}]"
        )

    def _identifier(self, type_: int) -> str:
        name = self.types[type_]
        return f"!{len(self.members) + type_}" if name.distinct else f'!"{escape(name.text)}"'

    def _test(self, index: int, test: Test) -> str:
        body = _SHAPES[test.shape].replace("TYPE", self._identifier(test.type))
        personality = " personality ptr @personality" if test.shape is Shape.INVOKE else ""
        return f"define i1 @test.{index}(ptr %p){personality} {{\n{body}}}"

    def _known(self, index: int, test: KnownTest) -> str:
        pointer = str(test.first).removeprefix("ptr ")
        choice = ""
        if test.first != test.second:
            choice, pointer = f"  %p = select i1 %c, {test.first}, {test.second}\n", "%p"
        call = f"call i1 @llvm.type.test(ptr {pointer}, metadata {self._identifier(test.type)})"
        return f"define i1 @known.{index}(i1 %c) {{\n{choice}  %x = {call}\n  ret i1 %x\n}}"

    def _nodes(self) -> Iterator[str]:
        for index, member in enumerate(self.members):
            mask = (1 << member.bits) - 1
            offset = f"i{member.bits} {member.offset & mask}"
            yield f"!{index} = !{{{offset}, {self._identifier(member.type)}}}"
        for index, name in enumerate(self.types):
            if name.distinct:
                yield f"!{len(self.members) + index} = distinct !{{}}"
        first = len(self.members) + len(self.types)
        for index, (key, value) in enumerate(self.flags.items(), first):
            yield f'!{index} = !{{i32 4, !"{key}", i32 {value}}}'
        if self.flags:
            yield f"!llvm.module.flags = !{{{', '.join(f'!{first + i}' for i in range(len(self.flags)))}}}"


def at(name: str) -> str:
    """Returns a global's name as IR text."""
    return f'@"{escape(name)}"'


def comdat(name: str) -> str:
    """Returns a comdat's name as IR text."""
    return f'$"{escape(name)}"'


def escape(text: str) -> str:
    """Escapes a text for a pair of quotes."""
    special = b'"\\'
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in special else f"\\{byte:02X}"
        for byte in text.encode()
    )


_CALL = "call i1 @llvm.type.test(ptr {}, metadata TYPE)"
_SHAPES = {
    Shape.PLAIN: f"  %x = {_CALL.format('%p')}\n  ret i1 %x\n",
    Shape.BRANCH: f"""\
entry:
  %x = {_CALL.format("%p")}
  br i1 %x, label %yes, label %no
yes:
  %y = phi i1 [ %x, %entry ]
  ret i1 %y
no:
  ret i1 false
""",
    Shape.SELECT: f"""\
  %x = {_CALL.format("%p")}
  %n = select i1 %x, i64 7, i64 3
  %y = icmp eq i64 %n, 7
  ret i1 %y
""",
    Shape.LOOP: f"""\
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %r, %loop ]
  %seen = phi i1 [ true, %entry ], [ %all, %loop ]
  %n = phi i64 [ 0, %entry ], [ %m, %loop ]
  %x = {_CALL.format("%q")}
  %r = getelementptr i8, ptr %q, i64 0
  %all = and i1 %seen, %x
  %m = add i64 %n, 1
  %again = icmp ult i64 %m, 3
  br i1 %again, label %loop, label %done
done:
  %y = phi i1 [ %all, %loop ]
  ret i1 %y
""",
    Shape.SWITCH: f"""\
entry:
  %x = {_CALL.format("%p")}
  %n = zext i1 %x to i8
  switch i8 %n, label %no [ i8 1, label %done
                            i8 2, label %no ]
no:
  br label %done
done:
  %y = phi i1 [ %x, %entry ], [ false, %no ]
  ret i1 %y
""",
    Shape.TWICE: f"""\
  %x = {_CALL.format("%p")}
  %q = getelementptr i8, ptr %p, i64 1
  %r = getelementptr i8, ptr %q, i64 -1
  %y = {_CALL.format("%r")}
  %z = and i1 %x, %y
  ret i1 %z
""",
    Shape.INVOKE: f"""\
entry:
  invoke void @start() to label %next unwind label %pad
next:
  %x = {_CALL.format("%p")}
  invoke void @start() to label %done unwind label %pad
pad:
  %caught = landingpad {{ ptr, i32 }} cleanup
  %q = {_CALL.format("%p")}
  br label %done
done:
  %y = phi i1 [ %x, %next ], [ %q, %pad ]
  ret i1 %y
""",
}


def _caller(function: Function) -> str:
    if not function.called:
        return ""
    head = f"define i32 {at(f'call.{function.name}')}()"
    return f"{head} {{\n  %r = call i32 {at(function.name)}()\n  ret i32 %r\n}}"


def _driver(count: int) -> str:
    """Returns `@drive`, which fills a matrix of answers: a row for each probe, a byte for each test."""
    stores = []
    for index in range(count):
        stores.append(f"""\
  %x{index} = call i1 @test.{index}(ptr %p)
  %b{index} = zext i1 %x{index} to i8
  %o{index} = getelementptr i8, ptr %row, i64 {index}
  store i8 %b{index}, ptr %o{index}""")
    return f"""\
define internal i32 @personality(...) {{
  ret i32 0
}}
define void @drive(ptr %probes, i64 %count, ptr %out) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %probes, i64 %i
  %p = load ptr, ptr %place
  %start = mul i64 %i, {count}
  %row = getelementptr i8, ptr %out, i64 %start
{chr(10).join(stores)}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _known_driver(count: int) -> str:
    """Returns `@drive.known`: two bytes for each test, the answers for its first and second address."""
    lines = []
    for index in range(count):
        for column, condition in enumerate(("true", "false")):
            place = 2 * index + column
            lines.append(f"""\
  %x{place} = call i1 @known.{index}(i1 {condition})
  %b{place} = zext i1 %x{place} to i8
  %o{place} = getelementptr i8, ptr %out, i64 {place}
  store i8 %b{place}, ptr %o{place}""")
    return f"define void @drive.known(ptr %out) {{\n{chr(10).join(lines)}\n  ret void\n}}"
