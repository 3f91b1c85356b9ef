"""Function bodies: removing one, and the parameters of the next.

LLVM's C API can delete a block but not what holds on to it, so uses across blocks go first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from typemeta.llvm.edit import EXTERNAL_LINKAGE, Editor

_VOID_KIND, _TOKEN_KIND = 0, 16  # LLVMTypeKind; the same in LLVM 19 to 23
_NO_CONSTANT: Final = 0


def delete_body(editor: Editor, function: int) -> None:
    """Makes a function a declaration, as LLVM's `Function::deleteBody` does.

    Attachments, personality, prefix and prologue go too, and the linkage becomes external; attributes,
    visibility, comdat and section stay. The address of one of its blocks becomes the constant 1.
    """
    c = editor.c
    blocks = list(_blocks(c, function))
    for block in blocks:
        for instruction in list(_instructions(c, block)):
            _replace_by_nothing(c, instruction)
    for block in blocks:  # terminators are what uses blocks
        terminator = c.LLVMGetBasicBlockTerminator(block)
        if terminator:
            c.LLVMInstructionEraseFromParent(terminator)
    for block in blocks:
        c.LLVMDeleteBasicBlock(block)
    for has, put in (
        (c.LLVMHasPersonalityFn, c.LLVMSetPersonalityFn),
        (c.LLVMHasPrefixData, c.LLVMSetPrefixData),
        (c.LLVMHasPrologueData, c.LLVMSetPrologueData),
    ):
        if has(function):
            put(function, _NO_CONSTANT)
    c.LLVMGlobalClearMetadata(function)
    c.LLVMSetLinkage(function, EXTERNAL_LINKAGE)


def name_parameters(editor: Editor, function: int, *names: str) -> list[int]:
    """Names a function's first parameters; returns them."""
    parameters = [int(editor.c.LLVMGetParam(function, index)) for index in range(len(names))]
    for parameter, name in zip(parameters, names, strict=True):
        editor.rename(parameter, name.encode())
    return parameters


def _replace_by_nothing(c: Any, instruction: int) -> None:
    """Frees an instruction of its users; a token, which has no `undef`, is replaced by `none`."""
    type_ = c.LLVMTypeOf(instruction)
    kind = c.LLVMGetTypeKind(type_)
    if kind != _VOID_KIND and c.LLVMGetFirstUse(instruction):
        nothing = c.LLVMConstNull(type_) if kind == _TOKEN_KIND else c.LLVMGetUndef(type_)
        c.LLVMReplaceAllUsesWith(instruction, nothing)


def _blocks(c: Any, function: int) -> Iterator[int]:
    block = c.LLVMGetFirstBasicBlock(function)
    while block:
        yield int(block)
        block = c.LLVMGetNextBasicBlock(block)


def _instructions(c: Any, block: int) -> Iterator[int]:
    instruction = c.LLVMGetFirstInstruction(block)
    while instruction:
        yield int(instruction)
        instruction = c.LLVMGetNextInstruction(instruction)
