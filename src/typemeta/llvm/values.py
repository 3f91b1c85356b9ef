"""Values of a module that can be kept and asked safely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typemeta.errors import StaleHandleError
from typemeta.llvm._cdef import ffi

if TYPE_CHECKING:
    from typemeta.llvm.module import Module

LINKAGES: Final = (
    "external",
    "available_externally",
    "linkonce",
    "linkonce_odr",
    "linkonce_odr",  # LLVMLinkOnceODRAutoHideLinkage, obsolete
    "weak",
    "weak_odr",
    "appending",
    "internal",
    "private",
    "dllimport",
    "dllexport",
    "extern_weak",
    "ghost",
    "common",
    "private",  # LLVMLinkerPrivateLinkage, obsolete
    "private",  # LLVMLinkerPrivateWeakLinkage, obsolete
)
"""LLVM's words for its LLVMLinkage numbers."""

LOCAL_LINKAGES: Final = frozenset({"internal", "private"})
VISIBILITIES: Final = ("default", "hidden", "protected")


class Value:
    """A global value of a module.

    Every property raises StaleHandleError if the module was closed, or changed since the value was
    looked up.
    """

    __slots__ = ("_epoch", "_module", "_ref")

    def __init__(self, module: Module, ref: int) -> None:
        self._module = module
        self._epoch = module.epoch
        self._ref = ref

    @property
    def ref(self) -> int:
        """The C handle."""
        module = self._module
        if module.epoch != self._epoch:
            raise StaleHandleError(f"module {module.name} was changed since this value was looked up")
        return self._ref if module.ref else 0

    @property
    def name(self) -> str:
        """The name without `@`; empty for a value without a name."""
        length = ffi.new("size_t *")
        ref = self.ref
        name = self._c.LLVMGetValueName2(ref, length)
        return bytes(ffi.buffer(name, length[0])).decode(errors="replace")

    @property
    def linkage(self) -> str:
        """One of LINKAGES."""
        return LINKAGES[self._c.LLVMGetLinkage(self.ref)]

    @property
    def visibility(self) -> str:
        """One of VISIBILITIES."""
        return VISIBILITIES[self._c.LLVMGetVisibility(self.ref)]

    @property
    def is_declaration(self) -> bool:
        """True if the module does not define it."""
        return bool(self._c.LLVMIsDeclaration(self.ref))

    @property
    def is_function(self) -> bool:
        """True for a function."""
        return bool(self._c.LLVMIsAFunction(self.ref))

    def __str__(self) -> str:
        ref = self.ref
        return self._module.library.take_message(self._c.LLVMPrintValueToString(ref))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._module is other._module and self.ref == other.ref

    def __hash__(self) -> int:
        return hash(self._ref)

    @property
    def _c(self) -> Any:
        return self._module.c
