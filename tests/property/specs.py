"""Modules with type metadata as data: what a strategy draws and what a law knows. `ir_text` writes them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

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
        count = self.size - POINTER_SIZE * len(self.pointers)
        return bytes(index % 251 + 1 for index in range(count))


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
    """A function `i1 test.N(ptr)` that tests its argument."""

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
    """A module.

    Attributes:
        variables: its variables.
        functions: its functions, those apart that test, call and drive.
        types: its type identifiers.
        members: its `!type` attachments, in the order in which each global lists its own.
        tests: functions that test their argument.
        known: functions that test an address they name.
        constant_bases: True if the table of addresses is constant.
        flags: module flags.
    """

    variables: tuple[Variable, ...] = ()
    functions: tuple[Function, ...] = ()
    types: tuple[TypeName, ...] = ()
    members: tuple[Member, ...] = ()
    tests: tuple[Test, ...] = ()
    known: tuple[KnownTest, ...] = ()
    constant_bases: bool = False
    flags: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<module of {len(self.globals)} globals and {len(self.tests)} tests>"

    @property
    def globals(self) -> tuple[Variable | Function, ...]:
        """All variables and functions."""
        return (*self.variables, *self.functions)

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
