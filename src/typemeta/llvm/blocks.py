"""Splits basic blocks, which LLVM's C API has no function for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from typemeta.llvm.edit import Editor

_BR, _COND_BR = 2, 71  # LLVMOpcode of a branch: LLVM 22 and older, and a conditional one since LLVM 23
_CONDITIONAL_SUCCESSORS: Final = 2


def split_before(editor: Editor, instruction: int) -> tuple[int, int]:
    """Splits a block in front of an instruction; returns (head, tail), the head without a terminator.

    The head keeps the block's name, predecessors and block addresses, and the tail its successors, as
    when LLVM splits. The tail is the block's old handle. Debug records (not instructions) stay in it.
    """
    c = editor.c
    tail = c.LLVMGetInstructionParent(instruction)
    head = editor.insert_block(tail)
    moved = _instructions_until(c, tail, instruction)
    for entry in moved:
        c.LLVMInstructionRemoveFromParent(entry)
    editor.append_moved(head, moved)
    # Replacing a block changes the phis of its successors too, found through its terminator: those
    # must go on speaking of the tail.
    terminator = c.LLVMGetBasicBlockTerminator(tail)
    c.LLVMInstructionRemoveFromParent(terminator)
    c.LLVMReplaceAllUsesWith(c.LLVMBasicBlockAsValue(tail), c.LLVMBasicBlockAsValue(head))
    editor.append_moved(tail, [terminator])
    name = editor.name(c.LLVMBasicBlockAsValue(tail))
    editor.rename(c.LLVMBasicBlockAsValue(tail), b"")
    editor.rename(c.LLVMBasicBlockAsValue(head), name)
    return head, tail


def branch_behind(editor: Editor, call: int) -> int:
    """Returns the conditional branch that follows a call and is the only user of its result, or 0."""
    c = editor.c
    use = c.LLVMGetFirstUse(call)
    if not use or c.LLVMGetNextUse(use):
        return 0
    user = c.LLVMGetUser(use)
    is_next = c.LLVMGetNextInstruction(call) == user
    return int(user) if is_next and _is_conditional_branch(c, user) else 0


def phis(editor: Editor, block: int) -> Iterator[int]:
    """Yields the phis at the start of a block."""
    c = editor.c
    instruction = c.LLVMGetFirstInstruction(block)
    while instruction and c.LLVMIsAPHINode(instruction):
        yield int(instruction)
        instruction = c.LLVMGetNextInstruction(instruction)


def incoming_value(editor: Editor, phi: int, block: int) -> int:
    """Returns what a phi gets from a block, which must be one of its predecessors."""
    c = editor.c
    for index in range(c.LLVMCountIncoming(phi)):
        if c.LLVMGetIncomingBlock(phi, index) == block:
            return int(c.LLVMGetIncomingValue(phi, index))
    raise AssertionError("a phi has a value for each predecessor")


def _is_conditional_branch(c: Any, instruction: int) -> bool:
    is_branch = c.LLVMGetInstructionOpcode(instruction) in (_BR, _COND_BR)
    return bool(is_branch and c.LLVMGetNumSuccessors(instruction) == _CONDITIONAL_SUCCESSORS)


def _instructions_until(c: Any, block: int, end: int) -> list[int]:
    found = []
    instruction = c.LLVMGetFirstInstruction(block)
    while instruction != end:
        found.append(int(instruction))
        instruction = c.LLVMGetNextInstruction(instruction)
    return found
