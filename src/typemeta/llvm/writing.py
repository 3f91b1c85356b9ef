"""Turns a module into the bytes of an output file."""

from __future__ import annotations

import enum
from pathlib import PurePath
from typing import assert_never

from typemeta.llvm.module import Module
from typemeta.llvm.target import ASSEMBLY, OBJECT, generate_code


class OutputKind(enum.StrEnum):
    """What an output file holds; the values are the suffixes."""

    TEXT = "ll"
    BITCODE = "bc"
    ASSEMBLY = "s"
    OBJECT = "o"

    @classmethod
    def of_path(cls, path: str) -> OutputKind:
        """Returns the kind that a path's suffix names; text for `-`.

        Raises:
            ValueError: the suffix names no kind.
        """
        return cls.TEXT if path == "-" else cls(PurePath(path).suffix.removeprefix("."))

    @property
    def is_machine_code(self) -> bool:
        """True for assembly and objects."""
        return self in (OutputKind.ASSEMBLY, OutputKind.OBJECT)


def write_module(module: Module, kind: OutputKind) -> bytes:
    """Returns a module as the contents of an output file.

    Raises:
        LLVMError: machine code was asked for, and a type intrinsic is left or LLVM cannot generate it.
    """
    match kind:
        case OutputKind.TEXT:
            return module.print().encode(errors="surrogateescape")
        case OutputKind.BITCODE:
            return module.bitcode()
        case OutputKind.ASSEMBLY:
            return generate_code(module, ASSEMBLY)
        case OutputKind.OBJECT:
            return generate_code(module, OBJECT)
        case _:
            assert_never(kind)
