"""LLVM contexts: owners of modules, and where LLVM's diagnostics arrive."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from typemeta.errors import StaleHandleError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.library import Library, load

if TYPE_CHECKING:
    from typemeta.llvm.module import Module

SEVERITIES: Final = ("error", "warning", "remark", "note")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of LLVM; `severity` is one of SEVERITIES."""

    severity: str
    text: str


class Context:
    """An LLVM context; closing it closes its modules.

    A context is used by one thread at a time. Its diagnostics are collected instead of printed:
    without a handler LLVM 19 to 22 end the process on a linker error.
    """

    def __init__(self, library: Library | None = None) -> None:
        self.library = library or load()
        self._ref: int = self.library.c.LLVMContextCreate()
        self._modules: weakref.WeakSet[Module] = weakref.WeakSet()
        self._kinds: dict[str, int] = {}
        self.diagnostics: list[Diagnostic] = []
        self._handler = self._install_handler()

    @property
    def ref(self) -> int:
        """The C handle.

        Raises:
            StaleHandleError: the context is closed.
        """
        if not self._ref:
            raise StaleHandleError("this LLVM context is closed")
        return self._ref

    @property
    def is_open(self) -> bool:
        """False once the context is closed."""
        return bool(self._ref)

    def adopt(self, module: Module) -> None:
        """Notes a module that must close before this context does."""
        self._modules.add(module)

    def metadata_kind(self, name: str) -> int:
        """Returns the number of a metadata kind such as `type`."""
        if name not in self._kinds:
            encoded = name.encode()
            self._kinds[name] = self.library.c.LLVMGetMDKindIDInContext(self.ref, encoded, len(encoded))
        return self._kinds[name]

    def take_diagnostics(self) -> list[Diagnostic]:
        """Returns what LLVM reported since the last call."""
        taken, self.diagnostics[:] = list(self.diagnostics), []
        return taken

    def close(self) -> None:
        """Frees the context and its modules; their values can no longer be used."""
        if not self._ref:
            return
        for module in list(self._modules):
            module.close()
        self.library.c.LLVMContextDispose(self._ref)
        self._ref = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_ref", 0):
            self.close()

    def _install_handler(self) -> Any:
        """Registers the diagnostic handler; the returned callback must live as long as the context."""
        c = self.library.c
        take_message = self.library.take_message
        diagnostics = self.diagnostics  # not self: a callback holding its context would never be freed

        def collect(info: int, _: Any) -> None:
            text = take_message(c.LLVMGetDiagInfoDescription(info))
            diagnostics.append(Diagnostic(SEVERITIES[c.LLVMGetDiagInfoSeverity(info)], text))

        handler = ffi.callback("LLVMDiagnosticHandler", collect)
        c.LLVMContextSetDiagnosticHandler(self._ref, handler, ffi.NULL)
        return handler
