"""Every exception that a user of typemeta can act on. Imports nothing."""

from __future__ import annotations


class TypemetaError(Exception):
    """Something a person can act on: the message says what, where and what to do."""


class InputError(TypemetaError):
    """An input cannot be read or is not what it claims to be.

    Attributes:
        path: the file as the user named it, or None.
        line: 1-based line of the fault, 0 if unknown.
        column: 1-based column of the fault, 0 if unknown.
    """

    def __init__(self, message: str, *, path: str | None = None, line: int = 0, column: int = 0) -> None:
        self.path = path
        self.line = line
        self.column = column
        place = ":".join([path or "<input>", *(str(n) for n in (line, column) if n)])
        super().__init__(f"{place}: {message}" if path or line else message)


class OutputError(TypemetaError):
    """An output cannot be written; what was at its path before is still there."""


class MetadataError(TypemetaError):
    """Type metadata breaks LLVM's rules.

    Attributes:
        subject: the global or call site it hangs on, as LLVM writes it (`@_ZTV1A`).
    """

    def __init__(self, subject: str, message: str) -> None:
        self.subject = subject
        super().__init__(f"{subject}: {message}")


class PlanError(TypemetaError):
    """A plan was made for another module than the one it is applied to."""


class LinkError(TypemetaError):
    """Modules cannot be linked into one.

    Attributes:
        symbol: the name that two modules define, if that is the reason.
    """

    def __init__(self, message: str, *, symbol: str | None = None) -> None:
        self.symbol = symbol
        super().__init__(message)


class LLVMError(TypemetaError):
    """LLVM refused a call, or no usable LLVM was found."""


class StaleHandleError(TypemetaError):
    """A module, value or context was used after it was closed."""
