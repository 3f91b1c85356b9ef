"""What a module's type metadata consists of: types, globals, tests. Pure data."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NewType

GlobalIndex = NewType("GlobalIndex", int)
"""Position in `TypeModel.globals`."""

TypeIndex = NewType("TypeIndex", int)
"""Position in `TypeModel.types`."""

SiteIndex = NewType("SiteIndex", int)
"""Position in the call-site columns of a TypeModel."""


class GlobalKind(enum.StrEnum):
    """A global object is a variable or a function."""

    VARIABLE = "variable"
    FUNCTION = "function"


class VCallVisibility(enum.StrEnum):
    """Who may make virtual calls through a vtable (`!vcall_visibility` 0, 1, 2)."""

    PUBLIC = "public"
    LINKAGE_UNIT = "linkage-unit"
    TRANSLATION_UNIT = "translation-unit"


class SiteKind(enum.IntEnum):
    """The intrinsics that name a type identifier at a call site."""

    TYPE_TEST = 0
    PUBLIC_TYPE_TEST = 1
    CHECKED_LOAD = 2
    CHECKED_LOAD_RELATIVE = 3

    @property
    def intrinsic(self) -> str:
        """The intrinsic's name."""
        return INTRINSICS[self]


INTRINSICS = {
    SiteKind.TYPE_TEST: "llvm.type.test",
    SiteKind.PUBLIC_TYPE_TEST: "llvm.public.type.test",
    SiteKind.CHECKED_LOAD: "llvm.type.checked.load",
    SiteKind.CHECKED_LOAD_RELATIVE: "llvm.type.checked.load.relative",
}


@dataclass(frozen=True, slots=True)
class TypeIdentifier:
    """The name of a set of addresses.

    Attributes:
        id: the name; for a node, `!N` with N its number in order of first appearance.
        distinct: True for a node, which is known by identity and not by name.
    """

    id: str
    distinct: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalRecord:
    """A function or variable that carries `!type` or `!vcall_visibility`.

    Attributes:
        name: without `@`; empty if it has none.
        kind: variable or function.
        declaration: True if the module does not define it; `available_externally` is no declaration.
        size: bytes by the data layout; 0 for functions and unsized types.
        alignment: bytes, the explicit one or the ABI's; 1 for functions without one.
        linkage: LLVM's word.
        visibility: `default`, `hidden` or `protected`.
        section: explicit section, or empty.
        comdat: True if it is in a comdat.
        constant: True for a variable that is never written.
        thread_local: True for a thread-local variable.
        address_taken: for a function, whether anything but a direct call uses it (LLVM's
            `hasAddressTaken`); True for variables.
        canonical: for a function, whether its jump-table entry takes over its name
            (`CFI Canonical Jump Tables`, `cfi-canonical-jump-table`); False for variables.
        vcall_visibility: of a vtable; `public` if it carries none.
        address_space: number of the address space it lives in.
        thumb: True for a function of 32-bit ARM that is Thumb code.
    """

    name: str
    kind: GlobalKind
    declaration: bool
    size: int
    alignment: int
    linkage: str
    visibility: str
    section: str
    comdat: bool
    constant: bool
    thread_local: bool
    address_taken: bool
    canonical: bool
    vcall_visibility: VCallVisibility
    address_space: int = 0
    thumb: bool = False

    @property
    def is_local(self) -> bool:
        """True if no other module can name it."""
        return self.linkage in ("internal", "private")

    @property
    def is_declaration_for_linker(self) -> bool:
        """True if the object file will not define it (LLVM's `isDeclarationForLinker`)."""
        return self.declaration or self.linkage == "available_externally"


@dataclass(frozen=True, slots=True)
class ArmBranches:
    """Which branch instructions a module's functions may use, on 32-bit ARM.

    Attributes:
        arm: ARM's `b`.
        thumb: Thumb's 4-byte `b.w`.
    """

    arm: bool = False
    thumb: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """A byte offset from the start of a global."""

    global_: GlobalIndex
    offset: int
