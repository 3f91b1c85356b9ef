"""LLVM's own command-line options, such as `-inline-threshold=5`: settings of the whole process."""

from __future__ import annotations

from collections.abc import Sequence

from typemeta.llvm._cdef import ffi
from typemeta.llvm.library import Library


def set_options(library: Library, program: str, words: Sequence[str]) -> None:
    """Sets options; an option must not be set twice in a process.

    LLVM ends the process, with exit code 1 and the reason on standard error, if it does not know one or
    dislikes its value.

    Args:
        library: the libLLVM to set them in.
        program: how LLVM calls the program in its messages.
        words: the options with their dashes.
    """
    words = [program, *words]
    strings = [ffi.new("char[]", word.encode(errors="surrogateescape")) for word in words]
    library.c.LLVMParseCommandLineOptions(len(words), ffi.new("char *[]", strings), ffi.NULL)
