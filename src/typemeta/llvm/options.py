"""LLVM's own command-line options, such as `-inline-threshold=5`: settings of the whole process."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from typing import Final

from typemeta.llvm._cdef import ffi
from typemeta.llvm.library import Library

_STANDARD_OUTPUT: Final = 1
_LISTED: Final = re.compile(r"^ +--?([^\s=\[]+)(=<)?", re.MULTILINE)


def known_options(library: Library) -> dict[str, bool]:
    """Returns the names of LLVM's options, without dashes, and whether each must have a value.

    LLVM says so only on standard output, and then ends the process: a forked one is asked.
    """
    read_end, write_end = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads; the new process runs C code only
        child = os.fork()
    if child == 0:
        os.dup2(write_end, _STANDARD_OUTPUT)
        set_options(library, "opt", ["--help-list-hidden"])
        os._exit(1)
    os.close(write_end)
    with os.fdopen(read_end, errors="replace") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return {name: bool(value) for name, value in _LISTED.findall(text)}


def set_options(library: Library, program: str, words: Sequence[str]) -> None:
    """Sets options; LLVM ignores one that it does not know, and complains of a wrong value on standard error.

    An option must not be set twice in a process. Those that ask for help end the process with exit code 0.

    Args:
        library: the libLLVM to set them in.
        program: how LLVM calls the program in its messages.
        words: the options with their dashes.
    """
    words = [program, *words]
    strings = [ffi.new("char[]", word.encode(errors="surrogateescape")) for word in words]
    library.c.LLVMParseCommandLineOptions(len(words), ffi.new("char *[]", strings), ffi.NULL)
