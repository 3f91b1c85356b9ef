"""The loaded libLLVM: one per process, functions looked up when first called.

`Library.c` is cffi's view of the C API and the one untyped thing in typemeta. It stays inside this
folder: everything above gets our own classes and integers.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Final

from typemeta.errors import LLVMError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.find import NEWEST, OLDEST, FoundLibrary, find_libllvm

_lock: Final = threading.Lock()
_loaded: Library | None = None


class Library:
    """A loaded libLLVM.

    Attributes:
        c: the C functions, by LLVM's names; one that this LLVM lacks is an AttributeError.
        found: the file and how it was found.
        version: (major, minor, patch).
    """

    def __init__(self, found: FoundLibrary) -> None:
        self.found = found
        try:
            self.c: Any = ffi.dlopen(found.path)
            self.version = self._read_version()
        except (OSError, AttributeError, ffi.error) as error:
            raise LLVMError(f"cannot load {found.path} as libLLVM ({found.origin}): {error}") from error
        if not OLDEST <= self.version[0] <= NEWEST:
            raise LLVMError(
                f"{found.path} ({found.origin}) is LLVM {self.version_text}; "
                f"typemeta works with LLVM {OLDEST} to {NEWEST}"
            )
        self._fatal_handler: Any = None

    @property
    def version_text(self) -> str:
        """The version as LLVM writes it, such as `23.1.4`."""
        return ".".join(map(str, self.version))

    def has(self, function: str) -> bool:
        """Tells whether this LLVM has a C function that only some versions have."""
        try:
            getattr(self.c, function)
        except (AttributeError, ffi.error):  # the one if it is not declared, the other if not exported
            return False
        return True

    def take_message(self, message: Any) -> str:
        """Returns the text of a `char *` that LLVM allocated, and frees it."""
        if message == ffi.NULL:
            return ""
        text = bytes(ffi.string(message)).decode(errors="replace")
        self.c.LLVMDisposeMessage(message)
        return text

    def check_error(self, error: int, doing: str) -> None:
        """Raises LLVMError with LLVM's message if `error` is one; consumes it."""
        if error:
            message = self.c.LLVMGetErrorMessage(error)
            text = bytes(ffi.string(message)).decode(errors="replace")
            self.c.LLVMDisposeErrorMessage(message)
            raise LLVMError(f"{doing}: {text}")

    def take_buffer(self, buffer: int) -> bytes:
        """Returns a memory buffer's bytes, and frees it."""
        start = self.c.LLVMGetBufferStart(buffer)
        data = bytes(ffi.buffer(start, self.c.LLVMGetBufferSize(buffer)))
        self.c.LLVMDisposeMemoryBuffer(buffer)
        return data

    def on_fatal_error(self, handler: Callable[[str], None]) -> None:
        """Calls `handler` with LLVM's reason before LLVM ends the process on a fatal error.

        LLVM exits when the handler returns; there is no way to go on.
        """

        def report(reason: Any) -> None:
            handler(bytes(ffi.string(reason)).decode(errors="replace"))

        self._fatal_handler = ffi.callback("LLVMFatalErrorHandler", report)
        self.c.LLVMInstallFatalErrorHandler(self._fatal_handler)

    def _read_version(self) -> tuple[int, int, int]:
        parts = ffi.new("unsigned[3]")
        self.c.LLVMGetVersion(parts, parts + 1, parts + 2)
        return parts[0], parts[1], parts[2]


def load(path: str | None = None) -> Library:
    """Returns the process's libLLVM, loading it on the first call.

    Args:
        path: the file to load; None takes what is loaded already, or else what `find_libllvm` finds.

    Raises:
        LLVMError: nothing usable was found, or another libLLVM is loaded already (two in one
            process share symbols and crash).
    """
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = Library(find_libllvm(path))
        elif path is not None and os.path.abspath(path) != _loaded.found.path:
            raise LLVMError(f"{_loaded.found.path} is loaded already; one process can use one libLLVM")
        return _loaded
