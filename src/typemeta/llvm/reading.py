"""Reads inputs, files or standard input, into one module: what LTO sees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from typemeta.errors import InputError, LinkError
from typemeta.llvm.containers import Payload, PayloadKind, find_payloads
from typemeta.llvm.context import Context
from typemeta.llvm.module import Module

STANDARD_INPUT: Final = "-"
Note = Callable[[str], None]
"""Takes a line that a user should see."""

Progress = Callable[[str], None]
"""Takes a phrase that says what is done next."""

Edit = Callable[[bytes], bytes]
"""Changes IR text before LLVM parses it."""


def read_module(
    inputs: Sequence[str],
    *,
    context: Context | None = None,
    note: Note | None = None,
    progress: Progress | None = None,
    edit_text: Edit | None = None,
) -> Module:
    """Reads one or more inputs; several are linked with LLVM's IR linker, in order.

    Args:
        inputs: paths of IR text, bitcode, LTO objects, fat objects or archives of these; `-` is
            standard input.
        context: where the module will live; a new one if None.
        note: called with what a user should know: upgraded text, LLVM's warnings.
        progress: called with what is done next, such as `parsing libx.a(foo.o)`.
        edit_text: changes what is IR text before it is parsed, its target for example.

    Raises:
        InputError: an input cannot be read, or holds nothing to read.
        LinkError: two inputs define the same symbol, or cannot be linked for another reason.
        ValueError: `inputs` is empty.
    """
    if not inputs:
        raise ValueError("there must be at least one input")
    context = context or Context()
    payloads = [payload for name in inputs for payload in _payloads(name)]
    progress = progress or _nothing
    progress(f"parsing {payloads[0].name}")
    module = _parse(payloads[0], context, note, edit_text)
    for position, payload in enumerate(payloads[1:], 1):
        progress(f"parsing {payload.name}")
        following = _parse(payload, context, note, edit_text)
        if _same_file(payloads[position - 1], payload):
            keep_linkonce(module)
            keep_linkonce(following)
        progress(f"linking {payload.name}")
        try:
            module.link_in(following)
        except LinkError as error:
            raise _explain(error, payloads[:position], payload) from error
    if note:
        for diagnostic in context.take_diagnostics():
            note(f"LLVM {diagnostic.severity}: {diagnostic.text}")
    if len(payloads) > 1:
        module.name = inputs[0] if len(inputs) == 1 else f"{inputs[0]} and {len(inputs) - 1} more"
    return module


def read_bytes(name: str) -> bytes:
    """Returns the contents of a file or of standard input.

    Raises:
        InputError: it cannot be read.
    """
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except IsADirectoryError as error:
        raise InputError("is a directory; name the files in it", path=name) from error
    except OSError as error:
        raise InputError((error.strerror or str(error)).lower(), path=name) from error


def keep_linkonce(module: Module) -> None:
    """Turns `linkonce` into `weak`, so that the linker does not drop what only another half needs."""
    c = module.c
    weak_for = {2: 5, 3: 6}  # LLVMLinkOnceAny, LLVMLinkOnceODR: LLVMWeakAny, LLVMWeakODR
    for values in (module.functions(), module.variables(), module.aliases()):
        for value in values:
            linkage = c.LLVMGetLinkage(value.ref)
            if linkage in weak_for:
                c.LLVMSetLinkage(value.ref, weak_for[linkage])


def _nothing(_: str) -> None:
    """Does nothing."""


def _payloads(name: str) -> list[Payload]:
    data = read_bytes(name)
    if name == STANDARD_INPUT:
        return find_payloads(data, "<stdin>")
    return find_payloads(data, name, folder=Path(name).parent)


def _same_file(first: Payload, second: Payload) -> bool:
    """Tells two modules of one multi-module file: the second's name is the first's with a number."""
    stem, mark, _ = second.name.rpartition("#")
    return bool(mark) and stem in (first.name, first.name.rpartition("#")[0])


def _parse(payload: Payload, context: Context, note: Note | None, edit_text: Edit | None = None) -> Module:
    data = payload.data
    if payload.kind is PayloadKind.BITCODE:
        try:
            return Module.parse(data, payload.name, context=context)
        except InputError as error:
            raise _unreadable(error, payload, context) from error
    if b"*" in bytes(data):
        data = _upgrade(bytes(data), payload.name, note)
    if edit_text:
        data = edit_text(bytes(data))
    return Module.parse(data, payload.name, context=context)


def _upgrade(data: bytes, name: str, note: Note | None) -> bytes:
    """Returns IR text with `ptr` for typed pointers; text that has none as it is.

    It is done before LLVM sees the text: LLVM 17 and later refuse some uses of typed pointers, and
    silently misread a call whose callee has an explicit pointer type.
    """
    from typemeta.llvm.old_text.typed_pointers import has_typed_pointers, upgrade_typed_pointers

    text = data.decode(errors="surrogateescape")
    if not has_typed_pointers(text):
        return data
    if note:
        note(f"{name}: has typed pointers, as in LLVM 14 and older; read as if written with ptr")
    try:
        return upgrade_typed_pointers(text).encode(errors="surrogateescape")
    except InputError as error:
        message = str(error).split(": ", 1)[-1]
        raise InputError(message, path=name, line=error.line, column=error.column) from error


def _unreadable(error: InputError, payload: Payload, context: Context) -> InputError:
    reason = str(error).removeprefix(f"{payload.name}: ")
    return InputError(
        f"LLVM {context.library.version_text} cannot read this bitcode ({reason}); build it again, or name "
        "the LLVM that wrote it with --llvm or TYPEMETA_LIBLLVM",
        path=payload.name,
    )


def _explain(error: LinkError, earlier: Sequence[Payload], latest: Payload) -> LinkError:
    """Names the inputs that clash; reads the earlier ones again, which only this error costs."""
    if error.symbol is None:
        return error
    for payload in earlier:
        with Context() as context:
            value = _parse(payload, context, None).find(error.symbol)
            if value is not None and not value.is_declaration:
                message = (
                    f"{error.symbol} is defined in {payload.name} and in {latest.name}; link only one of them"
                )
                return LinkError(message, symbol=error.symbol)
    return error
