"""Modules: parsing, printing, verifying, linking, and looking things up in them.

A `Module` owns LLVM's module. Values found in it (`Value`) can be used until the module changes or is
closed; after that they raise StaleHandleError instead of crashing the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, NoReturn, Self

from typemeta.errors import InputError, LinkError, LLVMError, StaleHandleError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.context import Context
from typemeta.llvm.library import Library
from typemeta.llvm.values import Value

_POSITION: Final = re.compile(r"^(?:error: )?(?:.*?):(\d+):(\d+): error: (.*)", re.DOTALL)
_CLASH: Final = re.compile(r"Linking globals named '(.*)': symbol multiply defined")
CONSTANT_AS_METADATA: Final = 1  # LLVMMetadataKind of a constant used as metadata
_RETURN_STATUS: Final = 2  # LLVMReturnStatusAction: report, neither print nor abort


class Module:
    """An LLVM module and the context it lives in.

    Attributes:
        context: owner; closing it closes the module.
        name: what the user called the input, for messages.
        epoch: grows by one whenever the module is changed; handles of an older epoch are refused.
    """

    def __init__(self, context: Context, ref: int, name: str) -> None:
        self.context = context
        self.name = name
        self.epoch = 0
        self._ref = ref
        context.adopt(self)

    @classmethod
    def parse(cls, data: bytes | memoryview, name: str, *, context: Context | None = None) -> Module:
        """Parses IR text or bitcode.

        Args:
            data: the whole text or bitcode; typed pointers are refused by LLVM (see
                `typed_pointers.upgrade_typed_pointers`).
            name: shown in messages.
            context: where the module will live; a new one if None.

        Raises:
            InputError: LLVM cannot parse it; with line and column where LLVM gives them.
        """
        context = context or Context()
        library = context.library
        buffer = library.c.LLVMCreateMemoryBufferWithMemoryRangeCopy(
            ffi.from_buffer("char[]", data), len(data), name.encode(errors="surrogateescape")
        )
        out = ffi.new("LLVMModuleRef *")
        message = ffi.new("char **")
        context.take_diagnostics()
        if library.c.LLVMParseIRInContext(context.ref, buffer, out, message):
            _raise_parse_error(library.take_message(message[0]), context, name)
        return cls(context, out[0], name)

    @property
    def ref(self) -> int:
        """The C handle.

        Raises:
            StaleHandleError: the module, or its context, is closed.
        """
        if not self._ref:
            raise StaleHandleError(f"module {self.name} is closed")
        return self._ref

    @property
    def library(self) -> Library:
        """The libLLVM it was made with."""
        return self.context.library

    @property
    def c(self) -> Any:
        """The C functions of that library."""
        return self.context.library.c

    def changed(self) -> None:
        """Makes every handle found before this call stale."""
        self.epoch += 1

    def close(self) -> None:
        """Frees the module; its values can no longer be used."""
        if self._ref:
            if self.context.is_open:
                self.c.LLVMDisposeModule(self._ref)
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

    def __repr__(self) -> str:
        return f"<Module {self.name!r}{'' if self._ref else ' closed'}>"

    @property
    def triple(self) -> str:
        """The target triple; empty if the module names none."""
        return _text(self.c.LLVMGetTarget(self.ref))

    @property
    def data_layout(self) -> str:
        """The data layout string; empty if the module has none."""
        return _text(self.c.LLVMGetDataLayoutStr(self.ref))

    def set_target(self, triple: str, data_layout: str) -> None:
        """Replaces target triple and data layout."""
        self.c.LLVMSetTarget(self.ref, triple.encode())
        self.c.LLVMSetDataLayout(self.ref, data_layout.encode())
        self.changed()

    @property
    def pointer_bits(self) -> int:
        """Width of a pointer of address space 0."""
        return int(self.c.LLVMPointerSize(self.c.LLVMGetModuleDataLayout(self.ref))) * 8

    def functions(self) -> Iterator[Value]:
        """Yields the functions, declarations included, in module order."""
        return self._each(self.c.LLVMGetFirstFunction, self.c.LLVMGetNextFunction)

    def variables(self) -> Iterator[Value]:
        """Yields the global variables, declarations included, in module order."""
        return self._each(self.c.LLVMGetFirstGlobal, self.c.LLVMGetNextGlobal)

    def aliases(self) -> Iterator[Value]:
        """Yields the aliases in module order."""
        return self._each(self.c.LLVMGetFirstGlobalAlias, self.c.LLVMGetNextGlobalAlias)

    def ifuncs(self) -> Iterator[Value]:
        """Yields the ifuncs in module order."""
        return self._each(self.c.LLVMGetFirstGlobalIFunc, self.c.LLVMGetNextGlobalIFunc)

    def find(self, name: str) -> Value | None:
        """Returns the function, variable or alias called `name` (without `@`), or None."""
        encoded = name.encode(errors="surrogateescape")
        ref = (
            self.c.LLVMGetNamedFunction(self.ref, encoded)
            or self.c.LLVMGetNamedGlobal(self.ref, encoded)
            or self.c.LLVMGetNamedGlobalAlias(self.ref, encoded, len(encoded))
        )
        return Value(self, ref) if ref else None

    def flags(self) -> dict[str, int | None]:
        """Returns the module flags; None stands for a value that is not an integer."""
        length = ffi.new("size_t *")
        entries = self.c.LLVMCopyModuleFlagsMetadata(self.ref, length)
        try:
            return dict(self._flag(entries, index) for index in range(length[0]))
        finally:
            self.c.LLVMDisposeModuleFlagsMetadata(entries)

    def print(self) -> str:
        """Returns the module as IR text."""
        return self.library.take_message(self.c.LLVMPrintModuleToString(self.ref))

    def bitcode(self) -> bytes:
        """Returns the module as bitcode."""
        return self.library.take_buffer(self.c.LLVMWriteBitcodeToMemoryBuffer(self.ref))

    def verify(self) -> None:
        """Runs LLVM's verifier.

        Raises:
            LLVMError: the module breaks a rule of the IR; the message is LLVM's.
        """
        message = ffi.new("char **")
        broken = self.c.LLVMVerifyModule(self.ref, _RETURN_STATUS, message)
        text = self.library.take_message(message[0])
        if broken:
            raise LLVMError(f"{self.name}: LLVM's verifier refuses the module: {text.strip()}")

    def clone(self) -> Module:
        """Returns a copy in the same context."""
        return Module(self.context, self.c.LLVMCloneModule(self.ref), self.name)

    def link_in(self, other: Module) -> None:
        """Links `other` into this module; `other` is closed, whatever happens.

        Raises:
            LinkError: LLVM's linker refuses, most often because both define a symbol
                (`LinkError.symbol`).
        """
        if other.context is not self.context:
            raise ValueError("only modules of one context can be linked")
        source, other._ref = other.ref, 0
        self.context.take_diagnostics()
        failed = self.c.LLVMLinkModules2(self.ref, source)
        self.changed()
        if failed:
            reported = "; ".join(d.text for d in self.context.take_diagnostics() if d.severity == "error")
            clash = _CLASH.search(reported)
            raise LinkError(f"cannot link {other.name}: {reported}", symbol=clash[1] if clash else None)

    def _each(self, first: Any, following: Any) -> Iterator[Value]:
        ref = first(self.ref)
        while ref:
            value = Value(self, ref)
            yield value
            ref = following(value.ref)  # refused if the module was changed or closed meanwhile

    def _flag(self, entries: Any, index: int) -> tuple[str, int | None]:
        c = self.c
        length = ffi.new("size_t *")
        key = c.LLVMModuleFlagEntriesGetKey(entries, index, length)
        name = bytes(ffi.buffer(key, length[0])).decode(errors="replace")
        node = c.LLVMModuleFlagEntriesGetMetadata(entries, index)
        is_constant = c.LLVMGetMetadataKind(node) == CONSTANT_AS_METADATA
        operand = c.LLVMGetOperand(c.LLVMMetadataAsValue(self.context.ref, node), 0) if is_constant else 0
        number = c.LLVMIsAConstantInt(operand) if operand else 0
        return name, int(c.LLVMConstIntGetZExtValue(number)) if number else None


def _text(string: Any) -> str:
    return "" if string == ffi.NULL else bytes(ffi.string(string)).decode(errors="replace")


def _raise_parse_error(message: str, context: Context, name: str) -> NoReturn:
    """Turns LLVM's message, `file:line:column: error: text` and a caret, into an InputError."""
    position = _POSITION.match(message)
    if position:
        text = position[3].split("\n", 1)[0]
        raise InputError(text, path=name, line=int(position[1]), column=int(position[2]))
    reported = [d.text for d in context.take_diagnostics() if d.severity == "error"]
    text = "; ".join(reported) or message.strip() or "LLVM cannot parse it"
    raise InputError(
        text.removeprefix("error: ").removeprefix(f"{name}: ").removeprefix("error: "), path=name
    )
