"""Runs functions of a module in this process, with its type tests lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from typemeta.execute.entry import CallError, EntryPoint, add_constructor_calls, add_entry_point
from typemeta.execute.stubs import add_stubs
from typemeta.llvm.jit import Jit, call_void, read_memory
from typemeta.llvm.module import Module
from typemeta.llvm.target import adopt_host_target
from typemeta.lower.pipeline import lower_module
from typemeta.query import NamedAddress

__all__ = ["CallError", "PreparedFunction", "prepare_function", "run_function"]


@dataclass(frozen=True, slots=True)
class PreparedFunction:
    """A lowered module with an entry point."""

    module: Module
    entry: EntryPoint

    def compile(self) -> Callable[[], int | None]:
        """Compiles the module; what is returned runs it once and returns the result.

        Raises:
            LLVMError: the code cannot be compiled for this machine, or a symbol is missing.
        """
        jit = Jit(self.module.library)
        jit.add(self.module)
        start = jit.address(self.entry.name)
        result = jit.address(self.entry.result) if self.entry.size else 0

        def run() -> int | None:
            with jit:
                call_void(start)
                return self.entry.decode(read_memory(result, self.entry.size) if result else b"")

        return run


def prepare_function(
    module: Module, function: str, arguments: Sequence[int | NamedAddress]
) -> PreparedFunction:
    """Makes a module ready to call one of its functions: entry point, lowering, stubs.

    The module is changed; one without a target triple gets the host's.

    Raises:
        CallError: there is no such function, or the arguments do not fit.
        MetadataError: the module cannot be lowered.
    """
    adopt_host_target(module)
    entry = add_entry_point(module, function, arguments)
    lower_module(module)
    add_constructor_calls(module, entry)
    add_stubs(module)
    module.verify()
    return PreparedFunction(module, entry)


def run_function(module: Module, function: str, arguments: Sequence[int | NamedAddress] = ()) -> int | None:
    """Lowers a module in memory, compiles it, runs its constructors and calls a function.

    The module is changed. The code runs in this process: what it does to memory, it does here. A
    function that nothing defines is given a stub that ends the process with its name.

    Args:
        module: the module; one without a target triple gets the host's.
        function: name of a function that it defines.
        arguments: integers, or addresses (`NamedAddress("a", 8)`) for pointers.

    Returns:
        The result: `i1` as 0 or 1, wider integers signed, pointers unsigned, None for void.

    Raises:
        CallError: there is no such function, or the arguments do not fit.
        LLVMError: the code cannot be compiled for this machine.
    """
    return prepare_function(module, function, arguments).compile()()
