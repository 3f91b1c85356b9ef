"""Runs code in this process through LLVM's ORC (LLJIT)."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Self

from typemeta.errors import StaleHandleError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.library import Library
from typemeta.llvm.module import Module
from typemeta.llvm.target import OBJECT, generate_code, initialize_targets


class Jit:
    """Compiled modules in memory, linked with each other and with this process.

    Objects are added as object code, which works alike from LLVM 19 to 23.
    """

    def __init__(self, library: Library) -> None:
        self._library, c = library, library.c
        out = ffi.new("LLVMOrcLLJITRef *")
        initialize_targets(library)
        library.check_error(c.LLVMOrcCreateLLJIT(out, 0), "cannot start LLVM's JIT")
        self._ref: int = out[0]
        generator = ffi.new("LLVMOrcDefinitionGeneratorRef *")
        error = c.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            generator, c.LLVMOrcLLJITGetGlobalPrefix(self._ref), ffi.NULL, ffi.NULL
        )
        library.check_error(error, "cannot search this process for symbols")
        c.LLVMOrcJITDylibAddGenerator(c.LLVMOrcLLJITGetMainJITDylib(self._ref), generator[0])

    @property
    def ref(self) -> int:
        """The C handle; StaleHandleError once closed."""
        if not self._ref:
            raise StaleHandleError("this JIT is closed")
        return self._ref

    def add(self, module: Module) -> None:
        """Compiles a module and makes its symbols available; the module stays as it is.

        Raises:
            LLVMError: code generation failed, or a symbol is defined already.
        """
        code = generate_code(module, OBJECT)
        c = self._library.c
        name = module.name.encode(errors="surrogateescape")
        buffer = c.LLVMCreateMemoryBufferWithMemoryRangeCopy(code, len(code), name)
        dylib = c.LLVMOrcLLJITGetMainJITDylib(self.ref)
        self._library.check_error(
            c.LLVMOrcLLJITAddObjectFile(self.ref, dylib, buffer), f"cannot load the code of {module.name}"
        )

    def address(self, name: str) -> int:
        """Returns the address of a symbol, compiling and linking what it needs.

        Raises:
            LLVMError: the symbol, or one that it needs, is defined nowhere.
        """
        out = ffi.new("uint64_t *")
        error = self._library.c.LLVMOrcLLJITLookup(self.ref, out, name.encode())
        self._library.check_error(error, f"cannot run {name}")
        return int(out[0])

    def close(self) -> None:
        """Frees the code; addresses into it dangle."""
        if self._ref:
            ref, self._ref = self._ref, 0
            self._library.check_error(self._library.c.LLVMOrcDisposeLLJIT(ref), "cannot close LLVM's JIT")

    def __enter__(self) -> Self:
        if not self._ref:
            raise StaleHandleError("this JIT is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def call_void(address: int) -> None:
    """Calls a `void ()` function at an address, and flushes what it printed with C's stdio."""
    ffi.cast("void(*)(void)", address)()
    ctypes.CDLL(None).fflush(None)


def read_memory(address: int, size: int) -> bytes:
    """Returns bytes of this process's memory."""
    return bytes(ffi.buffer(ffi.cast("char *", address), size))


def is_in_process(name: str) -> bool:
    """Tells whether this process defines a symbol."""
    try:
        ctypes.c_void_p.in_dll(ctypes.CDLL(None), name)
    except ValueError:
        return False
    return True
